/** Number formats of the page: a real minus sign, fixed decimals, or every digit of a float32. */

/** @param {string} text */
const useMinusSign = text => text.replaceAll('-', '−')

const ZERO = /^-0(\.0+)?$/

/**
 * Rounded to a number of decimals, as the notebooks print. A rounded 0 has no sign; `exact` keeps it.
 * @param {number} value
 * @param {number} [decimals]
 */
export function formatFixed(value, decimals = 2) {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞'
  if (Math.abs(value) >= 1e6) return useMinusSign(value.toExponential(decimals)).replace('e+', 'e')
  const text = value.toFixed(decimals)
  return ZERO.test(text) ? text.slice(1) : useMinusSign(text)
}

/**
 * A probability: two decimals, and more where rounding would make it 0 or 1.
 * @param {number} p
 */
export function formatProbability(p) {
  const isBelowOne = (/** @type {number} */ decimals) => p === 1 || Number(p.toFixed(decimals)) !== 1
  return formatFixed(p, [2, 3, 4, 5, 6, 7].find(isBelowOne) ?? 8)
}

const [MIN_DECIMAL, MIN_LONG_DECIMAL] = [0.001, 1e-6]
/** Decimals for two significant digits, at least two. @param {number} size */
const decimalsOf = size => Math.max(2, 1 - Math.floor(Math.log10(Number(size.toPrecision(2)))))

/**
 * Two decimals, or two significant digits below 0.1, so that factors and their product fit each other: `0.054`,
 * `0.0029`, and `1.8e−5` below 0.001. An exact 0 is `0` or `−0`.
 * @param {number} value
 */
export function formatBrief(value) {
  if (value === 0) return formatExact(value)
  const size = Math.abs(value)
  return size < MIN_DECIMAL ? useMinusSign(value.toExponential(1)) : formatFixed(value, decimalsOf(size))
}

/**
 * The same as a decimal, `0.000013`, down to a millionth.
 * @param {number} value
 */
export function formatDecimal(value) {
  const size = Math.abs(value)
  return size < MIN_LONG_DECIMAL ? formatBrief(value) : formatFixed(value, decimalsOf(size))
}

/** A difference of probabilities in percentage points, always with a sign. @param {number} change */
export function formatPoints(change) {
  const hundredths = change * 100
  const size = Math.abs(hundredths)
  if (size < 0.05) return '0'
  return `${hundredths > 0 ? '+' : ''}${formatFixed(hundredths, size < 9.95 ? 1 : 0)}`
}

/**
 * The labels at the start, middle and end of a color scale.
 * @param {{ kind: string, min: number, max: number }} domain
 */
export const scaleEnds = ({ kind, min, max }) => (
  kind === 'probability' ? [0, max / 2, max].map(value => String(Number(value.toPrecision(2)))) : [formatBrief(min), '0', formatBrief(max)])

/**
 * The shortest decimal that round-trips as float32.
 * @param {number} value
 */
export function formatExact(value) {
  if (!Number.isFinite(value)) return formatFixed(value)
  if (Object.is(value, -0)) return '−0'
  for (let digits = 1; digits <= 9; digits++) {
    const rounded = Number(value.toPrecision(digits))
    if (Math.fround(rounded) === Math.fround(value)) return useMinusSign(String(rounded))
  }
  return useMinusSign(String(value))
}

/**
 * Parses a number written by `fixed` or `exact`.
 * @param {string} text
 */
export function parseFormatted(text) {
  const normalized = text.trim().replaceAll('−', '-').replace('∞', 'Infinity')
  return Number(normalized)
}

/**
 * A shape: `3 × 6 × 16`.
 * @param {readonly number[]} shape
 */
export const formatShape = shape => shape.join(' × ')

/** An integer with digits in groups of three, as in every language of the page. @param {number} value */
export const formatInteger = value => value.toLocaleString('en')
