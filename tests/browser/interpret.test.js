// The rooms about attribution, ablation, head scores, the stream and costs: every number in Chromium equals Node's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partKey } from '../../web/lib/ablation_parts.js'
import { data as attributionData } from '../../web/stages/attribution.js'
import { data as partsData } from '../../web/stages/ablation.js'
import { fromHash } from '../../web/models/state.js'
import { READY, settingsOf } from '../../web/models/index.js'
import { METHODS, listEmbeddings } from '../../web/lib/input_attribution.js'
import { getAxisLabels } from '../../web/lib/run.js'
import { roomsOf } from '../../web/rooms/index.js'
import { attributeInputs } from '../../web/worker/input_attribution.js'
import { headScores } from '../../web/worker/head_scores.js'
import { gf } from '../lib/engine.js'
import { longTest, everyNth, partUnlessLong } from '../lib/long.js'
import { measureOverflow, readAddress, changeAndWait, runInNode, completeState, useBrowser, findViolations } from './host.js'
import { readCells, readInputs, waitForBars, waitForTable } from './interpret_page.js'
import { attributionLines, attributionOf, isGridCellRight, isGridNameRight, isHeadCardRight, isPartValueRight } from './model_tables.js'
import { createTextView } from './text_view.js'
import { isRoundedTo } from './writes_number.js'

const { open } = useBrowser()
const code = { texts: new Set(), places: new Set() }

/** Checks all numbers in the tables of a room and counts them. */
async function checkTables(page, state) {
  await waitForTable(page)
  const run = runInNode(state)
  const rooms = roomsOf(run)
  const view = { ...createTextView(run, state, rooms, code), room: rooms.find(({ id }) => id === state.room) }
  const cells = await readCells(page)
  const wrong = cells.filter(([text, location]) => !isGridCellRight(view, text, location))
  assert.deepEqual(wrong.slice(0, 5), [], `${state.model} ${state.room}: ${wrong.length} of ${cells.length} wrong`)
  run.dispose()
  return cells.length
}

const ROOMS = ['ablation', 'head_scores', 'residual_stream', 'costs']

for (const { id: model } of everyNth(READY.filter(({ rooms }) => !rooms).reverse(), 5)) {
  test(`${model}: its rooms, both languages, both themes`, async t => {
    const variants = [['ko', 'light'], ['en', 'dark']]
    let count = 0
    for (const [i, [language, theme]] of variants.entries()) {
      for (const room of partUnlessLong(ROOMS, i, variants.length)) {
        const state = completeState({ model, room, language, theme })
        const run = runInNode(state)
        const hasRoom = roomsOf(run).some(({ id }) => id === room)
        run.dispose()
        if (!hasRoom) continue
        const { page, complaints, close } = await open(state)
        count += await checkTables(page, state)
        assert.deepEqual(await findViolations(page), [], `${room} ${language}`)
        assert.deepEqual(complaints, [])
        await close()
      }
    }
    t.diagnostic(`${count} numbers`)
    assert.ok(count > 20)
  })
}

