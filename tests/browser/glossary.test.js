// The glossary in the page: opened from the header and from texts, by mouse and keyboard; every term highlights a
// visible matrix.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TERMS } from '../../web/glossary/terms.js'
import { longTest, everyNth, partUnlessLong } from '../lib/long.js'
import { measureOverflow, useBrowser, findViolations } from './host.js'

const { open } = useBrowser()
/** The time in milliseconds in which the address is written. */
const SETTLE_MS = 200

/** Waits until a highlighted matrix is inside the window. */
const waitForHighlight = (page, name) => page.waitForFunction(() => {
  const { top, bottom } = document.querySelector('.heat .pointer')?.getBoundingClientRect() ?? {}
  return bottom > 0 && top < innerHeight
}).catch(() => assert.fail(`no matrix is highlighted for ${name}`))

for (const [i, [language, options]] of everyNth([
  ['ko', { viewport: { width: 1280, height: 720 } }],
  ['en', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }]
], 2).entries()) {
  longTest(`${language}, ${options.viewport.width} pixels: every term highlights a visible matrix`, async () => {
    const { page, complaints, close } = await open({ model: 'dates', room: 'source.tokens', language }, options)
    for (const { id } of partUnlessLong(TERMS, i, 4)) {
      await page.evaluate(() => document.querySelector('[data-action="glossary"]').click())
      await page.waitForSelector('.glossary[open]')
      const link = `[data-term="${id}"] .term-show`
      await (options.hasTouch ? page.tap(link) : page.click(link))
      await page.waitForSelector('.glossary', { state: 'hidden' })
      await waitForHighlight(page, id)
      assert.equal(await measureOverflow(page), 0, id)
    }
    assert.deepEqual(complaints, [])
    await close()
  })
}

test('by keyboard from a room’s text: the term, its entry, its matrix; Escape and Back undo; axe finds nothing', async () => {
  const { page, complaints, close } = await open({ room: 'encoder.0.self_attn.weights', language: 'en' })
  const requests = []
  page.on('request', request => requests.push(request.url()))
  assert.equal(await page.$('.glossary'), null, 'it is fetched when it is opened')
  await page.focus('.lead .term >> text=Softmax')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.glossary[open] [data-term="softmax"].is-current')
  assert.ok(requests.some(url => url.endsWith('.js')))
  assert.equal(await page.evaluate(() => document.activeElement.closest('.term-entry')?.dataset.term), 'softmax')
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('Escape')
  await page.waitForSelector('.glossary', { state: 'hidden' })
  await page.focus('[data-action="glossary"]')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.glossary[open]')
  await page.focus('[data-term="rms"] .term-show')
  await page.keyboard.press('Enter')
  await waitForHighlight(page, 'rms')
  assert.equal(await page.getAttribute('#house', 'data-model'), 'stories')
  await page.waitForTimeout(SETTLE_MS)
  await page.reload()
  await waitForHighlight(page, 'rms, by its link')
  assert.deepEqual(await findViolations(page, '.stage'), [])
  await page.evaluate(() => document.querySelector('.map li[data-room="output"] a, .map li[data-room="linear"] a').click())
  await page.waitForFunction(() => !document.querySelector('.pointer'))
  await page.click('[data-action="glossary"]')
  await page.waitForSelector('.glossary[open]')
  await page.click('.glossary .dialog-head button')
  await page.waitForTimeout(SETTLE_MS)
  assert.doesNotMatch(page.url(), /glossary|lit/)
  assert.deepEqual(complaints, [])
  await close()
})

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
for (const options of [PHONE, { viewport: { width: 1280, height: 720 } }]) {
  test(`a term of a lesson is explained beside it, ${options.viewport.width} pixels`, async () => {
    const { page, complaints, close } = await open({ lesson: 'query', at: 5, language: 'ko' }, options)
    const press = selector => (options.hasTouch ? page.tap(selector) : page.click(selector)), popover = '.lesson-term:popover-open'
    const waitForEnd = () => page.waitForSelector(popover, { state: 'detached' })
    await page.waitForSelector('.lesson-text .term')
    await press('.lesson-text .term')
    assert.match(await (await page.waitForSelector(popover)).textContent(), /^행렬.{8}/)
    const { x, y, width, height } = await page.locator(popover).boundingBox()
    assert.ok(x >= 0 && y >= 0 && x + width <= options.viewport.width && y + height <= options.viewport.height)
    assert.equal(await measureOverflow(page), 0)
    assert.deepEqual(await findViolations(page, '.lesson'), [])
    await page.keyboard.press('Escape')
    await waitForEnd()
    assert.equal(await page.evaluate(() => document.activeElement.className), 'term', 'the focus returns')
    await press('.lesson-text .term')
    await page.waitForSelector(popover)
    await press('.lesson-title')
    await waitForEnd()
    await press('.lesson-text .term')
    await press(`${popover} a`)
    await page.waitForSelector('.glossary[open] [data-term="matrix"].is-current')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.glossary', { state: 'hidden' })
    assert.ok(await page.isVisible('.lesson-text .term'), 'the lesson is still there')
    assert.deepEqual(complaints, [])
    await close()
  })
}
