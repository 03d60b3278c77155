// Which intermediate tensors are freed during a forward and which are not; the results equal, to the bit, those of a
// traced forward, which frees none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'
import { GPT2 } from '../src/js/models/gpt2.js'
import { llama } from '../src/js/models/families/llama.js'
import { runsSubmodules } from '../src/js/trace/intermediates.js'
import { cases, filesOf } from './models/golden_models.js'

const gf = await load(), F = gf.functional
const { nn } = gf
const C = 16, H = 2, INNER = 64, T = 8
const options = { dimFeedforward: INNER, activation: 'gelu', normFirst: true, dropout: 0.1 }

const makeLayer = more => new nn.TransformerEncoderLayer(C, H, { ...options, ...more }).eval()
const inference = fn => gf.tidy(() => gf.noGrad(fn))

/** The peak memory of a run in bytes, above what stays allocated: the module and its input. */
async function measurePeak(prepare) {
  const library = await load(), run = prepare(library)
  library.tidy(() => library.noGrad(() => void run()))
  const { bytes, peak } = library.memory()
  return peak - bytes
}

/** Asserts that a forward gives the same bits as a traced one, which frees no intermediate tensor. */
function assertAsTraced(forward, what) {
  const untraced = inference(() => forward().data.slice())
  const traced = gf.tidy(() => gf.noGrad(() => gf.trace(forward)).output.data.slice())
  assert.deepEqual(untraced, traced, what)
}

test("a stack's peak memory does not grow with its depth", async () => {
  for (const depth of [2, 12]) for (const normFirst of [true, false]) {
    const peak = await measurePeak(library => {
      const layer = new library.nn.TransformerEncoderLayer(C, H, { ...options, normFirst })
      const stack = new library.nn.TransformerEncoder(layer, depth).eval(), x = library.randn([1, T, C])
      return () => stack.forward(x, { isCausal: true })
    })
    // 3 C: the input, the sum after attention, its norm. 2 INNER: the hidden layer before and after the activation.
    assert.ok(peak <= 4 * T * (3 * C + 2 * INNER), `${depth} layers: ${peak} bytes`)
  }
})

test('the peak memory of decoders and loaded models does not grow with their depth', async () => {
  const peakOfStack = depth => measurePeak(library => {
    const layer = new library.nn.TransformerDecoderLayer(C, H, options)
    const decoder = new library.nn.TransformerDecoder(layer, depth).eval()
    const [x, memory] = [1, 2].map(() => library.randn([1, T, C]))
    return () => decoder.forward(x, memory, { tgtIsCausal: true })
  })
  assert.equal(await peakOfStack(9), await peakOfStack(2))
  const settings = { channels: C, heads: H, kvHeads: H, headDim: C / H, feedForwardSize: INNER, vocabSize: 11,
    maxPositions: T, eps: 1e-5, dropout: 0, activation: F.silu, isTied: true, isScaled: true, isGated: true, order: 'pre',
    norm: { kind: 'rms', eps: 1e-5 } }
  const layersOf = (Model, count) => (Model === GPT2 ? count
    : Array(count).fill({ rotary: { dims: C / H, base: 1e4, layout: 'half' } }))
  for (const Model of [GPT2, llama.Model]) {
    const peakOfModel = layers => measurePeak(library => {
      const model = new Model(library.engine, { ...settings, layers: layersOf(Model, layers) }).eval()
      return () => model.forward([[1, 2, 3, 4, 5, 6, 7, 8]])
    })
    assert.equal(await peakOfModel(9), await peakOfModel(2), Model.name)
  }
})

test('with gradients no intermediate tensor is freed', () => {
  const layer = makeLayer(), x = gf.randn([1, T, C])
  gf.tidy(() => {
    layer.forward(x).sum().backward()
    assert.ok(layer.linear1.weight.grad)
  })
})

test("a user's module may keep its inputs and outputs", () => {
  class Curious extends nn.Linear {
    forward(x) {
      this.savedTensors = [x, super.forward(x), F.relu(x)]
      return this.savedTensors[1]
    }
  }
  const layer = makeLayer(), stack = new nn.TransformerEncoder(layer, 2).eval(), x = gf.randn([1, T, C])
  const linear = stack.layers.at(0).linear2 = new Curious(INNER, C)
  inference(() => {
    stack.forward(x)
    for (const tensor of linear.savedTensors) assert.equal(tensor.disposed, false)
    const [input, output] = linear.savedTensors
    assert.deepEqual(output.toArray(), F.linear(input, linear.weight, linear.bias).toArray())
  })
  for (const tensor of linear.savedTensors) assert.equal(tensor.disposed, true, 'they are freed by the tidy around them')
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
    const stack = new nn.TransformerEncoder(makeLayer(), 3).eval(), x = gf.randn([1, T, C]), savedTensors = []
    const firstOf = output => (Array.isArray(output) ? output[0] : output)
    pick(stack.layers.at(1)).registerForwardHook((module, inputs, output) => {
      const changed = F.mul(firstOf(output), 2)
      savedTensors.push(inputs[0], firstOf(output), changed)
      return Array.isArray(output) ? [changed, null] : changed
    })
    inference(() => {
      stack.forward(x)
      for (const tensor of savedTensors) assert.equal(tensor.disposed, false)
    })
    assertAsTraced(() => stack.forward(x))
  }
})

