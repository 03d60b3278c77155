// Tables with many rows and large vocabularies: the rendered part has the values of the tensors.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { downsample, findTokens, isLargeCount, largestIndices } from '../../web/lib/large_tables.js'
import { transferList } from '../../web/worker/serialize_run.js'
import { readRun, storeTableRows } from '../../web/lib/run.js'
import { findSquare, cellIndexOf, sliceGatheredRows, slice } from '../../web/lib/slice.js'
import { roomsOf } from '../../web/rooms/index.js'
import { RUNS } from '../../web/models/runs.js'
import { nearest } from '../../web/worker/interpret.js'
import { messageOf } from '../../web/worker/serialize_run.js'
import { extentOf, someRows } from '../../web/worker/rows.js'
import { cases, filesOf } from '../models/golden_models.js'
import { openModel } from '../lib/imported_models.js'
import { gf } from '../lib/engine.js'
import { stageData } from '../lib/page.js'

const VOCAB_SIZE = 9000, [llama] = cases('llama'), [, [smallVocabSize]] = llama.tensors[0]
const enlarge = size => (size === smallVocabSize ? VOCAB_SIZE : size)
const tensors = llama.tensors.map(([key, shape, ...rest]) => [key, shape.map(enlarge), ...rest])
const imported = RUNS.own(gf, { beginning: '3 1 8000 1 5' }, [],
  [await openModel(filesOf({ ...llama, tensors }, { config: { vocab_size: VOCAB_SIZE } }))])
const { run: liveRun } = imported, TABLE = 'embed_tokens.weight'
after(() => liveRun.dispose())

/** The page's run, which requests values as rooms are displayed, and a list of these requests. */
function createPage() {
  const requests = [], run = readRun(messageOf(gf, imported))
  return { requests, run, display(room, more) {
    for (let i = 0; i < 12; i++) {
      try {
        return stageData(run, room, more)
      } catch ({ tensor, rows }) {
        requests.push([tensor.name, rows ?? 'all'])
        if (!rows) tensor.data = liveRun.tensor(tensor.name).values.slice()
        else storeTableRows(tensor, rows, someRows(liveRun, tensor.name, rows))
      }
    }
    throw new Error(`${room} requests values again and again: ${JSON.stringify(requests)}`)
  } }
}

/** Asserts that every cell of a slice has the tensor's value, and that its row and column are found. */
function assertCells(part) {
  const { values, shape } = liveRun.tensor(part.name)
  assert.deepEqual([...part.shape], [...shape])
  for (let row = 0; row < part.rows; row++) for (let col = 0; col < part.cols; col++) {
    const index = cellIndexOf(part, row, col), at = index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)
    assert.ok(Object.is(part.values[row * part.cols + col], values[at]), `${part.name}[${index}]`)
    assert.deepEqual(findSquare(part, { name: part.name, index }), { row, col })
  }
}

test('the largest values are those that sorting puts first, ties in order', () => {
  const values = Float32Array.from({ length: 3000 }, (_, i) => Math.round(100 * Math.sin(i * 7.3)))
  const order = Array.from({ length: 1000 }, (_, i) => i).sort((a, b) => values[500 + b] - values[500 + a] || a - b)
  for (const max of [1, 7, 48, 1000]) assert.deepEqual(largestIndices(values, 500, 1000, max), order.slice(0, max))
  assert.deepEqual(largestIndices(Float32Array.of(1, 2), 0, 2, 5), [1, 0])
})

test('a token is found by its text, a prefix, a part, or its id', () => {
  const words = ['see', '␣sea', 'seaside', 'oversea', 'land', 'Sea']
  assert.deepEqual(findTokens(words, 'sea', 9), [1, 5, 2, 3])
  assert.deepEqual(findTokens(words, 'sea', 2), [1, 5])
  assert.deepEqual(findTokens(words, '4', 9), [4])
  assert.deepEqual(findTokens(words, ' ', 9), [])
})

test('a thumbnail of many columns averages them', () => {
  const cols = 4096, part = { rows: 2, cols, values: Float32Array.from({ length: 2 * cols }, (_, i) => i) }
  const { values, cols: bins } = downsample(part)
  assert.equal(bins, 512)
  assert.deepEqual([values[0], values[511], values[512]], [3.5, 4095 - 3.5, 4096 + 3.5])
  const rising = Float32Array.from({ length: 6144 }, (_, i) => Math.floor(i / 2))
  const high = downsample({ rows: 3072, cols: 2, values: rising })
  assert.deepEqual([high.rows, high.cols, ...high.values.slice(0, 4)], [64, 2, 23.5, 23.5, 71.5, 71.5])
  const small = { rows: 1, cols: 3, values: new Float32Array(3) }
  assert.equal(downsample(small), small)
})

