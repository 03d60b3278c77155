/**
 * What the page asks about a run besides its numbers: how a cell was made, where it goes on, what a tensor comes from.
 * Answered in the worker, where the run is alive; everything rests on the run's own explanations.
 */

/** @typedef {import('./lib/cell.js').Cell} Cell */

const MOST_CELLS = 20000

const zeros = (tensor) => tensor.shape.map(() => 0)

const known = (run, name) => run.aliases?.get(name) ?? name

/** Whether what is differentiated was computed from a tensor; what is made for show only was not. */
function isOnTheWay(run, wanted) {
  const end = run.tensors.has('loss') ? 'loss' : 'self_attn.output'
  const [open, seen] = [[end], new Set()]
  while (open.length) {
    const name = open.pop()
    if (name === wanted) return true
    if (seen.has(name)) continue
    seen.add(name)
    open.push(...Object.values(run.inputs?.get(name) ?? {}).filter(Boolean))
  }
  return false
}

/** The explanation of a gradient; where there is none, why: a table or a mask that nobody trains, or a side road. */
function gradient(run, { name, index }) {
  try {
    return run.explainGradient(name, index)
  } catch {
    return { name, index, none: isOnTheWay(run, known(run, name)) ? 'still' : 'aside', terms: [], steps: [], sources: [] }
  }
}

const onward = new WeakMap()

/** For every tensor the tensors made from it, found by asking each tensor for the sources of one of its cells. */
function feedsOf(run) {
  if (onward.has(run)) return onward.get(run)
  const feeds = new Map([...run.tensors.keys()].map((name) => [name, []]))
  for (const [name, tensor] of run.tensors) {
    if (tensor.data.length === 0) continue
    const from = new Set(run.explain(name, zeros(tensor)).sources.map((source) => source.name))
    from.forEach((source) => source !== name && feeds.get(source)?.push(name))
  }
  onward.set(run, feeds)
  return feeds
}

/** The tensors a cell goes into. Of a weight that can be few: a row of `in_proj_weight` makes one of Q, K and V. */
function usesOf(run, cell, { op }) {
  const feeds = feedsOf(run).get(cell.name)
  return op === 'given' && !cell.isGradient ? feeds.filter((target) => firstUse(run, cell, target)) : feeds
}

/**
 * How a cell or its gradient was made and where it goes on; null where there is nothing to tell.
 * @param {object} run
 * @param {Cell} cell
 */
export function explainCell(run, cell) {
  if (!run.tensors.has(cell.name)) return null
  const explanation = cell.isGradient ? gradient(run, cell) : run.explain(cell.name, cell.index)
  const differentiable = Boolean(run.explainGradient)
  return explanation && { ...explanation, feeds: usesOf(run, cell, explanation), differentiable }
}

function* cellsOf(shape) {
  const size = shape.reduce((product, side) => product * side, 1)
  for (let n = 0; n < Math.min(size, MOST_CELLS); n++) {
    let rest = n
    yield shape.map((_, axis) => {
      const below = shape.slice(axis + 1).reduce((product, side) => product * side, 1)
      const i = Math.floor(rest / below)
      rest %= below
      return i
    })
  }
}

/** How many axes of two cells carry the same name and disagree: close relations are tried first. */
const distance = (axes, index, other, at) => (
  axes.reduce((sum, axis, i) => sum + (other.includes(axis) && at[other.indexOf(axis)] !== index[i] ? 1 : 0), 0))

/**
 * A cell of another tensor that this one went into, or null.
 * @param {object} run
 * @param {Cell} cell
 * @param {string} target the name of the other tensor
 * @returns {Cell | null}
 */
export function firstUse(run, { name, index }, target) {
  const [from, to] = [run.tensors.get(name), run.tensors.get(target)]
  const places = [...cellsOf(to.shape)].map((at) => ({ at, far: distance(from.axes, index, to.axes, at) }))
  const wanted = index.join()
  const isUse = ({ at }) => (
    run.explain(target, at).sources.some((source) => source.name === name && source.index.join() === wanted))
  const found = places.sort((a, b) => a.far - b.far).find(isUse)
  return found ? { name: target, index: found.at } : null
}

/**
 * The rule of a whole table of positions, of which a cell tells the sine or the cosine of its own pair of dimensions.
 * @param {string} formula of the first cell @param {string} layout @param {number} cols
 */
function ofTable(formula, layout, cols) {
  const sine = formula.replace('2·0', '2·i')
  const [even, odd] = layout === 'concatenated' ? ['i', `i + ${Math.ceil(cols / 2)}`] : ['2·i', '2·i + 1']
  return `p[k, ${even}] = ${sine},  p[k, ${odd}] = ${sine.replace('sin', 'cos')}`
}

/**
 * The general rule of each tensor: its operation, its formula, and for each symbol of the formula the tensor that it
 * stands for and the cell of it that the first cell is made from.
 * @param {object} run
 * @param {string[]} names
 */
export function recipes(run, names) {
  return names.filter((name) => run.tensors.has(name)).map((name) => {
    const { op, formula, note, terms } = run.explain(name, zeros(run.tensors.get(name)))
    const symbols = new Map()
    for (const { letter, source } of terms.flatMap(({ factors }) => factors)) {
      if (letter && source && !symbols.has(letter)) symbols.set(letter, source)
    }
    const list = [...symbols].map(([symbol, source]) => ({ symbol, tensor: source.name, start: source.index }))
    const { shape } = run.tensors.get(name)
    const rule = op === 'positional_encoding' ? ofTable(formula, run.settings.positions, shape[1]) : formula
    return { name, op, formula: rule, formulas: [rule], note, symbols: list }
  })
}

/**
 * The questions as calls of the worker.
 * @param {(cell?: Cell) => object} current the run that a cell belongs to, or the one that is shown
 */
export const questions = (current) => ({
  explain: ({ cell }) => explainCell(current(cell), cell),
  firstUse: ({ cell, target }) => firstUse(current(cell), cell, target),
  recipes: ({ names }) => recipes(current(), names)
})
