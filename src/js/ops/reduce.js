import {
  LOGSUMEXP, MAX, MEAN, MIN, NORM, PROD, STD, SUM, TIES_SHARED, TIES_SHARED_WITH_NANS, TIES_TO_FIRST, VAR
} from '../constants.js'
import { describe, expect, expectBoolean, expectNumber, optionsOf, shapeText } from '../errors.js'
import { computedOutput, record } from '../autograd.js'
import { DTYPES } from '../dtype.js'
import { cell, constant, product, productOf, sum as total, derived } from '../explain.js'
import { expectTensor, expectFloatTensor } from './checks.js'
import { addRows, axesOf, axisOf, cellsAlong, rowsAlong, withRows } from './rows.js'

/**
 * Operations that make one number of many. What PyTorch's functions take by keyword is in the options: dim
 * (an axis or a
 * list; all without it) and keepdim (the axes stay, with length 1).
 *
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {import('../explain.js').Factor} Factor
 * @typedef {{ dim?: number | readonly number[] | null, keepdim?: boolean }} ReduceOptions
 * @typedef {{ n: number, mean: number, most: number, p: number }} Facts about the cells that are taken together
 *
 * A part of each cell is summed, and the sum finished.
 * @typedef {object} Reduction
 * @property {number} kind the kernel's
 * @property {string} torch PyTorch's line
 * @property {string} formula
 * @property {(own: Factor, facts: Facts) => Factor[] | import('../explain.js').Derived[]} part factors whose product it
 *   is
 * @property {(sum: number, facts: Facts) => number} [finish]
 * @property {string} [finished] in words
 * @property {[string, (v: number, y: number, facts: Facts) => number]} slope
 * @property {string} [option] the name of p, a number
 */

/** @param {string} words @param {(v: number, facts: Facts) => number} of @returns {Reduction['part']} */
const made = (words, of) => (own, facts) => [derived(words.replace('x', own.symbol), of(own.value, facts), own)]
/** What a variance is divided by. @param {Facts} facts */
const rest = ({ n, p }) => Math.max(n - p, 0)
const centred = made('(x − mean)²', (v, { mean }) => (v - mean) ** 2)

/** @template {string} N @param {Record<N, Reduction>} table */
const lines = table => table

export const REDUCTIONS = lines({
  sum: { kind: SUM, torch: 'torch.sum(x, dim)', formula: 'Σ x', part: own => [own], slope: ['1', () => 1] },
  mean: {
    kind: MEAN, torch: 'torch.mean(x, dim)', formula: 'Σ x / n', part: own => [own], finish: (s, { n }) => s / n,
    finished: '÷ n', slope: ['1/n', (v, y, { n }) => 1 / n]
  },
  var: {
    kind: VAR, torch: 'torch.var(x, dim, correction=correction)', formula: 'Σ (x − mean)² / (n − correction)',
    part: centred, finish: (s, facts) => s / rest(facts), finished: '÷ (n − correction)', option: 'correction',
    slope: ['2 (x − mean) / (n − correction)', (v, y, { mean, n, p }) => (2 * (v - mean)) / (n - p)]
  },
  std: {
    kind: STD, torch: 'torch.std(x, dim, correction=correction)', formula: '√(Σ (x − mean)² / (n − correction))',
    part: centred, finish: (s, facts) => Math.sqrt(s / rest(facts)), finished: '√(Σ / (n − correction))',
    option: 'correction',
    slope: ['(x − mean) / ((n − correction) y)', (v, y, { mean, n, p }) => (y === 0 ? 0 : (v - mean) / ((n - p) * y))]
  },
  logsumexp: {
    kind: LOGSUMEXP, torch: 'torch.logsumexp(x, dim)', formula: 'max + log(Σ exp(x − max))',
    part: made('exp(x − max)', (v, { most }) => Math.exp(v - most)), finish: (s, { most }) => most + Math.log(s),
    finished: 'max + log(Σ)', slope: ['exp(x − y)', (v, y) => Math.exp(v - y)]
  },
  norm: {
    kind: NORM, torch: 'torch.linalg.vector_norm(x, p, dim)', formula: '(Σ |x|ᵖ)^(1/p)', option: 'p',
    part: made('|x|ᵖ', (v, { p }) => (p === 0 ? Number(v !== 0) : Math.abs(v) ** p)),
    finish: (s, { p }) => (p === 0 ? s : s ** (1 / p)), finished: 'Σ^(1/p)',
    slope: ['sign(x) (|x| / y)^(p − 1)',
      (v, y, { p }) => (y === 0 || p === 0 ? 0 : Math.sign(v) * (Math.abs(v) / y) ** (p - 1))]
  }
})

