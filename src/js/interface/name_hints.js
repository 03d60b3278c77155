import { DTYPES, DTYPE_ALIASES } from '../tensor/dtype.js'
import { GlassformerError } from '../errors.js'
import { Tokenizer } from '../text/tokenizer.js'
import { Run } from '../trace/observe.js'
import { Trace } from '../trace/trace.js'
import { toCamelCase, toSnakeCase } from './letter_case.js'
import { createExtremesEnd, createModuleEnd, createObjectEnd, createTensorEnd } from './unknown_names.js'

/** Members of PyTorch's tensors that tensors here do not have, and what to write instead. */
const TENSOR_HINTS = /** @type {const} */ ({
  cuda: 'leave it out: everything is in the memory of WebAssembly', cpu: 'leave it out: everything is in one memory',
  device: 'there is one memory', numpy: 'write x.data', tolist: 'write x.toArray()', dim: 'write x.shape.length',
  long: "there is no int64, write x.to('int32')", int: "write x.to('int32')", float: "write x.to('float32')", bool: "write x.to('bool')",
  double: 'there is no arithmetic in float64', half: "write x.to('float16')", mT: 'write x.transpose(-2, -1)',
  bmm: 'write x.matmul(y)', mm: 'write x.matmul(y)', ndim: 'write x.shape.length', is_leaf: 'write x.node === null',
  grad_fn: 'write x.node', type: 'write x.dtype, or x.to(dtype)',
  length: 'write x.numel() for the number of values, x.shape[0] for the rows',
  map: 'write operations, which take all values at once, such as x.mul(2) or x.exp()',
  forEach: 'write x.toArray().forEach(…)', filter: 'write x.maskedSelect(mask)', reduce: 'write x.sum(), x.max() …',
  indices: 'x.max({ dim }), x.min({ dim }), x.sort() and x.topk(k) give values and indices; write x.argmax() or x.argmin() for one of all',
  clip: 'write x.clamp({ min, max })', addmm: 'write a.matmul(b).add(x)',
  remainder: 'write x.sub(x.div(n).floor().mul(n))', fmod: 'write x.sub(x.div(n).trunc().mul(n))', floor_divide: 'write x.div(n).floor()',
  where: 'write gf.where(mask, a, b)', concat: 'write gf.cat([a, b], { dim })', detach_: 'write x = x.detach()',
  stride: 'values lie row by row', print: 'write console.log(x.toArray())', toFixed: 'write x.item().toFixed(2)',
  register_hook: 'write gf.grad(loss, [x])', dataSync: 'write x.data', arraySync: 'write x.toArray()',
  is_cuda: 'there is one memory'
})

/** The same for modules. */
const MODULE_HINTS = {
  to: 'everything is float32 in one memory, so leave it out; gf.quantize stores weights in fewer bits',
  cuda: 'everything is in the memory of WebAssembly, so leave it out', cpu: 'everything is in one memory, so leave it out',
  children: 'write module.namedChildren(), pairs of name and module', modules: 'write module.namedModules(), pairs of name and module',
  append: 'write list.push(module)', extend: 'write list.push(module) for each',
  register_parameter: 'write this.name = new gf.nn.Parameter(tensor)', add_module: 'write this.name = module',
  half: "everything is computed in float32; gf.quantize(module, { dtype: 'float16' }) stores weights in 16 bits", float: 'everything is float32, so leave it out', double: 'everything is float32, so leave it out',
  freeze: 'write module.requiresGrad_(false)', call: 'write module(x)', bind: 'write x => module(x)',
  register_backward_hook: 'write module.registerFullBackwardHook(fn)'
}

const COMPLEX_HINT = 'there are no complex numbers; rotary positions are gf.functional.rotary'

