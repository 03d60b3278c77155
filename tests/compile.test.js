// A recorded forward gives what the forward gives, bit for bit, whatever has changed since.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'
import { registerLibraryCode } from '../src/js/trace/intermediates.js'

const gf = await load(), F = gf.functional, { nn } = gf
const SMALL = { dimFeedforward: 12, dropout: 0 }

/** The bits of what a call gave. */
const bits = given => JSON.stringify([given].flat().map(one => one && [one.shape, one.dtype, [...new Uint8Array(
  one.data.buffer, one.data.byteOffset, one.data.byteLength)]]))
const within = fn => gf.noGrad(() => gf.tidy(() => { fn() }))

/** A module that counts how often its forward runs; it passes for one of the library's classes. */
class Counted extends nn.Module {
  runs = { n: 0 }
  constructor(work, more = {}) {
    super()
    registerLibraryCode(work)
    Object.assign(this, more)
    this.work = work
  }

  forward(...inputs) {
    counts.set(this.runs, (counts.get(this.runs) ?? 0) + 1)
    return this.work(this, ...inputs)
  }
}
registerLibraryCode(Counted)
const counts = new WeakMap()
const runsOf = module => counts.get(module.runs) ?? 0

/** Calls both with other values each time. */
function agree(fast, module, make, times = 5) {
  for (let i = 0; i < times; i++) within(() => {
    const inputs = make()
    assert.equal(bits(fast(...inputs)), bits(module.forward(...inputs)))
  })
}

gf.manualSeed(7)
const ids = shape => gf.randint(0, 9, shape)
const words = () => new nn.Sequential(new nn.Embedding(9, 8), new nn.PositionalEncoding(8, 0, 16),
  new nn.TransformerEncoderLayer(8, 2, { ...SMALL, normFirst: true, activation: 'gelu' }), new nn.Linear(8, 9))
const same = gf.randn([1, 4, 8])
const CASES = {
  'a linear layer': [new nn.Linear(5, 3), () => [gf.randn([2, 5])]],
  'one row': [new nn.Linear(1, 1), () => [gf.randn([1, 1])]],
  'no row': [new nn.Linear(3, 2), () => [gf.zeros([0, 3])]],
  'an encoder': [new nn.TransformerEncoder(new nn.TransformerEncoderLayer(8, 2, SMALL), 3), () => [gf.randn([2, 5, 8])]],
  'a decoder, with an option': [new nn.TransformerDecoderLayer(8, 2, SMALL),
    () => [gf.randn([1, 3, 8]), gf.randn([1, 5, 8]), { tgtIsCausal: true }]],
  'a Transformer': [new nn.Transformer(8, 2, 1, 1, SMALL), () => [gf.randn([1, 4, 8]), gf.randn([1, 3, 8])]],
  'attention of one tensor to itself': [new nn.MultiheadAttention(8, 2), () => [same, same, same]],
  'attention of three': [new nn.MultiheadAttention(8, 2), () => [1, 2, 3].map(() => gf.randn([1, 4, 8]))],
  'copies, and zeros': [new Counted((_, x) => gf.zeros([4]).add(x.clone())), () => [gf.randn([2, 4])]],
  'a mask that is a tensor': [new nn.TransformerEncoderLayer(8, 2, SMALL),
    () => [gf.randn([1, 4, 8]), { srcMask: gf.randn([4, 4]) }]],
  'words': [words(), () => [ids([2, 6])]],
  'NaN and infinity': [new nn.Linear(4, 4), () => [gf.tensor([[NaN, Infinity, -Infinity, -0]])]]
}
for (const [name, [module, make]] of Object.entries(CASES)) {
  test(`the same bits: ${name}`, () => {
    module.eval()
    const fast = gf.compile(module)
    agree(fast, module, make)
    assert.equal(fast.reason, '')
    assert.equal(fast.recordings, 1)
    fast.dispose()
  })
}

