// Scores of heads against loops in float64, and on a model whose induction head is written by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { createDecoder, createFunction } from './decoders.js'

const close = (a, b, message) => assert.ok(Math.abs(a - b) < 1e-6 || (Number.isNaN(a) && Number.isNaN(b)), `${message}: ${a}, not ${b}`)

/** The scores of one head's weights [T][T], by the definition. */
function score(weights, ids, from = 0) {
  const sums = { previous: [], duplicate: [], induction: [] }
  for (let i = from; i < ids.length; i++) {
    if (i > 0) sums.previous.push(weights[i][i - 1])
    let same = 0, after = 0, hasSame = false, hasAfter = false
    for (let j = 0; j < i; j++) if (ids[j] === ids[i]) {
      same += weights[i][j]
      hasSame = true
      if (j + 1 < i) {
        after += weights[i][j + 1]
        hasAfter = true
      }
    }
    if (hasSame) sums.duplicate.push(same)
    if (hasAfter) sums.induction.push(after)
  }
  const mean = list => list.reduce((a, b) => a + b, 0) / list.length
  return Object.fromEntries(Object.entries(sums).map(([name, list]) => [name, mean(list)]))
}

/** An attention-only model with one head per layer, whose weights are written by hand: V tokens, P positions. */
function createInductionModel(V, P) {
  // Channels: the token, its position, and the previous token, one-hot each.
  const C = 2 * V + P, strength = 200
  const place = (rows, from, to, count) => {
    const w = gf.zeros([C, C])
    for (let i = 0; i < count; i++) w.data[(from + i) * C + to + rows(i)] = strength
    return w
  }
  const same = i => i, one = w => w.div(strength)
  const layers = [
    // The query at position p looks for the key at p − 1 and copies its token.
    { q: place(i => i - 1 < 0 ? 0 : i - 1, V, 0, P), k: place(same, V, 0, P), v: one(place(same, 0, V + P, V)) },
    // The query's token looks for a key whose previous token is the same, and copies that key's token.
    { q: place(same, 0, 0, V), k: place(same, V + P, 0, V), v: one(place(same, 0, 0, V)) }
  ]
  return ids => {
    const T = ids[0].length, x = gf.zeros([1, T, C])
    ids[0].forEach((id, t) => { x.data[t * C + id] = x.data[t * C + V + t] = 1 })
    return layers.reduce((y, { q, k, v }) => {
      const [query, key, value] = [q, k, v].map(w => y.matmul(w).unsqueeze(1))
      return y.add(gf.functional.scaledDotProductAttention(query, key, value, { isCausal: true }).squeeze(1))
    }, x)
  }
}

test('an induction head that is written by hand scores above 0.9', () => {
  const scores = gf.interpret.headScores(createInductionModel(20, 24), { length: 12, vocabulary: 20 })
  assert.ok(scores.previous[0][0] > 0.9 && scores.induction[1][0] > 0.9, JSON.stringify(scores))
  assert.ok(scores.induction[0][0] < 0.1 && scores.previous[1][0] < 0.1 && scores.duplicate[1][0] < 0.1)
})

test('the scores of repeated random tokens are means of diagonals', () => {
  for (const model of [createDecoder(), createFunction()]) {
    const length = 5, before = gf.getRngState(), tensors = gf.memory().tensors
    let ids = null
    const reading = input => {
      ids = input[0]
      return model instanceof gf.nn.Module ? model(input) : model(input)
    }
    if (model instanceof gf.nn.Module) model.eval()
    const scores = gf.interpret.headScores(reading, { length, seed: 4 })
    assert.deepEqual(gf.getRngState(), before)
    assert.ok(gf.memory().tensors <= tensors)
    assert.equal(ids.length, 10)
    assert.equal(new Set(ids).size, 5)
    assert.deepEqual(ids.slice(0, 5), ids.slice(5))
    const { trace } = gf.trace(() => gf.noGrad(() => reading([ids])))
    const names = trace.names.filter(name => /weights$|softmax/.test(name))
    assert.equal(names.length, 2)
    names.forEach((name, layer) => trace.get(name).toArray()[0].forEach((weights, head) => {
      const expected = { previous: 1, duplicate: length, induction: length - 1 }
      for (const [pattern, offset] of Object.entries(expected)) {
        let sum = 0
        for (let i = length; i < 2 * length; i++) sum += weights[i][i - offset] / length
        close(scores[pattern][layer][head], sum, `${pattern} ${layer} ${head}`)
      }
    }))
    trace.dispose()
    assert.deepEqual(gf.interpret.headScores(reading, { length, seed: 4 }), scores)
    assert.notDeepEqual(gf.interpret.headScores(reading, { length, seed: 5 }), scores)
  }
})

test('the scores of a run are those of its text, found in the run', () => {
  const model = createDecoder().eval(), ids = [[3, 1, 4, 1, 5, 3, 1, 4], [2, 7, 1, 8, 2, 8, 1, 8]]
  const run = gf.observe(() => model(ids), { modules: { model } })
  const scores = gf.interpret.headScores(run)
  for (const layer of [0, 1]) for (const head of [0, 1, 2, 3]) {
    const weights = run.tensor(`model.layers.${layer}.self_attn.weights`).toArray()
    // Both texts have the same number of queries with such keys, except for induction.
    const own = ids.map((row, b) => score(weights[b][head], row))
    close(scores.previous[layer][head], (own[0].previous + own[1].previous) / 2, 'previous')
    const duplicates = [4, 4], inductions = [4, 4]
    assert.deepEqual(ids.map(row => row.filter((id, i) => row.indexOf(id) < i).length), duplicates)
    close(scores.duplicate[layer][head], (own[0].duplicate + own[1].duplicate) / 2, 'duplicate')
    close(scores.induction[layer][head], (own[0].induction * inductions[0] + own[1].induction * inductions[1]) / 8, 'induction')
  }
  assert.deepEqual(gf.interpret.headScores(model, { ids }), scores)
  assert.deepEqual(gf.interpret.headScores(run, { ids }), scores)
  run.dispose()
  assert.throws(() => gf.interpret.headScores(run), { code: 'state', message: /headScores: the run was disposed/ })
  const single = gf.interpret.headScores(model, { ids: [1, 2, 3] })
  assert.ok(Number.isNaN(single.duplicate[0][0]) && single.previous[0][0] > 0)
})

