// Where the figure of a room begins, and what a presenter sees.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MODELS } from '../../web/models/index.js'
import { LANGUAGES } from '../../web/words/index.js'
import { isLong, longTest, everyNth, partUnlessLong } from '../lib/long.js'
import { korean } from '../lib/texts.js'
import { readAddress, roomsOnMap, useBrowser } from './host.js'

const { open } = useBrowser()
const SLIDES = [[1024, 768], [1280, 720], [1920, 1080]]
/** Screens of presenters, and a window of 1280 × 720 at 150 and at 200 %: width, height, device pixels per pixel. */
const SCREENS = [[1024, 768, 1], [1280, 720, 1], [1440, 900, 1], [1920, 1080, 1], [3840, 2160, 1], [853, 480, 1.5],
  [640, 360, 2]]
/** Models with rooms of their own; a model that is brought has rooms of the same kinds. */
const HOUSES = MODELS.map(({ id }) => id).filter(id => id !== 'own')

/** Enters rooms and says where their figures begin, as a part of the window's height. */
const measureBeginnings = (page, roomIds) => page.evaluate(async rooms => {
  const results = []
  for (const room of rooms) {
    document.querySelector(`.map li[data-room="${room}"] a`).click()
    await new Promise(resolve => { setTimeout(resolve, 40) })
    const { top } = document.querySelector('.stage .stage-figure').getBoundingClientRect()
    results.push([room, (top + scrollY) / innerHeight])
  }
  return results
}, roomIds)

/** The same on slides, with whether all of the figure is in sight, and how far the page reaches beyond its window. */
const measureSlides = async (page, roomIds) => {
  const results = []
  for (const room of roomIds) {
    const [[, at]] = await measureBeginnings(page, [room])
    results.push(await page.evaluate(([id, top]) => ({
      room: id, at: top, beyond: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      isWhole: document.querySelector('.stage .stage-figure').getBoundingClientRect().bottom <= innerHeight + 1
    }), [room, at]))
  }
  return results
}

for (const [i, language] of everyNth(Object.keys(LANGUAGES), 3).entries()) {
  test(`the figure starts in the upper 60 % of a low window, in every room: ${language}`, async () => {
    for (const model of everyNth(HOUSES, 2)) {
      const { page, close } = await open({ model, language }, { viewport: { width: 1280, height: 720 } })
      await page.waitForSelector('.map li[data-room] a', { state: 'attached' })
      const rooms = await roomsOnMap(page)
      assert.ok(rooms.length > 10)
      const results = await measureBeginnings(page, partUnlessLong(rooms, 3 * i, 12))
      assert.deepEqual(results.filter(([, at]) => at > 0.6), [], model)
      await close()
    }
  })
}