/**
 * @param {any} node @param {readonly number[]} index of the result @returns {number[]} without the axes that are gone
 */
const outside = ({ saved: { axes, keepdim } }, index) =>
  (keepdim ? index.filter((_, axis) => !axes.includes(axis)) : [...index])

/** The index in the result of what a cell of x is part of. @param {any} node @param {readonly number[]} index */
function partOf({ saved: { axes, keepdim } }, index) {
  const isGone = (/** @type {number} */ axis) => axes.includes(axis)
  return keepdim ? index.map((i, axis) => (isGone(axis) ? 0 : i)) : index.filter((_, axis) => !isGone(axis))
}

/** The cells that make a cell of the result. @param {any} node @param {readonly number[]} index of the result */
const cellsOf = (node, index) =>
  cellsAlong(node.inputs.x.shape, node.saved.axes, outside(node, index)).map(at => cell(node.inputs.x, at, 'x'))

/** @param {Factor[]} cells @param {number} p @returns {Facts} */
function factsOf(cells, p) {
  const n = cells.length, mean = cells.reduce((s, f) => s + f.value, 0) / n
  return { n, mean, most: cells.reduce((m, f) => Math.max(m, f.value), -Infinity), p }
}

/** What all of them are: how x becomes rows, and back. @type {(kind: number, shared?: number) => any} */
const rowsOperation = (kind, shared = TIES_TO_FIRST) => ({
  usesOutput: true,
  axes: (/** @type {any} */ { inputs: { x }, saved: { axes, keepdim } }, /** @type {any} */ of) =>
    (keepdim ? of(x) : of(x).filter((/** @type {unknown} */ _, /** @type {number} */ axis) => !axes.includes(axis))),
  parameters: (/** @type {any} */ { saved: { axes, keepdim, p, option } }) => (
    { dim: axes, keepdim, ...(option && { [option]: p }) }),
  backward(/** @type {any} */ node, /** @type {any} */ gradient) {
    const { inputs: { x }, outputs: { out }, saved: { axes, p } } = node, y = computedOutput(node), { engine } = x
    const rows = rowsAlong(x.shape, axes), { N, C } = rows
    const dx = gradient(x), dout = gradient(out)
    withRows(engine, x.dataPtr(), x.size, rows, values => addRows(engine, dx, x.size, rows, to => {
      engine.c.gf_reduce_backward(to, dout, y.dataPtr(), values, N, C, kind, p, shared)
    }))
  }
})

/** @param {string} name @param {Reduction} line @returns {import('../autograd.js').Operation} */
const summing = (name, { kind, formula, part, finish, finished = '', slope: [words, slope] }) => ({
  ...rowsOperation(kind),
  name,
  reads: words.includes('x') ? { x: ['x'] } : {},
  explain(node, _, index) {
    const cells = cellsOf(node, index), facts = factsOf(cells, node.saved.p)
    if (facts.p === Infinity) return taken(cells, size, 'max |x|', true)
    if (kind === LOGSUMEXP && cells.length && !Number.isFinite(facts.most)) return taken(cells, f => f.value, 'max x')
    const terms = cells.map(own => product(...part(own, facts))), s = total(terms)
    if (!finish) return { formula, terms, computed: s }
    const computed = finish(s, facts)
    return { formula, terms, steps: [{ label: 'Σ', value: s }, { label: finished, value: computed }], computed }
  },
  explainGradient(node, _, index, d) {
    const { outputs: { out } } = node, at = partOf(node, index), own = d(out, at, 'dy')
    if (words === '1') return { formula: 'dx = dy', terms: [product(own)] }
    const cells = cellsOf(node, at), facts = factsOf(cells, node.saved.p), x = cell(node.inputs.x, index, 'x')
    const isMost = facts.p === Infinity, factor = isMost ? 'sign(x) [|x| = y] / count' : words
    const value = isMost ? Math.sign(x.value) * shareOf(cells, x, size, TIES_SHARED) || 0
      : slope(x.value, computedOutput(node).at(...at), facts)
    return { formula: `dx = dy × ${factor}`, terms: [product(own, constant(factor, value))], row: cells }
  }
})