for (const width of [4, 10, 12, 20]) test(`the same bits: attention of ${width} channels, whose projections begin within a panel`, () => {
  const layer = new nn.TransformerEncoderLayer(width, 2, SMALL).eval(), make = () => [gf.randn([2, 5, width])]
  const fast = gf.compile(layer)
  agree(fast, layer, make)
  assert.deepEqual([fast.reason, fast.recordings], ['', 1])
  // With gradients nothing is laid out, and attention is that of three products of rows.
  const mha = layer.self_attn, [x] = make(), [q, k, v] = [0, 1, 2].map(n => F.linear(x,
    mha.in_proj_weight.narrow(0, n * width, width), mha.in_proj_bias.narrow(0, n * width, width))
    .view(2, 5, 2, width / 2).transpose(1, 2))
  const heads = F.scaledDotProductAttention(q, k, v).transpose(1, 2).reshape(2, 5, width)
  assert.equal(bits(gf.noGrad(() => mha(x)[0])), bits(mha.out_proj(heads)))
})

for (const dtype of ['float16', 'bfloat16', 'int8']) test(`weights of ${dtype}`, () => {
  const module = words().eval()
  gf.quantize(module, { dtype })
  const fast = gf.compile(module)
  agree(fast, module, () => [ids([1, 5])])
  assert.equal(fast.reason, '')
})

test('the forward of a shape runs twice and once for the recording, then never again', () => {
  const module = new Counted((_, x) => x.exp().add(1)), fast = gf.compile(module), seen = []
  for (let i = 0; i < 4; i++) within(() => seen.push([fast(gf.ones([3])).at(0), runsOf(module), fast.reason]))
  const e = Math.fround(Math.fround(Math.E) + 1)
  assert.deepEqual(seen, [
    [e, 1, 'this is the first call with inputs of these shapes and options'], [e, 3, ''], [e, 3, ''], [e, 3, '']])
})

test('inputs of other shapes, dtypes, names and values have their own recordings', () => {
  const module = new Counted((_, x, { scale = 1, isTurned, ...rest } = {}) => (
    Object.values(rest).reduce((sum, one, i) => sum.add(one.mul(i + 2)), (isTurned ? x.neg() : x).mul(scale))))
  const fast = gf.compile(module), [a, b] = [gf.randn([2, 3]), gf.randn([2, 3])], CALLS = [
    () => [gf.randn([2, 3])], () => [gf.randn([3, 2])], () => [gf.randn([2, 3]), { scale: 3 }],
    () => [gf.randn([2, 3]), { scale: undefined }], () => [gf.randn([2, 3]), { isTurned: true }],
    () => [gf.randn([2, 3]), { a, b }], () => [gf.randn([2, 3]), { b, a }], () => [gf.randint(0, 5, [2, 3])]
  ]
  const plain = { forward: (...inputs) => module.work(null, ...inputs) }
  for (let i = 0; i < 4; i++) for (const make of CALLS) agree(fast, plain, make, 1)
  assert.equal(fast.recordings, CALLS.length)
})

test('missing options and empty options have different recordings', () => {
  const typeOf = given => (given?.shape ? 'tensor' : Array.isArray(given) ? 'list' : String(given))
  const kinds = [{}, null, 7, [], gf.ones([])], types = kinds.map(typeOf)
  const fast = gf.compile(new Counted((_, x, given) => x.mul(types.indexOf(typeOf(given)) + 2)))
  for (let i = 0; i < 4; i++) for (const [n, kind] of kinds.entries()) {
    within(() => assert.equal(fast(gf.ones([3]), kind).at(0), n + 2, types[n]))
  }
  assert.equal(fast.recordings, kinds.length)
})

