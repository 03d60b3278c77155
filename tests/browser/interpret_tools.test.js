// Tools of the rooms that look inside: means in place of parts, neurons, fitted lenses, and what the rooms say of
// themselves. Every number in Chromium equals Node's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partKey } from '../../web/lib/ablation_parts.js'
import { formatPoints } from '../../web/lib/number.js'
import { otherTextOf } from '../../web/models/pairs.js'
import { roomsOf } from '../../web/rooms/index.js'
import { data as partsData } from '../../web/stages/ablation.js'
import { data as attributionData } from '../../web/stages/attribution.js'
import { data as streamData } from '../../web/stages/residual_stream.js'
import { fitLens, textsToFit } from '../../web/worker/fitted_lens.js'
import { channelMeans, measureAnswer } from '../../web/worker/interpret.js'
import { gf } from '../lib/engine.js'
import { everyNth } from '../lib/long.js'
import { readAddress, changeAndWait, runInNode, runWithEdits, completeState, useBrowser, findViolations } from './host.js'
import { readCells, readInputs, waitForBars, waitForTable } from './interpret_page.js'
import { attributionOf, isPartValueRight } from './model_tables.js'
import { createTextView } from './text_view.js'
import { isRoundedTo } from './writes_number.js'

const { open } = useBrowser()
const code = { texts: new Set(), places: new Set() }

test('choosing another model keeps the room that it has too, and enters the house where it has not', async () => {
  const { page, complaints, close } = await open(completeState({ model: 'dates', room: 'residual_stream', language: 'en' }))
  await waitForTable(page)
  const kept = ['stories', 'particles', 'induction', 'dates'].map(model => [model, 'residual_stream'])
  for (const [model, room] of [...kept, ['positions', 'house'], ['dates', 'residual_stream']]) {
    await changeAndWait(page, () => page.selectOption('.models select', model))
    await page.waitForSelector(`.house[data-model="${model}"][data-room="${room}"]`)
  }
  await page.click('.map li[data-room="encoder.1.self_attn.scores"] a')
  await changeAndWait(page, () => page.selectOption('.models select', 'stories'))
  await page.waitForSelector('.house[data-model="stories"][data-room="house"]')
  assert.deepEqual(complaints, [])
  await close()
})

test('a part can be replaced by its mean over the positions, which a link keeps, and its row says that it is off', async () => {
  const state = completeState({ room: 'ablation', language: 'en' }), plain = runInNode(state)
  const { what, parts } = partsData(plain, { ...state, room: roomsOf(plain).find(({ id }) => id === 'ablation') })
  const { page, complaints, close } = await open(state)
  await waitForTable(page)
  assert.match(await page.textContent('.stage-figure > .note'), /zero ablation/)
  await page.click('.segments label:has(input[value="mean"])')
  await page.waitForFunction(() => /mean ablation/.test(document.querySelector('.stage-figure > .note').textContent))
  await waitForTable(page)
  const base = measureAnswer(gf, plain.workerRun.run, what), listed = parts.filter(({ adds }) => adds)
  const cells = (await readCells(page)).filter(([, { key }]) => key !== 'base')
  const cellsOf = part => cells.filter(([, { key }]) => key === partKey(part))
  assert.deepEqual([...new Set(cells.map(([, { key }]) => key))], listed.map(partKey))
  for (const part of everyNth(listed, 4)) {
    const { name, index } = part.adds, [means] = channelMeans(gf, plain.workerRun.run, { names: [name] })
    const [from, to] = index[2] ?? [0, means.length]
    const edits = Array.from({ length: to - from }, (_, i) => (
      { name, index: [null, null, from + i], value: means[from + i] }))
    const other = runWithEdits(state, edits, what.ids), values = measureAnswer(gf, other.run, what)
    cellsOf(part).forEach(([text], i) => assert.equal(text, formatPoints(values[i] - base[i]), `${name} ${i}`))
    other.run.dispose()
  }
  const head = parts.findIndex(({ kind, tower, head: number }) => kind === 'head' && tower === 'decoder' && number === 1)
  const row = page.locator(`.grid tr[data-key="${partKey(parts[head])}"]`)
  const baseHead = page.locator('.grid tr[data-key="base"] th')
  assert.equal(await row.locator('.part-off').isVisible(), false)
  assert.equal(await baseHead.textContent(), 'with all parts (%)')
  await changeAndWait(page, () => row.locator('.switch').click())
  await row.locator('.part-off').waitFor()
  assert.equal(await baseHead.textContent(), 'as it is now (%)')
  const { edits } = await readAddress(page)
  assert.deepEqual(edits.map(({ index }) => index[2]), Array.from({ length: 8 }, (_, i) => 8 + i))
  await changeAndWait(page, () => row.locator('.switch').click())
  assert.deepEqual((await readAddress(page)).edits, [])
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(complaints, [])
  plain.dispose()
  await close()
})

