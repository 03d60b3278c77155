// The n-th block of memory is not to be had, for every n: the error says so, nothing is kept, and the engine goes on
// with the same numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'
import { loadBlockKernels } from '../src/js/engine/load_blocks.js'
import { Parameter } from '../src/js/nn/parameter.js'

/** An engine whose blocks are counted, and refused when `left` of them have been given. */
async function loadCounted() {
  const count = { left: Infinity, live: 0, given: 0 }, { instantiate } = WebAssembly
  WebAssembly.instantiate = async (...args) => {
    const { instance } = await instantiate(...args), { exports } = instance
    const gf_alloc = bytes => {
      if (count.left-- <= 0) return 0
      count.live++
      count.given++
      return exports.gf_alloc(bytes)
    }
    const gf_free = address => {
      if (address) count.live--
      exports.gf_free(address)
    }
    return { instance: { exports: { ...exports, gf_alloc, gf_free } } }
  }
  try {
    return { gf: await load(), count }
  } finally {
    WebAssembly.instantiate = instantiate
  }
}

const { gf, count } = await loadCounted()
const { functional: F, nn, optim, text } = gf
await loadBlockKernels(gf.engine)

const linear = new nn.Linear(5, 3), layer = new nn.TransformerEncoderLayer(8, 2, 12, 0.1),
  transformer = new nn.Transformer(8, 2, 1, 1, 12, 0).eval(), halves = gf.quantize(new nn.Linear(40, 9), { dtype: 'int8' })
const x = gf.randn([2, 3, 8]), y = gf.randn([2, 4, 8]), flat = gf.randn([4, 5]), wide = gf.randn([2, 40])
const vocab = new text.Vocab([['a', 'b', 'a', 'c']]), pairs = text.trainBPE('the cat sat on the mat, the cat', { vocabSize: 262 })
const pieces = text.trainUnigram('the cat sat on the mat, the cat ran', { vocabSize: 24 }),
  words = text.trainWordPiece('the cat sat on the mat, the cat ran', { vocabSize: 40 })
const blocks = new Parameter(gf.engine, [9, 32], undefined, 'q4_0', true), many = gf.randn([6, 32])
blocks.bytes.fill(17)
const file = gf.saveSafetensors(layer.stateDict(), undefined, { dtypes: 'F16' })

/** Clears what a backward left on what outlives it. */
function withoutGradients(module) {
  for (const parameter of module.parameters()) {
    parameter.grad?.dispose()
    parameter.grad = null
  }
}

