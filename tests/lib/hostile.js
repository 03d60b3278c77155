// Weights that are not what they say: a well-formed file of a small model, and its header or its end changed.
import { gf } from './engine.js'
import { cases, filesOf } from '../models/golden_models.js'

const HEAD = 8

/** The header of a safetensors file and the values after it. @param {Uint8Array} bytes */
function taken(bytes) {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true))
  const header = JSON.parse(new TextDecoder().decode(bytes.slice(HEAD, HEAD + length)))
  return { header, data: bytes.slice(HEAD + length) }
}

/** A file with another header before the same values. @param {object} header @param {Uint8Array} [data] */
export function put(header, data = new Uint8Array(0)) {
  const text = new TextEncoder().encode(JSON.stringify(header)), out = new Uint8Array(HEAD + text.length + data.length)
  new DataView(out.buffer).setBigUint64(0, BigInt(text.length), true)
  out.set(text, HEAD)
  out.set(data, HEAD + text.length)
  return out
}

export const [model] = cases('llama')
const files = filesOf(model), { 'model.safetensors': weights } = files, { header, data } = taken(weights)
const [first, second, third] = Object.keys(header)

/** The same files with another file of weights. */
const withWeights = bytes => ({ ...files, 'model.safetensors': bytes })

/** @param {(header: any) => void} change */
function changed(change) {
  const own = structuredClone(header)
  change(own)
  return withWeights(put(own, data))
}

/** The file of a tensor of another shape than the config promises. */
const widened = filesOf(model, { change: tensors => (
  { ...tensors, [second]: gf.zeros([tensors[second].shape[0] + 1]) }) })

/**
 * What is wrong, with the files and what must be said of them.
 * @type {Record<string, [Record<string, any>, RegExp]>}
 */
export const HOSTILE = {
  'tensors that overlap': [changed(own => {
    own[third].data_offsets = own[third].data_offsets.map(at => at - 4)
  }), new RegExp(`model\\.safetensors: ${third.replaceAll('.', '\\.')} must start at byte \\d+`)],
  'two tensors in one place': [changed(own => {
    own[second].data_offsets = [own[first].data_offsets[0], own[first].data_offsets[0] + 4]
    own[second].shape = [1]
  }), /model\.safetensors: .* must start at byte/],
  'a tensor that ends before it begins': [changed(own => own[first].data_offsets.reverse()),
    /model\.safetensors: .* must be inside/],
  'a tensor of 19 GB in a file of 12 KB': [changed(own => {
    own[first].shape = [70000, 70000]
    own[first].data_offsets = [0, 4 * 70000 ** 2]
  }), /model\.safetensors: .* must be inside the \d+ bytes of data, got \[0,19600000000\]/],
  'a header of 5 GB': [withWeights((() => {
    const bytes = weights.slice()
    new DataView(bytes.buffer).setBigUint64(0, 5_000_000_000n, true)
    return bytes
  })()), /model\.safetensors: the header must fit into the file/],
  'sides below zero': [changed(own => { own[first].shape = [-1, -11] }), /model\.safetensors: .* must have a shape/],
  'a dtype that nobody knows': [changed(own => { own[first].dtype = 'F12' }),
    /model\.safetensors: .* must have a dtype/],
  'an error page instead of weights': [withWeights(new TextEncoder().encode('<!doctype html><title>404</title>')),
    /model\.safetensors: the header must fit into the file/],
  'a file that is cut': [withWeights(weights.slice(0, -40)), /model\.safetensors: .* must be inside/],
  'a file that is cut in its header': [withWeights(weights.slice(0, 100)), /model\.safetensors: the header must fit/],
  'nothing at all': [withWeights(new Uint8Array(0)), /model\.safetensors: expected a file of at least 8 bytes, got 0/],
  'another shape than the config promises': [widened,
    new RegExp(`${second.replaceAll('.', '\\.')} must have shape .* in model\\.safetensors`)],
  'a config of two thousand million layers': [filesOf(model, { config: { num_hidden_layers: 2e9 } }),
    /config\.json: num_hidden_layers must be at most 1000/],
  'a config of a table of 96 GB': [filesOf(model, { config: { vocab_size: 2e9 } }),
    /config\.json: its sizes give a tensor of more than 4 GB/],
  'a config of more layers than there are': [filesOf(model, { config: { num_hidden_layers: 3 } }), /layers\.2\./]
}

/** The tensors in another order than their values, which is no fault. */
export const SHUFFLED = withWeights(put(Object.fromEntries(Object.entries(header).reverse()), data))

/** A tokenizer of 259 words beside a model of 11. */
export const otherTokenizer = () => ({ ...files, 'tokenizer.json': JSON.stringify(
  gf.text.trainBPE('the bird and the boat', { vocabSize: 270, minFrequency: 2 })) })

/** A model with some weights that are no numbers. */
export const brokenFiles = () => filesOf(model, { change: tensors => {
  const { data: values } = tensors[second]
  values[1] = NaN
  values[2] = Infinity
  tensors[third].data[0] = -Infinity
  return tensors
} })
export const BROKEN = { count: 3, first: second.replace(/^model\./, '') }

/** A model whose table of words takes more than 4 GB: its header, and how long the file is. */
export function oversized() {
  const words = 60_000_000, { shape: [, C] } = header[first], own = structuredClone(header), from = words * C * 4
  const size = own[first].data_offsets[1]
  own[first] = { dtype: 'F32', shape: [words, C], data_offsets: [0, from] }
  for (const [name, entry] of Object.entries(own)) if (name !== first) {
    entry.data_offsets = entry.data_offsets.map(at => at - size + from)
  }
  const head = own['lm_head.weight'], end = head.data_offsets[0]
  own['lm_head.weight'] = { dtype: 'F32', shape: [words, C], data_offsets: [end, end + words * C * 4] }
  const bytes = put(own)
  const config = JSON.stringify({ ...model.config, vocab_size: words })
  return { head: bytes, size: bytes.length + end + words * C * 4, config }
}