/** @typedef {(f: Factor) => number} Measure of what the largest is taken */

/** The first of the largest, or of NaN. @param {Factor[]} cells @param {Measure} measure */
const chosenOf = (cells, measure) =>
  cells.reduce((best, f) => (measure(best) >= measure(f) || Number.isNaN(measure(best)) ? best : f))

/**
 * The one cell that was taken.
 * @param {Factor[]} cells @param {Measure} measure @param {string} formula @param {boolean} [isSize] its size was
 * @returns {import('../explain.js').CellExplanation}
 */
function taken(cells, measure, formula, isSize = false) {
  const chosen = chosenOf(cells, measure), value = isSize ? Math.abs(chosen.value) : chosen.value
  const terms = [product(isSize ? derived(`|${chosen.symbol}|`, value, chosen) : chosen)]
  return { formula, terms, row: cells, computed: value }
}

/**
 * What part of the gradient a cell is given: among equals an equal one, which is NaN where a NaN has no equal, or the
 * first all.
 * @param {Factor[]} cells @param {Factor} x @param {Measure} measure @param {number} shared whom it
 *   goes to, TIES_TO_FIRST and so on
 */
function shareOf(cells, x, measure, shared) {
  const chosen = chosenOf(cells, measure), most = measure(chosen)
  const areEqual = shared === TIES_SHARED_WITH_NANS && Number.isNaN(most)
  const isMost = (/** @type {Factor} */ f) => (areEqual ? Number.isNaN(measure(f)) : measure(f) === most)
  if (shared === TIES_TO_FIRST) return Number(String(chosen.index) === String(x.index))
  return Number(isMost(x)) / cells.filter(isMost).length
}

/** @type {Measure} */ const size = f => Math.abs(f.value)

/**
 * The largest or smallest; among equals the first is given the gradient, or each a share.
 * @param {string} name @param {1 | -1} sign @param {number} shared as in shareOf
 * @returns {import('../autograd.js').Operation}
 */
const extreme = (name, sign, shared) => ({
  ...rowsOperation(sign > 0 ? MAX : MIN, shared),
  name,
  reads: { x: ['x'] },
  explain: (node, _, index) => taken(cellsOf(node, index), f => sign * f.value, sign > 0 ? 'max x' : 'min x'),
  explainGradient(node, _, index, d) {
    const at = partOf(node, index), cells = cellsOf(node, at), x = cell(node.inputs.x, index, 'x')
    const share = shareOf(cells, x, f => sign * f.value, shared), words = shared === TIES_TO_FIRST ? '[x = y]' : '[x = y] / count'
    const terms = [product(d(node.outputs.out, at, 'dy'), constant(words, share))]
    return { formula: `dx = dy × ${words}`, terms, row: cells }
  }
})

/** @type {import('../autograd.js').Operation} */
const prod = {
  ...rowsOperation(PROD),
  name: 'prod',
  reads: { x: ['x'] },
  explain(node, _, index) {
    const term = productOf(cellsOf(node, index))
    return { formula: 'Π x', terms: [term], computed: term.value }
  },
  explainGradient(node, _, index, d) {
    const at = partOf(node, index), cells = cellsOf(node, at), own = d(node.outputs.out, at, 'dy')
    const x = cell(node.inputs.x, index, 'x'), zeros = cells.filter(f => f.value === 0).length
    if (zeros || cells.every(f => Number.isFinite(f.value))) {
      const others = cells.filter(f => String(f.index) !== String(index))
      return { formula: 'dx = dy × Π of the others', terms: [productOf([own, ...others])] }
    }
    // As in PyTorch what is there is divided by x, which makes NaN of one infinity by another.
    const share = cells.reduce((all, f) => all * f.value, 1) / x.value
    return { formula: 'dx = dy × y / x', terms: [product(own, derived('y / x', share, x))], row: cells }
  }
}

/** What a kernel makes of columns as they lie in memory. */
const COLUMNS = new Set([SUM, MEAN, MAX, MIN, VAR, STD])

