// The rooms about ablation, head scores, the residual stream and costs: every number in Chromium equals Node's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partKey } from '../../web/lib/ablation_parts.js'
import { data as partsData } from '../../web/stages/ablation.js'
import { fromHash } from '../../web/models/state.js'
import { READY } from '../../web/models/index.js'
import { roomsOf } from '../../web/rooms/index.js'
import { longTest, everyNth, partUnlessLong } from '../lib/long.js'
import { measureOverflow, changeAndWait, runInNode, completeState, useBrowser, findViolations } from './host.js'
import { isGridCellRight } from './model_tables.js'
import { createTextView } from './number_kinds.js'

const { open } = useBrowser()
const code = { texts: new Set(), places: new Set() }

/** Reads the cells of the visible tables: their text and their location. */
const readCells = page => page.evaluate(() => [...document.querySelectorAll('.grid td > *')].map(element => {
  const cell = element.parentElement
  const table = [...document.querySelectorAll('.grid')].indexOf(cell.closest('.grid'))
  return [element.textContent, { table, key: cell.parentElement.dataset.key, col: cell.cellIndex - 1,
    part: element.localName }]
}).filter(([text]) => text !== ''))

const waitForTable = page => page.waitForFunction(() => (
  document.querySelector('.grid td span')?.textContent && !document.querySelector('.stage [aria-busy="true"]')))

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
      assert.match(await page.locator('.stream-told').textContent(), / · /)
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
