import { findBlock } from '../tensor/blocks.js'
import { blockBytes, chooseTypes, storableType } from '../tensor/block_weights.js'
import { DTYPES, isBlockType } from '../tensor/dtype.js'
import { NATIVE } from '../files/values.js'
import { formatShape } from '../errors.js'
import { Parameter } from '../nn/parameter.js'
import { sameShape, sizeOf } from '../tensor/shape.js'

/**
 * @typedef {import('../files/header.js').Entry} Entry
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../tensor/dtype.js').DType} DType
 *
 * Which tensor of a file is read into which tensor of the model.
 * @typedef {object} Row
 * @property {string} key in the file
 * @property {readonly string[]} [aliases] other keys of the same tensor, if it is tied
 * @property {string} target key in the model's state dict
 * @property {boolean} [isOptional] if it is missing, the model keeps its initial value
 * @property {boolean} [isTransposed] the file has the matrix as [inputs, outputs]
 * @property {boolean} [isRowVector] Hugging Face stores it as [1, n]
 * @property {number} [interleavedHeadDim] rows per head: in the file rotary pairs are adjacent, in the model half a
 *   head apart
 * @property {boolean} [hasOne] the model has 1 more than Hugging Face's file
 * @property {[number, number]} [chunk] [i, n]: the file's tensor is the i-th of n equal chunks of rows of the target
 * @property {Part} [part] the target is a part of the file's tensor
 *
 * Rows of a tensor of the file, which consists of `groups` groups of `total` rows:
 * in each group `rows` rows from `from`.
 * @typedef {{ groups: number, total: number, from: number, rows: number }} Part
 *
 * @typedef {Row & { name: string, entry: Entry }} Read a row with its tensor in the file
 *
 * @typedef {object} Plan
 * @property {Read[]} reads
 * @property {string[]} missing required keys that the file does not have
 * @property {import('./unused.js').Unused[]} unused tensors that the model does not have
 * @property {Set<string>} used keys of the model
 * @property {string[]} problems
 */

/**
 * The rows of layers 0 .. count - 1.
 * @param {number} count @param {string} from prefix of keys in the file, {n} being the layer
 * @param {string} to prefix of keys in the model
 * @param {Record<string, string | Omit<Row, 'key'>>} table keys in the model by keys in the file, without the prefixes
 * @returns {Row[]}
 */
export const layerRows = (count, from, to, table) => Array.from({ length: count }, (_, n) => {
  const at = (/** @type {string} */ text) => text.replace('{n}', String(n))
  return Object.entries(table).map(([key, target]) => {
    const row = typeof target === 'string' ? { target } : target
    return { ...row, key: at(from) + key, target: at(to) + row.target }
  })
}).flat()

/**
 * The rows of a table that belongs to no layer.
 * @param {Record<string, string | Omit<Row, 'key'>>} table keys in the model by keys in the file @returns {Row[]}
 */
export const keyRows = table => layerRows(1, '', '', table)

/** The keys of a module's weight and bias in the file and in the model. @param {string} from @param {string} to */
export const weightAndBias = (from, to) => ({ [`${from}.weight`]: `${to}.weight`, [`${from}.bias`]: `${to}.bias` })

/**
 * Modules of the file whose weights and biases are chunks of one module here.
 * @param {readonly string[]} names @param {(name: string) => string} from @param {string} to
 * @returns {Record<string, Omit<Row, 'key'>>}
 */
export const stackedProjections = (names, from, to) => Object.fromEntries(names.flatMap((name, i) => ['weight', 'bias'].map(suffix =>
  [`${from(name)}.${suffix}`, { target: `${to}_${suffix}`, chunk: [i, names.length] }])))

/**
 * Removes the prefixes of torch.compile, of wrappers and of the family, and turns the names that TensorFlow checkpoints
 * use for layer norm parameters into PyTorch's.
 * @param {string} key @param {readonly string[]} prefixes
 */
