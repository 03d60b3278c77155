// Compiled modules as properties of other modules and of their clones, in generate, and with replaced forwards or
// failing recordings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'
import { registerLibraryCode } from '../src/js/trace/intermediates.js'

const gf = await load(), { nn } = gf
const within = fn => gf.noGrad(() => gf.tidy(() => { fn() }))
const thrice = fn => [1, 2, 3].forEach(() => within(fn))

class Holder extends nn.Module {
  constructor() {
    super()
    this.inner = new nn.Linear(4, 4)
    this.fast = gf.compile(this.inner)
  }

  forward(x) {
    return this.fast(x)
  }
}

test("a module with another module's forward is not recorded", () => {
  const other = new nn.LayerNorm(8), stack = new nn.Sequential(new nn.Linear(8, 8), new nn.LayerNorm(8))
  const x = gf.randn([2, 8])
  stack[1].forward = other.forward
  const fast = gf.compile(stack)
  thrice(() => fast(x))
  other.eps = 3
  within(() => assert.ok(gf.equal(fast(x), stack(x))))
  assert.match(fast.reason, /compile its parts/)
})

test('an error while recording does not affect the output', () => {
  let calls = 0
  class Flaky extends nn.Module {
    inner = new nn.Linear(4, 4)
    forward(x) {
      calls += 1
      if (calls === 3) throw new RangeError('Maximum call stack size exceeded')
      return this.inner(x)
    }
  }
  registerLibraryCode(Flaky)
  const module = new Flaky(), fast = gf.compile(module), x = gf.randn([2, 4])
  const assertSameOutput = () => within(() => assert.ok(gf.equal(fast(x), module.inner(x))))
  assertSameOutput()
  assertSameOutput()
  assert.equal(fast.reason, 'recording it failed: Maximum call stack size exceeded')
  for (let i = 0; i < 3; i++) assertSameOutput()
  module.eval()
  for (let i = 0; i < 3; i++) assertSameOutput()
  assert.equal(fast.recordings, 1)
})

test('a failed recording restores the random generator', () => {
  const x = gf.ones([2, 4])
  /** Random numbers of three calls and after them; the third forward that runs is the recording. */
  const sampleWith = compiles => {
    let runs = 0
    class Flaky extends nn.Module {
      dropout = new nn.Dropout(0.5)
      forward(input) {
        runs += 1
        const out = this.dropout(input)
        if (compiles && runs === 3) throw new RangeError('Maximum call stack size exceeded')
        return out
      }
    }
    registerLibraryCode(Flaky)
    const module = new Flaky(), call = compiles ? gf.compile(module) : module
    gf.manualSeed(5)
    const outputs = [1, 2, 3].map(() => gf.noGrad(() => gf.tidy(() => call(x).toArray())))
    return [outputs, gf.rand([3]).toArray(), compiles && call.reason]
  }
  const [uncompiled, compiled] = [false, true].map(sampleWith)
  assert.match(compiled[2], /^recording it failed/)
  assert.deepEqual(compiled.slice(0, 2), uncompiled.slice(0, 2))
})

test('a clone computes with its own weights', () => {
  const module = new Holder(), copy = module.clone(), x = gf.randn([2, 4])
  thrice(() => module(x))
  copy.inner.weight.data.fill(0)
  thrice(() => {
    assert.ok(gf.equal(copy(x), copy.inner(x)))
    assert.ok(gf.equal(module(x), module.inner(x)))
  })
  assert.ok(!gf.equal(copy(x), module(x)))
})

test('a module of which only the compiled form is a property is an error', () => {
  const module = new Holder()
  assert.equal(module.parameters().length, 2)
  for (const wrap of [compiled => compiled, compiled => [compiled], compiled => ({ compiled })]) {
    class Lost extends nn.Module {
      fast = wrap(gf.compile(new nn.Linear(4, 4)))
    }
    assert.throws(() => new Lost().parameters(), { code: 'state', message: /^Lost: fast .* neither trained nor saved; write / })
  }
  class Lost extends nn.Module {
    fast = gf.compile(new nn.Linear(4, 4))
  }
  assert.throws(() => new Lost().stateDict(), /write this\.name = module, and gf\.compile\(this\.name\)/)
})

test('a compiled decoder works with a cache', () => {
  const hadCache = []
  class Next extends nn.Module {
    table = new nn.Embedding(5, 5)
    forward(ids, { cache = null } = {}) {
      hadCache.push(cache !== null)
      return this.table(ids)
    }
  }
  const model = new Next(), fast = gf.compile(model)
  for (const options of [{}, { cache: false }]) {
    assert.deepEqual(gf.decoding.generate(fast, [1], options), gf.decoding.generate(model, [1], options))
  }
  assert.deepEqual(new Set(hadCache.slice(0, 40)), new Set([true]))
  assert.deepEqual(new Set(hadCache.slice(40)), new Set([false]))
  within(() => assert.ok(gf.equal(fast.forward([[1]]), fast([[1]]))))
})

test('compile takes one argument', () => {
  assert.throws(() => gf.compile(new nn.Linear(1, 1), { mode: 'max' }), /compile: takes one argument, but also got/)
})
