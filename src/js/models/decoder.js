import { expectInteger, expectOptions } from '../errors.js'
import { roundToBfloat16 } from '../tensor/dtype.js'
import { Embedding } from '../nn/embedding.js'
import { LayerNorm } from '../nn/layer_norm.js'
import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { Module } from '../nn/module.js'
import { RMSNorm } from '../nn/rms_norm.js'
import { multiheadAttention } from '../ops/attention.js'
import { add, mul } from '../ops/binary.js'
import { linear } from '../ops/linear.js'
import { alibi } from '../ops/position_bias.js'
import { rmsNorm } from '../ops/rms_norm.js'
import { rotary } from '../ops/rotary.js'
import { unaryFunctions } from '../ops/unary.js'
import { registerLibraryCode, runLayers } from '../trace/intermediates.js'
import { headAxes, lmHeadAxes, routerAxes, scoreAxes, tableAxes, tokenAxes, vocabularyAxes } from './axes.js'
import { Causal, FORWARD_OPTIONS } from './causal.js'
import { Experts } from './experts.js'
import { FeedForward } from './feed_forward.js'
import { Head, applyHead } from './heads.js'
import { buildArray } from './model.js'
import { pooledEmbedding } from './pooling.js'
import { softCappedAttention } from './soft_cap.js'

/**
 * A decoder-only model built from a description: families/<name>.js makes the description from config.json. Names of
 * modules are those of Hugging Face's Llama and Gemma, whatever the family's own names are.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../ops/attention_cache.js').Cache} Cache
 * @typedef {import('./rope.js').Rotary} Rotary
 *
 * @typedef {object} Norm
 * @property {'rms' | 'layer'} kind
 * @property {number} eps
 * @property {boolean} [hasBias] of a layer norm; true
 * @property {boolean} [hasWeights] of a layer norm; true; false: it has no parameters
 * @property {boolean} [addsOne] Gemma multiplies by 1 + weight
 *
 * What can differ from one layer to the next.
 * @typedef {object} LayerDescription
 * @property {Rotary | null} [rotary] null: queries and keys are not rotated
 * @property {number | null} [window] keys this many positions or more away are hidden
 * @property {boolean} [hasExperts] its feed-forward network is a mixture of experts
 * @property {boolean} [hasInputNorm] true; false: no norm before the attention
 *
 * Where the norms of a layer are: x + f(norm(x)) is 'pre', x + norm(f(x)) is 'post', both at once 'sandwich',
 * norm(x + f(x)) 'residual'; in 'parallel' attention and feed-forward network read the same norm of x, in
 * 'parallelNorms' each its own.
 * @typedef {'pre' | 'post' | 'sandwich' | 'residual' | 'parallel' | 'parallelNorms'} Order
 *
 * @typedef {object} DecoderDescription
 * @property {string} name of the family's class, for messages
 * @property {number} vocabSize @property {number} channels @property {number} maxPositions
 * @property {number} heads @property {number} kvHeads @property {number} headDim
 * @property {number} feedForwardSize
 * @property {LayerDescription[]} layers
 * @property {Norm} norm @property {Order} order
 * @property {boolean} [hasFinalNorm] true
 * @property {boolean} [hasEmbeddingNorm] false; a norm of the token embeddings
 * @property {boolean} [residualIsNormed] false; the residual connections add the output of the norm, not its input
 * @property {number} [embeddingSize] if it is not `channels`, projections lead from one to the other
 * @property {number} [embeddingScale] factor of the token embeddings
 * @property {{ offset: number } | null} [learnedPositions] rows of the table before position 0
 * @property {{ scale: number, isRounded?: boolean } | null} [alibi] linear biases, added to the scores; isRounded: to
 *   bfloat16
 * @property {boolean} [hasQkvBias] @property {boolean} [hasOutBias] @property {boolean} [hasMlpBias]
 * @property {boolean} [hasHeadBias]
 * @property {'head' | 'heads' | 'all' | null} [qkNorm] a norm of queries and keys: of each head with the same weights,
 *   of each head with its own, or of all heads together
 * @property {Norm} [qkNormKind] default: norm
 * @property {number} [attentionScale] default: 1 / √headDim
 * @property {number | null} [attentionSoftCap] c: scores become c tanh(score / c)
 * @property {number | null} [clipQkv] largest absolute value of queries, keys and values
 * @property {(x: Tensor) => Tensor} activation
 * @property {boolean} isGated whether the feed-forward network is down(activation(gate(x)) × up(x)), else
 *   down(activation(up(x)))
 * @property {import('./experts.js').ExpertsDescription} [experts]
 * @property {number} [residualScale] factor of what is added to the residual stream
 * @property {number} [logitScale] factor of the logits
 * @property {number | null} [logitSoftCap]
 * @property {boolean} isTied whether the head is the token embedding
 * @property {boolean} [normsHaveOne] false; whether the weights of norms have the 1 that Hugging Face's class adds
 * @property {boolean} [isPermuted] false; whether the rows of queries and keys are in another order in the file than in
 *   Hugging Face's, so that the channels of a rotary pair are adjacent
 * @property {boolean} [isCausal] true; false: layers of an encoder
 * @property {import('./heads.js').HeadDescription | null} [head] instead of the language modeling head
 */

