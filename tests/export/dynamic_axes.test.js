// Lengths that a graph leaves free: the exported file gives the library's numbers at lengths other than the example's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRejects, gf } from '../lib/engine.js'
import { cases, filesOf } from '../models/golden_models.js'
import { FunctionModule } from './modules.js'
import { assertNear, namedOutputs, sessionOf } from './onnx.js'

const { nn, functional: F } = gf
gf.manualSeed(5)

const SEQUENCE = { 1: 'sequence' }, ONE_INPUT = { input: SEQUENCE }

/**
 * Exports a model and compares it at several lengths.
 * @param {any} model @param {(length: number, batch: number) => any} inputsAt @param {any} dynamicAxes
 * @param {(feeds: any) => any} call
 */
async function assertFree(model, inputsAt, dynamicAxes, call, lengths = [1, 2, 4, 5, 9], example = 4) {
  const session = await sessionOf(gf.toOnnx(model, inputsAt(example, 2), { dynamicAxes }))
  for (const length of lengths) for (const batch of [2, 3]) {
    const feeds = inputsAt(length, batch)
    const expected = namedOutputs(gf.noGrad(() => call(feeds)))
    const outputs = await session.run(feeds.shape ? { input: feeds } : feeds)
    for (const [key, tensor] of Object.entries(expected)) assertNear(outputs[key], tensor, `${length} × ${batch}: ${key}`)
  }
}

const loaded = async type => (await gf.models.load(filesOf(cases(type)[0]))).model
const ids = (length, batch) => gf.randint(0, 10, [batch, length])
const maskOf = (length, batch) => gf.tensor(Array.from({ length: batch }, (_, b) =>
  Array.from({ length }, (_, t) => Number(t >= b && t < length))), { dtype: 'int32' })

for (const type of ['bert', 'gpt2', 'llama']) test(`${type}: any number of tokens, with and without a mask`, async () => {
  const model = await loaded(type), lengths = [1, 2, 3, 5, 7]
  await assertFree(model, (length, batch) => ({ ids: ids(length, batch) }), { ids: { 0: 'batch', 1: 'sequence' } },
    feeds => model.forward(feeds.ids), lengths)
  await assertFree(model, (length, batch) => ({ ids: ids(length, batch), attentionMask: maskOf(length, batch) }),
    { ids: SEQUENCE, attentionMask: SEQUENCE }, ({ ids: given, ...mask }) => model.forward(given, mask), lengths)
})

test('marian: two lengths', async () => {
  const model = await loaded('marian'), axes = { ids: { 1: 'source' }, decoderIds: { 1: 'target' } }
  const session = await sessionOf(gf.toOnnx(model, { ids: ids(5, 2), decoderIds: ids(3, 2) }, { dynamicAxes: axes }))
  for (const [source, target, batch] of [[5, 3, 2], [2, 6, 3], [7, 1, 2], [4, 4, 1]]) {
    const feeds = { ids: ids(source, batch), decoderIds: ids(target, batch) }
    const expected = namedOutputs(gf.noGrad(() => model.forward(feeds.ids, { decoderIds: feeds.decoderIds })))
    const outputs = await session.run(feeds)
    for (const [key, tensor] of Object.entries(expected)) assertNear(outputs[key], tensor, `${source}, ${target}: ${key}`)
  }
})

/** A model as in the tutorials: learned positions, a causal mask, a loss. */
class SmallGpt extends nn.Module {
  constructor() {
    super()
    this.token = new nn.Embedding(11, 8)
    this.position = new nn.Embedding(12, 8)
    this.norm = new nn.LayerNorm(8)
    this.attention = new nn.MultiheadAttention(8, 2)
    this.encoder = new nn.TransformerEncoder(new nn.TransformerEncoderLayer(8, 2, 16, 0), 2)
    this.head = new nn.Linear(8, 11)
  }

  forward(given, targets) {
    const [, T] = given.shape
    let x = this.token(given).add(this.position(gf.arange(T)))
    const causal = gf.ones([T, T]).tril().eq(0)
    x = x.add(this.attention(this.norm(x), undefined, undefined, { attnMask: causal, needWeights: false })[0])
    x = this.encoder(x, { isCausal: true })
    const logits = this.head(x)
    return targets ? { logits, loss: F.crossEntropy(logits.reshape(-1, 11), targets.reshape(-1)) } : logits
  }
}

test('an own model with positions, causal masks and a loss', async () => {
  const model = new SmallGpt()
  await assertFree(model, (length, batch) => ({ given: ids(length, batch) }), { given: SEQUENCE },
    ({ given }) => model.forward(given))
  await assertFree(model, (length, batch) => ({ given: ids(length, batch), targets: ids(length, batch) }),
    { given: SEQUENCE, targets: SEQUENCE }, ({ given, targets }) => model.forward(given, targets))
})

