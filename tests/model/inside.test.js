// Analyses of a model (logit lens, ablation, norms of the residual stream, neighbors, head scores), compared with plain
// loops in double precision or with another run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partKey } from '../../web/lib/ablation_parts.js'
import { readEdits, writeEdits } from '../../web/lib/edit_links.js'
import { hasEdits, toggleEdits } from '../../web/lib/edits.js'
import { roomsOf } from '../../web/rooms/index.js'
import { headScores } from '../../web/worker/head_scores.js'
import { pca } from '../../web/worker/pca.js'
import { headContributions, logitLens, vectorNorms, nearest, measureAnswer } from '../../web/worker/interpret.js'
import { gf } from '../lib/engine.js'
import { stageData, makeRun, pageRun, toPageRun } from '../lib/page.js'
import { openModel } from '../lib/imported_models.js'
import { cases, filesOf } from '../models/golden_models.js'
import { run as runOwn } from '../../web/models/imported/run.js'
import { defaultsOf } from '../../web/models/index.js'

const MODELS = {
  'dates': {}, 'dates, norm first': { normFirst: true }, 'particles': { model: 'particles' },
  'stories': { model: 'stories' }, 'text': { model: 'text' }, 'induction': { model: 'induction' },
  'stories, like a Llama': { model: 'stories', norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2 },
  'a Llama of the reader\'s': { model: 'own' }
}
const RUNS = Object.fromEntries(Object.entries(MODELS).map(([name, settings]) => [name, pageRun(settings)]))
const near = (a, b, size, what) => assert.ok(Math.abs(a - b) <= size, `${what}: ${a} and ${b}`)

const values = (run, name) => Array.from(run.workerRun.run.tensor(name).values, Number)
const shapeOf = (run, name) => run.workerRun.run.tensor(name).shape

/** The probabilities that the last steps of a model compute from rows of a matrix, in double precision. */
function through(run, rows, last) {
  const steps = {
    layer_norm(row, { weight, bias }, { eps }) {
      const mean = row.reduce((sum, x) => sum + x, 0) / row.length
      const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / row.length
      return row.map((x, i) => (x - mean) / Math.sqrt(variance + eps) * weight[i] + bias[i])
    },
    rms_norm(row, { weight }, { eps }) {
      const square = row.reduce((sum, x) => sum + x * x, 0) / row.length
      return row.map((x, i) => x / Math.sqrt(square + eps) * weight[i])
    },
    linear(row, { weight, bias }) {
      return Array.from({ length: weight.length / row.length }, (_, v) => (
        row.reduce((sum, x, c) => sum + x * weight[v * row.length + c], bias ? bias[v] : 0)))
    }
  }
  return rows.map(row => {
    const logits = last.reduce((x, { out, input }) => {
      const { op, inputs: { [input]: _, ...inputs }, parameters } = run.steps.find(step => step.outputs.out === out)
      return steps[op](x, Object.fromEntries(Object.entries(inputs).map(([key, name]) => [key, values(run, name)])),
        parameters)
    }, row)
    const most = Math.max(...logits)
    const total = logits.reduce((sum, x) => sum + Math.exp(x - most), 0)
    return logits.map(x => Math.exp(x - most) / total)
  })
}

