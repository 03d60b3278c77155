import { DTYPES } from '../dtype.js'
import { shapeText } from '../errors.js'
import { int8Bytes } from '../int8.js'
import { sameShape, sizeOf } from '../shape.js'

/**
 * @typedef {import('../files/header.js').Entry} Entry
 * @typedef {import('../tensor.js').Tensor} Tensor
 *
 * Which tensor of a file goes where.
 * @typedef {object} Row
 * @property {string} key in the file
 * @property {readonly string[]} [others] keys that the same tensor may have where it is tied
 * @property {string} own in the model's state dict
 * @property {boolean} [isOptional] where it is missing, what the model has of itself stays
 * @property {boolean} [transposed] it stands in the file as [inputs, outputs]
 * @property {boolean} [isRow] Hugging Face's files have it as [1, n]
 * @property {number} [pairs] rows of a head: pairs of them stand side by side here, in Hugging Face's files half a head
 *   apart
 * @property {[number, number]} [part] it is the i-th of n blocks of rows
 *
 * @typedef {Row & { name: string, entry: Entry }} Read a row with its tensor of the file
 *
 * @typedef {object} Plan
 * @property {Read[]} reads
 * @property {string[]} missing keys that the model needs
 * @property {import('./unused.js').Unused[]} unused what it has no place for
 * @property {Set<string>} used keys that it has a place for
 * @property {string[]} problems
 */

/**
 * The rows of layers 0 .. count - 1.
 * @param {number} count @param {string} from what keys begin with, {n} being the layer @param {string} to
 * @param {Record<string, string | Omit<Row, 'key'>>} table own keys by those of the file, each without its beginning
 * @returns {Row[]}
 */
export const layerRows = (count, from, to, table) => Array.from({ length: count }, (_, n) => {
  const at = (/** @type {string} */ text) => text.replace('{n}', String(n))
  return Object.entries(table).map(([key, own]) => {
    const row = typeof own === 'string' ? { own } : own
    return { ...row, key: at(from) + key, own: at(to) + row.own }
  })
}).flat()

/** The weights and biases of one module in two places. @param {string} from @param {string} to */
export const both = (from, to) => ({ [`${from}.weight`]: `${to}.weight`, [`${from}.bias`]: `${to}.bias` })

/**
 * Weights and biases of several modules there that are blocks of rows of one here.
 * @param {readonly string[]} names @param {(name: string) => string} from @param {string} to
 * @returns {Record<string, Omit<Row, 'key'>>}
 */
export const joined = (names, from, to) => Object.fromEntries(names.flatMap((name, i) => ['weight', 'bias'].map(kind =>
  [`${from(name)}.${kind}`, { own: `${to}_${kind}`, part: [i, names.length] }])))

/**
 * A key as tables have it: what torch.compile and wrappers put before it is left out, and the names that TensorFlow's
 * checkpoints have for the weights of a layer norm are PyTorch's.
 * @param {string} key @param {readonly string[]} prefixes
 */
function plainKey(key, prefixes) {
  let plain = key.replaceAll('_orig_mod.', '').replace(/^module\./, '')
  for (const prefix of prefixes) if (plain.startsWith(prefix)) plain = plain.slice(prefix.length)
  return plain.replace(/(LayerNorm|layer_norm)\.(gamma|beta)$/, (_, norm, kind) =>
    `${norm}.${kind === 'gamma' ? 'weight' : 'bias'}`)
}

/**
 * The tensors of a file by their plain keys.
 * @param {ReadonlyMap<string, Entry>} entries @param {readonly string[]} prefixes @param {string[]} problems
 * @returns {Map<string, { name: string, entry: Entry }>}
 */
export function byPlainKey(entries, prefixes, problems) {
  const named = new Map()
  for (const [name, entry] of entries) {
    const key = plainKey(name, prefixes), held = named.get(key)
    if (held) problems.push(`${key} is there twice, as ${held.name} and as ${name}`)
    else named.set(key, { name, entry })
  }
  return named
}

