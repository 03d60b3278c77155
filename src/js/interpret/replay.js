import { expect } from '../errors.js'
import { cat } from '../ops/join.js'
import { matmul } from '../ops/matmul.js'
import { rotary } from '../ops/rotary.js'

/**
 * Computes a part of a run again with other values at its beginning, in the shapes of the run.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('./run_graph.js').RunGraph} RunGraph
 *
 * Where the rows of a tensor lie: that of row r has `width` cells from `first(r)` on, `step` apart.
 * @typedef {{ tensor: Tensor, rows: number, width: number, first: (row: number) => number, step: number }} Layout
 */

/** Operations that move values. @type {Record<string, (x: Tensor, parameters: any) => Tensor>} */
const MOVES = {
  reshape: (x, { shape }) => x.reshape(...shape), transpose: (x, { a, b }) => x.transpose(a, b),
  permute: (x, { dims }) => x.permute(...dims), expand: (x, { shape }) => x.expand(...shape),
  narrow: (x, { dim, start, length }) => x.narrow(dim, start, length),
  slice: (x, { dim, start, end, step }) => x.slice(dim, start, end, step),
  rounded: x => x, clone: x => x, detach: x => x, contiguous: x => x, dropout: x => x
}

/** Operations that are linear in the tensor that is replaced, apart from a constant. */
const LINEAR = ['linear', 'matmul', 'add', 'sub', 'mul', 'div', 'cat', 'rotary', ...Object.keys(MOVES)]

/** The layout of rows one after the other. @param {Tensor} tensor @returns {Layout} */
export function rowLayout(tensor) {
  const width = tensor.shape[tensor.shape.length - 1]
  return { tensor, rows: tensor.numel() / width, width, first: row => row * width, step: 1 }
}

/** A part of a run as a function. */
export class Replay {
  /** @type {Node[]} */ #nodes
  #where
  #graph
  #from
  #to
  #options

