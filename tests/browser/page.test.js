import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScale } from '../../web/lib/color.js'
import { formatFixed, parseFormatted } from '../../web/lib/number.js'
import { getTensor } from '../../web/lib/run.js'
import { valueAt } from '../../web/lib/slice.js'
import { roomsOf } from '../../web/rooms/index.js'
import { toHash } from '../../web/models/state.js'
import { stageOf } from '../../web/stages/index.js'
import { LANGUAGES } from '../../web/words/index.js'
import { stageData } from '../lib/page.js'
import { longTest, everyNth, partUnlessLong } from '../lib/long.js'
import { readAddress, measureOverflow, changeAndWait, chooseOption, goToRoom, runInNode, completeState, readTables, useBrowser, findViolations } from './host.js'
import { watchCanvases } from './rendered_numbers.js'
import { isRoundedTo } from './writes_number.js'

const SENTENCES = { model: 'sentences' }
/** In training every room is there. */
const TRAINED = { ...SENTENCES, training: true }
const roomsIn = state => roomsOf(runInNode(state))
const rooms = roomsIn(TRAINED)
const SINGLE = new URL('../../dist/glassformer.html', import.meta.url)
const OTHER = {
  text: '안녕 유리 집\nHello again, glass.', tokenizer: 'whitespace', dModel: 12, heads: 3, base: 100, maxLength: 9,
  positions: 'concatenated', dropout: 0.25, training: true, seed: 7, causal: true, sentence: 1, head: 2, part: 'v',
  language: 'en'
}

const browser = useBrowser()
const open = (state, options) => browser.open({ ...SENTENCES, ...state }, options)
const number = (page, name, value) => page.fill(`.stage [data-control="${name}"] input`, String(value))

/** Compares every number the stage shows with a run made in Node: all bits. */
async function compareRoom(page, id, state) {
  const run = runInNode(state)
  const pieces = Object.values(stageData(run, id, state)).filter(value => value?.axis)
  const tables = await readTables(page)
  assert.equal(tables.length, pieces.length, id)
  let count = 0
  for (const [i, piece] of pieces.entries()) {
    const { name, rows, columns, cells } = tables[i]
    assert.deepEqual([name, rows, columns], [piece.name, piece.rowLabels, piece.colLabels], id)
    cells.flat().forEach((text, at) => {
      const value = piece.values[at]
      assert.ok(Object.is(Math.fround(parseFormatted(text)), value), `${id} ${name} ${at}: ${text}, ${value}`)
      count += 1
    })
    assert.equal(cells.flat().length, piece.values.length, `${id} ${name}`)
  }
  run.dispose()
  return count
}

async function compareTokens(page, state) {
  const run = runInNode(state)
  const { tokens, lengths, ids, vocabulary } = run.streams.text
  run.dispose()
  const chips = () => page.$$eval('.chips-row', rows => rows.map(row => (
    [...row.querySelectorAll('.chip')].map(chip => [...chip.children].map(part => part.textContent)))))
  await goToRoom(page, 'text.tokens')
  assert.deepEqual(await chips(), tokens.map(
    (list, s) => list.slice(0, lengths[s]).map((token, i) => [token, String(i)])))
  await goToRoom(page, 'text.ids')
  assert.deepEqual(await chips(), ids.map((list, s) => list.map((id, i) => [String(id), tokens[s][i]])))
  const entries = await page.$$eval('.vocabulary li', items => (
    items.map(item => [...item.children].map(part => part.textContent))))
  assert.deepEqual(entries, vocabulary.map((token, id) => [String(id), token]))
}

for (const [title, changes] of [['the defaults', {}], ['other settings', OTHER]]) {
  longTest(`${title}: every number on every stage is the library's in Node, bit for bit`, async t => {
    const state = { ...SENTENCES, ...changes }
    const { page, complaints, close } = await open(changes)
    await compareTokens(page, state)
    let count = 0
    for (const { id, stage } of roomsIn(state)) {
      await goToRoom(page, id)
      if (!stageOf(stage).pickers.includes('part')) count += await compareRoom(page, id, state)
      else for (const part of ['q', 'k', 'v']) {
        await page.click(`[data-picker="part"] label:has(input[value="${part}"])`)
        count += await compareRoom(page, id, { ...state, part })
      }
    }
    t.diagnostic(`${count} numbers compared`)
    assert.deepEqual(complaints, [])
    await close()
  })
}

