/** Results of functions as lists of numbers with shapes, so that any two results can be compared. */

/**
 * @typedef {{ path: string, shape: number[], values: (number | string)[] }} Leaf path: where in a result of several
 *   values, such as `[1]` or `.k`; empty for a single one; a list of texts has texts for values
 */

/** @param {any} value */
export const isTensor = value => Boolean(value) && Array.isArray(value.shape) && typeof value.toArray === 'function'

/**
 * The shape of nested arrays of numbers, or null where they are no numbers or ragged.
 * @param {any} value @returns {number[] | null}
 */
function shapeOfNested(value) {
  if (typeof value === 'number' || typeof value === 'boolean') return []
  if (!Array.isArray(value)) return null
  if (value.length === 0) return [0]
  const shapes = value.map(shapeOfNested)
  const [first] = shapes
  return first && shapes.every(shape => String(shape) === String(first)) ? [value.length, ...first] : null
}

/** A short description of a value that cannot be compared. @param {any} value */
function describeValue(value) {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'string') return `'${value.slice(0, 40)}'`
  return typeof value === 'object' ? value.constructor?.name ?? 'object' : typeof value
}

/** A result that has no numbers. */
export class UnreadableResult extends Error {
  /** @param {string} path @param {any} value */
  constructor(path, value) {
    super(path)
    this.path = path
    this.value = describeValue(value)
  }
}

/**
 * The numbers of a result: of tensors, nested arrays, and of objects and lists of them.
 * @param {any} value @param {string} [path]
 * @returns {Leaf[]}
 * @throws {UnreadableResult}
 */
export function toLeaves(value, path = '') {
  if (isTensor(value)) return [{ path, shape: [...value.shape], values: Array.from(value.data, Number) }]
  if (ArrayBuffer.isView(value)) return toLeaves(Array.from(/** @type {any} */ (value)), path)
  if (typeof value === 'string') return [{ path, shape: [1], values: [value] }]
  const shape = shapeOfNested(value)
  if (shape) return [{ path, shape, values: [value].flat(Infinity).map(Number) }]
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) {
    return [{ path, shape: [value.length], values: value }]
  }
  if (Array.isArray(value)) return value.flatMap((item, i) => toLeaves(item, `${path}[${i}]`))
  if (value && [Object.prototype, null].includes(Object.getPrototypeOf(value)) && Object.keys(value).length) {
    return Object.keys(value).sort().flatMap(key => toLeaves(value[key], `${path}.${key}`))
  }
  throw new UnreadableResult(path, value)
}

/** @param {number} flat @param {number[]} shape @returns {number[]} */
export function unravelIndex(flat, shape) {
  return shape.map((_, axis) => Math.floor(flat / shape.slice(axis + 1).reduce((a, b) => a * b, 1)) % shape[axis])
}

/** @param {any} a @param {any} b @param {number} tolerance */
const isClose = (a, b, tolerance) => Object.is(a, b) || a === b ||
  (Number.isFinite(b) && Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b)))

/**
 * @typedef {object} Difference
 * @property {'shape' | 'value' | 'parts' | 'list'} kind parts: other values than expected, by their paths; list:
 *   another list of texts or ids, which is shown whole
 * @property {string} path
 * @property {(number | string)[] | number | string} expected
 * @property {(number | string)[] | number | string} got
 * @property {number[]} [index] of the first differing number
 * @property {number} [count] how many numbers differ
 * @property {number} [total]
 */

/**
 * The first difference of two results.
 * @param {Leaf[]} got @param {Leaf[]} expected @param {number} tolerance
 * @returns {Difference | null}
 */
export function findDifference(got, expected, tolerance) {
  const [paths, expectedPaths] = [got, expected].map(leaves => leaves.map(({ path }) => path))
  if (String(paths) !== String(expectedPaths)) return { kind: 'parts', path: '', got: paths, expected: expectedPaths }
  for (const [i, { path, shape, values }] of expected.entries()) {
    const own = got[i], isList = tolerance === 0 && shape.length === 1
    const isOther = String(own.values) !== String(values)
    if (isList && isOther) return { kind: 'list', path, got: own.values, expected: values }
    if (String(own.shape) !== String(shape)) return { kind: 'shape', path, got: own.shape, expected: shape }
    const differing = Array.from(values, (_, at) => at)
      .filter(at => !isClose(own.values[at], values[at], tolerance))
    if (differing.length) {
      const [at] = differing
      return { kind: 'value', path, index: unravelIndex(at, shape), got: own.values[at], expected: values[at],
        count: differing.length, total: values.length }
    }
  }
  return null
}
