import { DTYPES, ELSEWHERE as TYPES } from './dtype.js'
import { GlassformerError } from './errors.js'

/** What PyTorch's tensors have and these do not, and what is written instead. */
const INSTEAD = /** @type {const} */ ({
  cuda: 'leave it out: everything is in the memory of WebAssembly', cpu: 'leave it out: everything is in one memory',
  device: 'there is one memory', numpy: 'write x.data', tolist: 'write x.toArray()', dim: 'write x.shape.length',
  long: "there is no int64, write x.to('int32')", int: "write x.to('int32')", float: "write x.to('float32')", bool: "write x.to('bool')",
  half: "write x.to('float16')", mT: 'write x.transpose(-2, -1)', unbind: 'write x.select(dim, i) for each',
  bmm: 'write x.matmul(y)', mm: 'write x.matmul(y)', ndim: 'write x.shape.length', is_leaf: 'write x.node === null',
  grad_fn: 'write x.node', type: 'write x.dtype, or x.to(dtype)', retain_grad: 'write gf.grad(loss, [x])',
  zero_: 'write gf.nn.init.zeros_(x)', fill_: 'write gf.nn.init.constant_(x, value)',
  uniform_: 'write gf.nn.init.uniform_(x)', normal_: 'write gf.nn.init.normal_(x)',
  copy_: 'write module.loadStateDict, or x.data.set(values)', masked_fill_: 'write x = x.maskedFill(mask, value)',
  clamp_: 'write x = x.clamp({ min, max })', add_: 'write x = x.add(y)', sub_: 'write x = x.sub(y)',
  mul_: 'write x = x.mul(y)', div_: 'write x = x.div(y)',
  length: 'write x.size for the number of values, x.shape[0] for the rows',
  map: 'write operations, which take all values at once, such as x.mul(2) or x.exp()',
  forEach: 'write x.toArray().forEach(…)', filter: 'write x.maskedSelect(mask)', reduce: 'write x.sum(), x.max() …',
  indices: 'x.max({ dim }) gives the values themselves; write x.argmax({ dim }), x.argmin({ dim }) or x.argsort({ dim })',
  clip: 'write x.clamp({ min, max })',
  where: 'write gf.where(mask, a, b)', concat: 'write gf.cat([a, b], { dim })', detach_: 'write x = x.detach()',
  stride: 'values lie row by row', print: 'write console.log(x.toArray())', toFixed: 'write x.item().toFixed(2)',
  register_hook: 'write gf.grad(loss, [x])', dataSync: 'write x.data', arraySync: 'write x.toArray()',
  is_cuda: 'there is one memory'
})

/** The same of modules. */
const OF_MODULES = {
  to: 'everything is float32 in one memory, so leave it out; gf.quantize stores weights in fewer bits',
  cuda: 'everything is in the memory of WebAssembly, so leave it out', cpu: 'everything is in one memory, so leave it out',
  children: 'write module.namedChildren(), pairs of name and module', modules: 'write module.namedModules(), pairs of name and module',
  append: 'write list.push(module)', extend: 'write list.push(module) for each',
  register_parameter: 'write this.name = new gf.nn.Parameter(tensor)', add_module: 'write this.name = module',
  half: "everything is computed in float32; gf.quantize(module, { dtype: 'float16' }) stores weights in 16 bits", float: 'everything is float32, so leave it out', double: 'everything is float32, so leave it out',
  freeze: 'write module.requiresGrad_(false)', call: 'write module(x)', bind: 'write x => module(x)',
  register_forward_pre_hook: 'write a class that changes its input before super.forward(input)',
  register_full_backward_hook: 'write gf.grad for the gradients of tensors on the way'
}

/** What torch has and the library has not, or elsewhere. */
const ELSEWHERE = {
  Tensor: "write gf.tensor(values), and import { Tensor } from 'glassformer' for instanceof",
  save: 'write gf.saveSafetensors(model.stateDict()), which gives the bytes of a file',
  load: 'write gf.loadSafetensors(bytes).tensors for weights, gf.models.load(files) for a model',
  bmm: 'write gf.matmul(a, b), which takes any number of axes',
  mm: 'write gf.matmul(a, b)', from_numpy: 'write gf.tensor(typedArray, { shape })',
  inference_mode: 'write gf.noGrad(() => …)',
  device: 'there is one memory, so leave it out',
  cuda: 'everything is in the memory of WebAssembly, so leave it out',
  utils: 'write gf.data.DataLoader, gf.data.Dataset … for torch.utils.data, gf.checkpoint for torch.utils.checkpoint'
}

/** How capitals are placed elsewhere, or by heart. */
const MISSPELT = {
  Relu: 'ReLU', Gelu: 'GELU', Silu: 'SiLU', MultiHeadAttention: 'MultiheadAttention', Layernorm: 'LayerNorm', RmsNorm: 'RMSNorm'
}

