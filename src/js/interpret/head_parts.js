import { recomputeWeights } from '../ops/attention.js'
import { indexOf, offsetOf } from '../tensor/shape.js'
import { groupRows, readFloats, valueOf } from './directions.js'

/**
 * The parts of attention: what each head wrote at a position, and what it took from every source position.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('./run_graph.js').RunGraph} RunGraph
 * @typedef {import('./directions.js').Direction} Direction
 * @typedef {import('./attribution_walk.js').FoundPart} FoundPart
 *
 * What came through a head from each source position: weight × what the source's values give.
 * @typedef {Float64Array} Sources [Tk]
 *
 * Where the numbers of one head and query lie: weightsAt: the first of its weights; valuesAt: the first of a source's
 * values; head: null where the operation computes only one.
 * @typedef {{ head: number | null, weightsAt: number, valuesAt: (source: number) => number }} HeadOffsets
 *
 * An attention as this file reads it: rows of its output have `width` cells each, of one head and query.
 * @typedef {{ width: number, sourceCount: number, values: Tensor, readWeights: () => ArrayLike<number>,
 *   locate: (row: number) => HeadOffsets }} Heads
 */

/** The heads of the attention operation. @param {Node} node @returns {Heads} */
function headsOfOperation({ inputs, outputs, saved }) {
  const { B, H, Tq, Tk, Dv } = saved.sizes, KV = H / saved.group, isHeadsFirst = outputs.out.shape.length === 4
  return {
    width: Dv, sourceCount: Tk, values: inputs.v,
    readWeights() {
      const stored = outputs.weights.isLeftOut ? recomputeWeights(inputs, saved) : outputs.weights
      const weights = Float32Array.from(stored.values)
      if (stored !== outputs.weights) stored.dispose()
      const mask = saved.dropoutMask?.values
      return mask ? weights.map((weight, i) => weight * mask[i]) : weights
    },
    locate(row) {
      const index = indexOf(isHeadsFirst ? [B, H, Tq] : [B, Tq, H], row)
      const [b, h, q] = isHeadsFirst ? index : [index[0], index[2], index[1]]
      const kv = Math.floor(h / saved.group)
      return {
        head: h, weightsAt: ((b * H + h) * Tq + q) * Tk,
        valuesAt: k => (isHeadsFirst ? (b * KV + kv) * Tk + k : (b * Tk + k) * KV + kv) * Dv
      }
    }
  }
}

/**
 * The heads of attention written out as a product of weights and values; they are numbered in the order in which they
 * are located, which is that of the next layer's inputs.
 * @param {Node} node @returns {Heads}
 */
function headsOfProduct({ inputs: { a, b }, outputs: { out } }) {
  /** The number of heads located, by batch row and query. @type {Map<string, number>} */ const counts = new Map()
  const rank = out.shape.length, width = out.shape[rank - 1], sourceCount = a.shape[a.shape.length - 1]
  /** The offset of an operand's matrix. @param {Tensor} operand @param {readonly number[]} lead */
  const matrixOf = ({ shape }, lead) => {
    const sides = shape.slice(0, -2), own = lead.slice(lead.length - sides.length)
    return offsetOf(sides, own.map((i, axis) => (sides[axis] === 1 ? 0 : i)))
  }
  return {
    width, sourceCount, values: b, readWeights: () => readFloats(a),
    locate(row) {
      const index = indexOf(out.shape.slice(0, -1), row), lead = index.slice(0, -1), q = index[index.length - 1]
      const key = `${index[0]},${q}`, ordinal = counts.get(key) ?? 0
      counts.set(key, ordinal + 1)
      return {
        head: rank < 4 ? null : ordinal, weightsAt: (matrixOf(a, lead) * a.shape[a.shape.length - 2] + q) * sourceCount,
        valuesAt: k => (matrixOf(b, lead) * sourceCount + k) * width
      }
    }
  }
}

/**
 * The parts of the heads that a direction of an attention's output reads.
 * @param {RunGraph} graph @param {Node} node @param {Direction} direction @param {boolean} bySource
 * @returns {FoundPart[]}
 */
export function headParts(graph, node, direction, bySource) {
  const { out } = node.outputs
  const heads = node.op.name === 'attention' ? headsOfOperation(node) : headsOfProduct(node), { width } = heads
  const order = graph.orderOf(out), weights = bySource ? heads.readWeights() : null
  return [...groupRows(direction, width)].map(([row, factors]) => {
    const cells = Int32Array.from({ length: width }, (_, d) => row * width + d), own = { tensor: out, cells, factors }
    const offsets = heads.locate(row)
    /** @type {FoundPart} */
    const part = { role: 'head', tensor: out, direction: own, value: valueOf(own), head: offsets.head, order }
    if (weights) part.sources = sourcesOf(heads, weights, offsets, factors)
    return part
  })
}

/**
 * @param {Heads} heads @param {ArrayLike<number>} weights @param {HeadOffsets} offsets @param {Float64Array} factors
 * @returns {Sources}
 */
function sourcesOf({ values, sourceCount }, weights, { weightsAt, valuesAt }, factors) {
  const numbers = readFloats(values)
  return Float64Array.from({ length: sourceCount }, (_, k) => {
    const from = valuesAt(k)
    return weights[weightsAt + k] * factors.reduce((sum, f, d) => sum + f * numbers[from + d], 0)
  })
}
