import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATES, DATE_PAIR, AMBIGUOUS_DATE } from '../../src/training/models/dates/data.js'
import { modelOf } from '../../web/models/index.js'
import { explainCell, recipes } from '../../web/worker/queries.js'
import { valueAt } from '../../web/lib/slice.js'
import { pageRun, makeDetachedRun } from '../lib/page.js'

const run = settings => makeDetachedRun({ target: '2026년 11월 20일', ...settings })
const changed = (one, other) => [...one.tensors.keys()].filter(name => {
  const [a, b] = [one, other].map(({ tensors }) => tensors.get(name)?.data)
  return !b || a.length !== b.length || a.some((x, i) => !Object.is(x, b[i]))
})
const first = run({})

const wordsOf = ({ decoding }) => decoding.steps.map(({ token }) => token).join('')

test('every format of the date is translated by greedy decoding and beam search', () => {
  for (const source of DATES.filter(one => one !== AMBIGUOUS_DATE)) {
    for (const decoding of ['greedy', 'beam']) {
      assert.equal(wordsOf(run({ source, target: '', decoding })), '2026년11월20일</s>', `${source} ${decoding}`)
    }
  }
})

test('the pair of dates with month and day swapped is translated, and both are examples', () => {
  assert.deepEqual(DATE_PAIR.map(source => wordsOf(run({ source, target: '' }))), ['2026년5월6일</s>', '2026년6월5일</s>'])
  const sources = modelOf('dates').examples.map(({ patch }) => patch.source)
  assert.deepEqual(DATE_PAIR.filter(source => !sources.includes(source)), [])
})

test('an ambiguous date gets both answers when sampled with different seeds', () => {
  const sample = seed => wordsOf(run({ source: AMBIGUOUS_DATE, target: '', decoding: 'sample', temperature: 0.5, seed }))
  const answers = new Set(Array.from({ length: 20 }, (_, seed) => sample(seed)))
  assert.deepEqual([...answers].sort(), ['2026년5월6일</s>', '2026년6월5일</s>'])
})

test('each setting changes later tensors only', () => {
  const cases = {
    positional: [{ positional: false }, /^(source|target)_embedding/],
    positions: [{ positions: 'concatenated' }, /^(source|target)_embedding/],
    base: [{ base: 100 }, /^(source|target)_embedding/],
    scale: [{ scale: false }, /embedding|positions|encoder\.layers\.0\.self_attn\.([qkv]$|dots|in_proj)/],
    tgtIsCausal: [{ tgtIsCausal: false },
      /embedding|positions|encoder|decoder\.layers\.0\.self_attn\.([qkv]$|dots|scores|in_proj)/],
    activation: [{ activation: 'gelu' }, /embedding|positions|encoder\.layers\.0\.(self_attn|norm1|residual1|linear1)/],
    temperature: [{ temperature: 2 }, /^(?!sampling)/],
    topP: [{ topP: 0.5 }, /^(?!sampling\.(choice|output))/],
    topK: [{ topK: 2 }, /^(?!sampling\.(choice|output))/]
  }
  for (const [name, [settings, before]] of Object.entries(cases)) {
    const names = changed(first, run(settings))
    assert.ok(names.length > 0, name)
    assert.deepEqual(names.filter(one => before.test(one)), [], name)
  }
  assert.deepEqual(changed(first, run({})), [])
})

test('the position table explains its values by the formula, even if they were loaded', () => {
  const cell = { name: 'positions.pe', index: [3, 7] }
  for (const weights of ['trained', 'untrained']) {
    const made = pageRun({ weights, target: '2026년' }, [{ name: 'positions.pe', index: [3, 8], value: 5 }])
    const { op, formula, value, computed } = explainCell(made.workerRun, cell)
    assert.deepEqual([op, formula], ['positional_encoding', 'cos(k / 10000^(2·3/32))'])
    assert.ok(Object.is(value, Math.fround(Math.cos(3 / 10000 ** (6 / 32)))) && Math.abs(computed - value) < 1e-7)
    const [recipe] = recipes(made.workerRun.run, ['positions.pe'])
    const [sine, cosine] = ['sin', 'cos'].map(name => `${name}(k / 10000^(2·i/32))`)
    assert.deepEqual([recipe.op, recipe.formula],
      ['positional_encoding', `p[k, 2·i] = ${sine},  p[k, 2·i + 1] = ${cosine}`])
    const edited = explainCell(made.workerRun, { ...cell, index: [3, 8] })
    assert.deepEqual([edited.value, edited.edited, Math.fround(edited.computed)],
      [5, true, Math.fround(Math.sin(3 / 10000 ** (8 / 32)))])
    made.dispose()
  }
})

test('a learned position table is sampled from the seed and leaves other weights unchanged', () => {
  const table = ({ tensors }) => tensors.get('positions.weight').data
  for (const weights of ['trained', 'untrained']) {
    const plain = makeDetachedRun({ weights, target: '2026년' })
    const [learned, again, other] = [42, 42, 43].map(seed => (
      makeDetachedRun({ weights, target: '2026년', positions: 'learned', seed })))
    assert.deepEqual(learned.tensors.get('positions.weight').shape, [12, 32])
    assert.ok(!learned.tensors.has('positions.pe'))
    assert.deepEqual(table(again), table(learned))
    assert.notDeepEqual(table(other), table(learned))
    const weightsOf = ({ tensors }) => [...tensors.keys()].filter(name => /(weight|bias)$/.test(name))
    const both = weightsOf(plain).filter(name => learned.tensors.has(name))
    assert.deepEqual(weightsOf(learned).filter(name => !both.includes(name)), ['positions.weight'])
    for (const name of both) {
      assert.deepEqual(learned.tensors.get(name).data, plain.tensors.get(name).data, `${weights} ${name}`)
    }
    const [sum, embedding] = ['positions.output', 'source_embedding.output'].map(name => learned.tensors.get(name).data)
    sum.forEach((value, i) => assert.equal(value, Math.fround(embedding[i] + table(learned)[i])))
  }
})