function normalizeKey(key, prefixes) {
  let plain = key.replaceAll('_orig_mod.', '').replace(/^module\./, '')
  for (const prefix of prefixes) if (plain.startsWith(prefix)) plain = plain.slice(prefix.length)
  return plain.replace(/(LayerNorm|layer_norm)\.(gamma|beta)$/, (_, norm, suffix) =>
    `${norm}.${suffix === 'gamma' ? 'weight' : 'bias'}`)
}

/**
 * The tensors of a file by their normalized keys.
 * @param {ReadonlyMap<string, Entry>} entries @param {readonly string[]} prefixes @param {string[]} problems
 * @returns {Map<string, { name: string, entry: Entry }>}
 */
export function indexByKey(entries, prefixes, problems) {
  const tensorsByKey = new Map()
  for (const [name, entry] of entries) {
    const key = normalizeKey(name, prefixes), known = tensorsByKey.get(key)
    if (known) problems.push(`${key} is in the file twice, as ${known.name} and as ${name}`)
    else tensorsByKey.set(key, { name, entry })
  }
  return tensorsByKey
}

/**
 * The rows, those of queries and keys marked if their rotary pairs are adjacent in the file.
 * @param {Row[]} rows @param {{ isPermuted?: boolean, headDim?: number }} description of the model
 */
export const markPermuted = (rows, { isPermuted, headDim }) => rows.map(row =>
  (isPermuted && /self_attn\.[qk]_proj\./.test(row.target) ? { ...row, interleavedHeadDim: headDim } : row))

/** The shape of a row's tensor in the file. @param {Row} row @param {readonly number[]} target shape in the model */
export function fileShape({ isTransposed, chunk, part }, target) {
  const [rows, ...rest] = target
  const shape = chunk ? [rows / chunk[1], ...rest] : part ? [part.groups * part.total, ...rest] : target
  return isTransposed ? [...shape].reverse() : shape
}

/**
 * Removes sizes of 1: [1, V] and [V] have the same values.
 * @param {readonly number[]} shape
 */
const withoutUnitSides = shape => shape.filter(side => side !== 1)

/** The part of a key up to its layer index, or undefined. @param {string} key */
export const layerPrefix = key => /^(.*?\.)?\d+\./.exec(key)?.[0]

/**
 * Describes lists of layers that are shorter in the file than in the configuration.
 * @param {readonly Row[]} rows @param {ReadonlySet<string>} missing keys @returns {string[]} messages
 */
function describeMissingLayers(rows, missing) {
  /** @type {Map<string, { all: Set<string>, present: Set<string> }>} */ const lists = new Map()
  for (const { key } of rows) {
    const layer = layerPrefix(key), name = layer?.replace(/\d+\.$/, '')
    if (!layer || name === undefined) continue
    const { all, present } = lists.get(name) ?? { all: new Set(), present: new Set() }
    lists.set(name, { all: all.add(layer), present: missing.has(key) ? present : present.add(layer) })
  }
  return [...lists].flatMap(([name, { all, present }]) => (all.size === present.size ? [] : [`config.json has ${all.size} ` +
    `layers ${name}0 to ${name}${all.size - 1}, and the file has ${present.size} of them`]))
}

/**
 * Finds the tensor of the file for every tensor of a model.
 * @param {ReadonlyMap<string, { name: string, entry: Entry }>} tensorsByKey @param {readonly Row[]} rows
 * @param {Record<string, { shape: readonly number[] }>} state the model's state dict
 * @param {readonly RegExp[]} ignored keys that may be left unread
 * @returns {Plan}
 */
