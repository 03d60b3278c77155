/** Cells as code: what the worker evaluates, and what may not stand in a cell. */

/**
 * What looks like an import. It is refused for the message's sake only: where cells run, the policy refuses every
 * import, also those that this pattern does not find.
 */
const IMPORTS = /(^|[^.\w$])import\b/

/** Names that are declared at the beginning of a line are there in the cells after it. @type {[RegExp, string][]} */
const DECLARED = [[/^(?:const|let) /gm, 'var '], [/^class (\w+)/gm, 'var $1 = class $1']]

/**
 * A cell as a script whose names outlive it.
 * @param {string} code
 * @throws {SyntaxError} for an import
 */
export function scriptOf(code) {
  if (IMPORTS.test(code)) throw new SyntaxError('a cell cannot import')
  const script = DECLARED.reduce((text, [pattern, into]) => text.replace(pattern, into), code)
  return `${script}\n;undefined`
}
