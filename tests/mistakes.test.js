// What is written often and wrongly, and what the library says to it. The message is all that its writer has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'

const gf = await load(), F = gf.functional, { nn, optim } = gf
const x = gf.ones([2, 3]), seq = gf.ones([1, 3, 4]), mask = [[false]]
const lin = new nn.Linear(3, 2), layer = new nn.TransformerEncoderLayer(4, 2)
const sgd = new optim.SGD(lin.parameters(), { lr: 0.1 }), file = gf.saveSafetensors(lin.stateDict())
const twice = lin.forward(x).sum()
twice.backward()
const gone = gf.ones([1])
gone.dispose()

const NO_NUMBER = `a float32 tensor [2, 3] cannot be used with JavaScript's + - * / < > and Math; write a.add(b), ` +
  'a.sub(b), a.mul(b), a.div(b), a.lt(b), a.exp() …, and a.item() for the number of a tensor that has one'

/** @type {[() => unknown, string][]} */
const MISTAKES = [
  [() => load().tensor([1]), 'this is a promise, not yet its result; write const gf = await load()'],
  [() => load(2), 'load: options must be an object with threads, wasm, got 2; write { threads: 2 }'],
  [() => gf.models.load({ 'config.json': '{"model_type":"mamba"}' }),
    'config.json: model_type must be one of gpt2, bert, marian, t5, llama, got "mamba"'],
  [() => gf.models.load('./gpt2'),
    "models: files must be an object of file contents by name, such as { 'config.json': text, " +
    `'model.safetensors': blob }, got "./gpt2"` + '; no folder and no name of a hub is read here, so read each ' +
    'file first, with await readFile(path) or fetch'],
  [() => gf.models.load({}),
    "models: files must be an object of file contents by name, such as { 'config.json': text, " +
    "'model.safetensors': blob }, got an empty object" + '; no folder and no name of a hub is read here, so read each ' +
    'file first, with await readFile(path) or fetch'],
  [() => gf.models.load({ 'config.json': './gpt2/config.json' }),
    'models: config.json must be the contents of the file, got "./gpt2/config.json", which looks like a ' +
    'path; read the file first, with await readFile(path) or fetch'],
  [() => gf.text.tokenizer('{}'),
    "tokenizer: files must be an object of file contents by name, such as { 'tokenizer.json': text }, got " +
    '"{}"'],
  [() => gf.text.trainBPE('abc', { vocabSize: 10 }),
    'trainBPE: vocabSize must be at least 256, for 256 bytes and the specials, got 10'],
  [() => new gf.text.Vocab('a b'), 'Vocab: lists must be an array of arrays of strings, got "a b"'],
  [() => gf.tensor('abc'), 'tensor: values must be numbers, got "abc"'],
  [() => gf.tensor([[1], [1, 2]]),
    'tensor: values must be regular nested arrays; expected an array of 1 at depth 1, got an array of 2'],
  [() => gf.tensor([1, '2']), 'tensor: values must be numbers, got "2"'],
  [() => gf.tensor([1.5], { dtype: 'int32' }),
    'tensor: values must be whole numbers for an int32 tensor, got 1.5 at place 0; leave dtype out, or round them first'],
  [() => gf.tensor([1, 2], { shape: [3] }), 'tensor: shape [3] holds 3 values, got 2'],
  [() => gf.tensor([1], { dtype: 'float' }),
    'tensor: dtype must be one of float32, int32, float64, bool, float16, bfloat16, got "float"; write ' + "'float32'"],
  [() => gf.zeros(2, 3), 'zeros: shape must be an array of numbers, such as [2, 3], got 2'],
  [() => gf.randn(2, 3), 'randn: shape must be an array of numbers, such as [2, 3], got 2'],
  [() => gf.ones([2], { requires_grad: true }), 'ones: there is no option "requires_grad", only dtype, requiresGrad'],
  [() => gf.arange(), 'arange: expected (end), (start, end) or (start, end, step), got 0 numbers'],
  [() => gf.manualSeed('42'), 'manualSeed: seed must be a whole number, got "42"'],
  [() => gf.manualSeed(2 ** 63),
    'manualSeed: seed must be a bigint from 2^53 on, such as 2n ** 63n, got 9223372036854776000'],
  [() => gf.noGrad(), 'noGrad: fn must be a function, got undefined; write gf.noGrad(() => …)'],
  [() => gf.tidy(async () => x),
    'tidy: fn must not be async; what it makes after its first await would be missed, so await before'],
  [() => x.item(), 'item: expected one value, got a float32 tensor [2, 3]; write x.at(…) for one, x.toArray() for all'],
  [() => x.at(0),
    'at: expected 2 indices for shape [2, 3], got 1; for a row write x.select(0, i)'],
  [() => x.sum(1), 'sum: options must be an object with dim, keepdim, got 1; write { dim: 1 }'],
  [() => x.mean([0]), 'mean: options must be an object with dim, keepdim, got an array of 1; write { dim: [0] }'],
  [() => x.to('cuda'),
    "to: there are no devices here; leave .to('cuda') out"],
  [() => x.to('int64'),
    'to: dtype must be one of float32, int32, float64, bool, float16, bfloat16, int8, got "int64"; write ' + "'int32'"],
  [() => x.add('1'),
    'add: b must be a tensor or a number, got "1"'],
  [() => x.add(gf.ones([4])), 'add: shapes [2, 3] and [4] do not broadcast: 3 and 4 on axis 1'],
  [() => F.sub(1, x.gt(0)),
    "sub: bool tensors cannot be subtracted; logicalNot() inverts a mask, to('int32') makes numbers"],
  [() => x.add(x, { alpha: 2 }),
    'add: takes one argument, but also got a second: an object with alpha; add has no options'],
  [() => F.mul(x, 2, 3),
    'mul: takes 2 arguments at most, but also got a third: 3'],
  [() => {
    const own = new nn.Linear(3, 1), given = gf.ones([2, 3], { requiresGrad: true })
    const [first, second] = [0, 1].map(() => own.forward(given).sum())
    second.backward()
    new optim.SGD(own.parameters()).step()
    first.backward()
  }, 'backward: weight of linear was overwritten after it was used (by an optimiser\'s step, nn.init or ' +
  'loadStateDict), so gradients can no longer be computed with it; call backward before, or forward again'],
  [() => gf.checkpoint(gf.ones([1, 3]), lin),
    'checkpoint: fn must be a module or a function, got a float32 tensor [1, 3]'],
  [() => gf.checkpoint(y => lin.forward(y), gf.ones([1, 3])),
    'checkpoint: at least one input must be a tensor that requires a gradient, or nothing inside would get one; call ' +
    'requiresGrad_() on it'],
  [() => x.reshape(4, 2), 'reshape: a float32 tensor [2, 3] cannot take shape [4, 2]: it has 6 values'],
  [() => x.permute(0), 'permute: dims must name each of 2 axes once, got [0]'],
  [() => x.matmul(x), 'matmul: the columns of a must be as many as the rows of b; a is [2, 3], b is [2, 3]'],
  [() => x.maskedFill([[true]], 0), 'maskedFill: mask must be a tensor (gf.tensor), got an array of 1'],
  [() => gf.where(x, x, x),
    `where: mask must be a bool tensor, as x.gt(0) or x.to('bool') give, got a float32 tensor [2, 3]`],
  [() => gf.cat([x, x], 1), 'cat: options must be an object with dim, got 1; write { dim: 1 }'],
  [() => gf.stack(x), 'stack: tensors must be a list of tensors, got a float32 tensor [2, 3]'],
  [() => gf.einsum('ij,jk', x, x),
    "einsum: 'j' is 2 long in operand 1, [2, 3], and 3 in one before"],
  [() => x.gather([[0]], { dim: 1 }),
    'gather: dim comes first, then index, an int32 tensor or nested arrays; got an array of 1'],
  [() => F.softmax(x, 1), 'softmax: options must be an object with dim, got 1; write { dim: 1 }'],
  [() => F.dropout(x, 0.5), 'dropout: options must be an object with p, training, got 0.5; write { p: 0.5 }'],
  [() => F.relu(x, true), 'relu: takes one tensor and no options, got true'],
  [() => F.crossEntropy(x, [0, 1, 2]),
    'crossEntropy: target must have shape [2] (one class for each row of logits), got [3]'],
  [() => F.crossEntropy(x, [0, 5]), 'crossEntropy: target must be from 0 to 2 or -100 (ignoreIndex), got 5 at place 1'],
  [() => F.embedding(x, x),
    'embedding: ids must be an int32 tensor or nested arrays of whole numbers, got a float32 tensor [2, ' +
    "3]; to('int32') makes one"],
  [() => F.embedding([[7]], x), 'embedding: ids must be from 0 to 1 (weight has 2 rows), got 7 at place 0'],
  [() => F.scaledDotProductAttention(x, x, x),
    'scaledDotProductAttention: q must have shape [B, H, T, D], got [2, 3]; x.view(B, T, H, D).transpose(1, 2) makes that ' +
    'of [B, T, C]'],
  [() => lin.forward([[1, 2, 3]]), 'linear: x must be a tensor (gf.tensor), got an array of 1'],
  [() => lin.forward(gf.ones([2, 4])),
    'linear: the last dimension of x must be 3 (weight is [2, 3]), got [2, 4]'],
  [() => new nn.Linear(3), 'Linear: outFeatures must be a whole number from 0 to 2147483647, got undefined'],
  [() => new nn.Linear(3.5, 2), 'Linear: inFeatures must be a whole number from 0 to 2147483647, got 3.5'],
  [() => new nn.MultiheadAttention(10, 3), 'MultiheadAttention: embedDim must be divisible by numHeads, got 10 and 3'],
  [() => new nn.TransformerEncoderLayer(4, 2, { batchFirst: false }),
    'TransformerEncoderLayer: batchFirst is always true; leave it out, and give [B, T, C]: x.transpose(0, 1) makes that of [T, B, C]'],
  [() => new nn.Dropout(2), 'Dropout: p must be a number from 0 to 1, got 2'],
  [() => layer.forward(gf.ones([3, 4])),
    'TransformerEncoderLayer: src must have shape [B, T, C], got [3, 4]; x.unsqueeze(0) makes a batch of one'],
  [() => layer.forward(seq, { src_mask: mask }),
    'TransformerEncoderLayer: there is no option "src_mask", only srcMask, srcKeyPaddingMask, isCausal, cache'],
  [() => layer.forward(seq, { srcKeyPaddingMask: [[1, 1, 0]] }),
    'TransformerEncoderLayer: srcKeyPaddingMask must be true (hidden) or false, got 1; if 1 means seen, ' +
    'as in an attention_mask, write gf.tensor(mask).eq(0)'],
  [() => layer.forward(seq, { srcMask: [[true]] }),
    'TransformerEncoderLayer: srcMask must have shape [3, 3] or [1, 2, 3, 3], of which the first two may ' +
    'be 1, got [1, 1]'],
  [() => new nn.Transformer(4, 2, 1, 1).forward(seq), 'Transformer: forward takes src and tgt, and tgt is missing'],
  [() => lin.loadStateDict(gf.loadSafetensors(file)),
    'loadStateDict: Linear does not fit: this is what loadSafetensors gives; write ' +
    'loadSafetensors(bytes).tensors'],
  [() => lin.loadStateDict({ weight: [[1]], bias: [0, 0] }),
    'loadStateDict: Linear does not fit: weight must have shape [2, 3], got [1, 1]'],
  [() => gf.loadSafetensors('model.safetensors'),
    "loadSafetensors: bytes must be a file's contents (a Uint8Array, an ArrayBuffer or a Blob), or an " +
    'object of such by name, got "model.safetensors"; write readFileSync(path), or await response.arrayBuffer()'],
  [() => x.sum().backward(), 'backward: a float32 tensor [] was not computed from any tensor with requiresGrad; make one with ' +
  '{ requiresGrad: true }, and compute with it outside noGrad and without detach()'],
  [() => lin.forward(x).backward(),
    'backward: a float32 tensor [2, 2] is not a single value; write y.sum().backward(), or ' +
    'y.backward(gradient) with a gradient of that shape'],
  [() => twice.backward(),
    'backward: the computation behind this tensor was already used by an earlier backward (in sum); compute ' +
    'it again, or give that one { retainGraph: true }'],
  [() => new optim.AdamW(lin),
    'AdamW: params must be a list of tensors, got a value of type Linear; write model.parameters()'],
  [() => new optim.AdamW({ params: lin.parameters() }),
    'AdamW: params must be a list of tensors, got an object with params; write a list of groups, [{ params: … }]'],
  [() => new optim.AdamW(lin.parameters(), 1e-3),
    'AdamW: options must be an object with lr, betas, eps, weightDecay, got 0.001; write { lr: 0.001 }'],
  [() => new optim.AdamW(lin.parameters(), { lr: undefined }),
    'AdamW: lr must be a number, got undefined; leave it out for the default'],
  [() => new optim.AdamW(lin.parameters(), { weight_decay: 0.1 }),
    'AdamW: there is no option "weight_decay", only lr, betas, eps, weightDecay'],
  [() => new optim.lrScheduler.StepLR(sgd, { stepSize: 10 }),
    'StepLR: stepSize must be a whole number from 1 to 2147483647, got an object with stepSize; it is ' +
    'given by its place, write 10'],
  [() => new optim.lrScheduler.OneCycleLR(sgd, 0.1),
    'OneCycleLR: options must have totalSteps, or epochs and stepsPerEpoch: new OneCycleLR(optimizer, ' +
    'maxLr, { totalSteps: … }); got undefined'],
  [() => optim.clipGradNorm(lin, 1),
    'clipGradNorm: params must be a list of tensors, got a value of type Linear; write model.parameters()'],
  [() => gone.add(1), 'add: a was disposed, by dispose() or by the end of its gf.tidy; what gf.tidy returns is kept'],
  [() => gf.trace(() => lin.forward(x)).trace.get('linear'),
    'trace: no tensor is called "linear"; there are bias, input, weight, output'],
  [() => gf.trace(() => lin.forward(x), { edits: [{ name: 'output', value: 1 }] }),
    'trace: edits[0].index must be an array with a whole number, null (all) or [from, to] (without to) ' +
    'for each axis, got undefined'],
  [() => gf.trace(() => lin.forward(x), { edits: [{ name: 'linear', index: [0, 0], value: 1 }] }),
    'trace: edits name tensors that were not made: linear; there are bias, input, weight, output'],
  [() => gf.decoding.generate(lin, 'hello'),
    'generate: ids must be an array of ids, or an array of such arrays, got "hello"; write tokenizer.encode(text).ids'],
  [() => gf.decoding.generate(lin, [0], { max_new_tokens: 3 }),
    'generate: there is no option "max_new_tokens", only maxNewTokens, end, temperature, topK, topP, seed, ' +
    'beams, lengthPenalty, cache, onToken, signal'],
  [() => gf.toOnnx(x), 'toOnnx: model must be a module, got a float32 tensor [2, 3]'],
  [() => gf.toOnnx(new nn.MultiheadAttention(4, 2), { query: seq, kye: seq }),
    'toOnnx: MultiheadAttention has no input "kye"; did you mean key? Its inputs are query, key, value'],
  [() => gf.toOnnx(new (class Pair extends nn.Module { forward(a, b) { return a.add(b) } })(), [[[1, 2]], [[3, 4]]]),
    'toOnnx: inputs is one nested list, which is one input, and forward of Pair takes 2; give them in ' +
    'their order, by names of your own, such as { source: …, target: … }'],
  [() => x.matmul(gf.ones([4])),
    'matmul: the last dimension of a must be the last but one of b, or its only one: 3 and 4; a is [2, ' +
    '3], b is [4]'],
  [() => gf.grad(lin.forward(x).sum(), lin.parameters(), { createGraph: true }),
    'grad: there is no createGraph: how a gradient came about is not recorded, so it has no gradient of ' +
    'its own; take the difference of two gradients, or write the first derivative as a forward and ' +
    'differentiate that'],
  [() => {
    const own = new nn.Linear(3, 2)
    own.weight = gf.ones([2, 3])
    return own.forward(x)
  },
  'Linear: weight is a parameter, got a float32 tensor [2, 3] in its place, which would be neither ' +
  'trained nor saved; write loadStateDict to change its values, or new gf.nn.Parameter(tensor) before ' +
  'an optimiser is made'],
  [() => {
    class Scale extends nn.Module {
      factor = new nn.Parameter([1])
    }
    const own = new Scale(), adam = new optim.Adam(own.parameters())
    own.factor = own.factor.mul(2)
    return [adam, own.stateDict()]
  },
  'Scale: factor is a parameter, got a float32 tensor [1] in its place, which would be neither trained ' +
  'nor saved; write loadStateDict to change its values, or new gf.nn.Parameter(tensor) before an ' +
  'optimiser is made'],
  [() => x[0],
    'a float32 tensor [2, 3] cannot be indexed with [ ]; write x.select(0, 0) for x[0], x.narrow(0, from, ' +
    'length) for x[from:to], and x.at(...) for one number'],
  [() => x[-1][0],
    'a float32 tensor [2, 3] cannot be indexed with [ ]; write x.select(0, -1) for x[-1], x.narrow(0, ' +
    'from, length) for x[from:to], and x.at(...) for one number'],
  [() => x.masked_fill(mask, 0), 'masked_fill is spelled maskedFill here'],
  [() => { x.requires_grad = true }, 'requires_grad is spelled requiresGrad here'],
  [() => F.cross_entropy(x, [0, 1]), 'cross_entropy is spelled crossEntropy here'],
  [() => F.l1_loss(x, x), 'l1_loss is spelled l1Loss here'],
  [() => sgd.zero_grad(), 'zero_grad is spelled zeroGrad here'],
  [() => layer.named_parameters(), 'named_parameters is spelled namedParameters here'],
  [() => new optim.lr_scheduler.StepLR(sgd), 'lr_scheduler is spelled lrScheduler here'],
  [() => new optim.lrScheduler.StepLR(sgd, 1).get_last_lr(), 'get_last_lr is spelled getLastLr here'],
  [() => nn.init.xavier_uniform_(x), 'xavier_uniform_ is spelled xavierUniform_ here'],
  [() => sgd.param_groups[0].lr, 'param_groups is spelled paramGroups here'],
  [() => lin.to('cpu'),
    'a module has no to here; everything is float32 in one memory, so leave it out; gf.quantize stores weights in fewer bits'],
  [() => [...layer.children()], 'a module has no children here; write module.namedChildren(), pairs of name and module'],
  [() => new nn.ModuleList().append(lin), 'a module has no append here; write list.push(module)'],
  [() => lin.registerForwardPreHook(() => {}),
    'a module has no registerForwardPreHook here; write a class that changes its input before super.forward(input)'],
  [() => gf.manual_seed(42), 'manual_seed is spelled manualSeed here'],
  [() => gf.tensor([1, 2], { dtype: gf.long }),
    "dtypes are strings, not gf.long; write 'int32'"],
  [() => gf.zeros([2], { dtype: gf.float16 }),
    "dtypes are strings, not gf.float16; write 'float16'"],
  [() => x.cuda(), 'a tensor has no cuda here; leave it out: everything is in the memory of WebAssembly'],
  [() => x.tolist(), 'a tensor has no tolist here; write x.toArray()'],
  [() => nn.Linear(4, 8), 'Linear is a class; write new gf.nn.Linear(…)'],
  [() => new nn.ReLU({ inplace: true }), 'ReLU: takes no arguments, but got an object with inplace; ReLU has no options'],
  [() => new nn.Dropout({ p: 0.1 }),
    'Dropout: p must be a number from 0 to 1, got an object with p; it is given by its place, write 0.1'],
  [() => sgd.zeroGrad({ setToNone: true }), 'zeroGrad: takes no arguments, but got an object with setToNone; zeroGrad has no options'],
  [() => lin.zeroGrad(true), 'zeroGrad: takes no arguments, but got true'],
  [() => x.clone({ memoryFormat: 'dense' }), 'clone: takes no arguments, but got an object with memoryFormat; clone has no options'],
  [() => x.softmax(-1), 'softmax: options must be an object with dim, got -1; write { dim: -1 }'],
  [() => x.view(4, 2), 'view: a float32 tensor [2, 3] cannot take shape [4, 2]: it has 6 values'],
  [() => x.ndim, 'a tensor has no ndim here; write x.shape.length'],
  [() => x.add_(1), 'a tensor has no add_ here; write x = x.add(y)'],
  [() => { x[0] = 3 },
    'a float32 tensor [2, 3] cannot be assigned with [ ]; write gf.where, x.scatter or x.maskedFill for a ' +
    'tensor with other values, or change single ones in x.data'],
  [() => lin.loadStateDict(file),
    'loadStateDict: state must be an object of tensors, got bytes; write gf.loadSafetensors(bytes).tensors'],
  [() => gf.saveSafetensors(lin.stateDict(), 'model.safetensors'),
    'saveSafetensors: metadata must be an object of strings, got "model.safetensors"; it takes no path ' +
    'and returns the bytes: writeFileSync(path, gf.saveSafetensors(tensors))'],
  [() => gf.save(lin.stateDict(), 'model.pt'),
    'gf has no save; write gf.saveSafetensors(model.stateDict()), which gives the bytes of a file'],
  [() => new gf.Tensor([1]),
    "gf has no Tensor; write gf.tensor(values), and import { Tensor } from 'glassformer' for instanceof"],
  [() => new nn.Conv2d(1, 2, 3),
    'gf.nn has no Conv2d; it has what transformers are made of; write your own: class … extends gf.nn.Module'],
  [() => nn.utils.clipGradNorm(lin.parameters(), 1),
    'gf.nn has no utils; write gf.optim.clipGradNorm, gf.optim.clipGradValue'],
  [() => new optim.RMSprop(lin.parameters()), 'gf.optim has no RMSprop; write SGD, Adam or AdamW'],
  [() => x.sum({ dim: 1 }, true), 'sum: takes one argument, but also got a second: true; options go into one object'],
  [() => F.softmax(x, { dim: 1 }, 2), 'softmax: takes 2 arguments at most, but also got a third: 2; options go into one object'],
  [() => F.linear(x, lin.weight, lin.bias, 7), 'linear: takes 3 arguments at most, but also got a fourth: 7'],
  [() => lin.forward(x, x), 'Linear.forward: takes one argument, but also got a second: a float32 tensor [2, 3]'],
  [() => new nn.Linear(3, 2, {}, 4), 'Linear: takes 3 arguments at most, but also got a fourth: 4; options go into one object'],
  [() => new (class Net extends nn.Module { layers = [new nn.Linear(3, 2)] })().parameters(),
    'Net: layers is an array of 1, and what it holds would be neither trained nor saved; write new gf.nn.ModuleList(…), or ' +
    'this.#layers, a private field, if that is meant'],
  [() => new (class Net extends nn.Module {
    heads = { answer: new nn.Linear(3, 2) }
    forward(y) { return this.heads.answer(y) }
  })()(x),
  'Net: heads is an object with answer, and what it holds would be neither trained nor saved; write new ' +
  'gf.nn.ModuleDict(…), or this.#heads, a private field, if that is meant'],
  [() => new (class Net extends nn.Module { scales = [new nn.Parameter([1])] })().stateDict(),
    'Net: scales is an array of 1, and what it holds would be neither trained nor saved; write this.name = parameter for ' +
    'each, or this.#scales, a private field, if that is meant'],
  [() => new (class Net extends nn.Module {
    constructor() {
      super()
      this.parameters = { width: 4 }
    }
  })(),
  'Net: parameters is a method of all modules, which a property of that name would hide; choose another name'],
  [() => new (class Net extends nn.Module {
    train = 3
    forward(y) { return y }
  })()(x),
  'Net: train is a method of all modules, which a property of that name would hide; choose another name'],
  [() => new (class Car extends nn.Module { engine = 'diesel' })().parameters(),
    'Car: engine is what a module computes with, got "diesel"; choose another name'],
  [() => new (class Net extends nn.Module { training = { lr: 1 } })().parameters(),
    'Net: training is what train() and eval() set, got an object with lr; choose another name'],
  [() => x.length, 'a tensor has no length here; write x.size for the number of values, x.shape[0] for the rows'],
  [() => { const [values] = x.max({ dim: 1 }); return values },
    'a float32 tensor [2] is no list; write x.toArray() for its values, x.select(0, i) for a row, and x.argmax({ dim }) ' +
    'for the places, where x.max({ dim }) gives the values'],
  [() => x.map(v => 2 * v), 'a tensor has no map here; write x.toArray().map(…)'],
  [() => new nn.ModuleList(x), 'ModuleList: modules must be a list of modules, got a float32 tensor [2, 3]'],
  [() => { lin.weight.data = [[1]] },
    'data cannot be assigned, got an array of 1; write x.data.set(numbers), or loadStateDict for the parameters of a module'],
  [() => new nn.linear(3, 2), 'linear is spelled Linear here'],
  [() => gf.saveSafetensors(lin),
    'saveSafetensors: tensors must be an object of tensors by name, got a value of type Linear; write model.stateDict()'],
  [() => lin.loadStateDict(lin),
    'loadStateDict: state must be an object of tensors, got a value of type Linear; write model.stateDict()'],
  [() => new nn.ModuleDict({ train: lin }), 'ModuleDict: train is a property of all modules; choose another name'],
  [() => new nn.ModuleDict({ 'a.b': lin }), 'ModuleDict: the name of a module must be a text without dots, got "a.b"'],
  [() => new nn.Sequential(lin)[-1](x), 'a list of modules has no place -1; write list.at(-1)'],
  [() => { x.shape = [4, 3] }, 'shape of a tensor cannot be assigned; write x.reshape(…)'],
  [() => { x.dtype = 'int32' }, 'dtype of a tensor cannot be assigned; write x.to(dtype)'],
  [() => { x.size = 7 }, 'size of a tensor cannot be assigned; write x.reshape(…)'],
  [() => { x.requiresGrad = 'false' }, 'tensor: requiresGrad must be true or false, got "false"'],
  [() => { gf.arange(3).requiresGrad = true },
    'requiresGrad: only float32 tensors have gradients, got an int32 tensor [3]'],
  [() => new nn.Parameter(2, 3),
    'Parameter: takes values, not the sides of a shape; write new gf.nn.Parameter(gf.zeros([2, 3])), and gf.nn.init to ' +
    'draw them'],
  [() => new nn.Parameter([1], {}, 2), 'Parameter: takes 2 arguments at most, but also got a third: 2; options go into one object'],
  [() => lin.registerBuffer(x, 'mask'), 'registerBuffer: name must be a text, got a float32 tensor [2, 3]'],
  [() => lin.registerBuffer('mask', [[1]]), 'registerBuffer: tensor must be a tensor (gf.tensor), got an array of 1'],
  [() => lin.registerBuffer('mask', x, false),
    'registerBuffer: options must be an object with persistent, got false; write { persistent: false }'],
  [() => new (class Net extends nn.Module { blocks = [{ attn: new nn.Linear(3, 2) }] })().parameters(),
    'Net: blocks is an array of 1, and what it holds would be neither trained nor saved; write new ' +
    'gf.nn.ModuleList(…), and the same for what is inside it, or this.#blocks, a private field, if that is meant'],
  [() => sgd.step(() => lin(x).sum()),
    'step: takes no closure, but got the function (anonymous); compute the loss and call loss.backward() before ' +
    'optimizer.step()'],
  [() => { const own = new optim.SGD(new nn.Linear(3, 2).parameters()); own.paramGroups[0].lr = '0.1'; own.step() },
    'SGD: lr must be a number >= 0, got "0.1"'],
  [() => { const { values, indices } = x.max({ dim: 1 }); return [values, indices] },
    'a tensor has no indices here; x.max({ dim }) gives the values themselves; write x.argmax({ dim }), ' +
    'x.argmin({ dim }) or x.argsort({ dim })'],
  [() => new (class Net extends nn.Module { forward(y) { lin(y) } })()(x),
    'Net.forward gave nothing; is a return missing?'],
  [() => gf.crossEntropy(x, [0, 1]), 'crossEntropy is gf.functional.crossEntropy here'],
  [() => new gf.Linear(3, 2), 'Linear is gf.nn.Linear here'],
  [() => class Net extends gf.Module {}, 'Module is gf.nn.Module here'],
  [() => nn.gelu(x), 'gelu is gf.functional.gelu here'],
  [() => new F.ReLU(), 'ReLU is gf.nn.ReLU here'],
  [() => gf.generate(lin, [0]), 'generate is gf.decoding.generate here'],
  [() => new optim.StepLR(sgd, 1), 'StepLR is gf.optim.lrScheduler.StepLR here'],
  [() => new nn.Relu(), 'Relu is spelled ReLU here'],
  [() => new nn.MultiHeadAttention(4, 2), 'MultiHeadAttention is spelled MultiheadAttention here'],
  [() => optim.clip_grad_norm_(lin.parameters(), 1), 'clip_grad_norm_ is spelled clipGradNorm here'],
  [() => nn.init.xavierUniform(lin.weight), 'xavierUniform is spelled xavierUniform_ here'],
  [() => new nn.ModuleList([lin]).map(one => one(x)), 'a list of modules has no map; write [...list].map(…)'],
  [() => gf.inferenceMode(() => x), 'gf has no inference_mode; write gf.noGrad(() => …)'],
  [() => x.isLeaf, 'a tensor has no isLeaf here; write x.node === null'],
  [() => x.clip(0, 1), 'a tensor has no clip here; write x.clamp({ min, max })'],
  [() => x.retainGrad(), 'a tensor has no retainGrad here; write gf.grad(loss, [x])'],
  [() => lin.half(), 'a module has no half here; everything is computed in float32; gf.quantize(module, { ' +
  "dtype: 'float16' }) stores weights in 16 bits"],
  [() => lin.call(null, x), 'a module has no call here; write module(x)'],
  [() => gf.tensor(x),
    'tensor: values must be numbers, got a float32 tensor [2, 3], which is a tensor already; x.clone() copies ' +
    'it, x.to(dtype) converts it'],
  [() => F.crossEntropy(gf.ones([2, 3, 5]), [[0, 1, 2], [0, 1, 2]]),
    'crossEntropy: target must have shape [2, 5] (one class for each row of logits, which are on axis 1; ' +
    'write logits.reshape(-1, 5) and target.reshape(-1)), got [2, 3]'],
  [() => F.crossEntropy(gf.ones([4, 3]), [[0, 1], [2, 0]]),
    'crossEntropy: target must have shape [4] (one class for each row of logits; write target.reshape(-1), or ' +
    'target.flat() of an array), got [2, 2]'],
  [() => new nn.Sequential(lin, F.relu),
    'Sequential: modules[1] must be a module, got the function relu; write a module, such as new gf.nn.ReLU()'],
  [() => x.sum({ axis: 1 }), 'sum: there is no option "axis", only dim, keepdim; write { dim }'],
  [() => x.std({ unbiased: false }),
    'std: there is no option "unbiased", only dim, keepdim, correction; write { correction: 0 } for unbiased: ' +
    'false'],
  [() => gf.tensor([1], 'int32'),
    'tensor: options must be an object with shape, dtype, requiresGrad, got "int32"; write { dtype: "int32" }'],
  [() => gf.loadSafetensors(new TextDecoder().decode(gf.saveSafetensors({ a: gf.zeros([1]) }))),
    "loadSafetensors: bytes must be a file's contents (a Uint8Array, an ArrayBuffer or a Blob), or an object " +
    "of such by name, got a string of 68 characters; read it without 'utf8'"],
  [() => x.norm(2), 'norm: options must be an object with dim, keepdim, p, got 2; write { p: 2 }'],
  [() => gf.ones([2], [3]), 'ones: options must be an object with dtype, requiresGrad, got an array of 1; a shape is one array, ' +
  'such as [2, 3]'],
  [() => F.scaledDotProductAttention(gf.ones([1, 1, 2, 3]), gf.ones([1, 1, 2, 3]), gf.ones([1, 1, 2, 3]), true),
    'scaledDotProductAttention: options must be an object with attnMask, keyPaddingMask, isCausal, window, ' +
    'dropoutP, scale, enableGqa, got true; write { isCausal: true }'],
  [() => x + 1, NO_NUMBER], [() => 2 * x, NO_NUMBER], [() => x > 0, NO_NUMBER], [() => Math.exp(x), NO_NUMBER]
]

