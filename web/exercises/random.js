/** Random tensors for the cases of exercises: the same in every engine and every run. */

/**
 * Mulberry32: uniformly distributed numbers from a seed.
 * @param {number} seed
 */
function createUniform(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * A function that makes normally distributed tensors.
 * @param {import('../types.d.ts').Library} gf @param {number} [seed]
 */
export function createRandom(gf, seed = 7) {
  const uniform = createUniform(seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  return (/** @type {number[]} */ ...shape) => {
    const length = shape.reduce((a, b) => a * b, 1)
    return gf.tensor(Float32Array.from({ length }, normal), { shape })
  }
}
