// Quantization: the values of weights stored as float16, bfloat16 or int8, and of x in products with int8 weights.

/** Rounds to the nearest integer, ties to even. */
function roundEven(x) {
  const floor = Math.floor(x), fraction = x - floor
  return fraction < 0.5 || (fraction === 0.5 && floor % 2 === 0) ? floor : floor + 1
}

/** Rounds x to `digits` significant bits, the last of which is worth at least `minUnit`. */
function roundToDigits(x, digits, minUnit) {
  if (x === 0 || !Number.isFinite(x)) return x
  let exponent = Math.floor(Math.log2(Math.abs(x)))
  if (2 ** exponent > Math.abs(x)) exponent--
  if (2 ** (exponent + 1) <= Math.abs(x)) exponent++
  const unit = Math.max(2 ** (exponent - digits + 1), minUnit)
  return roundEven(x / unit) * unit
}

const MAX_FLOAT16 = 65504
export const toFloat16 = x => {
  const half = roundToDigits(x, 11, 2 ** -24)
  return Math.abs(half) > MAX_FLOAT16 ? Math.sign(x) * Infinity : half
}
const toBfloat16 = x => roundToDigits(x, 8, 2 ** -133)

/** The number of adjacent values of a row that share a scale, and the magnitude below which a block is stored as 0. */
const BLOCK = 32, ZERO_BELOW = 2 ** -100

/** Applies `quantize(block, max)` to every block of every row, where max is its maximum absolute value. */
function quantizeBlocks({ shape, data }, quantize) {
  const K = shape[shape.length - 1], out = new Float64Array(data.length)
  for (let row = 0; row < data.length; row += K || 1) for (let k = 0; k < K; k += BLOCK) {
    const block = Array.from(data.slice(row + k, row + Math.min(K, k + BLOCK)))
    out.set(quantize(block, block.reduce((max, v) => Math.max(max, Math.abs(v)), 0)), row + k)
  }
  return { shape: [...shape], data: out }
}

const mapValues = convert => ({ shape, data }) => ({ shape: [...shape], data: Float64Array.from(data, convert) })

/** Rounds to integers from -127 to 127 times a bfloat16 scale. */
function quantizeInt8(block, max) {
  const scale = max < ZERO_BELOW ? 0 : toBfloat16(Math.fround(max / 127))
  const step = v => Math.max(-127, Math.min(127, roundEven(Math.fround(v / scale))))
  return block.map(v => (scale ? scale * step(v) : 0))
}

/** Rounds to integers up to `steps` times a scale. A value that is not finite makes the whole block NaN. */
const quantizeInt16 = steps => (block, max) => {
  if (!(max < Infinity)) return block.map(() => NaN)
  const step = Math.fround(max / steps), inverse = Math.fround(steps / max)
  return block.map(v => (max < ZERO_BELOW ? 0 : Math.fround(step * roundEven(Math.fround(v * inverse)))))
}

/** The values of a weight after storage, by dtype. */
export const stored = {
  float16: mapValues(toFloat16), bfloat16: mapValues(toBfloat16), int8: weight => quantizeBlocks(weight, quantizeInt8)
}

/** The values of x that a product with a weight in blocks uses; steps: 32767, but 16383 for Q6_K. */
export const rounded = (x, steps = 32767) => quantizeBlocks(x, quantizeInt16(steps))
