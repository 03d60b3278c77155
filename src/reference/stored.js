// Weights in fewer bits, and what a product with 8 bits makes of x, in plain numbers: the value that is kept of each.

/** Halves go to the even neighbour. */
function roundEven(x) {
  const down = Math.floor(x), rest = x - down
  return rest < 0.5 || (rest === 0.5 && down % 2 === 0) ? down : down + 1
}

/** x with so many significant binary digits, none of them below `least`. */
function withDigits(x, digits, least) {
  if (x === 0 || !Number.isFinite(x)) return x
  let exponent = Math.floor(Math.log2(Math.abs(x)))
  if (2 ** exponent > Math.abs(x)) exponent--
  if (2 ** (exponent + 1) <= Math.abs(x)) exponent++
  const unit = Math.max(2 ** (exponent - digits + 1), least)
  return roundEven(x / unit) * unit
}

const LARGEST_HALF = 65504
const toHalf = x => {
  const half = withDigits(x, 11, 2 ** -24)
  return Math.abs(half) > LARGEST_HALF ? Math.sign(x) * Infinity : half
}
const toBrainHalf = x => withDigits(x, 8, 2 ** -133)

/** Neighbours of a row that share a scale; smaller blocks are 0. */
const BLOCK = 32, NOTHING = 2 ** -100

/** Rows in blocks; `keep` gives the values that are kept of one. */
function inBlocks({ shape, data }, keep) {
  const K = shape[shape.length - 1], out = new Float64Array(data.length)
  for (let row = 0; row < data.length; row += K || 1) for (let k = 0; k < K; k += BLOCK) {
    const block = Array.from(data.slice(row + k, row + Math.min(K, k + BLOCK)))
    out.set(keep(block, block.reduce((most, v) => Math.max(most, Math.abs(v)), 0)), row + k)
  }
  return { shape: [...shape], data: out }
}

const each = convert => ({ shape, data }) => ({ shape: [...shape], data: Float64Array.from(data, convert) })

/** 255 steps: the scale is a bfloat16. */
function eightBits(block, most) {
  const scale = most < NOTHING ? 0 : toBrainHalf(Math.fround(most / 127))
  const step = v => Math.max(-127, Math.min(127, roundEven(Math.fround(v / scale))))
  return block.map(v => (scale ? scale * step(v) : 0))
}

/** 65535 steps. What is not finite makes the whole block NaN. */
function sixteenBits(block, most) {
  if (!(most < Infinity)) return block.map(() => NaN)
  const step = Math.fround(most / 32767), inverse = Math.fround(32767 / most)
  return block.map(v => (most < NOTHING ? 0 : Math.fround(step * roundEven(Math.fround(v * inverse)))))
}

/** What is kept of a weight, by the type that it is stored in. */
export const stored = {
  float16: each(toHalf), bfloat16: each(toBrainHalf), int8: weight => inBlocks(weight, eightBits)
}

/** What a product with a weight of int8 makes of x. */
export const rounded = x => inBlocks(x, sixteenBits)
