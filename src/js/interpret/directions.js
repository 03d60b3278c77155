import { embedding } from '../ops/embedding.js'
import { DTYPES } from '../tensor/dtype.js'
import { indexOf, offsetOf, sizeOf } from '../tensor/shape.js'

/**
 * A linear function of some cells of a tensor, and how operations carry it from their output to their inputs: the value
 * of the function stays the same. What is not linear is fixed: a norm divides by the number that it divided by in the
 * run, and an activation multiplies by its ratio of output to input.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Node} Node
 *
 * Σ factors[i] × tensor[cells[i]], with offsets in memory order as cells; role: what the tensor is to the operation,
 * where that is known.
 * @typedef {{ tensor: Tensor, cells: ArrayLike<number>, factors: Float64Array, role?: 'bias' | 'norm' }} Direction
 *
 * A summand that no tensor has, of the named role.
 * @typedef {{ constant: number }} Constant
 *
 * @typedef {object} Context
 * @property {(tensor: Tensor) => boolean} isData whether it depends on the run's input; parameters do not
 * @property {(node: Node) => string | null} follow which operand of a product is followed; the other one is fixed
 */

/** A difference of a term from its factors' product beyond this makes an operation one that is not linear. */
const TOLERANCE = 1e-5

/** The number of cells an explanation may be asked for, times the terms of one. */
const MAX_TERMS = 2 ** 20

/** The values as numbers: a view or a copy. @param {Tensor} tensor @returns {ArrayLike<number>} */
export function readFloats({ values, dtype }) {
  const { read } = DTYPES[dtype]
  return read ? Float32Array.from(values, read) : values
}

/**
 * Some rows of a weight as float32, whatever its storage.
 * @param {Tensor} weight [N, K] @param {number[]} rows @returns {Float32Array} [rows, K]
 */
export function readRows(weight, rows) {
  const { engine } = weight
  return engine.tidy(() => engine.noGrad(() => (
    /** @type {Float32Array} */ (embedding(Int32Array.from(rows), weight).values.slice()))))
}

/** The value of a direction in the run. @param {Direction} direction */
export function valueOf({ tensor, cells, factors }) {
  const values = readFloats(tensor)
  let sum = 0
  for (let i = 0; i < factors.length; i++) sum += factors[i] * values[cells[i]]
  return sum
}

/**
 * The factors of a direction by rows of a length, zero where it has none.
 * @param {Pick<Direction, 'cells' | 'factors'>} direction @param {number} length @returns {Map<number, Float64Array>}
 */
export function groupRows({ cells, factors }, length) {
  /** @type {Map<number, Float64Array>} */ const rows = new Map()
  for (let i = 0; i < factors.length; i++) {
    const row = Math.floor(cells[i] / length), own = rows.get(row) ?? new Float64Array(length)
    own[cells[i] % length] += factors[i]
    rows.set(row, own)
  }
  return rows
}

/**
 * @param {Tensor} tensor @param {Map<number, Float64Array>} rows @param {number} length of a row @returns {Direction}
 */
function fromRows(tensor, rows, length) {
  const cells = new Int32Array(rows.size * length), factors = new Float64Array(rows.size * length)
  let n = 0
  for (const [row, own] of rows) {
    for (let c = 0; c < length; c++) cells[n + c] = row * length + c
    factors.set(own, n)
    n += length
  }
  return { tensor, cells, factors }
}

/**
 * The offset of the cell of an operand that a cell of the result was computed from, with broadcasting.
 * @param {readonly number[]} shape of the result @param {readonly number[]} from of the operand
 * @returns {(cell: number) => number}
 */
function broadcastCells(shape, from) {
  const size = sizeOf(from), tail = shape.slice(shape.length - from.length)
  if (tail.every((side, axis) => side === from[axis])) return cell => cell % size
  return cell => {
    const index = indexOf(shape, cell).slice(shape.length - from.length)
    return offsetOf(from, index.map((i, axis) => (from[axis] === 1 ? 0 : i)))
  }
}

/**
 * A direction of an operand of an elementwise operation.
 * @param {Direction} direction @param {Tensor} operand @param {(i: number) => number} slope of the i-th cell
 * @returns {Direction}
 */
