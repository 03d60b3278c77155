// The numbers the lessons print, digit for digit, where no unknown randomness is behind them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertClose, plain } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { assertPrinted, printedNumbers } from '../lib/printed.js'

const F = gf.functional
const { items } = loadGolden('seeds')
const { doc000 } = loadGolden('pipeline')

const item = id => {
  const found = items.find(one => one.id === id)
  assert.ok(found, `seeds.json has no item "${id}"`)
  return found
}

const values = t => plain(t).data
const table = (L, d, options) => gf.positionalEncoding(L, d, options)
const rows = (t, count) => values(t).slice(0, count * t.shape[1])

/** The rates are not an output; but a pair of columns turns by its rate from each position to the next. */
function angles(encodings) {
  const [positions, d] = encodings.shape
  const data = values(encodings)
  return Array.from({ length: positions }, (_, p) =>
    Array.from({ length: d / 2 }, (_, pair) => {
      const at = position => [data[position * d + 2 * pair], data[position * d + 2 * pair + 1]]
      return Array.from({ length: p }, (_, k) => {
        const [[s0, c0], [s1, c1]] = [at(k), at(k + 1)]
        return Math.atan2(s1 * c0 - c1 * s0, c1 * c0 + s1 * s0)
      }).reduce((a, b) => a + b, 0)
    })
  )
}

/** An embedding of the lesson's sentences with the weights that were behind the print, and positions added. */
function sentences(encodings) {
  const weight = gf.tensor(Float32Array.from(doc000.weight.data), { shape: doc000.weight.shape })
  const embedded = F.embedding(gf.tensor(Int32Array.from(doc000.idx.data), { shape: doc000.idx.shape }), weight)
  return encodings ? F.add(embedded, gf.tensor(rows(encodings, 6), { shape: [6, 4] })) : embedded
}

/** Euclidean distance to the next position, own length, and dot product with the next. */
function neighbours(encodings) {
  const [positions, d] = encodings.shape
  const data = values(encodings)
  const row = p => data.slice(p * d, (p + 1) * d)
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0)
  return Array.from({ length: positions - 1 }, (_, p) => {
    const difference = row(p).map((value, i) => value - row(p + 1)[i])
    return [Math.sqrt(dot(difference, difference)), Math.sqrt(dot(row(p), row(p))), dot(row(p), row(p + 1))]
  }).flat()
}

const printedInput = id => {
  const { shape } = item(id)
  return gf.tensor(Float32Array.from(printedNumbers(item(id))), { shape })
}

const normalised = () => F.layerNorm(printedInput('004.input_embeddings'))

function rowStatistics(t) {
  const width = t.shape.at(-1)
  const data = values(t)
  return Array.from({ length: data.length / width }, (_, r) => {
    const row = data.slice(r * width, (r + 1) * width)
    const mean = row.reduce((a, b) => a + b, 0) / width
    return { mean, std: Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (width - 1)) }
  })
}

/** Which keys each query sees: with the identity as values, attention puts out its weights. */
function visible(time) {
  const identity = Array.from({ length: time }, (_, i) => Array.from({ length: time }, (_, j) => (i === j ? 1 : 0)))
  const zeros = gf.tensor(new Float32Array(time * time), { shape: [1, 1, time, time] })
  const weights = F.scaledDotProductAttention(zeros, zeros, gf.tensor([[identity]]), { isCausal: true })
  return values(weights).map(weight => (weight === 0 ? 0 : 1))
}

/** One lesson computes with NumPy's doubles, the others with PyTorch's float32. */
const direct = { method: 'direct', dtype: 'float64' }
const torch = { method: 'log-float32' }

