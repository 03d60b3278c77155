// The laboratory of positions in the real page: by pointer and by key, on a phone, dark, in both languages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roomsOf } from '../../web/rooms/index.js'
import { shownRun } from '../lib/page.js'
import { changing, runHere, stateOf, useHouse, violations } from './host.js'
import { compareTables } from './tables.js'

const model = 'positions'
const ROOMS = roomsOf(shownRun({ model })).map(({ id }) => id)
const house = useHouse()
const open = (state, options) => house.open({ model, language: 'en', ...state }, options)
const fact = (page, name) => page.$$eval('.facts-line > div', (list, wanted) => (
  list.find(one => one.firstChild.textContent === wanted)?.lastChild.textContent), name)

test('the base on its slider changes the angle of a cell; pressing the angle tells how it was made', async () => {
  const { page, complaints, close } = await open({ room: 'waves' })
  await page.click('.heat canvas', { position: { x: 120, y: 50 } })
  const before = await fact(page, 'angle')
  await page.focus('.tools [data-control="base"] input')
  await changing(page, () => page.keyboard.press('ArrowLeft'))
  assert.equal(await page.getAttribute('.tools [data-control="base"] input', 'aria-valuetext'), '1000')
  assert.notEqual(await fact(page, 'angle'), before)
  await page.click('.facts-line .cell-link:visible >> nth=1')
  assert.match(await page.textContent('#inspector'), /waves\.angle\[/)
  assert.deepEqual(complaints, [])
  await close()
})

test('the spiral turns by drag and by key, and the keys do not leave the room', async () => {
  const { page, complaints, close } = await open({ room: 'circle' })
  const line = () => page.getAttribute('.space .is-main', 'd')
  const start = await line()
  const box = await (await page.$('.space')).boundingBox()
  await page.mouse.move(box.x + 60, box.y + 60)
  await page.mouse.down()
  await page.mouse.move(box.x + 160, box.y + 90, { steps: 4 })
  await page.mouse.up()
  const dragged = await line()
  assert.notEqual(dragged, start)
  await page.focus('.space')
  await page.keyboard.press('ArrowRight')
  assert.notEqual(await line(), dragged)
  assert.equal(await page.getAttribute('#house', 'data-room'), 'circle')
  assert.deepEqual(complaints, [])
  await close()
})

for (const [name, options] of [
  ['wide, light', {}], ['a phone, dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark', hasTouch: true }]
]) {
  test(`every experiment: nothing wider than the page, nothing a reader could not reach: ${name}`, async () => {
    for (const room of ROOMS) {
      const { page, complaints, close } = await open({ room, language: 'ko' }, options)
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.ok(wide <= 0, `${room} is ${wide} wider`)
      assert.deepEqual(await violations(page), [], room)
      assert.deepEqual(complaints, [], room)
      await close()
    }
  })
}

test('an experiment stands in another page by itself', async () => {
  const { page, complaints, close } = await open({ room: 'circle', embed: true })
  assert.ok(await page.isVisible('.space'))
  assert.equal(await page.isVisible('#map'), false)
  assert.deepEqual(complaints, [])
  await close()
})

for (const language of ['ko', 'en']) test(`every number of every experiment is the library's in Node, ${language}`, async t => {
  const state = stateOf({ model: 'positions', room: 'waves', language })
  const { page, complaints, close } = await house.open(state)
  const run = runHere(state), count = await compareTables(page, run, state)
  run.dispose()
  assert.ok(count > 2000, `${count}`)
  t.diagnostic(`${count} numbers compared`)
  assert.deepEqual(complaints, [])
  await close()
})
