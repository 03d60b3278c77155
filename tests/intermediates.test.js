// What ends on the way through a forward, what does not, and that the bits are those of a trace, which keeps all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'
import { GPT2 } from '../src/js/models/gpt2.js'
import { Llama } from '../src/js/models/families/llama.js'
import { runsSubmodules } from '../src/js/intermediates.js'
import { cases, filesOf } from './models/golden_models.js'

const gf = await load(), F = gf.functional
const { nn } = gf
const C = 16, H = 2, INNER = 64, T = 8
const options = { dimFeedforward: INNER, activation: 'gelu', normFirst: true, dropout: 0.1 }

const layerOf = more => new nn.TransformerEncoderLayer(C, H, { ...options, ...more }).eval()
const inference = fn => gf.tidy(() => gf.noGrad(fn))

/** The most bytes that were alive at once beside what was there before. */
async function peakOf(prepare) {
  const own = await load(), run = prepare(own)
  own.tidy(() => own.noGrad(() => void run()))
  const { bytes, peak } = own.memory()
  return peak - bytes
}

/** The same values, to the bit, from a run in which nothing ends on the way. */
function assertAsTraced(forward, what) {
  const plain = inference(() => forward().data.slice())
  const traced = gf.tidy(() => gf.noGrad(() => gf.trace(forward)).output.data.slice())
  assert.deepEqual(plain, traced, what)
}

test("a stack's peak memory does not grow with its depth", async () => {
  for (const depth of [2, 12]) for (const normFirst of [true, false]) {
    const most = await peakOf(own => {
      const layer = new own.nn.TransformerEncoderLayer(C, H, { ...options, normFirst })
      const stack = new own.nn.TransformerEncoder(layer, depth).eval(), x = own.randn([1, T, C])
      return () => stack.forward(x, { isCausal: true })
    })
    // What came in, the sum after attention, the norm of it, and the feed-forward's inside twice.
    assert.ok(most <= 4 * T * (3 * C + 2 * INNER), `${depth} layers: ${most} bytes`)
  }
})

test('the peak memory of decoders and loaded models does not grow with their depth', async () => {
  const stack = depth => peakOf(own => {
    const layer = new own.nn.TransformerDecoderLayer(C, H, options)
    const decoder = new own.nn.TransformerDecoder(layer, depth).eval()
    const [x, memory] = [1, 2].map(() => own.randn([1, T, C]))
    return () => decoder.forward(x, memory, { tgtIsCausal: true })
  })
  assert.equal(await stack(9), await stack(2))
  const given = { channels: C, heads: H, kvHeads: H, headDim: C / H, feedForwardSize: INNER, vocabSize: 11,
    maxPositions: T, eps: 1e-5, dropout: 0, activation: F.silu, isTied: true, isScaled: true, isGated: true, order: 'pre',
    norm: { kind: 'rms', eps: 1e-5 } }
  const layersOf = (Model, count) => (Model === GPT2 ? count
    : Array(count).fill({ rotary: { dims: C / H, base: 1e4, layout: 'half' } }))
  for (const Model of [GPT2, Llama]) {
    const model = layers => peakOf(own => {
      const made = new Model(own.engine, { ...given, layers: layersOf(Model, layers) }).eval()
      return () => made.forward([[1, 2, 3, 4, 5, 6, 7, 8]])
    })
    assert.equal(await model(9), await model(2), Model.name)
  }
})

test('with gradients no intermediate tensor is freed', () => {
  const layer = layerOf(), x = gf.randn([1, T, C])
  gf.tidy(() => {
    layer.forward(x).sum().backward()
    assert.ok(layer.linear1.weight.grad)
  })
})

test("a user's module may keep its inputs and outputs", () => {
  class Curious extends nn.Linear {
    forward(x) {
      this.seen = [x, super.forward(x), F.relu(x)]
      return this.seen[1]
    }
  }
  const layer = layerOf(), stack = new nn.TransformerEncoder(layer, 2).eval(), x = gf.randn([1, T, C])
  const linear = stack.layers.at(0).linear2 = new Curious(INNER, C)
  inference(() => {
    stack.forward(x)
    for (const tensor of linear.seen) assert.equal(tensor.disposed, false)
    assert.deepEqual(linear.seen[1].toArray(), F.linear(linear.seen[0], linear.weight, linear.bias).toArray())
  })
  for (const tensor of linear.seen) assert.equal(tensor.disposed, true, 'they end with the tidy around')
  assertAsTraced(() => stack.forward(x))
})

test('a subclass of a library module may keep its tensors', () => {
  class Curious extends nn.TransformerEncoderLayer {
    feedForward(x) {
      this.inner = this.linear1.forward(x)
      return this.linear2.forward(F.gelu(this.inner))
    }
  }
  const stack = new nn.TransformerEncoder(new Curious(C, H, options), 3).eval()
  inference(() => {
    stack.forward(gf.randn([1, T, C]))
    for (const layer of stack.layers) assert.equal(layer.inner.disposed, false)
  })
})

