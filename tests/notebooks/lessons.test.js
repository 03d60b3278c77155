// The five lessons of web/notebooks, run from top to bottom: what they show is what the notebooks print, and lesson
// 004's classes compute what the notebook's classes compute in PyTorch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lessons, runLesson } from '../../web/notebooks/index.js'
import { DOCUMENTS } from '../../web/notebooks/documents/index.js'
import { formatPrinted } from '../../web/notebooks/print.js'
import { classes } from '../../web/notebooks/004_transformer.js'
import { loadGolden } from '../golden/index.js'
import { assertClose, plain } from '../lib/compare.js'
import { gf, toTensor } from '../lib/engine.js'
import { runDocument } from '../lib/notebook.js'
import { assertPrinted } from '../lib/printed.js'

const { items } = loadGolden('seeds')
const blocks = loadGolden('blocks')
const { doc004 } = loadGolden('pipeline')

const lessonOf = id => lessons.find(lesson => lesson.id === id)
const numbersOf = value => (typeof value === 'object' && 'shape' in value ? plain(value).data : [value].flat(Infinity))

/** The notebook shows six rows and six columns of it. */
const corners = t => [0, 1, 2, 44, 45, 46].flatMap(r => [0, 1, 2, 509, 510, 511].map(c => t.at(0, r, c)))

// Random without a known seed; and rounding noise of digits that were not printed.
const NOT_REPRODUCED = ['004.input_embeddings', '004.layer_norm_mean', '004.layer_norm_std']

for (const lesson of lessons) {
  const printed = items.filter(item => item.doc === lesson.id && item.style && !NOT_REPRODUCED.includes(item.id))
  test(`lesson ${lesson.id} prints what the notebook prints: ${printed.length} tables of numbers`, () => {
    gf.tidy(() => {
      const shown = runLesson(gf, lesson)
      for (const item of printed.filter(one => one.shape && one.printed.length)) {
        const value = shown[item.id.slice(4)]
        assert.notEqual(value, undefined, `lesson ${lesson.id} has no cell for ${item.id}`)
        const own = item.id === '002.output' ? corners(value) : numbersOf(value)
        if (item.id === '002.pe_transposed') assert.deepEqual(value.shape, [5, 1, 8])
        assertPrinted(own.slice(0, item.printed.length), item)
      }
    })
  })
}

test('the lessons show the words, vocabularies and shapes that the notebooks print', () => {
  gf.tidy(() => {
    const first = runLesson(gf, lessonOf('000')), last = runLesson(gf, lessonOf('004'))
    assert.deepEqual(first.tokens, loadGolden('pipeline').doc000.tokens)
    assert.deepEqual(last.tokens, ['나는', '최근', '파리', '여행을', '다녀왔다'])
    assert.deepEqual(last.str2idx, { 나는: 0, 최근: 1, 파리: 2, 여행을: 3, 다녀왔다: 4 })
    assert.deepEqual(last.idx2str, { 0: '나는', 1: '최근', 2: '파리', 3: '여행을', 4: '다녀왔다' })
    assert.deepEqual(last.input_ids, [0, 1, 2, 3, 4])
    assert.deepEqual([...last.shapes_embedding], [1, 5, 16])
    assert.deepEqual(last.shapes_attention.map(shape => [...shape]), [[1, 5, 16], [1, 5, 16]])
    assert.deepEqual([...last.shape_multihead], [1, 5, 16])
    assert.ok(last.layer_norm_mean.every(mean => Math.abs(mean) < 1e-6))
    assert.deepEqual(runLesson(gf, lessonOf('003')).shapes, [[256, 512], [256, 1], [1, 256, 512]])
  })
})

test('lesson 003: the logarithm changes nothing in double; float32 angles cost more than either form', () => {
  gf.tidy(() => {
    const { log_against_power: double, float32_against_double: single } = runLesson(gf, lessonOf('003'))
    assert.ok(double < 1e-13, `${double}`)
    assert.ok(single > 1e-6 && single < 256 * 4e-7, `${single}`)
  })
})

/** The embeddings that the notebook printed. */
function printedInput() {
  const { printed: numbers, shape } = items.find(({ id }) => id === '004.input_embeddings')
  return gf.tensor(Float32Array.from(numbers, Number), { shape })
}

test('lesson 004: the norm of the printed embeddings has the printed standard deviation', () => {
  const find = id => items.find(item => item.id === id)
  const x = printedInput()
  const rows = new gf.nn.LayerNorm(16).forward(x).toArray()[0]
  const deviation = row => {
    const mean = row.reduce((a, b) => a + b, 0) / row.length
    return Math.sqrt(row.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (row.length - 1))
  }
  assertPrinted(rows.map(deviation), find('004.layer_norm_std'))
})

