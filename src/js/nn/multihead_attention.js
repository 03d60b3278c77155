import { describe, expect, expectBoolean, expectOptions, expectProbability, formatShape, expectInteger } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, constant, productTerm, sumOf } from '../trace/explain.js'
import { multiheadAttention } from '../ops/attention.js'
import { add } from '../ops/binary.js'
import { Cache } from '../ops/attention_cache.js'
import { expectRank, expectShape, expectFloatTensor, expectOptionalTensor, expectWeightTensor } from '../ops/checks.js'
import { linearRows } from '../ops/linear.js'
import { freeIntermediate } from '../trace/intermediates.js'
import { fillUniform } from '../tensor/random.js'
import { range, sameShape } from '../tensor/shape.js'
import { Linear } from './linear.js'
import { Module } from './module.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** Fills a weight as torch.nn.init.xavier_uniform_ does. @param {Tensor} weight [O, I] */
export function xavierUniform(weight) {
  const [O, I] = weight.shape, bound = Math.sqrt(3) * Math.sqrt(2 / (I + O))
  return fillUniform(weight, -bound, bound)
}

/** Throws unless batchFirst is true or left out. @param {string} where @param {unknown} batchFirst */
export const checkBatchFirst = (where, batchFirst) =>
  expect(batchFirst === undefined || batchFirst === true, 'range', () => `${where}: batchFirst is always true; leave it out, and pass [B, T, C]: ` +
    'x.transpose(0, 1) makes that of [T, B, C]')

/** Rows in a panel of a weight stored in fewer bits; each projection must begin at a panel. */
const PANEL = 8

const FORWARD_OPTIONS = ['needWeights', 'averageAttnWeights', 'attnMask', 'keyPaddingMask', 'isCausal', 'window',
  'cache']

/**
 * Multi-head attention (Vaswani et al. 2017): torch.nn.MultiheadAttention, batch first. in_proj_weight [3·embedDim,
 * embedDim] contains the projections of query, key and value; if kdim or vdim differ from embedDim there are
 * q_proj_weight, k_proj_weight and v_proj_weight instead. in_proj_bias [3·embedDim]; out_proj is a Linear.
 * @example
 * const mha = new gf.nn.MultiheadAttention(16, 4), x = gf.randn([1, 5, 16])
 * const [output, weights] = mha.forward(x, x, x, { isCausal: true, averageAttnWeights: false })
 * output.shape                                    // [1, 5, 16]
 * weights.shape                                   // [1, 4, 5, 5]
 */
export class MultiheadAttention extends Module {
  static runsSubmodules = true
  static inputNames = ['query', 'key', 'value']

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {number} embedDim
   * @param {number} numHeads divides embedDim
   * @param {{ dropout?: number, bias?: boolean, kdim?: number, vdim?: number, batchFirst?: true }} [options]
   *   dropout: 0, of the weights in training mode; bias: true; kdim, vdim: embedDim, the channels of key and value;
   *   batchFirst: true, and nothing else
   */
  constructor(engine, embedDim, numHeads, options) {
    super(engine)
    const { dropout = 0, bias = true, kdim = embedDim, vdim = embedDim, batchFirst } =
      expectOptions('MultiheadAttention', options, ['dropout', 'bias', 'kdim', 'vdim', 'batchFirst'])
    checkBatchFirst('MultiheadAttention', batchFirst)
    this.embedDim = expectInteger('MultiheadAttention', 'embedDim', embedDim, 1)
    this.numHeads = expectInteger('MultiheadAttention', 'numHeads', numHeads, 1)
    expect(embedDim % numHeads === 0, 'range',
      () => `MultiheadAttention: embedDim must be divisible by numHeads, got ${embedDim} and ${numHeads}`)
    this.dropout = expectProbability('MultiheadAttention', 'dropout', dropout)
    this.kdim = expectInteger('MultiheadAttention', 'kdim', kdim, 1)
    this.vdim = expectInteger('MultiheadAttention', 'vdim', vdim, 1)
    const isJoint = kdim === embedDim && vdim === embedDim
    this.in_proj_weight = isJoint ? this[embedDim % PANEL ? 'parameter' : 'matrix'](3 * embedDim, embedDim) : null
    this.q_proj_weight = isJoint ? null : this.matrix(embedDim, embedDim)
    this.k_proj_weight = isJoint ? null : this.matrix(embedDim, kdim)
    this.v_proj_weight = isJoint ? null : this.matrix(embedDim, vdim)
    /**
     * The factor of the products q · k; undefined means 1 / √(embedDim / numHeads).
     * @type {number | undefined}
     */
    this.scale = undefined
    /**
     * Modules whose outputs are added to those of the projections, such as LoRA for one of them alone:
     * `new nn.ModuleDict({ q: lora, v: other })`. They get query, key or value, and return embedDim channels.
     * @type {import('./containers.js').ModuleDict | null}
     */
    this.adapters = null
    this.in_proj_bias = expectBoolean('MultiheadAttention', 'bias', bias) ? this.parameter(3 * embedDim) : null
    this.out_proj = new Linear(engine, embedDim, embedDim, { bias })
    this.resetParameters()
  }