test('a hook may keep its arguments and replace the output', () => {
  for (const pick of [layer => layer, layer => layer.self_attn, layer => layer.norm1, layer => layer.linear2]) {
    const stack = new nn.TransformerEncoder(layerOf(), 3).eval(), x = gf.randn([1, T, C]), seen = []
    const first = plain => (Array.isArray(plain) ? plain[0] : plain)
    pick(stack.layers.at(1)).registerForwardHook((module, inputs, output) => {
      const changed = F.mul(first(output), 2)
      seen.push(inputs[0], first(output), changed)
      return Array.isArray(output) ? [changed, null] : changed
    })
    inference(() => {
      stack.forward(x)
      for (const tensor of seen) assert.equal(tensor.disposed, false)
    })
    assertAsTraced(() => stack.forward(x))
  }
})

test('an activation function may keep its input', () => {
  const seen = [], layer = layerOf({ activation: x => {
    seen.push(x)
    return x
  } })
  inference(() => {
    layer.forward(gf.randn([1, T, C]))
    assert.equal(seen[0].disposed, false)
  })
})

test('a module that returns its input does not free it', () => {
  const x = gf.randn([1, T, C]), parts = ['norm1', 'norm2', 'linear1', 'linear2', 'dropout', 'dropout1']
  for (const part of parts) for (const normFirst of [true, false]) {
    const layer = layerOf({ normFirst, dimFeedforward: C })
    layer[part] = new nn.Identity()
    const stack = new nn.TransformerEncoder(layer, 3, { norm: new nn.Identity() }).eval()
    assertAsTraced(() => stack.forward(x, { isCausal: true }), part)
    assert.equal(x.disposed, false)
  }
  const none = layerOf()
  none.norm2 = none.linear1 = none.linear2 = new nn.Identity()
  none.activation = y => y
  assertAsTraced(() => none.forward(x))
  assertAsTraced(() => new nn.Sequential(new nn.Identity(), none, new nn.Dropout(0.5)).eval().forward(x))
})

test('a nested tidy and an error restore the scopes', () => {
  class Tidy extends nn.Module {
    forward(x) {
      this.outer = F.relu(x)
      return gf.tidy(() => F.add(F.relu(x), this.outer))
    }
  }
  class Broken extends nn.Module {
    forward() { throw new Error('inside') }
  }
  const layer = layerOf(), x = gf.randn([1, T, C])
  layer.dropout1 = new Tidy()
  inference(() => {
    layer.forward(x)
    assert.equal(layer.dropout1.outer.disposed, false)
  })
  assertAsTraced(() => layer.forward(x))
  layer.dropout1 = new Broken()
  const { tensors } = gf.memory()
  // Broken was given one, which is the user's now.
  assert.throws(() => gf.noGrad(() => layer.forward(x)), /inside/)
  assert.equal(gf.memory().tensors, tensors + 1, 'what was made on the way has ended')
  assert.equal(gf.engine.outerScopes, null)
  const { length } = gf.engine.scopes
  const made = gf.tidy(() => F.relu(x))
  assert.deepEqual([made.disposed, gf.engine.scopes.length], [false, length])
})

test('a cache outlives the forward that fills it, and an output its inputs', () => {
  const stack = new nn.TransformerEncoder(layerOf(), 2).eval(), x = gf.randn([1, T, C])
  const cache = new gf.decoding.Cache(T)
  const whole = gf.noGrad(() => stack.forward(x, { isCausal: true }))
  const parts = [0, 1, 2, 3, 4, 5, 6, 7].map(t =>
    gf.noGrad(() => stack.forward(x.narrow(1, t, 1), { isCausal: true, cache })))
  assert.deepEqual(gf.cat(parts, { dim: 1 }).toArray(), whole.toArray())
})

test('containers free intermediate tensors, other modules leave them to their callers', async () => {
  /** @type {Record<string, boolean | undefined>} */ const found = {}
  const note = model => model.namedModules().forEach(([, one]) => { found[one.constructor.name] = runsSubmodules(one) })
  note(new nn.Transformer(8, 2, 1, 1, { dimFeedforward: 8 }))
  note(new nn.Sequential(new nn.ModuleList([new nn.GELU()])))
  for (const type of ['gpt2', 'bert', 'marian', 't5', 'llama']) note((await gf.models.load(filesOf(cases(type)[0]))).model)
  note(new (class Own extends nn.Module {})())
  assert.deepEqual(Object.keys(found).filter(name => found[name]).sort(), ['Bert', 'Decoder', 'Encoder', 'GPT2', 'Llama',
    'Marian', 'MultiheadAttention', 'Sequential', 'Stack', 'T5', 'Transformer', 'TransformerDecoder',
    'TransformerDecoderLayer', 'TransformerEncoder', 'TransformerEncoderLayer'])
  assert.deepEqual(Object.keys(found).filter(name => found[name] === undefined), ['Own'])
})
