/** Reproducible random choices: integer arithmetic only, independent of the engine. */

/**
 * @typedef {object} Random
 * @property {() => number} uniform from 0 to 1
 * @property {(n: number) => number} below an integer from 0 to n - 1
 * @property {(p: number) => boolean} chance true with this probability
 * @property {<T>(list: readonly T[]) => T} pick an item of a list
 */

/**
 * Random numbers from a seed: Weyl's sequence, each item mixed by two rounds of xor, shift and multiply.
 * @param {number} seed @returns {Random}
 */
export function createRandom(seed) {
  let state = Math.imul(seed ^ 0x5bd1e995, 0x2c1b3c6d)
  const next = () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x45d9f3b)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x119de1f3)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
  const below = (/** @type {number} */ n) => Math.floor(next() * n)
  return { uniform: next, below, chance: p => next() < p, pick: list => list[below(list.length)] }
}
