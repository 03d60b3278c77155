import { describe, expect, expectBoolean, expectNumber, expectOptions, expectProbability, formatShape, expectInteger } from '../errors.js'
import { needsSaving, record } from '../autograd/autograd.js'
import { sameShape } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'
import { explainAttention, explainAttentionGradient } from './attention_explain.js'
import { passAxes } from './broadcast.js'
import { expectRank, expectFloatTensor, expectSameEngine } from './checks.js'
import { dropoutMask } from './dropout.js'
import { additiveMask, paddingMask } from './mask.js'
import { mul } from './binary.js'
import { reshape } from './reshape.js'

/**
 * The layout of heads in a tensor: [B, H, T, D], or [B, T, H*D] with the heads side by side.
 * @typedef {object} Layout
 * @property {(H: number, T: number, D: number) => number[]} strides floats from one batch, head and time to the next
 * @property {(b: number, h: number, t: number, d: number, D: number) => number[]} index of a cell
 * @property {(index: readonly number[], D: number) => number[]} split the inverse of index: b, h, t, d
 * @property {(axes: import('../trace/axes.js').Axes) => import('../trace/axes.js').Axis} token the axis of time
 */

/** @type {Layout} */
const HEADS_FIRST = {
  strides: (H, T, D) => [H * T * D, T * D, D],
  index: (b, h, t, d) => [b, h, t, d],
  split: index => [...index],
  token: axes => axes[2]
}

/** @type {Layout} */
const HEADS_LAST = {
  strides: (H, T, D) => [T * H * D, D, H * D],
  index: (b, h, t, d, D) => [b, t, h * D + d],
  split: ([b, t, c], D) => [b, Math.floor(c / D), t, c % D],
  token: axes => axes[1]
}

const float32Value = new Float32Array(1), float32Bits = new Int32Array(float32Value.buffer)

/** The bits of a float32 as an integer, for a list of integers. @param {number} x */
function floatBits(x) {
  float32Value[0] = x
  return float32Bits[0]
}

/**
 * The tensors between inputs and output, each computed from the one before: a trace may edit them or leave them out.
 */
const STEPS = ['dots', 'scores', 'masked_scores', 'weights']

/**
 * Passes the structs gf_attention and gf_attention_steps; stored scores include those that masks hide.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {any} saved
 * @param {number} padding address of the bytes, or 0
 * @param {readonly number[]} steps four addresses @param {number} from how many of them are inputs
 * @returns {{ struct: number, steps: number }} their addresses
 */
function passStructs(engine, { sizes, group, scale, layout, mask, isCausal, past, window, cache }, padding, steps,
  from) {
  const { B, H, Tq, Tk, D, Dv } = sizes, KV = H / group
  const list = [
    B, H, Tq, Tk, D, Dv, group, cache?.capacity ?? 0, from, floatBits(scale),
    ...layout.strides(H, Tq, D), ...cache?.rows.keys ?? layout.strides(KV, Tk, D),
    ...cache?.rows.values ?? layout.strides(KV, Tk, Dv), ...layout.strides(H, Tq, Dv),
    mask?.tensor.dataPtr() ?? 0, mask?.batch ?? 0, mask?.head ?? 0, padding, isCausal ? 1 : 0, past, window
  ]
  const length = list.push(...steps), struct = engine.pass(list)
  return { struct, steps: struct + 4 * (length - steps.length) }
}

/**
 * Calls `use` with the addresses of the structs and of a workspace of the size it needs.
 * @param {import('../engine/engine.js').Engine} engine @param {any} saved @param {readonly number[]} steps
 * @param {number} from
 * @param {boolean} isBackward @param {(struct: number, steps: number, workspace: number) => void} use
 */
