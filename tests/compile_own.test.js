// A recorded forward of a class of the program's own gives what the forward gives, or reason says why none is recorded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'

const gf = await load(), F = gf.functional, { nn } = gf
const within = fn => gf.noGrad(() => gf.tidy(() => { fn() }))
const flat = output => JSON.stringify([output].flat().map(value => value && value.toArray()))

/** A module whose forward is a function of the module and the inputs. */
function moduleOf(work, properties = {}) {
  class Own extends nn.Module {
    constructor() {
      super()
      Object.assign(this, properties)
    }

    forward(...inputs) {
      return work(this, ...inputs)
    }
  }
  return new Own().eval()
}

/** Calls both with other values each time; returns the compiled module. */
function agree(module, make, times = 6) {
  const fast = gf.compile(module)
  for (let i = 0; i < times; i++) within(() => {
    const inputs = make(i)
    assert.equal(flat(fast(...inputs)), flat(module(...inputs)))
  })
  return fast
}

class Head extends nn.Module {
  constructor(channels, size, T) {
    super()
    for (const name of ['key', 'query', 'value']) this[name] = new nn.Linear(channels, size, { bias: false })
    this.registerBuffer('tril', gf.ones([T, T]).tril())
    this.dropout = new nn.Dropout(0.1)
    this.settings = { size }
  }

  forward(x) {
    const T = x.shape[1]
    const scores = this.query(x).matmul(this.key(x).transpose(-2, -1)).mul(this.settings.size ** -0.5)
    const mask = this.tril.narrow(0, 0, T).narrow(1, 0, T).eq(0)
    return this.dropout(F.softmax(scores.maskedFill(mask, -Infinity), -1)).matmul(this.value(x))
  }
}

class Block extends nn.Module {
  constructor(channels, heads, T) {
    super()
    this.heads = new nn.ModuleList(Array.from({ length: heads }, () => new Head(channels, channels / heads, T)))
    this.proj = new nn.Linear(channels, channels)
    const hidden = 4 * channels
    this.mlp = new nn.Sequential(new nn.Linear(channels, hidden), new nn.ReLU(), new nn.Linear(hidden, channels))
    this.ln1 = new nn.LayerNorm(channels)
    this.ln2 = new nn.LayerNorm(channels)
  }

  forward(x) {
    const normed = this.ln1(x), y = x.add(this.proj(gf.cat([...this.heads].map(head => head(normed)), -1)))
    return y.add(this.mlp(this.ln2(y)))
  }
}

/** nanoGPT's model: positions from arange, a mask from a buffer, [logits, loss]. */
class NanoGPT extends nn.Module {
  constructor(V, channels, heads, layers, T) {
    super()
    this.tokens = new nn.Embedding(V, channels)
    this.positions = new nn.Embedding(T, channels)
    this.blocks = new nn.Sequential(...Array.from({ length: layers }, () => new Block(channels, heads, T)))
    this.ln = new nn.LayerNorm(channels)
    this.head = new nn.Linear(channels, V)
  }

  forward(ids, targets = null) {
    const [B, T] = ids.shape
    const logits = this.head(this.ln(this.blocks(this.tokens(ids).add(this.positions(gf.arange(T))))))
    return [logits, targets && F.crossEntropy(logits.view(B * T, -1), targets.view(B * T))]
  }
}

test('a nanoGPT: the same bits for every length, and the same gradients', () => {
  gf.manualSeed(3)
  const model = new NanoGPT(11, 8, 2, 2, 6).eval(), fast = gf.compile(model)
  for (let round = 0; round < 4; round++) for (const T of [1, 4, 6]) within(() => {
    const ids = gf.randint(0, 11, [2, T])
    assert.equal(flat(fast(ids)), flat(model(ids)))
  })
  assert.deepEqual([fast.reason, fast.recordings], ['', 3])
  const ids = gf.randint(0, 11, [2, 4]), gradients = [fast, model].map(forward => {
    model.zeroGrad()
    forward(ids, ids)[1].backward()
    return model.parameters().map(p => p.grad.toArray())
  })
  assert.deepEqual(...gradients)
  const { optim } = gf, optimizer = new optim.AdamW(model.parameters(), { lr: 0.1 })
  optimizer.step()
  within(() => assert.equal(flat(fast(ids)), flat(model(ids)), 'after a step'))
  model.train()
  within(() => fast(ids))
  within(() => fast(ids))
  assert.equal(fast.reason, 'it samples random numbers')
  fast.dispose()
})

const x = () => [gf.randn([3, 4])]
const SAFE = {
  'constants of every kind': [moduleOf((_, x) => x.add(gf.tensor([1, 2, 3, 4])).mul(gf.full([4], 2)).sub(gf.linspace(0, 1, 4))
    .matmul(gf.eye(4)).add(gf.ones([4, 4]).triu(1).narrow(0, 0, 3)).add(gf.onesLike(x))), x],
  'shapes': [moduleOf((_, x) => (x.shape[0] > 2 ? x.mul(x.numel()) : x)), x],
  'a tensor in a list, a number in an object, a function': [moduleOf(
    ({ list, options, work }, x) => work(x.mul(list[0]).add(options.by)),
    { list: [gf.ones([4])], options: { by: 2 }, work: y => y.tanh() }), x],
  'an object of tensors': [moduleOf((_, x) => ({ logits: x.mul(2), loss: null }).logits), x],
  'lists in and out': [moduleOf((_, a, [b, c]) => [a.add(b), c.mul(2)]), () => [gf.randn([2]), [gf.randn([2]), gf.randn([2])]]],
  'a class that extends one of the library': [new (class extends nn.Linear {
    forward(x) {
      return super.forward(x).mul(2)
    }
  })(4, 2), x],
  'ids and a lookup': [moduleOf((_, ids) => F.embedding(ids, gf.eye(5)).sum(1)), () => [gf.randint(0, 5, [2, 3])]],
  'memory that its forward frees': [moduleOf((_, x) => gf.tidy(() => x.mul(2).add(gf.ones([4])))), x]
}
for (const [name, [module, make]] of Object.entries(SAFE)) test(`recorded: ${name}`, () => {
  const fast = agree(module, make)
  assert.deepEqual([fast.reason, fast.recordings], ['', 1])
  fast.dispose()
})