for (const { seed, tol, stages } of doc004) {
  test(`lesson 004 from seed ${seed}: every stage has PyTorch's numbers`, () => {
    gf.tidy(() => {
      gf.manualSeed(seed)
      const shown = runLesson(gf, lessonOf('004')), next = gf.rand([3])
      const own = { ...shown, encoder_2_clones: shown.encoder, decoder_layer_causal: shown.decoder_layer }
      const compared = Object.keys(stages).filter(name => own[name])
      for (const name of compared) {
        assertClose({ ...plain(own[name]), shape: stages[name].shape }, stages[name], { tol, rtol: 2e-6, name })
      }
      assert.ok(compared.length >= 11, `only ${compared} were compared`)
      assertClose(next, stages.next_rand, { name: 'the next random numbers' })
    })
  })
}

/** The notebook's class of a case, with the case's weights. */
function blockModule({ layers, id }) {
  const own = classes(gf), isEncoder = id.startsWith('seed.encoder')
  const Layer = isEncoder ? own.TransformerEncoderLayer : own.TransformerDecoderLayer
  const made = layers.map(name => {
    const layer = new Layer(blocks.d, blocks.h, blocks.ff, 0.1)
    layer.loadStateDict(Object.fromEntries(Object.entries(blocks.layers[name]).map(([key, t]) => [key, toTensor(t)])))
    return layer
  })
  if (made.length === 1) return made[0]
  const stack = new (isEncoder ? own.TransformerEncoder : own.TransformerDecoder)(made[0], made.length)
  ;[...stack.layers].forEach((layer, i) => layer.loadStateDict(made[i].stateDict()))
  return stack
}

for (const item of blocks.cases.filter(one => one.id.startsWith('seed.'))) {
  test(`${item.id}: PyTorch's numbers`, () => {
    const module = blockModule(item).eval()
    const given = Object.values(item.inputs).map(input => (typeof input === 'string' ? blocks.shared[input] : input))
    const inputs = given.map(t => toTensor(t, { requiresGrad: true }))
    const out = module.forward(...inputs, { isCausal: item.causal, chained: item.id.endsWith('chained') })
    assertClose(out, item.outputs.y, { tol: item.tol.out, rtol: blocks.rtol, name: 'y' })
    if (!item.grads) return
    out.backward(toTensor(blocks.shared.cot))
    const own = Object.fromEntries(module.namedParameters().map(([name, p]) => [`${item.layers[0]}/${name}`, p.grad]))
    Object.keys(item.inputs).forEach((name, i) => { own[name] = inputs[i].grad })
    for (const [name, expected] of Object.entries(item.grads)) {
      const gradient = own[name] ?? own[name.replace(/_[ST]$/, '')]
      assertClose(gradient, expected, { tol: item.tol.grad, rtol: blocks.rtol, name })
    }
  })
}

test('the classes that a reader of notebook 004 finds give, from one seed, the numbers of the notebook’s own', async () => {
  const { cells } = DOCUMENTS.find(({ id }) => id === '004')
  const printedBy = name => cells.findIndex(({ js }) => js.includes(`class ${name} `))
  const outputs = await runDocument({ cells })
  const own = classes(gf), x = printedInput()
  /** The first four columns, as the cells print them. */
  const columns = t => formatPrinted(t.narrow(2, 0, 4)).text
  gf.tidy(() => {
    gf.manualSeed(42)
    const joined = new own.MultiheadAttention(16, 16, 4).forward(x, x, x)
    assert.equal(outputs[printedBy('MultiHeadAttention')][1].text, columns(joined))
    gf.manualSeed(42)
    const encoder = new own.TransformerEncoder(new own.TransformerEncoderLayer(16, 4, 32, 0.1), 2).eval()
    const memory = encoder.forward(x)
    assert.equal(outputs[printedBy('Encoder')][0].text, columns(memory))
    gf.manualSeed(42)
    const layer = new own.TransformerDecoderLayer(16, 4, 32, 0.1).eval(), decoded = layer.forward(x, memory)
    const [shown, moved] = outputs[printedBy('DecoderLayer')]
    assert.equal(shown.text, columns(decoded))
    assert.ok(moved.numbers.slice(0, 4).every(one => one === 0) && moved.numbers[4] > 0.1, 'it does not look ahead')
    const [repeated, chained] = outputs[printedBy('Decoder')].map(({ numbers }) => numbers[0])
    const stack = new own.TransformerDecoder(layer, 2).eval().forward(x, memory, { chained: true })
    assert.equal(repeated, 0)
    assert.equal(chained, stack.sub(decoded).abs().max().item())
  })
})
