import { expect, numberWhere, probability, shapeText } from '../errors.js'
import { isRecording, record } from '../autograd.js'
import { cell, constant, product, roundedSum, sumOf } from '../explain.js'
import { indicesOf, offsetOf, range } from '../shape.js'
import { expectRank, floatTensor, sameEngine } from './checks.js'
import { dropoutMask } from './dropout.js'
import { mul } from './mul.js'
import { additiveMask, paddingMask } from './mask.js'
import { explainSoftmax, explainSoftmaxGradient } from './softmax.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/**
 * Two ways a tensor can hold the rows of all heads: [B, H, T, D], or [B, T, H*D] with the heads side by side.
 * @typedef {object} Layout
 * @property {(sizes: { H: number, T: number, D: number }) => number[]} strides floats from one batch, head and time to the next
 * @property {(b: number, h: number, t: number, d: number, D: number) => number[]} index
 * @property {(index: readonly number[], D: number) => number[]} place the inverse: b, h, t, d
 */

/** @type {Layout} */
const HEADS_FIRST = {
  strides: ({ H, T, D }) => [H * T * D, T * D, D],
  index: (b, h, t, d) => [b, h, t, d],
  place: index => [...index]
}

/** @type {Layout} */
const HEADS_LAST = {
  strides: ({ H, T, D }) => [T * H * D, D, H * D],
  index: (b, h, t, d, D) => [b, t, h * D + d],
  place: ([b, t, c], D) => [b, Math.floor(c / D), t, c % D]
}

/** The gf_attention struct in memory, masks included. @param {import('../engine.js').Engine} engine @param {any} saved @param {number} padding */
function passStruct(engine, { sizes, scale, layout, mask, isCausal }, padding) {
  const { B, H, Tq, Tk, D, Dv } = sizes
  const bits = new Int32Array(new Float32Array([scale]).buffer)[0]
  return engine.pass([
    B, H, Tq, Tk, D, Dv, bits,
    ...layout.strides({ H, T: Tq, D }), ...layout.strides({ H, T: Tk, D }), ...layout.strides({ H, T: Tk, D: Dv }),
    ...layout.strides({ H, T: Tq, D: Dv }),
    mask?.tensor.address ?? 0, mask?.batch ?? 0, mask?.head ?? 0, padding, isCausal ? 1 : 0, 1
  ])
}

/**
 * Calls `use` with the struct's address and a workspace of the size it needs.
 * @param {import('../engine.js').Engine} engine @param {any} saved @param {boolean} isBackward
 * @param {(struct: number, workspace: number) => void} use
 */
function withStruct(engine, saved, isBackward, use) {
  const { padding } = saved
  engine.memory.borrow(padding?.length ?? 0, address => {
    if (padding) engine.memory.bytes(address, padding.length).set(padding)
    const struct = passStruct(engine, saved, padding ? address : 0)
    const workspace = engine.scratch(engine.c.gf_attention_workspace(struct, isBackward ? 1 : 0))
    use(struct, workspace)
  })
}

