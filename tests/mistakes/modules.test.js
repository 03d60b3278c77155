// Modules, optimizers and classes of one's own: what is written often and wrongly, and what the library says to it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { F, file, gf, layer, lin, mask, nn, optim, seq, sgd, expectMessages, x } from './expect_messages.js'

expectMessages([
  [() => {
    const own = new nn.Linear(3, 1), given = gf.ones([2, 3], { requiresGrad: true })
    const [first, second] = [0, 1].map(() => own.forward(given).sum())
    second.backward()
    new optim.SGD(own.parameters()).step()
    first.backward()
  }, 'backward: weight of linear was overwritten after it was used (by an in-place operation, an optimizer\'s step, nn.init or ' +
  'loadStateDict), so gradients can no longer be computed with it; call backward before, or forward again'],
  [() => gf.checkpoint(gf.ones([1, 3]), lin),
    'checkpoint: fn must be a module or a function, got a float32 tensor [1, 3]; write ' +
    'gf.checkpoint(fn, ...inputs)'],
  [() => gf.checkpoint(y => lin.forward(y), gf.ones([1, 3])),
    'checkpoint: at least one input must be a tensor that requires a gradient, or nothing inside would get one; call ' +
    'requiresGrad_() on it'],
  [() => F.crossEntropy(x, [0, 1, 2]),
    'crossEntropy: target must have shape [2] (one class for each row of logits), got [3]'],
  [() => F.crossEntropy(x, [0, 5]), 'crossEntropy: target must be from 0 to 2 or -100 (ignoreIndex), got 5 at index 1'],
  [() => lin.forward([[1, 2, 3]]), 'linear: x must be a tensor (gf.tensor), got an array of 1'],
  [() => lin.forward(gf.ones([2, 4])),
    'linear: the last dimension of x must be 3 (weight is [2, 3]), got [2, 4]'],
  [() => new nn.Linear(3), 'Linear: outFeatures must be an integer from 0 to 2147483647, got undefined'],
  [() => new nn.Linear(3.5, 2), 'Linear: inFeatures must be an integer from 0 to 2147483647, got 3.5'],
  [() => new nn.MultiheadAttention(10, 3), 'MultiheadAttention: embedDim must be divisible by numHeads, got 10 and 3'],
  [() => new nn.TransformerEncoderLayer(4, 2, { batchFirst: false }),
    'TransformerEncoderLayer: batchFirst is always true; leave it out, and pass [B, T, C]: x.transpose(0, 1) makes that of [T, B, C]'],
  [() => new nn.Dropout(2), 'Dropout: p must be a number from 0 to 1, got 2'],
  [() => layer.forward(gf.ones([3, 4])),
    'TransformerEncoderLayer: src must have shape [B, T, C], got [3, 4]; x.unsqueeze(0) makes a batch of one'],
  [() => layer.forward(seq, { src_mask: mask }),
    'TransformerEncoderLayer: there is no option "src_mask", only srcMask, srcKeyPaddingMask, isCausal, cache; ' +
    'src_mask is spelled srcMask here'],
  [() => layer.forward(seq, { srcKeyPaddingMask: [[1, 1, 0]] }),
    'TransformerEncoderLayer: srcKeyPaddingMask must be true (hidden) or false, got 1; if 1 means visible, ' +
    'as in an attention_mask, write gf.tensor(mask).eq(0)'],
  [() => layer.forward(seq, { srcMask: [[true]] }),
    'TransformerEncoderLayer: srcMask must have shape [Tq, Tk] = [3, 3], or [B, H, Tq, Tk] = ' +
    '[1, 2, 3, 3], where each side may be 1, or [B · H, Tq, Tk] = [2, 3, 3], got [1, 1]'],
  [() => new nn.Transformer(4, 2, 1, 1).forward(seq), 'Transformer: forward takes src and tgt, and tgt is missing'],
  [() => lin.loadStateDict({ weight: [[1]], bias: [0, 0] }),
    'loadStateDict: Linear does not fit: weight must have shape [2, 3], got [1, 1]'],
  [() => lin.forward(x).backward(),
    'backward: a float32 tensor [2, 2] is not a single value; write y.sum().backward(), or ' +
    'y.backward(gradient) with a gradient of that shape'],
  [() => new optim.AdamW(lin),
    'AdamW: params must be a list of tensors, got a value of type Linear; write model.parameters()'],
  [() => new optim.AdamW(lin.parameters(), { lr: undefined }),
    'AdamW: lr must be a number, got undefined; leave it out for the default'],
  [() => new optim.AdamW(lin.parameters(), { weight_decay: 0.1 }),
    'AdamW: there is no option "weight_decay", only lr, betas, eps, weightDecay, amsgrad, maximize; ' +
    'weight_decay is spelled weightDecay here'],
  [() => new optim.lrScheduler.OneCycleLR(sgd, 0.1),
    'OneCycleLR: options must have totalSteps, or epochs and stepsPerEpoch: new OneCycleLR(optimizer, ' +
    'maxLr, { totalSteps: … }); got undefined'],
  [() => optim.clipGradNorm(lin, 1),
    'clipGradNorm: params must be a list of tensors, got a value of type Linear; write model.parameters()'],
  [() => gf.grad(lin.forward(x).sum(), lin.parameters(), { createGraph: true }),
    'grad: there is no createGraph, since gradients have no gradients of their own here; approximate with ' +
    'the difference of two gradients, or write the first derivative out as tensor operations and call ' +
    'gf.grad on that'],
  [() => {
    const own = new nn.Linear(3, 2)
    own.weight = gf.ones([2, 3])
    return own.forward(x)
  },
  'Linear: weight is a parameter, got a float32 tensor [2, 3] in its place, which would be neither ' +
  'trained nor saved; write loadStateDict to change its values, or new gf.nn.Parameter(tensor) before ' +
  'the optimizer is created'],
  [() => {
    class Scale extends nn.Module {
      factor = new nn.Parameter([1])
    }
    const own = new Scale(), adam = new optim.Adam(own.parameters())
    own.factor = own.factor.mul(2)
    return [adam, own.stateDict()]
  },
  'Scale: factor is a parameter, got a float32 tensor [1] in its place, which would be neither trained ' +
  'nor saved; write loadStateDict to change its values, or new gf.nn.Parameter(tensor) before the ' +
  'optimizer is created'],
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
  [() => lin.registerBackwardHook(() => {}),
    'a module has no registerBackwardHook here; write module.registerFullBackwardHook(fn)'],
  [() => nn.Linear(4, 8), 'Linear is a class; write new gf.nn.Linear(…)'],
  [() => new nn.ReLU({ inplace: true }), 'ReLU: there is no inplace here, got true; leave it out'],
  [() => sgd.zeroGrad({ set_to_none: true }), 'zeroGrad: there is no option "set_to_none", only setToNone; set_to_none is spelled setToNone here'],
  [() => lin.zeroGrad(true, 1), 'zeroGrad: takes one argument, but also got a second: 1'],
  [() => lin.loadStateDict(file),
    'loadStateDict: state must be an object of tensors, got bytes; write gf.loadSafetensors(bytes).tensors'],
  [() => new nn.Conv3d(1, 2, 3),
    'gf.nn has no Conv3d; it has the parts of transformers; write your own: class … extends gf.nn.Module'],
  [() => nn.utils.clipGradNorm(lin.parameters(), 1),
    'gf.nn has no utils; write gf.optim.clipGradNorm, gf.optim.clipGradValue, gf.data.padSequence'],
  [() => new optim.RMSprop(lin.parameters()), 'gf.optim has no RMSprop; write SGD, Adam or AdamW'],
  [() => new optim.lrScheduler.PolynomialLR(sgd),
    'gf.optim.lrScheduler has no PolynomialLR; any schedule is a new LambdaLR(optimizer, epoch => factor)'],
  [() => new (class Net extends nn.Module {
    scale = new nn.Parameter(gf.ones([1]))
  })().registerBuffer('scale', gf.ones([1])),
  'registerBuffer: name must be unused and without dots, got "scale", which is a parameter'],
  [() => new nn.TransformerEncoderLayer(4, 2).registerBuffer('linear1', gf.ones([1])),
    'registerBuffer: name must be unused and without dots, got "linear1", which is a module'],
  [() => new nn.Linear(2, 2).registerBuffer('running.mean', gf.ones([1])),
    'registerBuffer: name must be unused and without dots, got "running.mean"'],
  [() => {
    const layer = new nn.Linear(3, 2)
    layer.registerForwardHook(async () => { await null; throw new Error('nobody sees it') })
    layer(x)
  }, 'registerForwardHook: fn must not be async, since its result replaces the output; got a promise'],
  [() => gf.models.fromPretrained('gpt2'),
    "gf.models has no fromPretrained; write await gf.models.load(files), the files of the model's folder by name"],
  [() => new nn.Embedding(3, 2).forward([[1.5]]),
    'embedding: ids must be integers for an int32 tensor, got 1.5 at index 0'],
  [() => lin.forward(x, x), 'Linear.forward: takes one argument, but also got a second: a float32 tensor [2, 3]'],
  [() => new nn.Linear(3, 2, {}, 4), 'Linear: options go into one object at the end, after inFeatures, outFeatures, bias, device, dtype in this order; got an ' +
  'object with nothing in it in place of bias'],
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
    'Car: the property engine is reserved for the engine, got "diesel"; choose another name'],
  [() => new (class Net extends nn.Module { training = { lr: 1 } })().parameters(),
    'Net: the property training is reserved for train() and eval(), got an object with lr; choose another name'],
  [() => new nn.ModuleList(x), 'ModuleList: modules must be a list of modules, got a float32 tensor [2, 3]'],
  [() => { lin.weight.data = [[1]] },
    'data cannot be assigned, got an array of 1; write x.data.set(numbers), or loadStateDict for the parameters of a module'],
  [() => new nn.linear(3, 2), 'linear is spelled Linear here'],
  [() => lin.loadStateDict(lin),
    'loadStateDict: state must be an object of tensors, got a value of type Linear; write model.stateDict()'],
  [() => new nn.ModuleDict({ train: lin }), 'ModuleDict: train is a property of all modules; choose another name'],
  [() => new nn.ModuleDict({ 'a.b': lin }), 'ModuleDict: the name of a module must be a string without dots, got "a.b"'],
  [() => new nn.Sequential(...Array(20000).fill(lin)), 'Sequential: takes at most 10000 arguments, got 20000'],
  [() => new nn.Sequential(lin)[-1](x), 'a list of modules has no index -1; write list.at(-1)'],
  [() => new nn.Parameter(2, 3),
    'Parameter: takes values, not the sides of a shape; write new gf.nn.Parameter(gf.zeros([2, 3])), and gf.nn.init for ' +
    'random values'],
  [() => new nn.Parameter([1], {}, 2), 'Parameter: takes 2 arguments at most, but also got a third: 2; options go into one object at the end'],
  [() => lin.registerBuffer(x, 'mask'),
    'registerBuffer: name must be a string, got a float32 tensor [2, 3]; write registerBuffer(name, tensor)'],
  [() => lin.registerBuffer('mask', [[1]]), 'registerBuffer: tensor must be a tensor (gf.tensor), got an array of 1'],
  [() => lin.registerBuffer('mask', x, false),
    'registerBuffer: options must be an object with persistent, got false; write { persistent: false }'],
  [() => new (class Net extends nn.Module { blocks = [{ attn: new nn.Linear(3, 2) }] })().parameters(),
    'Net: blocks is an array of 1, and what it holds would be neither trained nor saved; write new ' +
    'gf.nn.ModuleList(…), with a ModuleDict for each object and a ModuleList for each array in it, or this.#blocks, a ' +
    'private field, if that is meant'],
  [() => sgd.step(() => lin(x).sum()),
    'step: takes no closure, but got the function (anonymous); compute the loss and call loss.backward() before ' +
    'optimizer.step()'],
  [() => { const own = new optim.SGD(new nn.Linear(3, 2).parameters()); own.paramGroups[0].lr = '0.1'; own.step() },
    'SGD: lr must be a number >= 0, got "0.1"'],
  [() => new (class Net extends nn.Module { forward(y) { lin(y) } })()(x),
    'Net.forward returned undefined; is a return missing?'],
  [() => gf.crossEntropy(x, [0, 1]), 'crossEntropy is gf.functional.crossEntropy here'],
  [() => new gf.Linear(3, 2), 'Linear is gf.nn.Linear here'],
  [() => class Net extends gf.Module {}, 'Module is gf.nn.Module here'],
  [() => nn.gelu(x), 'gelu is gf.functional.gelu here'],
  [() => new optim.StepLR(sgd, 1), 'StepLR is gf.optim.lrScheduler.StepLR here'],
  [() => new nn.Relu(), 'Relu is spelled ReLU here'],
  [() => new nn.MultiHeadAttention(4, 2), 'MultiHeadAttention is spelled MultiheadAttention here'],
  [() => optim.clip_grad_norm_(lin.parameters(), 1), 'clip_grad_norm_ is spelled clipGradNorm here'],
  [() => nn.init.xavierUniform(lin.weight), 'xavierUniform is spelled xavierUniform_ here'],
  [() => new nn.ModuleList([lin]).map(one => one(x)), 'a list of modules has no map; write [...list].map(…)'],
  [() => lin.half(), 'a module has no half here; everything is computed in float32; gf.quantize(module, { ' +
  "dtype: 'float16' }) stores weights in 16 bits"],
  [() => lin.call(null, x), 'a module has no call here; write module(x)'],
  [() => new nn.Sequential(lin, F.relu),
    'Sequential: modules[1] must be a module, got the function relu; write a module, such as new gf.nn.ReLU()']
])

test("a module may define properties with PyTorch's names", () => {
  class Own extends nn.Module {
    constructor() {
      super()
      this.state_dict = new nn.Linear(3, 2)
    }
  }
  assert.deepEqual(Object.keys(new Own().stateDict()), ['state_dict.weight', 'state_dict.bias'])
  assert.deepEqual([...new Own().namedModules()].map(([name]) => name), ['', 'state_dict'])
})

test('a list of modules that are also properties is allowed', () => {
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

test('a private field may hold a module that is not trained', () => {
  class Student extends nn.Module {
    #teacher = [new nn.Linear(3, 2)]
    own = new nn.Linear(3, 2)
    forward(y) { return this.own(y).sub(this.#teacher[0](y)) }
  }
  const student = new Student()
  assert.deepEqual(Object.keys(student.stateDict()), ['own.weight', 'own.bias'])
  assert.deepEqual(student(x).shape, [2, 2])
})