/** What is done, each with the tensors that it leaves to be tidied. */
const WORKS = {
  'arithmetic, forward and back'() {
    const a = gf.randn([3, 1, 4], { requiresGrad: true }), b = gf.randn([2, 1], { requiresGrad: true })
    const out = a.mul(b).add(a.exp()).sub(b.square()).softmax({ dim: 0 }).log().mean({ dim: 1 })
    out.sum().backward()
    return [out, a.grad, b.grad]
  },
  'values moved about'() {
    const a = gf.randn([3, 4], { requiresGrad: true })
    const out = gf.cat([a.permute(1, 0), a.t().flip(0)]).sort({ dim: 0 }).values
    gf.einsum('ij,kj->ik', out, a.narrow(1, 0, 3)).maskedFill(gf.zeros([8, 3]).gt(0), 1).sum().backward()
    return [out, a.grad, a.topk(2).indices, gf.oneHot(gf.tensor([1, 0], { dtype: 'int32' }), { numClasses: 3 })]
  },
  'draws': () => [gf.randn([20]), gf.randperm(7), gf.bernoulli(gf.full([4], 0.5)), gf.multinomial([1, 2, 3], 2),
    gf.positionalEncoding(5, 6), gf.alibi(2, 3), F.rotary(x)],
  'losses'() {
    const logits = flat.clone().requiresGrad_()
    const loss = F.crossEntropy(logits, [0, 1, 2, -100], { labelSmoothing: 0.1 }).add(F.mseLoss(logits, flat.exp()))
    loss.backward()
    return [loss, logits.grad]
  },
  'a training step'() {
    const adam = new optim.AdamW(linear.parameters()), before = linear.parameters().map(p => p.values.slice())
    try {
      for (let step = 0; step < 2; step++) {
        F.crossEntropy(linear.forward(flat), [0, 1, 2, 0]).backward()
        optim.clipGradNorm(linear.parameters(), 1)
        adam.step()
        adam.zeroGrad()
      }
      return linear.parameters().map(parameter => parameter.toArray())
    } finally {
      adam.dispose()
      withoutGradients(linear)
      linear.parameters().forEach((parameter, i) => parameter.values.set(before[i]))
    }
  },
  'a layer with dropout and masks, forward and back'() {
    try {
      const out = layer.forward(x, { srcKeyPaddingMask: [[false, false, true], [false, false, false]], isCausal: true })
      out.square().sum().backward()
      return [out, ...layer.parameters().map(parameter => parameter.grad.toArray())]
    } finally {
      withoutGradients(layer)
    }
  },
  'a Transformer, traced and explained'() {
    const { output, trace } = gf.trace(() => transformer.forward(x, y), { modules: { transformer } })
    try {
      return [output.toArray(), trace.explain('transformer.decoder.layers.0.linear1.output', [0, 0, 0]).value]
    } finally {
      trace.dispose()
    }
  },
  'an edited run'() {
    const edits = [{ name: 'output', index: [0, 0], value: 7 }]
    const { output, trace } = gf.trace(() => linear.forward(flat), { edits })
    try {
      return output.toArray()
    } finally {
      trace.dispose()
    }
  },
  'weights of 8 bits': () => gf.noGrad(() => halves.forward(wide)),
  "weights in GGUF's blocks"() {
    const a = many.clone().requiresGrad_()
    F.linear(a, blocks).sum().backward()
    return [F.linear(many, blocks), a.grad, F.embedding([3, 0], blocks), blocks.to('float32'), blocks.at(1, 2), blocks.toArray()]
  },
  'a file'() {
    const tensors = Object.values(gf.loadSafetensors(file).tensors)
    try {
      return tensors.map(one => one.toArray())
    } finally {
      for (const tensor of tensors) tensor.dispose()
    }
  },
  'words': () => [text.words('The cat, 고양이 sat.'), vocab.encode(['a', 'c', 'b'])],
  'pieces': () => [pairs, pieces, words].map(one => one.decode(one.encode('the cat sät 고양이 on').ids)),
  'a tokenizer learnt': () => text.trainBPE('low lower lowest low', { vocabSize: 260 }).encode('lowest').ids
}

/** Does a work, and gives its values or the error. */
function run(work) {
  gf.manualSeed(3)
  try {
    return gf.tidy(() => JSON.stringify(work()))
  } catch (error) {
    return error
  }
}

for (const [name, work] of Object.entries(WORKS)) test(`no memory for the n-th block: ${name}`, () => {
  const expected = run(work)
  assert.equal(typeof expected, 'string', expected.stack)
  run(work) // what is made once and kept, such as packed weights, is there now
  const live = count.live, before = count.given
  assert.equal(run(work), expected)
  const needed = count.given - before
  assert.equal(count.live, live, 'without a refusal')
  assert.ok(needed > 0)
  for (let n = 0; n < needed; n++) {
    count.left = n
    const result = run(work)
    count.left = Infinity
    if (typeof result === 'string') assert.equal(result, expected, `block ${n}: done without it`)
    else assert.equal(result.code, 'memory', `block ${n} of ${needed}: ${result.stack}`)
    assert.equal(count.live, live, `block ${n} of ${needed}: what was made is kept`)
  }
  assert.equal(run(work), expected, 'the engine goes on')
})