function withStructs(engine, saved, steps, from, isBackward, use) {
  const { padding } = saved
  engine.memory.borrow(padding?.length ?? 0, address => {
    if (padding) engine.memory.bytes(address, padding.length).set(padding)
    const passed = passStructs(engine, saved, padding ? address : 0, steps, from)
    const workspace = engine.scratch(engine.c.gf_attention_workspace(passed.struct, isBackward ? 1 : 0))
    use(passed.struct, passed.steps, workspace)
  })
}

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'attention',
  readsOutput: true,
  reads: { q: ['k'], k: ['q'], v: ['q', 'k'] },
  roles: { out: 'heads' },
  from({ inputs: { q, k, v, mask }, outputs, saved }, output) {
    if (output === 'dots') return { q, k }
    if (output === 'scores') return { dots: outputs.dots }
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
  parameters: ({ saved: { sizes, scale, isCausal, past, window, padding } }) => ({
    heads: sizes.H, kvHeads: sizes.KV, size: sizes.D, scale, isCausal, past, window,
    hidden: padding && Array.from(padding)
  }),
  /* The mask is added to the scores, so dmask is the sum of dmasked. */
  backward({ inputs, outputs, saved, trace }, gradient) {
    const { q, k, v, mask } = inputs, { out, masked_scores: masked } = outputs, { engine } = out
    const isTraced = trace && !masked.isLeftOut
    const recomputed = outputs.weights.isLeftOut ? recomputeWeights(inputs, saved) : null
    const weights = recomputed ?? outputs.weights
    const dq = gradient(q), dk = gradient(k), dv = gradient(v), dout = gradient(out)
    const dmask = gradient(mask), temporary = dmask && !isTraced ? engine.zeros(weights.shape) : null
    const dmasked = isTraced ? gradient(masked) : temporary?.dataPtr() ?? 0
    const steps = isTraced ? STEPS.map(name => gradient(outputs[name])) : [0, 0, dmasked, 0]
    withStructs(engine, saved, steps, 0, true, (struct, gradients, workspace) => {
      engine.c.gf_attention_backward(dq, dk, dv, gradients, workspace, dout, weights.dataPtr(), q.dataPtr(),
        k.dataPtr(), v.dataPtr(), saved.dropoutMask?.dataPtr() ?? 0, struct)
    })
    if (dmask) {
      const { B, H, Tq, Tk } = saved.sizes, { batch, head } = saved.mask
      const [axes] = passAxes(engine, [3, B, H, Tq * Tk, batch, head, 1, 0, 0, 0])
      engine.c.gf_add_backward(dmask, 0, dmasked, dmasked, dmasked, dmasked, axes)
    }
    temporary?.dispose()
    recomputed?.dispose()
  },
  explain: explainAttention,
  explainGradient: explainAttentionGradient,
  cost({ saved: { sizes: { B, H, Tq, Tk, D, Dv } } }) {
    const cells = B * H * Tq * Tk
    return { multiplyAdds: cells * (D + Dv), by: { dots: cells * D, out: cells * Dv } }
  }
}

/**
 * Computes the output and those steps that have memory, starting after the first `from` steps.
 * @param {{ q: Tensor, k: Tensor, v: Tensor }} inputs @param {any} saved @param {Tensor} out
 * @param {(Tensor | null | undefined)[]} steps @param {number} [from]
 */
const forwardInto = ({ q, k, v }, saved, out, steps, from = 0) => {
  const { cache, dropoutMask } = saved, addresses = steps.map(step => (step?.storage ? step.dataPtr() : 0))
  withStructs(q.engine, saved, addresses, from, false, (struct, stepAddresses, workspace) => {
    q.engine.c.gf_attention_forward(out.dataPtr(), stepAddresses, workspace, q.dataPtr(),
      cache?.keys.dataPtr() ?? k.dataPtr(), cache?.values.dataPtr() ?? v.dataPtr(), dropoutMask?.dataPtr() ?? 0, struct)
  })
}

/**
 * Recomputes weights that were left out, with the same bits; the caller disposes them.
 * @param {any} inputs @param {any} saved
 */
export function recomputeWeights(inputs, saved) {
  const { engine } = inputs.q, { B, H, Tq, Tk, Dv } = saved.sizes
  const out = engine.empty([B, H, Tq, Dv]), weights = engine.empty([B, H, Tq, Tk])
  forwardInto(inputs, saved, out, [null, null, null, weights])
  out.dispose()
  return weights
}

/**
 * @typedef {object} AttentionOptions
 * @property {any} [attnMask] broadcasts to [B, H, Tq, Tk], or is [B · H, Tq, Tk]: nested booleans or a bool tensor
 *   (as in torch: in functional.scaledDotProductAttention true may be attended to, in modules true hides), or numbers
 *   to add
 * @property {any} [keyPaddingMask] [B, Tk], true hides the key
 * @property {boolean} [isCausal] false; true hides keys after the query's position, aligned at the top left
 * @property {number} [window] hides keys this many positions or more from the query's (Beltagy et al. 2020)
 * @property {number} [dropoutP] 0, the probability of dropping a weight
 * @property {number} [scale] 1 / √D
 */

