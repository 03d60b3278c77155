// The pages of web/examples/pages display their figures: a Reveal.js deck, Quarto's source of it, an Observable page.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { useBlog } from './element_pages.js'

const FOLDER = new URL('../../web/examples/pages/', import.meta.url)
const read = name => readFile(new URL(name, FOLDER), 'utf8')
const elementsOf = text => text.match(/<glass-figure[^>]*><\/glass-figure>/g)
const { open } = useBlog(async () => {
  const markdown = await read('observable.md'), cells = [...markdown.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code)
  const pages = {
    'reveal.html': await read('reveal.html'),
    // As Framework runs a page: its cells share their names, and display adds to the page.
    'observable.html': '<!doctype html><html lang="en"><link rel="icon" href="data:,"><main></main><script type="module" src="observable.js"></script>',
    'observable.js': `${cells.join('\n')}\nfunction display(node) { document.querySelector('main').append(node) }`
  }
  return pages
}, { reveal: '../../node_modules/reveal.js/dist/', elements: '../elements/' })

/** Waits until an element displays numbers, and returns its room and how large its first matrix is on the screen. */
async function waitForFigure(page, n) {
  await page.waitForFunction(i => (
    document.querySelectorAll('glass-figure')[i]?.shadowRoot.querySelector('.root[data-room] .figure-foot')), n)
  return page.evaluate(i => {
    const root = document.querySelectorAll('glass-figure')[i].shadowRoot
    const { width, height } = root.querySelector('canvas').getBoundingClientRect()
    return { room: root.querySelector('.root').dataset.room, isVisible: width > 50 && height > 50 }
  }, n)
}

test('a deck of Reveal.js: the figure of a slide starts with it', async () => {
  const { page, complaints, close } = await open('reveal.html')
  assert.deepEqual(await waitForFigure(page, 0), { room: 'encoder.0.self_attn.weights', isVisible: true })
  assert.equal(await page.evaluate(() => document.querySelectorAll('glass-figure')[1].shadowRoot.querySelector('canvas')), null)
  await page.keyboard.press('ArrowRight')
  assert.deepEqual(await waitForFigure(page, 1), { room: 'decoding', isVisible: true })
  assert.deepEqual(complaints, [])
  await close()
})

test('the source for Quarto has the same figures', async () => {
  const [deck, source] = await Promise.all(['reveal.html', 'quarto.qmd'].map(read))
  assert.deepEqual(elementsOf(source), elementsOf(deck))
  assert.ok(deck.includes(/text: (<script.*<\/script>)/.exec(source)[1]))
})

test('a page of Observable Framework draws a run of its own modules', async () => {
  const { page, complaints, close } = await open('observable.html')
  assert.deepEqual(await waitForFigure(page, 0), { room: 'layer.self_attn.weights', isVisible: true })
  assert.deepEqual(complaints, [])
  await close()
})

test('every page is tested', async () => {
  assert.deepEqual((await readdir(FOLDER)).sort(), ['observable.md', 'quarto.qmd', 'reveal.html'])
})