/** The shape that is left. @param {Tensor} x @param {number[]} axes @param {boolean} keepdim */
const shapeLeft = ({ shape }, axes, keepdim) =>
  shape.flatMap((side, axis) => (!axes.includes(axis) ? side : keepdim ? 1 : []))

/** @param {string} name @param {Tensor} x @param {number[]} axes */
const needsCells = (name, x, axes) => expect(axes.every(axis => x.shape[axis] > 0), 'shape',
  () => `${name}: there is nothing to choose from along dim ${axes.join(', ')} of shape ${shapeText(x.shape)}`)

/**
 * @param {string} name @param {import('../autograd.js').Operation} op @param {number} kind
 * @param {Tensor} x @param {number[]} axes @param {boolean} keepdim @param {number} [p] @param {string} [option]
 */
function reduce(name, op, kind, x, axes, keepdim, p = 0, option) {
  const { engine } = x, rows = rowsAlong(x.shape, axes), { N, C } = rows
  const out = engine.empty(shapeLeft(x, axes, keepdim)), [[outer, R, , columns, inner] = [0, 0, 0, 0, 0]] = rows.steps
  const work = kind === LOGSUMEXP ? engine.scratch(C) : 0
  if (rows.steps.length === 1 && inner === 1 && COLUMNS.has(kind)) {
    engine.c.gf_reduce_columns(out.dataPtr(), x.dataPtr(), outer, R, columns, kind, p)
  } else withRows(engine, x.dataPtr(), x.size, rows, values =>
    engine.c.gf_reduce_forward(out.dataPtr(), work, values, N, C, kind, p))
  return record(engine, op, { x }, { out }, { axes, keepdim, p, option })
}

/**
 * An operation whose result is whole: it has no gradient, and is what `of` makes of the cells.
 * @param {string} name @param {string} formula @param {(values: number[]) => number} of
 * @returns {import('../autograd.js').Operation}
 */
const wholeOperation = (name, formula, of) => ({
  ...rowsOperation(SUM),
  name,
  backward() {},
  explain(node, _, index) {
    const cells = cellsOf(node, index)
    return { formula, terms: cells.map(own => product(own)), computed: of(cells.map(f => f.value)) }
  },
  explainGradient: () => ({ formula: 'no gradient: it jumps', terms: [] })
})

/** A loop: there may be more values than a call takes arguments. @param {number[]} values */
const largestOf = values => values.reduce((most, value) => Math.max(most, value), -Infinity)

/** @type {Record<number, import('../autograd.js').Operation>} */
const WHOLE = {
  [SUM]: wholeOperation('sum', 'Σ x', values => values.reduce((s, v) => s + v, 0)),
  [MAX]: wholeOperation('max', 'max x', largestOf),
  [MIN]: wholeOperation('min', 'min x', values => -largestOf(values.map(v => -v)))
}
const ALL = wholeOperation('all', '1 where every x ≠ 0, else 0', values => Number(values.every(v => v !== 0)))
const ANY = wholeOperation('any', '1 where an x ≠ 0, else 0', values => Number(values.some(v => v !== 0)))

/** The same values as another type, for a kernel alone. @param {Tensor} x @param {import('../dtype.js').DType} dtype */
function converted(x, dtype) {
  const out = x.engine.empty(x.shape, dtype)
  x.engine.c.gf_convert(out.dataPtr(), DTYPES[dtype].code, x.dataPtr(), DTYPES[x.dtype].code, x.size)
  return out
}

/**
 * Sums and extremes of integers and bools: int32, extremes of bools bool.
 * @param {Tensor} x what the result is recorded as made of @param {Tensor} values int32 or bool
 * @param {number[]} axes @param {boolean} keepdim @param {number} kind @param {import('../autograd.js').Operation} op
 */