test('hovering over a token highlights all of its occurrences and its vocabulary entry', async () => {
  const { page, complaints, close } = await open({ room: 'text.ids' })
  const lit = selector => page.$$eval(`${selector}.is-lit`, list => list.map(item => item.textContent))
  await page.hover('.chips-row:nth-child(1) .chip:nth-child(3)')
  assert.deepEqual([await lit('.chip'), await lit('.vocabulary li')], [['4what', '4what'], ['4what']])
  await goToRoom(page, 'text.tokens')
  await page.hover('.chips-row:nth-child(2) .chip:nth-child(2)')
  assert.deepEqual(await lit('.chip'), ['is1', 'is2'])
  await page.click('.chips-row:nth-child(2) .chip:nth-child(2)')
  assert.equal((await readAddress(page)).cell, null, 'no link to a cell that no run has')
  assert.deepEqual(complaints, [])
  await close()
})

test('every cell on the canvas has the color of its value', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open({ room: 'self_attn.qkv', part: 'k' }, { colorScheme })
    const { product, domains } = stageData(runInNode(SENTENCES), 'self_attn.qkv', { part: 'k' })
    const colors = createScale(domains.values, colorScheme)
    const readPixels = await page.$eval('.product-result canvas', (canvas, [rows, cols]) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      return Array.from({ length: rows * cols }, (_, i) => {
        const x = Math.floor(((i % cols) + 0.22) * (canvas.width / cols))
        const y = Math.floor((Math.floor(i / cols) + 0.22) * (canvas.height / rows))
        return `rgb(${[...data.slice((y * canvas.width + x) * 4, (y * canvas.width + x) * 4 + 3)].join(' ')})`
      })
    }, [product.rows, product.cols])
    assert.deepEqual(readPixels, Array.from(product.values, value => colors.at(value).css))
    await close()
  }
})

test('typing, every control, language and theme work', async () => {
  const { page, complaints, close } = await open({ room: 'text.tokens' })
  const compare = async id => compareRoom(page, id, await readAddress(page))
  await changeAndWait(page, () => page.fill('#inputs textarea', 'the glass house\n유리 집'))
  await changeAndWait(page, () => page.type('#inputs textarea', ' 안에서 본다'))
  assert.deepEqual((await readAddress(page)).text, 'the glass house\n유리 집 안에서 본다')
  await changeAndWait(page, () => chooseOption(page, 'tokenizer', 'whitespace'))
  await compareTokens(page, await readAddress(page))

  await goToRoom(page, 'text.embedding')
  await changeAndWait(page, () => number(page, 'dModel', 8))
  await changeAndWait(page, () => number(page, 'seed', 123))
  await compare('text.embedding')
  await goToRoom(page, 'text.positions')
  for (const layout of ['concatenated', 'learned', 'interleaved']) {
    await changeAndWait(page, () => chooseOption(page, 'positions', layout))
  }
  await changeAndWait(page, () => number(page, 'base', 1000))
  await changeAndWait(page, () => page.click('.stage [data-control="maxLength"] .stepper button:last-child'))
  await compare('text.positions')
  await page.click('[data-action="settings"]')
  await changeAndWait(page, () => page.click('.settings [data-control="training"] label:has(input[value="train"])'))
  await page.keyboard.press('Escape')
  await goToRoom(page, 'text.dropout')
  await changeAndWait(page, () => page.fill('.stage [data-control="dropout"] input', '0.5'))
  await compare('text.dropout')
  await goToRoom(page, 'self_attn.qkv')
  await changeAndWait(page, () => page.click('.stage [data-control="heads"] .stepper button:first-child'))
  assert.equal((await readAddress(page)).heads, 2)
  await goToRoom(page, 'self_attn.mask')
  await changeAndWait(page, () => chooseOption(page, 'causal', 'causal'))
  await compare('self_attn.mask')
  await changeAndWait(page, () => page.click('#inputs .examples button:nth-child(2)'))

  await page.click('[data-language="en"]')
  await page.waitForSelector('html[lang="en"] h1')
  assert.match(await page.textContent('h1'), /positions hidden/)
  await page.click('[data-language="ko"]')
  await page.waitForSelector('html[lang="ko"] h1')
  assert.match(await page.textContent('h1'), /가리나요/)
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const texts = new Set()
  for (let i = 0; i < 3; i++) {
    await page.click('[data-action="theme"]')
    texts.add(await paper())
  }
  assert.equal(texts.size, 2)
  assert.deepEqual(complaints, [])
  await close()
})