function scaled({ tensor, cells, factors }, operand, slope) {
  const toCell = broadcastCells(tensor.shape, operand.shape)
  return { tensor: operand, cells: Int32Array.from(cells, toCell), factors: factors.map((f, i) => f * slope(i)) }
}

/** The values of an operand at the cells of a direction. @param {Direction} direction @param {Tensor} operand */
function valuesAt({ tensor, cells }, operand) {
  const values = readFloats(operand), toCell = broadcastCells(tensor.shape, operand.shape)
  return Float64Array.from(cells, cell => values[toCell(cell)])
}

/**
 * A row times a matrix, four of its rows at a time.
 * @param {Float64Array} row [N] @param {Float32Array} table [N, K] @param {number} K @returns {Float64Array} [K]
 */
function multiplyRow(row, table, K) {
  const sums = new Float64Array(K), N = row.length, even = N - N % 4
  for (let n = 0; n < even; n += 4) {
    const a = row[n], b = row[n + 1], c = row[n + 2], d = row[n + 3], from = n * K
    for (let k = 0, i = from; k < K; k++, i++) {
      sums[k] += a * table[i] + b * table[i + K] + c * table[i + 2 * K] + d * table[i + 3 * K]
    }
  }
  for (let n = even; n < N; n++) for (let k = 0; k < K; k++) sums[k] += row[n] * table[n * K + k]
  return sums
}

/** @typedef {(node: Node, direction: Direction, context: Context) => (Direction | Constant)[] | null} Rule */

/** Passes a direction on to an input with the same cells. @type {Rule} */
const pass = ({ inputs: { x } }, { cells, factors }) => [{ tensor: x, cells, factors }]

/** a + b or a − b. @param {number} sign of b @returns {Rule} */
const sumRule = sign => ({ inputs: { a, b }, saved: { number } }, direction) => (
  [[a, 1], [b, sign]].map(([operand, own]) => (operand ? scaled(direction, operand, () => own)
    : { constant: own * number * direction.factors.reduce((sum, f) => sum + f, 0) })))

/**
 * The norm of rows with its divisor fixed, and its bias.
 * @param {(row: Float64Array, eps: number) => number} scaleOf the factor that rows of x were multiplied with
 * @param {boolean} isCentered whether the mean was subtracted
 * @returns {Rule}
 */
const normRule = (scaleOf, isCentered) => ({ inputs: { x, weight, bias }, saved: { eps } }, direction) => {
  const C = x.shape[x.shape.length - 1], rows = groupRows(direction, C)
  const gain = weight ? Float64Array.from(readFloats(weight)) : null, values = readFloats(x)
  const shift = new Float64Array(C)
  for (const own of rows.values()) own.forEach((f, c) => { shift[c] += f })
  for (const [row, own] of rows) {
    const scale = scaleOf(Float64Array.from({ length: C }, (_, c) => values[row * C + c]), eps)
    for (let c = 0; c < C; c++) own[c] *= scale * (gain ? gain[c] : 1)
    const mean = isCentered ? own.reduce((sum, f) => sum + f, 0) / C : 0
    for (let c = 0; c < C; c++) own[c] -= mean
  }
  const below = fromRows(x, rows, C)
  return bias ? [below, { ...fromRows(bias, new Map([[0, shift]]), C), role: 'norm' }] : [below]
}

