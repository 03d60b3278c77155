/** Cells as scripts: what the worker evaluates, and what a cell must not contain. */

/**
 * Matches imports. They are refused for the sake of a clear message: where cells run, the policy blocks every import,
 * including those that this pattern misses.
 */
const IMPORTS = /(^|[^.\w$])import\b/

/** Declarations at the beginning of a line become globals for the cells after it. @type {[RegExp, string][]} */
const DECLARATIONS = [[/^(?:const|let) /gm, 'var '], [/^class (\w+)/gm, 'var $1 = class $1']]

/**
 * A cell as a script whose variables outlive it.
 * @param {string} code
 * @throws {SyntaxError} for an import
 */
export function toScript(code) {
  if (IMPORTS.test(code)) throw new SyntaxError('a cell cannot import')
  const script = DECLARATIONS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), code)
  return `${script}\n;undefined`
}
