/** The rooms of the laboratory: one experiment each, in the order of the lesson. */

/** @import { Room, Run } from '../../types.d.ts' */

/**
 * A room by its experiment, which is the module that computed it.
 * @typedef {object} Experiment
 * @property {string} id
 * @property {string} output the tensor that represents it
 * @property {number[]} [opening] its most instructive cell
 * @property {string} [words] the key of its texts, if that is not its id
 * @property {Record<string, string>} [parts] tensors by the names that the stage uses, where they exist
 * @property {string[]} [controls] if not those of the stage
 * @property {string[]} settings settings that its numbers depend on
 * @property {string[]} [notebooks] notebooks that compute the same
 * @property {string[]} [reads] other experiments whose tensors the room displays
 */

/** @type {Experiment[]} */
const EXPERIMENTS = [
  { id: 'shuffle', output: 'placed_apart', settings: ['seed', 'dModel', 'base'] },
  { id: 'first_ideas', output: 'grown', settings: ['dModel', 'seed'], parts: { words: 'embedding.output' } },
  { id: 'requirements', output: 'products', settings: ['base', 'dModel', 'seed'], opening: [2, 1, 3], notebooks: ['001'] },
  { id: 'waves', output: 'table', settings: ['base', 'dModel', 'maxLength'],
    opening: [1, 0], notebooks: ['000', '002'] },
  { id: 'circle', output: 'pairs', settings: ['base', 'dModel', 'maxLength'],
    opening: [0, 1, 0], reads: ['waves'], notebooks: ['001'] },
  { id: 'two_spellings', output: 'by_log', settings: ['base', 'dModel', 'maxLength'],
    opening: [1, 1], notebooks: ['000', '003'] },
  { id: 'layouts', output: 'concatenated', settings: ['dModel', 'base'], notebooks: ['001'] },
  { id: 'broadcasting', output: 'wrong', settings: ['dModel', 'base'], opening: [1, 2, 0], notebooks: ['000', '002'] },
  { id: 'rotation', output: 'moved', settings: ['shift', 'base', 'dModel'], opening: [1, 0] },
  { id: 'schemes', output: 'sinusoidal', settings: ['base', 'dModel', 'seed'], notebooks: ['004'] },
  { id: 'extrapolation', output: 'shares', settings: ['seed'], opening: [1, 16] },
  { id: 'dropout', words: 'dropped', output: 'after', parts: { mask: 'dropout.drop.mask' },
    controls: ['dropout', 'seed'], settings: ['dropout', 'seed', 'base', 'dModel'], notebooks: ['002'] }
]

/** The source notebooks, each a room to read and to run it in. */
const NOTEBOOKS = ['000', '001', '002', '003', '004']

/**
 * @param {Run} run
 * @returns {Room[]}
 */
export function roomsOf(run) {
  /** @param {string} id */
  const partsOf = id => [...run.tensors.keys()].filter(name => name.startsWith(`${id}.`))
    .map(name => [name.slice(id.length + 1), name])
  const experiments = EXPERIMENTS.map(({
    id, output, opening, controls, settings, words = id, parts: more = {}, notebooks = [], reads = []
  }, i) => {
    // Names are set last: a room is the same for runs without such a tensor.
    const named = Object.entries(more)
    const own = [...partsOf(id).filter(([, name]) => !Object.values(more).includes(name)), ...named]
    const parts = Object.fromEntries([...reads.flatMap(partsOf), ...own])
    const others = own.map(([, name]) => name).filter(name => name.startsWith(`${id}.`) && name !== parts[output])
    return {
      id, stage: id, words, parts, ...(controls && { controls }), settings,
      tensors: [parts[output], ...(i ? [] : partsOf('embedding').map(([, name]) => name)), ...others],
      notebooks: notebooks.map(notebook => ({ id: `notebook.${notebook}`, words: `notebook${notebook}` })),
      tower: 'model', block: id, isFloor: true, isOnTour: true, from: i ? [EXPERIMENTS[i - 1].id] : [],
      ...(opening && { opening: { name: parts[output], index: opening } })
    }
  })
  return [...experiments, ...NOTEBOOKS.map(notebook => ({
    id: `notebook.${notebook}`, stage: 'notebook', words: `notebook${notebook}`, parts: { notebook, table: 'waves.table' },
    settings: [], tensors: [], tower: 'model', block: 'notebooks', isFloor: false, isOnTour: true, aside: 'reading',
    from: []
  }))]
}