const computed = {
  '000.embeddings': () => values(sentences()),
  '000.embeddings_again': () => values(sentences()),
  '000.encodings': () => values(table(10, 4, { base: 1000, ...direct })),
  '000.encodings6': () => rows(table(10, 4, { base: 1000, ...direct }), 6),
  '000.sum_n1000': () => values(sentences(table(10, 4, { base: 1000 }))),
  '000.div_term': () => angles(table(2, 4, { base: 100, dtype: 'float64' }))[1],
  '000.k': () =>
    angles(table(10, 2, { dtype: 'float64' }))
      .flat()
      .map(Math.round),
  '000.k_div_term': () => angles(table(10, 4, { base: 100, dtype: 'float64' })).flat(),
  '000.pe_n100': () => values(table(10, 4, { base: 100, ...torch })),
  '000.gen_pe_n100': () => values(table(10, 4, { base: 100, ...torch })),
  '000.pe_n10000': () => values(table(10, 4, torch)),
  '000.sum_n10000': () => values(sentences(table(10, 4, torch))),
  '001.pe_5x6': () => values(table(5, 6, { layout: 'concatenated', ...direct })),
  '001.distance_norm_dot': () => neighbours(table(5, 6, { layout: 'concatenated', ...direct })),
  '002.position': () =>
    angles(table(5, 2, { dtype: 'float64' }))
      .flat()
      .map(Math.round),
  '002.div_term': () => angles(table(2, 8, { dtype: 'float64' }))[1],
  '002.pe': () => values(table(5, 8, torch)),
  '002.pe_unsqueezed': () => values(table(5, 8, torch)),
  '002.pe_transposed': () => values(table(5, 8, torch)).slice(0, 23),
  '004.layer_norm_std': () => rowStatistics(normalised()).map(({ std }) => std),
  '004.causal_mask': () => visible(5)
}

for (const [id, compute] of Object.entries(computed)) {
  test(`${id}: the printed numbers`, () => assertPrinted(compute(), item(id)))
}

test('000: both printed sums, as far as the printed embeddings determine them', () => {
  // Two decimals are half a hundredth uncertain, in the embedding and in the sum.
  const embedded = printedInput('000.embeddings')
  for (const [id, base] of [
    ['000.sum_n1000', 1000],
    ['000.sum_n10000', 10000]
  ]) {
    const sum = F.add(embedded, gf.tensor(rows(table(10, 4, { base }), 6), { shape: [6, 4] }))
    assertClose(values(sum), printedNumbers(item(id)), { tol: 0.0101, name: id })
  }
})

test('000.tokens: the sentences cut into words', () => {
  const cut = item('000.sequences').value.map(sentence => gf.text.words(sentence, { punctuation: false }))
  assert.deepEqual(cut, item('000.tokens').value)
})

test('004: words, their numbers and back', () => {
  const tokens = item('004.tokens').value
  assert.deepEqual(gf.text.whitespace(tokens.join(' ')), tokens)
  const vocab = new gf.text.Vocab([tokens], { order: 'first-seen' })
  assert.deepEqual(Object.fromEntries(vocab.stoi), item('004.str2idx').value)
  assert.deepEqual({ ...vocab.itos }, item('004.idx2str').value)
  assert.deepEqual(Array.from(vocab.encode(tokens)), item('004.input_ids').value)
})

test('004: the shapes on the way', () => {
  const x = printedInput('004.input_embeddings')
  assert.deepEqual([[...x.shape]], item('004.shape_multihead').value)
  const attended = new gf.nn.MultiheadAttention(16, 4).forward(x)[0]
  assert.deepEqual([[...attended.shape]], item('004.shape_multihead').value)
  const embedded = new gf.nn.Embedding(5, 16).forward([item('004.input_ids').value])
  const placed = new gf.nn.LearnedPositionalEncoding(12, 16).forward(embedded)
  assert.deepEqual(
    [embedded, placed].map(t => [...t.shape]),
    item('004.shapes_embedding').value
  )
  const one = t => t.reshape(1, 1, 5, 16)
  const output = F.scaledDotProductAttention(one(placed), one(placed), one(placed)).reshape(1, 5, 16)
  assert.deepEqual(
    [placed, output].map(t => [...t.shape]),
    item('004.shapes_attention').value
  )
})

test('003.shapes: the table and its column of positions', () => {
  const [shape] = item('003.shapes').value
  assert.deepEqual(table(256, 512).shape, shape)
})

test('004.layer_norm_mean: the mean is rounding noise', () => {
  for (const { mean } of rowStatistics(normalised())) assert.ok(Math.abs(mean) < 1e-6, `mean ${mean}`)
})

test('every printed number is accounted for', () => {
  const above = ['000.tokens', '003.shapes', '004.tokens', '004.str2idx', '004.idx2str', '004.input_ids']
  const shapes = ['004.shapes_embedding', '004.shapes_attention', '004.shape_multihead', '004.layer_norm_mean']
  const inputs = ['000.sequences', '002.ids', '004.input_embeddings']
  const replayed = ['002.output']
  const nothingComputed = ['000.zeros', '002.zeros']
  const others = [...above, ...shapes, ...inputs, ...replayed, ...nothingComputed]
  const ids = items.map(one => one.id).sort()
  assert.deepEqual(ids, [...Object.keys(computed), ...others].sort())
})