function reduceWhole(x, values, axes, keepdim, kind, op) {
  const { engine } = x, rows = rowsAlong(x.shape, axes), { N, C } = rows
  const whole = converted(values, 'int32'), found = engine.empty(shapeLeft(x, axes, keepdim), 'int32')
  let fits = true
  withRows(engine, whole.dataPtr(), x.size, rows, at => {
    fits = engine.c.gf_reduce_int(found.dataPtr(), at, DTYPES.int32.code, N, C, kind) === 1
  })
  whole.dispose()
  if (!fits) found.dispose()
  expect(fits, 'range', () => `${op.name}: the sum does not fit into int32 (−2147483648 to 2147483647); ` +
    "write x.to('float32').sum() for the nearest float32")
  const isBool = values.dtype === 'bool' && kind !== SUM, out = isBool ? converted(found, 'bool') : found
  if (isBool) found.dispose()
  return record(engine, op, { x }, { out }, { axes, keepdim })
}

/** @param {string} name @param {Tensor} x */
const needsWhole = (name, x) => expect(x.dtype === 'int32' || x.dtype === 'bool', 'type',
  () => `${name}: x must be a float32, int32 or bool tensor, got ${describe(x)}; to('float32') makes one`)

const NAMES = ['dim', 'keepdim']

/**
 * @param {string} name @param {unknown} given @param {Tensor} x @param {string[]} [more]
 * @returns {{ axes: number[], keepdim: boolean, [option: string]: any }}
 */
function readOptions(name, given, x, more = []) {
  const options = optionsOf(name, given, [...NAMES, ...more]), { dim, keepdim = false } = options
  return { ...options, axes: axesOf(name, x, dim), keepdim: expectBoolean(name, 'keepdim', keepdim) }
}

/** Defaults of p, and what it may be. @type {Record<string, [number, string, (p: number) => boolean]>} */
const NUMBERS = { correction: [1, 'a number', p => Number.isFinite(p)], p: [2, 'a number >= 0', p => p >= 0] }

/** @param {keyof typeof REDUCTIONS} name @returns {(x: Tensor, options?: any) => Tensor} */
function summingFunction(name) {
  /** @type {Reduction} */ const line = REDUCTIONS[name], op = summing(name, line), { option, kind } = line
  return (x, options) => {
    const isInteger = name === 'sum' && expectTensor(name, 'x', x).dtype !== 'float32'
    if (!isInteger) expectFloatTensor(name, 'x', x)
    const given = readOptions(name, options, x, option ? [option] : []), { axes, keepdim } = given
    if (isInteger) {
      needsWhole(name, x)
      return reduceWhole(x, x, axes, keepdim, SUM, WHOLE[SUM])
    }
    const [standard, words, ok] = option ? NUMBERS[option] : [0, '', () => true]
    const p = option ? expectNumber(name, option, given[option] ?? standard, words, ok) : 0
    if (p === Infinity) needsCells(name, x, axes)
    return reduce(name, op, kind, x, axes, keepdim, p, option)
  }
}

/** @typedef {(x: Tensor, options?: ReduceOptions) => Tensor} Reduce */
/** @typedef {(x: Tensor, options?: ReduceOptions & { correction?: number }) => Tensor} Spread */
/** @typedef {keyof typeof REDUCTIONS | 'max' | 'min' | 'amax' | 'amin' | 'prod' | 'all' | 'any'} ReductionName */

/** @param {string} name @param {1 | -1} sign @param {(dim: any) => number} shares as in shareOf @returns {Reduce} */
function extremeFunction(name, sign, shares) {
  const ops = [TIES_TO_FIRST, TIES_SHARED, TIES_SHARED_WITH_NANS].map(shared => extreme(name, sign, shared))
  const kind = sign > 0 ? MAX : MIN
  return (x, options) => {
    expectTensor(name, 'x', x)
    const { axes, keepdim, dim } = readOptions(name, options, x)
    needsCells(name, x, axes)
    if (x.dtype !== 'float32') {
      needsWhole(name, x)
      return reduceWhole(x, x, axes, keepdim, kind, WHOLE[kind])
    }
    return reduce(name, ops[shares(dim)], kind, x, axes, keepdim)
  }
}

/** PyTorch's max and min along an axis give the gradient to one cell, over everything to all that are equal. */
const whole = (/** @type {unknown} */ dim) => (
  dim === undefined || dim === null || Array.isArray(dim) ? TIES_SHARED_WITH_NANS : TIES_TO_FIRST)

