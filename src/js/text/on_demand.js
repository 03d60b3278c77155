/**
 * A regular expression that is made when it is first asked for. V8 looks through Unicode for every `\p{…}` of a literal
 * it reads, even in functions nobody calls: the twenty of this folder took a tenth of the first import.
 * @param {string} source @param {string} flags @returns {() => RegExp}
 */
export function onDemand(source, flags) {
  /** @type {RegExp | undefined} */ let made
  return () => (made ??= new RegExp(source, flags))
}