test('only the text\'s rows of a large embedding table are read', () => {
  const { display, requests } = createPage(), { table, many, result } = display('text.embedding')
  const ids = imported.run.streams.text.ids[0]
  assert.ok(isLargeCount(VOCAB_SIZE))
  assert.deepEqual(table.rowOrder, [...new Set(ids)].sort((a, b) => a - b))
  assert.equal(many.total, VOCAB_SIZE)
  assertCells(table)
  assertCells(result)
  assert.deepEqual(requests.filter(([name]) => name === TABLE), [[TABLE, table.rowOrder]])
})

test('only the largest logits of each position are drawn, and only their weights are read', () => {
  const { run, display, requests } = createPage()
  const { right, product, drawn: drawnPart } = display(roomsOf(run).find(({ words }) => words === 'logits').id)
  assertCells(right)
  assertCells(product)
  assert.deepEqual([product.order, drawnPart.total], [right.order, VOCAB_SIZE])
  const { values } = liveRun.tensor(product.name)
  for (let row = 0; row < product.rows; row++) {
    const rowValues = values.subarray(row * VOCAB_SIZE, (row + 1) * VOCAB_SIZE)
    assert.ok(product.order.includes(rowValues.indexOf(rowValues.reduce((a, b) => Math.max(a, b)))))
  }
  assert.ok(requests.every(([name, rows]) => name !== right.name || rows !== 'all'))
})

test('sampling from a large vocabulary lists the most probable tokens and the remaining probability', () => {
  const { display } = createPage(), { words, rest, shares, kept: retained, row } = display('sampling', { row: 2 })
  for (const part of [shares, retained]) assertCells(part)
  const all = liveRun.tensor('sampling.probabilities').values.subarray(row * VOCAB_SIZE, (row + 1) * VOCAB_SIZE)
  const sorted = [...all].sort((a, b) => b - a)
  assert.deepEqual(words.map(({ share }) => share), sorted.slice(0, words.length))
  assert.equal(words.length + rest.count, VOCAB_SIZE)
  const left = sorted.slice(words.length).reduce((sum, x) => sum + x, 0)
  assert.ok(Math.abs(rest.share - left) < 1e-5, `${rest.share} ${left}`)
})

test('with a large vocabulary the chosen tokens are always drawn', () => {
  const { display } = createPage(), { steps, shares } = display('decoding')
  assertCells(shares)
  imported.decoding.steps.forEach(({ id }, i) => {
    assert.ok(shares.order.includes(id))
    assert.equal(steps[i].tokenId, id)
    assert.ok(steps[i].pieces.length <= 64)
    assert.ok(steps[i].pieces.some(({ isChosen }) => isChosen), 'greedy: the widest piece')
  })
})

test('the extent of a table has its largest values', () => {
  const { values, shape: [, cols] } = liveRun.tensor(TABLE), { peak, largest: rows } = extentOf(values, cols)
  const sizes = Array.from({ length: VOCAB_SIZE }, (_, row) => (
    Math.max(...values.subarray(row * cols, (row + 1) * cols).map(Math.abs))))
  const order = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b)
  assert.deepEqual([peak, rows], [sizes[order[0]], order.slice(0, 5)])
})

test('nearest rows, computed in blocks, agree with float64', () => {
  const { values, shape: [, C] } = liveRun.tensor(TABLE), at = 8000
  const row = n => [...values.subarray(n * C, (n + 1) * C)], rowValues = row(at)
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0)
  const cosine = n => dot(row(n), rowValues) / Math.sqrt(dot(row(n), row(n)) * dot(rowValues, rowValues))
  const expected = Array.from({ length: VOCAB_SIZE }, (_, n) => n).sort((a, b) => cosine(b) - cosine(a)).slice(0, 10)
  const nearestRows = nearest(gf, liveRun, { name: TABLE, index: [at, 0], table: TABLE })
  assert.deepEqual(nearestRows.map(item => item.row), expected)
  for (const { row: n, cosine: value } of nearestRows) assert.ok(Math.abs(value - cosine(n)) < 1e-5)
})

test('gathered rows keep their table indices', () => {
  const some = { name: 'x', shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) }
  const part = sliceGatheredRows(some, [9, 3], [7, 2], ['a', 'b'])
  assert.deepEqual(cellIndexOf(part, 1, 2), [2, 2])
  assert.deepEqual(findSquare(part, { name: 'x', index: [7, 1] }), { row: 0, col: 1 })
  assert.equal(findSquare(part, { name: 'x', index: [3, 1] }), null)
  assert.deepEqual(slice(some, { row: 0, col: 1, order: [2, 0] }).values, Float32Array.of(3, 1, 6, 4))
})

test('a response transfers exactly its own buffers, each once', () => {
  const block = new Float32Array(6), otherBlock = new Float32Array(2)
  const values = new Map([['a', block.subarray(0, 2)], ['b', block.subarray(2)]])
  assert.deepEqual(transferList('read', { values, peaks: new Map() }), [block.buffer])
  assert.deepEqual(transferList('run', { values, curves: { relu: { x: otherBlock } } }), [block.buffer])
  assert.deepEqual(transferList('rows', { rows: otherBlock, extent: {} }), [otherBlock.buffer])
  assert.deepEqual(transferList('explain', { values }), [])
})
