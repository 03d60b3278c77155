// Compares texts with numbers.

const TOLERANCE = 1e-6

/**
 * Whether a text is a value rounded to the decimals that it shows; a text without decimals has to be exact.
 * @param {string} text
 * @param {number} value
 * @param {number} [minDecimals] how many decimals it has to show, unless it is an integer
 */
export function isRoundedTo(text, value, minDecimals = 2) {
  if (Number.isNaN(value)) return text === 'NaN'
  if (!Number.isFinite(value)) return text === (value > 0 ? '∞' : '−∞')
  const match = /^(−?)(\d+)(?:\.(\d+))?(?:e(−?\d+))?$/.exec(text)
  if (!match) return false
  const [, sign, digits, fraction = '', power] = match
  // A value that is rounded to 0 has no sign; only the float32 -0 has one.
  const isSigned = /[1-9]/.test(digits + fraction) ? value < 0 : Object.is(value, -0) && !fraction
  if ((sign === '−') !== isSigned) return false
  if (!fraction && !power) return Number(digits) === Math.abs(value)
  if (fraction.length < minDecimals && !power) return false
  const scaled = Math.abs(value) * 10 ** (fraction.length - Number((power ?? '0').replace('−', '-')))
  return Math.abs(scaled - Number(digits + fraction)) <= 0.5 + TOLERANCE
}

/** Whether a text is exactly a float32. @param {string} text @param {number} value */
export const isExactly = (text, value) => (
  Object.is(Math.fround(Number(text.replaceAll('−', '-').replace('∞', 'Infinity'))), value))