for (const [name, run] of Object.entries(RUNS)) {
  test(`${name}: the logit lens after every sub-layer equals the reference, and at the end the answer`, () => {
    const { early: question } = stageData(run, 'residual_stream')
    const found = logitLens(gf, run.workerRun.run, question)
    assert.ok(question.points.length >= (name === 'induction' ? 3 : 5))
    question.points.forEach(({ name: point, last }, i) => {
      const [, , C] = shapeOf(run, point), all = values(run, point)
      const rows = question.rows.map(row => all.slice(row * C, (row + 1) * C))
      through(run, rows, last).forEach((shares, n) => {
        const { tokens, probabilities: told, chosen } = found[i][n]
        near(chosen, shares[question.ids[n]], 2e-5, `${point}, step ${n}`)
        tokens.forEach((word, k) => near(told[k], shares[word], 2e-5, `${point}, step ${n}, word ${word}`))
        near(told[0], Math.max(...shares), 2e-5, `${point}, step ${n}, the likeliest`)
      })
    })
    const { decoding } = run
    found.at(-1).forEach(({ tokens: [word] }, n) => assert.equal(word, decoding.steps[n].id, `step ${n}`))
  })

  test(`${name}: norms of the residual stream and of what sub-layers add equal the reference`, () => {
    for (const { subs } of stageData(run, 'residual_stream').streams) {
      const names = subs.flatMap(({ input, change, point }) => [input, change, point])
      vectorNorms(gf, run.workerRun.run, { names }).forEach((list, i) => {
        const all = values(run, names[i]), C = shapeOf(run, names[i]).at(-1)
        list.forEach((length, t) => (
          near(length, Math.hypot(...all.slice(t * C, (t + 1) * C)), 2e-5 * Math.max(1, length), names[i])))
      })
      subs.forEach(({ input, change, sum }) => {
        const [a, b, c] = [input, change, sum].map(one => values(run, one))
        assert.ok(c.every((x, i) => Math.abs(x - a[i] - b[i]) < 1e-5 * Math.max(1, Math.abs(x))), sum)
      })
    }
  })

  test(`${name}: the contributions of the heads and the bias sum to the output`, () => {
    for (const room of roomsOf(run).filter(({ stage }) => stage === 'output')) {
      const { x, weight, bias, y, heads } = room.parts
      const all = headContributions(gf, run.workerRun.run, { x, weight, heads })
      assert.equal(all.length, heads)
      const b = bias ? values(run, bias) : [], C = shapeOf(run, y).at(-1)
      values(run, y).forEach((value, i) => {
        const sum = all.reduce((total, one) => total + one.values[i], bias ? b[i % C] : 0)
        near(sum, value, 2e-5 * Math.max(1, Math.abs(value)), y)
      })
      for (const one of all) one.norms.forEach((length, t) => (
        near(length, Math.hypot(...one.values.slice(t * C, (t + 1) * C)), 2e-5 * Math.max(1, length), y)))
    }
  })
}

test('finds the nearest rows of a table by cosine, the vector itself first if it is one of them', () => {
  const run = RUNS.dates, table = 'target_embedding.weight', [V, C] = shapeOf(run, table), all = values(run, table)
  const cosine = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0) / Math.hypot(...a) / Math.hypot(...b)
  const row = n => all.slice(n * C, (n + 1) * C)
  for (const word of [0, 5, V - 1]) {
    const [first, ...rest] = nearest(gf, run.workerRun.run, { name: table, index: [word, 3], table })
    assert.equal(first.row, word)
    const order = Array.from({ length: V }, (_, n) => cosine(row(word), row(n))).sort((a, b) => b - a)
    near(first.cosine, 1, 1e-6, 'itself')
    rest.forEach((one, i) => {
      near(one.cosine, cosine(row(word), row(one.row)), 1e-6, `row ${one.row}`)
      near(one.cosine, order[i + 1], 1e-6, `place ${i + 1}`)
    })
  }
})

/** The probabilities of the tokens of the answer in a run with edits. */
function sharesOf(run, settings, edits) {
  const { what } = stageData(run, 'ablation')
  const other = makeRun({ ...settings, target: what.ids }, edits)
  const found = measureAnswer(gf, other.run, what)
  other.run.dispose()
  return found
}

/** Edits that set the columns of the output weight of a head to zero, which has the effect of its ablation. */
function muted(run, part) {
  const rooms = roomsOf(run)
  const [{ name }] = part.edits
  const { parts } = rooms.find(({ stage, parts: { x } }) => stage === 'output' && x === name)
  const width = shapeOf(run, parts.weight)[1] / parts.heads
  return [{ name: parts.weight, index: [null, [part.head * width, (part.head + 1) * width]], value: 0 }]
}

for (const name of ['dates', 'particles', 'stories', 'induction']) {
  test(`${name}: ablation of a head equals zeros in its columns of the output weight`, () => {
    const run = RUNS[name], settings = MODELS[name]
    const { parts, what } = stageData(run, 'ablation')
    const usual = measureAnswer(gf, run.workerRun.run, what)
    assert.deepEqual([...usual], [...sharesOf(run, settings, [])])
    const heads = parts.filter(({ kind }) => kind === 'head')
    let most = 0
    for (const part of heads) {
      const [one, other] = [part.edits, muted(run, part)].map(edits => sharesOf(run, settings, edits))
      one.forEach((share, i) => near(share, other[i], 1e-5, `${partKey(part)}, token ${i}`))
      most = Math.max(most, ...one.map((share, i) => Math.abs(share - usual[i])))
    }
    assert.ok(most > 0.001, `no head matters: ${most}`)
  })
}

test('in a pre-norm model, ablation of a layer equals ablation of its sub-layers', () => {
  const settings = MODELS.stories, run = RUNS.stories
  const { parts } = stageData(run, 'ablation')
  for (const layer of [0, 1]) {
    const own = parts.filter(part => part.layer === layer)
    const [whole] = own.filter(({ kind }) => kind === 'layer')
    const subs = own.filter(({ kind }) => kind === 'sub').flatMap(({ edits }) => edits)
    assert.equal(subs.length, 2)
    assert.deepEqual(sharesOf(run, settings, whole.edits), sharesOf(run, settings, subs))
  }
})

