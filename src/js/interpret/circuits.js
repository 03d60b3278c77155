import { expect, expectBoolean, expectInteger, expectOptions } from '../errors.js'
import { matmul } from '../ops/matmul.js'
import { tensor as createTensor } from '../tensor/from_values.js'
import { headLayouts, mapTokens, readTokens, tokenEmbeddings, unitRows } from './head_circuit.js'
import { Replay, rowLayout } from './replay.js'
import { RunGraph } from './run_graph.js'
import { SubLayers } from './sub_layers.js'
import { expectRun, findLogits } from './target.js'

/**
 * The circuits of a head (Elhage et al. 2021), over tokens.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../trace/observe.js').Run} Run
 *
 * @typedef {object} CircuitOptions
 * @property {number} layer @property {number} head as logitAttribution numbers them
 * @property {number} [top] 10, the number of pairs with the largest values
 * @property {readonly number[]} [tokens] ids on both axes; default: all tokens that the model reads and writes
 * @property {boolean} [matrix] false; true returns all values too, the square of the number of tokens
 *
 * @typedef {{ source: number, target: number, value: number }} OvPair
 * @typedef {{ query: number, key: number, value: number }} QkPair
 *
 * axes: of the matrix; copyingScore: the fraction of the sources whose own logit is the largest of all targets;
 * diagonal: the own logit of each source.
 * @typedef {{ layer: number, head: number, axes: ['source', 'target'], top: OvPair[], copyingScore: number,
 *   diagonal: Float32Array, matrix?: Tensor }} OvCircuit
 * @typedef {{ layer: number, head: number, distance: number | null, axes: ['query', 'key'], top: QkPair[],
 *   matrix?: Tensor }} QkCircuit
 */

const OPTIONS = ['layer', 'head', 'top', 'tokens', 'matrix']
/** The maximum number of cells of the matrix that are computed at a time. */
const MAX_CELLS = 2 ** 22

/** @param {string} where @param {Run} run @param {any} given @param {string[]} more names of options */
function readHead(where, run, given, more) {
  expectRun(where, run)
  const { top = 10, matrix = false, ...options } = expectOptions(where, given, [...OPTIONS, ...more])
  expect(!run.recording.isDisposed, 'state', () => `${where}: the run was disposed`)
  const graph = new RunGraph(run), subLayers = new SubLayers(graph), found = subLayers.headAt(where, '', options)
  const layouts = headLayouts(where, graph, found), { count, embed } = tokenEmbeddings(where, graph, subLayers)
  expectInteger(where, 'top', top, 0)
  expectBoolean(where, 'matrix', matrix)
  return { graph, subLayers, ...found, layouts, count, embed, top, matrix, options }
}

/** The rows of the residual stream. @param {import('./sub_layers.js').SubLayer} sub */
const streamLayout = ({ stream }) => rowLayout([...stream][0])

/**
 * Computes a product in blocks of rows.
 * @param {Tensor} a [N, D] @param {Tensor} b [D, M] @param {(rows: Tensor) => Tensor} change of a block
 * @param {(row: number, values: Float32Array) => void} visit
 */
function forEachRow(a, b, change, visit) {
  const { engine, shape: [N] } = a, M = b.shape[1], size = Math.max(1, Math.floor(MAX_CELLS / M))
  for (let start = 0; start < N; start += size) engine.tidy(() => engine.noGrad(() => {
    const count = Math.min(size, N - start), values = /** @type {Float32Array} */ (
      change(matmul(a.narrow(0, start, count), b)).values)
    for (let row = 0; row < count; row++) visit(start + row, values.subarray(row * M, (row + 1) * M))
  }))
}

/** The largest values of a matrix, which gets its rows one by one. */
class TopCells {
  /** The largest first. @type {{ row: number, column: number, value: number }[]} */ list = []

  /** @param {number} count */
  constructor(count) {
    this.count = count
  }

