// The rooms on how a text is cut into tokens, in real Chromium: what is written there is what the tokenizer does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bertFiles } from '../lib/brought.js'
import { gf } from '../lib/engine.js'
import { beyond, changing, go, useHouse, violations } from './host.js'

const house = useHouse()
const TEXT = 'Julia went to the riverbank ж'

/** Brings a model and gives it a text. */
async function bring(page, files, text) {
  await page.evaluate(() => {
    const select = document.querySelector('.models select')
    select.value = 'own'
    select.dispatchEvent(new Event('change', { bubbles: true }))
  })
  await page.setInputFiles('.bring input', Object.entries(files).map(([name, content]) => (
    { name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) })))
  await page.waitForSelector('.bring .primary:visible')
  await changing(page, () => page.click('.bring .primary'))
  await changing(page, () => page.fill('[data-field="beginning"]', text))
}

/** Goes to a room and waits until its figure is there. */
async function enter(page, room, figure) {
  await go(page, room)
  await page.waitForSelector(figure)
}

const textsOf = (page, selector) => page.$$eval(selector, all => all.map(one => one.textContent))

test('WordPiece: every piece that is looked up, by mouse and keyboard, on a phone too', async () => {
  const files = bertFiles(), { page, complaints, close } = await house.open({ language: 'en' })
  await bring(page, files, TEXT)
  await enter(page, 'text.longest', '.tries li')
  const words = gf.text.tokenizer({ 'tokenizer.json': files['tokenizer.json'] }).explain(TEXT)
  assert.deepEqual(await textsOf(page, '.chip span'), words.map(word => word.text))
  const isShown = async ({ text, tries }) => {
    assert.match(await page.textContent('.search h2'), new RegExp(`“${text}”: ${tries.flat().length} `))
    assert.deepEqual(await textsOf(page, '.try-piece'), tries.flat().map(one => one.piece))
    assert.deepEqual(await textsOf(page, '.tries .is-found .try-piece'), tries.map(some => some.at(-1))
      .filter(one => one.id !== undefined).map(one => one.piece))
  }
  await isShown(words.reduce((most, word) => (word.tries.flat().length > most.tries.flat().length ? word : most)))
  await page.click('.chip:first-child')
  await isShown(words[0])
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await isShown(words[1])
  await page.click('.chip:last-child')
  await isShown(words.at(-1))
  assert.match((await textsOf(page, '.search .note')).at(-1), /“ж” is one letter and still no piece/)
  assert.deepEqual(await violations(page), [])
  await page.setViewportSize({ width: 360, height: 740 })
  assert.equal(await beyond(page), 0)
  assert.deepEqual(complaints, [])
  await close()
})