/** Modules of torch.nn and optimisers of torch.optim that people ask for. */
const MODULES = [
  'Conv1d', 'Conv2d', 'Conv3d', 'MaxPool2d', 'AvgPool2d', 'AdaptiveAvgPool2d', 'BatchNorm1d', 'BatchNorm2d', 'GroupNorm',
  'InstanceNorm2d', 'Dropout2d', 'RNN', 'LSTM', 'GRU', 'LSTMCell', 'GRUCell', 'ELU', 'PReLU', 'SELU', 'Hardswish', 'Mish',
  'Bilinear', 'EmbeddingBag', 'Upsample', 'ParameterList', 'ParameterDict', 'DataParallel', 'Unfold', 'SmoothL1Loss',
  'HuberLoss', 'CTCLoss', 'TripletMarginLoss'
]
const OPTIMISERS = ['RMSprop', 'Adagrad', 'Adadelta', 'Adamax', 'NAdam', 'RAdam', 'Rprop', 'ASGD', 'LBFGS', 'SparseAdam']

const SCHEDULERS = [
  'ChainedScheduler', 'ConstantLR', 'CosineAnnealingWarmRestarts', 'CyclicLR', 'MultiplicativeLR', 'PolynomialLR'
]
/** What torch.utils.data has besides. */
const OF_DATA = {
  IterableDataset: 'write a Dataset with length and get(index), or loop over your own generator',
  ConcatDataset: 'write a Dataset whose get(index) reads from one or the other',
  RandomSampler: 'write new gf.data.DataLoader(dataset, { shuffle: true })',
  SequentialSampler: 'leave it out: it is what a DataLoader does without shuffle',
  WeightedRandomSampler: 'write { sampler: gf.multinomial(weights, n, { replacement: true }).toArray() }',
  SubsetRandomSampler: 'write new gf.data.DataLoader(new gf.data.Subset(dataset, indices), { shuffle: true })',
  BatchSampler: 'write { batchSampler: lists of indices }'
}
/** What Hugging Face's classes have. */
const OF_MODELS = { from_pretrained: "write await gf.models.load(files), the files of the model's folder by name" }

/** @param {string} what @param {string} instead */
const lacking = (what, instead) => (/** @type {string} */ name) => `${what} has no ${name}; ${instead}`
const noModule = lacking('gf.nn', 'it has what transformers are made of; write your own: class … extends gf.nn.Module')
const noOptimiser = lacking('gf.optim', 'write SGD, Adam or AdamW')
const noScheduler = lacking('gf.optim.lrScheduler', 'write new LambdaLR(optimizer, epoch => factor), which any schedule is')

/** As PyTorch spells a name. @param {string} name */
const inPyTorch = name => name.replace(/(?<=[a-z\d])[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** As it would be spelled here. @param {string} name */
const inCamelCase = name => name.replace(/_(?=[a-z])(.)/g, (_, letter) => letter.toUpperCase())

/**
 * Answers a name that is not there, where undefined would lead on to "is not a function".
 * @param {object} object @param {string} name @param {string} message
 * @param {(this: object, value: unknown) => void} [set] what setting it does, else it is answered too
 */
function answer(object, name, message, set) {
  if (name in object) return
  const get = () => { throw new GlassformerError('type', message) }
  Object.defineProperty(object, name, { configurable: true, get, set: set ?? get })
}

/** Who extends a class may need the name for something of their own. @param {string} name */
const own = name => /** @this {object} @param {unknown} value */ function set(value) {
  Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
}

/**
 * The same for a list of names, each in camelCase, too.
 * @param {object} object @param {Record<string, string>} names with what is written instead
 * @param {(name: string, instead: string) => string} message
 * @param {(name: string) => (this: object, value: unknown) => void} [set]
 */
function answerAll(object, names, message, set) {
  for (const [name, instead] of Object.entries(names)) {
    const spellings = new Set([name, inCamelCase(name)])
    for (const one of spellings) answer(object, one, message(one, instead), set?.(one))
  }
}

/**
 * Says how names are spelled here to those who write them as in PyTorch.
 * @template {object} T @param {T} object with names in camelCase, or the prototype of a class @returns {T}
 */
export function addSpellingHints(object) {
  for (const name of Object.getOwnPropertyNames(object)) {
    const theirs = inPyTorch(name)
    if (theirs !== name) answer(object, theirs, `${theirs} is spelled ${name} here`, own(theirs))
  }
  return object
}

/** What tensors are, which nothing can make otherwise, and what is written instead of assigning it. */
const FIXED = {
  shape: '; write x.reshape(…)', dtype: '; write x.to(dtype)',
  size: ': it is the number of values; write x.reshape(…) to shape them otherwise, x.narrow(…) for fewer, gf.cat([…]) for more'
}

/** @param {object} prototype of tensors */
export function addTensorHints(prototype) {
  answerAll(prototype, INSTEAD, (name, instead) => `a tensor has no ${name} here; ${instead}`)
  answer(prototype, 'requires_grad', 'requires_grad is spelled requiresGrad here')
  for (const [name, instead] of Object.entries(FIXED)) {
    const { get } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, name))
    const set = () => { throw new GlassformerError('type', `${name} of a tensor cannot be assigned${instead}`) }
    Object.defineProperty(prototype, name, { get, set, configurable: true })
  }
}

