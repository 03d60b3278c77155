import { expect, flag, numberWhere, optionsOf, probability, shapeText } from '../errors.js'
import { isRecording, record } from '../autograd.js'
import { indexOf, indicesOf, offsetOf, range, sameShape } from '../shape.js'
import { explainAttention, explainAttentionGradient } from './attention_explain.js'
import { passFours } from './broadcast.js'
import { expectRank, floatTensor, sameEngine } from './checks.js'
import { dropoutMask } from './dropout.js'
import { additiveMask, maskAt, paddingMask } from './mask.js'
import { mul } from './mul.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/**
 * Two ways a tensor can hold the rows of all heads: [B, H, T, D], or [B, T, H*D] with the heads side by side.
 * @typedef {object} Layout
 * @property {(sizes: { H: number, T: number, D: number }) => number[]} strides floats from one batch, head and time to
 *   the next
 * @property {(b: number, h: number, t: number, d: number, D: number) => number[]} index of a cell
 * @property {(index: readonly number[], D: number) => number[]} place the inverse: b, h, t, d
 * @property {(axes: import('../axes.js').Axes) => import('../axes.js').Axis} token the one that runs over time
 */

/** @type {Layout} */
const HEADS_FIRST = {
  strides: ({ H, T, D }) => [H * T * D, T * D, D],
  index: (b, h, t, d) => [b, h, t, d],
  place: index => [...index],
  token: axes => axes[2]
}

/** @type {Layout} */
const HEADS_LAST = {
  strides: ({ H, T, D }) => [T * H * D, D, H * D],
  index: (b, h, t, d, D) => [b, t, h * D + d],
  place: ([b, t, c], D) => [b, Math.floor(c / D), t, c % D],
  token: axes => axes[1]
}

const oneFloat = new Float32Array(1), itsBits = new Int32Array(oneFloat.buffer)

/** A float32 as the integer of the same bits, to stand in a list of integers. @param {number} x */
function floatBits(x) {
  oneFloat[0] = x
  return itsBits[0]
}

/**
 * The gf_attention struct in memory, masks included; kept scores hold the hidden ones, too.
 * @param {import('../engine.js').Engine} engine @param {any} saved @param {number} padding address of the bytes, or 0
 */
