// A table of PyTorch's public names: those that this library has under the same name in camelCase, those that it
// writes differently, and those that it lacks. The names come from golden/torch_api.json; only the differences are
// written by hand.
import { gf } from './engine.js'

const exampleTensor = gf.tensor([1])
const exampleModule = new gf.nn.Linear(1, 1)

/** The object of this library that has the names of each part of PyTorch, and how its members are written. */
const COUNTERPARTS = {
  'torch': { target: { ...gf.functional, ...gf }, prefix: 'gf.' },
  'torch.Tensor': { target: exampleTensor, prefix: 'x.' },
  'torch.nn.functional': { target: gf.functional, prefix: 'F.' },
  'torch.nn': { target: gf.nn, prefix: 'nn.' },
  'torch.nn.Module': { target: exampleModule, prefix: 'module.' },
  'torch.nn.init': { target: gf.nn.init, prefix: 'nn.init.' },
  'torch.optim': { target: gf.optim, prefix: 'optim.' },
  'torch.optim.lr_scheduler': { target: gf.optim.lrScheduler, prefix: 'lrScheduler.' },
  'torch.autograd': { target: gf.autograd, prefix: 'gf.autograd.' },
  'torch.nn.utils': { target: {}, prefix: '' },
  'torch.utils.checkpoint': { target: {}, prefix: '' },
  'torch.utils.data': { target: gf.data, prefix: 'gf.data.' }
}

