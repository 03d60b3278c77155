// Whether a text writes a number.

const TALL = 1e-6

/**
 * Whether a text writes a value with every digit it shows right; a whole number stands for itself only.
 * @param {string} text
 * @param {number} value
 * @param {number} [least] decimals it has to show, unless it is a whole number
 */
export function writes(text, value, least = 2) {
  if (Number.isNaN(value)) return text === 'NaN'
  if (!Number.isFinite(value)) return text === (value > 0 ? '∞' : '−∞')
  const match = /^(−?)(\d+)(?:\.(\d+))?(?:e(−?\d+))?$/.exec(text)
  if (!match) return false
  const [, sign, digits, fraction = '', power] = match
  // What is 0 as it is written has no sign, but for the zero that a float32 has one of.
  const isSigned = /[1-9]/.test(digits + fraction) ? value < 0 : Object.is(value, -0) && !fraction
  if ((sign === '−') !== isSigned) return false
  if (!fraction && !power) return Number(digits) === Math.abs(value)
  if (fraction.length < least && !power) return false
  const scaled = Math.abs(value) * 10 ** (fraction.length - Number((power ?? '0').replace('−', '-')))
  return Math.abs(scaled - Number(digits + fraction)) <= 0.5 + TALL
}

/** Whether a text is a float32 to its last bit. @param {string} text @param {number} value */
export const tells = (text, value) => (
  Object.is(Math.fround(Number(text.replaceAll('−', '-').replace('∞', 'Infinity'))), value))
