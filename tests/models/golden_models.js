// The models of golden/models.json, sampled from their seeds: files of a model's folder and their expected outputs.
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { loadGolden } from '../golden/index.js'

/** randn(shape) * scale + shift in float32, as PyTorch computes it. */
const scaled = (t, scale, shift) => {
  t.data.forEach((v, i, values) => {
    values[i] = Math.fround(
      Math.fround(v * Math.fround(scale)) + Math.fround(shift))
  })
  return t
}

/** The tensors of a case, in the order in which they are sampled. */
export function sampleTensors({ seed, tensors }) {
  gf.manualSeed(seed)
  return Object.fromEntries(tensors.map(([key, shape, scale, shift]) => [key, scaled(gf.randn(shape), scale, shift)]))
}

/** The files of a case; `change` may edit its tensors before they are saved. */
export const filesOf = (item, { change = t => t, dtypes, config = {} } = {}) => gf.tidy(() => ({
  'config.json': JSON.stringify({ ...item.config, ...config }),
  'model.safetensors': gf.saveSafetensors(change(sampleTensors(item)), undefined, dtypes && { dtypes })
}))

export const cases = type => loadGolden('models').cases.filter(item => item.name.startsWith(`${type}:`))

/** Runs a loaded model on a case's inputs and compares every output. Rows of padding are set to 0 first. */
export function assertOutputs(model, { inputs: { ids, ...options }, out, tol }, name) {
  gf.tidy(() => {
    const outputs = gf.noGrad(() => model.forward(ids, options))
    const mask = options.decoderIds ? null : options.attentionMask
    for (const [key, expected] of Object.entries(out)) {
      const C = expected.shape.at(-1), isToken = mask && expected.shape.length === 3 ? mask.flat() : null
      const data = Array.from(outputs[key].data, (v, i) => (isToken && !isToken[Math.floor(i / C)] ? v * 0 : v))
      assertClose({ shape: [...outputs[key].shape], data }, expected, { tol, name: `${name}: ${key}` })
    }
  })
}
