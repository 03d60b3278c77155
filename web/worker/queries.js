/**
 * Queries about a run: the explanation of a cell, the tensors that use it, the general formula of a tensor. They run
 * in the worker, which holds the run in memory.
 */

import { shortenExplanation } from './shorten_explanation.js'

/** @import { Axis, Cell, CellExplanation, Explanation, LibraryRun } from '../types.d.ts' */

/** @typedef {{ base: number, layout: string, dModel: number }} Table of positions */

const MAX_CELLS = 20000

/** @param {{ shape: readonly number[] }} tensor */
const zeros = ({ shape }) => shape.map(() => 0)

/**
 * The explanation of a gradient, or the reason why there is none: the tensor is not trained, it does not affect the
 * loss, or it was not retained.
 * @param {LibraryRun} run @param {Cell} cell
 */
function explainGradient(run, { name, index }) {
  try {
    return run.explainGradient(name, index)
  } catch {
    const { inputs, outputs } = notRetained(run)
    const missingReason = inputs.has(name) || outputs.has(name) ? 'notRetained' : run.describe(name).affectsLoss ? 'notTrained' : 'notInLoss'
    return { name, index, op: 'given', missingReason, terms: [], steps: [], sources: [] }
  }
}

/** Inputs and outputs of attentions whose matrices were not retained. @type {WeakMap<LibraryRun, NotRetained>} */
const notRetainedByRun = new WeakMap()

/** @typedef {Record<'inputs' | 'outputs', Set<string>>} NotRetained */

/** @param {LibraryRun} run @returns {NotRetained} */
function notRetained(run) {
  const known = notRetainedByRun.get(run)
  if (known) return known
  const steps = run.steps.filter(({ op, outputs: { weights } }) => op === 'attention' && !run.describe(weights).isKept)
  /** @param {'inputs' | 'outputs'} side */
  const names = side => new Set(steps.flatMap(step => Object.values(step[side])))
  const found = { inputs: names('inputs'), outputs: names('outputs') }
  notRetainedByRun.set(run, found)
  return found
}

/**
 * The explanation of a cell; for an overwritten weight also its previous value.
 * @param {{ run: LibraryRun, valuesBeforeEdits?: Map<string, number> }} modelRun @param {Cell} cell
 */
function explainValue({ run, valuesBeforeEdits }, { name, index }) {
  const { outputs } = notRetained(run)
  if (outputs.has(name)) return { name, index, op: 'attention', missingReason: 'notRetained', terms: [], steps: [], sources: [] }
  const found = run.explain(name, index)
  const previous = found.op === 'given' ? valuesBeforeEdits?.get(`${name}:${index}`) : undefined
  if (previous === undefined) return found
  return { ...found, edited: true, computed: previous, rounding: found.value - previous }
}

/** @type {WeakMap<LibraryRun, Map<string, string[]>>} */ const usersByRun = new WeakMap()

/** The tensors computed from each tensor. @param {LibraryRun} run */
function usersByTensor(run) {
  const known = usersByRun.get(run)
  if (known) return known
  const { names } = run
  /** @type {Map<string, string[]>} */ const users = new Map(names.map(name => [name, []]))
  for (const name of names) {
    const { inputs, size } = { size: run.tensor(name).numel(), ...run.describe(name) }
    if (size) for (const from of new Set(Object.values(inputs))) users.get(from)?.push(name)
  }
  usersByRun.set(run, users)
  return users
}

/**
 * The tensors that use a cell: for a weight, maybe not all that use its tensor, since a row of stacked projections
 * gives only one of Q, K and V.
 * @param {LibraryRun} run @param {Cell} cell @param {Pick<Explanation, 'op'>} explanation
 */
function usesOf(run, cell, { op }) {
  const { outputs } = notRetained(run)
  const users = (usersByTensor(run).get(cell.name) ?? []).filter(name => !outputs.has(name))
  return op === 'given' && !cell.isGradient ? users.filter(target => firstUse(run, cell, target)) : users
}

/**
 * Explains a cell or its gradient and lists where it is used; null where there is nothing to explain.
 * @param {{ run: LibraryRun, valuesBeforeEdits?: Map<string, number> }} modelRun
 * @param {Cell} cell
 */
export function explainCell(modelRun, cell) {
  const { run } = modelRun
  if (!run.names.includes(run.aliases.get(cell.name) ?? cell.name)) return null
  const explanation = cell.isGradient ? explainGradient(run, cell) : explainValue(modelRun, cell)
  const sent = shortenExplanation(/** @type {Explanation} */ (explanation))
  return /** @type {CellExplanation} */ ({ ...sent, users: usesOf(run, cell, explanation), differentiable: true })
}