/** Reads the bars and the tokens of the attribution. */
const readAttribution = page => page.evaluate(() => {
  const texts = (element, selector) => [...element.querySelectorAll(selector)].map(({ textContent }) => textContent)
  return {
    lines: [...document.querySelectorAll('.waterfall li')].map(line => [...texts(line, '.fall-name :is(a, span):not([hidden])'),
      ...texts(line, '.fall-number')]),
    tokens: [...document.querySelectorAll('.chips-row')].map(row => (
      [...row.querySelectorAll('.chip')].map(chip => texts(chip, ':scope > *')))),
    isEnding: [...document.querySelectorAll('.waterfall li')].map(line => {
      const [bar, track] = ['.fall-bar', '.fall-track'].map(name => line.querySelector(name).getBoundingClientRect())
      return [bar.left - track.left, bar.right - track.left].map(x => x / track.width)
    })
  }
})
/** Compares every bar and token of the attribution with the library's in Node. */
async function checkAttribution(page, view, choices) {
  const { lines, tokens, isEnding } = await readAttribution(page)
  const expected = attributionLines(view, choices), { rows, bars, total } = attributionOf(view, choices)
  assert.deepEqual(lines.map(([name]) => name), expected.map(([name]) => name))
  lines.forEach(([name, text], i) => assert.ok(isPartValueRight(i < bars.length || text[0] === '−' ? text : `+${text}`,
    expected[i][1]), `${name}: ${text}, ${expected[i][1]}`))
  const ends = [0, total, ...bars.map(({ to }) => to)], low = Math.min(...ends), width = Math.max(...ends) - low
  bars.forEach(({ from, to }, i) => [Math.min(from, to), Math.max(from, to)].forEach((end, side) => (
    assert.ok(Math.abs(isEnding[i][side] - (end - low) / width) < 0.03, `bar ${i}`))))
  assert.deepEqual(tokens.map(row => row.map(([token]) => token)), rows.map(row => row.tokens))
  tokens.forEach((row, r) => row.forEach(([token, text], i) => (
    assert.ok(isPartValueRight(text, rows[r].values[i]), `${token}: ${text}, ${rows[r].values[i]}`))))
  return lines.length + tokens.flat().length
}

for (const { id: model } of READY.filter(({ id, rooms }) => !rooms && id !== 'sentences')) {
  test(`${model}: the attribution of an answer equals the library's, with every choice`, async t => {
    let count = 0
    for (const [language, colorScheme] of [['ko', 'dark'], ['en', 'light']]) {
      const state = completeState({ model, room: 'attribution', language, row: model === 'particles' ? 0 : 4 })
      const run = runInNode(state), rooms = roomsOf(run), room = rooms.find(({ id }) => id === 'attribution')
      const view = { ...createTextView(run, state, rooms, code), room }
      const { page, complaints, close } = await open(state, { colorScheme })
      await waitForBars(page)
      const choose = value => page.click(`.stage-figure .segments label:has(input[value="${value}"])`)
      count += await checkAttribution(page, view, {})
      await choose('size')
      count += await checkAttribution(page, view, { isBySize: true })
      await choose('runnerUp')
      await waitForBars(page)
      await page.waitForFunction(() => !document.querySelector('.stage [aria-busy="true"]'))
      await page.click('.waterfall + button')
      count += await checkAttribution(page, view, { isBySize: true, isDifference: true, isFolded: false })
      assert.deepEqual(await findViolations(page), [])
      assert.deepEqual(complaints, [])
      run.dispose()
      await close()
    }
    t.diagnostic(`${count} numbers`)
  })
}

for (const [i, { id: model }] of READY.filter(({ id, rooms }) => !rooms && id !== 'sentences').entries()) {
  test(`${model}: gradients and occlusion of every token equal the library's`, async t => {
    const state = completeState({ model, room: 'attribution', language: i % 2 ? 'ko' : 'en', row: model === 'particles' ? 0 : 2 })
    const run = runInNode(state), rooms = roomsOf(run), room = rooms.find(({ id }) => id === 'attribution')
    const { logits, answer } = attributionData(run, { ...state, room, rooms })
    const { token } = attributionOf({ ...createTextView(run, state, rooms, code), room })
    const inputs = listEmbeddings(rooms)
    const { page, complaints, close } = await open(state)
    await waitForBars(page)
    let count = 0
    for (const method of METHODS) {
      await page.click(`.stage-figure .segments label:has(input[value="${method}"])`)
      await waitForBars(page)
      await page.waitForFunction(() => document.querySelector('.stage input[value="occlusion"]').closest('section').querySelector('.chip'))
      const expected = await attributeInputs(gf, { exportable: run.workerRun.exportable, settings: settingsOf(state) },
        { method, inputs: inputs.map(({ out }) => out), logits, position: answer.position, token, against: null })
      const { rows, note } = await readInputs(page)
      assert.equal(rows.length, inputs.length)
      rows.forEach((chips, r) => {
        const { values } = expected[r], labels = getAxisLabels(run, run.tensors.get(inputs[r].out), 1)
        assert.ok(values.slice(chips.length).every(value => value === 0), 'only tokens that were not read are left out')
        chips.forEach(([text, value], at) => {
          assert.equal(text, labels[at])
          assert.ok(isPartValueRight(value, values[at]), `${method} ${text}: ${value}, ${values[at]}`)
        })
        count += chips.length
      })
      if (method === 'integratedGradients') expected.forEach(({ total, baseline }) => (
        [total, baseline].forEach(value => assert.ok(note.includes(value.toFixed(4).replace('-', '−')), `${value} in ${note}`))))
      assert.deepEqual(await findViolations(page), [])
    }
    assert.deepEqual(complaints, [])
    run.dispose()
    await close()
    t.diagnostic(`${count} numbers`)
  })
}

