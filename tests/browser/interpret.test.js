// Parts switched off, words said early, lengths of the stream: every number in Chromium is that of a run made in Node.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partKey } from '../../web/lib/ablation_parts.js'
import { data as partsData } from '../../web/stages/ablation.js'
import { fromHash } from '../../web/shell/state.js'
import { READY } from '../../web/models/index.js'
import { roomsOf } from '../../web/rooms/index.js'
import { longTest, sample, share } from '../lib/long.js'
import { beyond, changing, runHere, stateOf, useHouse, violations } from './host.js'
import { gridCell } from './model_tables.js'
import { viewOf } from './number_kinds.js'

const { open } = useHouse()
const code = { texts: new Set(), places: new Set() }

/** Every number of the tables that are shown, with where it stands. */
const cells = page => page.evaluate(() => [...document.querySelectorAll('.grid td > *')].map(element => {
  const cell = element.parentElement
  const table = [...document.querySelectorAll('.grid')].indexOf(cell.closest('.grid'))
  return [element.textContent, { table, key: cell.parentElement.dataset.key, col: cell.cellIndex - 1,
    part: element.localName }]
}).filter(([text]) => text !== ''))

const settled = page => page.waitForFunction(() => (
  document.querySelector('.grid td span')?.textContent && !document.querySelector('.stage [aria-busy="true"]')))

/** What is wrong in the tables of a room. */
async function judged(page, state) {
  await settled(page)
  const run = runHere(state)
  const rooms = roomsOf(run)
  const view = { ...viewOf(run, state, rooms, code), room: rooms.find(({ id }) => id === state.room) }
  const all = await cells(page)
  const wrong = all.filter(([text, about]) => !gridCell(view, text, about))
  assert.deepEqual(wrong.slice(0, 5), [], `${state.model} ${state.room}: ${wrong.length} of ${all.length} wrong`)
  run.dispose()
  return all.length
}

const ROOMS = ['parts', 'habits', 'stream', 'costs']

for (const { id: model } of sample(READY.filter(({ rooms }) => !rooms).reverse(), 5)) {
  test(`${model}: its rooms, both languages, both themes`, async t => {
    const looks = [['ko', 'light'], ['en', 'dark']]
    let count = 0
    for (const [i, [language, theme]] of looks.entries()) {
      for (const room of share(ROOMS, i, looks.length)) {
        const state = stateOf({ model, room, language, theme })
        const run = runHere(state)
        const isThere = roomsOf(run).some(({ id }) => id === room)
        run.dispose()
        if (!isThere) continue
        const { page, complaints, close } = await open(state)
        count += await judged(page, state)
        assert.deepEqual(await violations(page), [], `${room} ${language}`)
        assert.deepEqual(complaints, [])
        await close()
      }
    }
    t.diagnostic(`${count} numbers`)
    assert.ok(count > 20)
  })
}

test('ablating a part by keyboard changes the link, every room and the answer, and can be undone', async () => {
  const state = stateOf({ room: 'parts', language: 'en' })
  const { page, close } = await open(state)
  await settled(page)
  const plain = runHere(state)
  const view = { ...viewOf(plain, state, roomsOf(plain), code), room: roomsOf(plain).find(({ id }) => id === 'parts') }
  const { parts } = partsData(plain, { ...state, room: view.room })
  const at = parts.findIndex(({ kind, tower, layer }) => kind === 'layer' && tower === 'decoder' && layer === 0)
  const off = page.locator('.switch').nth(at)
  await off.focus()
  await changing(page, () => page.keyboard.press('Enter'))
  assert.equal(await off.getAttribute('aria-checked'), 'false')
  const now = fromHash(new URL(page.url()).hash)
  assert.deepEqual(now.edits, parts[at].edits)
  const without = runHere(now)
  const written = run => run.decoding.steps.map(({ token }) => token).join('')
  assert.notEqual(written(without), written(plain))
  assert.match(await page.locator('.parts-now').textContent(), /Decoder layer 1 · whole layer/)
  const { page: other, close: closeOther } = await open(now)
  await judged(other, now)
  await closeOther()
  await settled(page)
  await off.focus()
  await changing(page, () => page.keyboard.press('Space'))
  assert.deepEqual(fromHash(new URL(page.url()).hash).edits, [])
  for (const run of [plain, without]) run.dispose()
  await close()
})

test('a run can be compared with an ablated one: the menu lists the parts that matter in the room', async () => {
  const state = stateOf({ room: 'encoder.0.linear1', language: 'en' })
  const { page, close } = await open(state)
  const labels = await page.$$eval('.twin-choice optgroup', list => list.map(({ label }) => label))
  assert.ok(labels.includes('A part switched off'))
  assert.ok(!labels.some(label => /Temperature|Beams/.test(label)), 'nothing about the choice of an answer')
  assert.ok(!labels.some(label => /Vector length|Heads|Seed|Layers/.test(label)), 'nothing that trained weights fix')
  const offered = await page.$$eval('.twin-choice option[value^="without:"]', list => list.map(({ textContent }) => textContent))
  assert.ok(offered.includes('without Encoder layer 1 · Self-attention · head 2'))
  assert.ok(!offered.some(text => /Decoder|layer 2/.test(text)), offered.join())
  const plain = runHere(state)
  const { parts } = partsData(plain, { ...state, room: roomsOf(plain).find(({ id }) => id === 'parts') })
  const part = parts.find(({ kind, tower, head }) => kind === 'head' && tower === 'encoder' && head === 2)
  await page.selectOption('.twin-choice select', `without:${partKey(part)}`)
  await page.waitForFunction(() => document.querySelector('.twins.is-on .stage-figure[data-twin] .heat'))
  assert.match(await page.locator('.twins-there').textContent(), /without Encoder layer 1 · Self-attention · head 2/)
  const difference = await page.locator('.twin-body .heat').count()
  assert.ok(difference > 0)
  plain.dispose()
  await close()
})

test('on a phone the rooms fit the window', async () => {
  for (const room of sample(ROOMS, 2)) {
    const { page, close } = await open({ room, language: 'ko' }, { viewport: { width: 360, height: 740 }, hasTouch: true })
    await settled(page)
    assert.equal(await beyond(page), 0)
    if (room === 'stream') {
      await page.locator('.grid td').nth(4).tap()
      assert.match(await page.locator('.stream-told').textContent(), / · /)
    }
    await close()
  }
})

longTest('an ablated residual is listed among the changes by both names', async () => {
  const { page, complaints, close } = await open(stateOf({ room: 'parts', language: 'en' }))
  await settled(page)
  await changing(page, () => page.click('.switch[aria-label="Encoder layer 1 · Self-attention residual"]'))
  const widths = await page.$$eval('.edits li :is(.cell-link, .edit-value)', list => list.map(one => one.getBoundingClientRect().width))
  assert.equal(widths.length, 2)
  assert.ok(widths.every(width => width > 100), `${widths} pixels`)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('axe finds nothing in an incomplete table or in the row of an ablated part', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open(stateOf({ room: 'parts', language: 'en' }), { colorScheme })
    await settled(page)
    await changing(page, () => page.click('.switch[aria-label="Encoder layer 1 · Self-attention residual"]'))
    await settled(page)
    await page.$eval('.grid-frame', frame => frame.setAttribute('aria-busy', 'true'))
    assert.deepEqual(await violations(page, '.stage'), [], colorScheme)
    await close()
  }
})
