import { expect } from '../errors.js'
import { matmul } from '../ops/matmul.js'
import { stack } from '../ops/join.js'
import { tensor as createTensor } from '../tensor/from_values.js'
import { headLayouts, unitRows } from './head_circuit.js'
import { Replay, rowLayout } from './replay.js'
import { RunGraph } from './run_graph.js'
import { SubLayers, headsOf } from './sub_layers.js'
import { expectRun } from './target.js'

/**
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./sub_layers.js').Head} Head
 *
 * q, k, v: [sender][receiver], by their indices in `heads`; NaN where the receiver is not in a later layer.
 * @typedef {{ heads: { layer: number, head: number }[], axes: ['sender', 'receiver'], q: number[][], k: number[][],
 *   v: number[][] }} CompositionScores
 *
 * What a head reads of a vector in the stream as query, key and value [C, D] each, and what it writes of a value
 * [D, C].
 * @typedef {{ q: Tensor, k: Tensor, v: Tensor, o: Tensor }} Weights
 */

const WHERE = 'compositionScores'

/**
 * The weights of the heads of a layer, with the norms' weights in them.
 * @param {RunGraph} graph @param {Head[]} heads of one sub-layer @returns {Weights[]}
 */
function readWeights(graph, heads) {
  const [{ sub: { stream, change } }] = heads, from = rowLayout([...stream][0]), C = from.width
  const layouts = heads.map(head => headLayouts(WHERE, graph, head)), { engine } = from.tensor
  /** @param {Float32Array} values @param {number} width */
  const toTensor = (values, width) => createTensor(engine, values).reshape(values.length / width, width)
  const [q, k, v] = /** @type {const} */ (['q', 'k', 'v']).map(name => {
    // Heads of other attentions have tensors of their own.
    const tensors = [...new Set(layouts.map(layout => layout[name].tensor))]
    const found = new Map(tensors.flatMap(tensor => {
      const own = layouts.map(layout => layout[name]).filter(layout => layout.tensor === tensor)
      const values = new Replay(WHERE, graph, stream, tensor, { isLinear: true }).mapLinear(from, own, unitRows(C))
      return own.map((layout, i) => /** @type {const} */ ([layout, toTensor(values[i], layout.width)]))
    }))
    return layouts.map(layout => /** @type {Tensor} */ (found.get(layout[name])))
  })
  return layouts.map(({ out }, i) => {
    const writing = new Replay(WHERE, graph, new Set([out.tensor]), change, { isLinear: true })
    const [o] = writing.mapLinear(out, [rowLayout(change)], unitRows(out.width))
    return { q: q[i], k: k[i], v: v[i], o: toTensor(o, C) }
  })
}

/** WᵀW of a tensor [..., C, D]. @param {Tensor} x */
const gramOf = x => matmul(x.transpose(-1, -2), x)

/**
 * The squared Frobenius norms of L M Rᵀ, without the product: the sum of (LᵀL M) ∘ (M RᵀR).
 * @param {Tensor} left LᵀL [..., D, D] @param {Tensor} middle M [..., D, D] @param {Tensor} right RᵀR [..., D, D]
 */
const squaredNorms = (left, middle, right) => matmul(left, middle).mul(matmul(middle, right)).sum([-1, -2])

/**
 * Composition scores (Elhage et al. 2021): how much of what each head writes the heads of later layers read, as queries
 * (‖W_OVᵀ W_QK‖ / ‖W_OV‖ ‖W_QK‖, Frobenius norms), as keys and as values (‖W_OV W_OV‖). The products are
 * never computed: the norm of a product of four factors needs only matrices of the size of a head. Norms' weights are
 * part of what is read, as TransformerLens folds them; rotary position embedding counts as for a distance of 0. Heads
 * that have nothing to do with each other score about the same by chance, the more the larger a head is
 * in the stream: compare with the scores of an untrained model.
 * @param {import('../trace/observe.js').Run} run a run of the model on any text
 * @returns {CompositionScores}
 * @throws {import('../errors.js').GlassformerError} 'state' for a run with fewer than two layers of self-attention
 * @example
 * const model = new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(8, 2), 2).eval()
 * const run = gf.observe(() => model(gf.ones([1, 3, 8])), { modules: { model } })
 * const { heads, k } = gf.interpret.compositionScores(run)
 * heads.length                                    // 4
 * k[0].map(Number.isNaN)                          // [true, true, false, false]
 */
export function compositionScores(run) {
  expectRun(WHERE, run)
  expect(!run.recording.isDisposed, 'state', () => `${WHERE}: the run was disposed`)
  const graph = new RunGraph(run), subs = selfAttentions(graph), { engine } = run.recording
  expect(subs.length > 1, 'state',
    () => `${WHERE}: the run must have two layers of self-attention or more, got ${subs.length}`)
  const heads = subs.flatMap(sub => sub.map((_, head) => ({ layer: sub[0].sub.layer, head })))
  const scores = () => heads.map(() => heads.map(() => NaN)), found = { q: scores(), k: scores(), v: scores() }
  engine.tidy(() => engine.noGrad(() => {
    /** What earlier heads write. @type {{ o: Tensor, gram: Tensor, norm: number }[]} */ const senders = []
    for (const sub of subs) senders.push(...engine.tidy(() => {
      const first = senders.length, writes = first ? stack(senders.map(({ o }) => o)) : null
      const grams = first ? stack(senders.map(({ gram }) => gram)) : null
      return readWeights(graph, sub).map(({ q, k, v, o }, i) => engine.tidy(() => {
        const [Q, K, gram, O] = [q, k, v, o.transpose(0, 1)].map(gramOf)
        const norm = gram.mul(O).sum().item(), qk = Q.mul(K).sum().item()
        const kinds = /** @type {const} */ ([['q', q, K, qk], ['k', k, Q, qk], ['v', v, O, norm]])
        if (writes && grams) for (const [name, read, rest, own] of kinds) engine.tidy(() => {
          squaredNorms(grams, matmul(writes, read), rest).values.forEach((square, n) => {
            found[name][n][first + i] = Math.sqrt(square / senders[n].norm / own)
          })
        })
        return { o, gram, norm }
      }))
    }))
  }))
  return { heads, axes: ['sender', 'receiver'], ...found }
}

/** The heads of each layer's attention from the stream to itself. @param {RunGraph} graph @returns {Head[][]} */
const selfAttentions = graph => new SubLayers(graph).numbered.map(sub => headsOf(sub).filter(head => (
  graph.dependsOn(headLayouts(WHERE, graph, head).v.tensor, sub.stream)))).filter(heads => heads.length)