test('a bar leads to the room and the cell of its part, and a token says through which head it came', async () => {
  const state = completeState({ room: 'house', language: 'en', row: 5 })
  const { page, complaints, close } = await open(state)
  await page.click('.house-why a')
  await waitForBars(page)
  assert.equal((await readAddress(page)).room, 'attribution')
  const run = runInNode(state), rooms = roomsOf(run), room = rooms.find(({ id }) => id === 'attribution')
  const { rows, parts } = attributionOf({ ...createTextView(run, state, rooms, code), room })
  await page.locator('.chip').first().focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  const text = await page.textContent('.source-details'), [, token, value, shown] = /^“(.*)” gave (\S+), .* \((\S+)\)\.$/.exec(text)
  assert.equal(token, rows[0].tokens[1])
  assert.ok(isPartValueRight(value, rows[0].values[1]))
  const largest = rows[0].heads.map(({ sources }) => sources[1]).reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a))
  assert.ok(isPartValueRight(shown, largest), `${shown}, ${largest}`)
  const name = 'Decoder layer 1 · Cross-attention · head 2'
  await page.locator('.waterfall a', { hasText: name }).focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => !location.hash.includes('room=attribution'))
  const { room: id, head, cell } = await readAddress(page)
  const part = parts.find(({ room: own, head: number }) => number === 2 && own.id === 'decoder.1.multihead_attn.heads')
  assert.deepEqual([id, head, cell.name], [part.room.id, 2, part.tensor])
  assert.equal(await page.textContent('.cell-name'), `${cell.name}[${cell.index.join(', ')}]`)
  assert.deepEqual(complaints, [])
  run.dispose()
  await close()
})

