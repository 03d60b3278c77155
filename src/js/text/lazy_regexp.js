/** Returns a function that computes a value on first use. @template T @param {() => T} compute @returns {() => T} */
export function once(compute) {
  /** @type {T | undefined} */ let value
  return () => (value ??= compute())
}

/**
 * Returns a function that creates a regular expression on first use. V8 builds the Unicode sets of `\p{…}` when it
 * parses a literal, even in functions that are never called: the twenty of this folder took 10 % of the first import.
 * @param {string} source @param {string} flags @returns {() => RegExp}
 */
export const lazyRegExp = (source, flags) => once(() => new RegExp(source, flags))