/** What the masks add to a score. @param {any} saved @param {readonly number[]} cellIndex */
function maskAt({ mask, padding, isCausal, sizes }, [b, h, i, j]) {
  if ((isCausal && j > i) || padding?.[b * sizes.Tk + j]) return -Infinity
  return mask ? mask.tensor.values[b * mask.batch + h * mask.head + i * sizes.Tk + j] : 0
}

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'attention',
  backward({ inputs: { q, k, v, mask }, outputs: { out, scores, masked_scores: masked, weights }, saved, trace }, gradient) {
    const { engine } = out, { dropoutMask: dropped } = saved
    const dq = gradient(q), dk = gradient(k), dv = gradient(v), dout = gradient(out)
    const dmask = gradient(mask), spare = dmask && !trace ? engine.zeros(weights.shape) : null
    const dmasked = trace ? gradient(masked) : spare?.address ?? 0, dweights = trace ? gradient(weights) : 0
    withStruct(engine, saved, true, (struct, workspace) => {
      engine.c.gf_attention_backward(dq, dk, dv, dmasked, dweights, workspace, dout, weights.address, q.address, k.address,
        v.address, dropped?.address ?? 0, struct)
    })
    if (trace) engine.c.gf_accumulate(gradient(scores), dmasked, scores.size)
    if (dmask) {
      const { B, H, Tq, Tk } = saved.sizes, at = engine.pass([1, B, H, Tq * Tk, 0, saved.mask.batch, saved.mask.head, 1])
      engine.c.gf_add_backward(dmask, dmasked, at, at + 16)
    }
    spare?.dispose()
  },
  explain({ inputs, outputs, saved }, output, index) {
    const { layout, sizes: { D, Dv, Tk }, scale, dropoutMask: dropped } = saved
    if (output === 'out') {
      const [b, h, i, d] = layout.place(index, Dv)
      return sumOf('out[i] = Σⱼ weights[i, j] × v[j]', range(Tk).map(j => product(
        cell(outputs.weights, [b, h, i, j], 'weights'),
        ...(dropped ? [cell(dropped, [b, h, i, j], 'dropout')] : []),
        cell(inputs.v, layout.index(b, h, j, d, Dv), 'v'))))
    }
    const [b, h, i, j] = index
    if (output === 'weights') return explainSoftmax(range(Tk).map(key => cell(outputs.masked_scores, [b, h, i, key], 'scores')), j)
    if (output === 'masked_scores') {
      const added = constant('mask', maskAt(saved, index))
      return sumOf('scores + mask', [product(cell(outputs.scores, index, 'scores')), product(added)])
    }
    const terms = range(D).map(d => product(cell(inputs.q, layout.index(b, h, i, d, D), 'q'), cell(inputs.k, layout.index(b, h, j, d, D), 'k')))
    const dot = roundedSum(terms), computed = Math.fround(dot * Math.fround(scale))
    return {
      formula: isRootOf(scale, D) ? `q · k / √${D}` : 'q · k × scale',
      terms,
      steps: [{ label: 'q · k', value: dot }, { label: isRootOf(scale, D) ? `÷ √${D}` : `× ${scale}`, value: computed }],
      computed
    }
  },
  explainGradient({ inputs, outputs, saved }, input, index, d) {
    const { layout, sizes: { Tq, Tk, D, Dv }, scale, dropoutMask: dropped } = saved
    const factor = constant('scale', scale)
    if (input === 'mask') return explainMaskGradient(outputs.masked_scores, inputs.mask, saved, index, d)
    const drop = (/** @type {number[]} */ at) => (dropped ? [cell(dropped, at, 'dropout')] : [])
    if (input === 'scores') return { formula: 'dscores = dmasked', terms: [product(d(outputs.masked_scores, index, 'dmasked'))] }
    if (input === 'masked_scores' || input === 'weights') {
      const [b, h, i, j] = index
      if (input === 'weights') {
        return {
          formula: 'dweights[i, j] = Σ dout[i] × v[j]',
          terms: range(Dv).map(e => product(d(outputs.out, layout.index(b, h, i, e, Dv), 'dout'),
            cell(inputs.v, layout.index(b, h, j, e, Dv), 'v'), ...drop([b, h, i, j])))
        }
      }
      const row = range(Tk).map(key => [b, h, i, key])
      return explainSoftmaxGradient(row.map(at => cell(outputs.weights, at, 'y')), row.map(at => d(outputs.weights, at, 'dy')), j)
    }
    const [b, h, t, e] = layout.place(index, input === 'v' ? Dv : D)
    if (input === 'v') {
      return {
        formula: 'dv[j] = Σᵢ weights[i, j] × dout[i]',
        terms: range(Tq).map(i => product(cell(outputs.weights, [b, h, i, t], 'weights'), ...drop([b, h, i, t]),
          d(outputs.out, layout.index(b, h, i, e, Dv), 'dout')))
      }
    }
    const isQuery = input === 'q'
    return {
      formula: isQuery ? 'dq[i] = scale × Σⱼ dscores[i, j] × k[j]' : 'dk[j] = scale × Σᵢ dscores[i, j] × q[i]',
      terms: range(isQuery ? Tk : Tq).map(other => product(factor,
        d(outputs.masked_scores, isQuery ? [b, h, t, other] : [b, h, other, t], 'dscores'),
        cell(isQuery ? inputs.k : inputs.q, layout.index(b, h, other, e, D), isQuery ? 'k' : 'q')))
    }
  },
  cost: ({ saved: { sizes: { B, H, Tq, Tk, D, Dv } } }) => ({ multiplyAdds: B * H * Tq * Tk * (D + Dv) })
}