  /** Xavier uniform for the projections, zeros for biases. out_proj's weight keeps the values of its constructor. */
  resetParameters() {
    for (const weight of [this.in_proj_weight, this.q_proj_weight, this.k_proj_weight, this.v_proj_weight]) {
      if (weight) xavierUniform(weight)
    }
    this.in_proj_bias?.values.fill(0)
    this.out_proj.bias?.values.fill(0)
  }

  /**
   * @overload
   * @param {Tensor} query @param {Tensor} [key] @param {Tensor} [value]
   * @param {object} [options]
   * @param {any} [options.keyPaddingMask] [B, Tk], true hides a key
   * @param {boolean} [options.needWeights] true; false returns null instead of the weights
   * @param {any} [options.attnMask] [Tq, Tk] or [B·numHeads, Tq, Tk]; booleans (true hides) or numbers to add
   * @param {boolean} [options.averageAttnWeights] true; averages the weights over the heads
   * @param {boolean} [options.isCausal] false; true hides keys after the query's position
   * @param {number} [options.window] hides keys this many positions or more away from the query's
   * @param {Cache} [options.cache] of earlier passes: new keys and values are appended to it, and all of them are
   *   attended to. If key is not the query but a memory, its keys and values are stored in the first pass and reused in
   *   later ones. Masks then refer to all keys
   * @returns {[Tensor, Tensor | null]}
   */
  /**
   * @overload
   * @param {Tensor} query @param {any} [key] @param {any} [value] @param {any} [keyPaddingMask]
   * @param {any} [needWeights] @param {any} [attnMask] @param {any} [averageAttnWeights] @param {any} [isCausal]
   * @param {object} [options] @returns {[Tensor, Tensor | null]}
   */
  /**
   * Attends from query to key and value.
   * @param {Tensor} query [B, Tq, embedDim]
   * @param {Tensor} [key] [B, Tk, kdim]; default: query
   * @param {Tensor} [value] [B, Tk, vdim]; default: key
   * @param {any} [options]
   * @returns {[Tensor, Tensor | null]} output [B, Tq, embedDim]; weights [B, Tq, Tk], or [B, numHeads, Tq, Tk] if not
   *   averaged. Gradients flow through the output only
   * @throws {import('../errors.js').GlassformerError} 'shape' when tensors or masks do not fit
   */
  forward(query, key = query, value = key, options) {
    const { needWeights = true, averageAttnWeights = true, attnMask, keyPaddingMask, isCausal, window, cache } =
      expectOptions('MultiheadAttention', options, FORWARD_OPTIONS)
    expectBoolean('MultiheadAttention', 'needWeights', needWeights)
    expectBoolean('MultiheadAttention', 'averageAttnWeights', averageAttnWeights)
    checkShapes(this, query, key, value)
    const entry = getCacheEntry(this, cache, query, key)
    /** @param {Tensor} x @param {number} which */
    const projected = (x, which) => this.tag('qkv'[which], addAdapter(this, x, which, project(this, x, which)))
    const q = projected(query, 0), isCached = entry?.isMemory && entry.length
    const [k, v] = isCached ? [null, null] : [projected(key, 1), projected(value, 2)]
    const { out, weights } = multiheadAttention(q, k, v, this.numHeads, {
      attnMask, keyPaddingMask, isCausal, window, needWeights, scale: this.scale, cache: entry,
      dropoutP: this.training ? this.dropout : 0
    })
    if (weights && this.training && this.dropout) this.tag('dropout.output', weights)
    for (const projection of [q, k, v]) if (projection) freeIntermediate(projection)
    const output = this.out_proj.forward(this.tag('heads', out))
    freeIntermediate(out, output)
    if (!needWeights || !weights) return [output, null]
    return [output, averageAttnWeights ? averageHeads(weights) : weights]
  }