test('the heads of a model stand in the order of a score, each with its weights', async () => {
  const state = completeState({ room: 'head_scores', language: 'en', theme: 'dark' })
  const run = runInNode(state), rooms = roomsOf(run), room = rooms.find(({ id }) => id === 'head_scores')
  const view = { ...createTextView(run, state, rooms, code), room }, { layers } = headScores(gf, run.workerRun)
  const { page, complaints, close } = await open(state)
  await waitForTable(page)
  const readCards = () => page.$$eval('.head-gallery li', list => list.map(card => ({
    part: card.dataset.part, name: card.querySelector('.head-pick > span:nth-of-type(2)').textContent,
    isPickable: !card.querySelector('.head-pick').disabled, scores: card.querySelector('small').textContent, size: [card.querySelector('canvas').width, card.querySelector('canvas').height / 3]
  })))
  const attentions = rooms.filter(({ stage }) => ['weights', 'cross'].includes(stage))
  await page.waitForFunction(() => [...document.querySelectorAll('.head-gallery canvas')].every(({ width }) => width > 1))
  const cards = await readCards()
  assert.equal(cards.length, attentions.length * 4)
  const unscored = view.t('stages.head_scores.unscored')
  cards.forEach(({ name, part, scores, size, isPickable }, i) => {
    const { parts } = attentions[Math.floor(i / 4)], { shape } = run.tensors.get(parts.weights)
    assert.ok(isGridNameRight(view, name), name)
    assert.deepEqual(size, [shape[3], shape[2]], name)
    assert.equal(isPickable, !part.startsWith('-1'), name)
    assert.ok(isPickable ? isHeadCardRight(view, scores, part) : scores === unscored, `${name}: ${scores}`)
  })
  assert.equal(cards.filter(({ isPickable }) => isPickable).length, layers.flat().length)
  for (const [pattern, value] of ['previous', 'same', 'after', 'first'].entries()) {
    await page.click(`.all-heads .segments label:has(input[value="${value}"])`)
    const sorted = (await readCards()).filter(({ isPickable }) => isPickable).map(({ part }) => part.split('.').map(Number))
    const values = sorted.map(([layer, head]) => layers[layer][head][pattern])
    assert.deepEqual(values, layers.flat().map(head => head[pattern]).sort((a, b) => b - a), value)
  }
  const [{ name }, { part }] = await readCards(), chosen = page.locator(`.head-card[data-part="${part}"] .head-pick`)
  await chosen.focus()
  await page.keyboard.press('Enter')
  await page.waitForSelector('.circuits[aria-busy="false"]')
  assert.equal(await page.inputValue('.all-heads select'), part, 'a picture chooses the head of the circuits')
  await page.locator('.head-card', { hasText: name }).first().locator('a').focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => !location.hash.includes('room=head_scores'))
  const { room: id, head } = await readAddress(page)
  assert.equal(rooms.find(own => own.id === id).stage, 'weights')
  assert.equal(Number(/head (\d)$/.exec(name)[1]), head)
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(complaints, [])
  run.dispose()
  await close()
})

test('heads are filtered by what they do: their largest score, from 0.4 on', async () => {
  const state = completeState({ model: 'induction', room: 'head_scores', language: 'ko' }), run = runInNode(state)
  const { layers } = headScores(gf, run.workerRun)
  const all = layers.flatMap((heads, layer) => heads.map((_, head) => [layer, head]))
  const heads = pattern => all.filter(([layer, head]) => {
    const scores = layers[layer][head]
    return scores[pattern] >= 0.4 && scores.every(score => score <= scores[pattern])
  }).map(at => at.join('.'))
  const { page, complaints, close } = await open(state)
  await waitForTable(page)
  const filters = page.locator('.all-heads fieldset').nth(1)
  const readCards = () => page.$$eval('.head-gallery li', list => list.map(({ dataset }) => dataset.part))
  const counts = await filters.locator('label').allTextContents()
  assert.deepEqual(counts.map(text => Number(text.split(' · ')[1])), [8, ...[0, 1, 2, 3].map(pattern => heads(pattern).length)])
  assert.deepEqual([0, 1, 2, 3].map(pattern => heads(pattern).length), [3, 0, 4, 0], 'heads of three kinds, and one of none')
  await filters.locator('input[value="all"]').focus()
  for (const pattern of [0, 1, 2, 3]) {
    await page.keyboard.press('ArrowRight')
    assert.deepEqual(await readCards(), heads(pattern), counts[pattern + 1])
    assert.equal(await page.locator('.all-heads .source-details[role=status]').textContent() === '', heads(pattern).length > 0)
  }
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('ArrowRight')
  assert.equal((await readCards()).length, 8)
  assert.deepEqual(complaints, [])
  run.dispose()
  await close()
})

/** Reads the listed pairs of a head's circuits. */
const readCircuits = page => page.$$eval('.circuits section', sections => sections.map(section => ({
  note: section.querySelector('.note').textContent,
  pairs: [...section.querySelectorAll('.pairs li')].map(line => [...line.children].map(({ textContent }) => textContent))
})))