test('selecting a cell by mouse and by keyboard: the inspector names it and displays every digit', async () => {
  const { page, complaints, close } = await open({ room: 'self_attn.scores', head: 1 })
  const run = runInNode(SENTENCES)
  const readMatrix = async () => {
    const [text, key] = await page.$eval('[data-exact]', cell => [cell.textContent, cell.dataset.exact])
    const [, name, index] = /^(.+)\[(.+)\]$/.exec(key)
    const at = index.split(', ').map(Number)
    assert.ok(Object.is(Math.fround(parseFormatted(text)), valueAt(getTensor(run, name), at)), `${key}: ${text}`)
    return [name, at]
  }
  const grid = page.locator('.product-result .heat')
  const { width, height } = await grid.boundingBox()
  await grid.hover({ position: { x: (2.5 * width) / 6, y: (3.5 * height) / 6 } })
  assert.deepEqual(await readMatrix(), ['self_attn.dots', [0, 1, 3, 2]])
  await grid.focus()
  for (const key of ['Home', 'ArrowRight', 'ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
  assert.deepEqual(await readMatrix(), ['self_attn.dots', [0, 1, 1, 1]])
  const description = await grid.evaluate(element => (
    document.getElementById(element.getAttribute('aria-activedescendant')).textContent))
  assert.match(description, /^wonder, wonder: /)
  assert.deepEqual((await readAddress(page)).cell, { name: 'self_attn.dots', index: [0, 1, 1, 1] })
  await page.keyboard.press('Escape')
  assert.equal((await readAddress(page)).cell, null)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('the keyboard reaches the last cell of every matrix of every stage', async () => {
  const small = { text: 'one two three\nfour five', dModel: 4, heads: 2, maxLength: 4, training: true }
  const { page, complaints, close } = await open(small)
  for (const { id } of rooms) {
    await goToRoom(page, id)
    for (const grid of await page.$$('.stage .heat:visible')) {
      await grid.focus()
      await page.keyboard.press('Control+Home')
      await page.keyboard.press('Control+End')
      const [row, col, rows, cols] = await grid.evaluate(element => {
        const line = element.querySelector('[role=row]')
        return [line.getAttribute('aria-rowindex'), line.firstChild.getAttribute('aria-colindex'),
          element.getAttribute('aria-rowcount'), element.getAttribute('aria-colcount')]
      })
      assert.ok(rows)
      assert.deepEqual([row, col], [rows, cols], id)
    }
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('invalid settings are reported beside the control and leave the last figures, dimmed', async () => {
  const { page, close } = await open({ room: 'self_attn.qkv' })
  const before = await readTables(page)
  await number(page, 'heads', 3)
  assert.match(await page.textContent('.stage [data-control="heads"] .problem'), /d_model 16은 헤드 수 3으로 나누어떨어져야/)
  assert.ok(await page.$('.house.is-stale'))
  assert.deepEqual(await readTables(page), before)
  await changeAndWait(page, () => number(page, 'heads', 2))
  assert.equal(await page.$('.house.is-stale'), null)
  await page.fill('#inputs textarea', ' \n ')
  assert.match(await page.textContent('#inputs .problem'), /문장/)
  await page.fill('#inputs textarea', 'word '.repeat(40))
  await page.waitForSelector('#inputs .problem:not(:empty)')
  assert.match(await page.textContent('#inputs .problem'), /max_len/)
  await page.fill('#inputs textarea', '?!')
  await page.waitForFunction(() => /단어/.test(document.querySelector('#inputs .problem').textContent))
  assert.ok(await page.$('.house.is-stale'))
  await close()
})

test('a link restores the state in a new browser, and Back returns to the stage before', async () => {
  const cell = { name: 'self_attn.weights', index: [1, 2, 1, 0] }
  const first = await open({ ...OTHER, room: 'self_attn.weights', cell })
  const readRoom = page => page.evaluate(() => (
    ['h1', '.cell-name'].map(selector => document.querySelector(selector)?.textContent)))
  const link = await first.page.evaluate(() => location.href)
  const second = await browser.open(link, { locale: 'ko-KR' })
  assert.deepEqual(await readRoom(second.page), await readRoom(first.page))
  assert.deepEqual(await readTables(second.page), await readTables(first.page))
  await goToRoom(second.page, 'self_attn.heads')
  await second.page.goBack()
  assert.match(await second.page.textContent('h1'), /scores become weights/)
  assert.deepEqual([...first.complaints, ...second.complaints], [])
  await Promise.all([first.close(), second.close()])
})

for (const [lookIndex, colorScheme] of everyNth(['light', 'dark'], 2).entries()) {
  test(`axe finds nothing: ${colorScheme}`, async () => {
    const { page, close } = await open(TRAINED, { colorScheme })
    for (const [i, { id }] of partUnlessLong(rooms, lookIndex, 4).entries()) {
      await goToRoom(page, id)
      if (i === 2) {
        await page.click('[data-language="en"]')
        await page.waitForSelector('html[lang="en"] h1')
      }
      await readTables(page)
      const grid = await page.$('.stage .heat:visible')
      await grid?.click()
      assert.deepEqual(await findViolations(page), [], id)
    }
    await close()
  })
}

test('nothing scrolls sideways at 360 px, and the sheet opens', async () => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  for (const language of everyNth(Object.keys(LANGUAGES), 3)) {
    const { page, complaints, close } = await open({ ...TRAINED, language }, phone)
    for (const { id } of rooms) {
      await goToRoom(page, id)
      assert.equal(await measureOverflow(page), 0, `${language} ${id}`)
    }
    await goToRoom(page, rooms.find(({ stage }) => stage === 'scores').id)
    await page.locator('.product-result .heat').tap()
    await page.tap('.sheet-handle')
    assert.equal(await page.getAttribute('.sheet-handle', 'aria-expanded'), 'true')
    assert.ok(await page.isVisible('[data-exact]'))
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('at medium widths nothing scrolls sideways, and the links of a room do not overlap', async () => {
  const places = [{ model: 'sentences' }, { model: 'dates', room: 'encoder.0.self_attn.weights' },
    { model: 'dates', room: 'decoding' }]
  for (const language of Object.keys(LANGUAGES)) for (const place of places) {
    const { page, close } = await open({ ...place, language })
    for (const width of [760, 768, 834, 900, 960, 1040, 1100]) {
      await page.setViewportSize({ width, height: 800 })
      // A figure is fitted a frame or two after its window.
      await page.waitForTimeout(200)
      assert.equal(await measureOverflow(page), 0, JSON.stringify([place, language, width]))
      const over = await page.$$eval('.ways > :is(a, p)', list => {
        const boxes = list.filter(item => item.checkVisibility()).map(item => item.getBoundingClientRect())
        return boxes.some((box, i) => boxes.slice(i + 1).some(otherBox => box.left < otherBox.right - 1 &&
          otherBox.left < box.right - 1 && box.top < otherBox.bottom - 1 && otherBox.top < box.bottom - 1))
      })
      assert.equal(over, false, JSON.stringify([place, language, width]))
    }
    await close()
  }
})

test('the single file opens from disk and shows the same numbers', async () => {
  const { page, complaints, close } = await browser.open(
    `${SINGLE.href}#${toHash(completeState({ ...SENTENCES, room: 'self_attn.output' }))}`)
  await compareRoom(page, 'self_attn.output', SENTENCES)
  assert.deepEqual(complaints, [])
  await close()
})

test('an invalid setting is reported even where its control is not visible', async () => {
  const { page, complaints, close } = await open({ model: 'dates', weights: 'untrained', language: 'en' })
  await page.click('[data-action="settings"]')
  await page.fill('.settings [data-control="heads"] input', '5')
  assert.match(await page.textContent('.settings [data-control="heads"] .problem'), /has to be divisible/)
  assert.equal(await page.textContent('#status'), '', 'the control itself says it')
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.querySelector('#status').textContent)
  assert.match(await page.textContent('#status'), /^\w+: d_model 32 has to be divisible .* Settings lets you correct it/)
  await page.click('[data-action="settings"]')
  await changeAndWait(page, () => page.fill('.settings [data-control="heads"] input', '4'))
  assert.equal(await page.textContent('#status'), '')
  assert.deepEqual(complaints, [])
  await close()
})

longTest('entering a room is announced, and texts of rooms follow their switches', async () => {
  const { page, complaints, close } = await open({ model: 'dates', language: 'en', room: 'encoder.0.self_attn.qkv' })
  const readAnnouncement = () => page.textContent('#arrived')
  assert.equal(await readAnnouncement(), '')
  await page.keyboard.press('ArrowRight')
  await page.waitForFunction(() => document.querySelector('#arrived').textContent)
  assert.equal(await readAnnouncement(), await page.textContent('h1'))
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('#arrived')).clipPath), 'inset(50%)')
  assert.deepEqual(complaints, [])
  await close()
  for (const [state, says, flow] of [
    [{ room: 'encoder.0.norm1' }, /Then layer norm/, /norm1\.output/],
    [{ room: 'encoder.0.norm1', normFirst: true }, /^First layer norm/, /^$/],
    [{ room: 'encoder.0.self_attn.scores' }, /The next room divides it/, /dots/],
    [{ room: 'encoder.0.self_attn.scores', scale: false }, /passes it on as it is/, /dots/],
    [{ room: 'encoder.0.self_attn.scale' }, /scores/i, /scores/],
    [{ room: 'encoder.0.self_attn.scale', scale: false }, /^Division is off/, /scores/],
    [{ room: 'source.positions', positions: 'learned' }, /nothing has trained it yet/, /positions/]
  ]) {
    const room = await open({ model: 'dates', language: 'en', ...state })
    assert.match(await room.page.textContent('.lead'), says, state.room)
    assert.match(await room.page.textContent('.way-next .shape'), flow, state.room)
    await room.close()
  }
})

longTest('before a cell is selected, the sources of the first one are outlined and every number stays readable', async () => {
  const { page, close } = await open({ model: 'dates', room: 'encoder.0.self_attn.scores' })
  const isDimmed = () => page.$eval('.product-left .heat-marks', canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    let count = 0
    for (let i = 3; i < data.length; i += 4) count += data[i] > 100 && data[i] < 200
    return count / (data.length / 4)
  })
  assert.ok(await page.isVisible('.product-left .heat-marks'))
  assert.ok(await isDimmed() < 0.2)
  await page.hover('.product-result canvas', { position: { x: 60, y: 60 } })
  await page.waitForTimeout(200)
  await close()
})

longTest('on a phone a matrix with longer numbers has one decimal, its neighbor two, all of them correct', async () => {
  const state = { model: 'dates', room: 'encoder.0.self_attn.scale' }
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, before: watchCanvases }
  const { page, complaints, close } = await open(state, phone)
  const run = runInNode(state)
  const written = await page.$$eval('.stage-figure .heat', heats => heats.map(heat => ({
    tensor: heat.dataset.tensor, texts: globalThis.writtenOn(heat.querySelector('canvas')).map(([text]) => text)
  })))
  for (const [i, decimals] of [1, 2].entries()) {
    const { tensor, texts } = written[i]
    const values = run.tensors.get(tensor).data.slice(0, texts.length)
    assert.equal(texts.length, 49, tensor)
    assert.deepEqual(texts, Array.from(values, value => formatFixed(value, decimals)), tensor)
    texts.forEach((text, at) => assert.ok(isRoundedTo(text, values[at], decimals), text))
  }
  run.dispose()
  assert.deepEqual(complaints, [])
  await close()
})

longTest('tables of numbers exist only while they are open', async () => {
  const { page, complaints, close } = await open({ room: 'self_attn.qkv' })
  const cells = () => page.locator('.numbers td').count()
  assert.equal(await cells(), 0)
  for (let n = 0; n < 2; n++) {
    await page.click('.numbers summary')
    await page.waitForSelector('.numbers tbody td')
    await page.click('.numbers summary')
    await page.waitForSelector('.numbers td', { state: 'detached' })
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('the names of a product and of its factors are formulas', async () => {
  const { page, close } = await open({ model: 'dates', room: 'encoder.0.self_attn.scores', language: 'en' })
  await page.waitForSelector('.stage .caption math')
  assert.deepEqual(await page.$$eval('.stage .caption b', list => list.map(name => name.textContent.includes('^'))), [false, false, false])
  await close()
})
