// The reference in a browser: it is found from the page, searched, read by keyboard and on a phone, in both themes.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { isLong, everyNth, partUnlessLong } from '../lib/long.js'
import { useBrowser } from './host.js'

const AXE = new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)
const { withBrowser, url } = useBrowser()

const open = (options = {}) => withBrowser(async (browser, home) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const page = await context.newPage(), complaints = []
  page.on('console', message => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto(`${home}reference.html`)
  return { page, complaints, close: () => context.close() }
})
const listVisible = page => page.$$eval('main > section > .entry:not([hidden])', all => all.map(item => item.id))

test('the search finds PyTorch names, then texts, and reports when nothing matches', async () => {
  const { page, complaints, close } = await open()
  assert.ok((await listVisible(page)).length > 300)
  await page.keyboard.press('/')
  await page.keyboard.type('layer_norm')
  assert.deepEqual(await listVisible(page), ['F.layerNorm', 'gf.nn.LayerNorm'])
  assert.equal(await page.textContent('#found'), '2 by name')
  await page.fill('#search', 'torch.nn.functional.cross_entropy')
  assert.ok((await listVisible(page)).includes('F.crossEntropy'))
  await page.fill('#search', 'Kaiming')
  assert.deepEqual(await listVisible(page), ['gf.nn.init.kaimingNormal_', 'gf.nn.init.kaimingUniform_'])
  await page.fill('#search', 'Kingma')
  assert.match(await page.textContent('#found'), /that mention it/)
  await page.fill('#search', 'no such thing at all')
  assert.ok(await page.isVisible('#nothing'))
  // Of several matches, the one with exactly this name is in view, and Enter leads to it.
  await page.fill('#search', 'generate')
  const topOf = id => page.evaluate(name => document.getElementById(name).getBoundingClientRect().top, id)
  assert.ok(await topOf('LanguageModel.generate') < 200 && await topOf('gf.nn.Transformer') < 0)
  await page.keyboard.press('Enter')
  assert.match(page.url(), /#LanguageModel\.generate$/)
  await page.fill('#search', 'loadStateDict')
  await page.keyboard.press('Enter')
  assert.match(page.url(), /#.*loadStateDict$/)
  await page.keyboard.press('Escape')
  assert.ok((await listVisible(page)).length > 300)
  // A link to what a search hides shows it.
  await page.fill('#search', 'softmax')
  await page.evaluate(() => { location.hash = 'gf.randn' })
  await page.waitForFunction(() => !document.getElementById('gf.randn').hidden)
  assert.deepEqual(complaints, [])
  await close()
})

for (const [i, theme] of everyNth(['light', 'dark'], 2).entries()) {
  test(`axe finds nothing, ${theme}, wide or on a phone; nothing scrolls sideways or is too small to read`, async () => {
    for (const width of partUnlessLong([1440, 360], i, 2)) {
      const { page, close } = await open({ viewport: { width, height: 760 }, colorScheme: theme })
      const [scroll, small] = await page.evaluate(() => [document.documentElement.scrollWidth,
        [...document.querySelectorAll('main *, nav *, header *')].filter(element => element.checkVisibility() && element.textContent.trim() &&
          parseFloat(getComputedStyle(element).fontSize) < 13).slice(0,
          3).map(element => element.outerHTML.slice(0, 80))])
      assert.ok(scroll <= width, `${scroll} of ${width}`)
      assert.deepEqual(small, [])
      await page.fill('#search', 'attention')
      await page.evaluate(await readFile(AXE, 'utf8'))
      // What the search hides has nothing that could be wrong, and would take ten seconds to be gone through.
      if (!isLong) await page.$$eval('main > section > .entry[hidden]', all => all.forEach(item => item.remove()))
      const { violations } = await page.evaluate(() => globalThis.axe.run())
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 90)]), [])
      await close()
    }
  })
}

test('the reference and a document begin with the top line, then their text', async () => {
  const { page, close } = await open()
  for (const name of ['reference.html', 'docs/elements.html']) {
    await page.goto(url() + name)
    const { logo, top, skip } = await page.evaluate(() => ({ logo: document.querySelector('.brand svg').clientWidth,
      top: document.querySelector('h1').getBoundingClientRect().top, skip: document.querySelector('.skip').getBoundingClientRect().bottom }))
    assert.ok(logo === 22 && top < 120 && skip < 0, `${name}: ${JSON.stringify({ logo, top, skip })}`)
  }
  await close()
})

test('the theme can be chosen, and the page links to the reference', async () => {
  const { page, close } = await open()
  await page.click('#theme')
  await page.click('#theme')
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).colorScheme), 'dark')
  await page.goto(url())
  await page.click('a[href="reference.html"]')
  await page.waitForSelector('.reference')
  await close()
})