for (const { id: model } of READY.filter(({ id }) => ['dates', 'induction', 'stories', 'text'].includes(id))) {
  test(`${model}: the circuits of each head equal the library's`, async t => {
    const state = completeState({ model, room: 'head_scores', language: 'en' }), run = runInNode(state)
    const rooms = roomsOf(run), { layers } = rooms.find(({ stage }) => stage === 'head_scores').parts
    const { page, complaints, close } = await open(state)
    await page.waitForSelector('.circuits[aria-busy="false"]')
    const chosen = await page.inputValue('.all-heads select'), scores = headScores(gf, run.workerRun).layers
    const after = scores.flatMap((heads, layer) => heads.map((own, head) => [own[2], `${layer}.${head}`]))
    assert.equal(chosen, after.reduce((a, b) => (b[0] > a[0] ? b : a))[1])
    const words = run.streams[Object.keys(run.streams).at(-1)].vocabulary
    let count = 0
    for (const [layer, { heads }] of layers.entries()) for (let head = 0; head < heads; head++) {
      await page.selectOption('.all-heads select', `${layer}.${head}`)
      await page.waitForSelector('.circuits[aria-busy="false"]')
      const [qk, ov] = await readCircuits(page), options = { layer, head, top: 8 }
      const { qkCircuit, ovCircuit } = gf.interpret
      const expected = [qkCircuit, ovCircuit].map(circuit => circuit(run.workerRun.run, options))
      const score = Number(/Copying score (\S+):/.exec(ov.note)[1])
      assert.ok(isRoundedTo(score.toFixed(2), expected[1].copyingScore))
      if (model === 'induction' && layer === 1) assert.ok(score >= 0.97, `${layer}.${head}: ${score}`)
      for (const [i, { pairs }] of [qk, ov].entries()) {
        assert.equal(pairs.length, 8)
        pairs.forEach(([pair, value], n) => {
          const { value: number, query, key, source = query, target = key } = expected[i].top[n]
          assert.equal(pair, `“${words[source]}” → “${words[target]}”`)
          assert.ok(isRoundedTo(value, number), `${pair}: ${value}, ${number}`)
          count++
        })
      }
    }
    assert.deepEqual(await findViolations(page), [])
    assert.deepEqual(complaints, [])
    t.diagnostic(`${count} numbers`)
    run.dispose()
    await close()
  })
}

test('on a phone the attribution fits the window', async () => {
  for (const model of ['dates', 'stories']) {
    const { page, close } = await open({ model, room: 'attribution', language: 'ko' },
      { viewport: { width: 360, height: 740 }, hasTouch: true })
    await waitForBars(page)
    assert.equal(await measureOverflow(page), 0)
    await page.locator('.chip').first().tap()
    assert.match(await page.textContent('.source-details'), /헤드 \d/)
    await close()
  }
})

test('ablating a part by keyboard changes the link, every room and the answer, and can be undone', async () => {
  const state = completeState({ room: 'ablation', language: 'en' })
  const { page, close } = await open(state)
  await waitForTable(page)
  const plain = runInNode(state)
  const view = { ...createTextView(plain, state, roomsOf(plain), code), room: roomsOf(plain).find(({ id }) => id === 'ablation') }
  const { parts } = partsData(plain, { ...state, room: view.room })
  const index = parts.findIndex(({ kind, tower, layer }) => kind === 'layer' && tower === 'decoder' && layer === 0)
  const ablationSwitch = page.locator('.switch').nth(index)
  await ablationSwitch.focus()
  await changeAndWait(page, () => page.keyboard.press('Enter'))
  assert.equal(await ablationSwitch.getAttribute('aria-checked'), 'false')
  const ablated = fromHash(new URL(page.url()).hash)
  assert.deepEqual(ablated.edits, parts[index].edits)
  const without = runInNode(ablated)
  const joinAnswer = run => run.decoding.steps.map(({ token }) => token).join('')
  assert.notEqual(joinAnswer(without), joinAnswer(plain))
  assert.match(await page.locator('.parts-now').textContent(), /Decoder layer 0 · whole layer/)
  const { page: otherPage, close: closeOther } = await open(ablated)
  await checkTables(otherPage, ablated)
  await closeOther()
  await waitForTable(page)
  await ablationSwitch.focus()
  await changeAndWait(page, () => page.keyboard.press('Space'))
  assert.deepEqual(fromHash(new URL(page.url()).hash).edits, [])
  for (const edits of [parts[index].edits, []]) {
    await changeAndWait(page, () => page.keyboard.press('Control+z'))
    await page.evaluate(() => dispatchEvent(new Event('blur'))) // writes the address now instead of after a pause
    assert.deepEqual(fromHash(new URL(page.url()).hash).edits, edits, 'the switch is undone like an edited cell')
  }
  for (const run of [plain, without]) run.dispose()
  await close()
})