test('ablation of a residual connection leaves only what the sub-layer adds', () => {
  const { parts } = stageData(RUNS.dates, 'ablation')
  for (const { edits } of parts.filter(({ kind }) => kind === 'residual')) {
    const one = pageRun({}, edits)
    assert.deepEqual(values(one, edits[0].name), values(one, edits[0].from))
    one.dispose()
  }
})

test('ablation of positions equals a run without positions', () => {
  const places = (run, tower) => stageData(run, 'ablation').parts.find(part => part.kind === 'places' && part.tower === tower)
  const { what } = stageData(RUNS.dates, 'ablation')
  const edits = ['encoder', 'decoder'].flatMap(tower => places(RUNS.dates, tower).edits)
  const bare = makeRun({ positional: false, target: what.ids })
  near(Math.max(...sharesOf(RUNS.dates, {}, edits).map((share, i) => Math.abs(share - measureAnswer(gf, bare.run, what)[i]))), 0, 1e-6, 'dates')
  bare.run.dispose()
})

for (const [type, zero] of [['gpt2', ['wpe.weight']], ['bert', ['embeddings.position_embeddings.weight']],
  ['marian', ['encoder.embedding.weight', 'decoder.embedding.weight']],
  ['t5', ['encoder.relative_attention_bias.weight', 'decoder.relative_attention_bias.weight']]]) test(
  `${type}: ablation of positions equals a position table of zeros`, async () => {
    const model = await openModel(filesOf(cases(type)[0])), name = type === 'bert' ? 'tanh' : 'linear'
    const settings = { ...defaultsOf('own'), beginning: '3 1 4 1', target: '5 6 2' }
    const one = edits => {
      const { run } = runOwn(gf, settings, edits, [model]), found = [...run.tensor(name).values]
      run.dispose()
      return found
    }
    const plain = runOwn(gf, settings, [], [model]), { parts } = stageData(toPageRun(gf, plain), 'ablation')
    plain.run.dispose()
    const off = one(parts.filter(({ kind }) => kind === 'places').flatMap(({ edits }) => edits))
    const expected = one(zero.map(table => ({ name: table, index: [null, null], value: 0 })))
    assert.notDeepEqual(off, one([]))
    off.forEach((value, i) => near(value, expected[i], 1e-5, `number ${i}`))
  })

test('ablation of rotary embeddings leaves queries and keys unchanged', () => {
  for (const run of [RUNS['stories, like a Llama'], RUNS['a Llama of the reader\'s']]) {
    const [{ edits }] = stageData(run, 'ablation').parts
    const off = pageRun(run.workerRun.settings, edits)
    assert.ok(edits.length >= 4 && edits.every(({ name, from }) => name !== from))
    for (const { name, from } of edits) assert.deepEqual(values(off, name), values(off, from), name)
    off.dispose()
  }
})

for (const type of ['gpt2', 'marian', 't5', 'llama']) test(
  `${type}: the logit lens at the end of the stream has the probabilities of the answer`, async () => {
    const one = runOwn(gf, { ...defaultsOf('own'), beginning: '3 1 4 1' }, [], [await openModel(filesOf(cases(type)[0]))])
    const run = toPageRun(gf, one), { early: question } = stageData(run, 'residual_stream'), { what } = stageData(run, 'ablation')
    const shares = measureAnswer(gf, one.run, what), last = logitLens(gf, one.run, question).at(-1)
    assert.ok(shares.length > 0)
    last.forEach(({ chosen }, i) => near(chosen, shares[i], 1e-6, `token ${i}`))
    one.run.dispose()
  })

for (const type of ['gpt2', 'llama']) test(
  `${type}: head scores are means of the attention weights in a repeated text`, async () => {
    const [item] = cases(type), model = await openModel(filesOf(item))
    const settings = { ...defaultsOf('own'), beginning: '3 1 4', target: '5' }
    const one = runOwn(gf, settings, [], [model]), found = headScores(gf, one)
    one.run.dispose()
    assert.equal(found.count, 2)
    const twice = [3, 1, 4, 1, 4], n = 2, T = twice.length
    const all = runOwn(gf, { ...settings, beginning: twice.join(' ') }, [], [model])
    const names = all.run.names.filter(name => /self_attn\.weights$/.test(name))
    assert.equal(found.layers.length, names.length)
    for (const [i, name] of names.entries()) {
      const { shape: [, H, rows], values: weights } = all.run.tensor(name)
      for (let head = 0; head < H; head++) {
        const at = (row, col) => weights[(head * rows + row) * rows + col]
        const looks = [row => row - 1, row => row - n, row => row - n + 1, () => 0]
        looks.forEach((look, k) => {
          const mean = [T - 2, T - 1].reduce((sum, row) => sum + at(row, look(row)), 0) / n
          near(found.layers[i][head][k], mean, 1e-6, `${name} head ${head} look ${k}`)
        })
      }
    }
    all.run.dispose()
  })

