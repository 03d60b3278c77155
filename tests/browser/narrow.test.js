// Narrow windows: 320 pixels, as narrow as WCAG asks for, do not make the page scroll sideways; nothing is covered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureOverflow, useBrowser } from './host.js'

const browser = useBrowser()
const viewport = { width: 320, height: 640 }

for (const language of ['en', 'ko']) {
  test(`320 pixels, ${language}: the training page and one by one`, async () => {
    const states = [
      { theatre: 'dates' }, { theatre: 'text' }, { model: 'stories', room: 'decoding' }, { model: 'dates', room: 'decoding' }
    ]
    for (const state of states) {
      const { page, close } = await browser.open({ language, ...state }, { viewport })
      if (state.theatre) await page.waitForSelector('[data-open]', { state: 'attached' })
      else await page.waitForSelector('.picks .pick')
      assert.equal(await measureOverflow(page), 0, JSON.stringify(state))
      await close()
    }
  })
}

test('the words of a step lead to the field that they ask to change', async () => {
  const { page, complaints, close } = await browser.open({ lesson: 'attention', at: 8, language: 'en' }, { viewport: { width: 390, height: 844 }, hasTouch: true })
  await page.waitForSelector('.pointer')
  await page.waitForFunction(() => scrollY > 300)
  await page.tap('.lesson-text .cell-link')
  const field = page.locator('[data-field="source"]')
  await page.waitForFunction(() => document.activeElement.dataset.field === 'source')
  // The page does not scroll back to the pointed place.
  await page.waitForTimeout(1000)
  const { y, height } = await field.boundingBox()
  assert.ok(y >= 0 && y + height <= 844, String(y))
  // Nothing covers it.
  const isOnTop = await field.evaluate(input => {
    const { left, top, width, height: high } = input.getBoundingClientRect()
    return document.elementFromPoint(left + width / 2, top + high / 2) === input
  })
  assert.ok(isOnTop)
  assert.deepEqual(complaints, [])
  await close()
})

test('a step of a lesson does not cover what is wrong with a typed text', async () => {
  const { page, close } = await browser.open({ lesson: 'attention', at: 9, language: 'en' }, { viewport: { width: 390, height: 844 }, hasTouch: true })
  await page.waitForSelector('.lesson-bar')
  await page.fill('[data-field="source"]', 'my birthday is 3 july 1999')
  const problem = await page.waitForSelector('.help .problem:not(:empty)')
  assert.match(await problem.textContent(), /“my”/)
  const tops = await page.$$eval('.help .problem:not(:empty), .help .examples button:first-child', list => list.map(element => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2))
  }))
  assert.deepEqual(tops, [true, true])
  await close()
})

test('a pressed cell of a lesson unfolds its sum and stays above it; the next step is not covered', async () => {
  const { page, complaints, close } = await browser.open({ lesson: 'attention', at: 4, language: 'en' },
    { viewport: { width: 390, height: 844 }, hasTouch: true })
  const target = await page.waitForSelector('.pointer')
  await page.waitForTimeout(600)
  const { x, y, width, height } = await target.boundingBox()
  await page.touchscreen.tap(x + width / 2, y + height / 2)
  await page.waitForSelector('.inspector.is-open .terms li')
  await page.waitForFunction(() => {
    const [cell, lesson, sheet, sum] = ['.pointer', '.lesson', '.inspector', '.inspector .terms li']
      .map(selector => document.querySelector(selector).getBoundingClientRect())
    return cell.top > lesson.bottom && cell.bottom < sheet.top && sum.bottom < innerHeight
  })
  await page.tap('.lesson-next')
  await page.waitForSelector('.inspector:not(.is-open)')
  assert.deepEqual(complaints, [])
  await close()
})
