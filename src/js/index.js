import { GlassformerError } from './errors.js'
import { loadEngine } from './load.js'
import { Tensor, tensor } from './tensor.js'
import { trace } from './trace.js'
import * as random from './random.js'
import { add } from './ops/add.js'
import { scaledDotProductAttention } from './ops/attention.js'
import { floatTensor } from './ops/checks.js'
import { crossEntropy } from './ops/cross_entropy.js'
import { dropout } from './ops/dropout.js'
import { embedding } from './ops/embedding.js'
import { gelu } from './ops/gelu.js'
import { layerNorm } from './ops/layer_norm.js'
import { linear } from './ops/linear.js'
import { logSoftmax } from './ops/log_softmax.js'
import { matmul } from './ops/matmul.js'
import { mul } from './ops/mul.js'
import { narrow } from './ops/narrow.js'
import { positionalEncoding } from './ops/positional_encoding.js'
import { relu } from './ops/relu.js'
import { softmax } from './ops/softmax.js'
import { loadSafetensors, saveSafetensors } from './safetensors.js'
import * as modules from './nn/index.js'
import * as optim from './optim/index.js'
import { Vocab } from './text/vocab.js'
import { whitespace } from './text/whitespace.js'
import { words } from './text/words.js'

/** torch.nn.functional in camelCase: tensors by position, everything else in one options object. */
const functional = {
  add, crossEntropy, dropout, embedding, gelu, layerNorm, linear, logSoftmax, matmul, mul, narrow, relu,
  scaledDotProductAttention, softmax
}

/**
 * A class as users see it: without the engine, which its constructor takes first.
 * @template C
 * @typedef {C extends new (engine: any, ...args: infer A) => infer T
 *   ? (new (...args: A) => T) & Omit<C, 'prototype'> : never} Bound
 */

/**
 * A class whose constructor is given the engine first.
 * @template {new (engine: any, ...args: any[]) => any} C
 * @param {import('./engine.js').Engine} engine
 * @param {C} Class
 * @returns {Bound<C>}
 */
function withEngine(engine, Class) {
  const WithEngine = class extends /** @type {new (...args: any[]) => any} */ (Class) {
    /** @param {any[]} args */
    constructor(...args) { super(engine, ...args) }
  }
  Object.defineProperty(WithEngine, 'name', { value: Class.name })
  return /** @type {any} */ (WithEngine)
}

/**
 * torch.nn for one engine.
 * @param {import('./engine.js').Engine} engine
 * @returns {{ [K in Exclude<keyof typeof modules, 'Parameter'>]: Bound<(typeof modules)[K]> }
 *   & { Parameter: new (values: Tensor | import('./tensor.js').NestedArray) => modules.Parameter }}
 */
function bindModules(engine) {
  const { Parameter, ...rest } = modules
  const bound = Object.entries(rest).map(([name, Class]) => [name, withEngine(engine, Class)])
  return /** @type {any} */ ({
    ...Object.fromEntries(bound),
    Parameter: class extends Parameter {
      /** A tensor's values (shared with it) or nested arrays as a parameter: torch.nn.Parameter. @param {any} values */
      constructor(values) {
        const base = values instanceof Tensor ? floatTensor('Parameter', 'values', values)
          : tensor(engine, values, { dtype: 'float32' }, 'Parameter: values')
        super(base.engine, base.shape, base)
      }
    }
  })
}

/**
 * Starts glassformer. Every call gives an engine with a memory and a random stream of its own.
 * @param {Parameters<typeof loadEngine>[0]} [options] wasm: where the kernels are, if not beside the package
 */
export async function load(options) {
  const engine = await loadEngine(options)
  return {
    /** Which build of the kernels runs. */
    variant: 'simd128',
    engine,
    /** @param {Parameters<typeof tensor>[1]} values @param {Parameters<typeof tensor>[2]} [options] */
    tensor: (values, options) => tensor(engine, values, options),
    /** @template T @param {() => T} fn */
    tidy: fn => engine.tidy(fn),
    /** @template T @param {() => T} fn */
    noGrad: fn => engine.noGrad(fn),
    /** @template T @param {() => T} fn @param {Parameters<typeof trace>[2]} [options] */
    trace: (fn, options) => trace(engine, fn, options),
    /** @param {number | bigint} seed */
    manualSeed: seed => random.manualSeed(engine, seed),
    /** @param {readonly number[]} shape @param {Parameters<typeof random.rand>[2]} [options] */
    rand: (shape, options) => random.rand(engine, shape, options),
    /** @param {readonly number[]} shape @param {Parameters<typeof random.randn>[2]} [options] */
    randn: (shape, options) => random.randn(engine, shape, options),
    /** @param {number} low @param {number} high @param {readonly number[]} shape */
    randint: (low, high, shape) => random.randint(engine, low, high, shape),
    /** @param {number} n */
    randperm: n => random.randperm(engine, n),
    /** @param {number} maxLength @param {number} dModel @param {Parameters<typeof positionalEncoding>[3]} [options] */
    positionalEncoding: (maxLength, dModel, options) => positionalEncoding(engine, maxLength, dModel, options),
    text: {
      /** @param {string | Uint8Array} text */
      whitespace: text => whitespace(engine, text),
      /** @param {string | Uint8Array} text @param {Parameters<typeof words>[2]} [options] */
      words: (text, options) => words(engine, text, options),
      Vocab: withEngine(engine, Vocab)
    },
    saveSafetensors,
    /** @param {Uint8Array | ArrayBuffer} bytes */
    loadSafetensors: bytes => loadSafetensors(engine, bytes),
    functional,
    nn: bindModules(engine),
    optim
  }
}

export { GlassformerError, Tensor }
