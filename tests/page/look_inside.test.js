// What the rooms that look inside compute of a run, each held to the same computed in another way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listAblated, meanEdits, togglePart } from '../../web/lib/ablation_parts.js'
import { METHODS, isSaturated, listEmbeddings } from '../../web/lib/input_attribution.js'
import { patchEdits } from '../../web/lib/patching.js'
import { otherTextOf } from '../../web/models/pairs.js'
import { defaults } from '../../web/models/state.js'
import { roomsOf } from '../../web/rooms/index.js'
import { inEvalMode } from '../../web/worker/cache_comparison.js'
import { headScores } from '../../web/worker/head_scores.js'
import { attributeInputs } from '../../web/worker/input_attribution.js'
import { channelMeans } from '../../web/worker/interpret.js'
import { describeText } from '../../web/worker/patching.js'
import { gf } from '../lib/engine.js'
import { pageRun } from '../lib/page.js'

const close = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-6 * Math.max(1, Math.abs(b)), `${what}: ${a}, not ${b}`)
const mean = list => list.reduce((sum, value) => sum + value, 0) / list.length

for (const model of ['dates', 'stories', 'text', 'induction']) {
  test(`${model}: head scores are means of the weights of the second copy`, () => {
    const page = pageRun({ model }), { continuation } = page.workerRun
    const { count, layers } = headScores(gf, page.workerRun), [start, ...rest] = continuation.ids
    const tokens = (continuation.isRepetitive ? [...new Set(rest)] : rest).slice(0, count)
    const logitsOf = inEvalMode(continuation.model, continuation.begin), ids = [start, ...tokens, ...tokens]
    const { trace } = gf.trace(() => inEvalMode(continuation.model, () => logitsOf(ids, null)))
    const causal = trace.nodes.filter(({ op, saved }) => op.name === 'attention' && saved.isCausal)
    assert.equal(layers.length, causal.length)
    causal.forEach(({ outputs: { weights } }, layer) => weights.toArray()[0].forEach((rows, head) => {
      const second = rows.slice(-count), at = offset => mean(second.map((row, i) => row[1 + count + i - offset]))
      const expected = [at(1), at(count), at(count - 1), mean(second.map(([first]) => first))]
      expected.forEach((value, i) => close(layers[layer][head][i], value, `${layer}.${head} ${i}`))
    }))
    trace.dispose()
    page.dispose()
  })

  test(`${model}: the tokens get what each method of the library gives them, of each text`, async () => {
    const page = pageRun({ model }), rooms = roomsOf(page), inputs = listEmbeddings(rooms).map(({ out }) => out)
    const { parts: { logits } } = rooms.find(({ stage }) => stage === 'attribution')
    const { settings, exportable } = page.workerRun
    const position = page.decoding.rows[1], { id: token } = page.decoding.steps[1]
    const forward = () => exportable.model.forward(...Object.values(exportable.inputs))
    const seen = new Set()
    for (const against of [null, token ? token - 1 : 1]) for (const method of METHODS) {
      const found = await attributeInputs(gf, { exportable, settings: { ...settings, edits: [] } },
        { method, inputs, logits, position, token, against })
      const run = gf.observe(() => inEvalMode(exportable.model, forward))
      found.forEach(({ values, total }, i) => {
        const target = { logits, position, token, ...(against !== null && { against }) }
        const expected = gf.interpret.inputAttribution(run, { method, target, input: inputs[i] })
        assert.deepEqual(values, [...expected.values], `${method} ${inputs[i]}`)
        const own = page.workerRun.run.tensor(logits)
        close(total, own.at(0, position, token) - (against === null ? 0 : own.at(0, position, against)), method)
        seen.add(values.join())
      })
      run.dispose()
    }
    assert.equal(seen.size, 6 * inputs.length, 'no two methods, texts or targets give the same')
    page.dispose()
  })
}

test('inputs are not attributed where the model cannot run again', async () => {
  const page = pageRun({ model: 'dates' }), { settings, exportable } = page.workerRun
  const query = { method: 'occlusion', inputs: [], logits: 'output', position: 0, token: 1, against: null }
  assert.equal(await attributeInputs(gf, { settings: { ...settings, edits: [] } }, query), null)
  const edits = [{ name: 'output', index: [0, 0, 0], fromText: 'may 6 2026' }]
  assert.equal(await attributeInputs(gf, { exportable, settings: { ...settings, edits } }, query), null)
  page.dispose()
})

