// Malformed model files: those of a small model with the header, the length or the configuration changed.
import { gf } from './engine.js'
import { cases, filesOf } from '../models/golden_models.js'

const LENGTH_BYTES = 8

/** The header of a safetensors file and the values after it. @param {Uint8Array} bytes */
function parseFile(bytes) {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true))
  const header = JSON.parse(new TextDecoder().decode(bytes.slice(LENGTH_BYTES, LENGTH_BYTES + length)))
  return { header, data: bytes.slice(LENGTH_BYTES + length) }
}

/** A safetensors file of a header and values. @param {object} header @param {Uint8Array} [data] */
export function buildFile(header, data = new Uint8Array(0)) {
  const text = new TextEncoder().encode(JSON.stringify(header))
  const out = new Uint8Array(LENGTH_BYTES + text.length + data.length)
  new DataView(out.buffer).setBigUint64(0, BigInt(text.length), true)
  out.set(text, LENGTH_BYTES)
  out.set(data, LENGTH_BYTES + text.length)
  return out
}

export const [model] = cases('llama')
const files = filesOf(model), { 'model.safetensors': weights } = files, { header, data } = parseFile(weights)
const [first, second, third] = Object.keys(header)

/** The same files with another file of weights. */
const withWeights = bytes => ({ ...files, 'model.safetensors': bytes })

/** The files with a changed header. @param {(header: any) => void} change */
function withHeader(change) {
  const copy = structuredClone(header)
  change(copy)
  return withWeights(buildFile(copy, data))
}

/** The files with a tensor of another shape than the configuration requires. */
const wrongShape = filesOf(model, { change: tensors => (
  { ...tensors, [second]: gf.zeros([tensors[second].shape[0] + 1]) }) })

/**
 * Malformed files by their fault, with the expected error message.
 * @type {Record<string, [Record<string, any>, RegExp]>}
 */
export const HOSTILE = {
  'tensors that overlap': [withHeader(header => {
    header[third].data_offsets = header[third].data_offsets.map(at => at - 4)
  }), new RegExp(`model\\.safetensors: ${third.replaceAll('.', '\\.')} must start at byte \\d+`)],
  'two tensors at the same offset': [withHeader(header => {
    header[second].data_offsets = [header[first].data_offsets[0], header[first].data_offsets[0] + 4]
    header[second].shape = [1]
  }), /model\.safetensors: .* must start at byte/],
  'a tensor that ends before it begins': [withHeader(header => header[first].data_offsets.reverse()),
    /model\.safetensors: .* must be inside/],
  'a tensor of 19 GB in a file of 12 KB': [withHeader(header => {
    header[first].shape = [70000, 70000]
    header[first].data_offsets = [0, 4 * 70000 ** 2]
  }), /model\.safetensors: .* must be inside the \d+ bytes of data, got \[0,19600000000\]/],
  'a header of 5 GB': [withWeights((() => {
    const bytes = weights.slice()
    new DataView(bytes.buffer).setBigUint64(0, 5_000_000_000n, true)
    return bytes
  })()), /model\.safetensors: the header must fit into the file/],
  'negative dimensions': [withHeader(header => { header[first].shape = [-1, -11] }), /model\.safetensors: .* must have a shape/],
  'an unknown dtype': [withHeader(header => { header[first].dtype = 'F12' }),
    /model\.safetensors: .* must have a dtype/],
  'an error page instead of weights': [withWeights(new TextEncoder().encode('<!doctype html><title>404</title>')),
    /model\.safetensors: the header must fit into the file/],
  'a truncated file': [withWeights(weights.slice(0, -40)), /model\.safetensors: .* must be inside/],
  'a file that is truncated in its header': [withWeights(weights.slice(0, 100)), /model\.safetensors: the header must fit/],
  'an empty file': [withWeights(new Uint8Array(0)), /model\.safetensors: expected a file of at least 8 bytes, got 0/],
  'another shape than the config promises': [wrongShape,
    new RegExp(`${second.replaceAll('.', '\\.')} must have shape .* in model\\.safetensors`)],
  'a config of two thousand million layers': [filesOf(model, { config: { num_hidden_layers: 2e9 } }),
    /config\.json: num_hidden_layers must be at most 1000/],
  'a config of a table of 96 GB': [filesOf(model, { config: { vocab_size: 2e9 } }),
    /config\.json: its sizes give a tensor of more than 4 GB/],
  'a config of more layers than there are': [filesOf(model, { config: { num_hidden_layers: 3 } }), /layers\.2\./]
}

/** Valid files whose header lists the tensors in another order than their values. */
export const SHUFFLED = withWeights(buildFile(Object.fromEntries(Object.entries(header).reverse()), data))

/** The files with a tokenizer of 259 tokens (so short a text does not reach vocabSize), while the model has 11. */
export const otherTokenizer = () => ({ ...files, 'tokenizer.json': JSON.stringify(
  gf.text.trainBPE('the bird and the boat', { vocabSize: 270, minFrequency: 2 })) })

/** The files with three weights that are NaN or infinite. */
export const brokenFiles = () => filesOf(model, { change: tensors => {
  const { data: values } = tensors[second]
  values[1] = NaN
  values[2] = Infinity
  tensors[third].data[0] = -Infinity
  return tensors
} })
export const BROKEN = { count: 3, firstName: second.replace(/^model\./, '') }

/** A model whose token embedding takes more than 4 GB: the beginning of its file, the file's size and the config. */
export function oversized() {
  const V = 80_000_000, { shape: [, C] } = header[first], largeHeader = structuredClone(header), tableBytes = V * C * 4
  const originalTableBytes = largeHeader[first].data_offsets[1]
  largeHeader[first] = { dtype: 'F32', shape: [V, C], data_offsets: [0, tableBytes] }
  for (const [name, entry] of Object.entries(largeHeader)) if (name !== first) {
    entry.data_offsets = entry.data_offsets.map(at => at - originalTableBytes + tableBytes)
  }
  const lastEntry = largeHeader['lm_head.weight'], lastStart = lastEntry.data_offsets[0]
  largeHeader['lm_head.weight'] = { dtype: 'F32', shape: [V, C], data_offsets: [lastStart, lastStart + tableBytes] }
  const bytes = buildFile(largeHeader)
  const config = JSON.stringify({ ...model.config, vocab_size: V })
  return { head: bytes, size: bytes.length + lastStart + tableBytes, config }
}