/** Members of torch that the library does not have, or has elsewhere, and what to write instead. */
const LIBRARY_HINTS = {
  Tensor: "write gf.tensor(values), and import { Tensor } from 'glassformer' for instanceof",
  save: 'write gf.saveSafetensors(model.stateDict()), which gives the bytes of a file',
  load: 'write gf.loadSafetensors(bytes).tensors for weights, gf.models.load(files) for a model',
  bmm: 'write gf.matmul(a, b), which takes any number of axes',
  mm: 'write gf.matmul(a, b)', from_numpy: 'write gf.tensor(typedArray, { shape })',
  inference_mode: 'write gf.noGrad(() => …)', set_grad_enabled: 'write gf.noGrad(() => …), gf.enableGrad(() => …) inside of it',
  polar: COMPLEX_HINT, complex: COMPLEX_HINT, view_as_complex: COMPLEX_HINT, view_as_real: COMPLEX_HINT,
  vmap: 'operations take any number of axes in front', func: 'write gf.grad(loss, inputs) for gradients',
  device: 'there is one memory, so leave it out',
  cuda: 'everything is in the memory of WebAssembly, so leave it out',
  hstack: 'write gf.cat(tensors, 1), of vectors gf.cat(tensors)', vstack: 'write gf.cat(tensors), of vectors gf.stack(tensors)',
  finfo: 'the largest float32 is 3.4028234663852886e38; write -Infinity to hide scores', iinfo: 'int32 holds −2147483648 to 2147483647',
  addmm: 'write a.matmul(b).add(x)', baddbmm: 'write a.matmul(b).add(x)',
  remainder: 'write x.sub(x.div(n).floor().mul(n))', fmod: 'write x.sub(x.div(n).trunc().mul(n))', floor_divide: 'write x.div(n).floor()',
  utils: 'write gf.data.DataLoader, gf.data.Dataset … for torch.utils.data, gf.checkpoint for torch.utils.checkpoint'
}

/** Common misspellings of class names. */
const MISSPELLINGS = {
  Relu: 'ReLU', Gelu: 'GELU', Silu: 'SiLU', MultiHeadAttention: 'MultiheadAttention', Layernorm: 'LayerNorm', RmsNorm: 'RMSNorm'
}

/** What torch.nn and torch.nn.functional have under names of their own, and what to write instead. */
const LOG_SIGMOID_HINT = 'write F.softplus(x.neg()).neg()'

/** Modules of torch.nn, optimizers and schedulers of torch.optim that the library does not have. */
const MISSING_MODULES = [
  'Conv3d', 'ConvTranspose1d', 'ConvTranspose2d', 'MaxPool2d', 'AvgPool2d', 'AdaptiveAvgPool2d', 'BatchNorm1d', 'BatchNorm2d', 'GroupNorm',
  'InstanceNorm2d', 'Dropout2d', 'RNN', 'LSTM', 'GRU', 'LSTMCell', 'GRUCell', 'PReLU', 'SELU', 'Hardswish', 'Mish',
  'Bilinear', 'EmbeddingBag', 'Upsample', 'DataParallel', 'CTCLoss', 'TripletMarginLoss'
]
/** Functions of torch.nn.functional that the library does not have. */
const MISSING_FUNCTIONS = ['interpolate', 'batch_norm', 'group_norm', 'instance_norm', 'conv3d', 'conv_transpose1d', 'conv_transpose2d',
  'max_pool1d', 'max_pool2d', 'avg_pool1d', 'avg_pool2d', 'adaptive_avg_pool1d', 'adaptive_avg_pool2d', 'ctc_loss', 'grid_sample']
const MISSING_OPTIMIZERS = ['RMSprop', 'Adagrad', 'Adadelta', 'Adamax', 'NAdam', 'RAdam', 'Rprop', 'ASGD', 'LBFGS', 'SparseAdam']

const MISSING_SCHEDULERS = [
  'ChainedScheduler', 'ConstantLR', 'CosineAnnealingWarmRestarts', 'CyclicLR', 'MultiplicativeLR', 'PolynomialLR'
]
/** Names of torch.utils.data, and what to write instead. */
const DATA_HINTS = {
  IterableDataset: 'write a Dataset with length and get(index), or loop over your own generator',
  ConcatDataset: 'write a Dataset whose get(index) reads from one or the other',
  RandomSampler: 'write new gf.data.DataLoader(dataset, { shuffle: true })',
  SequentialSampler: 'leave it out: it is what a DataLoader does without shuffle',
  WeightedRandomSampler: 'write { sampler: gf.multinomial(weights, n, { replacement: true }).toArray() }',
  SubsetRandomSampler: 'write new gf.data.DataLoader(new gf.data.Subset(dataset, indices), { shuffle: true })',
  BatchSampler: 'write { batchSampler: lists of indices }'
}
/** Methods of Hugging Face's classes, and what to write instead. */
const MODEL_HINTS = { from_pretrained: "write await gf.models.load(files), the files of the model's folder by name" }