test('the recordings of eight shapes are kept, and memory stays flat', () => {
  const layer = new nn.Linear(4, 4), fast = gf.compile(layer), before = gf.memory().bytes
  const round = () => { for (let n = 1; n < 20; n++) agree(fast, layer, () => [gf.randn([n, 4])], 3) }
  round()
  assert.equal(fast.recordings, 8)
  const { bytes } = gf.memory()
  for (let i = 0; i < 20; i++) round()
  assert.equal(gf.memory().bytes, bytes)
  fast.dispose()
  assert.equal(gf.memory().bytes, before)
  agree(fast, layer, () => [gf.randn([2, 4])])
})

const CHANGES = {
  'weights that were loaded': module => module.layer.loadStateDict(new nn.Linear(4, 4).stateDict()),
  'weights that were read, and lie in rows again': module => module.layer.weight.data[0] = 5,
  'a module that was replaced': module => { module.layer = new nn.Linear(4, 4) },
  'a parameter that was replaced': module => { module.layer.weight = new nn.Parameter(gf.randn([4, 4])) },
  'a number that was set': module => { module.scale = 3 },
  'a number in a list in an object': module => { module.settings.shifts[1] = 9 },
  'a property that was not there': module => { module.extra = 1 },
  'a property in the place of another': module => {
    delete module.settings.one
    module.settings.two = 7
  },
  'a function that was set': module => { module.activation = F.tanh },
  'a hook': module => module.layer.registerForwardHook((_, __, output) => output.mul(2))
}
for (const [name, change] of Object.entries(CHANGES)) test(`a change invalidates the recording: ${name}`, () => {
  const module = new Counted((self, x) => {
    const { layer, scale, settings, activation } = self, extra = 'extra' in self ? self.extra : 0
    return activation(layer.forward(x)).mul(scale).add(settings.shifts[1] + extra + (settings.two ?? 0))
  },
  { layer: new nn.Linear(4, 4), scale: 2, settings: { shifts: [0, 1], one: undefined }, activation: F.relu })
  const fast = gf.compile(module), x = gf.randn([2, 4]), plain = { forward: y => module.work(module, y) }
  agree(fast, plain, () => [x])
  assert.equal(fast.reason, '')
  const before = gf.noGrad(() => bits(plain.forward(x)))
  change(module)
  assert.notEqual(gf.noGrad(() => bits(plain.forward(x))), before)
  agree(fast, plain, () => [x])
})

test('a training step between calls changes the results', () => {
  const module = new nn.TransformerEncoderLayer(8, 2, SMALL), fast = gf.compile(module)
  const sgd = new gf.optim.SGD(module.parameters(), { lr: 0.1 }), x = gf.randn([1, 3, 8])
  for (let i = 0; i < 6; i++) {
    agree(fast, module, () => [x], 2)
    sgd.zeroGrad()
    const loss = fast(x).sum()
    assert.match(fast.reason, /gradients are recorded; call it within gf.noGrad/)
    loss.backward()
    sgd.step()
  }
})

const WORKS = {
  'reads or writes values in JavaScript': (_, x) => x.mul(x.at(0)),
  'returns one of its inputs': (_, x) => [x, x.mul(2)],
  'samples random numbers': (_, x) => x.add(gf.rand(x.shape)),
  'keeps tensors that it makes': (_, x) => x.engine.keep(x.mul(2)).add(1),
  'returns more than tensors': (_, x) => new Map([['x', x.mul(2)]])
}
for (const [why, work] of Object.entries(WORKS)) test(`a forward that ${why} is not recorded`, () => {
  const module = new Counted(work), fast = gf.compile(module), x = gf.tensor([2, 3]), given = []
  for (const call of [module, fast]) {
    gf.manualSeed(1)
    given.push([])
    for (let i = 0; i < 5; i++) within(() => {
      const out = call(x)
      given.at(-1).push(bits(out instanceof Map ? out.get('x') : out))
    })
  }
  assert.deepEqual(given[1], given[0])
  assert.ok(fast.reason.includes(why), fast.reason)
  assert.equal(fast.recordings, 0)
})

