import { describe, expect, isPlain, expectOneOf, expectOptions, stateDictHint } from '../errors.js'
import { BYTES, readHeader } from './header.js'
import { openModelFiles } from './shards.js'
import { settle, openSource } from './source.js'
import { NATIVE, WRITABLE, bytesAs, readTensor } from './values.js'
import { sizeOf } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * Reads and writes the safetensors format, which files/header.js describes.
 * @typedef {{ tensors: Record<string, Tensor>, metadata: Record<string, string> }} Loaded
 */

/** Names with a special meaning in the header or in JavaScript objects. */
const RESERVED = ['__metadata__', '__proto__']

/**
 * Serializes tensors as a safetensors file.
 * @param {Record<string, Tensor>} tensors by name, such as `module.stateDict()`
 * @param {Record<string, string>} [metadata]
 * @param {{ dtypes?: string | Record<string, string> }} [options] dtypes: one dtype ('F16', 'BF16', 'I64', ...) for
 *   all tensors, or by name; the tensor's own by default
 * @returns {Uint8Array}
 * @throws {import('../errors.js').GlassformerError} 'type' for a value that is not a tensor, or metadata that are not
 *   strings; 'range' for a number that the dtype cannot represent
 */
export function saveSafetensors(tensors, metadata, options) {
  const { dtypes = {} } = expectOptions('saveSafetensors', options, ['dtypes'])
  checkNames(tensors, metadata, dtypes)
  return buildFile(Object.entries(tensors).map(([name, t]) => {
    expect(t instanceof Tensor, 'type', () => `saveSafetensors: ${name} must be a tensor, got ${describe(t)}`)
    const dtype = dtypeOf(dtypes, name) ?? dtypeCode(t)
    expectOneOf('saveSafetensors', `the dtype of ${name}`, dtype, WRITABLE)
    return { name, dtype, shape: t.shape, serialize: () => bytesAs(name, t, dtype) }
  }), metadata)
}

/** The file's dtype for a tensor. @param {Tensor} tensor */
export const dtypeCode = tensor => Object.keys(NATIVE).find(code => NATIVE[code] === tensor.dtype) ?? 'F32'

/**
 * A file whose tensors are serialized one after the other, which bounds the memory.
 * @param {readonly { name: string, dtype: string, shape: readonly number[], serialize: () => Uint8Array }[]} parts
 * @param {Record<string, string>} [metadata]
 * @returns {Uint8Array}
 */
export function buildFile(parts, metadata) {
  /** @type {Record<string, any>} */ const header = metadata ? { __metadata__: metadata } : {}
  let end = 0
  const starts = parts.map(({ name, dtype, shape }) => {
    const start = end
    end += sizeOf(shape) * BYTES[dtype]
    header[name] = { dtype, shape: [...shape], data_offsets: [start, end] }
    return start
  })
  const json = padToAlignment(new TextEncoder().encode(JSON.stringify(header)))
  const file = new Uint8Array(8 + json.length + end)
  new DataView(file.buffer).setBigUint64(0, BigInt(json.length), true)
  file.set(json, 8)
  parts.forEach(({ serialize }, i) => file.set(serialize(), 8 + json.length + starts[i]))
  return file
}

/** @param {unknown} tensors @param {unknown} metadata @param {unknown} dtypes */
function checkNames(tensors, metadata, dtypes) {
  expect(isPlain(tensors), 'type',
    () => `saveSafetensors: tensors must be an object of tensors by name, got ${describe(tensors)}${stateDictHint(tensors)}`)
  for (const name of RESERVED) expect(!Object.hasOwn(tensors, name), 'type',
    () => `saveSafetensors: no tensor can be named ${name}`)
  const areNamed = typeof dtypes === 'string' || isPlain(dtypes)
  expect(areNamed, 'type', () => `saveSafetensors: dtypes must be a dtype, or one by name, got ${describe(dtypes)}`)
  if (isPlain(dtypes)) for (const name in dtypes) expect(Object.hasOwn(tensors, name), 'type',
    () => `saveSafetensors: dtypes name ${describe(name)}, but there is no such tensor`)
  if (metadata === undefined) return
  const areStrings = isPlain(metadata) && Object.values(/** @type {object} */ (metadata)).every(value => typeof value === 'string')
  expect(areStrings, 'type', () => `saveSafetensors: metadata must be an object of strings, got ${describe(metadata)}` +
    (typeof metadata === 'string' ? '; it takes no path and returns the bytes: writeFileSync(path, gf.saveSafetensors(tensors))' : ''))
}

