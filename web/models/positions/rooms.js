/** The rooms of the laboratory: one experiment each, in the order of the lesson. */

/**
 * A room by its experiment, which is the module that computed it.
 * @typedef {object} Experiment
 * @property {string} id
 * @property {string} output the tensor that stands for it
 * @property {number[]} [opening] the cell of it that tells most
 * @property {string[]} [reads] experiments whose tensors are shown here too
 */

/** @type {Experiment[]} */
const EXPERIMENTS = [
  { id: 'shuffle', output: 'placed_apart' }, { id: 'asks', output: 'products' }, { id: 'waves', output: 'table', opening: [1, 0] },
  { id: 'circle', output: 'pairs', opening: [0, 1, 0], reads: ['waves'] }
]

/**
 * @param {object} run plain data
 * @returns {import('../../rooms/derive.js').Room[]}
 */
export function roomsOf(run) {
  const partsOf = id => [...run.tensors.keys()].filter(name => name.startsWith(`${id}.`))
    .map(name => [name.slice(id.length + 1), name])
  return EXPERIMENTS.map(({ id, output, opening, reads = [] }, i) => {
    const own = partsOf(id)
    const parts = Object.fromEntries([...reads.flatMap(partsOf), ...own])
    const others = own.map(([, name]) => name).filter(name => name !== parts[output])
    return {
      id, stage: id, words: id, parts, tensors: [parts[output], ...(i ? [] : partsOf('embedding').map(([, name]) => name)),
        ...others],
      tower: 'model', block: id, isFloor: true, isOnTour: true, from: i ? [EXPERIMENTS[i - 1].id] : [],
      ...(opening && { opening: { name: parts[output], index: opening } })
    }
  })
}
