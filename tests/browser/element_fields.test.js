// What a reader changes in a figure of another page: the text that its model reads, and the room.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { READY, modelOf, textField } from '../../web/models/index.js'
import { figure, html, showAll, useBlog } from './element_pages.js'
import { findViolations } from './host.js'

const WITH_TEXT = READY.filter(model => textField(model))
const PAGES = {
  'empty.html': html(''), 'rooms.html': html(figure({ room: 'house', lang: 'en' })),
  'source.html': html(figure({ room: 'weights', input: '3/4/1999', lang: 'en', controls: '' })),
  'without.html': html(figure({ room: 'weights', lang: 'en' }))
}
const { open } = useBlog(PAGES)
const FIELD = '.field-line :is(input, textarea)'
const answerOf = page => page.evaluate(() => globalThis.events.findLast(({ type }) => type === 'glass-run').detail.answer)

test("with controls, the reader's own text is computed, and what is wrong with it is said beside it", async () => {
  const { page, complaints, close } = await open('source.html')
  await showAll(page)
  assert.equal(await page.inputValue(FIELD), '3/4/1999')
  const before = await answerOf(page)
  await page.fill(FIELD, 'may 1 2001')
  await page.waitForFunction(() => globalThis.events.findLast(({ type }) => type === 'glass-run').detail.settings.source === 'may 1 2001')
  const answer = await answerOf(page)
  assert.notEqual(answer, before)
  await page.waitForFunction(text => document.querySelector('glass-figure').shadowRoot.querySelector('.is-target input').placeholder === text, answer)
  assert.match(await page.textContent('.provenance'), /may 1 2001/)
  assert.match(await page.evaluate(() => document.querySelector('glass-figure').link), /source=may\+1\+2001/)
  assert.deepEqual(await findViolations(page, 'html'), [])
  await page.fill(FIELD, 'q'.repeat(200))
  await page.waitForFunction(() => document.querySelector('glass-figure').shadowRoot.querySelector('.field-line .problem').textContent)
  assert.match(await page.textContent('.provenance'), /may 1 2001/, 'the last run stays')
  assert.deepEqual(complaints, [])
  await close()
})

test('every model that reads a text has its field in three languages, and a figure without controls has none', async () => {
  const { page, complaints, close } = await open('empty.html')
  for (const { id } of WITH_TEXT) for (const lang of ['ko', 'en', 'zh']) {
    await page.evaluate(([model, language]) => {
      document.querySelector('main').innerHTML = `<glass-figure model="${model}" lang="${language}" controls></glass-figure>`
    }, [id, lang])
    await page.waitForSelector('.root[data-room]')
    assert.equal(await page.getAttribute(FIELD, 'data-field'), textField(modelOf(id)))
    assert.doesNotMatch(await page.textContent('.field-line'), /\bcontrols\.\w/, `${id} ${lang}`)
    const { width, scrollWidth } = await page.$eval('.field-line', ({ clientWidth, scrollWidth }) => ({ width: clientWidth, scrollWidth }))
    assert.ok(scrollWidth <= width, `${id} ${lang}`)
  }
  assert.deepEqual(complaints, [])
  await close()
  const without = await open('without.html')
  await showAll(without.page)
  assert.equal(await without.page.$('.field-line'), null)
  assert.ok(without.requested.every(address => !/fields/.test(address)))
  await without.close()
})

test('a link to another room has a way back', async () => {
  const { page, complaints, close } = await open('rooms.html'), back = page.locator('.glass-body > button')
  await page.waitForSelector('.root[data-room] .stage-figure a')
  const title = await page.textContent('.glass-title')
  assert.ok(await back.isHidden())
  await page.locator('.stage-figure a').nth(2).click()
  await back.waitFor()
  assert.equal(await back.textContent(), `← ${title}`)
  assert.notEqual(await page.textContent('.glass-title'), title)
  await back.focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(text => document.querySelector('glass-figure').shadowRoot.querySelector('.glass-title').textContent === text, title)
  assert.ok(await back.isHidden())
  assert.equal(await page.evaluate(() => document.querySelector('glass-figure').shadowRoot.activeElement.className), 'glass-title')
  assert.deepEqual(complaints, [])
  await close()
})