/**
 * Computes attention and records it.
 * @param {string} where @param {Tensor} q @param {Tensor} k @param {Tensor} v @param {Layout} layout
 * @param {{ B: number, H: number, KV: number, Tq: number, Tk: number, D: number, Dv: number }} sizes
 * @param {AttentionOptions & { needWeights?: boolean }} options
 * @param {{ maskHides: boolean, past: number, cache?: any }} more maskHides: the boolean that hides a key in a mask;
 *   past: the number of earlier keys; cache: the entry that contains all keys
 * @returns {{ out: Tensor, weights: Tensor | null }} the weights after dropout
 */
function attend(where, q, k, v, layout, sizes, options, { maskHides, past, cache }) {
  expectSameEngine(where, q, k, v)
  const { engine } = q, { B, H, KV, Tq, Tk, D, Dv } = sizes
  const { dropoutP = 0, scale = 1 / Math.sqrt(D), window } = options
  const saved = {
    sizes, layout, scale, past, cache, group: H / KV || 1, isCausal: expectBoolean(where, 'isCausal', options.isCausal ?? false),
    window: window === undefined || window === null ? 0 : expectInteger(where, 'window', window, 1),
    mask: additiveMask(engine, where, options.attnMask, maskHides, sizes),
    padding: paddingMask(engine, where, options.keyPaddingMask, sizes),
    origin: options.keyPaddingMask instanceof Tensor ? { padding: options.keyPaddingMask } : undefined,
    dropoutMask: dropoutP > 0 ? dropoutMask(engine, [B, H, Tq, Tk], dropoutP) : null
  }
  if (saved.dropoutMask) engine.trace?.patch('dropout.mask', saved.dropoutMask)
  const out = engine.empty(layout === HEADS_FIRST ? [B, H, Tq, Dv] : [B, Tq, H * Dv])
  const inputs = { q, k, v, mask: saved.mask?.tensor }, steps = createSteps(inputs, sizes, options.needWeights ?? false)
  forwardInto(inputs, saved, out, steps)
  if (engine.trace?.willEdit(...STEPS)) STEPS.forEach((name, i) => {
    engine.trace?.patch(name, /** @type {Tensor} */ (steps[i]))
    forwardInto(inputs, saved, out, steps, i + 1)
  })
  /** @type {Record<string, Tensor>} */ const outputs = { out }
  steps.forEach((step, i) => { if (step) outputs[STEPS[i]] = step })
  record(engine, op, inputs, outputs, saved)
  const weights = steps[3]?.storage ? steps[3] : null
  return { out, weights: weights && saved.dropoutMask ? mul(weights, saved.dropoutMask) : weights }
}

/**
 * Creates the tensors between inputs and output: with memory if they will be read, else placeholders or null.
 * @param {{ q: Tensor, k: Tensor, v: Tensor, mask?: Tensor }} inputs
 * @param {{ B: number, H: number, Tq: number, Tk: number }} sizes @param {boolean} needWeights whether the caller reads
 *   the weights
 * @returns {(Tensor | null)[]}
 */
function createSteps({ q, k, v, mask }, { B, H, Tq, Tk }, needWeights) {
  const { engine } = q, { trace } = engine, shape = [B, H, Tq, Tk]
  const allocate = () => engine.empty(shape), createPlaceholder = () => engine.createPlaceholder(shape)
  if (!trace) return [null, null, null, needWeights || needsSaving(engine, q, k, v, mask) ? allocate() : null]
  const isSelected = trace.keepsAttention(...STEPS)
  return STEPS.map(name => (isSelected || (needWeights && name === 'weights') ? allocate() : createPlaceholder()))
}

const OPTIONS = ['attnMask', 'keyPaddingMask', 'isCausal', 'window', 'dropoutP', 'scale', 'enableGqa']

/** @param {string} where @param {AttentionOptions} options */
function checkOptions(where, { scale, dropoutP }) {
  if (scale !== undefined) expectNumber(where, 'scale', scale, 'a number', v => v === v)
  expectProbability(where, 'dropoutP', dropoutP ?? 0)
}

/**
 * softmax(q kᵀ / √D + mask) v (Vaswani et al. 2017, equation 1): torch.nn.functional.scaled_dot_product_attention. The
 * output is 0 for a query whose keys are all hidden, and so are its gradients, as in PyTorch from 2.5 on.
 * @param {Tensor} q [B, H, Tq, D], or [H, Tq, D], as k and v then
 * @param {Tensor} k [B, H, Tk, D]; with enableGqa [B, KV, Tk, D], where KV divides H
 * @param {Tensor} v [B, H, Tk, Dv], or [B, KV, Tk, Dv]
 * @param {AttentionOptions & { enableGqa?: boolean }} [options] attnMask: nested booleans (true: may be attended to) or
 *   numbers to add; enableGqa: false; with true, each head of k and v serves H / KV consecutive heads of q (Ainslie et
 *   al. 2023)
 * @returns {Tensor} [B, H, Tq, Dv], with as many axes as q
 * @throws {import('../errors.js').GlassformerError} 'shape' when tensors and masks do not fit, 'range' for dropoutP
 * @example
 * const [q, k, v] = [1, 2, 3].map(() => gf.randn([1, 2, 4, 8]))   // each [B, H, T, D]
 * F.scaledDotProductAttention(q, k, v, { isCausal: true }).shape   // [1, 2, 4, 8]
 */