/** @type {Record<string, Rule>} */
const RULES = {
  add: sumRule(1),
  sub: sumRule(-1),
  mul(node, direction, { follow }) {
    const { inputs: { a, b }, saved: { number } } = node
    if (!a || !b) return [scaled(direction, a ?? b, () => number)]
    const key = follow(node), fixed = key && valuesAt(direction, key === 'a' ? b : a)
    return fixed ? [scaled(direction, node.inputs[/** @type {string} */ (key)], i => fixed[i])] : null
  },
  div(node, direction, { follow }) {
    const { inputs: { a, b }, saved: { number } } = node
    if (!a) return null
    if (!b) return [scaled(direction, a, () => 1 / number)]
    const fixed = follow(node) === 'a' && valuesAt(direction, b)
    return fixed ? [scaled(direction, a, i => 1 / fixed[i])] : null
  },
  linear({ inputs: { x, weight, bias }, saved: { first, count, biasFirst } }, direction) {
    const K = weight.shape[1], rows = groupRows(direction, count), columns = [...new Set(
      Array.from(direction.cells, cell => cell % count))]
    const table = readRows(weight, columns.map(column => first + column))
    const below = new Map([...rows].map(([row, own]) => (
      [row, multiplyRow(Float64Array.from(columns, column => own[column]), table, K)])))
    if (!bias) return [fromRows(x, below, K)]
    const cells = Int32Array.from(direction.cells, cell => biasFirst + cell % count)
    return [fromRows(x, below, K), { tensor: bias, cells, factors: direction.factors, role: 'bias' }]
  },
  layer_norm: normRule((row, eps) => {
    const mean = row.reduce((sum, v) => sum + v, 0) / row.length
    return 1 / Math.sqrt(row.reduce((sum, v) => sum + (v - mean) ** 2, 0) / row.length + eps)
  }, true),
  rms_norm: normRule((row, eps) => 1 / Math.sqrt(row.reduce((sum, v) => sum + v * v, 0) / row.length + eps), false),
  dropout({ inputs: { x }, outputs: { mask } }, direction) {
    const fixed = valuesAt(direction, mask)
    return [scaled(direction, x, i => fixed[i])]
  },
  reshape: pass, clone: pass, detach: pass, to: pass, rounded: pass
}

/** An activation with its ratio of output to input fixed. @type {Rule} */
const activationRule = ({ inputs: { x }, outputs: { out } }, direction) => {
  const [from, to] = [x, out].map(tensor => valuesAt(direction, tensor))
  const isProduct = from.every((value, i) => value !== 0 || to[i] === 0)
  return isProduct ? [scaled(direction, x, i => (from[i] === 0 ? 0 : to[i] / from[i]))] : null
}

/**
 * Any other operation whose explanation of a cell is a sum of products with one cell that depends on the input.
 * @param {Node} node @param {string} output @param {Direction} direction @param {Context} context
 * @returns {(Direction | Constant)[] | null}
 */
function carryByExplanation(node, output, { tensor, cells, factors }, { isData }) {
  /** @type {Map<Tensor, { cells: number[], factors: number[] }>} */ const found = new Map()
  let constant = 0
  for (let i = 0; i < factors.length; i++) {
    const { terms, steps, computed } = node.op.explain(node, output, indexOf(tensor.shape, cells[i]))
    const sum = terms.reduce((all, { value }) => all + value, 0)
    if (!terms.length || steps?.length || terms.length * factors.length > MAX_TERMS) return null
    if (!isClose(sum, computed)) return null
    for (const term of terms) {
      const own = term.factors.filter(factor => factor.tensor && factor.index)
      const data = own.filter(factor => isData(/** @type {Tensor} */ (factor.tensor)))
      const [chosen] = data.length ? data : own
      if (data.length > 1 || (!data.length && own.length > 1)) return null
      if (!chosen) {
        constant += factors[i] * term.value
        continue
      }
      const source = /** @type {Tensor} */ (chosen.tensor), index = /** @type {number[]} */ (chosen.index)
      const fixed = term.factors.reduce((product, factor) => (factor === chosen ? product : product * factor.value), 1)
      if (!isClose(fixed * source.at(...index), term.value)) return null
      const entry = found.get(source) ?? { cells: [], factors: [] }
      entry.cells.push(offsetOf(source.shape, index))
      entry.factors.push(factors[i] * fixed)
      found.set(source, entry)
    }
  }
  const list = [...found].map(([source, entry]) => (
    { tensor: source, cells: entry.cells, factors: Float64Array.from(entry.factors) }))
  return constant === 0 ? list : [...list, { constant }]
}

/** @param {number} a @param {number} b */
const isClose = (a, b) => Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b))

/**
 * Carries a direction from an output of an operation to its inputs; null where the operation is not linear in them.
 * @param {Node} node @param {string} output its name in node.outputs @param {Direction} direction
 * @param {Context} context @returns {(Direction | Constant)[] | null}
 */
export function carryBack(node, output, direction, context) {
  const rule = RULES[node.op.name]
  if (rule) return rule(node, direction, context)
  if (node.op.kind === 'activation') return activationRule(node, direction, context)
  return carryByExplanation(node, output, direction, context)
}
