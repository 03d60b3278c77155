import { GlassformerError, expect, expectEngine, guardPromise, expectOptions } from './errors.js'
import { bindClass, readConstructorArguments } from './interface/bind_engine.js'
import { createPublicClass } from './interface/public_class.js'
import { withSignature, withSignatures, wrapForwards } from './interface/arguments.js'
import { expectArgumentCount } from './interface/arity.js'
import { Engine } from './engine/engine.js'
import { tensor } from './tensor/from_values.js'
import { Tensor } from './tensor/tensor.js'
import { trace } from './trace/record_trace.js'
import { grad } from './autograd/autograd.js'
import { loadBlockKernels } from './engine/load_blocks.js'
import { quantize } from './nn/quantize.js'
import * as creation from './tensor/creation.js'
import { loadCheckpoint, saveCheckpoint } from './files/checkpoint.js'
import { compile } from './compile/compile.js'
import { toOnnx } from './export/onnx.js'
import { toPyTorch } from './export/pytorch.js'
import { CustomFunction, checkpoint } from './autograd/function.js'
import { observe } from './trace/observe.js'
import { Generator, getRngState, setRngState } from './tensor/generator.js'
import * as random from './tensor/random.js'
import * as arithmetic from './ops/arithmetic.js'
import { Methods, attachMethods, readArgumentsOfMethods } from './tensor/methods.js'
import { index, indexPut_, onlyMethods, requiresGrad_, shapeFunctions, shapeMethods } from './ops/arrange.js'
import { scaledDotProductAttention } from './ops/attention.js'
import { expectFloatTensor } from './ops/checks.js'
import { elu, glu } from './ops/gated.js'
import { inPlaceMethods } from './ops/in_place.js'
import { conv1d, conv2d, fold, pad, unfold } from './ops/windows.js'
import { crossEntropy } from './ops/cross_entropy.js'
import { dropout } from './ops/dropout.js'
import { embedding } from './ops/embedding.js'
import { gelu } from './ops/gelu.js'
import { layerNorm } from './ops/layer_norm.js'
import { linear } from './ops/linear.js'
import { logSoftmax } from './ops/log_softmax.js'
import { alibi, relativePositionBias, relativePositionBuckets } from './ops/position_bias.js'
import { positionalEncoding } from './ops/positional_encoding.js'
import { rotary } from './ops/rotary.js'
import { softmax } from './ops/softmax.js'
import { loadSafetensors, saveSafetensors } from './files/safetensors.js'
import { FUNCTIONS, INIT, OPTIMIZERS } from './interface/signatures.js'
import * as models from './models/index.js'
import * as modules from './nn/index.js'
import { Callable } from './nn/callable.js'
import { NumberedModules } from './nn/containers.js'
import * as init from './nn/init.js'
import { bindData } from './data/index.js'
import { bindDecoding } from './decoding/index.js'
import { bindInterpret } from './interpret/index.js'
import * as optimClasses from './optim/index.js'
import { Optimizer } from './optim/optimizer.js'
import {
  addAutogradHints, addEmbeddingHints, addLibraryHints, addOptimizerHints, addSpellingHints, refuseUnknownExtremesNames,
  refuseUnknownModuleNames, refuseUnknownObjectNames, refuseUnknownTensorNames
} from './interface/name_hints.js'
import { addOptionHints } from './interface/option_hints.js'
import { bindText } from './text/index.js'
import { Extremes } from './ops/extremes.js'
import { ACTIVATIONS } from './models/config.js'
import { activations } from './nn/activation.js'
import { registerLibraryCode } from './trace/intermediates.js'
import { loadThreads } from './threads/load.js'

/**
 * Types used by the declarations generated from this file.
 * @typedef {import('./nn/init.js').KaimingOptions} KaimingOptions
 * @typedef {import('./ops/losses.js').Reduction} Reduction
 * @typedef {import('./models/index.js').AnyModel} AnyModel
 */