/** x ↦ x / rms(x) × (1 + weight), as in Gemma. */
class OffsetRMSNorm extends RMSNorm {
  static inputNames = ['x']

  /** Sets weight to 0. */
  resetParameters() {
    this.weight?.values.fill(0)
  }

  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    return rmsNorm(x, add(/** @type {Tensor} */ (this.weight), 1), { eps: this.eps })
  }
}

/** @param {Engine} engine @param {Norm} norm @param {number} size */
export function createNorm(engine, { kind, eps, hasBias = true, hasWeights = true, addsOne = false }, size) {
  if (kind === 'layer') return new LayerNorm(engine, size, { eps, bias: hasBias, elementwiseAffine: hasWeights })
  return addsOne ? new OffsetRMSNorm(engine, size, { eps }) : new RMSNorm(engine, size, { eps })
}

/** A norm of every head, with weights of its own: LayerNorm without bias [heads, headDim], as in Cohere's models. */
class HeadsNorm extends Module {
  static inputNames = ['x']

  /** @param {Engine} engine @param {Norm} norm @param {number} heads @param {number} headDim */
  constructor(engine, norm, heads, headDim) {
    super(engine)
    this.weight = this.parameter(heads, headDim)
    this.norm = new LayerNorm(engine, headDim, { eps: norm.eps, elementwiseAffine: false })
    this.weight.values.fill(1)
  }

  /** @param {Tensor} x [B, T, heads, headDim] @returns {Tensor} */
  forward(x) {
    return mul(this.norm.forward(x), /** @type {Tensor} */ (this.weight))
  }
}

/**
 * Queries or keys, normalized.
 * @param {Tensor} x [B, T, heads·D] @param {Module | null} norm @param {number} heads @param {boolean} isTogether all
 *   heads together
 * @returns {Tensor}
 */
function normalizeHeads(x, norm, heads, isTogether) {
  if (!norm || isTogether) return norm ? norm.forward(x) : x
  const [B, T, C] = x.shape
  return norm.forward(x.reshape(B, T, heads, C / heads)).reshape(B, T, C)
}

/** Attention with rotary position embedding (RoPE) and grouped queries: several query heads share a key-value head. */
class Attention extends Module {
  static inputNames = ['x', 'positions']

  /** @param {Engine} engine @param {DecoderDescription} description @param {LayerDescription} layer */
  constructor(engine, description, { rotary = null, window = null }) {
    super(engine)
    const { channels, heads, kvHeads, headDim, qkNorm = null } = description
    const { hasQkvBias: bias = false, hasOutBias = false } = description
    this.q_proj = new Linear(engine, channels, heads * headDim, { bias })
    this.k_proj = new Linear(engine, channels, kvHeads * headDim, { bias })
    this.v_proj = new Linear(engine, channels, kvHeads * headDim, { bias })
    this.o_proj = new Linear(engine, heads * headDim, channels, { bias: hasOutBias })
    const norm = description.qkNormKind ?? description.norm
    const createQkNorm = (/** @type {number} */ count) => (qkNorm === 'heads' ? new HeadsNorm(engine, norm, count, headDim)
      : createNorm(engine, norm, qkNorm === 'all' ? count * headDim : headDim))
    this.q_norm = qkNorm ? createQkNorm(heads) : null
    this.k_norm = qkNorm ? createQkNorm(kvHeads) : null
    this.description = description
    this.numHeads = heads
    this.rotary = rotary
    this.window = window
  }

