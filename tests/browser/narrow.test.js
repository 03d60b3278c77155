// A window of 320 pixels, as narrow as WCAG asks for: nothing makes the page scroll sideways.
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
