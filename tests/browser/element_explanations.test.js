// The explanation of a pinned number in an element: by keyboard, on a phone, and when a script displays something else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figure, html, showAll, useBlog } from './element_pages.js'

const ROOM = { model: 'dates', room: 'encoder.0.self_attn.weights', lang: 'en' }
const LINK = 'v=1&model=dates&room=encoder.0.self_attn.weights&cell=transformer.encoder.layers.0.self_attn.weights:0,0,1,1'
const PAGES = {
  'one.html': html(figure(ROOM)), 'dialog.html': html(`<dialog>${figure(ROOM)}</dialog>`),
  'two.html': html(figure(ROOM) + figure(ROOM)), 'pinned.html': html(`${figure({ state: LINK, lang: 'en' })}`)
}
const { open } = useBlog(PAGES)
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true }

/** What has the focus in the figure. */
const focused = page => page.evaluate(() => {
  const active = document.querySelector('glass-figure').shadowRoot.activeElement
  return active && (active.getAttribute('role') ?? active.className)
})
const describedCell = page => page.evaluate(() => (
  document.querySelector('glass-figure').shadowRoot.activeElement.querySelector('[role="gridcell"]').textContent))
/** Pins the second number of the second row by keyboard. */
async function pin(page, place = page.locator('glass-figure').last()) {
  await place.locator('.heat').last().focus()
  for (const key of ['ArrowRight', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
  await place.locator('.inspector .terms').waitFor()
}
const isClosed = page => page.waitForSelector('.inspector', { state: 'hidden' })

test('Enter and Escape remove an explanation, and the focus is where it was', async () => {
  const { page, complaints, close } = await open('one.html')
  await showAll(page)
  await pin(page)
  const cell = await describedCell(page)
  await page.keyboard.press('Enter')
  await isClosed(page)
  assert.equal(await focused(page), 'grid')
  for (const inside of ['[data-keep="release"]', '.terms button, .steps button, .cell-link, [data-keep="change"]']) {
    await pin(page)
    await page.locator(`.inspector :is(${inside})`).first().focus()
    await page.keyboard.press(inside.includes('release') ? 'Enter' : 'Escape')
    await isClosed(page)
    assert.equal(await focused(page), 'grid', inside)
  }
  await page.keyboard.press('Home')
  await page.keyboard.press('Control+Home')
  for (const key of ['ArrowRight', 'ArrowDown']) await page.keyboard.press(key)
  assert.equal(await describedCell(page), cell)
  assert.deepEqual(complaints, [])
  await close()
})

test('Escape closes the explanation before the dialog around it', async () => {
  const { page, close } = await open('dialog.html')
  await page.evaluate(() => document.querySelector('dialog').showModal())
  await page.waitForSelector('.root[data-room] .figure-foot')
  await pin(page)
  await page.keyboard.press('Escape')
  await isClosed(page)
  assert.ok(await page.evaluate(() => document.querySelector('dialog').open))
  await page.keyboard.press('Escape')
  assert.equal(await page.evaluate(() => document.querySelector('dialog').open), false)
  await close()
})

test('a pressed number brings its explanation into the window and stays where it is; a link does not', async () => {
  for (const options of [PHONE, { viewport: { width: 740, height: 600 } }]) {
    const { page, close } = await open('one.html', { ...options, reducedMotion: 'reduce' })
    await showAll(page)
    await page.evaluate(() => {
      const { shadowRoot } = document.querySelector('glass-figure')
      scrollBy(0, [...shadowRoot.querySelectorAll('.heat')].at(-1).getBoundingClientRect().top - 40)
    })
    const before = await page.evaluate(() => scrollY)
    await page.locator('.heat').last().click({ position: { x: 20, y: 20 } })
    await page.waitForSelector('.inspector .steps, .inspector .terms')
    await page.waitForTimeout(200)
    const found = await page.evaluate(() => {
      const explanation = document.querySelector('glass-figure').shadowRoot.querySelector('.cell-explanation')
      const { top, bottom } = explanation.getBoundingClientRect()
      return { top, bottom, scrollY, height: innerHeight }
    })
    const place = JSON.stringify({ before, ...found })
    assert.ok(found.scrollY === before && found.top > 80 && found.bottom < found.height, place)
    await close()
  }
  const linked = await open('pinned.html', { ...PHONE, reducedMotion: 'reduce' })
  await linked.page.waitForSelector('.inspector .steps, .inspector .terms')
  await linked.page.waitForTimeout(300)
  assert.equal(await linked.page.evaluate(() => scrollY), 0)
  assert.ok(await linked.page.evaluate(() => (
    document.querySelector('glass-figure').shadowRoot.querySelector('.cell-explanation').getBoundingClientRect().top > innerHeight)))
  await linked.close()
})

test('a number that was pressed low in the window is not covered by its explanation', async () => {
  for (const options of [PHONE, { viewport: { width: 740, height: 600 } }]) {
    const { page, close } = await open('one.html', { ...options, reducedMotion: 'reduce' })
    await showAll(page)
    // Below the figure there is more of the page.
    await page.evaluate(() => { document.body.style.paddingBottom = '100vh' })
    await page.evaluate(() => {
      const { shadowRoot } = document.querySelector('glass-figure')
      scrollBy(0, [...shadowRoot.querySelectorAll('.heat')].at(-1).getBoundingClientRect().top + 60 - innerHeight)
    })
    await page.locator('.heat').last().click({ position: { x: 20, y: 20 } })
    await page.waitForSelector('.inspector .steps, .inspector .terms')
    await page.waitForTimeout(200)
    const [pressed, panel] = await page.evaluate(() => {
      const { shadowRoot } = document.querySelector('glass-figure')
      return ['.heat', '.inspector'].map(selector => [...shadowRoot.querySelectorAll(selector)].at(-1).getBoundingClientRect().top)
    })
    assert.ok(pressed + 20 < panel && panel < options.viewport.height - 100, `${pressed} ${panel}`)
    await page.click('.inspector [data-keep="change"]')
    const field = await page.locator('.inspector .edit-field').boundingBox()
    const { y } = await page.locator('.inspector').boundingBox()
    assert.ok(field.y >= y && field.y + field.height <= options.viewport.height, `${field.y} ${y}`)
    await close()
  }
})

test('what is written of a cell goes when a script displays something else', async () => {
  const { page, close } = await open('one.html')
  await showAll(page)
  for (const [name, value] of Object.entries({ head: '2', input: 'may 1 2001' })) {
    await pin(page)
    await page.evaluate(([key, text]) => { document.querySelector('glass-figure')[key] = text }, [name, value])
    await isClosed(page)
    await page.waitForTimeout(500)
    assert.equal(await page.isVisible('.glass-cell'), false, name)
  }
  await close()
})

test('what a reader has pressed stays when a script changes only how a figure looks', async () => {
  const { page, complaints, close } = await open('one.html')
  await showAll(page)
  await pin(page)
  const cell = await page.textContent('.inspector .cell-name')
  await page.evaluate(() => Object.assign(document.querySelector('glass-figure'), { theme: 'dark', depth: 'formula' }))
  await page.waitForSelector('.root[data-theme="dark"][data-depth="formula"]')
  await page.waitForTimeout(500)
  assert.equal(await page.textContent('.inspector .cell-name'), cell)
  assert.ok(await page.isVisible('.inspector .terms'))
  assert.deepEqual(complaints, [])
  await close()
})

test('Undo is of a figure\'s own edits, and only while it changes something', async () => {
  const { page, close } = await open('two.html')
  await showAll(page)
  const figures = page.locator('glass-figure')
  await pin(page, figures.nth(0))
  await figures.nth(0).locator('[data-keep="change"]').click()
  await figures.nth(0).locator('.edit-field').fill('0')
  await page.keyboard.press('Enter')
  await figures.nth(0).locator('.edits li').waitFor()
  assert.ok(await figures.nth(0).locator('[data-keep="undo"]').isEnabled())
  await pin(page, figures.nth(1))
  assert.equal(await figures.nth(1).locator('[data-keep="undo"]').count(), 0, 'the other figure has no edits')
  await page.evaluate(() => { document.querySelector('glass-figure').input = '3/4' })
  await page.evaluate(() => { document.querySelector('glass-figure').input = '3/4/1999' })
  await page.waitForTimeout(1000)
  await pin(page, figures.nth(0))
  assert.equal(await figures.nth(0).locator('[data-keep="undo"]:enabled').count(), 0, 'its edit is gone')
  await close()
})
