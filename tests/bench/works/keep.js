// What it costs to keep scores and weights instead of letting them share a small block: the kernel alone, called as
// src/js/ops/attention.js calls it. A trace also asks for the scores that a causal mask hides; then nothing is skipped.
import { costs } from '../lib/claims.js'
import { gf, random, toTensor } from '../lib/ours.js'

const KEEPING = 'with both kept'
const H = 12, D = 64, T = 1024
const { engine } = gf

/** The struct gf_attention of glassformer.h for attention over [1, H, T, D]. */
function passStruct(isCausal) {
  const [scale] = new Int32Array(Float32Array.of(1 / Math.sqrt(D)).buffer)
  const rows = [H * T * D, T * D, D]
  const noMask = [0, 0, 0, 0]
  const fields = [1, H, T, T, D, D, scale, ...rows, ...rows, ...rows, ...rows, ...noMask, Number(isCausal), 0]
  return engine.pass(fields)
}

function prepare(isCausal) {
  const [q, k, v] = [1, 2, 3].map(seed => toTensor(random([1, H, T, D], seed)))
  const [scores, weights] = [1, 2].map(() => engine.empty([1, H, T, T]))
  const out = engine.empty([1, H, T, D])
  const attend = isKept => {
    const struct = passStruct(isCausal)
    const workspace = engine.scratch(engine.c.gf_attention_workspace(struct, 0))
    const kept = isKept ? [scores.address, weights.address] : [0, 0]
    engine.c.gf_attention_forward(out.address, ...kept, workspace, q.address, k.address, v.address, 0, struct)
    return out.data
  }
  const side = isKept => ({ run: () => void attend(isKept), result: () => attend(isKept).slice() })
  // The two must agree in every bit.
  return { sides: { ours: side(false), [KEEPING]: side(true) }, tolerance: 0 }
}

export default [true, false].map(isCausal => ({
  name: `keeping scores and weights, T = ${T}, ${isCausal ? 'causal' : 'no mask'}`,
  claims: [costs(KEEPING, 'ours', 10)],
  prepare: () => prepare(isCausal)
}))