test('a feed-forward bar opens its neurons: their parts, what they write and which texts fire them, as in Node', async () => {
  const state = completeState({ model: 'stories', room: 'attribution', language: 'en', row: 3 })
  const run = runInNode(state), rooms = roomsOf(run), room = rooms.find(({ id }) => id === 'attribution')
  const view = { ...createTextView(run, state, rooms, code), room }, { bars, names: [token] } = attributionOf(view)
  const { logits, answer } = attributionData(run, { ...state, room, rooms }), { run: own } = run.workerRun
  const { page, complaints, close } = await open(state)
  await waitForBars(page)
  const at = bars.findIndex(({ part }) => part?.role === 'feed_forward'), position = answer.position
  const networks = bars.filter(({ part }) => part?.role === 'feed_forward')
  assert.equal(await page.locator('.fall-name button:visible').count(), networks.length)
  await page.locator('.waterfall li').nth(at).locator('button').click()
  await page.waitForSelector('.neurons button')
  const target = { logits, position, token: answer.token, neurons: true }
  const { neurons } = gf.interpret.logitAttribution(own, target).parts.find(({ name }) => name === bars[at].part.name)
  const sizes = neurons.values.map(Math.abs)
  const strongest = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a]).slice(0, 8)
  const shown = await page.$$eval('.neurons li', list => list.map(({ children }) => (
    [...children].map(({ textContent }) => textContent))))
  assert.deepEqual(shown.map(([name]) => name), strongest.map(neuron => `neuron ${neuron}`), token)
  shown.forEach(([, text], i) => assert.ok(isPartValueRight(text, neurons.values[strongest[i]]), text))
  await page.click('.neurons button')
  await page.waitForFunction(() => document.querySelectorAll('.neurons ~ div .pairs mark').length)
  const [neuron] = strongest, { name } = neurons, words = run.streams[Object.keys(run.streams).at(-1)].vocabulary
  const { promoted, suppressed, activation } = gf.interpret.neuronLogits(own,
    { name, neuron, logits, position, top: 6 })
  const lists = await page.$$eval('.neurons ~ div section', list => list.map(section => (
    [...section.querySelectorAll('li')].map(line => [...line.children].map(({ textContent }) => textContent)))))
  for (const [i, expected] of [promoted, suppressed].entries()) {
    assert.deepEqual(lists[i].map(([word]) => word), expected.map(({ token: id }) => words[id]))
    lists[i].forEach(([, text], n) => assert.ok(isPartValueRight(text, expected[n].value), text))
  }
  assert.ok((await page.textContent('.neurons ~ div .note')).includes(activation.toFixed(3)))
  const texts = otherTextOf(state, 'en').texts.map(text => {
    const other = runInNode({ ...state, beginning: text, target: '' })
    const { shape: [, T, F], values } = other.workerRun.run.tensor(name)
    const column = Array.from({ length: T }, (_, t) => values[t * F + neuron]), largest = Math.max(...column)
    const found = [other.streams[Object.keys(other.streams).at(-1)].tokens[0][column.indexOf(largest)], largest]
    other.dispose()
    return found
  }).sort((a, b) => b[1] - a[1]).slice(0, 6)
  const marks = await page.$$eval('.pairs mark', list => list.map(({ textContent }) => textContent))
  assert.deepEqual(marks, texts.map(([word]) => word))
  lists[2].forEach(([, text], i) => assert.ok(isRoundedTo(text, texts[i][1], 3), text))
  assert.deepEqual(await findViolations(page), [])
  await page.click('.neurons ~ div a')
  await page.waitForFunction(() => !location.hash.includes('room=attribution'))
  assert.deepEqual((await readAddress(page)).cell, { name, index: [0, position, neuron] })
  assert.deepEqual(complaints, [])
  run.dispose()
  await close()
})

