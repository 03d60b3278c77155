// Options: an unknown option, or a wrong value in place of options, is an error and never ignored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'
import { parseSignature } from '../src/js/interface/arguments.js'
import { FORWARDS, FUNCTIONS, MODULES, OPTIMIZERS } from '../src/js/interface/signatures.js'

const gf = await load(), F = gf.functional, { nn, optim } = gf
const x = () => gf.tensor([[[1, 2, 3, 4], [5, 6, 7, 8]]]), flat = () => gf.tensor([[1, 2, 3, 4]])
const heads = () => x().reshape(1, 1, 2, 4), parameter = () => gf.tensor([1], { requiresGrad: true })
const layer = () => new nn.TransformerEncoderLayer(4, 2, 8, 0),
  decoderLayer = () => new nn.TransformerDecoderLayer(4, 2, 8, 0)

const tokenizer = gf.text.trainBPE('', { vocabSize: 256 })

/** Every call that takes options, by the name its errors begin with. */
const CALLS = {
  'load': options => load(options),
  'tensor': options => gf.tensor([1], options),
  'rand': options => gf.rand([1], options),
  'randn': options => gf.randn([1], options),
  'positionalEncoding': options => gf.positionalEncoding(2, 4, options),
  'trace': options => gf.trace(() => 1, options),
  'text.words': options => gf.text.words('a', options),
  'Vocab': options => new gf.text.Vocab([['a']], options),
  'gelu': options => F.gelu(flat(), options),
  'clamp': options => F.clamp(flat(), options),
  'softplus': options => F.softplus(flat(), options),
  'leakyRelu': options => F.leakyRelu(flat(), options),
  'dropout': options => F.dropout(flat(), options),
  'softmax': options => F.softmax(flat(), options),
  'logSoftmax': options => F.logSoftmax(flat(), options),
  'layerNorm': options => F.layerNorm(flat(), null, null, options),
  'crossEntropy': options => F.crossEntropy(flat(), [1], options),
  'nllLoss': options => F.nllLoss(flat(), [1], options),
  'mseLoss': options => F.mseLoss(flat(), flat(), options),
  'klDiv': options => F.klDiv(flat(), flat(), options),
  'rmsNorm': options => F.rmsNorm(flat(), null, options),
  'normalize': options => F.normalize(flat(), options),
  'cosineSimilarity': options => F.cosineSimilarity(flat(), flat(), options),
  'sum': options => F.sum(flat(), options),
  'argmax': options => F.argmax(flat(), options),
  'zeros': options => gf.zeros([1], options),
  'linspace': options => gf.linspace(0, 1, 3, options),
  'normal': options => gf.normal([1], options),
  'multinomial': options => gf.multinomial([1, 2], 1, options),
  'embedding': options => F.embedding([0], flat(), options),
  'scaledDotProductAttention': options => F.scaledDotProductAttention(heads(), heads(), heads(), options),
  'rotary': options => F.rotary(flat(), options),
  'alibi': options => gf.alibi(2, 3, 3, options),
  'relativePositionBuckets': options => gf.relativePositionBuckets(3, 3, options),
  'relativePositionBias': options => F.relativePositionBias(gf.rand([32, 2]), 3, 3, options),
  'clipGradNorm': options => optim.clipGradNorm([parameter()], 1, options),
  'Linear': options => new nn.Linear(2, 2, options),
  'LayerNorm': options => new nn.LayerNorm(2, options),
  'RMSNorm': options => new nn.RMSNorm(2, options),
  'Embedding': options => new nn.Embedding(2, 2, options),
  'GELU': options => new nn.GELU(options),
  'MultiheadAttention': options => new nn.MultiheadAttention(4, 2, options),
  'MultiheadAttention, forward': options => new nn.MultiheadAttention(4, 2).forward(x(), x(), x(), options),
  'PositionalEncoding': options => new nn.PositionalEncoding(4, 0, 8, options),
  'TransformerEncoder': options => new nn.TransformerEncoder(layer(), 1, options),
  'TransformerEncoder, forward': options => new nn.TransformerEncoder(layer(), 1).forward(x(), options),
  'TransformerDecoder': options => new nn.TransformerDecoder(decoderLayer(), 1, options),
  'TransformerDecoder, forward': options => new nn.TransformerDecoder(decoderLayer(), 1).forward(x(), x(), options),
  'TransformerEncoderLayer': options => new nn.TransformerEncoderLayer(4, 2, 8, 0, options),
  'TransformerEncoderLayer, forward': options => layer().forward(x(), options),
  'TransformerDecoderLayer, forward': options => decoderLayer().forward(x(), x(), options),
  'Transformer': options => new nn.Transformer(4, 2, 1, 1, 8, 0, options),
  'Transformer, forward': options => new nn.Transformer(4, 2, 1, 1, 8, 0).forward(x(), x(), options),
  'tokenizer.encode': options => tokenizer.encode('a', options),
  'tokenizer.decode': options => tokenizer.decode([0], options),
  'SGD': options => new optim.SGD([parameter()], options),
  'Adam': options => new optim.Adam([parameter()], options),
  'AdamW': options => new optim.AdamW([parameter()], options)
}