/** The shape that a row's tensor has in the file. @param {Row} row @param {readonly number[]} own */
export function shapeInFile({ transposed, part }, own) {
  const [rows, ...rest] = own, shape = part ? [rows / part[1], ...rest] : own
  return transposed ? [...shape].reverse() : shape
}

/**
 * Rounds off sides of 1: [1, V] and [V] hold the same.
 * @param {readonly number[]} shape
 */
const essential = shape => shape.filter(side => side !== 1)

/** A key up to the number of its layer, or none. @param {string} key */
export const layerOf = key => /^(.*?\.)?\d+\./.exec(key)?.[0]

/**
 * Layers of which a file has nothing, though the configuration counts them.
 * @param {readonly Row[]} rows @param {ReadonlySet<string>} missing keys @returns {string[]} in words
 */
function absentLayers(rows, missing) {
  /** @type {Map<string, { all: Set<string>, there: Set<string> }>} */ const lists = new Map()
  for (const { key } of rows) {
    const layer = layerOf(key), name = layer?.replace(/\d+\.$/, '')
    if (!layer || name === undefined) continue
    const { all, there } = lists.get(name) ?? { all: new Set(), there: new Set() }
    lists.set(name, { all: all.add(layer), there: missing.has(key) ? there : there.add(layer) })
  }
  return [...lists].flatMap(([name, { all, there }]) => (all.size === there.size ? [] : [`config.json promises ${all.size} ` +
    `layers ${name}0 to ${name}${all.size - 1}, and the file holds ${there.size} of them`]))
}

/**
 * Finds for every tensor of a model what it is read from.
 * @param {ReadonlyMap<string, { name: string, entry: Entry }>} named @param {readonly Row[]} rows
 * @param {Record<string, { shape: readonly number[] }>} own the model's state dict
 * @param {readonly RegExp[]} skipped keys that are known to hold nothing of use
 * @returns {Plan}
 */
export function planReads(named, rows, own, skipped) {
  const used = /** @type {Set<string>} */ (new Set())
  /** @type {Plan} */ const plan = { reads: [], missing: [], unused: [], used, problems: [] }
  for (const row of rows) {
    const keys = [row.key, ...row.others ?? []], found = keys.map(key => named.get(key)).find(Boolean)
    const target = own[row.own]
    for (const key of keys) used.add(key)
    if (!found) {
      if (!row.isOptional) plan.missing.push(row.key)
      continue
    }
    const wanted = shapeInFile(row, target.shape)
    if (!sameShape(essential(found.entry.shape), essential(wanted))) {
      plan.problems.push(`${found.name} must have shape ${shapeText(wanted)}, got ${shapeText(found.entry.shape)} in ${found.entry.source.name}`)
    }
    const { dtype } = found.entry
    if (!/^(F|BF)/.test(dtype)) plan.problems.push(`${found.name} must hold floats, got ${dtype}`)
    plan.reads.push({ ...row, ...found })
  }
  plan.problems.push(...absentLayers(rows, new Set(plan.missing)))
  for (const [key, one] of named) {
    if (!used.has(key) && !skipped.some(pattern => pattern.test(key))) plan.unused.push({ key, ...one })
  }
  return plan
}

/** How many numbers a model has. @param {import('../nn/module.js').Module} model */
export const countAll = model => model.parameters().reduce((sum, { shape }) => sum + sizeOf(shape), 0)

/**
 * Bytes that a model's parameters take, stored in a dtype: matrices in it, all else in float32.
 * @param {import('../nn/module.js').Module} model @param {import('../dtype.js').DType} dtype
 */
export const countBytes = (model, dtype) => model.parameters().reduce((sum, { shape, isMatrix }) => sum +
  (!isMatrix || dtype === 'float32' ? 4 * sizeOf(shape)
    : dtype === 'int8' ? int8Bytes(shape) : DTYPES[dtype].bytes * sizeOf(shape)), 0)

/** A list for a message, shortened. @param {readonly string[]} list */
export const listText = list =>
  list.slice(0, 8).join(', ') + (list.length > 8 ? ` and ${list.length - 8} more` : '')
