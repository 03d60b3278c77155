// Two lessons replayed from the seeds they ran with, randomness included.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { assertPrinted } from '../lib/printed.js'

const F = gf.functional
const { doc000, doc002, rtol } = loadGolden('pipeline')
const { items } = loadGolden('seeds')
const item = id => items.find(one => one.id === id)

const values = t => plain(t).data

function lesson000() {
  gf.manualSeed(doc000.seed)
  const table = new gf.nn.Embedding(doc000.vocab.length, 4)
  const ids = doc000.tokens.map(sentence => sentence.map(token => doc000.vocab.indexOf(token)))
  return { weight: table.weight, embedded: table.forward(ids) }
}

/** The first six rows of a table for ten positions. */
const sixRows = base => gf.tensor(values(gf.positionalEncoding(10, 4, { base })).slice(0, 24), { shape: [6, 4] })

test('000: the printed embeddings come from this seed', () => {
  const { weight, embedded } = lesson000()
  assertSame(weight, doc000.weight, 'weight')
  assertSame(embedded, doc000.embeddings, 'embeddings')
  assertPrinted(values(embedded), item('000.embeddings'))
})

test('000: the printed sums with both bases', () => {
  const { embedded } = lesson000()
  const sums = { 1000: F.add(embedded, sixRows(1000)), 10000: F.add(embedded, sixRows(10000)) }
  // A rounding of the position and one of the sum, both below 4.
  assertClose(sums[1000], doc000.sum_loop64_n1000, { tol: 6e-7, name: 'base 1000' })
  assertClose(sums[10000], doc000.sum_torch32_n10000, { tol: 6e-7, name: 'base 10000' })
  assertPrinted(values(sums[1000]), item('000.sum_n1000'))
  assertPrinted(values(sums[10000]), item('000.sum_n10000'))
})

/** [47, 512] picked at the listed rows and columns. */
function picked(t, { rows, cols }) {
  const data = values(t)
  return { shape: [rows.length, cols.length], data: rows.flatMap(r => cols.map(c => data[r * 512 + c])) }
}

function lesson002() {
  gf.manualSeed(doc002.seed)
  const table = new gf.nn.Embedding(4376, 512)
  const embedded = table.forward([doc002.ids])
  // As printed: the table of positions is cut by the number of sentences, so that every word gets position 0.
  const everywhereZero = gf.tensor(values(gf.positionalEncoding(1, 512)), { shape: [1, 512] })
  return { embedded, output: F.dropout(F.add(embedded, everywhereZero), { p: 0.1, training: true }) }
}

test('002: the printed output, zeros of the dropout included', () => {
  const { embedded, output } = lesson002()
  const next = gf.rand([3])
  assertSame(picked(embedded, doc002), doc002.embedding, 'embedding')
  assertClose(picked(output, doc002), doc002.output, { tol: 1e-6, rtol, name: 'output' })
  const data = values(output)
  const kept = data.map(value => (value === 0 ? 0 : 1))
  assert.equal(kept.slice(0, 64).join(''), doc002.mask_first_64)
  assert.equal(kept.slice(-64).join(''), doc002.mask_row_46_last_64)
  assert.equal(
    kept.reduce((a, b) => a + b, 0),
    doc002.kept
  )
  assertClose(
    data.reduce((a, b) => a + b, 0),
    doc002.output_sum64,
    { rtol: 1e-6, name: 'sum' }
  )
  assertSame(next, doc002.next_rand, 'rand afterwards')
  const corners = { rows: [0, 1, 2, 44, 45, 46], cols: [0, 1, 2, 509, 510, 511] }
  assertPrinted(picked(output, corners).data, item('002.output'))
})

test('002: the intended output, each word at its own position', () => {
  const { embedded } = lesson002()
  const output = F.add(embedded, gf.positionalEncoding(47, 512))
  assertClose(picked(output, doc002), doc002.batch_first_output, { tol: 47 * 4e-7, name: 'output' })
})