test('head scores use fewer repetitions for a short maximum length; bidirectional models have none', () => {
  assert.equal(headScores(gf, RUNS.particles.workerRun), null)
  for (const name of ['dates', 'stories', 'text', 'induction']) {
    const { count, layers } = headScores(gf, RUNS[name].workerRun), { parts } = roomsOf(RUNS[name]).find(({ stage }) => stage === 'head_scores')
    assert.ok(count >= 2 && count <= 24, name)
    assert.deepEqual(layers.map(heads => heads.length), parts.layers.map(({ heads }) => heads), name)
    for (const share of layers.flat(2)) assert.ok(share >= 0 && share <= 1.000001)
  }
})

/** The coordinates of rows along their first principal component, by power iteration in double precision. */
function widest(rows) {
  let axis = rows[0].map((_, c) => 1 + (c % 3) / 7)
  for (let n = 0; n < 3000; n++) {
    const along = rows.map(row => row.reduce((sum, x, c) => sum + x * axis[c], 0))
    const next = axis.map((_, c) => rows.reduce((sum, row, i) => sum + row[c] * along[i], 0))
    const length = Math.hypot(...next)
    axis = next.map(x => x / length)
  }
  return rows.map(row => row.reduce((sum, x, c) => sum + x * axis[c], 0))
}

for (const [title, few] of [['all rows', null], ['fewer rows than numbers', [3, 8, 1, 20, 5]]]) test(
  `embeddings in two dimensions, ${title}: the coordinates are those of the principal components`, () => {
    const { workerRun: { run } } = RUNS.stories, name = 'embedding.weight', { shape: [N, C] } = run.tensor(name)
    const table = values(RUNS.stories, name), ids = few ?? Array.from({ length: N }, (_, i) => i)
    const rows = ids.map(id => table.slice(id * C, (id + 1) * C))
    const mean = rows[0].map((_, c) => rows.reduce((sum, row) => sum + row[c], 0) / rows.length)
    const centered = rows.map(row => row.map((x, c) => x - mean[c]))
    const squares = list => list.reduce((sum, x) => sum + x * x, 0)
    const { x, y, variances } = pca(gf, run, { name, rows: few })
    const expected = widest(centered), whole = squares(centered.flat())
    assert.equal(x.length, ids.length)
    const turned = Math.sign(x[0] * expected[0])
    x.forEach((at, i) => near(at * turned, expected[i], 2e-3 * Math.sqrt(whole), `row ${ids[i]}`))
    near(variances[0], squares(expected) / whole, 1e-4, 'its fraction of the variance')
    near(x.reduce((sum, at, i) => sum + at * y[i], 0) / whole, 0, 1e-4, 'the second is orthogonal')
    assert.ok(variances[1] > 0 && variances[1] <= variances[0])
  })

test('every part has a unique name in links, and its edits can be read back and removed', () => {
  for (const run of Object.values(RUNS)) {
    const { parts } = stageData(run, 'ablation')
    assert.equal(new Set(parts.map(partKey)).size, parts.length)
    for (const { edits } of parts) {
      const mine = [{ name: 'x', index: [0, 1], value: 2 }]
      const on = toggleEdits(mine, edits, true)
      assert.deepEqual(readEdits(writeEdits(on)), on)
      assert.ok(hasEdits(on, edits) && !hasEdits(mine, edits))
      assert.deepEqual(toggleEdits(on, edits, false), mine)
    }
  }
})

test('for a model without an answer, ablation reports the distance of the output', () => {
  const run = pageRun({ model: 'sentences' })
  const { parts, what } = stageData(run, 'ablation')
  assert.deepEqual(parts.map(({ kind }) => kind), ['places', 'head', 'head', 'head', 'head'])
  const base = measureAnswer(gf, run.workerRun.run, what), C = shapeOf(run, what.out).at(-1)
  const other = makeRun({ model: 'sentences' }, parts[2].edits)
  const apart = measureAnswer(gf, other.run, what, base), now = values({ workerRun: other }, what.out)
  apart.forEach((length, t) => near(length, Math.hypot(...now.slice(t * C, (t + 1) * C).map(
    (x, c) => x - base[t * C + c])), 1e-5, `token ${t}`))
  assert.ok(Math.max(...apart) > 0.1)
})
