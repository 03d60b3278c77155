// The models of golden/models.json, drawn from their seeds: files as they would lie in a folder, and what must come
// out.
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { loadGolden } from '../golden/index.js'

/** What torch makes of randn(shape) * scale + shift, in float32. */
const scaled = (t, scale, shift) => {
  t.data.forEach((v, i, values) => {
    values[i] = Math.fround(
      Math.fround(v * Math.fround(scale)) + Math.fround(shift))
  })
  return t
}

/** The tensors of a case, in the order they are drawn. */
export function drawTensors({ seed, tensors }) {
  gf.manualSeed(seed)
  return Object.fromEntries(tensors.map(([key, shape, scale, shift]) => [key, scaled(gf.randn(shape), scale, shift)]))
}

/** The files of a case; `change` may edit its tensors before they are saved. */
export const filesOf = (item, { change = t => t, dtypes, config = {} } = {}) => gf.tidy(() => ({
  'config.json': JSON.stringify({ ...item.config, ...config }),
  'model.safetensors': gf.saveSafetensors(change(drawTensors(item)), undefined, dtypes && { dtypes })
}))

export const cases = type => loadGolden('models').cases.filter(item => item.name.startsWith(`${type}:`))

/**
 * Runs a loaded model on a case's inputs and compares every output. Padding's own rows are compared where they are 0.
 */
export function assertOutputs(model, { inputs: { ids, ...options }, out, tol }, name) {
  gf.tidy(() => {
    const made = gf.noGrad(() => model.forward(ids, options)), mask = options.decoderIds ? null : options.attentionMask
    for (const [key, expected] of Object.entries(out)) {
      const C = expected.shape.at(-1), isKept = mask && expected.shape.length === 3 ? mask.flat() : null
      const data = Array.from(made[key].data, (v, i) => (isKept && !isKept[Math.floor(i / C)] ? v * 0 : v))
      assertClose({ shape: [...made[key].shape], data }, expected, { tol, name: `${name}: ${key}` })
    }
  })
}