  /**
   * @param {Tensor} x [B, T, C] @param {Tensor} positions [B, T]
   * @param {{ attnMask?: Tensor, cache?: Cache | null, length: number }} options
   *   length: of the sequence, with the cache
   * @returns {Tensor} [B, T, C]
   */
  forward(x, positions, { attnMask, cache, length }) {
    const { rotary: rotation, window, description } = this
    const { heads, kvHeads, headDim, clipQkv, qkNorm, name: where } = description
    const { attentionScale: scale, attentionSoftCap: softCap } = description
    const clip = (/** @type {Tensor} */ y) => (clipQkv ? unaryFunctions.clamp(y, { min: -clipQkv, max: clipQkv }) : y)
    const [q, k] = [{ key: 'q', projection: this.q_proj, norm: this.q_norm, count: heads },
      { key: 'k', projection: this.k_proj, norm: this.k_norm, count: kvHeads }].map(({ key, projection, norm, count }) => {
      const y = clip(normalizeHeads(projection.forward(x), norm, count, qkNorm === 'all'))
      if (!rotation) return this.tag(key, y)
      const { frequencies, dims, layout, base, scale } = rotation
      return this.tag(key, rotary(y, {
        layout, base, scale, positions, heads: count, ...(dims !== headDim && { dims }),
        ...(frequencies && { frequencies: frequencies(length) })
      }))
    })
    const v = this.tag('v', clip(this.v_proj.forward(x)))
    const options = {
      attnMask, isCausal: description.isCausal ?? true, kvHeads, needWeights: false, cache: cache?.of(this), where,
      ...(window !== null && { window }), ...(scale !== undefined && { scale })
    }
    const out = softCap ? softCappedAttention(q, k, v, heads, { ...options, softCap })
      : multiheadAttention(q, k, v, heads, options).out
    return this.o_proj.forward(this.tag('heads', out))
  }
}

/** A layer: attention and a feed-forward network, with residual connections. */
export class Layer extends Module {
  static inputNames = ['x', 'positions']

  /** @param {Engine} engine @param {DecoderDescription} description @param {LayerDescription} layer */
  constructor(engine, description, layer) {
    super(engine)
    const { order, norm, channels, experts } = description, create = () => createNorm(engine, norm, channels)
    const hasInner = order === 'post' || order === 'sandwich'
    this.input_layernorm = order === 'post' || layer.hasInputNorm === false ? null : create()
    this.self_attn = new Attention(engine, description, layer)
    this.post_attention_layernorm = order === 'parallel' ? null : create()
    this.pre_feedforward_layernorm = order === 'sandwich' ? create() : null
    this.mlp = layer.hasExperts && experts ? new Experts(engine, description, experts)
      : new FeedForward(engine, description)
    this.post_feedforward_layernorm = hasInner ? create() : null
    this.order = order
    this.residualScale = description.residualScale ?? 1
    this.residualIsNormed = description.residualIsNormed ?? false
  }

