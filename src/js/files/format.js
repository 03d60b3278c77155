/** Detects files in another format than their name says, by their first bytes. */

/** Number of bytes that are inspected. */
export const FIRST_BYTES = 256

/** @param {readonly number[]} bytes */
const startsWith = bytes => (/** @type {Uint8Array} */ head) => bytes.every((byte, i) => head[i] === byte)

/** @type {[(head: Uint8Array) => boolean, string][]} */
const BINARY_FORMATS = [
  [startsWith([0x50, 0x4b, 3, 4]), 'is a zip archive, as PyTorch writes .bin and .pt; its Python code is not executed, so ' +
  'save the model as safetensors'],
  [head => head[0] === 0x80 && head[1] >= 2 && head[1] <= 5, 'is a pickle, which is Python code and is not executed; save ' +
  'the model as safetensors'],
  [startsWith([0x47, 0x47, 0x55, 0x46]), 'is a file of llama.cpp (GGUF), which models.load reads under a name that ends with .gguf'],
  [startsWith([0x1f, 0x8b]), 'is compressed with gzip; decompress it first'],
  [startsWith([0x89, 0x48, 0x44, 0x46]), 'belongs to another framework (HDF5); choose model.safetensors']
]

/** @type {[RegExp, (text: string) => string][]} */
const TEXT_FORMATS = [
  [/^version https:\/\/git-lfs\.github\.com\//, text => {
    const [, size] = /^size (\d+)$/m.exec(text) ?? []
    return `is a pointer of Git LFS to the file${size ? ` of ${size} bytes` : ''}, not the file itself; ` +
      'get the file with git lfs pull, or download it'
  }],
  [/^\s*<(!doctype html|html|head|body)\b/i, () => 'is a web page (HTML), not the file itself; download it again from ' +
    'its own address ("resolve", not "blob", at the hub), signed in if necessary'],
  [/^\s*<\?xml/, () => 'is XML, probably an error message of a server, not the file itself; download it again']
]

/**
 * Describes the actual format of a file.
 * @param {Uint8Array} head its first bytes @param {number} size of the file
 * @returns {string | null} null if no other format is recognized
 */
export function detectFormat(head, size) {
  if (size === 0) return 'is empty; download it again'
  const binary = BINARY_FORMATS.find(([matches]) => matches(head))
  if (binary) return binary[1]
  const text = new TextDecoder().decode(head), format = TEXT_FORMATS.find(([pattern]) => pattern.test(text))
  return format ? format[1](text) : null
}

/** Whether bytes are plain ASCII text. @param {Uint8Array} head */
const isText = head => head.length > 0 &&
  head.every(byte => (byte >= 0x20 && byte < 0x7f) || [9, 10, 13].includes(byte))

/**
 * Describes the actual format of a file that should have weights: text is never weights.
 * @param {Uint8Array} head @param {number} size @returns {string | null}
 */
export function detectNonWeights(head, size) {
  const format = detectFormat(head, size)
  if (format || !isText(head)) return format
  const [line] = new TextDecoder().decode(head).trim().split('\n')
  return `is text that begins with ${JSON.stringify(line.slice(0, 60))}, not weights; download it again`
}

/**
 * Describes the actual format of a source.
 * @param {import('./source.js').Source} source @param {typeof detectFormat} [recognize]
 * @returns {Generator<any, string | null, any>}
 */
export function* detectSourceFormat({ size, read }, recognize = detectFormat) {
  return recognize(size ? yield read(0, Math.min(size, FIRST_BYTES)) : new Uint8Array(0), size)
}