/** Names that this library writes differently: the expression here, and a note. */
export const DIFFERENT_NAMES = {
  'torch': {
    no_grad: ['gf.noGrad(() => ...)', 'a function instead of a block'],
    enable_grad: ['gf.enableGrad(() => ...)', 'a function instead of a block'],
    meshgrid: ['gf.meshgrid([a, b], { indexing })', 'a list'],
    concat: ['gf.cat(tensors, dim)', ''],
    concatenate: ['gf.cat(tensors, dim)', ''],
    tensor: ['gf.tensor(values, { dtype })', 'numbers are float32 unless dtype says int32; typed arrays of integers are int32'],
    as_tensor: ['gf.tensor(values)', 'copies'],
    from_numpy: ['gf.tensor(typedArray, { shape })', 'copies'],
    load: ['gf.loadSafetensors(bytes)', 'safetensors only: a pickle may run code; `gf.loadCheckpoint` to resume a training'],
    save: ['gf.saveSafetensors(tensors)', 'safetensors only; `gf.saveCheckpoint` with optimizer, schedule and random state'],
    randint: ['gf.randint(low, high, shape, { dtype })', 'int32; float64 where the numbers do not fit'],
    arange: ['gf.arange(start, end, step)', 'int32 of integers, as in PyTorch, else float32'],
    is_tensor: ['x instanceof Tensor', "import { Tensor } from 'glassformer'"],
    quantize_per_channel: ["x.to('int8')", '32 neighbours of a row share a scale; of a whole model `gf.quantize(model)`']
  },
  'torch.Tensor': {
    nelement: ['x.numel()', ''],
    dim: ['x.shape.length', ''],
    ndim: ['x.shape.length', ''],
    tolist: ['x.toArray()', ''],
    numpy: ['x.data', 'the values themselves as a typed array; `x.data.slice()` copies'],
    data: ['x.data', 'the values themselves as a typed array; `x.data.slice()` copies'],
    T: ['x.T', 'of a matrix; `x.t()`, too'],
    mT: ['x.transpose(-2, -1)', ''],
    float: ["x.to('float32')", ''],
    int: ["x.to('int32')", ''],
    long: ["x.to('int32')", 'integers have 32 bits'],
    bool: ["x.to('bool')", ''],
    half: ["x.to('float16')", 'for storage and weights that are only used; arithmetic is in float32'],
    bfloat16: ["x.to('bfloat16')", 'for storage and weights that are only used; arithmetic is in float32'],
    bmm: ['x.matmul(y)', ''],
    mm: ['x.matmul(y)', ''],
    mv: ['x.matmul(v)', ''],
    softmax: ['x.softmax(dim)', 'dim: -1 when not given'],
    log_softmax: ['x.logSoftmax(dim)', 'dim: -1 when not given'],
    where: ['gf.where(mask, a, b)', ''],
    multinomial: ['gf.multinomial(p, n, { replacement })', ''],
    bernoulli: ['gf.bernoulli(p)', ''],
    median: ['x.median(dim)', 'with dim `{ values, indices }`; the indices of equal values may be others'],
    bitwise_and: ['x.bitwiseAnd(y)', '`x & y` in Python'], bitwise_or: ['x.bitwiseOr(y)', 'the operator or of Python'],
    bitwise_xor: ['x.bitwiseXor(y)', '`x ^ y` in Python'], bitwise_not: ['x.bitwiseNot()', '`~x` in Python'],
    max: ['x.max(dim)', 'with dim `{ values, indices }`, also `[0]` and `[1]`'],
    min: ['x.min(dim)', 'with dim `{ values, indices }`, also `[0]` and `[1]`'],
    clamp: ['x.clamp({ min, max })', ''],
    subtract: ['x.sub(y)', ''], multiply: ['x.mul(y)', ''], divide: ['x.div(y)', ''], negative: ['x.neg()', ''],
    absolute: ['x.abs()', ''], greater: ['x.gt(y)', ''], less: ['x.lt(y)', ''], not_equal: ['x.ne(y)', ''],
    greater_equal: ['x.ge(y)', ''], less_equal: ['x.le(y)', ''], true_divide: ['x.div(y)', ''],
    swapdims: ['x.transpose(a, b)', ''],
    is_leaf: ['x.node', 'null of a leaf'], grad_fn: ['x.node', ''], broadcast_to: ['x.expand(...shape)', ''],
    values: ['x.values', "dense; PyTorch's are of sparse tensors"],
    storage: ['x.values', 'the values themselves, until memory grows']
  },
  'torch.nn.functional': {
    one_hot: ['F.oneHot(ids, { numClasses })', 'int32'],
    scaled_dot_product_attention: ['F.scaledDotProductAttention(q, k, v, { isCausal })', 'added to PyTorch in 2.0'],
    multi_head_attention_forward: ['nn.MultiheadAttention', ''],
    logsigmoid: ['F.softplus(x.neg()).neg()', ''],
    embedding: ['F.embedding(ids, weight)', 'ids may be nested arrays']
  },
  'torch.nn': {
    MultiheadAttention: ['nn.MultiheadAttention(c, heads, options)', 'always batch first; gradients go through the output'],
    Transformer: ['nn.Transformer(...)', 'always batch first, as all layers'],
    Parameter: ['nn.Parameter(tensor)', ''],
    Module: ['nn.Module', '`module(x)` is `module.forward(x)`'],
    LogSigmoid: ['F.softplus(x.neg()).neg()', '']
  },
  'torch.nn.Module': {
    state_dict: ['module.stateDict()', 'an object of tensors'],
    load_state_dict: ['module.loadStateDict(state, { strict })', ''],
    named_parameters: ['module.namedParameters()', 'an array of [name, tensor]'],
    children: ['module.namedChildren()', ''],
    modules: ['module.namedModules()', ''],
    register_parameter: ['module.name = new nn.Parameter(...)', 'or `this.parameter(...shape)` in a constructor, without values, to be filled by `nn.init`'],
    add_module: ['module.name = child', ''], register_module: ['module.name = child', ''],
    forward: ['module.forward(x)', 'or `module(x)`']
  },
  'torch.nn.init': {},
  'torch.optim': {},
  'torch.optim.lr_scheduler': {},
  'torch.autograd': {
    grad: ['gf.grad(outputs, inputs, { gradOutputs, retainGraph, allowUnused })', 'no createGraph: gradients are not recorded'],
    backward: ['x.backward(gradient, { retainGraph })', ''],
    no_grad: ['gf.noGrad(() => ...)', 'a function instead of a block'],
    inference_mode: ['gf.noGrad(() => ...)', ''],
    enable_grad: ['gf.enableGrad(() => ...)', 'a function instead of a block'],
    Function: ['gf.autograd.Function', '`static forward(ctx, ...)` and `static backward(ctx, gradient)`, used by `apply`']
  },
  'torch.nn.utils': {
    clip_grad_norm_: ['gf.optim.clipGradNorm(parameters, maxNorm)', 'gives the norm there was'],
    clip_grad_value_: ['gf.optim.clipGradValue(parameters, clipValue)', ''],
    clip_grad_norm: ['gf.optim.clipGradNorm(parameters, maxNorm)', ''],
    parameters_to_vector: ['gf.cat(parameters.map(p => p.flatten()))', ''],
    rnn: ['gf.data.padSequence(sequences, { batchFirst })', '`pad_sequence`']
  },
  'torch.utils.checkpoint': {
    checkpoint: ['gf.checkpoint(fn, ...inputs)', 'fn may be a module']
  },
  'torch.utils.data': {
    DataLoader: ['gf.data.DataLoader(dataset, { batchSize, shuffle })', 'without worker processes; `for await` where `get` is async'],
    Dataset: ['gf.data.Dataset', '`length` and `get(index)` for `__len__` and `__getitem__`'],
    WeightedRandomSampler: ['gf.multinomial(weights, n, { replacement: true })', 'its `toArray()` as `sampler`'],
    RandomSampler: ['gf.data.DataLoader(dataset, { shuffle: true })', ''],
    SubsetRandomSampler: ['gf.data.Subset(dataset, indices)', 'in a loader with `shuffle`'],
    BatchSampler: ['gf.data.DataLoader(dataset, { batchSampler })', 'lists of indices']
  }
}