  /**
   * @param {Tensor} x @param {Tensor} positions
   * @param {{ attnMask?: Tensor, cache?: Cache | null, length: number }} options
   * @returns {Tensor}
   */
  forward(x, positions, options) {
    const apply = (/** @type {Module | null} */ norm, /** @type {Tensor} */ y) => (norm ? norm.forward(y) : y)
    const { residualScale } = this
    const addTo = (/** @type {Tensor} */ residual, /** @type {Tensor} */ out) =>
      add(residual, residualScale === 1 ? out : mul(out, residualScale))
    const { order, input_layernorm: first, post_attention_layernorm: second, post_feedforward_layernorm: last } = this
    const attend = (/** @type {Tensor} */ y) => this.self_attn.forward(y, positions, options)
    if (order === 'parallel' || order === 'parallelNorms') {
      const normed = apply(first, x), y = addTo(x, attend(normed))
      return addTo(this.tag('residual1', y), this.mlp.forward(second ? second.forward(x) : normed))
    }
    if (order === 'residual') {
      const y = this.tag('residual1', apply(first, addTo(x, attend(x))))
      return apply(second, addTo(y, this.mlp.forward(y)))
    }
    const isInner = order !== 'pre', normed = apply(first, x)
    const attended = apply(isInner ? second : null, attend(normed))
    const y = this.tag('residual1', addTo(this.residualIsNormed ? normed : x, attended))
    const next = isInner ? apply(this.pre_feedforward_layernorm, y) : apply(second, y)
    return addTo(this.residualIsNormed ? next : y, apply(last, this.mlp.forward(next)))
  }
}

/**
 * The token embeddings, with positions if those are learned.
 * @param {Decoder} model @param {Tensor} tokens @param {Tensor} positionIds @returns {Tensor}
 */
function embed({ description, embed_tokens, embed_positions, embed_norm, project_in }, tokens, positionIds) {
  const { embeddingScale = 1, learnedPositions } = description, embedded = embed_tokens.forward(tokens)
  let x = embeddingScale === 1 ? embedded : mul(embedded, embeddingScale)
  if (project_in) x = project_in.forward(x)
  if (embed_positions && learnedPositions) {
    const { offset } = learnedPositions
    x = add(x, embed_positions.forward(offset ? add(positionIds, offset) : positionIds))
  }
  return embed_norm ? embed_norm.forward(x) : x
}

/**
 * ALiBi's biases as Falcon has them: slope × position of the key, both rounded to bfloat16.
 * @param {Engine} engine @param {number} heads @param {number} past
 * @param {readonly (readonly number[])[]} positions of all keys, by sequence @returns {Tensor}
 */
function roundedBias(engine, heads, past, positions) {
  const [{ length }] = positions
  const out = engine.freeWithTrace(engine.empty([positions.length, heads, length - past, length])), { values } = out
  engine.tidy(() => {
    const slopes = alibi(engine, heads, 2, 2, { past: 0 })
    let at = 0
    for (const keys of positions) for (let h = 0; h < heads; h++) {
      const slope = roundToBfloat16(-slopes.at(0, h, 1, 0))
      const row = keys.map(position => roundToBfloat16(slope * position))
      for (let i = past; i < length; i++, at += length) values.set(row, at)
    }
  })
  return out
}

/**
 * ALiBi's biases. Distances between tokens are those between their positions: padding on one side changes none, except
 * by what is rounded.
 * @param {Decoder} model @param {unknown} attentionMask @param {number} B sequences
 * @param {number} past keys in the cache
 * @param {number} length all keys @returns {Tensor | undefined}
 */
function positionBias(model, attentionMask, B, past, length) {
  const { engine, description: { alibi: settings, heads } } = model
  if (!settings) return undefined
  const readPositions = () => {
    const mask = model.readAttentionMask(attentionMask, [B, length])
    return mask ? engine.tidy(() => model.positionIds([B, length], mask).toArray())
      : [Array.from({ length }, (_, i) => i)]
  }
  const bias = settings.isRounded ? roundedBias(engine, heads, past, readPositions())
    : alibi(engine, heads, length - past, length, { past })
  return settings.scale === 1 ? bias : mul(bias, settings.scale)
}

/** The smallest window of all layers; Infinity without windows. @param {LayerDescription[]} layers */
export const smallestWindow = layers => Math.min(...layers.map(({ window }) => window ?? Infinity))

/** A decoder-only language model. */
export class Decoder extends Causal {
  static runsSubmodules = true

