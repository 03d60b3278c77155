/**
 * Tensors as PyTorch prints them (torch/_tensor_str.py): four decimals, aligned columns, the edges of large ones, and
 * scientific notation where the values differ much in size.
 */

/** Digits after the point. */
const PRECISION = 4
/** The maximum number of values that are all printed. */
const THRESHOLD = 1000
/** How many values, or rows, are printed at each end of an axis of a larger one. */
const EDGE_ITEMS = 3
const LINE_WIDTH = 80
/** Digits that tell whether a number is exactly in the middle between two that can be printed. */
const EXACT_DIGITS = 30

/** @param {number} value not finite */
const formatNonfinite = value => (Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf')

/**
 * Python rounds a number in the middle to the even digit, JavaScript away from zero.
 * @param {string} digits rounded by JavaScript @param {string} exact the same number with more digits
 * @param {number} count the digits of both before the one that is exactly 5
 */
function roundsUpFromTie(digits, exact, count) {
  const rest = exact.replace(/e.*/, '').replace(/[-.]/g, '').slice(count)
  return /^50*$/.test(rest) && Number(/\d(?=e|$)/.exec(digits)?.[0]) % 2 === 1
}

/** Python's '{:.nf}'. @param {number} value @param {number} n */
function formatFixed(value, n) {
  if (!Number.isFinite(value)) return formatNonfinite(value)
  const digits = value.toFixed(n), exact = value.toFixed(EXACT_DIGITS), [whole] = exact.replace('-', '').split('.')
  const isUp = roundsUpFromTie(digits, exact, whole.length + n), step = Math.sign(value) * 10 ** -n
  return (Object.is(value, -0) ? '-' : '') + (isUp ? (Number(digits) - step).toFixed(n) : digits)
}

/** Python's '{:.4e}'. @param {number} value */
function formatScientific(value) {
  if (!Number.isFinite(value)) return formatNonfinite(value)
  const digits = value.toExponential(PRECISION), sign = Object.is(value, -0) ? '-' : ''
  const isUp = roundsUpFromTie(digits, value.toExponential(EXACT_DIGITS), PRECISION + 1)
  const even = isUp ? digits.replace(/\d(?=e)/, digit => String(Number(digit) - 1)) : digits
  return sign + even.replace(/e([+-])(\d)$/, 'e$10$2')
}

/**
 * A number as Python prints it: 0.1, 2.0, 1e-05, nan.
 * @param {number} value @param {boolean} [isInteger] whether Python would have an int
 */
export function formatPythonNumber(value, isInteger = false) {
  if (isInteger) return String(value)
  if (!Number.isFinite(value)) return formatNonfinite(value)
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
  const text = Object.is(value, -0) ? '-0' : String(value)
  return Number.isInteger(value) ? `${text}.0` : text
}

/** The only value of a tensor in a template. @param {any} value @param {string} dtype */
export const formatScalar = (value, dtype) => (typeof value === 'boolean' ? formatBool(value)
  : formatPythonNumber(value, dtype === 'int32'))

/** @param {boolean} value */
const formatBool = value => (value ? 'True' : 'False')

/**
 * How all values of a tensor are printed.
 * @param {any[]} values those that will be printed @param {boolean} isFloat
 * @returns {{ width: number, format: (value: any) => string }} width: of a column
 */
function createFormatter(values, isFloat) {
  const widest = (/** @type {string[]} */ texts) => texts.reduce((width, { length }) => Math.max(width, length), 1)
  if (!isFloat) {
    const format = (/** @type {any} */ value) => (typeof value === 'boolean' ? formatBool(value) : String(value))
    return { width: widest(values.map(format)), format }
  }
  const known = values.filter(value => Number.isFinite(value) && value !== 0), sizes = known.map(Math.abs)
  const min = sizes.reduce((a, b) => Math.min(a, b), Infinity), max = sizes.reduce((a, b) => Math.max(a, b), 0)
  const isInteger = known.every(Number.isInteger)
  const isScientific = known.length > 0 && (max / min > 1000 || max > 1e8 || (!isInteger && min < 1e-4))
  const format = isScientific ? formatScientific : isInteger
    ? (/** @type {number} */ value) => formatFixed(value, 0) + (Number.isFinite(value) ? '.' : '')
    : (/** @type {number} */ value) => formatFixed(value, PRECISION)
  return { width: widest(known.map(format)), format }
}

/**
 * The indices of an axis that are printed, with null for those left out.
 * @param {number} side @param {boolean} isShort
 */
function printedIndices(side, isShort) {
  const all = Array.from({ length: side }, (_, i) => i)
  return isShort && side > 2 * EDGE_ITEMS ? [...all.slice(0, EDGE_ITEMS), null, ...all.slice(-EDGE_ITEMS)] : all
}

/**
 * The values as nested brackets.
 * @param {readonly number[]} shape @param {(i: number) => any} read the value at a row-major index
 * @param {boolean} isFloat @param {number} indent the length of what stands before on the first line
 * @returns {string}
 */
export function formatValues(shape, read, isFloat, indent) {
  const size = shape.reduce((a, b) => a * b, 1), isShort = size > THRESHOLD
  if (size === 0) return '[]'
  /** @type {any[]} */ const values = []
  const collect = (/** @type {number} */ axis, /** @type {number} */ offset) => {
    if (axis === shape.length) values.push(read(offset))
    else for (const i of printedIndices(shape[axis], isShort)) {
      if (i !== null) collect(axis + 1, offset * shape[axis] + i)
    }
  }
  collect(0, 0)
  const { width, format } = createFormatter(values, isFloat)
  const cell = (/** @type {any} */ value) => format(value).padStart(width)
  if (shape.length === 0) return cell(values[0])
  let next = 0
  /** @param {number} axis @param {number} before @returns {string} */
  const print = (axis, before) => {
    const indices = printedIndices(shape[axis], isShort), margin = ' '.repeat(before + 1), rank = shape.length - axis
    if (rank > 1) {
      const parts = indices.map(i => (i === null ? '...' : print(axis + 1, before + 1)))
      return `[${parts.join(`,${'\n'.repeat(rank - 1)}${margin}`)}]`
    }
    const cells = indices.map(i => (i === null ? ' ...' : cell(values[next++])))
    const perLine = Math.max(1, Math.floor((LINE_WIDTH - before) / (width + 2)))
    const lines = Array.from({ length: Math.ceil(cells.length / perLine) },
      (_, i) => cells.slice(i * perLine, (i + 1) * perLine).join(', '))
    return `[${lines.join(`,\n${margin}`)}]`
  }
  return print(0, indent)
}

/** @param {string} text @param {readonly string[]} suffixes @param {number} indent of further lines */
function addSuffixes(text, suffixes, indent) {
  let out = text, last = text.length - text.lastIndexOf('\n') + 1
  for (const suffix of suffixes) {
    const isWrapped = last + suffix.length + 2 > LINE_WIDTH
    out += isWrapped ? `,\n${' '.repeat(indent)}${suffix}` : `, ${suffix}`
    last = isWrapped ? indent + suffix.length : last + suffix.length + 2
  }
  return `${out})`
}

/** Types that PyTorch does not name. */
const SILENT_TYPES = ['float32', 'bool']
const PREFIX = 'tensor('

/** A shape as Python's tuple: (2, 3) or (2,). @param {readonly number[]} shape */
export const formatTuple = shape => `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`

/**
 * A tensor as PyTorch prints it.
 * @param {import('./tensor.js').Tensor} tensor @param {(i: number) => any} read the value at a row-major index
 */
export function formatTensor({ shape, dtype, requiresGrad, node }, read) {
  const isFloat = /float|int8|^q/.test(dtype), isEmpty = shape.includes(0), suffixes = []
  if (isEmpty && shape.length !== 1) suffixes.push(`size=${formatTuple(shape)}`)
  if (!SILENT_TYPES.includes(dtype) || (isEmpty && dtype === 'bool')) suffixes.push(`dtype=torch.${dtype}`)
  if (node && requiresGrad) suffixes.push(`grad_fn=<${nameOfBackward(node.op.name)}>`)
  else if (requiresGrad) suffixes.push('requires_grad=True')
  return addSuffixes(PREFIX + formatValues(shape, read, isFloat, PREFIX.length), suffixes, PREFIX.length)
}

/** PyTorch's name of an operation's backward: AddBackward0. @param {string} name in snake_case */
const nameOfBackward = name => `${name.replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase())}Backward0`
