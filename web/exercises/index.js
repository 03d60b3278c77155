/**
 * "Write it yourself": the reader writes a transformer piece by piece, and every piece is compared with the engine. An
 * exercise is `<id>.js`; its texts are in `web/words/<language>/exercises`.
 */

/** @import { Library, LibraryTensor } from '../types.d.ts' */

/**
 * @typedef {Record<string, { shape: number[], data: ArrayLike<number> }>} RunValues tensors of the page's run by name
 *
 * What the arguments of a case are made with.
 * @typedef {object} CaseTools
 * @property {Library} gf
 * @property {RunValues | null} values those that the exercise names; null where the page has no such run
 * @property {(...shape: number[]) => LibraryTensor} random normally distributed, the same at every call of `cases`
 *
 * @typedef {object} Exercise
 * @property {string} name the function that the reader writes
 * @property {string} formula in the language of `lib/formula.js`; ` ; ` separates lines
 * @property {string[]} names expressions that help, shown as code
 * @property {string[]} [shortcuts] what would compare the engine with itself, besides its modules and functions
 * @property {string[]} [uses] earlier exercises whose functions the code may call
 * @property {string} starter in which comments such as `// $task` stand for texts
 * @property {string} solution
 * @property {{ starter: string, solution: string }} torch the same in Python; its function has the same name in
 *   snake_case
 * @property {number} tolerance the difference that counts as equal, absolute up to 1 and relative above
 * @property {string[]} [values] tensors of the page's run that its cases need
 * @property {string} [model] of that run; default: dates
 * @property {(tools: CaseTools) => Record<string, any[] | null>} cases arguments by case; null leaves a case out
 * @property {(gf: Library, ...args: any[]) => any} expected the engine's result
 * @property {(compute: (...args: any[]) => any, args: any[]) => string} [show] what the reader's function, which has
 *   passed, makes of the first case, in words
 * @property {Record<string, [string, string] | string>} mistakes code with typical mistakes: a replacement in the
 *   solution, or all of the code
 */

/** In the order in which they are offered. */
export const EXERCISES = [
  { id: 'embedding', load: () => import('./embedding.js') },
  { id: 'positions', load: () => import('./positions.js') },
  { id: 'dot', load: () => import('./dot.js') },
  { id: 'softmax', load: () => import('./softmax.js') },
  { id: 'attention', load: () => import('./attention.js') },
  { id: 'mask', load: () => import('./mask.js') },
  { id: 'heads', load: () => import('./heads.js') },
  { id: 'norm', load: () => import('./norm.js') },
  { id: 'feed_forward', load: () => import('./feed_forward.js') },
  { id: 'block', load: () => import('./block.js') },
  { id: 'stack', load: () => import('./stack.js') },
  { id: 'logits', load: () => import('./logits.js') },
  { id: 'cross_entropy', load: () => import('./cross_entropy.js') },
  { id: 'gradient', load: () => import('./gradient.js') },
  { id: 'sgd', load: () => import('./sgd.js') },
  { id: 'adam', load: () => import('./adam.js') },
  { id: 'bpe', load: () => import('./bpe.js') },
  { id: 'greedy', load: () => import('./greedy.js') },
  { id: 'sample', load: () => import('./sample.js') },
  { id: 'cache', load: () => import('./cache.js') },
  { id: 'load', load: () => import('./load.js') },
  { id: 'train', load: () => import('./train.js') },
  { id: 'attribution', load: () => import('./attribution.js') },
  { id: 'induction', load: () => import('./induction.js') },
  { id: 'patching', load: () => import('./patching.js') },
  { id: 'waves', load: () => import('./waves.js') }
]

/** @param {string} id */
export const findExercise = id => EXERCISES.find(exercise => exercise.id === id)

/** What the exercise's id is in the address of their list. */
export const ANY_EXERCISE = 'list'