/**
 * Picks the properties whose names another object has too.
 * @template {Record<string, any>} T @template {Record<string, any>} U
 * @param {T} object @param {U} other @returns {Pick<T, keyof T & keyof U>}
 */
const pick = (object, other) => /** @type {any} */ (Object.fromEntries(
  Object.entries(object).filter(([name]) => name in other)))

/** torch.nn.functional in camelCase: tensors are positional arguments, everything else is in one options object. */
const functional = withSignatures({
  ...arithmetic.functions, conv1d, conv2d, crossEntropy, dropout, elu, embedding, fold, gelu, glu, layerNorm, linear,
  logSoftmax, pad, relativePositionBias, rotary, scaledDotProductAttention, softmax, unfold, ...shapeFunctions,
  ...shapeMethods
})
/** The functions that torch has at the top level as well. */
const torchFunctions = pick(functional,
  { ...arithmetic.elements, logSoftmax, softmax, ...shapeFunctions, ...shapeMethods })
attachMethods({
  ...arithmetic.methods, logSoftmax, softmax, ...shapeMethods, ...onlyMethods, ...inPlaceMethods, index, indexPut_,
  requiresGrad_
})
readArgumentsOfMethods(Tensor.prototype, ['backward', 'transpose'])
wrapForwards(modules)
registerLibraryCode(...[modules, functional, activations, ACTIVATIONS].flatMap(Object.values))
refuseUnknownTensorNames(Tensor.prototype, Methods.prototype)
refuseUnknownModuleNames(Callable.prototype, NumberedModules)
refuseUnknownExtremesNames(Extremes.prototype)
refuseUnknownObjectNames()
addOptimizerHints(addSpellingHints(Optimizer.prototype))
addEmbeddingHints(modules.Embedding)

const initializers = withSignatures(init, INIT)

/**
 * Functions and classes of torch.optim that read their arguments in PyTorch's order.
 * @template {Record<string, any>} T @param {T} parts @param {string} from the object they are properties of
 * @returns {import('./interface/argument_types.js').AllWithOrder<T>}
 */
const readArgumentsOf = (parts, from) => /** @type {any} */ (Object.fromEntries(
  Object.entries(parts).map(([name, value]) => {
    const signature = /** @type {Record<string, string>} */ (OPTIMIZERS)[name]
    if (!signature) return [name, value]
    return [name, /^[A-Z]/.test(name) ? readConstructorArguments(value, name, signature, from) : withSignature(name, value, signature)]
  })))

const optimizers = readArgumentsOf(optimClasses, 'gf.optim')
const schedulers = readArgumentsOf(optimClasses.lrScheduler, 'gf.optim.lrScheduler')

/**
 * The classes of torch.nn for one engine.
 * @param {Engine | ((name: string) => Engine)} engine or a function that returns it when an instance is created
 * @returns {{ [K in Exclude<keyof typeof modules, 'Parameter'>]: Bound<(typeof modules)[K], K> }
 *   & { Parameter: new (values: Tensor | import('./tensor/tensor.js').NestedArray, options?: { requiresGrad?: boolean
 *   }) =>
 *   modules.Parameter }}
 */
function bindModules(engine) {
  const { Parameter, ...rest } = modules
  const bound = Object.entries(rest).map(([name, Class]) => {
    const Bound = bindClass(engine, Class, name)
    registerLibraryCode(Bound)
    return [name, Bound]
  })
  return /** @type {any} */ ({
    ...Object.fromEntries(bound),
    Parameter: createPublicClass(Parameter, class extends Parameter {
      /**
       * A parameter that shares a tensor's memory, or has the values of nested arrays: torch.nn.Parameter.
       * @param {any} values @param {{ requiresGrad?: boolean }} [options] true @param {unknown[]} more
       */
      constructor(values, options, ...more) {
        const own = typeof engine === 'function' ? engine(new.target.name) : engine
        if (more.length) expectArgumentCount('Parameter', 2, [values, options, ...more])
        if (typeof options === 'number') throw new GlassformerError('type', 'Parameter: takes values, not the sides of a ' +
          'shape; write new gf.nn.Parameter(gf.zeros([2, 3])), and gf.nn.init for random values')
        const { requiresGrad = true } = expectOptions('Parameter', options, ['requiresGrad'])
        const base = values instanceof Tensor ? expectFloatTensor('Parameter', 'values', values)
          : tensor(own, values, { dtype: 'float32' }, 'Parameter: values')
        expectEngine('Parameter', own, [base])
        super(own, base.shape, base)
        this.requiresGrad = requiresGrad
      }
    }, 'Parameter')
  })
}

