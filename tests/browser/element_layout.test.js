// The width and the direction of an element in the layouts of other pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figure, html, showAll, useBlog } from './element_pages.js'

const ONE = figure({ model: 'dates', room: 'encoder.0.self_attn.weights', lang: 'en' })
const LAYOUTS = {
  'flex item': [`<div class="flex">${ONE}</div>`, '.flex { display: flex }'],
  'centered flex item': [`<div class="flex">${ONE}</div>`, '.flex { display: flex; flex-direction: column; align-items: center }'],
  'inside a flex item': [`<div class="flex"><div>${ONE}</div></div>`, '.flex { display: flex }'],
  'grid item': [`<div class="grid">${ONE}</div>`, '.grid { display: grid; justify-items: start }'],
  'table cell': [`<table><tr><td>${ONE}</td></tr></table>`],
  'float': [ONE, 'glass-figure { float: left }'],
  'inline block': [`<div class="inline">${ONE}</div>`, '.inline { display: inline-block }'],
  'dialog': [`<dialog>${ONE}</dialog>`, 'dialog { max-width: 100%; box-sizing: border-box }']
}
const DIRECTIONS = { rtl: 'html { direction: rtl }', vertical: 'html { writing-mode: vertical-rl }' }
const withStyle = (body, name) => html(body, { style: `<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="${name}.css">` })
const nameOf = name => name.replaceAll(' ', '_')
const PAGES = Object.fromEntries([
  ...Object.entries(LAYOUTS).flatMap(([name, [body, css = '']]) => [
    [`${nameOf(name)}.css`, css], [`${nameOf(name)}.html`, withStyle(body, nameOf(name))]]),
  ...Object.entries(DIRECTIONS).flatMap(([name, css]) => [[`${name}.css`, css], [`${name}.html`, withStyle(ONE, name)]])
])
const { open } = useBlog(PAGES)

for (const [width, name] of [[1000, 'in a wide window'], [390, 'on a phone']]) {
  test(`${name} a figure has a width where its content would decide it`, async () => {
    for (const layout of Object.keys(LAYOUTS)) {
      const { page, close } = await open(`${nameOf(layout)}.html`, { viewport: { width, height: 800 } })
      await page.evaluate(() => document.querySelector('dialog')?.showModal())
      await page.waitForSelector('.root[data-room] .figure-foot')
      const found = await page.evaluate(() => (
        { own: document.querySelector('glass-figure').getBoundingClientRect().width, page: document.documentElement.scrollWidth }))
      assert.ok(found.own > Math.min(600, width - 100) && found.own < 700, `${layout}: ${found.own}`)
      assert.equal(found.page, width, layout)
      await close()
    }
  })
}

test('a figure reads from left to right and in horizontal lines, whatever its page does', async () => {
  for (const direction of Object.keys(DIRECTIONS)) {
    const { page, close } = await open(`${direction}.html`)
    await showAll(page)
    const found = await page.evaluate(() => {
      const element = document.querySelector('glass-figure'), { direction: own, writingMode } = getComputedStyle(element.shadowRoot.querySelector('.root'))
      const { width, height } = element.getBoundingClientRect()
      return { own, writingMode, width, height }
    })
    assert.deepEqual([found.own, found.writingMode], ['ltr', 'horizontal-tb'], direction)
    assert.ok(found.width > 300 && found.height > 300, `${direction}: ${found.width} by ${found.height}`)
    await close()
  }
})
