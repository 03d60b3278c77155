import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getTensor } from '../../web/lib/run.js'
import { valueAt } from '../../web/lib/slice.js'
import { formatBrief, formatExact, parseFormatted } from '../../web/lib/number.js'
import { toHash } from '../../web/models/state.js'
import { stageData } from '../lib/page.js'
import { readAddress, changeAndWait, runInNode, completeState, readTables, useBrowser, findViolations } from './host.js'
import { longTest, everyNth } from '../lib/long.js'

/** A twin is drawn a moment after its figure has room for it, in milliseconds. */
const REST = 250
const SINGLE = new URL('../../dist/glassformer.html', import.meta.url)
const ATTENTION = 'transformer.encoder.layers.0.self_attn'
const CELL = { name: `${ATTENTION}.dots`, index: [0, 0, 2, 1] }
const ROOM = 'encoder.0.self_attn.scores'

const browser = useBrowser()
const open = (state, options) => browser.open({ language: 'en', ...state }, options)
const readExactValue = page => page.$eval('[data-exact]', cell => [cell.dataset.exact, cell.textContent])
const valueOf = (run, key) => {
  const [, name, index] = /^(.+)\[(.+)\]$/.exec(key)
  return valueAt(getTensor(run, name), index.split(', ').map(Number))
}
async function changeTo(page, text) {
  await page.click('[data-keep="change"]')
  await page.fill('.edit-field', text)
  await changeAndWait(page, () => page.keyboard.press('Enter'))
}

test('the inspector links to factors, back by breadcrumbs, on to uses, and down the chain rule', async () => {
  const { page, complaints, close } = await open({ room: ROOM, cell: CELL })
  const run = runInNode({})
  await page.waitForSelector('.terms .cell-link')
  assert.equal(await page.locator('.terms li').count(), 8)
  assert.equal(await page.locator('.made .rule math').count(), 2)
  await page.click('.terms-head button:last-child')
  const sizes = await page.$$eval('.product-value', list => list.map(item => item.textContent))
  const sorted = sizes.map(text => Math.abs(parseFormatted(text)))
  assert.deepEqual(sorted, [...sorted].sort((a, b) => b - a))

  await page.click('.terms li:first-child .cell-link:first-child')
  await page.waitForFunction(name => document.querySelector('.cell-name').textContent.startsWith(`${name}.q`),
    ATTENTION)
  const [key, text] = await readExactValue(page)
  assert.ok(Object.is(Math.fround(parseFormatted(text)), valueOf(run, key)), key)
  assert.equal(await page.locator('.trail .cell-link').count(), 2)
  await page.click('.trail .cell-link:first-child')
  assert.equal((await readExactValue(page))[0], `${CELL.name}[${CELL.index.join(', ')}]`)

  for (const name of ['scores', 'masked_scores']) {
    await page.click('.feeds .cell-link')
    await page.waitForFunction(end => document.querySelector('.cell-name').textContent.includes(end), `.${name}[`)
    assert.equal((await readExactValue(page))[0], `${ATTENTION}.${name}[${CELL.index.join(', ')}]`)
    if (name === 'scores') await page.waitForSelector('.made .steps dt:nth-of-type(2) math')
  }

  await page.click('[data-keep="backward"]')
  await page.waitForFunction(() => document.querySelector('[data-exact]')?.dataset.exact.startsWith('∂'))
  const [, slope] = await readExactValue(page)
  const { value } = run.explainGradient(`${ATTENTION}.masked_scores`, CELL.index)
  assert.ok(Object.is(Math.fround(parseFormatted(slope)), value), `${slope}, ${value}`)
  await page.click('.terms .cell-link >> nth=1')
  await page.waitForFunction(() => document.querySelector('[data-exact]')?.dataset.exact.includes('weights'))
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(complaints, [])
  await close()
})

/** Where the keyboard is: in a grid, the cell it reads out. */
const focused = page => page.evaluate(() => {
  const { activeElement: element } = document
  if (!element.matches('.heat')) return element.id || element.localName
  const row = element.querySelector('[role=row]')
  const [at, column] = [row.getAttribute('aria-rowindex'), row.firstChild.getAttribute('aria-colindex')]
  return [element.dataset.tensor, at - 1, column - 1]
})