/**
 * torch.nn for one engine.
 * @param {Parameters<typeof bindModules>[0]} engine
 */
const bindNN = engine => ({ ...bindModules(engine), init: { ...initializers }, functional })

/** torch.optim, whose classes find the engine in their parameters. */
const createOptim = () => ({ ...optimizers, lrScheduler: { ...schedulers } })

/**
 * The engine that was loaded last; weak, so that an engine that the program no longer uses can be freed.
 * @type {WeakRef<Engine> | null}
 */
let latestEngine = null

/** @param {string} name of the class of which an instance is created @returns {Engine} */
function getLatestEngine(name) {
  expect(latestEngine !== null, 'state', () => `${name}: nothing is loaded yet; write const gf = await load() before new ${name}(…)`)
  const engine = latestEngine.deref()
  expect(engine !== undefined, 'state', () => `${name}: what load() returned was not kept; write const gf = await load()`)
  return engine
}

addOptionHints()

/** The parts that programs may import by name, before `load` was called. */
const imported = addLibraryHints({
  nn: bindNN(getLatestEngine), optim: createOptim(), functional, models: {},
  data: bindData(getLatestEngine), decoding: {}
})

/**
 * torch.nn at the top level of a program, where classes are declared before `await load()`. Instances can be created
 * once it has returned, in the engine that was loaded last; with several engines, `gf.nn` says which is meant.
 * @example
 * // import { load, nn } from 'glassformer'
 * // class Model extends nn.Module { … }
 * // const gf = await load(), model = new Model()
 * @type {import('./glassformer.js').Modules}
 */
export const nn = /** @type {any} */ (imported.nn)

/**
 * torch.optim at the top level of a program, the same as `gf.optim`.
 * @type {import('./glassformer.js').Optimizers}
 */
export const optim = /** @type {any} */ (imported.optim)

/**
 * torch.utils.data at the top level of a program, where datasets are declared before `await load()`.
 * @type {import('./glassformer.js').DataLoading}
 */
export const data = /** @type {any} */ (imported.data)

/** @import { Bound } from './interface/bind_engine.js' */
/** @typedef {import('./tensor/generator.js').Generator} RandomGenerator used in the types of the random functions */
/** @typedef {import('./tensor/creation.js').MakeOptions} MakeOptions */

/**
 * Creation functions for one engine.
 * @param {Engine} engine
 */
const bindCreation = engine => withSignatures({
  /** @param {readonly number[]} shape @param {MakeOptions} [options] */
  zeros: (shape, options) => creation.zeros(engine, shape, options),
  /** @param {readonly number[]} shape @param {MakeOptions} [options] */
  ones: (shape, options) => creation.ones(engine, shape, options),
  /** @param {readonly number[]} shape @param {number | boolean} value @param {MakeOptions} [options] */
  full: (shape, value, options) => creation.full(engine, shape, value, options),
  /** (end), (start, end) or (start, end, step). @param {...(number | MakeOptions)} numbers and options */
  arange: (...numbers) => creation.arange(engine, numbers),
  /** @param {number} start @param {number} end @param {number} steps @param {MakeOptions} [options] */
  linspace: (start, end, steps, options) => creation.linspace(engine, start, end, steps, options),
  /** @param {number} n @param {number | MakeOptions} [m] @param {MakeOptions} [options] */
  eye: (n, m, options) => creation.eye(engine, n, m, options),
  /** @param {readonly number[]} shape @param {MakeOptions} [options] */
  empty: (shape, options) => creation.empty(engine, shape, options),
  /** @param {number} rows @param {number} columns @param {number} [offset] */
  trilIndices: (rows, columns, offset) => creation.trilIndices(engine, rows, columns, offset),
  /** @param {number} rows @param {number} columns @param {number} [offset] */
  triuIndices: (rows, columns, offset) => creation.triuIndices(engine, rows, columns, offset),
  zerosLike: creation.zerosLike,
  onesLike: creation.onesLike,
  fullLike: creation.fullLike,
  emptyLike: creation.emptyLike,
  randLike: random.randLike,
  randnLike: random.randnLike
})