  /** @param {number} row @param {Float32Array} values */
  addRow(row, values) {
    const { list, count } = this
    let least = list.length < count ? -Infinity : list[count - 1]?.value ?? Infinity
    for (let column = 0; column < values.length; column++) if (values[column] > least) {
      const value = values[column], at = list.findIndex(other => other.value < value)
      list.splice(at < 0 ? list.length : at, 0, { row, column, value })
      list.length = Math.min(list.length, count)
      least = list.length < count ? -Infinity : list[count - 1].value
    }
  }
}

/**
 * The product of two factors over tokens: its largest cells, and all of it if wanted.
 * @param {ReturnType<typeof readHead>} head @param {Float32Array} left [N, D] @param {Float32Array} right [D, M]
 * @param {number} N @param {{ isTransposed?: boolean, change?: (rows: Tensor) => Tensor,
 *   visit?: (row: number, values: Float32Array) => void }} how isTransposed: right is [M, D]
 */
function multiplyFactors({ layouts, top, matrix }, left, right, N, how) {
  const { isTransposed = false, change = rows => rows, visit } = how, { engine } = layouts.v.tensor
  const D = left.length / N, M = right.length / D, cells = new TopCells(top)
  const all = matrix ? engine.empty([N, M]) : undefined
  engine.tidy(() => engine.noGrad(() => {
    const a = createTensor(engine, left).reshape(N, D), b = createTensor(engine, right)
    forEachRow(a, isTransposed ? b.reshape(M, D).transpose(0, 1) : b.reshape(D, M), change, (row, values) => {
      cells.addRow(row, values)
      all?.values.set(values, row * M)
      visit?.(row, values)
    })
  }))
  return { list: cells.list, ...(all && { matrix: all }) }
}

/**
 * The OV circuit of a head (Elhage et al. 2021): which logits it raises when it attends to a token, W_E W_V W_O W_U.
 * The value is computed of the token's embedding as the first layer gets it, without its position and what earlier
 * layers add, through the norm as the model computes it. What the head writes goes to the logits past all later layers;
 * norms on that way multiply by their weights, and subtract the mean, but do not divide, as TransformerLens folds them,
 * which leaves out the norm before the value as well. Biases are left out: they are the same for all tokens.
 *
 * `copyingScore` is the fraction of tokens whose own logit gets the largest value (Wang et al. 2022 count the first 5).
 * @param {Run} run a run of the model on any text; a longer one takes less time
 * @param {CircuitOptions & { logits?: string }} options logits: the name of the tensor with the logits; default: the
 *   run's output
 * @returns {OvCircuit} a matrix has to be disposed
 * @throws {import('../errors.js').GlassformerError} 'range' for a layer or head that there is not, 'state' for heads
 *   that read another stream, or whose output goes to the logits through an activation; of a model that caps its
 *   logits name those before the cap
 * @example
 * const table = new gf.nn.Embedding(7, 4), layer = new gf.nn.TransformerEncoderLayer(4, 2).eval()
 * const model = ids => gf.functional.linear(layer(table(ids)), table.weight)
 * const run = gf.observe(() => model([[3, 1, 4]]), { modules: { table, layer } })
 * const { top, axes } = gf.interpret.ovCircuit(run, { layer: 0, head: 1, top: 3 })
 * axes                                            // ['source', 'target']
 * top.length                                      // 3
 */
