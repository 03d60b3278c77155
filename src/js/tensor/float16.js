/** The number that the bits of a float16 stand for. @param {number} bits @returns {number} */
export function float16ToNumber(bits) {
  const size = bits & 0x7fff, sign = bits >> 15 ? -1 : 1, mantissa = size & 0x3ff
  if (size >= 0x7c00) return size > 0x7c00 ? NaN : sign * Infinity
  return sign * (size < 0x400 ? size * 2 ** -24 : (0x400 + mantissa) * 2 ** ((size >> 10) - 25))
}