test('a prefix is read before the tokens and not scored', () => {
  let ids = null
  const model = createDecoder().eval(), reading = input => {
    ids = input[0]
    return model(input)
  }
  const scores = gf.interpret.headScores(reading, { length: 4, prefix: [10], vocabulary: [1, 2, 3, 4, 5] })
  assert.equal(ids[0], 10)
  assert.ok(ids.slice(1).every(id => id >= 1 && id <= 5))
  const { trace } = gf.trace(() => model([ids])), weights = trace.get('layers.1.self_attn.weights').toArray()[0][2]
  const sum = [5, 6, 7, 8].reduce((total, i) => total + weights[i][i - 3], 0) / 4
  close(scores.induction[1][2], sum, 'induction')
  trace.dispose()
})

test('the entropy of attention', () => {
  const model = createDecoder().eval(), run = gf.observe(() => model([[3, 1, 4, 1, 5]]))
  const entropies = gf.interpret.attentionEntropy(run)
  for (const layer of [0, 1]) for (const head of [0, 1, 2, 3]) {
    const rows = run.tensor(`layers.${layer}.self_attn.weights`).toArray()[0][head]
    const expected = rows.flat().reduce((sum, w) => (w > 0 ? sum - w * Math.log(w) : sum), 0) / 5
    close(entropies[layer][head], expected, 'entropy')
  }
  run.dispose()
})

test('the default length fits models with few positions', () => {
  const create = (count, read) => {
    gf.manualSeed(1)
    const layers = new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(8, 2), 1).eval()
    const [table, positions] = [gf.randn([20, 8]), gf.randn([count, 8])]
    const embed = ids => gf.functional.embedding(ids, table).add(read(positions, ids[0].length))
    return ids => layers(embed(ids), { isCausal: true })
  }
  const byNarrow = (positions, T) => positions.narrow(0, 0, T)
  const byEmbedding = (positions, T) => gf.functional.embedding([[...Array(T).keys()]], positions)
  // 50 twice do not fit, 25 twice do not fit, 12 twice do; then 3; then 2.
  const { headScores } = gf.interpret, lengths = { 100: 50, 49: 12, 24: 12, 7: 3, 4: 2 }
  for (const [count, length] of Object.entries(lengths)) for (const read of [byNarrow, byEmbedding]) {
    const model = create(Number(count), read)
    assert.deepEqual(headScores(model), headScores(model, { length }))
    if (length > 2) assert.notDeepEqual(headScores(model), headScores(model, { length: 2 }))
  }
  assert.throws(() => headScores(create(3, byNarrow)), {
    code: 'range', message: /headScores: the model cannot be scored on 100 tokens; pass a shorter length: narrow: length/
  })
  const short = create(30, byEmbedding)
  assert.throws(() => headScores(short, { length: 20 }), { message: /on 40 tokens; pass a shorter/ })
  const fixed = create(4, positions => positions)
  assert.throws(() => headScores(fixed), { message: /cannot be scored on 2 tokens; pass vocabulary: add: shapes/ })
  const [own, same] = [{ vocabulary: 20 }, { vocabulary: 20, length: 2 }].map(options => headScores(fixed, options))
  assert.deepEqual(own, same)
  const few = Object.assign(new gf.nn.Embedding(5, 4), { maxPositions: 3 })
  assert.throws(() => headScores(few), { code: 'range', message: /need 4 positions, but the model has 3/ })
})

test('rejects wrong arguments of scores', () => {
  const model = createDecoder(), { headScores, attentionEntropy } = gf.interpret
  const partial = gf.observe(() => model([[3, 1, 2]]), { keepAttention: ['layers.0'] })
  const plain = gf.observe(() => gf.ones([2, 2]).mul(2))
  for (const [call, code, message] of [
    [() => headScores(3), 'type', /headScores: model must be a module, or a function of the input, got 3/],
    [() => headScores(model, { length: 1 }), 'range', /length must be an integer from 2/],
    [() => headScores(model, { lenght: 4 }), 'type', /no option "lenght"/],
    [() => headScores(model, { ids: [[1, 2], [1]] }), 'type', /ids must be an array of integers, or several of one length/],
    [() => headScores(partial, { length: 4 }), 'type', /no option "length", only ids/],
    [() => headScores(partial), 'state', /layers\.1\.self_attn\.weights was left out of the run/],
    [() => headScores(partial, { ids: [1, 2] }), 'state', /left out/],
    [() => headScores(plain), 'state', /ids of the run are read by no embedding; pass ids/],
    [() => headScores(plain, { ids: [1, 2] }), 'state', /the run has no attention/],
    [() => headScores(x => x[0], { length: 4 }), 'state', /reads ids by no embedding; pass vocabulary/],
    [() => attentionEntropy(model), 'type', /attentionEntropy: run must be a run or a trace/],
    [() => attentionEntropy(partial), 'state', /left out/]
  ]) assert.throws(call, { code, message })
})