test('options are recorded up to three levels deep', () => {
  const nest = (depth, value) => (depth ? { inner: nest(depth - 1, value) } : value)
  for (const [depth, isPlanned] of [[1, true], [3, true], [4, true], [5, false]]) {
    const module = new Counted((_, x, options) => (options ? x.mul(2) : x)), fast = gf.compile(module)
    for (let i = 0; i < 3; i++) within(() => assert.equal(fast(gf.tensor([3]), nest(depth, 1)).at(0), 6))
    assert.equal(fast.reason === '', isPlanned, `${depth} deep: ${fast.reason}`)
  }
})

test('a failing call throws its own error, and later calls are correct', () => {
  const table = new nn.Embedding(5, 3), fast = gf.compile(table)
  agree(fast, table, () => [gf.randint(0, 5, [4])])
  const { bytes } = gf.memory()
  for (let i = 0; i < 5; i++) within(() => {
    assert.throws(() => fast(gf.tensor([0, 7, 1, 2], { dtype: 'int32' })), /embedding: ids must be from 0 to 4 .*, got 7/)
  })
  agree(fast, table, () => [gf.randint(0, 5, [4])])
  assert.equal(fast.reason, '')
  assert.equal(gf.memory().bytes, bytes)
})

test('a tensor outside the module may be disposed', () => {
  let shift = gf.ones([3])
  const fast = gf.compile(new Counted((_, x) => x.add(shift)))
  for (let i = 0; i < 3; i++) within(() => assert.deepEqual(fast(gf.zeros([3])).toArray(), [1, 1, 1]))
  shift.dispose()
  const other = gf.full([3], 9)
  shift = gf.full([3], 2)
  for (let i = 0; i < 3; i++) within(() => assert.deepEqual(fast(gf.zeros([3])).toArray(), [2, 2, 2]))
  other.dispose()
})

test('an int8 matrix outside the module may be disposed', () => {
  const make = value => gf.full([8, 32], value).to('int8')
  let weight = make(1)
  const fast = gf.compile(new Counted((_, x) => F.linear(x, weight))), x = gf.ones([1, 32])
  const whole = () => Math.round(fast(x).at(0, 0))
  for (let i = 0; i < 3; i++) within(() => assert.equal(whole(), 32))
  weight.dispose()
  const other = make(9)
  weight = make(2)
  for (let i = 0; i < 3; i++) within(() => assert.equal(whole(), 64))
  other.dispose()
})

test('a table that was in panels for another product is read correctly', () => {
  const table = new nn.Embedding(9, 8), fast = gf.compile(table)
  within(() => F.linear(gf.ones([1, 8]), table.weight))
  agree(fast, table, () => [ids([5])])
  assert.equal(fast.recordings, 1)
  table.weight.toArray()
  agree(fast, table, () => [ids([5])])
})

test('the same tensor twice has another recording than two tensors', () => {
  const module = new Counted((_, x, y) => (x === y ? x.mul(x) : x.sub(y))), fast = gf.compile(module)
  const plain = { forward: (...inputs) => module.work(null, ...inputs) }, x = gf.randn([3]), y = gf.randn([3])
  for (let i = 0; i < 4; i++) for (const inputs of [[x, x], [x, y], [y, x], [y, y]]) agree(fast, plain, () => inputs, 1)
  assert.equal(fast.recordings, 2)
})

test('kernel calls that bypass the recording are detected', () => {
  const { c } = gf.engine
  const fast = gf.compile(new Counted((_, x) => {
    const out = gf.engine.empty(x.shape)
    c.gf_gelu_forward(out.dataPtr(), x.dataPtr(), x.numel())
    return out.add(0)
  }))
  for (let i = 0; i < 4; i++) within(() => assert.equal(fast(gf.ones([2])).at(0).toFixed(4), '0.8413'))
  assert.equal(fast.reason, 'replaying its kernels gives other results')
})

