/** Files that are something else than their names say, by their first bytes. */

/** Bytes that are looked at. */
export const FIRST_BYTES = 256

/** @param {readonly number[]} bytes */
const starts = bytes => (/** @type {Uint8Array} */ head) => bytes.every((byte, i) => head[i] === byte)

/** @type {[(head: Uint8Array) => boolean, string][]} */
const BINARY = [
  [starts([0x50, 0x4b, 3, 4]), 'is a zip archive, as PyTorch writes .bin and .pt; its program in Python is not run here, so ' +
  'save the model as safetensors'],
  [head => head[0] === 0x80 && head[1] >= 2 && head[1] <= 5, 'is a pickle, a program in Python that is not run here; save ' +
  'the model as safetensors'],
  [starts([0x47, 0x47, 0x55, 0x46]), 'is packed for llama.cpp (GGUF); choose the safetensors that it was made of'],
  [starts([0x1f, 0x8b]), 'is packed by gzip; unpack it first'],
  [starts([0x89, 0x48, 0x44, 0x46]), 'is of another framework (HDF5); choose model.safetensors']
]

/** @type {[RegExp, (text: string) => string][]} */
const TEXT = [
  [/^version https:\/\/git-lfs\.github\.com\//, text => {
    const [, size] = /^size (\d+)$/m.exec(text) ?? []
    return `is a pointer of Git LFS to the file${size ? ` of ${size} bytes` : ''}, not the file itself; ` +
      'get that with git lfs pull, or download it by itself'
  }],
  [/^\s*<(!doctype html|html|head|body)\b/i, () => 'is a web page (HTML), not the file itself; download it again, by its ' +
    'own address ("resolve", not "blob", at the hub), signed in where that is needed'],
  [/^\s*<\?xml/, () => 'is XML, as servers answer when something fails, and not the file itself; download it again']
]

/**
 * What a file is instead, in words.
 * @param {Uint8Array} head its first bytes @param {number} size of the file
 * @returns {string | null} null where nothing is recognized
 */
export function foreignFile(head, size) {
  if (size === 0) return 'is empty; download it again'
  const binary = BINARY.find(([fits]) => fits(head))
  if (binary) return binary[1]
  const text = new TextDecoder().decode(head), known = TEXT.find(([pattern]) => pattern.test(text))
  return known ? known[1](text) : null
}

/** Whether bytes are letters that people read. @param {Uint8Array} head */
const isText = head => head.length > 0 &&
  head.every(byte => (byte >= 0x20 && byte < 0x7f) || [9, 10, 13].includes(byte))

/**
 * The same where weights are expected: any text is none.
 * @param {Uint8Array} head @param {number} size @returns {string | null}
 */
export function foreignWeights(head, size) {
  const known = foreignFile(head, size)
  if (known || !isText(head)) return known
  const [line] = new TextDecoder().decode(head).trim().split('\n')
  return `is text that begins with ${JSON.stringify(line.slice(0, 60))}, and no weights; download it again`
}

/**
 * What a source of bytes is instead.
 * @param {import('./source.js').Source} source @param {typeof foreignFile} [recognize]
 * @returns {Generator<any, string | null, any>}
 */
export function* foreignSource({ size, read }, recognize = foreignFile) {
  return recognize(size ? yield read(0, Math.min(size, FIRST_BYTES)) : new Uint8Array(0), size)
}
