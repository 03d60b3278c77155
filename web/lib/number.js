/** Number formats of the page: a real minus sign, fixed decimals, or every digit of a float32. */

/** @param {string} text */
const signed = text => text.replaceAll('-', '−')

const ZERO = /^-0(\.0+)?$/

/**
 * Rounded to a number of decimals, as the notebooks print. A rounded 0 has no sign; `exact` keeps it.
 * @param {number} value
 * @param {number} [decimals]
 */
export function fixed(value, decimals = 2) {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞'
  if (Math.abs(value) >= 1e6) return signed(value.toExponential(decimals)).replace('e+', 'e')
  const text = value.toFixed(decimals)
  return ZERO.test(text) ? text.slice(1) : signed(text)
}

/**
 * A probability: two decimals, and more where rounding would make it 0 or 1.
 * @param {number} p
 */
export function likely(p) {
  const isClear = (/** @type {number} */ decimals) => p === 1 || Number(p.toFixed(decimals)) !== 1
  return fixed(p, [2, 3, 4, 5, 6, 7].find(isClear) ?? 8)
}

const SMALL = 0.005

/**
 * Two decimals, or two significant digits for what would be 0.00: `1.8e−5`.
 * @param {number} value
 */
export function brief(value) {
  if (value === 0 || !(Math.abs(value) < SMALL)) return fixed(value)
  return signed(value.toExponential(1))
}

/** A difference of probabilities in percentage points, always with a sign. @param {number} change */
export function points(change) {
  const hundredths = change * 100
  const size = Math.abs(hundredths)
  if (size < 0.05) return '0'
  return `${hundredths > 0 ? '+' : ''}${fixed(hundredths, size < 9.95 ? 1 : 0)}`
}

/**
 * The labels at the start, middle and end of a color scale.
 * @param {{ kind: string, min: number, max: number }} domain
 */
export const endsOf = ({ kind, min, max }) => (
  kind === 'probability' ? ['0', '0.5', '1'] : [brief(min), '0', brief(max)])

/**
 * The shortest decimal that round-trips as float32; integers as they are.
 * @param {number} value
 */
export function exact(value) {
  if (!Number.isFinite(value)) return fixed(value)
  if (Object.is(value, -0)) return '−0'
  for (let digits = 1; digits <= 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === Math.fround(value)) return signed(String(short))
  }
  return signed(String(value))
}

/**
 * Parses what `fixed` or `exact` wrote.
 * @param {string} text
 */
export function parse(text) {
  const plain = text.trim().replaceAll('−', '-').replace('∞', 'Infinity')
  return Number(plain)
}

/**
 * A shape: `3 × 6 × 16`.
 * @param {readonly number[]} shape
 */
export const dimensions = shape => shape.join(' × ')