test('a tuned and a Jacobian lens are fitted in the worker, as in Node, and a fit can be stopped', async () => {
  const state = completeState({ model: 'induction', room: 'residual_stream', language: 'en' }), run = runInNode(state)
  const rooms = roomsOf(run), view = { ...state, room: rooms.find(({ id }) => id === 'residual_stream'), rooms }
  const { early: { rows, ids, vocabulary }, logits } = streamData(run, view)
  const { own } = otherTextOf(state, 'en'), others = textsToFit(run.workerRun, own, [])
  assert.ok(others.length > 40 && !others.includes(own))
  const runs = [run, ...others.map(text => runInNode({ ...state, beginning: text, target: '' }))].map(one => (
    { ...one.workerRun, settings: { ...one.workerRun.settings, edits: [] } }))
  const { page, complaints, close } = await open(state)
  await waitForTable(page)
  const choose = value => page.click(`.segments label:has(input[value="${value}"])`)
  const readFirst = () => page.$$eval('.grid', ([table]) => [...table.tBodies[0].rows].map(({ cells }) => (
    [...cells].slice(1).map(({ firstElementChild: { textContent } }) => textContent))))
  for (const kind of ['tuned', 'jacobian']) {
    await choose(kind)
    await page.waitForFunction(() => /fitted just now/.test(document.querySelector('.stage-figure .note').textContent))
    const how = { signal: new AbortController().signal, onProgress() {} }
    const { predictions, losses, divergence, count } = await fitLens(gf, runs, { kind, logits, rows, ids }, how)
    const lines = await readFirst()
    assert.deepEqual(lines[0], rows.map(() => ''))
    assert.deepEqual(lines.slice(1), predictions.map(list => list.map(({ tokens: [word] }) => vocabulary[word])))
    const note = await page.textContent('.stage-figure .note')
    assert.ok(note.includes(`${count} texts`), note)
    assert.equal(count, others.length)
    if (losses) assert.match(note, /fell from \d+\.\d{3} to \d+\.\d{3} nats/)
    assert.ok(note.includes(`On this text it is ${divergence.toFixed(3)} nats.`), note)
    assert.deepEqual(await findViolations(page), [])
  }
  await page.evaluate(async () => {
    document.querySelector('.segments input[value="tuned"]').click()
    while (document.querySelector('.progress-line').hidden) await new Promise(requestAnimationFrame)
    document.querySelector('.stage-figure section > button').click()
  })
  await waitForTable(page)
  assert.deepEqual(await page.$$eval('.progress-line, .stage-figure section > button', list => list.map(({ hidden }) => hidden)), [true, true])
  assert.equal(await page.isChecked('.segments input[value="logit"]'), true)
  assert.ok((await readFirst())[0].every(text => text !== ''))
  assert.deepEqual(complaints, [])
  for (const { run: one } of runs) one.dispose()
  await close()
})

test('a table that goes on at the right fades there and has a button that scrolls it, until its end', async () => {
  const { page, close } = await open(completeState({ room: 'ablation', language: 'en' }), { viewport: { width: 760, height: 900 } })
  await waitForTable(page)
  const read = () => page.$eval('.grid-frame', frame => ({
    isCut: frame.classList.contains('is-cut'), fades: getComputedStyle(frame).maskImage !== 'none',
    hasButton: frame.querySelector('.grid-more button').checkVisibility({ visibilityProperty: true }), left: frame.scrollLeft }))
  assert.deepEqual(await read(), { isCut: true, fades: true, hasButton: true, left: 0 })
  await page.click('.grid-more button')
  await page.waitForFunction(() => document.querySelector('.grid-frame').scrollLeft > 20)
  await page.$eval('.grid-frame', frame => frame.scrollTo({ left: 1e4, behavior: 'instant' }))
  await page.waitForFunction(() => !document.querySelector('.grid-frame').classList.contains('is-cut'))
  const { isCut, fades, hasButton } = await read()
  assert.deepEqual({ isCut, fades, hasButton }, { isCut: false, fades: false, hasButton: false })
  await page.setViewportSize({ width: 2000, height: 900 })
  await page.waitForFunction(() => document.querySelector('.grid-more').hidden)
  await close()
})

test('gradients that are near zero because the score is saturated say so', async () => {
  const { page, close } = await open(completeState({ room: 'attribution', language: 'en', row: 2 }))
  await waitForBars(page)
  const noteOf = async method => {
    await page.click(`.stage-figure .segments label:has(input[value="${method}"])`)
    await page.waitForFunction(() => document.querySelector('.stage input[value="occlusion"]').closest('section').querySelector('.chip'))
    await waitForBars(page)
    return (await readInputs(page)).note
  }
  assert.match(await noteOf('gradientTimesInput'), /saturated/)
  assert.doesNotMatch(await noteOf('occlusion'), /saturated/)
  const stale = await page.evaluate(() => {
    const input = document.querySelector('.stage input[value="integratedGradients"]'), section = input.closest('section')
    input.click()
    return { isHidden: section.querySelector('.chip').closest('[hidden]') !== null, text: section.textContent }
  })
  assert.ok(stale.isHidden, 'the numbers of occlusion are not shown as integrated gradients')
  assert.match(stale.text, /being computed/)
  await close()
})