/** Every score that a cell of the mask was added to. @type {(masked: Tensor, mask: Tensor, saved: any, index: readonly number[], d: any) => any} */
function explainMaskGradient(masked, mask, { mask: { batch, head } }, index, d) {
  const [B, H, Tq, Tk] = masked.shape, offset = offsetOf(mask.shape, index), i = Math.floor(offset / Tk) % Tq, j = offset % Tk
  const places = indicesOf([B, H]).filter(([b, h]) => b * batch + h * head + i * Tk + j === offset)
  return { formula: 'dmask = Σ dmasked', terms: places.map(([b, h]) => product(d(masked, [b, h, i, j], 'dmasked'))) }
}

/** @param {number} scale @param {number} D */
const isRootOf = (scale, D) => Math.abs(scale - 1 / Math.sqrt(D)) < 1e-12

/** @param {Tensor} scores @param {any} saved @returns {Tensor} the scores with the masks added, rounded as the kernel does */
function maskedScores(scores, saved) {
  const { H, Tq, Tk } = saved.sizes, out = scores.engine.empty(scores.shape), to = out.values, from = scores.values
  for (let n = 0; n < out.size; n++) {
    const j = n % Tk, i = Math.floor(n / Tk) % Tq, h = Math.floor(n / (Tk * Tq)) % H, b = Math.floor(n / (Tk * Tq * H))
    const added = maskAt(saved, [b, h, i, j])
    to[n] = added === -Infinity ? -Infinity : from[n] + added
  }
  return out
}

/** The tensors between the inputs and the output, which a reader may edit. */
const PARTS = ['scores', 'masked_scores', 'weights']

/**
 * The kernel's steps one by one, each continuing from what an edit left: the same operations in the same order.
 * @param {{ out: Tensor, scores: Tensor, weights: Tensor }} made @param {Tensor} v @param {any} saved
 * @returns {Tensor} the masked scores
 */
function recompute({ out, scores, weights }, v, saved) {
  const { engine } = out, trace = /** @type {import('../trace.js').Trace} */ (engine.trace)
  const { sizes: { B, H, Tq, Tk, Dv }, layout, dropoutMask: dropped } = saved
  const masked = trace.patch('masked_scores', maskedScores(trace.patch('scores', scores), saved))
  engine.c.gf_softmax_forward(weights.address, masked.address, B * H * Tq, Tk)
  trace.patch('weights', weights)
  for (const [b, h, i, d] of indicesOf([B, H, Tq, Dv])) {
    const terms = range(Tk).map(j => {
      const weight = weights.at(b, h, i, j), used = dropped ? Math.fround(weight * dropped.at(b, h, i, j)) : weight
      return Math.fround(used * v.at(...layout.index(b, h, j, d, Dv)))
    })
    out.values[offsetOf(out.shape, layout.index(b, h, i, d, Dv))] = terms.reduce((sum, term) => Math.fround(sum + term), 0)
  }
  return masked
}

/**
 * @typedef {object} AttentionOptions
 * @property {any} [attnMask] see mask.js
 * @property {any} [keyPaddingMask] [B, Tk], true hides the key
 * @property {boolean} [isCausal] hide keys j > i, aligned at the top left
 * @property {number} [dropoutP] probability to drop a weight
 * @property {number} [scale] 1 / √D
 */

/**
 * @param {string} where @param {Tensor} q @param {Tensor} k @param {Tensor} v @param {Layout} layout @param {any} sizes
 * @param {AttentionOptions & { maskHides: boolean, needWeights: boolean }} options
 * @returns {{ out: Tensor, weights: Tensor | null }} the weights as they were used: after dropout
 */