test('memory that a forward retains is freed with it', () => {
  const kept = [], before = gf.memory().bytes
  const fast = gf.compile(new Counted((_, x) => {
    kept.push(gf.engine.keep(x.mul(2)))
    return kept.at(-1).add(1)
  }))
  for (let i = 0; i < 5; i++) within(() => fast(gf.ones([100])))
  kept.forEach(tensor => tensor.dispose())
  assert.equal(gf.memory().bytes, before)
})

test('a trace contains every stage of a compiled module', () => {
  const layer = new nn.TransformerEncoderLayer(8, 2, SMALL).eval(), fast = gf.compile(layer), x = gf.randn([1, 3, 8])
  agree(fast, layer, () => [x])
  const { trace } = gf.trace(() => gf.noGrad(() => fast(x)), { modules: { layer } })
  assert.ok(trace.names.includes('layer.self_attn.weights'), trace.names.join(' '))
  trace.dispose()
})

test('a recording stays valid after the memory has grown', async () => {
  const own = await load(), layer = new own.nn.Linear(64, 64), fast = own.compile(layer), x = own.randn([8, 64])
  const once = () => own.noGrad(() => own.tidy(() => bits(fast(x))))
  const [first] = [once(), once(), once()], big = own.zeros([4e7])
  assert.equal(once(), first)
  big.dispose()
})

test('training between calls leaves the weights where the recording reads them', () => {
  const module = new nn.Linear(64, 64), fast = gf.compile(module)
  const sgd = new gf.optim.SGD(module.parameters(), { lr: 0.1 })
  for (let epoch = 0; epoch < 8; epoch++) {
    agree(fast, module, () => [gf.randn([4, 64])], 3)
    assert.equal(fast.recordings, 1, `${epoch}: ${fast.reason}`)
    module.forward(gf.randn([4, 64])).sum().backward()
    sgd.step()
  }
})

test('weights that were read are moved back into panels without a new recording', () => {
  const layer = new nn.Linear(16, 16), module = new Counted((_, x) => layer.forward(x)), fast = gf.compile(module)
  agree(fast, layer, () => [gf.randn([4, 16])])
  const before = runsOf(module)
  layer.weight.toArray()
  agree(fast, layer, () => [gf.randn([4, 16])])
  assert.equal(runsOf(module), before + 1)
})

test('a module is recorded again whenever its settings change', () => {
  const norm = new nn.LayerNorm(4), fast = gf.compile(norm)
  for (let i = 1; i < 7; i++) {
    norm.eps = i
    agree(fast, norm, () => [gf.randn([2, 4])], 3)
    assert.deepEqual([fast.reason, fast.recordings], ['', 1])
  }
})

test('a replaced forward is used', () => {
  const linear = new nn.Linear(4, 4), fast = gf.compile(linear)
  agree(fast, linear, () => [gf.randn([2, 4])])
  linear.forward = x => x.neg()
  agree(fast, linear, () => [gf.randn([2, 4])])
})

test('a reason against recording is checked again after a change', () => {
  const module = new nn.Sequential(new nn.Linear(4, 4), new nn.Dropout(0.5)), fast = gf.compile(module)
  for (let i = 0; i < 3; i++) within(() => fast(gf.ones([2, 4])))
  assert.equal(fast.reason, 'it samples random numbers')
  module.eval()
  agree(fast, module, () => [gf.randn([2, 4])])
  assert.deepEqual([fast.reason, fast.recordings], ['', 1])
  const hook = module.registerForwardHook((_, __, output) => output.neg())
  agree(fast, module, () => [gf.randn([2, 4])])
  assert.equal(fast.reason, 'Sequential has hooks')
  hook.remove()
  agree(fast, module, () => [gf.randn([2, 4])])
  assert.equal(fast.reason, '')
})