  /**
   * @param {string} where for messages @param {RunGraph} graph @param {ReadonlySet<Tensor>} from tensors that are
   *   replaced, by the same values
   * @param {Tensor} to
   * @param {{ isLinear?: boolean, position?: number, isLeftOut?: (node: Node) => boolean }} [options] isLinear: norms
   *   multiply with their weights (and subtract the mean) and do not divide; position: 0, of every row, for rotary
   *   position embedding; isLeftOut: operations whose results count as zero
   */
  constructor(where, graph, from, to, { isLinear = false, position = 0, isLeftOut = () => false } = {}) {
    const path = from.has(to) ? [] : graph.pathFrom(from, to), reached = new Set(from)
    expect(path !== null, 'state', () => `${where}: ${graph.nameOf(to)} was not computed from the residual stream ` +
      `at ${graph.nameOf([...from][0])}`)
    this.#nodes = path.sort((a, b) => graph.orderOf(a.outputs.out) - graph.orderOf(b.outputs.out)).filter(node => {
      const isReached = !isLeftOut(node) && Object.values(node.inputs).some(input => reached.has(input))
      if (isReached) reached.add(node.outputs.out)
      return isReached
    })
    this.#where = where
    this.#graph = graph
    this.#from = from
    this.#to = to
    this.#options = { isLinear, position }
  }

  /** @param {Tensor} x in the shape of the tensors that it replaces @returns {Tensor} */
  run(x) {
    const found = new Map([...this.#from].map(tensor => [tensor, x]))
    const read = (/** @type {Tensor} */ tensor) => /** @type {Tensor} */ (found.get(tensor)).reshape(...tensor.shape)
    for (const node of this.#nodes) {
      const inputs = Object.entries(node.inputs).filter(([, input]) => found.has(input))
      const given = Object.fromEntries(inputs.map(([key, input]) => [key, read(input)]))
      found.set(node.outputs.out, this.#apply(node, given))
    }
    return read(this.#to)
  }

  /** @param {Node} node @param {boolean} condition */
  #expect(node, condition) {
    const { isLinear } = this.#options
    expect(condition, 'state', () => `${this.#where}: ${node.op.name}, which computes ${this.#graph.nameOf(node.outputs.out)}, ` +
      `${isLinear ? 'is not linear' : 'cannot be computed for other tokens'}`)
  }

  /**
   * Computes an operation for other values of some inputs. Summands that do not depend on them count as zero, apart
   * from biases.
   * @param {Node} node @param {Record<string, Tensor>} given @returns {Tensor}
   */
  #apply(node, given) {
    const { op, inputs } = node, { isLinear, position } = this.#options, [x] = Object.values(given)
    const parameters = /** @type {any} */ (op.parameters?.(node) ?? {}), isSum = op.name === 'add' || op.name === 'sub'
    const isNorm = op.name === 'layer_norm' || op.name === 'rms_norm'
    this.#expect(node, !isLinear || isNorm || LINEAR.includes(op.name))
    this.#expect(node, isSum || op.name === 'cat' || Object.keys(given).length === 1)
    if (isLinear && isNorm) return normWithoutScale(node, x)
    if (MOVES[op.name]) return MOVES[op.name](x, parameters)
    if (op.name === 'rotary') {
      const { base, layout, heads, frequencies, dims, scale } = node.saved
      const positions = Array.from({ length: x.shape[x.shape.length - 2] }, () => position)
      return rotary(x, { base, layout, heads, frequencies, dims, scale, positions })
    }
    /** @param {[string, Tensor | null]} input @returns {[string, Tensor | null]} */
    const orZero = ([key, input]) => [key, given[key] ?? (input && input.shape.length > 1 ? input.mul(0) : input)]
    if (op.name === 'cat') return cat(/** @type {Tensor[]} */ (Object.entries(inputs).map(input => orZero(input)[1])), parameters)
    if (op.name === 'matmul') {
      this.#expect(node, given.a !== undefined && inputs.b.shape.length === 2)
      return matmul(x, inputs.b)
    }
    const others = Object.entries(inputs).filter(([key, input]) => input && !given[key])
    const isFixed = others.every(([, input]) => !this.#graph.isData(input) || input.shape.length < 2)
    this.#expect(node, op.recompute !== undefined && (isSum || isFixed))
    const recompute = /** @type {NonNullable<typeof op.recompute>} */ (op.recompute)
    const all = isSum ? Object.fromEntries(Object.entries(inputs).map(orZero)) : { ...inputs, ...given }
    return recompute(all, parameters)
  }

  /**
   * Computes many rows, as many at a time as the run has.
   * @param {Layout} from @param {readonly Layout[]} to of the tensor that is computed
   * @param {Float32Array} rows [N, width] @returns {Float32Array[]} [N, width] each
   */
  mapRows(from, to, rows) {
    const { engine } = from.tensor, n = rows.length / from.width
    for (const { tensor, rows: own } of to) expect(own === from.rows, 'shape', () => `${this.#where}: ` +
      `${this.#graph.nameOf(tensor)} must have the ${from.rows} positions of the residual stream, got ${own}`)
    const results = to.map(({ width }) => new Float32Array(n * width))
    for (let start = 0; start < n; start += from.rows) engine.tidy(() => engine.noGrad(() => {
      const x = engine.zeros(from.tensor.shape), count = Math.min(from.rows, n - start), { values } = x
      for (let row = 0; row < count; row++) for (let c = 0; c < from.width; c++) {
        values[from.first(row) + c * from.step] = rows[(start + row) * from.width + c]
      }
      const { values: computed } = this.run(x)
      to.forEach(({ width, first, step }, i) => {
        for (let row = 0; row < count; row++) for (let c = 0; c < width; c++) {
          results[i][(start + row) * width + c] = computed[first(row) + c * step]
        }
      })
    }))
    return results
  }

  /**
   * The linear part: the results of rows minus that of zeros.
   * @param {Layout} from @param {readonly Layout[]} to @param {Float32Array} rows
   */
  mapLinear(from, to, rows) {
    const zeros = this.mapRows(from, to, new Float32Array(from.width))
    return this.mapRows(from, to, rows).map((values, i) => values.map((v, at) => v - zeros[i][at % to[i].width]))
  }
}

/** @param {Node} node @param {Tensor} x */
function normWithoutScale({ op, inputs: { weight } }, x) {
  const centered = op.name === 'layer_norm' ? x.sub(x.mean(-1, { keepdim: true })) : x
  return weight ? centered.mul(weight) : centered
}