/** @param {string} owner @param {string} hint */
const missingMessage = (owner, hint) => (/** @type {string} */ name) => `${owner} has no ${name}; ${hint}`
const moduleMessage = missingMessage('gf.nn', 'it has the parts of transformers; write your own: class … extends gf.nn.Module')
const functionMessage = missingMessage('gf.functional', 'it has the parts of transformers')
const optimizerMessage = missingMessage('gf.optim', 'write SGD, Adam or AdamW')
const schedulerMessage = missingMessage('gf.optim.lrScheduler', 'any schedule is a new LambdaLR(optimizer, epoch => factor)')

/**
 * Makes reading a missing property throw an error with a hint; undefined would only lead to "is not a function".
 * @param {object} object @param {string} name @param {string} message
 * @param {(this: object, value: unknown) => void} [set] the setter; by default it throws, too
 */
function addHint(object, name, message, set) {
  if (name in object) return
  const get = () => { throw new GlassformerError('type', message) }
  Object.defineProperty(object, name, { configurable: true, get, set: set ?? get })
}

/** A setter that defines the property, since a user's subclass may need the name. @param {string} name */
const definingSetter = name => /** @this {object} @param {unknown} value */ function set(value) {
  Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
}

/**
 * Adds hints for several names, each also in camelCase.
 * @param {object} object @param {Record<string, string>} hints by name
 * @param {(name: string, hint: string) => string} message
 * @param {(name: string) => (this: object, value: unknown) => void} [set]
 */
function addHints(object, hints, message, set) {
  for (const [name, hint] of Object.entries(hints)) {
    const spellings = new Set([name, toCamelCase(name)])
    for (const spelling of spellings) addHint(object, spelling, message(spelling, hint), set?.(spelling))
  }
}

/**
 * Adds hints for PyTorch's snake_case spelling of all names of an object.
 * @template {object} T @param {T} object with names in camelCase, or the prototype of a class @returns {T}
 */
export function addSpellingHints(object) {
  for (const name of Object.getOwnPropertyNames(object)) {
    const snakeCase = toSnakeCase(name)
    if (snakeCase !== name) addHint(object, snakeCase, `${snakeCase} is spelled ${name} here`, definingSetter(snakeCase))
  }
  return object
}

/** Read-only properties of tensors, with hints for those who assign them. */
const READ_ONLY_HINTS = {
  shape: '; write x.reshape(…)', dtype: '; write x.to(dtype)'
}

/**
 * Makes names that tensors do not have errors with hints.
 * @param {object} prototype of tensors @param {object} root the first prototype of its chain
 */
export function refuseUnknownTensorNames(prototype, root) {
  Object.setPrototypeOf(root, createTensorEnd(TENSOR_HINTS))
  const { size } = /** @type {any} */ (prototype), refuseSize = () => {
    throw new GlassformerError('type', 'size is a method: write x.numel() for the number of values, x.size() or x.shape for the shape')
  }
  // As a property it was the number of values; a function in arithmetic would give NaN.
  Object.defineProperty(size, Symbol.toPrimitive, { value: refuseSize })
  Object.defineProperty(prototype, 'size', { get: () => size, set: refuseSize, configurable: true })
  for (const [name, hint] of Object.entries(READ_ONLY_HINTS)) {
    const { get } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, name))
    const set = () => { throw new GlassformerError('type', `${name} of a tensor cannot be assigned${hint}`) }
    Object.defineProperty(prototype, name, { get, set, configurable: true })
  }
}

/** Makes names that values with indices do not have errors with hints. @param {object} prototype of Extremes */
export const refuseUnknownExtremesNames = prototype => { Object.setPrototypeOf(prototype, createExtremesEnd()) }