export function scaledDotProductAttention(q, k, v, options) {
  const where = 'scaledDotProductAttention', given = expectOptions(where, options, OPTIONS)
  for (const [name, tensor] of Object.entries({ q, k, v })) expectFloatTensor(where, name, tensor)
  const rank = q.shape.length === 3 ? 3 : 4
  for (const [name, tensor] of Object.entries({ q, k, v })) {
    expectRank(where, name, tensor, rank, rank === 3 ? '[H, T, D], as q' : '[B, H, T, D]')
  }
  if (rank === 3) {
    expect((given.keyPaddingMask ?? null) === null, 'shape',
      () => `${where}: keyPaddingMask needs q of shape [B, H, T, D], got ${formatShape(q.shape)}; write q.unsqueeze(1)`)
    const [a, b, c] = [q, k, v].map(x => reshape(x, [1, ...x.shape]))
    const out = scaledDotProductAttention(a, b, c, options)
    return reshape(out, out.shape.slice(1))
  }
  const [B, H, Tq, D] = q.shape, [, heads, Tk] = k.shape, Dv = v.shape[3]
  const KV = expectBoolean(where, 'enableGqa', given.enableGqa ?? false) ? heads : H, isShared = KV !== H
  const fits = sameShape(k.shape, [B, KV, Tk, D]) && sameShape(v.shape, [B, KV, Tk, Dv])
  expect(fits, 'shape', () =>
    `${where}: k must be [B, H, Tk, D] and v [B, H, Tk, Dv] to go with q ${formatShape(q.shape)}, ` +
    `got k ${formatShape(k.shape)} and v ${formatShape(v.shape)}${given.enableGqa ? '' : '; enableGqa lets heads share'}`)
  expect(!isShared || (KV > 0 && H % KV === 0), 'shape',
    () => `${where}: the ${H} heads of q must be a multiple of the ${KV} of k and v`)
  checkOptions(where, given)
  const sizes = { B, H, KV, Tq, Tk, D, Dv }
  return attend(where, q, k, v, HEADS_FIRST, sizes, given, { maskHides: false, past: 0 }).out
}

/**
 * Attention on projections whose heads are side by side, for multi-head attention.
 * @param {Tensor} q [B, Tq, H·D]
 * @param {Tensor | null} k [B, Tk, KV·D]; null where the cache holds all keys
 * @param {Tensor | null} v [B, Tk, KV·Dv]
 * @param {number} heads H
 * @param {AttentionOptions & { needWeights: boolean, kvHeads?: number, cache?: import('./attention_cache.js').Entry,
 *   where?: string }} options
 *   attnMask: true hides, as in torch's modules; kvHeads: KV, default: heads; cache: the keys and values of earlier
 *   passes, to which these are appended; masks then refer to all of them; where: for messages
 */
export function multiheadAttention(q, k, v, heads, options) {
  const { kvHeads = heads, cache, where = 'MultiheadAttention' } = options, [B, Tq, C] = q.shape
  expect(Number.isInteger(heads) && heads > 0 && C % heads === 0, 'range',
    () => `${where}: its number of heads must divide its ${C} channels, got ${describe(heads)}`)
  checkOptions(where, options)
  if (k && v) cache?.append(where, q, k, v, kvHeads)
  const past = cache?.addQueries(Tq) ?? 0
  // In a trace the cached keys and values are tensors, as without a cache; the bits are the same.
  const isTraced = cache && q.engine.trace, [keys, values] = isTraced ? cache.toTensors(k, v) : [k ?? q, v ?? q]
  const { KV, Dv } = cache?.sizes ?? { KV: kvHeads, Dv: values.shape[2] / kvHeads }
  const sizes = { B, H: heads, KV, Tq, Tk: cache?.length ?? keys.shape[1], D: C / heads, Dv }
  return attend(where, q, keys, values, HEADS_LAST, sizes, options,
    { maskHides: true, past, cache: isTraced ? undefined : cache })
}
