// Where the figure of a room begins, and what a presenter sees.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share } from '../lib/long.js'
import { roomsOn, useHouse } from './host.js'

const { open } = useHouse()
const SLIDES = [[1024, 768], [1280, 720], [1920, 1080]]

/** Enters rooms and says where their figures begin, as a part of the window's height. */
const beginnings = (page, entered) => page.evaluate(async rooms => {
  const found = []
  for (const room of rooms) {
    document.querySelector(`.map li[data-room="${room}"] a`).click()
    await new Promise(resolve => { setTimeout(resolve, 40) })
    const { top } = document.querySelector('.stage .stage-figure').getBoundingClientRect()
    found.push([room, (top + scrollY) / innerHeight])
  }
  return found
}, entered)

for (const [i, language] of ['ko', 'en'].entries()) {
  test(`the figure begins in the upper 60 % of a low window, in every room: ${language}`, async () => {
    for (const model of ['dates', 'particles', 'stories', 'sentences']) {
      const { page, close } = await open({ model, language }, { viewport: { width: 1280, height: 720 } })
      await page.waitForSelector('.map li[data-room] a', { state: 'attached' })
      const rooms = await roomsOn(page)
      assert.ok(rooms.length > 10)
      const found = await beginnings(page, share(rooms, i, 2))
      assert.deepEqual(found.filter(([, at]) => at > 0.6), [], model)
      await close()
    }
  })
}

test('P makes a slide of a room, arrows and a clicker lead on, Escape ends it', async () => {
  for (const [width, height] of SLIDES) {
    const { page, complaints, close } = await open({ room: 'encoder.0.self_attn.scores' },
      { viewport: { width, height } })
    const figure = () => page.locator('.stage-figure').first().boundingBox()
    const before = await figure()
    await page.keyboard.press('p')
    for (const hidden of ['.top', '.side', '.inspector', '.asides']) {
      assert.equal(await page.isVisible(hidden), false, hidden)
    }
    await page.waitForFunction(wide => document.querySelector('.stage-figure').clientWidth > wide, width - 100)
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