/** The same for runs and traces, which have different methods, and for tokenizers. */
const RUN_HINTS = { get: 'write run.tensor(name)', runWithCache: 'it has every tensor: write run.tensor(name)' }
const TRACE_HINTS = {
  tensor: 'write trace.get(name)', read: 'write trace.get(name).toArray()', describe: 'write gf.observe(fn) instead of gf.trace(fn) for a run, which has it'
}
const TOKENIZER_HINTS = {
  batch_decode: 'write lists.map(ids => tokenizer.decode(ids))', batch_encode_plus: 'write tokenizer.encode(texts)',
  tokenize: 'write tokenizer.encode(text).tokens', vocab_size: 'write tokenizer.size', length: 'write tokenizer.size',
  convert_ids_to_tokens: 'write ids.map(id => tokenizer.tokenOf(id))', convert_tokens_to_ids: 'write tokens.map(token => tokenizer.idOf(token))',
  get_vocab: 'write tokenizer.tokenOf(id) and tokenizer.idOf(token)', call: 'write tokenizer.encode(text)', target: ''
}

/** Makes names that runs, traces and tokenizers do not have errors with hints. */
export function refuseUnknownObjectNames() {
  /** @param {Function} Class @param {[noun: string, hints: Record<string, string>, reader?: string]} names */
  const refuse = ({ prototype }, ...names) => {
    Object.setPrototypeOf(prototype, createObjectEnd(Object.getPrototypeOf(prototype), ...names))
  }
  refuse(Run, 'run', RUN_HINTS, 'tensor')
  refuse(Trace, 'trace', TRACE_HINTS, 'get')
  refuse(Tokenizer, 'tokenizer', TOKENIZER_HINTS)
}

/** What lists of modules do not have: Python allows negative indices, and JavaScript's arrays have more methods. */
const LIST_HINTS = Object.fromEntries([
  ...[-1, -2].map(i => [String(i), `a list of modules has no index ${i}; write list.at(${i})`]),
  ...['map', 'forEach', 'filter', 'reduce', 'entries', 'slice'].map(
    name => [name, `a list of modules has no ${name}; write [...list].${name}(…)`])
])

/**
 * Makes reading names that modules do not have errors with hints.
 * @param {object} root the first prototype of their chain @param {Function} List the class of lists of modules
 */
export function refuseUnknownModuleNames(root, List) {
  const moreHints = (/** @type {object} */ module) => (module instanceof List ? LIST_HINTS : {})
  Object.setPrototypeOf(root, createModuleEnd(Object.getPrototypeOf(root), MODULE_HINTS, moreHints))
}

/** @param {object} prototype of optimizers, whose groups are a field */
export const addOptimizerHints = prototype => (
  addHint(prototype, 'param_groups', 'param_groups is spelled paramGroups here', definingSetter('param_groups')))

/** Adds hints for class methods of torch.nn.Embedding. @param {Function} Embedding */
export function addEmbeddingHints(Embedding) {
  for (const name of ['from_pretrained', 'fromPretrained']) addHint(Embedding, name, `Embedding has no ${name}; write ` +
    'new gf.nn.Embedding(rows, columns), then embedding.loadStateDict({ weight })')
}

/**
 * Adds hints for what Python's datasets and loaders have.
 * @param {Function} Dataset @param {Function} DataLoader
 */
export function addDataHints(Dataset, DataLoader) {
  addHint(Dataset.prototype, '0', 'a dataset cannot be indexed with [ ]; write dataset.get(0)', definingSetter('0'))
  addHint(DataLoader.prototype, 'next', 'a DataLoader has no next; write for (const batch of loader), or const [batch] = loader for the first')
}

/**
 * Adds a hint for torch.autograd's grad.
 * @template {object} T @param {T} autograd @returns {T}
 */
export function addAutogradHints(autograd) {
  addHint(autograd, 'grad', 'gf.autograd has no grad; write gf.grad(outputs, inputs)')
  return autograd
}

/**
 * Adds hints for names that are in another part of the library.
 * @param {any} library
 */
function addPlaceHints(library) {
  const { nn, optim, functional, decoding, data } = library, parts = [library, nn, functional, optim]
  /** @type {[string, object][]} */ const places = [
    ['gf.nn', nn], ['gf.functional', functional], ['gf.optim', optim], ['gf.optim.lrScheduler', optim.lrScheduler],
    ['gf.decoding', decoding], ['gf.data', data], ['gf.nn.init', nn.init]
  ]
  for (const [where, from] of places) {
    for (const name of Object.keys(from)) {
      for (const part of parts) if (part !== from) addHint(part, name, `${name} is ${where}.${name} here`)
    }
  }
  for (const name of Object.keys(nn.init)) addHint(nn.init, name.slice(0, -1), `${name.slice(0, -1)} is spelled ${name} here`)
  for (const name of ['clipGradNorm', 'clipGradValue']) {
    for (const spelling of [`${name}_`, `${toSnakeCase(name)}_`]) addHint(optim, spelling, `${spelling} is spelled ${name} here`)
  }
}

