// The models of golden/encoders.json: their weights are made from keys and indices, as encoders.py makes them.
import assert from 'node:assert/strict'
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { loadGolden } from '../golden/index.js'

/** FNV-1a of a key. */
const hashOf = key =>
  [...new TextEncoder().encode(key)].reduce((hash, byte) => Math.imul(hash ^ byte, 16777619), 2166136261 | 0)

/** Multiples of 2^-16 from -0.5 to 0.5; vectors of weights, which belong to norms, are 1 and half of that. */
function fillHashed(key, values, isNorm) {
  const seed = hashOf(key)
  for (let i = 0; i < values.length; i++) {
    let h = seed + Math.imul(i, 2654435761) | 0
    h = Math.imul(h ^ h >>> 15, 2246822507)
    h = Math.imul(h ^ h >>> 13, 3266489909)
    const value = ((h ^ h >>> 16) >>> 16) / 65536 - 0.5
    values[i] = isNorm ? 1 + value / 2 : value
  }
}

/** The shapes by key, where a key such as layer.#2.bias stands for layer.0.bias and layer.1.bias. */
const expandShapes = shapes => Object.fromEntries(Object.entries(shapes).flatMap(([key, shape]) => {
  const [, count] = /#(\d+)/.exec(key) ?? []
  return count ? Array.from({ length: Number(count) }, (_, n) => [key.replace(/#\d+/, n), shape]) : [[key, shape]]
}))

/** The tensors of a case by key. */
export const tensorsOf = ({ shapes }) => Object.fromEntries(Object.entries(expandShapes(shapes)).map(([key, shape]) => {
  const tensor = gf.zeros(shape)
  fillHashed(key, tensor.data, shape.length === 1 && key.endsWith('weight'))
  return [key, tensor]
}))

/** The files of a case; `change` may edit its tensors, and `config` its configuration. */
export const filesOf = (item, { change = t => t, config = {} } = {}) => gf.tidy(() => ({
  ...item.modules,
  'config.json': JSON.stringify({ ...item.config, ...config }),
  'model.safetensors': gf.saveSafetensors(change(tensorsOf(item)))
}))

export const { cases } = loadGolden('encoders')
/** One case by its name. */
export const caseOf = name => cases.find(item => item.name === name)

/** Whether the rows of an output are those of the source, so that its padding has some. */
const hasPadding = (model, shape, mask) => mask && !('decoderStartTokenId' in model) && shape.length > 1 &&
  shape[0] === mask.length && shape[1] === mask[0].length

/** Runs a loaded model on a case's inputs and compares every output, within 2e-5 of its largest number. */
export function assertOutputs(model, { inputs: { ids, ...options }, out, name }) {
  const mask = options.attentionMask
  gf.tidy(() => {
    const outputs = gf.noGrad(() => model.forward(ids, options))
    for (const [key, expected] of Object.entries(out)) {
      assert.ok(outputs[key], `${name}: no output ${key} among ${Object.keys(outputs)}`)
      const { shape, data } = outputs[key], isPadded = hasPadding(model, shape, mask)
      const isToken = i => !isPadded || mask.flat()[Math.floor(i * mask.flat().length / data.length)]
      assertClose({ shape: [...shape], data: Array.from(data, (value, i) => (isToken(i) ? value : 0)) }, expected,
        { tol: 2e-5 * Math.max(...expected.data.map(Math.abs)), name: `${name}: ${key}` })
    }
  })
}

/** Saves a loaded model and compares all tensors with the case's to the bit, and what config.json says of its class. */
export function assertSaved(model, item) {
  const files = gf.models.save(model), { tensors } = gf.loadSafetensors(files['model.safetensors'])
  const expected = tensorsOf(item), config = JSON.parse(files['config.json'])
  assert.deepEqual(Object.keys(tensors).sort(), Object.keys(expected).sort(), item.name)
  for (const [key, { shape, bytes }] of Object.entries(expected)) {
    assert.deepEqual(tensors[key].shape, shape, `${item.name}: ${key}`)
    assert.deepEqual(tensors[key].bytes, bytes, `${item.name}: ${key}`)
  }
  for (const name of ['model_type', 'architectures', 'id2label']) {
    assert.deepEqual(config[name], item.config[name], `${item.name}: ${name}`)
  }
  return files
}
