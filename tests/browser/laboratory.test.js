// The laboratory of positions in the real page: by pointer and by key, on a phone, dark, in both languages.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { roomsOf } from '../../web/rooms/index.js'
import { longTest, everyNth, partUnlessLong } from '../lib/long.js'
import { makeDetachedRun } from '../lib/page.js'
import { changeAndWait, goToRoom, runInNode, completeState, useBrowser, findViolations } from './host.js'
import { compareTables } from './room_tables.js'

const model = 'positions'
const ROOMS = roomsOf(makeDetachedRun({ model })).map(({ id }) => id)
const browser = useBrowser()
const open = (state, options) => browser.open({ model, language: 'en', ...state }, options)
const fact = (page, name) => page.$$eval('.facts-line > div', (list, expected) => (
  list.find(item => item.firstChild.textContent === expected)?.lastChild.textContent), name)

test('the base slider changes the angle of a cell; pressing the angle explains it', async () => {
  const { page, complaints, close } = await open({ room: 'waves' })
  await page.click('.heat canvas', { position: { x: 120, y: 50 } })
  const before = await fact(page, 'angle')
  await page.focus('.tools [data-control="base"] input')
  await changeAndWait(page, () => page.keyboard.press('ArrowLeft'))
  assert.equal(await page.getAttribute('.tools [data-control="base"] input', 'aria-valuetext'), '1000')
  assert.notEqual(await fact(page, 'angle'), before)
  await page.click('.facts-line .cell-link:visible >> nth=1')
  assert.match(await page.textContent('#inspector'), /waves\.angle\[/)
  assert.deepEqual(complaints, [])
  await close()
})

test('the spiral rotates by drag and by key, and the keys do not leave the room', async () => {
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

// Notebooks are read and run in notebooks.test.js.
const PLACES = ROOMS.filter(room => !room.startsWith('notebook'))
const EXPERIMENTS = PLACES.filter(room => room !== 'house')

for (const [i, [name, options]] of everyNth([
  ['a phone, dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark', hasTouch: true }], ['wide, light', {}]
], 2).entries()) {
  test(`every experiment: nothing is wider than the page or unreachable: ${name}`, async () => {
    const { page, complaints, close } = await open({ room: 'house', language: 'ko' }, options)
    for (const room of partUnlessLong(PLACES, i, 4)) {
      await goToRoom(page, room)
      await page.waitForSelector(`#house[data-room="${room}"]`)
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.ok(wide <= 0, `${room} is ${wide} wider`)
      assert.deepEqual(await findViolations(page), [], room)
    }
    assert.deepEqual(complaints, [])
    await close()
  })
}

longTest('every experiment can be embedded in another page', async () => {
  for (const room of everyNth(EXPERIMENTS, 4)) {
    const { page, complaints, close } = await open({ room, embed: true })
    assert.ok(await page.isVisible('.stage-figure canvas'), room)
    for (const hidden of ['#map', '.tools', '.way']) assert.equal(await page.isVisible(hidden), false, room)
    assert.deepEqual(await findViolations(page), [], room)
    assert.deepEqual(complaints, [], room)
    await close()
  }
})

longTest('every experiment can be saved as a picture and a table and copied, with a message', async () => {
  const { page, complaints, close } = await open({ room: 'house' }, { permissions: ['clipboard-read', 'clipboard-write'] })
  for (const room of everyNth(EXPERIMENTS, 2)) {
    await page.mouse.move(2, 2)
    await goToRoom(page, room)
    await page.waitForSelector(`#house[data-room="${room}"] .stage-figure canvas`)
    await page.waitForSelector('#inspector:not([aria-busy="true"]) .cell-name')
    await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'))
    await page.click('.figure .menu .menu-opener')
    const saved = async name => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(`.menu button:text-is("${name}")`)])
      return { name: download.suggestedFilename(), body: await readFile(await download.path()) }
    }
    const [png, svg, csv] = [await saved('PNG'), await saved('SVG'), await saved('CSV')]
    assert.equal(png.body.subarray(1, 4).toString(), 'PNG', room)
    assert.ok(svg.body.toString().startsWith('<svg') && svg.body.length > 1000, room)
    const dots = await page.$$eval('.stage-figure svg circle', all => all.length)
    assert.equal(svg.body.toString().match(/<circle/g)?.length ?? 0, dots, `${room}: every point of every plot`)
    assert.ok(csv.body.toString().split('\n').length > 2, room)
    const cell = await page.textContent('#inspector .cell-name')
    const name = cell.replaceAll('\u200b', '').split('[')[0]
    assert.ok(csv.name.startsWith(name) && png.name.startsWith(name), `${room}: ${csv.name} for ${cell}`)
    for (const [text, array] of [['NumPy', /np\.array/], ['PyTorch', /torch\.tensor/], ['JavaScript', /^const/]]) {
      await page.click(`.menu button:text-is("${text}")`)
      await page.waitForSelector('.figure .menu-said[role="status"]:text-is("Copied")')
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), array, room)
    }
    assert.deepEqual(await findViolations(page, '.figure'), [], room)
    assert.deepEqual(complaints, [], room)
  }
  await close()
})

longTest('every experiment shows its code, each piece once, from the left edge on', async () => {
  const { page, complaints, close } = await open({ room: 'house', depth: 'code' })
  for (const room of EXPERIMENTS) {
    await goToRoom(page, room)
    await page.waitForSelector(`#house[data-room="${room}"] .depth-panel:not([hidden]):not([aria-busy="true"]) .listing`)
    await page.click('.depth-panel .directions button:text-is("C")')
    const places = await page.$$eval('.depth-panel figcaption', list => list.map(item => item.textContent))
    assert.ok(places.length > 0, room)
    assert.deepEqual(places, [...new Set(places)], room)
    assert.ok((await page.$$eval('.depth-panel .code', list => list.map(item => item.textContent[0]))).every(sign => sign !== ' '), room)
    assert.deepEqual(complaints, [], room)
  }
  await close()
})

