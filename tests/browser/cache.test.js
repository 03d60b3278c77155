// The room of the cache in Chromium: what a step takes with a cache and without is what the same run says in Node.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareCache } from '../../web/worker/cache_comparison.js'
import { gf } from '../lib/engine.js'
import { readAddress, measureOverflow, runInNode, completeState, useBrowser, findViolations } from './host.js'
import { everyNth } from '../lib/long.js'

const { open } = useBrowser()

const waitUntilLoaded = page => page.waitForFunction(() => (
  document.querySelector('.cache-costs td span')?.textContent && !document.querySelector('.stage [aria-busy="true"]')))

/** What the table says, line by line, as numbers. */
const table = page => page.$$eval('.cache-costs tbody tr', lines => Object.fromEntries(lines.map(line => [
  line.dataset.key, [...line.querySelectorAll('td span')].map(({ textContent }) => Number(textContent.replaceAll(',', '')))])))

/** The same from a run made here. */
function expected(state) {
  const run = runInNode(state), { rows } = run.decoding
  const all = rows.map(row => compareCache(gf, run.workerRun, { read: rows[0] + 1, row }))
  run.dispose()
  return {
    all, table: {
      kept: all.map(item => item.multiplyAdds.cached), whole: all.map(item => item.multiplyAdds.full),
      bytes: all.map(({ bytes }) => bytes.generated + bytes.source)
    }
  }
}
const numbersIn = text => (text.match(/\d[\d,.]*\d|\d/g) ?? []).map(item => Number(item.replaceAll(',', '')))

for (const [language, theme, more] of everyNth([
  ['ko', 'light', {}], ['en', 'light', { tgtIsCausal: false }],
  ['en', 'dark', { model: 'stories', beginning: 'Julia went' }]
], 3)) {
  test(`${more.model ?? 'dates'}, ${Object.keys(more).at(-1)}, ${language}: products, bytes and the comparison as in Node`, async () => {
    const state = completeState({ room: 'cache', step: 2, language, theme, ...more })
    const { page, complaints, close } = await open(state)
    await waitUntilLoaded(page)
    const { all, table: expectedTable } = expected(state)
    assert.deepEqual(await table(page), expectedTable)
    const statedNumbers = numbersIn(await page.textContent('.stage-figure > .note'))
    const { compared, identical } = all[2]
    assert.deepEqual(statedNumbers.toSorted((a, b) => b - a), identical === compared ? [compared]
      : [compared, compared - identical])
    assert.equal(identical === compared, more.tgtIsCausal !== false)
    assert.deepEqual(await findViolations(page, '.stage'), [])
    assert.deepEqual(complaints, [])
    await close()
  })
}

test('a number links to its step, arrow keys change it, layer and head are in the link', async () => {
  const { page, close } = await open({ room: 'cache', language: 'en' })
  await waitUntilLoaded(page)
  const columns = () => page.$$eval('.cache-slot .heat', list => list.map(heat => Number(heat.getAttribute('aria-colcount'))))
  assert.deepEqual(await columns(), [12, 12])
  await page.click('.cache-costs tbody tr:first-child td:nth-child(5)')
  await page.waitForFunction(() => document.querySelector('.cache-slot .heat').getAttribute('aria-colcount') === '4')
  assert.equal((await readAddress(page)).step, 3)
  await page.focus('.scrubber input')
  await page.keyboard.press('ArrowRight')
  await page.waitForFunction(() => document.querySelector('.cache-slot .heat').getAttribute('aria-colcount') === '5')
  await page.click('[data-picker="layer"] label:nth-child(2)')
  await page.click('[data-picker="head"] label:nth-child(4)')
  const { layer, head, step } = await readAddress(page)
  assert.deepEqual([layer, head, step], [1, 3, 4])
  assert.equal(await page.getAttribute('.cache-slot .heat', 'data-tensor'), 'transformer.decoder.layers.1.self_attn.k')
  assert.match(await page.textContent('.stage-figure h2'), /is new: one column beside 4/)
  await close()
})

test('with a built-in fault nothing is compared, but the columns are displayed', async () => {
  const { page, complaints, close } = await open({ room: 'cache', language: 'ko', fault: 'tokenNorm' })
  await page.waitForFunction(() => document.querySelector('.cache-costs').hidden)
  assert.equal(await page.textContent('.stage-figure > .note'), '')
  assert.equal(await page.locator('.cache-slot .heat').count(), 2)
  assert.deepEqual(complaints, [])
  await close()
})

test('on a phone nothing reaches beyond the window', async () => {
  const { page, close } = await open({ model: 'stories', room: 'cache', language: 'ko' },
    { viewport: { width: 360, height: 740 }, hasTouch: true })
  await waitUntilLoaded(page)
  assert.equal(await measureOverflow(page), 0)
  await close()
})
