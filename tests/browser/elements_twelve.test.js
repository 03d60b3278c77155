// Twelve elements of six kinds on one page, under a strict policy and hostile styles, measured against one.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ALL, POLICY, bundleLibrary, element, figure, html, measureHeap, measureRuns, showAll, useBlog } from './element_pages.js'

const AXE = new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)
const ROOM = 'encoder.0.self_attn.weights', ONE = figure({ room: ROOM, lang: 'en', id: 'one' })
/** A run of one's own modules in the page itself needs to compile there. */
const policy = POLICY.replace("'self';", "'self' 'wasm-unsafe-eval';")
const TWELVE = [
  ONE, figure({ model: 'particles', room: 'scores', controls: '', lang: 'ko' }),
  figure({ state: `v=1&model=dates&room=${ROOM}&twin=text:may+1+2001`, lang: 'en' }),
  figure({ state: 'v=1&model=stories&room=decoding', lang: 'en' }),
  element('lesson', { lesson: 'mask', lang: 'en' }), element('lesson', { lesson: 'vectors', lang: 'zh' }),
  element('model', { model: 'dates', lang: 'en' }), element('model', { model: 'induction', room: 'weights', lang: 'ko' }),
  element('training', { task: 'dates', lang: 'en' }), element('training', { task: 'sums', lang: 'ko' }),
  '<div class="own"></div>', '<div class="own"></div>'
].join('\n')
const RUNS = `import './elements.js'
  import { load } from './glassformer.js'
  import { figure } from './elements.js'
  const gf = await load({ wasm: new URL('glassformer.wasm', import.meta.url) })
  gf.manualSeed(1)
  const layer = new gf.nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16, dropout: 0 }).eval()
  const [first, second] = document.querySelectorAll('.own'), runs = [5, 7].map(length => gf.observe(() => layer(gf.randn([1, length, 8])), { modules: { layer } }))
  figure(first, runs[0], { gf, room: 'weights', lang: 'en' })
  figure(second, runs[1], { gf, room: 'activation', lang: 'ko' })`
const PAGES = {
  'runs.js': RUNS, 'one.html': html(ONE), 'twelve.html': html(TWELVE, { script: 'runs.js', policy }),
  'hostile.html': html(TWELVE, { script: 'runs.js', policy, style: '<link rel="stylesheet" href="hostile.css">' }),
  'hostile.css': `* { color: red !important; display: block; font-size: 40px !important; letter-spacing: 9px !important }
    table, canvas, span, div, p, h2, button, input, select, nav, section { display: inline !important; width: 10px !important; background: yellow !important; padding: 30px !important }`
}
const { open } = useBlog(async () => ({ ...PAGES, 'glassformer.js': await bundleLibrary() }))

/** Opens a page and displays all of its elements. */
async function openWhole(name, count, options) {
  const startTime = performance.now(), { page, ...rest } = await open(name, options)
  await page.waitForFunction(([all, n]) => document.querySelectorAll(all).length === n, [ALL, count])
  await showAll(page)
  return { page, time: Math.round(performance.now() - startTime), ...rest }
}

test('memory and time of twelve against one', async t => {
  const one = await openWhole('one.html', 1)
  const heapOfOne = await measureHeap(one.page), runOfOne = await measureRuns(one.page)
  await one.close()
  const { page, time, complaints, close } = await openWhole('twelve.html', 12)
  const heapOfTwelve = await measureHeap(page), runsOfTwelve = await measureRuns(page)
  const times = { timeOfOne: one.time, timeOfTwelve: time }
  t.diagnostic(JSON.stringify({ ...times, heapOfOne, heapOfTwelve, runOfOne, runsOfTwelve }))
  assert.equal(page.workers().length, 3, 'one for all figures, and one for each training')
  assert.ok(heapOfTwelve < heapOfOne + 30_000_000, `${heapOfTwelve}`)
  await page.evaluate(all => document.querySelectorAll(all).forEach(own => own.id === 'one' || own.remove()), ALL)
  await page.waitForTimeout(500)
  assert.equal(page.workers().length, 1)
  const runsLeft = await measureRuns(page), heapLeft = await measureHeap(page)
  t.diagnostic(JSON.stringify({ runsLeft, heapLeft }))
  assert.ok(runsLeft < runsOfTwelve / 2, `${runsLeft} of ${runsOfTwelve} bytes are left`)
  // Adding and removing again and again leaves nothing.
  const addAndRemove = () => page.evaluate(async () => {
    for (const [name, type] of [['glass-lesson', 'glass-step'], ['glass-model', 'glass-run'], ['glass-training', 'glass-step']]) {
      const own = document.createElement(name)
      document.querySelector('main').prepend(own)
      own.scrollIntoView()
      await new Promise(resolve => { own.addEventListener(type, resolve, { once: true }) })
      await new Promise(resolve => { setTimeout(resolve, 100) })
      own.remove()
    }
  })
  await addAndRemove()
  const before = await measureHeap(page)
  for (let i = 0; i < 4; i++) await addAndRemove()
  const growth = await measureHeap(page) - before
  t.diagnostic(`four more of three kinds: ${growth} bytes`)
  assert.ok(growth < 1_000_000 && page.workers().length === 1, `${growth}`)
  assert.deepEqual(complaints, [])
  await close()
})

const SELECTORS = ['.glass-title', '.lesson-title', '.lesson-text', '.lesson-next', '.map a', '.theatre-play', 'input', 'button',
  'td', 'canvas']
const PROPERTIES = ['color', 'fontSize', 'letterSpacing', 'display', 'position', 'paddingLeft', 'backgroundColor']

test('hostile styles change nothing in any of them', async () => {
  const looks = {}
  for (const name of ['twelve.html', 'hostile.html']) {
    const { page, complaints, close } = await openWhole(name, 12)
    looks[name] = await page.$$eval(ALL, (list, [selectors, properties]) => list.map(({ localName, shadowRoot }) => {
      const root = shadowRoot.querySelector('.root')
      root.style.setProperty('--enlarged', '1')
      return [localName, ...selectors.flatMap(selector => {
        const found = shadowRoot.querySelector(selector)
        if (!found) return []
        const style = getComputedStyle(found)
        return [[selector, ...properties.map(name => style[name])].join(' ')]
      })]
    }), [SELECTORS, PROPERTIES])
    assert.deepEqual(complaints, [])
    await close()
  }
  assert.ok(looks['twelve.html'].every(list => list.length > 2), JSON.stringify(looks['twelve.html']))
  assert.deepEqual(looks['hostile.html'], looks['twelve.html'])
})

test('axe finds nothing in any of them, in both themes', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await openWhole('twelve.html', 12, { colorScheme })
    await page.evaluate(await readFile(AXE, 'utf8'))
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html]), [])
    await close()
  }
})