function passStruct(engine, { sizes, scale, layout, mask, isCausal }, padding) {
  const { B, H, Tq, Tk, D, Dv } = sizes
  const [q, k, v, out] = [[Tq, D], [Tk, D], [Tk, Dv], [Tq, Dv]].map(([T, side]) => layout.strides({ H, T, D: side }))
  return engine.pass([
    B, H, Tq, Tk, D, Dv, floatBits(scale), ...q, ...k, ...v, ...out,
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

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'attention',
  roles: { out: 'heads' },
  from({ inputs: { q, k, v, mask }, outputs, saved }, output) {
    if (output === 'scores') return { q, k }
    if (output === 'masked_scores') return { scores: outputs.scores, mask }
    if (output === 'weights') return { scores: outputs.masked_scores }
    return { weights: outputs.weights, dropout: saved.dropoutMask, v }
  },
  inputAxes: { mask: [{ name: 'query' }, { name: 'key' }] },
  axes({ inputs: { q, k, v }, saved: { layout } }, of, output) {
    const [batch, token, key] = [of(q)[0], layout.token(of(q)), layout.token(of(k))]
    if (output === 'out') return layout === HEADS_LAST ? of(q) : [...of(q).slice(0, -1), of(v)[of(v).length - 1]]
    return [batch, { name: 'head' }, { ...token, name: 'query' }, { ...key, name: 'key' }]
  },
  parameters: ({ saved: { sizes, scale, isCausal, padding } }) => (
    { heads: sizes.H, size: sizes.D, scale, isCausal, hidden: padding && Array.from(padding) }),
  /* Between the softmax and q kᵀ there is only the mask, which is added: dscores = dmasked, and dmask is its sum. */
  backward({ inputs: { q, k, v, mask }, outputs, saved, trace }, gradient) {
    const { out, scores, masked_scores: masked, weights } = outputs, { engine } = out
    const dq = gradient(q), dk = gradient(k), dv = gradient(v), dout = gradient(out)
    const dmask = gradient(mask), spare = dmask && !trace ? engine.zeros(weights.shape) : null
    const dmasked = trace ? gradient(masked) : spare?.address ?? 0, dweights = trace ? gradient(weights) : 0
    withStruct(engine, saved, true, (struct, workspace) => {
      engine.c.gf_attention_backward(dq, dk, dv, dmasked, dweights, workspace, dout, weights.address, q.address,
        k.address, v.address, saved.dropoutMask?.address ?? 0, struct)
    })
    if (trace) engine.c.gf_accumulate(gradient(scores), dmasked, scores.size)
    if (dmask) {
      const { B, H, Tq, Tk } = saved.sizes, { batch, head } = saved.mask
      engine.c.gf_add_backward(dmask, dmasked, ...passFours(engine, [1, B, H, Tq * Tk], [0, batch, head, 1]))
    }
    spare?.dispose()
  },
  explain: explainAttention,
  explainGradient: explainAttentionGradient,
  cost: ({ saved: { sizes: { B, H, Tq, Tk, D, Dv } } }) => ({ multiplyAdds: B * H * Tq * Tk * (D + Dv) })
}

/**
 * The scores with the masks added, rounded as the kernel does.
 * @param {Tensor} scores @param {any} saved @returns {Tensor}
 */
function maskedScores(scores, saved) {
  const out = scores.engine.empty(scores.shape), to = out.values, from = scores.values
  for (let n = 0; n < out.size; n++) {
    const added = maskAt(saved, indexOf(out.shape, n))
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
    const sum = terms.reduce((total, term) => Math.fround(total + term), 0)
    out.values[offsetOf(out.shape, layout.index(b, h, i, d, Dv))] = sum
  }
  return masked
}

/**
 * @typedef {object} AttentionOptions
 * @property {any} [attnMask] [Tq, Tk] or [B, H, Tq, Tk] (B and H may be 1): nested booleans, or numbers to add
 * @property {any} [keyPaddingMask] [B, Tk], true hides the key
 * @property {boolean} [isCausal] false; true hides keys j > i, aligned at the top left
 * @property {number} [dropoutP] 0, probability to drop a weight
 * @property {number} [scale] 1 / √D
 */

/**
 * @param {string} where @param {Tensor} q @param {Tensor} k @param {Tensor} v @param {Layout} layout @param {any} sizes
 * @param {AttentionOptions & { maskHides: boolean, needWeights: boolean }} options
 * @returns {{ out: Tensor, weights: Tensor | null }} the weights as they were used: after dropout
 */
function attend(where, q, k, v, layout, sizes, options) {
  sameEngine(where, q, k, v)
  const { engine } = q, { B, H, Tq, Tk, D, Dv } = sizes
  const { dropoutP = 0, scale = 1 / Math.sqrt(D) } = options
  const saved = {
    sizes, layout, scale, isCausal: flag(where, 'isCausal', options.isCausal ?? false),
    mask: additiveMask(engine, where, options.attnMask, options.maskHides, sizes),
    padding: paddingMask(where, options.keyPaddingMask, sizes),
    dropoutMask: dropoutP > 0 ? dropoutMask(engine, [B, H, Tq, Tk], dropoutP) : null
  }
  if (saved.dropoutMask) engine.trace?.patch('dropout.mask', saved.dropoutMask)
  const out = engine.empty(layout === HEADS_FIRST ? [B, H, Tq, Dv] : [B, Tq, H * Dv])
  const keepWeights = options.needWeights || isRecording(engine, q, k, v, saved.mask?.tensor)
  const weights = keepWeights ? engine.empty([B, H, Tq, Tk]) : null
  const scores = engine.trace ? engine.empty([B, H, Tq, Tk]) : null
  withStruct(engine, saved, false, (struct, workspace) => {
    engine.c.gf_attention_forward(out.address, scores?.address ?? 0, weights?.address ?? 0, workspace, q.address,
      k.address, v.address, saved.dropoutMask?.address ?? 0, struct)
  })
  /** @type {Record<string, Tensor>} */ const outputs = { out }
  if (weights) outputs.weights = weights
  if (scores && weights) {
    const isEdited = engine.trace?.willEdit(...PARTS)
    outputs.scores = scores
    outputs.masked_scores = isEdited ? recompute({ out, scores, weights }, v, saved) : maskedScores(scores, saved)
  }
  record(engine, op, { q, k, v, mask: saved.mask?.tensor }, outputs, saved)
  return { out, weights: weights && saved.dropoutMask ? mul(weights, saved.dropoutMask) : weights }
}

const OPTIONS = ['attnMask', 'keyPaddingMask', 'isCausal', 'dropoutP', 'scale']

/**
 * softmax(q kᵀ / √D + mask) v: torch.nn.functional.scaled_dot_product_attention (Vaswani et al. 2017, equation 1). A
 * query that may attend to nothing gets NaN, as the formula says and as PyTorch did up to 2.4.
 * @param {Tensor} q [B, H, Tq, D]
 * @param {Tensor} k [B, H, Tk, D]
 * @param {Tensor} v [B, H, Tk, Dv]
 * @param {AttentionOptions} [options] attnMask: nested booleans (true may attend) or numbers to add
 * @returns {Tensor} [B, H, Tq, Dv]
 * @throws {import('../errors.js').GlassformerError} 'shape' when tensors and masks do not fit, 'range' for dropoutP
 */
export function scaledDotProductAttention(q, k, v, options) {
  const where = 'scaledDotProductAttention', given = optionsOf(where, options, OPTIONS)
  for (const [name, tensor] of Object.entries({ q, k, v })) {
    expectRank(where, name, floatTensor(where, name, tensor), 4, '[B, H, T, D]')
  }
  const [B, H, Tq, D] = q.shape, [, , Tk] = k.shape, Dv = v.shape[3]
  const fits = sameShape(k.shape, [B, H, Tk, D]) && sameShape(v.shape, [B, H, Tk, Dv])
  expect(fits, 'shape', () =>
    `${where}: k must be [B, H, Tk, D] and v [B, H, Tk, Dv] to go with q ${shapeText(q.shape)}, ` +
    `got k ${shapeText(k.shape)} and v ${shapeText(v.shape)}`)
  if (given.scale !== undefined) numberWhere(where, 'scale', given.scale, 'a number', v => v === v)
  probability(where, 'dropoutP', given.dropoutP ?? 0)
  const sizes = { B, H, Tq, Tk, D, Dv }
  return attend(where, q, k, v, HEADS_FIRST, sizes, { ...given, maskHides: false, needWeights: false }).out
}

/**
 * The same for projections with the heads side by side, as multi-head attention has them.
 * @param {Tensor} q [B, Tq, C] @param {Tensor} k [B, Tk, C] @param {Tensor} v [B, Tk, C] @param {number} heads
 * @param {AttentionOptions & { needWeights: boolean }} options attnMask: true hides, as in torch's modules
 */
export function multiheadAttention(q, k, v, heads, options) {
  const [B, Tq, C] = q.shape, Tk = k.shape[1], D = C / heads, sizes = { B, H: heads, Tq, Tk, D, Dv: D }
  return attend('MultiheadAttention', q, k, v, HEADS_LAST, sizes, { ...options, maskHides: true })
}