for (const [written, says] of MISTAKES) test(String(written).slice(6), async () => {
  await assert.rejects(async () => written(), error => {
    assert.equal(error.name, 'GlassformerError', error.stack)
    assert.equal(error.message, says)
    return true
  })
})

test('a name of PyTorch\'s is free for a module\'s own', () => {
  class Own extends nn.Module {
    constructor() {
      super()
      this.state_dict = new nn.Linear(3, 2)
    }
  }
  assert.deepEqual(Object.keys(new Own().stateDict()), ['state_dict.weight', 'state_dict.bias'])
  assert.deepEqual([...new Own().namedModules()].map(([name]) => name), ['', 'state_dict'])
})

test('what is meant as a text or put there as PyTorch would is no mistake', () => {
  assert.equal(`${x}`, 'float32 tensor [2, 3]')
  const own = new nn.Linear(3, 2)
  own.weight = new nn.Parameter(gf.ones([2, 3]))
  own.bias = null
  assert.deepEqual(own.parameters(), [own.weight])
  assert.deepEqual(own.forward(x).toArray(), [[3, 3], [3, 3]])
})

test('a list of what a module has in properties, too, loses nothing', () => {
  class Net extends nn.Module {
    first = new nn.Linear(3, 3)
    rest = new nn.ModuleList([new nn.Linear(3, 2)])
    inOrder = [this.first, ...this.rest]
    forward(y) { return this.inOrder.reduce((made, layer) => layer(made), y) }
  }
  const net = new Net()
  assert.equal(net.parameters().length, 4)
  assert.deepEqual(net(x).shape, [2, 2])
  assert.throws(() => net.clone(), { message: 'clone: inOrder of Net holds modules or tensors in an array; use ModuleList, ' +
    'ModuleDict or properties' })
})

test('a module that is not to be trained is held in a private field', () => {
  class Student extends nn.Module {
    #teacher = [new nn.Linear(3, 2)]
    own = new nn.Linear(3, 2)
    forward(y) { return this.own(y).sub(this.#teacher[0](y)) }
  }
  const student = new Student()
  assert.deepEqual(Object.keys(student.stateDict()), ['own.weight', 'own.bias'])
  assert.deepEqual(student(x).shape, [2, 2])
})
