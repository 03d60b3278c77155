// Weights in GGUF's blocks: the values that they stand for, in double precision, from the description of the formats.

const fromHalf = bits => {
  const exponent = bits >> 10 & 31, mantissa = bits & 1023, sign = bits >> 15 ? -1 : 1
  return sign * (exponent ? (1 + mantissa / 1024) * 2 ** (exponent - 15) : mantissa * 2 ** -24)
}

/** A block as a string of bits, the lowest bit of a byte first, and its parts in order. */
function bitsOf(block) {
  const bits = [...block].flatMap(byte => Array.from({ length: 8 }, (_, i) => byte >> i & 1))
  let at = 0
  return (count, width) => Array.from({ length: count }, () => {
    let value = 0
    for (let i = 0; i < width; i++) value += bits[at++] * 2 ** i
    return value
  })
}
const signed8 = value => (value < 128 ? value : value - 256)
const half = take => fromHalf(take(1, 16)[0])
/** Nibbles come in pairs of value i and value i + distance. */
const unpair = (nibbles, distance) => {
  const out = []
  for (let first = 0; first < nibbles.length; first += 2 * distance) {
    for (let i = 0; i < distance; i++) {
      out[first + i] = nibbles[first + 2 * i]
      out[first + distance + i] = nibbles[first + 2 * i + 1]
    }
  }
  return out
}

/** Scales and minima of Q4_K and Q5_K: six bits of eight bytes, then pairs of nibbles with two more bits each. */
function scalesAndMins(bytes) {
  const scales = [], mins = []
  for (let j = 0; j < 4; j++) {
    scales[j] = bytes[j] % 64
    mins[j] = bytes[j + 4] % 64
    scales[j + 4] = bytes[j + 8] % 16 + 16 * Math.floor(bytes[j] / 64)
    mins[j + 4] = Math.floor(bytes[j + 8] / 16) + 16 * Math.floor(bytes[j + 4] / 64)
  }
  return { scales, mins }
}

/** By kind: the bytes of a block, where its half floats are, and its values in double precision. */
const KINDS = {
  Q4_0: [18, [0], take => { const d = half(take); return unpair(take(32, 4), 16).map(q => d * (q - 8)) }],
  Q4_1: [20, [0, 2], take => {
    const [d, m] = [half(take), half(take)]
    return unpair(take(32, 4), 16).map(q => d * q + m)
  }],
  Q5_0: [22, [0], take => {
    const d = half(take), fifth = take(32, 1)
    return unpair(take(32, 4), 16).map((q, i) => d * (q + 16 * fifth[i] - 16))
  }],
  Q5_1: [24, [0, 2], take => {
    const [d, m] = [half(take), half(take)], fifth = take(32, 1)
    return unpair(take(32, 4), 16).map((q, i) => d * (q + 16 * fifth[i]) + m)
  }],
  Q8_0: [34, [0], take => { const d = half(take); return take(32, 8).map(q => d * signed8(q)) }],
  Q4_K: [144, [0, 2], take => {
    const [d, dmin] = [half(take), half(take)], { scales, mins } = scalesAndMins(take(12, 8))
    return unpair(take(256, 4), 32).map((q, i) => d * scales[i >> 5] * q - dmin * mins[i >> 5])
  }],
  Q5_K: [176, [0, 2], take => {
    const [d, dmin] = [half(take), half(take)], { scales, mins } = scalesAndMins(take(12, 8)), high = take(32, 8)
    return unpair(take(256, 4), 32).map((q, i) =>
      d * scales[i >> 5] * (q + 16 * (Math.floor(high[i % 32] / 2 ** (i >> 5)) % 2)) - dmin * mins[i >> 5])
  }],
  Q6_K: [210, [208], take => {
    const low = take(256, 4), high = take(256, 2), scales = take(16, 8).map(signed8), d = half(take)
    return Array.from({ length: 256 }, (_, i) => {
      const n = i >> 7, r = i & 127, l = r & 31, quarter = r >> 5
      const nibble = low[2 * (64 * n + 32 * (quarter % 2) + l) + (quarter >> 1)], two = high[4 * (32 * n + l) + quarter]
      return d * scales[i >> 4] * (nibble + 16 * two - 32)
    })
  }]
}

/**
 * By format: the values and bytes of a block, and the positions of its half floats.
 * @type {Record<string, { values: number, bytes: number, halves: number[] }>}
 */
export const blockFormats = Object.fromEntries(Object.entries(KINDS).map(([type, [bytes, halves]]) =>
  [type, { values: bytes > 100 ? 256 : 32, bytes, halves }]))

/** The values of all blocks. @param {string} type @param {Uint8Array} bytes @returns {number[]} */
export function restoreBlocks(type, bytes) {
  const [size, , read] = KINDS[type], out = []
  for (let at = 0; at < bytes.length; at += size) out.push(...read(bitsOf(bytes.subarray(at, at + size))))
  return out
}