/** Common expressions: in Python, in this library, and their value when x holds the numbers 0 to 11 as [3, 4]. */
export const COMMON_EXPRESSIONS = [
  ['x[0]', 'x.index(0)', [0, 1, 2, 3]], ['x[-1]', 'x.index(-1)', [8, 9, 10, 11]],
  ['x[:, -1]', "x.index(':', -1)", [3, 7, 11]], ['x[1:3]', "x.index('1:3')", [[4, 5, 6, 7], [8, 9, 10, 11]]],
  ['x[:, :n]', 'x.index(\':\', \':\' + n)', [[0, 1], [4, 5], [8, 9]]],
  ['x[:, [0, 2]]', "x.index(':', [0, 2])", [[0, 2], [4, 6], [8, 10]]],
  ['x[..., None].shape', "x.index('...', 'newaxis').shape", [3, 4, 1]],
  ['x[2, 1].item()', 'x.at(2, 1)', 9], ['x[x > 9]', 'x.index(x.gt(9))', [10, 11]],
  ['x[(x > 8) & ~(x > 9)]', 'x.index(x.gt(8).bitwiseAnd(x.gt(9).bitwiseNot()))', [9]],
  ['x[x > 9] = 0', 'x.indexPut_([x.gt(9)], 0)', [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 0, 0]]], ['x.sum(1, keepdim=True)', 'x.sum(1, { keepdim: true })', [[6], [22], [38]]],
  ['bool(x.isnan().any())', 'x.isnan().any().item()', false],
  ['values, places = x.max(1)', '[...x.max(1)]', [[3, 7, 11], [3, 3, 3]]],
  ['(x + 1) * 2 - x', 'x.add(1).mul(2).sub(x)', [[2, 3, 4, 5], [6, 7, 8, 9], [10, 11, 12, 13]]], ['len(x)', 'x.size(0)', 3],
  ['x.shape[-1]', 'x.shape.at(-1)', 4], ["float('-inf')", '-gf.inf', -Infinity], ['x[None].shape', "x.index('newaxis').shape", [1, 3, 4]],
  ['(1 - x)[0]', 'gf.sub(1, x).index(0)', [1, 0, -1, -2]], ['torch.max(x, 1)[1]', 'gf.max(x, 1)[1]', [3, 3, 3]],
  ['x[:, 1] += 5', "x.indexPut_([':', 1], 5, { accumulate: true })", [[0, 6, 2, 3], [4, 10, 6, 7], [8, 14, 10, 11]]],
  ['x % 4', 'x.sub(x.div(4).floor().mul(4))', [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]]
]

const toCamelCase = name => name.replace(/(?<=[a-z\d])_([a-z\d])/g, (_, letter) => letter.toUpperCase())