/** Whether PyTorch takes by position what this call takes as options. */
function isInOrder(title) {
  const [name, forward] = title.split(', ')
  const text = forward ? FORWARDS[name] : { ...FUNCTIONS, ...MODULES, ...OPTIMIZERS }[name]
  return text !== undefined && !/^=/.test(text) && !/\| \*/.test(text)
}

/** Values that few arguments may have. */
const createWrong = () => [true, 'tanh', [[true]], flat(), new nn.LayerNorm(4), new Map(), Symbol('none'), -1.5, () => 1]

/** The parameter that the argument after those of a call has; of most the first that may be an option. */
const NEXT = { TransformerEncoderLayer: 'activation', Transformer: 'activation', layerNorm: 'eps' }

/**
 * A value by position is read as the same value by name is: accepted, or refused for the same reason.
 * @param {string} title @param {(options: unknown) => unknown} call
 */
async function compareByPosition(title, call) {
  const [name, forward] = title.split(', '), text = forward ? FORWARDS[name] : { ...FUNCTIONS, ...MODULES, ...OPTIMIZERS }[name]
  const { order, options, unsupported } = parseSignature(text)
  const key = NEXT[title] ?? order.find(one => options.includes(one) || unsupported.has(one))
  const outcomeOf = async options => {
    try {
      await call(options)
      return 'accepted'
    } catch (error) {
      assert.equal(error.name, 'GlassformerError', error.stack)
      return error
    }
  }
  if (title !== 'clamp') await call(null)
  const named = createWrong()
  for (const [i, wrong] of createWrong().entries()) {
    const byPosition = await outcomeOf(wrong)
    if (unsupported.has(key)) assert.match(byPosition.message, new RegExp(`^${name}: there is no ${key} here`))
    else assert.equal(byPosition.code, (await outcomeOf({ [key]: named[i] })).code, `${key}: ${String(wrong)}: ${byPosition.message}`)
  }
}

for (const [title, call] of Object.entries(CALLS)) {
  const [name] = title.split(',')
  const refused = async (options, message) => assert.rejects(async () => call(options), error => {
    assert.equal(error.name, 'GlassformerError', error.stack)
    assert.equal(error.code, 'type')
    assert.match(error.message, message)
    return true
  })
  test(`${title}: options are a plain object of known names`, async () => {
    // clamp needs one of its options.
    if (title !== 'clamp') await call()
    await call(title === 'clamp' ? { max: 3 } : {})
    const start = `^${name.replace('.', '\\.')}: `
    await refused({ speling: 1 }, new RegExp(`${start}there is no option "speling", only \\w+`))
    // A value without a name is the next argument in PyTorch's order, where there is one.
    if (isInOrder(title)) await compareByPosition(title, call)
    else for (const wrong of [...createWrong().slice(0, 7), null]) await refused(wrong, new RegExp(start))
  })
}

test('options in snake_case are errors', () => {
  assert.throws(() => gf.tensor([1], { requires_grad: true }),
    { message: 'tensor: there is no option "requires_grad", only shape, dtype, requiresGrad; requires_grad is spelled requiresGrad here' })
  assert.throws(() => new nn.TransformerEncoderLayer(8, 2, { dim_feedforward: 16 }), { code: 'type' })
  assert.throws(() => F.crossEntropy(flat(), [1], { weights: flat() }), { code: 'type' })
})

test('options may be an object without a prototype', () => {
  const options = Object.assign(Object.create(null), { requiresGrad: true })
  assert.equal(gf.tensor([1], options).requiresGrad, true)
})

test('batchFirst may be true, not false', () => {
  assert.ok(new nn.MultiheadAttention(4, 2, { batchFirst: true }))
  for (const make of [
    () => new nn.MultiheadAttention(4, 2, { batchFirst: false }),
    () => new nn.TransformerEncoderLayer(4, 2, { batchFirst: false }),
    () => new nn.Transformer(4, 2, 1, 1, { batchFirst: false })
  ]) assert.throws(make, { code: 'range', message: /batchFirst is always true/ })
})

test('null counts as left out where PyTorch has None', () => {
  const masks = { srcMask: null, srcKeyPaddingMask: null, isCausal: null }
  assert.deepEqual(layer().forward(x(), masks).shape, [1, 2, 4])
})

test('flags are booleans', () => {
  for (const [make, name] of [
    [() => new nn.Linear(2, 2, { bias: 1 }), 'bias'], [() => new nn.LayerNorm(2, { bias: 'no' }), 'bias'],
    [() => new nn.MultiheadAttention(4, 2, { bias: 0 }), 'bias'],
    [() => F.scaledDotProductAttention(heads(), heads(), heads(), { isCausal: 'no' }), 'isCausal'],
    [() => new optim.SGD([parameter()], { nesterov: 1 }), 'nesterov']
  ]) assert.throws(make, { code: 'type', message: new RegExp(`${name} must be true or false, got`) })
})