/** Pads with spaces to a multiple of 8 bytes, so that the values are aligned. @param {Uint8Array} json */
function padToAlignment(json) {
  const out = new Uint8Array(Math.ceil(json.length / 8) * 8).fill(32)
  out.set(json)
  return out
}

/**
 * The names of the tensors to read.
 * @param {import('./header.js').Header} header
 * @param {readonly string[] | ((name: string) => boolean) | undefined} names
 */
function selectNames({ entries }, names) {
  const all = [...entries.keys()]
  if (names === undefined) return all
  if (typeof names === 'function') return all.filter(name => names(name))
  expect(Array.isArray(names), 'type',
    () => `loadSafetensors: names must be an array of names or a function of one, got ${describe(names)}`)
  for (const name of names) expect(entries.has(name), 'index',
    () => `loadSafetensors: no tensor is named ${describe(name)}; there are ${all.slice(0, 20).join(', ')}`)
  return names
}

/**
 * The dtype for a tensor, or undefined.
 * @param {any} dtypes a dtype for all, or some by name @param {string} name
 */
const dtypeOf = (dtypes, name) =>
  (typeof dtypes === 'string' ? dtypes : Object.hasOwn(dtypes, name) ? dtypes[name] : undefined)

/**
 * @param {import('../engine/engine.js').Engine} engine @param {unknown} source @param {any} options
 * @returns {Generator<any, Loaded, any>}
 */
function* readSteps(engine, source, options) {
  const { names, dtypes = {} } = expectOptions('loadSafetensors', options, ['names', 'dtypes'])
  expect(typeof source !== 'string', 'type', () =>
    "loadSafetensors: bytes must be a file's contents (a Uint8Array, an ArrayBuffer or a Blob), or an object of such by " +
    `name, got ${describe(source)}; ${String(source).startsWith('{', 8) ? "read it without 'utf8'"
      : 'write readFileSync(path), or await response.arrayBuffer()'}`)
  expect(typeof dtypes === 'string' || isPlain(dtypes), 'type',
    () => `loadSafetensors: dtypes must be a dtype, or one by name, got ${describe(dtypes)}`)
  const header = isPlain(source)
    ? yield* openModelFiles('loadSafetensors', /** @type {Record<string, unknown>} */ (source))
    : yield* readHeader(yield* openSource('loadSafetensors', 'bytes', source))
  /** @type {Loaded} */ const loaded = { tensors: {}, metadata: header.metadata }
  try {
    for (const name of selectNames(header, names)) {
      const entry = /** @type {import('./header.js').Entry} */ (header.entries.get(name))
      const value = yield* readTensor(engine, name, entry, dtypeOf(dtypes, name))
      Object.defineProperty(loaded.tensors, name, { value, enumerable: true, configurable: true, writable: true })
    }
  } catch (error) {
    for (const tensor of Object.values(loaded.tensors)) tensor.dispose()
    throw error
  }
  return loaded
}

/**
 * The result: synchronous for bytes in memory, otherwise a promise.
 * @template S
 * @typedef {S extends Uint8Array | ArrayBuffer ? Loaded : Promise<Loaded> | Loaded} LoadedFrom
 */

/**
 * Reads the tensors of one file, or of the files of a model's folder. Files that are not in memory are read in chunks.
 * @template S
 * @param {import('../engine/engine.js').Engine} engine
 * @param {S} source bytes, a Blob, a file opened by Node's fs.promises.open, or any of these by name
 * @param {object} [options]
 * @param {readonly string[] | ((name: string) => boolean)} [options.names] tensors to read, by default all
 * @param {string | Record<string, string>} [options.dtypes] dtype for all tensors, or by name; by default float16,
 *   bfloat16 and float8 become float32, integers int32, or float64 if necessary
 * @returns {LoadedFrom<S>}
 * @throws {import('../errors.js').GlassformerError} 'format' for a malformed file, 'index' for unknown names, 'range'
 *   for integers beyond 2^53
 * @example
 * const bytes = gf.saveSafetensors({ weight: gf.ones([2]) }, { step: '7' })
 * const { tensors, metadata } = gf.loadSafetensors(bytes)
 * tensors.weight                                  // [1, 1]
 * metadata.step                                   // '7'
 */
export const loadSafetensors = (engine, source, options) => settle(readSteps(engine, source, options))