let count = 0
const VALUES = /reads or writes values in JavaScript/, CHANGES = /change from call to call|changes from call to call/
const UNSAFE = {
  'item': [moduleOf((_, x) => x.mul(x.sum().item())), VALUES],
  'at, as a condition': [moduleOf((_, x) => (x.at(0, 0) > 0 ? x.mul(2) : x.neg())), VALUES],
  'data': [moduleOf((_, x) => gf.tensor(Array.from(x.data)).mul(2)), VALUES],
  'toArray': [moduleOf((_, x) => gf.tensor(x.toArray()).mul(2)), VALUES],
  'data that is written': [moduleOf((_, x) => {
    const out = x.clone()
    out.data[0] = 7
    return out
  }), VALUES],
  'a shape that depends on values': [moduleOf((_, x) => x.maskedSelect(x.gt(0))), VALUES],
  'random tensors': [moduleOf((_, x) => x.add(gf.rand([4]))), /samples random numbers/, true],
  "JavaScript's random numbers": [moduleOf((_, x) => x.mul(Math.floor(Math.random() * 1e9))), CHANGES, true],
  'a constant that changes': [moduleOf((_, x) => x.add(gf.tensor([count++, 0, 0, 0]))), CHANGES, true],
  'operations that change': [moduleOf((_, x) => (count++ % 2 ? x.mul(2) : x.exp().add(1))), CHANGES, true],
  'a property that it sets': [moduleOf((self, x) => {
    self.last = x.shape.length + self.last
    return x.mul(self.last)
  }, { last: 0 }), /changes its inputs, or properties/, true],
  'a buffer that it overwrites': [moduleOf(({ sum }, x) => sum.add_(1).mul(x), { sum: gf.zeros([4]) }), /changes its inputs/, true],
  'an input that it overwrites': [moduleOf((_, x) => x.add_(1).mul(2)), /changes its inputs/, true],
  'a constant that it overwrites': [moduleOf((_, x) => gf.ones([3, 4]).add_(x).mul(2)), CHANGES],
  'a constant that it doubles': [moduleOf((_, x) => gf.ones([3, 4]).mul_(2).mul(x)), /replaying its kernels gives other results/],
  'a tensor that it leaves': [moduleOf((self, x) => {
    self.settings.last = x.mul(2)
    return x.add(1)
  }, { settings: {} }), /changes its inputs, or properties/],
  'an object with hidden state': [moduleOf(({ map }, x) => x.mul(map.get('by')), { map: new Map([['by', 2]]) }),
    /^Own holds map, .*in which a change would not be noticed$/],
  'a result that is no tensor': [moduleOf((_, x) => ({ x: x.mul(2), map: new Map() }).x.shape), /returns|more than tensors/, true]
}
for (const [name, [module, reason, isChanging]] of Object.entries(UNSAFE)) test(`not recorded: ${name}`, () => {
  const fast = gf.compile(module)
  for (let i = 0; i < 5; i++) within(() => {
    const [input] = x()
    isChanging ? fast(input) : assert.equal(flat(fast(input)), flat(module(input)))
  })
  assert.match(fast.reason, reason)
  assert.equal(fast.recordings, 0)
  fast.dispose()
})

test('a forward with side effects has them once in each call', () => {
  const module = moduleOf(({ sum }, x) => sum.add_(1).mul(x), { sum: gf.zeros([1]) }), fast = gf.compile(module)
  for (let i = 1; i < 6; i++) within(() => assert.equal(fast(gf.ones([1])).item(), i))
})

test('what the properties of a module hold may change, and is noticed', () => {
  const module = moduleOf(({ options, list, factor }, x) => x.mul(options.by).mul(list[0]).mul(factor),
    { options: { by: 2 }, list: [3], factor: gf.tensor([1]) })
  const fast = agree(module, x)
  module.options.by = 5
  within(() => assert.equal(fast(gf.ones([1])).item(), 15))
  module.list[0] = 1
  module.factor.data[0] = 2
  for (let i = 0; i < 4; i++) within(() => assert.equal(fast(gf.ones([1])).item(), 10))
  fast.dispose()
})

test('compiling and disposing own classes leaves no memory', () => {
  const run = () => within(() => {
    const fast = gf.compile(SAFE['constants of every kind'][0])
    for (let i = 0; i < 4; i++) fast(gf.ones([3, 4]))
    assert.equal(fast.recordings, 1)
    fast.dispose()
  })
  run()
  const { bytes, tensors } = gf.memory()
  for (let i = 0; i < 10; i++) run()
  assert.deepEqual([gf.memory().bytes, gf.memory().tensors], [bytes, tensors])
})
