import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEdits, parseNumber, writeEdits } from '../../web/lib/edit_links.js'
import { createEditHistory, withEdit, withoutEdit } from '../../web/lib/edits.js'
import { explainCell, firstUse, recipes } from '../../web/worker/queries.js'
import { numbersFormula } from '../../web/inspector/numbers.js'
import { isSameCell } from '../../web/lib/cell.js'
import { openModel } from '../lib/imported_models.js'
import { gf } from '../lib/engine.js'
import { pageRun } from '../lib/page.js'
import { cases, filesOf } from '../models/golden_models.js'
import { run as runOwn } from '../../web/models/imported/run.js'
import { findSquare, slice, findSquares } from '../../web/lib/slice.js'

const run = pageRun({ model: 'sentences', text: 'a b c\nd e', dModel: 4, heads: 2, maxLength: 4 })
const { workerRun } = run

test('a cell lists its uses, and each use has the cell as a source', () => {
  const cell = { name: 'self_attn.k', index: [1, 1, 3] }
  const { users, differentiable } = explainCell(workerRun, cell)
  assert.deepEqual(users, ['self_attn.dots'])
  assert.equal(differentiable, true)
  const use = firstUse(workerRun.run, cell, 'self_attn.dots')
  assert.ok(run.explain(use.name, use.index).sources.some(source => isSameCell(source, cell)))
  assert.equal(use.index[0], 1, 'the same sentence')
  assert.equal(firstUse(workerRun.run, { name: 'positions.pe', index: [3, 0] }, 'positions.output'), null,
    'no sentence is that long')
  assert.deepEqual(explainCell(workerRun, { name: 'self_attn.output', index: [0, 0, 0] }).users, [])
  assert.equal(explainCell(workerRun, { name: 'no.such', index: [0] }), null)
})

test('gradients are explained where the run has them', () => {
  const cell = { name: 'positions.output', index: [0, 0, 0], isGradient: true }
  assert.equal(explainCell(workerRun, cell).value, run.explainGradient(cell.name, cell.index).value)
  assert.equal(explainCell(workerRun, { ...cell, name: 'positions.pe', index: [0, 0] }).missingReason, 'notTrained')
})

test('the recipe of a tensor has its formula and the tensor of each symbol', () => {
  const [q, scores] = recipes(workerRun.run, ['self_attn.q', 'self_attn.scores', 'no.such'])
  assert.equal(q.op, 'linear')
  assert.deepEqual(q.symbols.map(({ symbol, tensor }) => [symbol, tensor]), [
    ['b', 'self_attn.in_proj_bias'], ['x', 'positions.output'], ['W', 'self_attn.in_proj_weight']])
  assert.deepEqual(recipes(workerRun.run, ['self_attn.v'])[0].symbols.map(({ start }) => start), [[8], [0, 0, 0], [8, 0]])
  assert.deepEqual(scores.symbols.map(({ symbol }) => symbol), ['q', 'k'])
})

test('formulas with numbers: sums, quotients, softmax, curves', () => {
  const line = (name, index) => numbersFormula(run.explain(name, index), index)
  assert.match(line('self_attn.scores', [0, 0, 1, 2]), /^[−\d. ]+ = frac\{.* × .* \+ .* × .*\}\{sqrt\{2\}\}$/)
  assert.match(line('self_attn.weights', [0, 1, 1, 2]), /^[\d. ]+ = frac\{e\^\{[−\d. ()]+\}\}\{[\d. ]+\}$/)
  assert.match(line('positions.pe', [2, 1]), /^.* = cos \( 2\.00 × 1\.00 \)$/)
  assert.match(line('self_attn.q', [0, 0, 0]), / ⋯$/)
  assert.equal(line('embedding.weight', [0, 0]), null)
  const product = (a, b) => ({ label: 'a × b', value: a * b, factors: [{ symbol: 'a', value: a }, { symbol: 'b', value: b }] })
  const sum = (...terms) => numbersFormula({ value: 1, terms, steps: [] }, [0])
  assert.match(sum(product(2, 3), product(4, 5), product(6, 7)), /= 2\.00 × 3\.00 \+ 4\.00 × 5\.00 \+ ⋯$/)
  assert.match(sum(product(2e-5, 3), product(4e-3, 5), product(6, 7)), /= 2\.0 · 10\^\{− 5\} × 3\.00 \+ ⋯$/)
  const { trace } = gf.trace(() => {
    const x = gf.tensor([[1, 2, 6]], { requiresGrad: true })
    const loss = gf.functional.crossEntropy(gf.functional.layerNorm(x), [1])
    loss.backward()
    return loss
  })
  assert.match(numbersFormula(trace.explain('layer_norm', [0, 2]), [0, 2]), /^1\.39 = \(6\.00 − 3\.00\) × 0\.46$/)
  const { value, ...found } = trace.explainGradient('layer_norm', [0, 1])
  const [, p] = /^− [\d.]+ = 1\.00 × \(e\^\{− ([\d.]+)\} − 1\.00\) \/ 1\.00$/.exec(numbersFormula({ value, ...found }, [0, 1]))
  assert.ok(Math.abs(Math.exp(-p) - 1 - value) < 0.005)
})