/**
 * Adds hints for names of torch that the library does not have. An undefined dtype would count as the default one, and
 * an undefined class would give "is not a constructor".
 * @param {any} library
 */
function addMissingHints(library) {
  const { nn, optim, models, data, functional } = library
  const types = { ...DTYPE_ALIASES, ...Object.fromEntries(Object.keys(DTYPES).map(name => [name, name])) }
  for (const [name, type] of Object.entries(types)) addHint(library, name, `dtypes are strings, not gf.${name}; write '${type}'`)
  addHints(library, LIBRARY_HINTS, (name, hint) => `gf has no ${name}; ${hint}`)
  for (const name of MISSING_MODULES) addHint(nn, name, moduleMessage(name))
  addHint(nn, 'LogSigmoid', `gf.nn has no LogSigmoid; ${LOG_SIGMOID_HINT}`)
  addHints(functional, { logsigmoid: LOG_SIGMOID_HINT }, (name, hint) => `gf.functional has no ${name}; ${hint}`)
  for (const name of MISSING_FUNCTIONS) {
    for (const spelling of [name, toCamelCase(name)]) addHint(functional, spelling, functionMessage(spelling))
  }
  for (const name of Object.keys(nn).filter(key => /^[A-Z][a-z]/.test(key))) {
    const lowercase = name[0].toLowerCase() + name.slice(1)
    addHint(nn, lowercase, `${lowercase} is spelled ${name} here`)
  }
  for (const [name, right] of Object.entries(MISSPELLINGS)) addHint(nn, name, `${name} is spelled ${right} here`)
  addPlaceHints(library)
  addHint(nn, 'utils', 'gf.nn has no utils; write gf.optim.clipGradNorm, gf.optim.clipGradValue, gf.data.padSequence')
  for (const name of MISSING_OPTIMIZERS) addHint(optim, name, optimizerMessage(name))
  for (const name of MISSING_SCHEDULERS) addHint(optim.lrScheduler, name, schedulerMessage(name))
  addHints(models, MODEL_HINTS, (name, hint) => `gf.models has no ${name}; ${hint}`)
  addHints(data, DATA_HINTS, (name, hint) => `gf.data has no ${name}; ${hint}`)
}

/** @param {any} library */
const partsOf = ({ nn, optim, models, functional, data }) =>
  [nn, nn.init, optim, optim.lrScheduler, models, functional, data]

/**
 * Adds hints for names that the library and its parts do not have. There are hundreds and most programs need none, so
 * they are added when such a name is first read or set. (Resolving a promise with the library reads `then`.)
 * @template {object} T @param {T} library @returns {T}
 */
export function addLibraryHints(library) {
  const defaultPrototype = Object.prototype
  // The functional part is shared by all libraries, so the proxy must not keep one of them alive.
  const reference = new WeakRef(/** @type {object} */ (library))
  /** @param {string | symbol} name */
  const isMissing = name => typeof name === 'string' && name !== 'then' && !(name in defaultPrototype)
  /** @param {object} receiver */
  const addAll = receiver => {
    const known = reference.deref(), all = known ? [known, ...partsOf(known)] : []
    for (const object of [receiver, ...all]) Object.setPrototypeOf(object, defaultPrototype)
    if (!known) return
    for (const object of all) addSpellingHints(object)
    addMissingHints(known)
  }
  const hintingPrototype = new Proxy(defaultPrototype, {
    get(target, name, receiver) {
      if (!isMissing(name)) return Reflect.get(target, name, receiver)
      addAll(receiver)
      return receiver[name]
    },
    set(target, name, value, receiver) {
      if (!isMissing(name)) return Reflect.set(target, name, value, receiver)
      addAll(receiver)
      receiver[name] = value
      return true
    }
  })
  for (const object of [library, ...partsOf(library)]) Object.setPrototypeOf(object, hintingPrototype)
  return library
}