test('a drop rate of 0 drops nothing, with a note', async () => {
  const { page, complaints, close } = await open({ room: 'dropout' })
  await changeAndWait(page, () => page.fill('.stage [data-control="dropout"] input', '0'))
  await page.waitForFunction(() => /rate of 0/.test(document.querySelector('.stage-figure').textContent))
  assert.equal(await page.locator('.stage-figure .heat:visible').count(), 2)
  await changeAndWait(page, () => page.fill('.stage [data-control="dropout"] input', '0.5'))
  await page.waitForFunction(() => document.querySelectorAll('.stage-figure .heat[aria-label]').length === 3)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('at a drop rate of 0 the slider keeps the focus, and the old mask can be neither explained nor exported', async () => {
  const { page, complaints, close } = await open({
    room: 'dropout', dropout: 0.05, depth: 'code', cell: { name: 'dropout.drop.mask', index: [0, 0, 0] }
  })
  const slider = await page.$('.stage [data-control="dropout"] input')
  const countVisible = () => page.$$eval('.stage-figure .heat', list => list.filter(item => item.checkVisibility()).length)
  const turnMenu = () => page.$eval('.figure .menu-body', menu => new Promise(resolve => {
    menu.addEventListener('toggle', resolve, { once: true })
    menu.togglePopover()
  }).then(() => menu.querySelectorAll('.menu-choice input').length))
  async function listOptions() {
    const count = await turnMenu()
    await turnMenu()
    return count
  }
  for (const [key, value, matrices] of [['ArrowLeft', '0', 2], ['ArrowRight', '0.05', 3]]) {
    await slider.focus()
    await changeAndWait(page, () => page.keyboard.press(key))
    assert.ok(await slider.evaluate(element => element === document.activeElement), `${key}: the focus stays`)
    assert.deepEqual([await slider.inputValue(), await countVisible(), await listOptions()],
      [value, matrices, matrices], key)
    await page.waitForSelector('.depth-panel:not([hidden]):not([aria-busy="true"]) .listing')
    const origins = await page.$$eval('.stage-figure [data-tensor]', list => (
      list.filter(item => item.checkVisibility()).map(item => item.dataset.tensor)))
    assert.equal(origins.includes('dropout.drop.mask'), matrices === 3, key)
    assert.equal(/mask/.test(await page.textContent('#inspector .cell-name')), matrices === 3, key)
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('selecting another pair of the circle changes the explained cell and the exported matrix', async () => {
  const { page, close } = await open({ room: 'circle' })
  await page.click('.stage-figure .segments label:nth-child(3)')
  assert.match(await page.textContent('#inspector .cell-name'), /pairs\[2, 1, 0\]/)
  await page.click('.figure .menu .menu-opener')
  assert.equal(await page.getAttribute('.menu-choice input:checked', 'aria-label'), 'Points of pair 2')
  await close()
})

longTest('only relevant settings can be compared; a comparison from a link stays visible', async () => {
  const groups = page => page.$$eval('.twin-choice optgroup', all => all.map(item => item.label))
  const { page, close } = await open({ room: 'extrapolation' })
  assert.deepEqual(await groups(page), ['Seed'])
  assert.match(await page.textContent('.tools .compare'), /Compare/)
  await close()
  const linked = await open({ room: 'extrapolation', twin: 'base:100' })
  assert.deepEqual(await groups(linked.page), ['Base n', 'Seed'])
  assert.equal(await linked.page.inputValue('.twin-choice select'), 'base:100')
  await linked.close()
})

longTest('the house has a row that leads to the notebooks, each by its name', async () => {
  const { page, close } = await open({ room: 'house' })
  const names = await page.$$eval('.house-notebooks a', links => links.map(link => link.textContent))
  assert.deepEqual(names.map(name => name.slice(0, 12)), ['000', '001', '002', '003', '004'].map(id => `Notebook ${id}`))
  assert.ok(names.every(name => name.length > 18))
  await page.click('.house-notebooks li:nth-child(5) a')
  assert.equal(await page.getAttribute('#house', 'data-room'), 'notebook.004')
  await close()
})

longTest('a language that was chosen is there again without a link, and a link has its own', async () => {
  const { page, close } = await browser.open({ model, room: 'waves' })
  assert.equal(await page.getAttribute('html', 'lang'), 'ko')
  await page.click('[data-language="en"]')
  await page.waitForSelector('html[lang="en"]')
  await page.goto('about:blank')
  await page.goto(browser.url())
  await page.waitForSelector('html[lang="en"]')
  await page.goto('about:blank')
  await page.goto(`${browser.url()}#language=ko`)
  await page.waitForSelector('html[lang="ko"]')
  await close()
})

for (const language of everyNth(['ko', 'en'], 2)) test(`every number of every experiment is the library's in Node, ${language}`, async t => {
  const state = completeState({ model: 'positions', room: 'waves', language })
  const { page, complaints, close } = await browser.open(state)
  const run = runInNode(state), count = await compareTables(page, run, state)
  run.dispose()
  assert.ok(count > 2000, `${count}`)
  t.diagnostic(`${count} numbers compared`)
  assert.deepEqual(complaints, [])
  await close()
})
