// The classes of notebook 004 compute what they compute in PyTorch, and so do those that a reader finds on the page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCUMENTS } from '../../web/notebooks/documents/index.js'
import { formatPrinted } from '../../web/notebooks/print.js'
import { loadGolden } from '../golden/index.js'
import { assertClose, plain } from '../lib/compare.js'
import { gf, toTensor } from '../lib/engine.js'
import { runDocument } from '../lib/notebook.js'
import { classes, runStages } from '../lib/notebook_004.js'
import { assertPrinted } from '../lib/printed.js'

const { items } = loadGolden('seeds')
const blocks = loadGolden('blocks')
const { doc004 } = loadGolden('pipeline')

/** The embeddings that the notebook printed. */
function printedInput() {
  const { printed: numbers, shape } = items.find(({ id }) => id === '004.input_embeddings')
  return gf.tensor(Float32Array.from(numbers, Number), { shape })
}

test('the norm of the printed embeddings has the printed standard deviation', () => {
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
  test(`notebook 004 from seed ${seed}: every stage has PyTorch's numbers`, () => {
    gf.tidy(() => {
      gf.manualSeed(seed)
      const shown = runStages(gf), next = gf.rand([3])
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