/**
 * Random functions for one engine.
 * @param {Engine} engine
 */
const bindRandom = engine => withSignatures({
  /** Seeds the random generator: torch.manual_seed. @param {number | bigint} seed an integer */
  manualSeed: seed => random.manualSeed(engine, seed),
  /** The state of the random generator, for setRngState: torch.get_rng_state. */
  getRngState: () => getRngState(engine),
  /** Continues from a state of the random generator: torch.set_rng_state. @param {Uint8Array} state */
  setRngState: state => setRngState(engine, state),
  /**
   * Random numbers, uniform in [0, 1): torch.rand; options: requiresGrad, dtype, generator.
   * @param {readonly number[]} shape @param {Parameters<typeof random.rand>[2]} [options]
   */
  rand: (shape, options) => random.rand(engine, shape, options),
  /**
   * Random numbers from the standard normal distribution: torch.randn; options: requiresGrad, generator.
   * @param {readonly number[]} shape @param {Parameters<typeof random.randn>[2]} [options]
   */
  randn: (shape, options) => random.randn(engine, shape, options),
  /**
   * Random integers from low to high - 1: torch.randint; options: generator, dtype.
   * @param {number} low @param {number} high @param {readonly number[]} shape
   * @param {Parameters<typeof random.randint>[4]} [options]
   */
  randint: (low, high, shape, options) => random.randint(engine, low, high, shape, options),
  /**
   * Random numbers from a normal distribution: torch.normal; options: mean, std, requiresGrad, generator.
   * @param {readonly number[]} shape @param {Parameters<typeof random.normal>[2]} [options] @param {any[]} more
   */
  normal: (shape, options, ...more) => {
    // PyTorch's order is mean, std, size.
    const [size, others] = /** @type {any[]} */ (more)
    return typeof shape === 'number' ? random.normal(engine, size, { ...others, mean: shape, std: /** @type {any} */ (options) })
      : random.normal(engine, shape, options)
  },
  /**
   * 1 with probability p, else 0: torch.bernoulli; options: generator.
   * @param {Parameters<typeof random.bernoulli>[1]} p @param {Parameters<typeof random.bernoulli>[2]} [options]
   */
  bernoulli: (p, options) => random.bernoulli(engine, p, options),
  /**
   * Samples n classes with probabilities proportional to weights: torch.multinomial; options: replacement, generator.
   * @param {Parameters<typeof random.multinomial>[1]} p @param {number} n
   * @param {Parameters<typeof random.multinomial>[3]} [options]
   */
  multinomial: (p, n, options) => random.multinomial(engine, p, n, options),
  /**
   * The integers 0 to n - 1 in random order: torch.randperm; options: generator.
   * @param {number} n @param {Parameters<typeof random.randperm>[2]} [options]
   */
  randperm: (n, options) => random.randperm(engine, n, options)
})

/**
 * Checkpoints for one engine.
 * @param {Engine} engine
 */
const bindCheckpoints = engine => withSignatures({
  /**
   * Saves a training as the bytes of one file: { model, optimizer, scheduler, … }, and the random generator's state.
   * @param {Parameters<typeof saveCheckpoint>[1]} parts
   */
  saveCheckpoint: parts => saveCheckpoint(engine, parts),
  /**
   * Restores a training from saveCheckpoint.
   * @template S @param {S} bytes @param {Record<string, any>} [targets] { model, optimizer, scheduler }
   * @returns {import('./files/checkpoint.js').LoadedValues<S>} the other saved values, such as { step }
   */
  loadCheckpoint: (bytes, targets) => loadCheckpoint(engine, bytes, targets)
})