test('typed input is parsed as a number, or as null', () => {
  const cases = [['１．５', 1.5], ['－２', -2], ['1', 1], [' −2,5 ', -2.5], ['1e3', 1000], ['-∞', -Infinity], ['inf', Infinity], ['.5', 0.5]]
  for (const [text, value] of cases) assert.equal(parseNumber(text), value, text)
  for (const text of ['', 'x', '1 2', '0x10', '1e60', '-1e400', '--1']) assert.equal(parseNumber(text), null, text)
})

test('edits: one a cell, to a link and back, undone and redone', () => {
  const firstEdit = { name: 'self_attn.scores', index: [0, 1, 2, 3], value: -Infinity }
  const two = { name: 'output:2', index: [0], value: 0.1 }
  const twoEdits = withEdit(withEdit([], firstEdit), two)
  assert.deepEqual(readEdits(writeEdits(twoEdits)), twoEdits)
  assert.equal(twoEdits[1].value, Math.fround(0.1))
  assert.deepEqual(withEdit(twoEdits, { ...firstEdit, value: 4 }).map(({ value }) => value), [Math.fround(0.1), 4])
  assert.deepEqual(withoutEdit(twoEdits, firstEdit), [twoEdits[1]])
  assert.deepEqual(readEdits('nonsense;a:1=x;b:0=2'), [{ name: 'b', index: [0], value: 2 }])
  const history = createEditHistory()
  assert.equal(history.undo(twoEdits), null)
  history.record([])
  assert.deepEqual(history.undo(twoEdits), [])
  assert.deepEqual(history.redo([]), twoEdits)
  history.record(twoEdits)
  assert.equal(history.canRedo(twoEdits), false)
})

test('undo and redo pass over edits that equal the present ones, which a script has set', () => {
  const history = createEditHistory(), edits = withEdit([], { name: 'a', index: [0], value: NaN })
  history.record([])
  assert.ok(history.canUndo(edits))
  assert.equal(history.canUndo([]), false)
  assert.equal(history.undo([]), null)
  history.record(edits)
  history.record([])
  assert.deepEqual(history.undo([]), edits)
  assert.equal(history.canRedo(edits), true)
  assert.deepEqual(history.redo(edits), [])
})

test('of very many terms the first, the largest and the cell\'s own are sent, and sources as ranges', async () => {
  const V = 9000, [item] = cases('gpt2')
  const tensors = item.tensors.map(([key, shape, ...rest]) => [key, shape.map(n => (n === 11 ? V : n)), ...rest])
  const files = filesOf({ ...item, tensors }, { config: { vocab_size: V } })
  const large = runOwn(gf, { beginning: '3 1 4' }, [], [await openModel(files)])
  const cell = { name: 'sampling.probabilities', index: [0, 2, 7777] }
  const full = large.run.explain(cell.name, cell.index), explained = explainCell(large, cell)
  assert.equal(full.terms.length, V)
  assert.equal(explained.count, V)
  assert.ok(explained.terms.length <= 49 && JSON.stringify(explained).length < 20000)
  const plain = explained.terms.map(({ place, ...term }) => [place, term])
  for (const [place, term] of plain) assert.deepEqual(term, full.terms[place])
  const places = plain.map(([place]) => place), bySize = full.terms.map((_, i) => i)
    .sort((a, b) => Math.abs(full.terms[b].value) - Math.abs(full.terms[a].value))
  for (const place of [...Array(24).keys(), ...bySize.slice(0, 24), 7777]) assert.ok(places.includes(place), `${place}`)
  assert.equal(numbersFormula(explained, cell.index), numbersFormula(full, cell.index))
  const [{ name }] = full.sources, { shape, values: data } = large.run.tensor(name)
  for (const order of [undefined, [5, 8999, 17]]) {
    const columns = order ? { order } : { colStart: 40, cols: 100 }
    const part = slice({ name, shape, data }, { row: 1, col: 2, ...columns })
    const expected = full.sources.flatMap(source => findSquare(part, source) ?? [])
    const byPlace = (a, b) => a.col - b.col
    assert.ok(expected.length >= 3)
    assert.deepEqual(findSquares(part, explained.sources).sort(byPlace), expected.sort(byPlace))
  }
  const loss = explainCell(large, { name: 'loss', index: [] })
  assert.ok(JSON.stringify(loss).length < 40000)
  large.run.dispose()
})