export function ovCircuit(run, options) {
  const where = 'ovCircuit', head = readHead(where, run, options, ['logits'])
  const { graph, subLayers, sub, layouts: { v, out }, embed, count } = head
  const { logits } = findLogits(where, run, head.options.logits), V = logits.shape[logits.shape.length - 1]
  const tokens = readTokens(where, head.options.tokens, Math.min(count, V))
  const reading = new Replay(where, graph, sub.stream, v.tensor)
  const values = mapTokens(tokens, embed, rows => reading.mapLinear(streamLayout(sub), [v], rows)[0])
  const { sum, change } = sub, isLeftOut = subLayers.isInside.bind(subLayers)
  const writing = new Replay(where, graph, new Set([out.tensor]), change, { isLinear: true })
  const toLogits = new Replay(where, graph, new Set([sum]), logits, { isLinear: true, isLeftOut })
  const [written] = writing.mapLinear(out, [rowLayout(change)], unitRows(out.width))
  const [all] = toLogits.mapLinear(rowLayout(sum), [rowLayout(logits)], written)
  const targets = tokens.length === V ? all : pickColumns(all, V, tokens)
  const diagonal = new Float32Array(tokens.length)
  let copied = 0
  const { list, ...matrix } = multiplyFactors(head, values, targets, tokens.length, { visit: (row, own) => {
    diagonal[row] = own[row]
    if (own.every((value, column) => column === row || value < own[row])) copied++
  } })
  const top = list.map(({ row, column, value }) => ({ source: tokens[row], target: tokens[column], value }))
  const { layer, head: number } = head.options
  return { layer, head: number, axes: ['source', 'target'], top, copyingScore: copied / tokens.length, diagonal, ...matrix }
}

/**
 * @param {Float32Array} values [D, V] @param {number} V @param {number[]} columns
 * @returns {Float32Array} [D, columns]
 */
function pickColumns(values, V, columns) {
  const M = columns.length
  return Float32Array.from({ length: values.length / V * M }, (_, i) => values[Math.floor(i / M) * V + columns[i % M]])
}

/**
 * The QK circuit of a head (Elhage et al. 2021): the score, before the mask and the softmax, with which a query token
 * attends to a key token, W_E W_Q W_Kᵀ W_Eᵀ scaled as the model does. Queries and keys are computed of the tokens'
 * embeddings as the first layer gets them, without their positions and what earlier layers add, with norms and biases
 * as the model computes them (TransformerLens folds the norm's weights and leaves out its divisor and the biases).
 * Position biases (ALiBi, T5) are left out.
 * @param {Run} run a run of the model on any text; a longer one takes less time
 * @param {CircuitOptions & { distance?: number }} options distance: of a model with rotary position embedding, and
 *   only there: the number of positions from the key to the query
 * @returns {QkCircuit} a matrix has to be disposed
 * @throws {import('../errors.js').GlassformerError} as ovCircuit; 'type' where distance is missing
 * @example
 * const table = new gf.nn.Embedding(7, 4), layer = new gf.nn.TransformerEncoderLayer(4, 2).eval()
 * const run = gf.observe(() => layer(table([[3, 1, 4]])), { modules: { table, layer } })
 * const { top, matrix } = gf.interpret.qkCircuit(run, { layer: 0, head: 1, matrix: true })
 * matrix.shape                                    // [7, 7]
 * matrix.dispose()
 */
export function qkCircuit(run, options) {
  const where = 'qkCircuit', head = readHead(where, run, options, ['distance'])
  const { graph, sub, layouts: { q, k, toScores }, embed, count } = head, { distance } = head.options
  const isRotary = graph.pathFrom(sub.stream, q.tensor)?.some(({ op }) => op.name === 'rotary') ?? false
  expect(isRotary === (distance !== undefined), 'type', () => `${where}: distance must be ${isRotary
    ? 'given, since the head rotates queries and keys by their positions'
    : 'left out, since the head does not rotate queries and keys'}`)
  if (isRotary) expectInteger(where, 'distance', distance, 0)
  const tokens = readTokens(where, head.options.tokens, count)
  const [queries, keys] = [[q, distance], [k, 0]].map(([layout, position]) => {
    const replay = new Replay(where, graph, sub.stream, layout.tensor, { position })
    return mapTokens(tokens, embed, rows => replay.mapRows(streamLayout(sub), [layout], rows)[0])
  })
  const how = { isTransposed: true, change: toScores }
  const { list, ...matrix } = multiplyFactors(head, queries, keys, tokens.length, how)
  const top = list.map(({ row, column, value }) => ({ query: tokens[row], key: tokens[column], value }))
  const { layer, head: number } = head.options
  return { layer, head: number, distance: distance ?? null, axes: ['query', 'key'], top, ...matrix }
}