test('a run can be compared with an ablated one: the menu lists the parts that matter in the room', async () => {
  const state = completeState({ room: 'encoder.0.linear1', language: 'en' })
  const { page, close } = await open(state)
  const labels = await page.$$eval('.twin-choice optgroup', list => list.map(({ label }) => label))
  assert.ok(labels.includes('A part switched off'))
  assert.ok(!labels.some(label => /Temperature|Beams/.test(label)), 'nothing about the choice of an answer')
  assert.ok(!labels.some(label => /Vector length|Heads|Seed|Layers/.test(label)), 'nothing that trained weights fix')
  const options = await page.$$eval('.twin-choice option[value^="without:"]', list => list.map(({ textContent }) => textContent))
  assert.ok(options.includes('without Encoder layer 0 · Self-attention · head 2'))
  assert.ok(!options.some(text => /Decoder|layer 1/.test(text)), options.join())
  const run = runInNode(state)
  const { parts } = partsData(run, { ...state, room: roomsOf(run).find(({ id }) => id === 'ablation') })
  const part = parts.find(({ kind, tower, head }) => kind === 'head' && tower === 'encoder' && head === 2)
  await page.selectOption('.twin-choice select', `without:${partKey(part)}`)
  await page.waitForFunction(() => document.querySelector('.twins.is-on .stage-figure[data-twin] .heat'))
  assert.match(await page.locator('.twins-there').textContent(), /without Encoder layer 0 · Self-attention · head 2/)
  const difference = await page.locator('.twin-body .heat').count()
  assert.ok(difference > 0)
  run.dispose()
  await close()
})

test('on a phone the rooms fit the window', async () => {
  for (const room of everyNth(ROOMS, 2)) {
    const { page, close } = await open({ room, language: 'ko' }, { viewport: { width: 360, height: 740 }, hasTouch: true })
    await waitForTable(page)
    assert.equal(await measureOverflow(page), 0)
    if (room === 'residual_stream') {
      await page.locator('.grid td').nth(4).tap()
      assert.match(await page.locator('.grid-note').textContent(), / · /)
    }
    await close()
  }
})

longTest('an ablated residual is listed among the changes by both names', async () => {
  const { page, complaints, close } = await open(completeState({ room: 'ablation', language: 'en' }))
  await waitForTable(page)
  await changeAndWait(page, () => page.click('.switch[aria-label="Encoder layer 0 · Self-attention residual"]'))
  const widths = await page.$$eval('.edits li :is(.cell-link, .edit-value)', list => list.map(element => element.getBoundingClientRect().width))
  assert.equal(widths.length, 2)
  assert.ok(widths.every(width => width > 100), `${widths} pixels`)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('axe finds nothing in an incomplete table or in the row of an ablated part', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open(completeState({ room: 'ablation', language: 'en' }), { colorScheme })
    await waitForTable(page)
    await changeAndWait(page, () => page.click('.switch[aria-label="Encoder layer 0 · Self-attention residual"]'))
    await waitForTable(page)
    await page.$eval('.grid-frame', frame => frame.setAttribute('aria-busy', 'true'))
    assert.deepEqual(await findViolations(page, '.stage'), [], colorScheme)
    await close()
  }
})
