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

const change = (page, attributes) => page.evaluate(all => {
  Object.assign(document.querySelector('glass-figure'), all)
}, attributes)
const settingsOf = page => page.evaluate(() => globalThis.events.findLast(({ type }) => type === 'glass-run').detail.settings)
const untilLink = (page, part) => page.waitForFunction(text => document.querySelector('glass-figure').link.includes(text), part)

test("a script's change keeps what the reader has written, and the same value again undoes it", async () => {
  const { page, complaints, close } = await open('source.html')
  await showAll(page)
  await page.fill(FIELD, 'may 1 2001')
  await untilLink(page, 'source=may+1+2001')
  await change(page, { head: '2' })
  await untilLink(page, 'head=2')
  assert.equal(await page.inputValue(FIELD), 'may 1 2001')
  await change(page, { room: 'scores' })
  await untilLink(page, 'scores')
  assert.equal((await settingsOf(page)).source, 'may 1 2001')
  await change(page, { input: '3/4/1999' })
  await page.waitForFunction(() => globalThis.events.findLast(({ type }) => type === 'glass-run').detail.settings.source === '3/4/1999')
  assert.equal(await page.inputValue(FIELD), '3/4/1999')
  assert.deepEqual(complaints, [])
  await close()
})

test('after another language and back, a wrong input leaves the fields as they are', async () => {
  const { page, close } = await open('source.html')
  await showAll(page)
  for (const lang of ['ko', 'en']) {
    await change(page, { lang })
    await page.waitForFunction(text => document.querySelector('glass-figure').shadowRoot.querySelector('.root').lang === text, lang)
    await page.waitForSelector('.root[data-room] .figure-foot')
  }
  const countSheets = () => page.$eval('glass-figure', ({ shadowRoot }) => shadowRoot.adoptedStyleSheets.length)
  const before = await countSheets()
  await change(page, { input: 'banana' })
  await page.waitForSelector('.glass-error')
  assert.equal(await countSheets(), before)
  await page.fill(FIELD, 'may 1 2001')
  await page.waitForFunction(() => !document.querySelector('glass-figure').shadowRoot.querySelector('.glass-error'))
  await close()
})

test('what is wrong with a text stays on a phone, and an example or Escape leads back', async () => {
  const { page, complaints, close } = await open('source.html', { viewport: { width: 390, height: 844 } })
  await showAll(page)
  const helpEdges = () => page.$eval('.field-line .is-wrong .help', help => {
    const { left, right, height } = help.getBoundingClientRect()
    return { left, right, height, width: innerWidth, scroll: document.documentElement.scrollWidth }
  })
  await page.fill(FIELD, 'banana')
  await page.waitForSelector('.field-line .is-wrong .help')
  const open1 = await helpEdges()
  assert.ok(open1.left >= 0 && open1.right <= open1.width && open1.scroll <= open1.width, JSON.stringify(open1))
  await page.keyboard.press('Escape')
  const closed = await helpEdges()
  assert.ok(closed.height < open1.height / 2, 'only the problem is left')
  await page.focus(FIELD)
  await page.focus('.field-line .examples button')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => !document.querySelector('glass-figure').shadowRoot.querySelector('.is-wrong'))
  assert.equal(await page.evaluate(() => document.querySelector('glass-figure').shadowRoot.activeElement?.dataset.field), 'source')
  assert.deepEqual(complaints, [])
  await close()
})

test('a figure follows the letters of its page', async () => {
  const { page, close } = await open('source.html'), enlarged = () => page.$eval('.root', root => root.style.getPropertyValue('--enlarged'))
  await showAll(page)
  assert.equal(await enlarged(), '1')
  await page.evaluate(() => { document.body.style.fontSize = '24px' })
  await page.waitForFunction(() => document.querySelector('glass-figure').shadowRoot.querySelector('.root').style.getPropertyValue('--enlarged') === '1.5')
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
