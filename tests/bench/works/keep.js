// The cost of storing all scores and weights instead of reusing a small block for them. The kernel is called as
// src/js/ops/attention.js calls it. A trace also needs the scores that a causal mask hides, so that none is skipped.
import { costs } from '../lib/claims.js'
import { gf, random, toTensor } from '../lib/ours.js'

const STORING = 'with both kept'
const H = 12, D = 64, T = 1024
const { engine, functional: F } = gf

/** The structs gf_attention and gf_attention_steps of glassformer.h, for attention over [1, H, T, D]. */
function passStructs(isCausal, { scores, weights }) {
  const [scale] = new Int32Array(Float32Array.of(1 / Math.sqrt(D)).buffer), rows = [H * T * D, T * D, D]
  const mask = [0, 0, 0, 0, Number(isCausal), 0, 0, 0]
  const fields = [1, H, T, T, D, D, 1, 0, 0, scale, ...rows, ...rows, ...rows, ...rows, ...mask]
  const struct = engine.pass([...fields, 0, scores.dataPtr(), 0, weights.dataPtr()])
  return { struct, steps: struct + 4 * fields.length }
}

function prepare(isCausal) {
  const [q, k, v] = [1, 2, 3].map(seed => toTensor(random([1, H, T, D], seed)))
  const [scores, weights] = [1, 2].map(() => engine.empty([1, H, T, T])), out = engine.empty([1, H, T, D])
  const plain = () => gf.noGrad(() => F.scaledDotProductAttention(q, k, v, { isCausal }))
  const storing = () => {
    const { struct, steps } = passStructs(isCausal, { scores, weights })
    const workspace = engine.scratch(engine.c.gf_attention_workspace(struct, 0))
    engine.c.gf_attention_forward(out.dataPtr(), steps, workspace, q.dataPtr(), k.dataPtr(), v.dataPtr(), 0, struct)
    return out
  }
  const side = attend => (
    { run: () => gf.tidy(() => void attend()), result: () => gf.tidy(() => attend().data.slice()) })
  // Both must have the same bits.
  return { sides: { ours: side(plain), [STORING]: side(storing) }, tolerance: 0 }
}

export default [true, false].map(isCausal => ({
  name: `keeping scores and weights, T = ${T}, ${isCausal ? 'causal' : 'no mask'}`,
  claims: [costs(STORING, 'ours', 10)],
  prepare: () => prepare(isCausal)
}))