export function planReads(tensorsByKey, rows, state, ignored) {
  const used = /** @type {Set<string>} */ (new Set())
  /** @type {Plan} */ const plan = { reads: [], missing: [], unused: [], used, problems: [] }
  for (const row of rows) {
    const keys = [row.key, ...row.aliases ?? []], found = keys.map(key => tensorsByKey.get(key)).find(Boolean)
    const target = state[row.target]
    for (const key of keys) used.add(key)
    if (!found) {
      if (!row.isOptional && !plan.missing.includes(row.key)) plan.missing.push(row.key)
      continue
    }
    const expected = fileShape(row, target.shape)
    if (!sameShape(withoutUnitSides(found.entry.shape), withoutUnitSides(expected))) {
      plan.problems.push(`${found.name} must have shape ${formatShape(expected)}, got ${formatShape(found.entry.shape)} in ${found.entry.source.name}`)
    }
    const { dtype } = found.entry
    if (!/^(F|BF|Q)/.test(dtype)) plan.problems.push(`${found.name} must be floating point, got ${dtype}`)
    plan.reads.push({ ...row, ...found })
  }
  plan.problems.push(...describeMissingLayers(rows, new Set(plan.missing)))
  for (const [key, tensor] of tensorsByKey) {
    if (!used.has(key) && !ignored.some(pattern => pattern.test(key))) plan.unused.push({ key, ...tensor })
  }
  return plan
}

/** @param {import('../nn/module.js').Module} model */
export const countParameters = model => model.parameters().reduce((sum, { shape }) => sum + sizeOf(shape), 0)

/** @param {readonly number[]} shape @param {DType} dtype */
const bytesOf = (shape, dtype) => (isBlockType(dtype) ? blockBytes(dtype, shape) : DTYPES[dtype].bytes * sizeOf(shape))

/**
 * The size of a model's parameters in bytes, with matrices stored in `dtype` where possible and all others in
 * float32.
 * @param {import('../nn/module.js').Module} model @param {DType} dtype
 * @param {Map<Tensor, DType>} [ownTypes] other dtypes of single matrices
 */
export const countBytes = (model, dtype, ownTypes) => model.parameters().reduce((sum, parameter) => sum +
  bytesOf(parameter.shape, ownTypes?.get(parameter) ?? (parameter.isMatrix ? storableType(parameter.shape, dtype) : 'float32')), 0)

/**
 * The dtype that takes most of the bytes of a model's files, under the name of a tensor's if it has one.
 * @param {readonly Read[]} reads
 */
export function findMainDtype(reads) {
  /** @type {Map<string, number>} */ const bytes = new Map()
  for (const { entry: { dtype, from, to } } of reads) bytes.set(dtype, (bytes.get(dtype) ?? 0) + to - from)
  const [[code] = []] = [...bytes].sort(([, a], [, b]) => b - a)
  return code === undefined ? null : NATIVE[code] ?? code.toLowerCase()
}

/** @param {Tensor} tensor */
const isMatrix = tensor => tensor instanceof Parameter && tensor.isMatrix

/**
 * The dtypes of a model's matrices if they are to be in GGUF's blocks.
 * @param {Record<string, Tensor>} state of the model @param {DType | undefined} requested
 * @param {readonly Read[]} [reads] of a GGUF file, whose blocks are kept unless a dtype is requested
 * @returns {Map<Tensor, DType> | undefined}
 */
export function findBlockTypes(state, requested, reads) {
  if (!requested) return reads && findBlockMatrices(reads, state)
  return DTYPES[requested].block && chooseTypes('models', Object.entries(state).filter(([, tensor]) => isMatrix(tensor)), requested)
}

/**
 * The matrices of a model that can stay in the blocks of a GGUF file, with their dtypes.
 * @param {readonly Read[]} reads @param {Record<string, Tensor>} state of the model
 * @returns {Map<Tensor, DType>}
 */
function findBlockMatrices(reads, state) {
  /** @type {Map<Tensor, DType>} */ const dtypes = new Map()
  for (const { target, entry, isTransposed } of reads) {
    const tensor = state[target], isKept = findBlock(entry.dtype) && isMatrix(tensor) && !isTransposed
    const dtype = /** @type {DType} */ (isKept ? entry.dtype.toLowerCase() : 'float32')
    // A matrix of several tensors of the file has one dtype.
    dtypes.set(tensor, (dtypes.get(tensor) ?? dtype) === dtype ? dtype : 'float32')
  }
  return new Map([...dtypes].filter(([, dtype]) => dtype !== 'float32'))
}

/** A list for a message, at most eight items. @param {readonly string[]} list */
export const formatList = list =>
  list.slice(0, 8).join(', ') + (list.length > 8 ? ` and ${list.length - 8} more` : '')