function attend(where, q, k, v, layout, sizes, options) {
  sameEngine(where, q, k, v)
  const { engine } = q, { B, H, Tq, Tk, D, Dv } = sizes, { dropoutP = 0, isCausal = false, scale = 1 / Math.sqrt(D) } = options
  const saved = {
    sizes, layout, scale, isCausal,
    mask: additiveMask(engine, where, options.attnMask, options.maskHides, sizes),
    padding: paddingMask(where, options.keyPaddingMask, sizes),
    dropoutMask: dropoutP > 0 ? dropoutMask(engine, [B, H, Tq, Tk], dropoutP) : null
  }
  const out = engine.empty(layout === HEADS_FIRST ? [B, H, Tq, Dv] : [B, Tq, H * Dv])
  const keepWeights = options.needWeights || isRecording(engine, q, k, v, saved.mask?.tensor)
  const weights = keepWeights ? engine.empty([B, H, Tq, Tk]) : null, scores = engine.trace ? engine.empty([B, H, Tq, Tk]) : null
  withStruct(engine, saved, false, (struct, workspace) => {
    engine.c.gf_attention_forward(out.address, scores?.address ?? 0, weights?.address ?? 0, workspace, q.address, k.address,
      v.address, saved.dropoutMask?.address ?? 0, struct)
  })
  /** @type {Record<string, Tensor>} */ const outputs = { out }
  if (weights) outputs.weights = weights
  if (scores && weights) {
    const isEdited = engine.trace?.willEdit(...PARTS)
    Object.assign(outputs, { scores, masked_scores: isEdited ? recompute({ out, scores, weights }, v, saved) : maskedScores(scores, saved) })
  }
  record(engine, op, { q, k, v, mask: saved.mask?.tensor }, outputs, saved)
  return { out, weights: weights && saved.dropoutMask ? mul(weights, saved.dropoutMask) : weights }
}

/**
 * softmax(q kᵀ / √D + mask) v: torch.nn.functional.scaled_dot_product_attention. A query that may attend to nothing gets
 * NaN, as the formula says and as PyTorch did up to 2.4.
 * @param {Tensor} q [B, H, Tq, D]
 * @param {Tensor} k [B, H, Tk, D]
 * @param {Tensor} v [B, H, Tk, Dv]
 * @param {AttentionOptions} [options] attnMask: nested booleans (true may attend) or numbers to add
 * @returns {Tensor} [B, H, Tq, Dv]
 */
export function scaledDotProductAttention(q, k, v, options = {}) {
  const where = 'scaledDotProductAttention'
  for (const [name, t] of Object.entries({ q, k, v })) expectRank(where, name, floatTensor(where, name, t), 4, '[B, H, T, D]')
  const [B, H, Tq, D] = q.shape, [, , Tk] = k.shape, Dv = v.shape[3]
  const fits = shapeText(k.shape) === shapeText([B, H, Tk, D]) && shapeText(v.shape) === shapeText([B, H, Tk, Dv])
  expect(fits, 'shape', () => `${where}: k must be [B, H, Tk, D] and v [B, H, Tk, Dv] to go with q ${shapeText(q.shape)}, got k ${
    shapeText(k.shape)} and v ${shapeText(v.shape)}`)
  if (options.scale !== undefined) numberWhere(where, 'scale', options.scale, 'a number', v => v === v)
  probability(where, 'dropoutP', options.dropoutP ?? 0)
  return attend(where, q, k, v, HEADS_FIRST, { B, H, Tq, Tk, D, Dv }, { ...options, maskHides: false, needWeights: false }).out
}

/**
 * The same for projections with the heads side by side, as multi-head attention has them.
 * @param {Tensor} q [B, Tq, C] @param {Tensor} k [B, Tk, C] @param {Tensor} v [B, Tk, C] @param {number} heads
 * @param {AttentionOptions & { needWeights: boolean }} options attnMask: true hides, as in torch's modules
 */
export function multiheadAttention(q, k, v, heads, options) {
  const [B, Tq, C] = q.shape, Tk = k.shape[1], D = C / heads
  return attend('MultiheadAttention', q, k, v, HEADS_LAST, { B, H: heads, Tq, Tk, D, Dv: D }, { ...options, maskHides: true })
}