test('taking a position or a head takes exactly its cells from the run on the other text', () => {
  for (const [model, field, here, there] of [['dates', 'source', 'may 6 2026', 'june 5 2026'],
    ['induction', 'beginning', 'A B C A', 'A B C B']]) {
    const [own, other] = [here, there].map(text => pageRun({ model, [field]: text }))
    const { rows, attentions } = roomsOf(own).find(({ stage }) => stage === 'patching').parts
    const source = { text: there, other: describeText(other.workerRun) }
    const places = [[rows.residual[1].name, 1],
      ...[0, 1].map(n => [attentions.at(n - 1).out, 1 - n, attentions.at(n - 1)])]
    for (const [name, at, heads] of places) {
      const edits = patchEdits(own, source, name, at, heads)
      const patched = pageRun({ model, [field]: here }, edits)
      const [before, from, after] = [own, other, patched].map(({ workerRun: { run } }) => run.tensor(name).toArray()[0])
      const D = heads && own.tensors.get(name).shape[2] / heads.heads
      const isTaken = (t, c) => (heads ? t < from.length && Math.floor(c / D) === at : t === at)
      // Rows that the answer does not have in both runs are not compared.
      after.slice(0, Math.min(before.length, from.length)).forEach((row, t) => row.forEach((value, c) => (
        isTaken(t, c) && assert.equal(value, from[t][c], `${name} ${t} ${c}`))))
      after[0].forEach((value, c) => isTaken(0, c) || assert.equal(value, before[0][c], `${name} 0 ${c} stays`))
      patched.dispose()
    }
    for (const run of [own, other]) run.dispose()
  }
})

test('the mean of a part stands in all positions, and the part comes back as it was', () => {
  const page = pageRun({ model: 'stories' }), { parts } = roomsOf(page).find(({ stage }) => stage === 'ablation').parts
  const listed = parts.filter(part => meanEdits(page, part).length)
  assert.deepEqual([...new Set(listed.map(({ kind }) => kind))].sort(), ['head', 'sub'])
  for (const kind of ['head', 'sub']) {
    const part = listed.findLast(own => own.kind === kind), { name } = part.adds
    const means = new Map([[name, channelMeans(gf, page.workerRun.run, { names: [name] })[0]]])
    const { shape: [, T, C], values } = page.workerRun.run.tensor(name)
    means.get(name).forEach((value, c) => (
      close(value, mean(Array.from({ length: T }, (_, t) => values[t * C + c])), `${name} ${c}`)))
    const edits = togglePart(page, [], { ...part, isOff: false }, means)
    const { run } = pageRun({ model: 'stories' }, edits).workerRun
    const changed = run.tensor(name).toArray()[0], isOwn = c => edits.some(({ index }) => index.at(-1) === c)
    for (const row of changed) row.forEach((value, c) => isOwn(c) && assert.equal(value, means.get(name)[c]))
    assert.equal(edits.length, kind === 'head' ? C / 4 : C)
    run.dispose()
    const off = listAblated(page, parts, edits).filter(({ isOff }) => isOff)
    assert.ok(off.some(one => one.kind === part.kind && one.head === part.head))
    assert.deepEqual(togglePart(page, edits, { ...part, isOff: true }, means), [])
    const zeros = togglePart(page, [], { ...part, isOff: false }, null)
    assert.deepEqual(zeros, part.edits)
    assert.deepEqual(togglePart(page, zeros, { ...part, isOff: true }, means), [])
  }
  page.dispose()
})

test('a score is saturated where gradients account for a small part of it only', () => {
  const text = (values, total, baseline = 0) => ({ values, total, baseline, gap: 0 })
  assert.equal(isSaturated([text([0.1, -0.2], 5)]), true)
  assert.equal(isSaturated([text([0.1, -0.2], 2)]), false)
  assert.equal(isSaturated([text([0, 0], 3, 3)]), false)
  assert.equal(isSaturated([text([0.1], 3, 2.9), text([0.2], 3, -3)]), true)
})

test('texts that may fire a neuron are the own one and different examples', () => {
  for (const model of ['dates', 'stories', 'induction']) {
    const state = defaults(model), { own, texts } = otherTextOf(state, 'ko')
    assert.equal(texts[0], own)
    assert.equal(new Set(texts).size, texts.length)
    assert.ok(texts.length > 1 && texts.length <= 12, `${model}: ${texts.length}`)
  }
})