/** Functions of x [B, T, 4] whose result follows the length. */
const OPEN = {
  'heads and a mean': x => x.reshape(x.shape[0], x.shape[1], 2, 2).transpose(1, 2).mean({ dim: 2 }),
  'rotary positions': x => F.rotary(x),
  'positional encoding': (pe => x => pe(x))(new nn.PositionalEncoding(4, 0)),
  'a mean over all tokens but the first': x => x.slice(1, 1).sum({ dim: 1 }).div(x.shape[1]),
  'the last token': x => x.select(1, -1),
  'masks of numbers and of flags': x => {
    const T = x.shape[1], heads = x.unsqueeze(1)
    const bool = gf.ones([T, T]).tril().to('bool'), float = gf.full([T, T], -Infinity).triu(1)
    return [F.scaledDotProductAttention(heads, heads, heads, { attnMask: bool }),
      F.scaledDotProductAttention(heads, heads, heads, { attnMask: F.maskedFill(float, float.isnan(), 0) })]
  },
  'a window': x => [true, false].flatMap(isCausal => [2, 6, 20].map(window =>
    F.scaledDotProductAttention(x.unsqueeze(1), x.unsqueeze(1), x.unsqueeze(1), { isCausal, window }))),
  'constants of the length': x => x.add(gf.full([1, x.shape[1], 1], 0.5)).mul(gf.arange(x.shape[1]).to('float32').reshape(-1, 1)),
  'cumulative sums and joins': x => gf.cat([x.cumsum(1), x.flip(1)], { dim: 1 }),
  'a variance': x => x.var({ dim: 1, correction: 0 })
}
for (const [name, fn] of Object.entries(OPEN)) test(`any length: ${name}`, async () => {
  await assertFree(new FunctionModule(fn), (length, batch) => gf.randn([batch, length, 4]), ONE_INPUT, fn)
})

test('names stand in the file, and lists of axes have PyTorch’s names', async () => {
  const model = new FunctionModule(x => x.mul(2)), x = gf.randn([2, 3, 4])
  const text = bytes => new TextDecoder('latin1').decode(bytes)
  assert.match(text(gf.toOnnx(model, x, { dynamicAxes: { input: { 0: 'sentences', 1: 'tokens' } } })), /sentences[^]*tokens/)
  assert.match(text(gf.toOnnx(model, x, { dynamicAxes: { input: [1] } })), /input_dynamic_axes_1/)
  assert.deepEqual(gf.toOnnx(model, x, { dynamicAxes: {} }), gf.toOnnx(model, x))
})

test('t5: the length of the source is fixed by its buckets of distances', async () => {
  const model = await loaded('t5'), inputs = { ids: ids(4, 2), decoderIds: ids(3, 2) }
  assertRejects(() => gf.toOnnx(model, inputs, { dynamicAxes: { ids: { 1: 'source' } } }), 'type', 'source cannot have any length')
})

test('a length that a graph fixes is refused by the operation that fixes it', () => {
  const x = gf.randn([2, 3, 4]), refused = (fn, ...fragments) => assertRejects(
    () => gf.toOnnx(new FunctionModule(fn), x, { dynamicAxes: ONE_INPUT }), 'type', 'sequence cannot have any length', ...fragments)
  refused(y => y.mul(gf.tensor(Array.from({ length: y.shape[1] }, (_, i) => [i * i]))), 'Mul reads a float32 constant of shape [3, 1]')
  refused(y => F.linear(y.transpose(1, 2), gf.ones([2, 3])), 'with a length of')
  refused(y => (y.shape[1] > 3 ? y.mul(2) : y.add(1)), 'is another operator')
  const padded = { keyPaddingMask: [[false, false, true], [false, true, true]] }
  refused(y => F.scaledDotProductAttention(y.unsqueeze(1), y.unsqueeze(1), y.unsqueeze(1), padded), 'shape')
})

test('toOnnx checks dynamicAxes', () => {
  const model = new FunctionModule((a, b) => a.add(b)), all = [gf.randn([2, 3, 4]), gf.randn([2, 3, 4])]
  const refused = (dynamicAxes, code, ...fragments) =>
    assertRejects(() => gf.toOnnx(model, all, { dynamicAxes }), code, ...fragments)
  refused([1], 'type', 'dynamicAxes must be an object')
  refused({ ids: [1] }, 'range', 'dynamicAxes names "ids"', 'input_0, input_1')
  refused({ input_0: { 3: 'x' } }, 'range', 'axes from 0 to 2', '"3"')
  refused({ input_0: { 1: 7 } }, 'type', 'must be the name of a length, got 7')
  refused({ input_0: { 1: 'a', 2: 'a' } }, 'shape', 'all axes called a', '3, 4')
  refused({ input_0: { 0: 'a', 1: 'a' } }, 'range', 'give them two names')
  assertRejects(() => gf.toOnnx(model, all, { dynamic_axes: {} }), 'type', 'dynamicAxes')
})