/** @param {readonly number[]} shape */
function* cellsOf(shape) {
  const size = shape.reduce((product, side) => product * side, 1)
  for (let n = 0; n < Math.min(size, MAX_CELLS); n++) {
    let rest = n
    yield shape.map((_, axis) => {
      const below = shape.slice(axis + 1).reduce((product, side) => product * side, 1)
      const i = Math.floor(rest / below)
      rest %= below
      return i
    })
  }
}

/**
 * The number of axes with equal names on which the indices of two cells differ. Cells with fewer are tried first.
 * @param {readonly Axis[]} axes @param {number[]} index @param {readonly Axis[]} other @param {number[]} at
 */
const distance = (axes, index, other, at) => axes.reduce((sum, { name }, i) => {
  const j = other.findIndex(axis => axis.name === name)
  return sum + (j >= 0 && at[j] !== index[i] ? 1 : 0)
}, 0)

/**
 * A cell of another tensor that was computed from this one, or null.
 * @param {LibraryRun} run
 * @param {Cell} cell
 * @param {string} target the name of the other tensor
 * @returns {Cell | null}
 */
export function firstUse(run, { name, index }, target) {
  const [from, to] = [run.describe(name), run.describe(target)]
  const places = [...cellsOf(to.shape)].map(at => ({ at, distance: distance(from.axes, index, to.axes, at) }))
  const key = index.join()
  /** @param {{ at: number[] }} place */
  const isUse = ({ at }) => (
    run.explain(target, at).sources.some(source => source.name === from.name && source.index.join() === key))
  const found = places.sort((a, b) => a.distance - b.distance).find(isUse)
  return found ? { name: target, index: found.at } : null
}

/**
 * The formula of a whole table of positions; the explanation of a cell covers only the sine or cosine of its own pair.
 * @param {Table} parameters
 */
function tableFormula({ base, layout, dModel }) {
  const angle = `k / ${base}^(2·i/${dModel})`
  const [even, odd] = layout === 'concatenated' ? ['i', `i + ${Math.ceil(dModel / 2)}`] : ['2·i', '2·i + 1']
  return `p[k, ${even}] = sin(${angle}),  p[k, ${odd}] = cos(${angle})`
}

/**
 * The general formula of each tensor, and for each symbol of it the tensor and the cell that the first cell was
 * computed from.
 * @param {LibraryRun} run
 * @param {string[]} names
 */
export function recipes(run, names) {
  const { outputs } = notRetained(run), known = new Set(run.names.filter(name => !outputs.has(name)))
  return names.filter(name => known.has(name)).map(name => {
    const { op, output, formula, note, terms, parameters } = run.explain(name, zeros(run.tensor(name)))
    /** @type {Map<string, { name: string, index: number[] }>} */ const symbols = new Map()
    for (const { letter, source } of terms.flatMap(({ factors }) => factors)) {
      if (letter && source && !symbols.has(letter)) symbols.set(letter, source)
    }
    const list = [...symbols].map(([symbol, source]) => ({ symbol, tensor: source.name, start: source.index }))
    const rule = op === 'positional_encoding' ? tableFormula(/** @type {Table} */ (parameters)) : formula
    return { name, op, output, parameters, formula: rule, formulas: [rule], note, symbols: list }
  })
}

/** @typedef {{ session?: string, isTwin?: boolean }} Which a session, and whether its twin is meant */

/**
 * The queries as calls of the worker.
 * @param {(which: Which) => { run: LibraryRun, valuesBeforeEdits?: Map<string, number> }} runOf the run that is meant
 */
export function queryCalls(runOf) {
  /** The run that a cell belongs to. @param {{ session?: string, cell: Cell }} request */
  const ofCell = ({ session, cell }) => runOf({ session, isTwin: cell.isTwin })
  return {
    explain: (/** @type {{ session?: string, cell: Cell }} */ request) => explainCell(ofCell(request), request.cell),
    firstUse: (/** @type {{ session?: string, cell: Cell, target: string }} */ { target, ...request }) => (
      firstUse(ofCell(request).run, request.cell, target)),
    recipes: (/** @type {{ session?: string, names: string[] }} */ { session, names }) => (
      recipes(runOf({ session }).run, names))
  }
}