test('the explanation of an edited weight or mask has the original value', () => {
  const options = { target: '2026년' }
  for (const weights of ['trained', 'untrained']) {
    const cells = ['output.weight', 'transformer.decoder.layers.1.linear1.bias', 'sampling.choice.mask'].map(name => ({
      name, index: name === 'sampling.choice.mask' ? [0, 1, 2] : name === 'output.weight' ? [3, 4] : [7]
    }))
    const plain = makeDetachedRun({ ...options, weights })
    const edits = cells.map(cell => ({ ...cell, value: 5 }))
    const made = pageRun({ ...options, weights }, edits)
    for (const { name, index } of cells) {
      const { op, edited, value, computed } = explainCell(made.workerRun, { name, index })
      const before = valueAt(plain.tensors.get(name), index)
      assert.deepEqual([op, edited, value, computed], ['given', true, 5, before], name)
    }
    made.dispose()
  }
})

test('dots times the scale are the scores, bit for bit', () => {
  const scale = Math.fround(1 / Math.sqrt(8))
  for (const [name, { data }] of first.tensors) {
    if (!name.endsWith('.dots')) continue
    const scores = first.tensors.get(name.replace(/dots$/, 'scores')).data
    data.forEach((dot, i) => assert.equal(Math.fround(dot * scale), scores[i], name))
  }
})

test('tokens are chosen without dropout, and then the answer is read with dropout', () => {
  for (const decoding of ['greedy', 'sample', 'beam']) {
    const wanted = { source: '5/6/2026', decoding, dropout: 0.4 }
    const ids = run => run.decoding.steps.map(({ id }) => id)
    const quiet = makeDetachedRun(wanted)
    const [one, other] = ['11/20/2026', '3 may 1987'].map(source => {
      makeDetachedRun({ source, training: true, dropout: 0.4 })
      return makeDetachedRun({ ...wanted, training: true })
    })
    assert.deepEqual(ids(one), ids(quiet), decoding)
    assert.deepEqual([ids(one), one.loss], [ids(other), other.loss])
    assert.notEqual(one.loss, quiet.loss)
  }
})

test('with a built-in fault the answer does not depend on earlier runs', () => {
  for (const fault of ['swapped', 'tokenNorm', 'batchPositions']) {
    const [one, other] = [{}, { fault: 'swapped' }].map(before => {
      makeDetachedRun(before)
      return wordsOf(makeDetachedRun({ fault }))
    })
    assert.equal(one, other, fault)
  }
})

test('without its mask the decoder generates token by token, and then reads the whole answer', () => {
  const open = makeDetachedRun({ tgtIsCausal: false })
  const weights = open.tensors.get('transformer.decoder.layers.0.self_attn.weights')
  assert.ok(weights.data.every(share => share > 0), 'every position attends to every position')
  for (const decoding of ['greedy', 'beam']) {
    const { decoding: { steps } } = makeDetachedRun({ tgtIsCausal: false, decoding })
    const ids = steps.map(({ id }) => id)
    const last = makeDetachedRun({ tgtIsCausal: false, target: ids.slice(0, 3) }).tensors.get('output')
    const [, T, V] = last.shape
    const row = last.data.slice((T - 1) * V)
    assert.equal(row.indexOf(Math.max(...row)), ids[2], 'the logits depend on the tokens so far only')
  }
  assert.ok(open.loss > makeDetachedRun({}).loss)
})

test('explanations list what a weight feeds: a row of in_proj_weight feeds q, k or v, an unused embedding nothing', () => {
  const made = pageRun({ target: '2026년' })
  const at = 'transformer.encoder.layers.0.self_attn'
  const feeds = (name, index) => explainCell(made.workerRun, { name, index }).users
  for (const [row, part] of [[3, 'q'], [35, 'k'], [67, 'v']]) {
    assert.deepEqual(feeds(`${at}.in_proj_weight`, [row, 2]), [`${at}.${part}`])
    assert.deepEqual(feeds(`${at}.in_proj_bias`, [row]), [`${at}.${part}`])
  }
  const [used, unused] = [made.streams.source.ids[0][0], 35]
  assert.deepEqual(feeds('source_embedding.weight', [used, 2]), ['source_embedding.output'])
  assert.ok(!made.streams.source.ids[0].includes(unused))
  assert.deepEqual(feeds('source_embedding.weight', [unused, 2]), [])
  made.dispose()
})

test('the loss of the right answer equals that of a run which reads it, also with edits and dropout', () => {
  const right = '2026년 11월 20일'
  const edits = [{ name: 'transformer.encoder.output', index: [0, 0, 10], value: 10 },
    { name: 'sampling.output', index: [0, 0, 3], value: 1 }]
  const faults = [{ normFirst: true }, { fault: 'swapped' }, { normFirst: true, training: true, dropout: 0.3, seed: 3 }]
  for (const settings of [{}, ...faults]) for (const some of [[], edits]) {
    const run = makeDetachedRun(settings, some), read = makeDetachedRun({ ...settings, target: right }, some)
    assert.ok(Math.abs(run.trueLoss - read.loss) < 1e-6, `${JSON.stringify(settings)} ${some.length}`)
    if (Object.keys(settings).length || some.length) assert.notEqual(run.trueLoss, run.loss)
  }
  assert.equal(makeDetachedRun({}).trueLoss, makeDetachedRun({}).loss)
  assert.equal(makeDetachedRun({ source: 'november' }).trueLoss, null)
})