test('an activation function may keep its input', () => {
  const savedTensors = [], layer = makeLayer({ activation: x => {
    savedTensors.push(x)
    return x
  } })
  inference(() => {
    layer.forward(gf.randn([1, T, C]))
    assert.equal(savedTensors[0].disposed, false)
  })
})

test('a module that returns its input does not free it', () => {
  const x = gf.randn([1, T, C]), parts = ['norm1', 'norm2', 'linear1', 'linear2', 'dropout', 'dropout1']
  for (const part of parts) for (const normFirst of [true, false]) {
    const layer = makeLayer({ normFirst, dimFeedforward: C })
    layer[part] = new nn.Identity()
    const stack = new nn.TransformerEncoder(layer, 3, { norm: new nn.Identity() }).eval()
    assertAsTraced(() => stack.forward(x, { isCausal: true }), part)
    assert.equal(x.disposed, false)
  }
  const identityLayer = makeLayer()
  identityLayer.norm2 = identityLayer.linear1 = identityLayer.linear2 = new nn.Identity()
  identityLayer.activation = y => y
  assertAsTraced(() => identityLayer.forward(x))
  assertAsTraced(() => new nn.Sequential(new nn.Identity(), identityLayer, new nn.Dropout(0.5)).eval().forward(x))
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
  const layer = makeLayer(), x = gf.randn([1, T, C])
  layer.dropout1 = new Tidy()
  inference(() => {
    layer.forward(x)
    assert.equal(layer.dropout1.outer.disposed, false)
  })
  assertAsTraced(() => layer.forward(x))
  layer.dropout1 = new Broken()
  const { tensors } = gf.memory()
  // The input of Broken is kept: Broken is a user's class, and may have stored it.
  assert.throws(() => gf.noGrad(() => layer.forward(x)), /inside/)
  assert.equal(gf.memory().tensors, tensors + 1, 'the intermediate tensors are freed')
  assert.equal(gf.engine.outerScopes, null)
  const { length } = gf.engine.scopes
  const result = gf.tidy(() => F.relu(x))
  assert.deepEqual([result.disposed, gf.engine.scopes.length], [false, length])
})

test('a cache stays alive after the forward that fills it, and an output after its inputs are freed', () => {
  const stack = new nn.TransformerEncoder(makeLayer(), 2).eval(), x = gf.randn([1, T, C])
  const cache = new gf.decoding.Cache(T)
  const whole = gf.noGrad(() => stack.forward(x, { isCausal: true }))
  const parts = [0, 1, 2, 3, 4, 5, 6, 7].map(t =>
    gf.noGrad(() => stack.forward(x.narrow(1, t, 1), { isCausal: true, cache })))
  assert.deepEqual(gf.cat(parts, { dim: 1 }).toArray(), whole.toArray())
})

test('containers free intermediate tensors, other modules leave them to their callers', async () => {
  /** @type {Record<string, boolean | undefined>} */ const found = {}
  const record = model => model.namedModules().forEach(([, module]) => {
    found[module.constructor.name] = runsSubmodules(module)
  })
  record(new nn.Transformer(8, 2, 1, 1, { dimFeedforward: 8 }))
  record(new nn.Sequential(new nn.ModuleList([new nn.GELU()])))
  for (const type of ['gpt2', 'bert', 'marian', 't5', 'llama']) record((await gf.models.load(filesOf(cases(type)[0]))).model)
  record(new (class Own extends nn.Module {})())
  assert.deepEqual(Object.keys(found).filter(name => found[name]).sort(), ['BartDecoder', 'BartEncoder', 'Bert',
    'GPT2', 'Llama', 'Marian', 'MultiheadAttention', 'Sequential', 'T5', 'T5Stack', 'Transformer', 'TransformerDecoder',
    'TransformerDecoderLayer', 'TransformerEncoder', 'TransformerEncoderLayer'])
  assert.deepEqual(Object.keys(found).filter(name => found[name] === undefined), ['Own'])
})