  /** As PyTorch prints it, whose output projection has a class of its own. */
  toString() {
    return super.toString().replace('(out_proj): Linear(', '(out_proj): NonDynamicallyQuantizableLinear(')
  }
}

/**
 * Applies one of the three projections.
 * @param {MultiheadAttention} mha @param {Tensor} x @param {number} which 0 query, 1 key, 2 value
 */
function project(mha, x, which) {
  const { embedDim: C, in_proj_weight: all } = mha, where = 'MultiheadAttention'
  const name = all ? 'in_proj_weight' : /** @type {const} */ (['q_proj_weight', 'k_proj_weight', 'v_proj_weight'])[which]
  const weight = expectWeightTensor(where, name, mha[name]), bias = expectOptionalTensor(where, 'in_proj_bias', mha.in_proj_bias)
  expectShape(where, name, weight, [all ? 3 * C : C, x.shape[2]], `embedDim ${C}`)
  expectShape(where, 'in_proj_bias', bias, [3 * C], '3·embedDim')
  return linearRows(x, weight, bias, { first: all ? which * C : 0, count: C, biasFirst: which * C })
}

/**
 * The projection with its adapter's output added, if there is one.
 * @param {MultiheadAttention} mha @param {Tensor} x @param {number} which @param {Tensor} projection
 */
function addAdapter({ adapters }, x, which, projection) {
  return adapters?.has('qkv'[which]) ? add(projection, adapters.get('qkv'[which]).forward(x)) : projection
}

/**
 * The cache's keys and values for this attention, or undefined without a cache.
 * @param {MultiheadAttention} mha @param {Cache | null | undefined} cache @param {Tensor} query @param {Tensor} key
 */
function getCacheEntry(mha, cache, query, key) {
  if (cache === undefined || cache === null) return undefined
  expect(cache instanceof Cache, 'type',
    () => `MultiheadAttention: cache must be a gf.decoding.Cache, got ${describe(cache)}`)
  const entry = cache.of(mha, key === query ? undefined : key.shape[1])
  expect(!entry.isMemory || entry.capacity === key.shape[1], 'shape', () =>
    `MultiheadAttention: the cache holds ${entry.capacity} keys of a memory, and key now has ${key.shape[1]}`)
  return entry
}

/** @param {MultiheadAttention} mha @param {Tensor} query @param {Tensor} key @param {Tensor} value */
function checkShapes({ embedDim, kdim, vdim }, query, key, value) {
  /** @param {string} name @param {Tensor} tensor @param {number} channels @param {Tensor} source of as many tokens */
  const check = (name, tensor, channels, source) => {
    expectRank('MultiheadAttention', name, expectFloatTensor('MultiheadAttention', name, tensor), 3, '[B, T, C]')
    const expected = [query.shape[0], source.shape[1], channels]
    expect(sameShape(tensor.shape, expected), 'shape',
      () => `MultiheadAttention: ${name} must have shape ${formatShape(expected)}, got ${formatShape(tensor.shape)}`)
  }
  check('query', query, embedDim, query)
  check('key', key, kdim, key)
  check('value', value, vdim, key)
}

/** The mean over the heads. @type {import('../autograd/autograd.js').Operation} */
const average = {
  name: 'average_heads',
  axes({ inputs: { weights } }, of) {
    const [batch, , query, key] = of(weights)
    return [batch, query, key]
  },
  backward() {},
  explain({ inputs: { weights } }, _, [b, i, j]) {
    const H = weights.shape[1], factor = constant('1/H', 1 / H)
    return sumOf('Σₕ weights[h] / H', range(H).map(h => productTerm(factor, cell(weights, [b, h, i, j], 'weights'))))
  },
  explainGradient: () => ({ formula: '0', terms: [] })
}

/** The mean over the heads, without gradients. @param {Tensor} weights [B, H, Tq, Tk] @returns {Tensor} [B, Tq, Tk] */
function averageHeads(weights) {
  const { engine, shape: [B, H, Tq, Tk] } = weights, out = engine.empty([B, Tq, Tk])
  engine.c.gf_attention_average(out.dataPtr(), weights.dataPtr(), B, H, Tq * Tk)
  return engine.noGrad(() => record(engine, average, { weights }, { out }))
}