  /** @param {Engine} engine @param {DecoderDescription} description */
  constructor(engine, description) {
    super(engine)
    const { channels, vocabSize, maxPositions, embeddingSize = channels } = description
    const { learnedPositions, hasEmbeddingNorm, norm } = description
    this.description = description
    this.embed_tokens = new Embedding(engine, vocabSize, embeddingSize)
    this.embed_positions = learnedPositions
      ? new Embedding(engine, maxPositions + learnedPositions.offset, channels) : null
    this.embed_norm = hasEmbeddingNorm ? createNorm(engine, norm, channels) : null
    const isProjected = embeddingSize !== channels
    this.project_in = isProjected ? new Linear(engine, embeddingSize, channels, { bias: false }) : null
    this.layers = new ModuleList(engine, description.layers.map(layer => new Layer(engine, description, layer)))
    this.norm = description.hasFinalNorm ?? true ? createNorm(engine, norm, channels) : null
    this.project_out = isProjected ? new Linear(engine, channels, embeddingSize, { bias: false }) : null
    this.head = description.head ? new Head(engine, channels, description.head) : null
    this.lm_head = description.isTied || this.head ? null
      : new Linear(engine, embeddingSize, vocabSize, { bias: description.hasHeadBias ?? false })
    this.maxPositions = maxPositions
  }

  /** The name of the family's class, for messages. @internal */
  get where() {
    return this.description.name
  }

  /**
   * @param {{ ids: string }} streams names of the streams that are read
   * @returns {Record<string, import('../trace/axes.js').Axis[]>} @internal
   */
  axes({ ids: stream }) {
    const routers = this.description.layers.flatMap(({ hasExperts }, n) => (
      hasExperts ? routerAxes(`layers.${n}.mlp`, stream) : []))
    return {
      'embed_tokens.weight': vocabularyAxes(stream),
      ...(this.embed_positions && {
        'embed_positions.weight': tableAxes('position'), 'embed_positions.output': tokenAxes(stream)
      }),
      ...(this.description.alibi && { alibi: scoreAxes(stream) }), ...Object.fromEntries(routers),
      ...lmHeadAxes(stream), ...headAxes(this.head, stream)
    }
  }

  /**
   * @param {Tensor | number[] | number[][]} ids [B, T], or [T] for one sequence
   * @param {import('./causal.js').ForwardOptions} [options]
   * @returns {import('./causal.js').Outputs}
   */
  forward(ids, options) {
    const checked = expectOptions(this.where, options, FORWARD_OPTIONS)
    const { attentionMask, cache, logitsToKeep, totalLength } = checked
    const window = smallestWindow(this.description.layers)
    const { tokens, positionIds, attnMask: padding, mask, past } = this.prepareInputs(ids, checked, window)
    const { logitScale = 1, logitSoftCap: cap } = this.description, known = past + tokens.shape[1]
    const length = Math.max(known, expectInteger(this.where, 'totalLength', totalLength ?? 1, 1))
    const bias = positionBias(this, attentionMask, tokens.shape[0], past, known)
    const attnMask = bias && padding ? add(bias, padding) : bias ?? padding
    const x = runLayers(this.layers, embed(this, tokens, positionIds),
      (layer, y) => layer.forward(y, positionIds, { attnMask, cache, length }))
    const hidden = this.norm ? this.norm.forward(x) : x
    if (this.head) return { hidden, ...applyHead(this.head, hidden, tokens) }
    const embedding = pooledEmbedding(this, hidden, mask, cache)
    const last = this.lastPositions(hidden, logitsToKeep)
    const out = this.project_out ? this.project_out.forward(last) : last
    const raw = this.lm_head ? this.lm_head.forward(out) : linear(out, this.embed_tokens.weight)
    const scaled = logitScale === 1 ? raw : mul(raw, logitScale)
    return { logits: cap ? mul(unaryFunctions.tanh(mul(scaled, 1 / cap)), cap) : scaled, hidden, ...embedding }
  }
}

registerLibraryCode(OffsetRMSNorm, HeadsNorm, Attention, Layer, Decoder)

/**
 * The same description for all layers.
 * @param {number} count @param {LayerDescription} layer @returns {LayerDescription[]}
 */
export const equalLayers = (count, layer) => buildArray(count, () => layer)
