// The bars of an attribution and what each token gave, on parts written by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_BARS, formatPart, sourceRows, waterfall } from '../../web/lib/attribution.js'
import { attributeLogit } from '../../web/worker/attribution.js'
import { gf } from '../lib/engine.js'
import { pageRun } from '../lib/page.js'

const parts = values => values.map((value, i) => ({ role: 'head', value, name: `part ${i}` }))
const numbers = bars => bars.map(({ value, from, to, count }) => [value, from, to, count])

test('each bar begins where the one before ended, and the last ends at the sum', () => {
  const list = parts([2, -3, 0.5]), how = { isBySize: false, isFolded: true }
  assert.deepEqual(numbers(waterfall(list, how)), [[2, 0, 2, 1], [-3, 2, -1, 1], [0.5, -1, -0.5, 1]])
  assert.deepEqual(waterfall(list, { ...how, isBySize: true }).map(({ value }) => value), [-3, 2, 0.5])
})

test('a folded waterfall keeps the largest in the order of the computation, and adds up all others', () => {
  const values = Array.from({ length: MAX_BARS + 4 }, (_, i) => (i % 2 ? -1 : 1) * (i + 1))
  const bars = waterfall(parts(values), { isBySize: false, isFolded: true }), rest = bars.at(-1)
  assert.deepEqual(bars.slice(0, -1).map(({ value }) => value), values.slice(4))
  assert.deepEqual([rest.part, rest.count, rest.value], [null, 4, 1 - 2 + 3 - 4])
  assert.equal(rest.to, values.reduce((a, b) => a + b))
  assert.equal(waterfall(parts(values), { isBySize: false, isFolded: false }).length, values.length)
  const few = parts(values.slice(0, MAX_BARS + 1))
  assert.equal(waterfall(few, { isBySize: false, isFolded: true }).length, MAX_BARS + 1)
})

test('what all heads took from a token is summed by text, up to the last token that was read', () => {
  const axes = of => [{ name: 'batch' }, { name: 'head' }, { name: 'query', of: 'target' }, { name: 'key', of }]
  const weights = [[3, 'target'], [2, 'source']].map(([Tk, of]) => ({ shape: [1, 2, 3, Tk], axes: axes(of) }))
  const tensors = new Map(weights.map((tensor, i) => [`w${i}`, tensor]))
  const run = { tensors, streams: { source: { tokens: [['may', '6']] }, target: { tokens: [['<s>', 'A', 'B']] } } }
  const rooms = [0, 1].map(i => ({ parts: { out: `heads ${i}`, weights: `w${i}` } }))
  const list = [['heads 0', [1, 2, 0]], ['heads 1', [4, -1]], ['heads 0', [0.5, -3, 0]], ['heads 2', [9, 9]]]
    .map(([tensor, sources]) => ({ tensor, sources }))
  const rows = sourceRows(run, rooms, [...list, { tensor: 'bias' }])
  assert.deepEqual(rows.map(({ stream, tokens, values, heads }) => [stream, tokens, values, heads.length]),
    [['source', ['may', '6'], [4, -1], 1], ['target', ['<s>', 'A'], [1.5, -1], 2]])
})

test('parts have a sign, except zero', () => {
  assert.deepEqual([1.5, -1.5, 0, 0.0001].map(formatPart), ['+1.500', '−1.500', '0.000', '0.000'])
})

test('a part leads to the cell that added or took away most', async () => {
  const page = pageRun({ model: 'induction' }), { run } = page.workerRun, position = page.decoding.rows[0]
  const { parts, token } = await attributeLogit(gf, run, { logits: 'output', position, isDifference: false })
  const own = gf.interpret.logitAttribution(run, { logits: 'output', position, token }).parts
  assert.equal(parts.length, own.length)
  for (const [i, { name, index, direction }] of own.entries()) {
    if (index.length === 0) continue
    const tensor = run.tensor(name), ranges = index.map(at => (Array.isArray(at) ? at : [at, at + 1]))
    const cells = ranges.reduce((list, [from, to]) => (
      list.flatMap(cell => Array.from({ length: to - from }, (_, k) => [...cell, from + k]))), [[]])
    const sizes = cells.map((cell, k) => Math.abs(direction[k] * tensor.at(...cell)))
    assert.deepEqual(parts[i].cell, cells[sizes.indexOf(Math.max(...sizes))], name)
  }
  page.dispose()
})