test('P starts the slide mode, arrows and a remote lead on, Escape ends it', async () => {
  for (const [width, height] of everyNth(SLIDES, 3)) {
    const { page, complaints, close } = await open({ room: 'encoder.0.self_attn.scores' },
      { viewport: { width, height } })
    const figure = () => page.locator('.stage-figure').first().boundingBox()
    const before = await figure()
    await page.keyboard.press('p')
    for (const hidden of ['.top', '.side', '.inspector', '.asides']) {
      assert.equal(await page.isVisible(hidden), false, hidden)
    }
    await page.waitForFunction(wide => document.querySelector('.stage-figure').getBoundingClientRect().width > wide, width - 100)
    const slide = await figure()
    assert.ok(slide.width > before.width && slide.y < before.y && slide.y < height * 0.2, `${width}: ${slide.y}`)
    await page.keyboard.press('PageDown')
    assert.equal(await page.getAttribute('#house', 'data-room'), 'encoder.0.self_attn.scale')
    await page.keyboard.press('ArrowLeft')
    assert.equal(await page.getAttribute('#house', 'data-room'), 'encoder.0.self_attn.scores')
    await page.keyboard.press('Escape')
    assert.ok(await page.isVisible('.top'))
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('a slide grows with the screen, stays sharp, and hits the cell under the pointer', async () => {
  const sizeOf = page => page.evaluate(() => {
    const [title, grid, letter] = ['.stage h1', '.stage .heat', '.stage .labels span']
      .map(selector => document.querySelector(selector).getBoundingClientRect())
    const canvas = document.querySelector('.stage .heat canvas')
    return [title.height, grid.height, letter.height, canvas.width / canvas.getBoundingClientRect().width]
  })
  /** @type {number[][]} */ const sizes = []
  for (const [width, height] of [[1280, 720], [1920, 1080], [3840, 2160]]) {
    const { page, complaints, close } = await open({ room: 'encoder.0.self_attn.weights' }, { viewport: { width, height } })
    await page.keyboard.press('p')
    await page.waitForFunction(wide => document.querySelector('.stage').getBoundingClientRect().width > wide, width - 100)
    // Cells are drawn anew for a figure that has become wider.
    await page.evaluate(async () => {
      const wide = () => document.querySelector('.stage .heat').getBoundingClientRect().width
      for (let last = 0; last !== wide();) {
        last = wide()
        await new Promise(resolve => { setTimeout(resolve, 300) })
      }
    })
    sizes.push(await sizeOf(page))
    const grid = await page.locator('.stage .heat').first().boundingBox()
    await page.mouse.click(grid.x + grid.width * 5.5 / 7, grid.y + grid.height * 3.5 / 7)
    assert.deepEqual((await readAddress(page)).cell?.index, [0, 0, 3, 5], `${width}`)
    assert.deepEqual(complaints, [])
    await close()
  }
  const [smallest, ...larger] = sizes
  larger.forEach((size, i) => {
    const [title, grid, letter] = size.map((item, j) => item / smallest[j]), expectedGrowth = [1.25, 2.5][i]
    for (const item of [title, grid, letter]) assert.ok(Math.abs(item - expectedGrowth) < 0.1, `${i}: ${size} to ${smallest}`)
  })
})

/** One room of each kind: layers and towers after the first repeat them. */
const kindsOf = rooms => rooms.filter((room, at) => (
  rooms.findIndex(candidate => kindOf(candidate) === kindOf(room)) === at))
const kindOf = room => room.replace(/\d+/g, '#').replace(/^(encoder|decoder|source|target)\./, '')

for (const [width, height, deviceScaleFactor] of isLong ? SCREENS : SCREENS.slice(-1)) {
  test(`slides of every kind of room, ${width} × ${height}: the figure on top, nothing sideways`, async t => {
    for (const model of isLong ? HOUSES : ['dates']) {
      const { page, close } = await open({ model, language: 'ko' }, { viewport: { width, height }, deviceScaleFactor })
      await page.waitForSelector('.map li[data-room] a', { state: 'attached' })
      const rooms = kindsOf(await roomsOnMap(page))
      await page.keyboard.press('p')
      await page.waitForFunction(() => !document.querySelector('.top').checkVisibility())
      const results = await measureSlides(page, rooms)
      t.diagnostic(`${model}: ${rooms.length} kinds, ${results.filter(({ isWhole }) => isWhole).length} figures whole`)
      assert.deepEqual(results.filter(({ at, beyond }) => at > 0.3 || beyond > 0), [], model)
      await close()
    }
  })
}

test('a remote leads through the opening into the course, and on from a cell, which is explained', async () => {
  for (const [width, height] of everyNth(SLIDES, 2)) {
    const { page, complaints, close } = await open({ room: 'opening' }, { viewport: { width, height } })
    await page.waitForSelector('.living .scrubber')
    await page.keyboard.press('p')
    assert.equal(await page.isVisible('.top'), false)
    for (const part of ['.opening h1', '.living', '.opening-gloss']) {
      const { bottom } = await page.$eval(part, element => element.getBoundingClientRect().toJSON())
      assert.ok(bottom <= height, `${part} ends at ${bottom} of ${height}`)
    }
    const readStep = () => page.$eval('.living .scrubber input', ({ value, max }) => [Number(value), Number(max)])
    await page.$eval('.living .scrubber input', slider => {
      slider.value = '0'
      slider.dispatchEvent(new Event('input'))
    })
    await page.keyboard.press('PageDown')
    const [step, last] = await readStep()
    assert.equal(step, 1)
    await page.keyboard.press('ArrowRight')
    assert.equal((await readStep())[0], step + 1)
    for (let at = step; at < last + 1; at++) await page.keyboard.press('PageDown')
    await page.waitForSelector('.lesson-bar .lesson-text:not(:empty)')
    assert.match(await page.evaluate(() => location.hash), /lesson=learning/)
    await page.locator('.lesson-figure input').first().focus()
    await page.keyboard.press('PageDown')
    await page.waitForSelector('.lesson-bar[data-step="error"]')
    await page.evaluate(() => { location.hash = 'lesson=attention&step=5' })
    await page.waitForSelector('.lesson-bar[data-step="score"]')
    await page.locator('.product-result .heat').click({ position: { x: 8, y: 8 } })
    assert.equal(await page.innerText('.lesson-present'), korean.page.player.presentEnd)
    assert.ok(await page.isVisible('.inspector .terms'))
    await page.keyboard.press('PageDown')
    await page.waitForSelector('.lesson-bar:not([data-step="score"])')
    assert.deepEqual(complaints, [])
    await close()
  }
})