/** Properties that a caller who forgot `await` is likely to read first. */
const GUARDED = [
  'tensor', 'nn', 'functional', 'optim', 'text', 'models', 'trace', 'observe', 'tidy', 'noGrad', 'manualSeed', 'randn'
]

/**
 * Loads the library. Each call creates an engine with its own memory and random stream.
 * @param {Parameters<typeof loadThreads>[0]} [options] wasm: the kernels, default: beside the package; threads: 1,
 *   how many threads share long kernel calls where that is possible, with the same bits, see gf.threads; blocks: the
 *   kernels for weights that stay in GGUF's blocks, glassformer.blocks.wasm (with threads
 *   glassformer.blocks.threads.wasm), which are fetched with the first such model, default: beside the package;
 *   relaxed: false, true uses kernels whose multiply-adds the processor may fuse, where the engine has relaxed SIMD:
 *   faster on processors of Intel, but the last bits of results differ between processors, see gf.variant
 */
export const load = options => guardPromise(start(options), GUARDED, 'const gf = await load()')

/** @param {Parameters<typeof loadThreads>[0]} [options] */
async function start(options) {
  const { exports, threads, blocks, addKernels, variant } = await loadThreads(options)
  const engine = new Engine(exports, addKernels)
  engine.blocksSource = blocks
  latestEngine = new WeakRef(engine)
  return addLibraryHints({
    /** The build of the kernels: 'simd128', or 'relaxed-simd' after load({ relaxed: true }) where the engine has it. */
    variant,
    engine,
    /** ∞: torch.inf, float('inf'). @example gf.full([2], -gf.inf)   // [-Infinity, -Infinity] */
    inf: Infinity,
    /** Not a number: torch.nan. */
    nan: NaN,
    /** π: torch.pi. */
    pi: Math.PI,
    /** Euler's number: torch.e. */
    e: Math.E,
    /**
     * The threads that compute. With load({ threads: 2 }) long kernel calls are split between two workers that share
     * the memory; the bits stay the same.
     * @example
     * gf.threads.count                                // 1
     * gf.threads.reason                               // null
     */
    threads,
    /**
     * Creates a tensor from nested arrays, a number or a typed array: torch.tensor. options: shape, dtype ('float32',
     * 'int32', 'float64', 'bool', …), requiresGrad.
     * @param {Parameters<typeof tensor>[1]} values @param {Parameters<typeof tensor>[2]} [options]
     */
    tensor: (values, options) => tensor(engine, values, options),
    /**
     * Runs fn and frees every tensor created in it, except those that it returns: alone or in arrays, plain objects,
     * Maps, Sets and modules. fn must not be async.
     * @template T @param {import('./interface/argument_types.js').SyncFunction<T>} fn
     */
    tidy: fn => engine.tidy(/** @type {() => T} */ (fn)),
    /**
     * The memory of live tensors: { bytes, tensors, peak }, where peak is the maximum of bytes. Unreachable tensors
     * count until they are freed; those whose values were moved out, since they were not used for long, do not count.
     */
    memory: () => engine.memory.usage,
    /**
     * Runs fn without recording it for backward: torch.no_grad.
     * @template T @param {import('./interface/argument_types.js').SyncFunction<T>} fn
     */
    noGrad: fn => engine.noGrad(/** @type {() => T} */ (fn)),
    /**
     * Runs fn and records it for backward, even inside noGrad: torch.enable_grad.
     * @template T @param {import('./interface/argument_types.js').SyncFunction<T>} fn
     */
    enableGrad: fn => engine.enableGrad(/** @type {() => T} */ (fn)),
    /**
     * Returns the gradients of outputs with respect to inputs, without adding them to `grad`: torch.autograd.grad.
     * @type {typeof grad}
     */
    grad: withSignature('grad', grad, FUNCTIONS.grad),
    autograd: addAutogradHints({ Function: CustomFunction }),
    checkpoint,
    compile,
    /**
     * Runs fn and records every tensor in it by name; `trace.dispose()` frees them.
     * @template T @param {() => T} fn @param {Parameters<typeof trace>[2]} [options] modules, edits, keepAttention
     * @returns {{ output: T, trace: import('./trace/trace.js').Trace }}
     */
    trace: (fn, options) => trace(engine, fn, options),
    /**
     * Runs a model and stores every intermediate tensor, to be read, explained and differentiated on demand, with the
     * meaning of each axis and tensor.
     * @param {Parameters<typeof observe>[1]} fn @param {Parameters<typeof observe>[2]} [options] modules, edits, axes,
     *   streams, passes, keepAttention
     */
    observe: (fn, options) => observe(engine, fn, options),
    ...bindCreation(engine),
    ...bindRandom(engine),
    Generator: bindClass(engine, Generator, 'Generator', 'gf'),
    /**
     * Sinusoidal positional encodings [maxLength, dModel]; options: base, layout, method, dtype.
     * @param {number} maxLength @param {number} dModel @param {Parameters<typeof positionalEncoding>[3]} [options]
     */
    positionalEncoding: (maxLength, dModel, options) => positionalEncoding(engine, maxLength, dModel, options),
    /**
     * Linear biases for attention (ALiBi) [1, heads, queries, keys], to pass as attnMask.
     * @param {number} heads @param {number} queries @param {number} [keys] @param {{ past?: number }} [options]
     */
    alibi: (heads, queries, keys, options) => alibi(engine, heads, queries, keys, options),
    /**
     * T5's buckets of relative positions [queries, keys].
     * @param {number} queries @param {number} keys @param {Parameters<typeof relativePositionBuckets>[3]} [options]
     */
    relativePositionBuckets: (queries, keys, options) => relativePositionBuckets(engine, queries, keys, options),
    text: bindText(engine),
    quantize,
    /**
     * Loads the kernels for weights in GGUF's blocks, which `quantize` needs for 'q8_0', 'q4_0' and 'q4_k';
     * `models.load` does this itself.
     * @returns {Promise<void>}
     */
    loadBlocks: () => loadBlockKernels(engine),
    saveSafetensors,
    toOnnx,
    toPyTorch,
    /**
     * Reads the tensors by name, and the metadata, of a safetensors file: its bytes, a Blob, an open file of Node's, or
     * several files by name. Files that are not in memory are read in chunks, and the result is a promise. options:
     * names, dtypes.
     * @template S @param {S} source @param {Parameters<typeof loadSafetensors>[2]} [options]
     * @returns {import('./files/safetensors.js').LoadedFrom<S>}
     */
    loadSafetensors: (source, options) => loadSafetensors(engine, source, options),
    ...bindCheckpoints(engine),
    models: {
      /**
       * Describes a model's files from their headers. options: dtype, ignoreHead, as for load.
       * @param {Parameters<typeof models.inspect>[0]} files @param {Parameters<typeof models.inspect>[1]} [options]
       */
      inspect: (files, options) => models.inspect(files, options),
      /**
       * Loads a model with its weights and tokenizer: { model, tokenizer, config }. options: dtype, ignoreHead,
       * onProgress, signal.
       * @param {Parameters<typeof models.load>[1]} files @param {Parameters<typeof models.load>[2]} [options]
       */
      load: (files, options) => models.load(engine, files, options),
      save: models.save,
      addAdapter: models.addAdapter,
      saveAdapter: models.saveAdapter,
      loadAdapter: models.loadAdapter
    },
    functional,
    ...torchFunctions,
    nn: bindNN(engine),
    optim: createOptim(),
    data: bindData(engine),
    decoding: bindDecoding(engine),
    interpret: bindInterpret(engine)
  })
}

export { GlassformerError, Tensor, functional }