longTest('Escape returns the focus from the inspector to the grid and cell where it was, or to the stage', async () => {
  const { page, complaints, close } = await open({ room: 'encoder.0.self_attn.weights' })
  const [name, row, column] = [`${ATTENTION}.masked_scores`, 2, 1]
  const named = text => page.waitForFunction(start => (
    document.querySelector('.cell-name').textContent.startsWith(start)), text)
  const follow = async (selector, start) => {
    await page.focus(selector)
    await page.keyboard.press('Enter')
    await named(start)
  }
  const walkThroughCells = async () => {
    await page.focus(`.heat[data-tensor="${name}"]`)
    for (const key of ['Control+Home', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
    await follow('.feeds .cell-link', `${ATTENTION}.weights`)
  }
  await walkThroughCells()
  await follow('.terms li:last-child .cell-link', name)
  await page.hover('.stage .heat >> nth=-1')
  assert.notEqual((await readExactValue(page))[0], `${name}[0, 0, ${row}, ${column}]`, 'another cell of the same grid')
  await page.keyboard.press('Escape')
  assert.deepEqual(await focused(page), [name, row, column])
  assert.equal((await readExactValue(page))[0], `${name}[0, 0, ${row}, ${column}]`)
  await page.keyboard.press('ArrowRight')
  assert.deepEqual(await focused(page), [name, row, column + 1], 'and it walks on')

  await walkThroughCells()
  await page.evaluate(() => document.activeElement.blur())
  await page.keyboard.press('Escape')
  assert.deepEqual(await focused(page), [name, row, column], 'from nowhere, too')

  await walkThroughCells()
  await follow('.terms li:first-child .cell-link', name)
  await follow('.actions button:not([data-keep])', name)
  assert.equal(await page.getAttribute('#house', 'data-room'), 'encoder.0.self_attn.mask')
  await page.keyboard.press('Escape')
  assert.equal(await focused(page), 'stage', 'the grid is gone')
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(complaints, [])
  await close()
})

longTest('the dial: a picture, its numbers, its formulas, its code, in both languages', async () => {
  for (const language of ['ko', 'en']) {
    const { page, complaints, close } = await open({ room: ROOM, cell: CELL, language })
    const turn = depth => page.click(`.depths label:has(input[value="${depth}"])`)
    await turn('story')
    assert.equal(await page.isVisible('.facts'), false)
    await turn('formula')
    await page.waitForSelector('.recipe .symbol')
    assert.equal(await page.locator('.recipe').count(), 1)
    await page.focus('.recipe .symbol')
    assert.equal(await page.getAttribute('.heat.is-lit', 'data-tensor'), `${ATTENTION}.q`)
    assert.deepEqual(await findViolations(page), [])
    await turn('code')
    await page.waitForSelector('.code')
    assert.match(await page.textContent('.depth-panel'), /torch\.nn\.functional\.scaled_dot_product_attention/)
    await page.click('.depth-panel .directions button:text-is("C")')
    assert.match(await page.textContent('.depth-panel'), /static void forward_block\(/)
    assert.deepEqual(await findViolations(page), [])
    assert.equal((await readAddress(page)).depth, 'code')
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('a value is edited by keyboard and by mouse, undone, redone and shared', async () => {
  const { page, complaints, close } = await open({ room: ROOM })
  const first = await readTables(page)
  const grid = page.locator('.product-result .heat')
  await grid.focus()
  for (const key of ['Control+Home', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter',
    'Enter']) await page.keyboard.press(key)
  await page.waitForSelector('.edit-field:focus')
  for (const text of ['five', '1/3', '1e99']) {
    await page.fill('.edit-field', text)
    assert.equal(await page.textContent('.edit .problem'), '', 'no complaint while typing')
    await page.keyboard.press('Enter')
    assert.equal(await page.getAttribute('.edit-field', 'aria-invalid'), 'true')
    const describedBy = await page.getAttribute('.edit-field', 'aria-describedby')
    assert.match(await page.textContent(`[id="${describedBy}"]`), /Enter a number that fits float32/)
  }
  assert.deepEqual(await findViolations(page), [])
  await page.fill('.edit-field', '5')
  await changeAndWait(page, () => page.keyboard.press('Enter'))
  const edits = [{ ...CELL, value: 5 }]
  await page.waitForFunction(() => /^You set this value/.test(document.querySelector('.made > :first-child')?.textContent))
  const second = await readTables(page)
  assert.equal(second[2].cells[2][1], '5')
  assert.deepEqual(second.slice(0, 2), first.slice(0, 2), 'nothing upstream changes')
  const weights = runInNode({ edits }).tensors.get(`${ATTENTION}.weights`)
  assert.deepEqual((await readAddress(page)).edits, edits)
  const link = await page.evaluate(() => location.href)

  await changeAndWait(page, () => page.click('[data-keep="undo"]'))
  assert.deepEqual(await readTables(page), first, 'the same bits again')
  await changeAndWait(page, () => page.click('[data-keep="redo"]'))
  assert.deepEqual(await readTables(page), second)
  await page.locator('h1').click()
  await changeAndWait(page, () => page.keyboard.press('Control+z'))
  assert.deepEqual(await readTables(page), first)

  const { width, height } = await grid.boundingBox()
  await grid.dblclick({ position: { x: width / 14, y: height / 14 } })
  await page.waitForSelector('.edit-field:focus')
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('.edit-field').count(), 0)
  assert.deepEqual(complaints, [])
  await close()

  const otherPage = await browser.open(link.replace(ROOM, 'encoder.0.self_attn.weights'))
  const tables = await readTables(otherPage.page)
  const displayed = tables.find(({ name }) => name === weights.name).cells.flat()
  displayed.forEach((text, i) => assert.ok(Object.is(Math.fround(parseFormatted(text)), weights.data[i]), `${i}: ${text}`))
  await otherPage.close()
})

longTest('beside a term of −∞ a finite one has almost no bar', async () => {
  const cell = { name: 'transformer.decoder.layers.0.self_attn.masked_scores', index: [0, 0, 1, 5] }
  const { page, complaints, close } = await open({ room: 'decoder.0.self_attn.mask', cell })
  await page.waitForSelector('.terms .bar', { state: 'attached' })
  const [score, mask] = await page.$$eval('.terms .bar', bars => (
    bars.map(bar => bar.getBoundingClientRect().width / bar.parentElement.clientWidth)))
  assert.ok(score < 0.05 && mask > 0.95, `${score}, ${mask}`)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('changed cells are highlighted once, and not with reduced motion', async () => {
  for (const [reducedMotion, visible] of [['no-preference', true], ['reduce', false]]) {
    const { page, close } = await open({ room: ROOM, cell: CELL }, { reducedMotion })
    await changeTo(page, '3')
    assert.equal(await page.locator('.heat-pulse').count(), 1, 'one matrix of three has changed')
    assert.equal(await page.isVisible('.heat-pulse'), visible)
    await page.waitForFunction(() => !document.querySelector('.heat-pulse'))
    await close()
  }
})

for (const [title, address] of everyNth([['the site', null], ['the single file', SINGLE.href]], 2)) {
  test(`the check recomputes every number: ${title}`, async () => {
    const link = address ? `${address}#${toHash(completeState({ room: ROOM, depth: 'code' }))}` : { room: ROOM, language: 'en' }
    const { page, complaints, close } = await browser.open(link)
    if (address) await page.waitForSelector('.code')
    await page.click('[data-action="check"]')
    await page.waitForSelector('.check-total')
    assert.equal(await page.locator('.check td.is-wrong').count(), 0)
    assert.ok(await page.locator('.check tbody tr').count() > 40)
    await page.click('.check summary')
    assert.deepEqual(await findViolations(page), [])
    assert.deepEqual(complaints, [])
    await close()
  })
}

test('a gradient is checked by a finite difference', async () => {
  const cell = { name: 'output', index: [0, 3, 9], isGradient: true }
  const { page, complaints, close } = await open({ room: 'output', cell })
  await page.click('[data-keep="nudge"]')
  await page.waitForSelector('.nudge .steps')
  const [up, down, slope, gradient] = (await page.$$eval('.nudge dd', list => list.map(item => item.textContent))).map(
    parseFormatted)
  const run = runInNode({})
  assert.ok(Math.abs(gradient / run.explainGradient('output', cell.index).value - 1) < 1e-3)
  assert.ok(Math.abs(slope / gradient - 1) < 0.01)
  assert.equal(Math.sign(up - down), Math.sign(gradient))
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(complaints, [])
  run.dispose()
  await close()
})

longTest('only the result of a finite difference is announced', async () => {
  const cell = { name: 'output', index: [0, 3, 9], isGradient: true }
  for (const language of ['ko', 'en']) {
    const { page, complaints, close } = await open({ room: 'output', cell, language })
    await page.waitForSelector('[data-keep="nudge"]')
    assert.equal(await page.locator('.inspector [role="status"]').count(), 1, 'there before there is anything to say')
    await page.evaluate(() => {
      const live = document.querySelector('.inspector [role="status"]')
      globalThis.heard = []
      new MutationObserver(() => globalThis.heard.push(live.textContent)).observe(live, { childList: true })
    })
    const waitForAnnouncements = count => page.waitForFunction(min => globalThis.heard.length >= min, count)
    await page.click('[data-keep="nudge"]')
    await waitForAnnouncements(1)
    const displayed = await page.$$eval('.nudge dd', list => list.slice(2).map(item => item.textContent))
    const [announcement] = await page.evaluate(() => globalThis.heard)
    assert.ok(displayed.length === 3 && displayed.every(number => announcement.includes(number)), announcement)
    assert.deepEqual(await findViolations(page), [])
    await page.click('[data-keep="nudge"]')
    await waitForAnnouncements(3)
    await page.keyboard.press('Escape')
    for (const selector of ['.product-left .heat', '.product-result .heat']) await page.hover(selector)
    assert.deepEqual(await page.evaluate(() => globalThis.heard), [announcement, '', announcement, ''], 'said again, then taken back')
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('the sentences model can be edited, and an edit without a cell is reported as idle', async () => {
  const state = { model: 'sentences', room: 'text.sum', cell: { name: 'positions.output', index: [0, 1, 2] } }
  const { page, complaints, close } = await open(state)
  await changeAndWait(page, async () => {
    await page.click('[data-keep="change"]')
    await page.fill('.edit-field', '3.5')
    await page.keyboard.press('Enter')
  })
  const edits = [{ name: 'positions.output', index: [0, 1, 2], value: 3.5 }]
  const run = runInNode({ ...state, edits })
  const tables = await readTables(page)
  assert.equal(parseFormatted(tables.at(-1).cells[1][2]), 3.5)
  assert.deepEqual(run.unusedEdits, [])
  await changeAndWait(page, () => page.fill('#inputs textarea', 'word'))
  assert.equal(await page.locator('.edits .is-idle').count(), 1)
  await changeAndWait(page, () => page.selectOption('.models select', 'dates'))
  assert.deepEqual((await readAddress(page)).edits, [], 'another model begins as it is')
  assert.deepEqual(complaints, [])
  run.dispose()
  await close()
})

longTest('twins: every number of the second run is that of Node under its setting', async () => {
  const room = 'encoder.0.self_attn.weights'
  const { page, complaints, close } = await open({ room })
  const first = await readTables(page)
  for (const [name, value] of [['scale', false], ['normFirst', true], ['activation', 'gelu']]) {
    await page.selectOption('.twin-choice select', `${name}:${value}`)
    await page.waitForSelector(`[data-twin="${name}:${value}"]`)
    await page.waitForTimeout(REST)
    const tables = await readTables(page)
    assert.deepEqual(tables.slice(0, first.length), first, 'the first stays')
    const pieces = Object.values(stageData(runInNode({ [name]: value }), room)).filter(part => part?.axis)
    pieces.forEach((piece, i) => tables[first.length + i].cells.flat().forEach((text, at) => (
      assert.ok(Object.is(Math.fround(parseFormatted(text)), piece.values[at]), `${name} ${piece.name} ${at}: ${text}`))))
  }
  assert.deepEqual(await findViolations(page), [])
  await page.selectOption('.twin-choice select', '')
  assert.equal(await page.isVisible('.twin-body'), false)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('twins are side by side where both fit; a cell of the second run is explained in the second run', async () => {
  const state = { room: 'encoder.0.self_attn.scores', twin: 'positional:false' }
  for (const [width, isBeside] of [[1440, true], [360, false]]) {
    const { page, complaints, close } = await open(state, { viewport: { width, height: 900 } })
    await page.waitForSelector('[data-twin]')
    await page.waitForTimeout(REST)
    const boxes = await page.$$eval('.twins > .stage-figure .product-result .heat', heats => heats
      .map(heat => heat.getBoundingClientRect())
      .map(({ left, top, width: wide, height }) => ({ left, top, wide, height })))
    assert.equal(boxes[0].top === boxes[1].top && boxes[1].left > boxes[0].left + boxes[0].wide, isBeside, `${width}`)
    assert.deepEqual([boxes[0].wide, boxes[0].height], [boxes[1].wide, boxes[1].height], 'one scale')
    const name = CELL.name
    const [here, there] = [{}, { positional: false }].map(more => (
      runInNode({ ...more, target: '2026년 11월 20일' }).tensors.get(name).data[0]))
    await page.locator('[data-twin] .product-result .heat').click({ position: { x: 3, y: 3 } })
    await page.waitForSelector('.terms', { state: 'attached' })
    const displayed = await page.$$eval('.compared dd', list => list.map(item => item.textContent))
    assert.deepEqual(displayed, [here, there, there - here].map(value => formatBrief(value)))
    assert.equal(await page.textContent('.facts dd'), formatExact(there))
    await page.waitForURL(/%3At&/)
    await page.reload()
    await page.waitForSelector('.compared', { state: 'attached' })
    assert.equal(await page.textContent('.facts dd'), formatExact(there), 'a link leads to the same cell of the twin')
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('the list of comparisons is among the tools, on a phone below the figure, for the keyboard too', async () => {
  const state = { room: 'encoder.0.self_attn.scores' }
  const phone = { viewport: { width: 360, height: 740 } }
  const orderOf = page => page.evaluate(() => {
    const parts = ['.tools', '.stage-figure', '.twin-choice', '.twins .stage-figure ~ .stage-figure', '.asides']
    const elements = parts.flatMap(selector => [...document.querySelectorAll(selector)].slice(0, 1))
      .filter(element => element.checkVisibility())
    const sorted = before => [...elements].sort(before).map(element => element.className.split(' ').at(-1))
    const top = element => element.getBoundingClientRect().top
    const byEye = sorted((a, b) => top(a) - top(b))
    const isLater = (a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING
    const byKeys = sorted((a, b) => (isLater(a, b) ? -1 : 1))
    return { byEye, byKeys }
  })
  const { page, complaints, close } = await open(state, phone)
  const after = ['tools', 'stage-figure', 'twin-choice', 'asides']
  assert.deepEqual(await orderOf(page), { byEye: after, byKeys: after })
  await page.selectOption('.twin-choice select', 'scale:false')
  await page.waitForSelector('[data-twin="scale:false"]')
  const between = ['tools', 'stage-figure', 'twin-choice', 'stage-figure', 'asides']
  assert.deepEqual(await orderOf(page), { byEye: between, byKeys: between })
  assert.deepEqual(await findViolations(page), [])

  await page.focus('.twin-choice select')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.waitForSelector('.tools .twin-choice select:focus')
  await page.setViewportSize(phone.viewport)
  await page.waitForSelector('.twins > .stage-figure + .twin-choice select:focus')
  await page.evaluate(() => { location.hash = location.hash.replace('self_attn.scores', 'linear1') })
  await page.waitForSelector('#house[data-room="encoder.0.linear1"]')
  assert.equal(await page.isVisible('.tools'), false, 'no row is left of tools that are not there')
  assert.deepEqual(complaints, [])
  await close()
})

longTest('tables that would overlap side by side are below one another', async () => {
  const { page, complaints, close } = await open({ room: 'sampling', twin: 'topK:3' })
  await page.waitForSelector('[data-twin]')
  await page.waitForTimeout(REST)
  const cut = await page.$$eval('.words', lists => lists.map(list => list.scrollWidth > list.clientWidth + 1))
  assert.ok(cut.length >= 2 && !cut.includes(true), 'no table is cut off')
  assert.deepEqual(complaints, [])
  await close()
})

test('a cell of another head stands beside the weights of that head, and a head selected later takes their place', async () => {
  const name = `${ATTENTION}.heads`, { page, complaints, close } = await open({ room: 'encoder.0.self_attn.heads', cell: { name, index: [0, 1, 20] } })
  const title = head => page.waitForFunction(text => document.querySelector('.product-left-caption').textContent.includes(text), `Head\u00a0${head}`)
  const isRowMarked = () => page.evaluate(() => Boolean(document.querySelector('.product-left-left .is-active')))
  await title(2)
  await page.waitForFunction(() => document.querySelector('.product-left-left .is-active'))
  await page.click('[data-picker="head"] label:nth-of-type(4)')
  await title(3)
  assert.equal(await isRowMarked(), false)
  await page.waitForFunction(cell => document.querySelector('[data-exact]').dataset.exact === cell, `${name}[0, 1, 20]`)
  assert.deepEqual(complaints, [])
  await close()
})
