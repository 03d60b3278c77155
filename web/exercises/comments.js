/** Comments in the code of exercises, which are texts of the reader's language. */

/** @import { Exercise } from './index.js' */

/**
 * Replaces comments that are a name, as in `// $task`, by their text; every line of it becomes a comment.
 * @param {string} code in JavaScript or Python @param {Record<string, string>} comments
 */
const fillComments = (code, comments) => code.replace(/^( *(?:\/\/|#) )\$(\w+)$/gm, (_, start, name) => (
  comments[name].split('\n').map(line => start + (start.includes('#') ? line.replaceAll('→', '->') : line)).join('\n')))

/**
 * An exercise with comments in the reader's language.
 * @param {Exercise} exercise @param {Record<string, string>} [comments]
 * @returns {Exercise}
 */
export function withComments(exercise, comments = {}) {
  const { starter, solution, torch } = exercise
  const fill = (/** @type {string} */ code) => fillComments(code, comments)
  return {
    ...exercise, starter: fill(starter), solution: fill(solution),
    torch: { starter: fill(torch.starter), solution: fill(torch.solution) }
  }
}