test('a weight or a view of it as input is read in its layout', () => {
  const module = new nn.Linear(64, 64), fast = gf.compile(module)
  agree(fast, module, () => [gf.randn([64, 64])])
  for (const make of [() => [module.weight], () => [module.weight.narrow(0, 0, 64)], () => [gf.randn([64, 64])]]) {
    agree(fast, module, make)
  }
  const other = gf.compile(module)
  agree(other, module, () => [module.weight])
  assert.equal(other.reason, 'an input shares memory with a parameter or buffer of the module')
  agree(other, module, () => [gf.randn([64, 64])])
  assert.deepEqual([other.reason, other.recordings], ['', 1])
})

test("a user's class whose forward has side effects is not recorded, and reason says why", () => {
  class Mine extends nn.Module {
    linear = new nn.Linear(3, 3)
    n = 0
    forward(x) {
      this.n++
      return this.linear(x).mul(0).add(this.n)
    }
  }
  class Child extends nn.Linear {}
  const mine = new Mine(), fast = gf.compile(mine)
  for (let i = 1; i < 5; i++) within(() => assert.equal(fast(gf.ones([1, 3])).at(0, 0), i))
  assert.equal(fast.reason, 'its forward changes its inputs, or properties, parameters or buffers of the module')
  const replaced = Object.assign(new nn.Linear(3, 3), { forward: x => x })
  for (const [module, reason] of [[new Child(3, 3), /^$/], [new nn.Sequential(new Mine()), /^its forward changes/],
    [replaced, /^the forward of Linear was replaced/]]) {
    const other = gf.compile(module)
    for (let i = 0; i < 4; i++) within(() => other(gf.ones([1, 3])))
    assert.match(other.reason, reason)
  }
  const layer = new nn.TransformerEncoderLayer(4, 2, { ...SMALL, activation: x => x.sin() }), third = gf.compile(layer)
  agree(third, layer, () => [gf.randn([1, 2, 4])])
  assert.equal(third.reason, 'TransformerEncoderLayer holds a function that is not the library\'s')
})

test('inputs that are not tensors of this engine are not recorded', async () => {
  const other = await load(), module = new nn.Linear(3, 3), fast = gf.compile(module)
  agree(fast, module, () => [gf.randn([2, 3])])
  within(() => assert.throws(() => fast(other.ones([2, 3])), /must belong to one engine/))
  const table = new nn.Embedding(5, 3), words = gf.compile(table)
  agree(words, table, () => [[[0, 1], [2, 3]]])
  assert.match(words.reason, /write a list of numbers as gf.tensor/)
  const gone = gf.ones([2, 3])
  gone.dispose()
  within(() => assert.throws(() => fast(gone), /was disposed/))
  const turning = {}
  turning.self = turning
  const attention = new nn.TransformerEncoderLayer(4, 2, SMALL), slow = gf.compile(attention)
  for (let i = 0; i < 3; i++) within(() => assert.throws(() => slow(gf.ones([1, 2, 4]), turning), /there is no option "self"/))
})

test('first calls do not evict recordings', () => {
  const module = new nn.Linear(3, 3), fast = gf.compile(module)
  agree(fast, module, () => [gf.randn([2, 3])])
  for (let n = 3; n < 40; n++) agree(fast, module, () => [gf.randn([n, 3])], 1)
  assert.equal(fast.recordings, 1)
  within(() => fast(gf.ones([2, 3])))
  assert.equal(fast.reason, '')
})

test('a compiled module may be part of another module', () => {
  const inner = new nn.Linear(4, 4), fast = gf.compile(inner)
  const outer = new Counted((_, x) => fast(x).relu()), whole = gf.compile(outer)
  agree(whole, { forward: x => inner.forward(x).relu() }, () => [gf.randn([2, 4])])
  assert.equal(whole.recordings, 1)
})

test('compile accepts only modules', () => {
  assert.throws(() => gf.compile(x => x), /compile: module must be a module, got the function/)
})