/** @param {object} prototype of modules */
export function addModuleHints(prototype) {
  answerAll(prototype, OF_MODULES, (name, instead) => `a module has no ${name} here; ${instead}`, own)
}

/** @param {object} prototype of lists of modules, which Python counts from the end, too */
export function addListHints(prototype) {
  for (const place of [-1, -2]) answer(prototype, String(place), `a list of modules has no place ${place}; write list.at(${place})`)
  for (const name of ['map', 'forEach', 'filter', 'reduce', 'entries', 'slice']) {
    answer(prototype, name, `a list of modules has no ${name}; write [...list].${name}(…)`, own(name))
  }
}

/** @param {object} prototype of optimisers, whose groups are a field */
export const addOptimizerHints = prototype => (
  answer(prototype, 'param_groups', 'param_groups is spelled paramGroups here', own('param_groups')))

/**
 * What is asked of one part of the library and stands in another.
 * @param {any} library
 */
function answerPlaces(library) {
  const { nn, optim, functional, decoding, data } = library, parts = [library, nn, functional, optim]
  /** @type {[string, object][]} */ const found = [
    ['gf.nn', nn], ['gf.functional', functional], ['gf.optim', optim], ['gf.optim.lrScheduler', optim.lrScheduler],
    ['gf.decoding', decoding], ['gf.data', data], ['gf.nn.init', nn.init]
  ]
  for (const [where, from] of found) {
    for (const name of Object.keys(from)) {
      for (const part of parts) if (part !== from) answer(part, name, `${name} is ${where}.${name} here`)
    }
  }
  for (const name of Object.keys(nn.init)) answer(nn.init, name.slice(0, -1), `${name.slice(0, -1)} is spelled ${name} here`)
  for (const name of ['clipGradNorm', 'clipGradValue']) {
    for (const theirs of [`${name}_`, `${inPyTorch(name)}_`]) answer(optim, theirs, `${theirs} is spelled ${name} here`)
  }
}

/**
 * What torch has and this has not: a type that is undefined would be taken for the usual one, and others would end in
 * "is not a constructor".
 * @param {any} library
 */
function answerOf(library) {
  const { nn, optim, models, data } = library
  const types = { ...TYPES, ...Object.fromEntries(Object.keys(DTYPES).map(name => [name, name])) }
  for (const [name, type] of Object.entries(types)) answer(library, name, `dtypes are strings, not gf.${name}; write '${type}'`)
  answerAll(library, ELSEWHERE, (name, instead) => `gf has no ${name}; ${instead}`)
  for (const name of MODULES) answer(nn, name, noModule(name))
  for (const name of Object.keys(nn).filter(one => /^[A-Z][a-z]/.test(one))) {
    const small = name[0].toLowerCase() + name.slice(1)
    answer(nn, small, `${small} is spelled ${name} here`)
  }
  for (const [name, right] of Object.entries(MISSPELT)) answer(nn, name, `${name} is spelled ${right} here`)
  answerPlaces(library)
  answer(nn, 'utils', 'gf.nn has no utils; write gf.optim.clipGradNorm, gf.optim.clipGradValue, gf.data.padSequence')
  for (const name of OPTIMISERS) answer(optim, name, noOptimiser(name))
  for (const name of SCHEDULERS) answer(optim.lrScheduler, name, noScheduler(name))
  answerAll(models, OF_MODELS, (name, instead) => `gf.models has no ${name}; ${instead}`)
  answerAll(data, OF_DATA, (name, instead) => `gf.data has no ${name}; ${instead}`)
}

/** @param {any} library */
const partsOf = ({ nn, optim, models, functional, data }) =>
  [nn, nn.init, optim, optim.lrScheduler, models, functional, data]

/**
 * Answers names that the library and its parts do not have. There are hundreds of answers and most programs need none,
 * so they are made when such a name is first asked for. (Promises ask what they are given for `then`.)
 * @template {object} T @param {T} library @returns {T}
 */
export function addLibraryHints(library) {
  const usual = Object.prototype
  // Functions are the same for every library, and must not keep one that everybody else has forgotten.
  const held = new WeakRef(/** @type {object} */ (library))
  /** @param {string | symbol} name */
  const isMissing = name => typeof name === 'string' && name !== 'then' && !(name in usual)
  /** @param {object} asked */
  const begin = asked => {
    const asking = held.deref(), all = asking ? [asking, ...partsOf(asking)] : []
    for (const one of [asked, ...all]) Object.setPrototypeOf(one, usual)
    if (asking) answerOf(asking)
  }
  const asks = new Proxy(usual, {
    get(target, name, asked) {
      if (!isMissing(name)) return Reflect.get(target, name, asked)
      begin(asked)
      return asked[name]
    },
    set(target, name, value, asked) {
      if (!isMissing(name)) return Reflect.set(target, name, value, asked)
      begin(asked)
      asked[name] = value
      return true
    }
  })
  for (const one of [library, ...partsOf(library)]) Object.setPrototypeOf(one, asks)
  return library
}