/**
 * Whether an object has a member. A hint for a PyTorch name that the library lacks throws when it is read.
 * @param {any} target @param {string} name
 */
function hasMember(target, name) {
  try {
    return target[name] !== undefined || name in target
  } catch {
    return false
  }
}

/**
 * The rows of one part of PyTorch.
 * @param {string} part @param {string[]} names
 */
export function rowsOf(part, names) {
  const { target, prefix } = COUNTERPARTS[part]
  return names.map(name => {
    const difference = DIFFERENT_NAMES[part][name]
    if (difference) return { name, status: 'differs', here: difference[0], note: difference[1] }
    return hasMember(target, toCamelCase(name)) ? { name, status: 'have', here: prefix + toCamelCase(name) }
      : { name, status: 'not' }
  })
}

/** Remarks at the head of a section. */
const REMARKS = {
  torch: 'What tensors have as a method is listed with `torch.Tensor`, and `torch.nn.functional` by itself: `torch.exp(x)` is ' +
    '`gf.exp(x)`\nor `x.exp()`, `torch.matmul(a, b)` is `gf.matmul(a, b)`, `torch.softmax(x, dim=1)` is ' +
    '`gf.softmax(x, 1)` or `gf.softmax(x, { dim: 1 })`.'
}

const renderTable = rows => ['| PyTorch | here | |', '| --- | --- | --- |',
  ...rows.map(({ name, here, note = '' }) => `| \`${name}\` | \`${here.replaceAll('|', '\\|')}\` | ${note} |`)].join('\n')