/** @param {string} name @param {number} kind @param {import('../autograd.js').Operation} op @returns {Reduce} */
const ask = (name, kind, op) => (x, options) => {
  const { axes, keepdim } = readOptions(name, options, expectTensor(name, 'x', x)), answers = converted(x, 'bool')
  const isEmpty = axes.some(axis => x.shape[axis] === 0)
  const out = isEmpty ? x.engine.empty(shapeLeft(x, axes, keepdim), 'bool')
    : reduceWhole(x, answers, axes, keepdim, kind, op)
  if (isEmpty) out.values.fill(kind === MIN ? 1 : 0)
  answers.dispose()
  return out
}

/** @param {string} name @param {1 | -1} sign */
const placeOperation = (name, sign) => wholeOperation(name, `the first place of ${sign > 0 ? 'max' : 'min'} x`,
  values => {
    const most = values.some(Number.isNaN) ? NaN : largestOf(values.map(v => sign * v))
    return values.findIndex(v => Object.is(sign * v, most) || sign * v === most)
  })

/** @typedef {(x: Tensor, options?: { dim?: number, keepdim?: boolean }) => Tensor} Place */

/** @param {string} name @param {1 | -1} sign @param {import('../autograd.js').Operation} op @returns {Place} */
const place = (name, sign, op) => (x, options) => {
  expectFloatTensor(name, 'x', x)
  const { dim, keepdim = false } = optionsOf(name, options, NAMES), isAll = dim === undefined || dim === null
  const axes = isAll ? axesOf(name, x, null) : [axisOf(name, x, dim)].filter(axis => axis < x.shape.length)
  needsCells(name, x, axes)
  const rows = rowsAlong(x.shape, axes), { N, C } = rows
  const out = x.engine.empty(shapeLeft(x, axes, expectBoolean(name, 'keepdim', keepdim)), 'int32')
  withRows(x.engine, x.dataPtr(), x.size, rows, at =>
    x.engine.c.gf_argmax(out.dataPtr(), at, N, C, Number(sign < 0)))
  return record(x.engine, op, { x }, { out }, { axes, keepdim })
}

const summingNames = /** @type {(keyof typeof REDUCTIONS)[]} */ (Object.keys(REDUCTIONS))

/**
 * @typedef {object} OtherReductions those that are no line of the table, or take more than the others
 * @property {Reduce} max the largest value: torch.max; along one axis the gradient goes to the first of equal ones,
 *   over everything to all of them
 * @property {Reduce} min the smallest value: torch.min; the gradient as of max
 * @property {Reduce} amax the largest value, the gradient shared by equal ones: torch.amax
 * @property {Reduce} amin the smallest value, the gradient shared by equal ones: torch.amin
 * @property {Reduce} prod the product of the cells: torch.prod
 * @property {Reduce} all whether every cell is true, or not 0: torch.all
 * @property {Reduce} any whether any cell is true, or not 0: torch.any
 * @property {Spread} var the variance, Σ (x − mean)² / (n − correction); correction: 1: torch.var
 * @property {Spread} std its square root; correction: 1: torch.std
 * @property {(x: Tensor, options?: ReduceOptions & { p?: number }) => Tensor} norm (Σ |x|ᵖ)^(1/p); p: 2:
 *   torch.linalg.vector_norm
 * @property {Place} argmax the place of the first largest along one axis or among all cells, int32: torch.argmax
 * @property {Place} argmin the place of the first smallest: torch.argmin
 */

/**
 * Every reduction as a function.
 * @type {Record<Exclude<ReductionName, keyof OtherReductions>, Reduce> & OtherReductions}
 */
export const reductions = /** @type {any} */ ({
  ...Object.fromEntries(summingNames.map(name => [name, summingFunction(name)])),
  max: extremeFunction('max', 1, whole),
  min: extremeFunction('min', -1, whole),
  amax: extremeFunction('amax', 1, () => TIES_SHARED),
  amin: extremeFunction('amin', -1, () => TIES_SHARED),
  prod: (/** @type {Tensor} */ x, /** @type {ReduceOptions} */ options) => {
    const { axes, keepdim } = readOptions('prod', options, expectFloatTensor('prod', 'x', x))
    return reduce('prod', prod, PROD, x, axes, keepdim)
  },
  all: ask('all', MIN, ALL),
  any: ask('any', MAX, ANY),
  argmax: place('argmax', 1, placeOperation('argmax', 1)),
  argmin: place('argmin', -1, placeOperation('argmin', -1))
})