function renderSection(part, names) {
  const rows = rowsOf(part, names)
  const withStatus = status => rows.filter(row => row.status === status)
  return [
    `## ${part}`, REMARKS[part] ?? '',
    `${withStatus('have').length} as in PyTorch, ${withStatus('differs').length} otherwise, ${withStatus('not').length} not.`,
    withStatus('have').length
      ? `As in PyTorch, in camelCase: ${withStatus('have').map(({ name }) => `\`${toCamelCase(name)}\``).join(', ')}.` : '',
    withStatus('differs').length ? renderTable(withStatus('differs')) : ''
  ].filter(Boolean).join('\n\n')
}

/**
 * PyTorch's names that are spelled otherwise here, [here, note], or missing, null: for the search of the reference.
 * @param {{ names: Record<string, string[]> }} torch
 */
export function otherNames({ names }) {
  const otherRows = (part, list) => rowsOf(part, list).filter(({ status }) => status !== 'have')
  const counterpart = ({ status, here, note }) => (status === 'differs' ? [here, note] : null)
  return Object.fromEntries(Object.entries(names).map(([part, list]) => (
    [part, Object.fromEntries(otherRows(part, list).map(row => [row.name, counterpart(row)]))])))
}

/** The whole table as Markdown. @param {{ version: string, names: Record<string, string[]> }} torch */
export const renderApiTable = ({ names }) => `${[
  '# From PyTorch',
  'The public names of PyTorch 1.13 that glassformer has, as in PyTorch or otherwise. The search of the reference also finds those\n' +
  'that it lacks. Made by `tests/api.test.js` from the library itself; `UPDATE=1 node --test tests/api.test.js` writes it anew.',
  'Everywhere: names in camelCase, batch first. Arguments have PyTorch\'s order, and its keyword arguments stand in one object\n' +
  'at the end: `x.sum(-1, { keepdim: true })`, `F.normalize(x, 2, -1)`, `new nn.Linear(3, 4, false)`, `layer(x, mask)`,\n' +
  '`nn.init.normal_(w, 0, 0.02)`, `new optim.AdamW(model.parameters(), 3e-4, { weightDecay: 0.1 })`.',
  '## What is written often',
  ['| PyTorch | here |', '| --- | --- |', ...COMMON_EXPRESSIONS.map(([python, here]) => `| \`${python}\` | \`${here}\` |`)].join('\n'),
  '`f"{loss}"` is a template string with `${loss}` in it, and tensors and modules print as in PyTorch; `x[mask] = v` is `x.indexPut_([mask], v)`, which records no\n' +
  'gradient. A name that a tensor or a module does not have is an error, as in Python. A tensor cannot be cloned to another thread\n' +
  '(`structuredClone`), since it lives in the memory of its engine: send `x.toArray()` or `gf.saveSafetensors`.\n' +
  '`if (x.isnan().any())` is always true, since JavaScript counts every object as true: write `if (x.isnan().any().item())`.\n' +
  '`x.slice(dim, from, to)` has the axis first, unlike `slice` of JavaScript. `x.data` shows memory that may move: it lasts\n' +
  'until the next call into the library, `x.data.slice()` and `x.toArray()` for good. `gf.data.DataLoader` makes batches in\n' +
  'PyTorch\'s order. `gf.decoding.generate(model, ids)` calls a forward of your own with an int32 tensor [B, T]; it may\n' +
  'return logits, `[logits, loss]` or an object with `logits`. If its second parameter is `{ cache }`, or it reads\n' +
  '`options.cache`, it gets one. If it hands the cache on to attention or calls `cache.update(this, k, v)`, it is given new tokens\n' +
  'only, and the first of them has position `cache.length`. `torch.compile(model)` is `gf.compile(model)`, inside `gf.noGrad`;\n' +
  '`fast.reason` says why something is not compiled.\n' +
  'Types come by name: `import type { Linear, Module, Tensor } from \'glassformer\'`.',
  'Methods in place (`x.add_(y)`, `x.copy_(y)`, `x.zero_()`) are not recorded for backward: they are for tensors without\n' +
  '`requiresGrad`, or inside `gf.noGrad`. A recorded operation refers to its tensors, and traces explain it with their values,\n' +
  'so one tensor cannot be the results of two operations; write `x = x.add(y)` where PyTorch would record `x.add_(y)`.\n' +
  'What is a copy here but a view in PyTorch (`x.t()`, `x.select(1, 0)`, `x.slice(…)`) refuses them.',
  'In `index`, `null` is `\':\'` and `\'newaxis\'` is `None`. `next(iter(loader))` is `const [batch] = loader`.',
  '## What differs silently',
  ['`x.shape` is an array: `x.shape[-1]` is undefined, write `x.shape.at(-1)`; `x.shape === y.shape` is false, compare `String(x.shape)`.',
    '`x.data` is a typed array of all values, without axes: `x.data[0]` is the first number, not the first row. It has none of a ' +
    'tensor\'s\n  methods: `w.data.normal_()` is `nn.init.normal_(w)` or `gf.noGrad(() => w.normal_())`.',
    '`F.softmax(x)` and `F.logSoftmax(x)` without `dim` take the last axis; PyTorch takes axis 0 of three axes, else axis 1.',
    '`gf.tensor`, `gf.full` and `gf.where` of numbers give float32, also of integers; `{ dtype: \'int32\' }` or `.to(\'int32\')`. ' +
    '`gf.full` of\n  true and false gives bool.',
    '`gf.randint` of numbers that do not fit into int32 gives float64.',
    '`gf.grad(y, x)` of one tensor gives one tensor, of a list a list; PyTorch always gives a tuple.',
    'A model of `gf.models.load` returns `{ hidden, logits, … }`, a plain object: `last_hidden_state` is `hidden`, and a name that is ' +
    "not\n  there is undefined. `model.generate(ids)` returns the new ids only, and stops at the model's context.",
    '`nn.Transformer.generateSquareSubsequentMask(n)` gives nested arrays, which masks may be; `gf.tensor(…)` makes a tensor.'
  ].map(line => `* ${line}`).join('\n'),
  '## What stays out',
  'This is a transformer library. Batch normalization, pooling and recurrent layers are not there: transformers have none of\n' +
  'them, and each would need kernels of its own, which every reader of the page would load. Convolutions are (`F.conv1d`,\n' +
  '`F.conv2d`), since patch embeddings and the front of speech models need them. There are no complex numbers: rotary\n' +
  'positions are `F.rotary`, which takes `frequencies` of your own. Gradients have no gradients: `createGraph` is an error that says\n' +
  'what to write. What is composed of other operations (`erf`, `log1p`, `conv2d`, `unique` …) takes longer than a kernel would.',
  ...Object.entries(names).map(([part, names]) => renderSection(part, names))
].join('\n\n')}\n`
