// The five notebooks in the real page: every number of the sources is found, and hostile cells harm nothing.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { longTest, everyNth, partUnlessLong } from '../lib/long.js'
import { DOCUMENTS } from '../../web/notebooks/documents/index.js'
import { formatPrinted } from '../../web/notebooks/print.js'
import { loadGolden } from '../golden/index.js'
import { measureOverflow, useBrowser, findViolations } from './host.js'

const { items } = loadGolden('seeds')
const browser = useBrowser()
const open = (id, options, state) => (
  browser.open({ model: 'positions', room: `notebook.${id}`, language: 'en', ...state }, options))
const isDone = page => page.waitForFunction(() => (
  /ha(ve|s) run|Stopped|실행했어요|멈췄어요/.test(document.querySelector('.nb-said')?.textContent)))

/** Runs one cell with other code in it, and waits for what comes of it. */
async function runCell(page, number, code) {
  const cell = page.locator(`[data-cell-number="${number}"]`)
  await cell.locator('textarea').fill(code)
  await cell.locator('.nb-run').click()
  await isDone(page)
  return cell.locator('.nb-output')
}

for (const { id } of DOCUMENTS) {
  test(`notebook ${id}: the page has every number of the source, and prints the same`, async () => {
    const { page, complaints, close } = await open(id)
    await isDone(page)
    for (const { id: name, printed: numbers, value } of items.filter(({ doc }) => doc === id)) {
      const item = page.locator(`[data-item="${name}"]`)
      const texts = await item.locator('.nb-numbers span').allTextContents()
      assert.deepEqual(texts, numbers ?? [formatPrinted(value).text], name)
      assert.equal(await item.locator('.agrees').count(), texts.length, name)
    }
    assert.deepEqual(complaints, [])
    await close()
  })
}

longTest('a different number is marked; edited code is restored on return, and can be reset', async () => {
  const { page, close } = await open('003')
  await isDone(page)
  await runCell(page, 0, 'print([[255, 512], [256, 1], [1, 256, 512]])')
  assert.equal(await page.locator('[data-item="003.shapes"]').getAttribute('data-agrees'), 'false')
  await page.click('.way-prev')
  await page.click('.way-next')
  await page.waitForSelector('.nb-field')
  assert.match(await page.inputValue('.nb-field >> nth=0'), /255, 512/)
  await page.click('text=Original code')
  await page.focus('.nb-field >> nth=0')
  await page.keyboard.press('Shift+Enter')
  await page.waitForSelector('[data-item="003.shapes"][data-agrees="true"]')
  await close()
})

const SHAPES = 'print([[255, 512], [256, 1], [1, 256, 512]])'
const readStatus = page => page.textContent('.nb-said')

longTest('returning from a room restores outputs and scroll position; the next run starts anew', async () => {
  const { page, complaints, close } = await open('000')
  await isDone(page)
  const outputs = () => page.$$eval('.nb-output', all => all.map(item => item.textContent))
  const before = await outputs()
  const door = page.locator('[data-cell-number="5"] .nb-room')
  await door.scrollIntoViewIfNeeded()
  const top = await page.evaluate(() => scrollY)
  assert.ok(top > 1000)
  await door.click()
  await page.waitForSelector('#house[data-room="waves"]')
  assert.equal(await page.evaluate(() => scrollY), 0)
  await page.goBack()
  await page.waitForSelector('.nb-field')
  assert.deepEqual(await outputs(), before)
  assert.ok(Math.abs(await page.evaluate(() => scrollY) - top) < 4, 'the place')
  assert.match(await readStatus(page), /as you left them/)
  await page.click('[data-cell-number="2"] .nb-run')
  await page.waitForFunction(() => /have run again, too/.test(document.querySelector('.nb-said').textContent))
  assert.deepEqual(await outputs(), before)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a reload restores edited code without changing the link; the original can be restored', async () => {
  const { page, close } = await open('003')
  await isDone(page)
  const link = page.url()
  await runCell(page, 0, SHAPES)
  await page.reload()
  await page.waitForSelector('.nb-field')
  assert.equal(await page.inputValue('.nb-field >> nth=0'), SHAPES)
  assert.match(await readStatus(page), /is here again/)
  assert.equal(page.url(), link)
  await page.click('text=Original code')
  await page.reload()
  await isDone(page)
  assert.match(await readStatus(page), /^All cells have run/)
  await close()
})

longTest('the notebook works without storage', async () => {
  const before = () => {
    for (const name of ['sessionStorage', 'localStorage']) {
      Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError') } })
    }
  }
  const { page, complaints, close } = await open('003', { before })
  await isDone(page)
  await runCell(page, 0, SHAPES)
  await page.click('[data-language="ko"]')
  await page.waitForSelector('html[lang="ko"] .nb-field')
  assert.equal(await page.inputValue('.nb-field >> nth=0'), SHAPES)
  assert.deepEqual(complaints, [])
  await close()
})

test('runs requested during another run are queued; Stop clears the queue', async () => {
  const { page, close } = await open('003')
  await isDone(page)
  const runFor = milliseconds => `const until = performance.now() + ${milliseconds}\nwhile (performance.now() < until);\nprint(1)`
  const [first, second] = [0, 1].map(number => page.locator(`[data-cell-number="${number}"]`))
  await first.locator('textarea').fill(runFor(2000))
  await second.locator('textarea').fill('print(until > 0)')
  await first.locator('.nb-run').click()
  await second.locator('.nb-run').click()
  assert.match(await readStatus(page), /^Cell 2 runs as soon as/)
  assert.match(await second.locator('.nb-run').textContent(), /Waiting/)
  await page.waitForFunction(() => /^Cell 2 has run/.test(document.querySelector('.nb-said').textContent))
  assert.equal(await second.locator('.nb-text').textContent(), 'True')
  assert.match(await second.locator('.nb-run').textContent(), /Run/)
  // It runs until it is stopped, however late.
  await first.locator('textarea').fill(runFor(60_000))
  await first.locator('.nb-run').click()
  await second.locator('.nb-run').click()
  await page.click('button:text-is("Stop")')
  await isDone(page)
  assert.match(await readStatus(page), /^Stopped at cell 1/)
  assert.match(await second.locator('.nb-run').textContent(), /Run/)
  await close()
})

test('edited code in a cell sets the room that it links to', async () => {
  const { page, close } = await open('000')
  await isDone(page)
  const cell = page.locator('[data-cell-number="2"]')
  await cell.locator('textarea').fill(DOCUMENTS[0].cells[2].js.replace('base: 1000', 'base: 10'))
  await page.locator('[data-cell-number="0"] textarea').fill(
    DOCUMENTS[0].cells[0].js.replace('I wonder what will come next', 'the dog bites the man'))
  assert.match(await cell.locator('.nb-room').getAttribute('href'), /base=10&/)
  await cell.locator('.nb-room').click()
  await page.waitForSelector('#house[data-room="waves"]')
  assert.equal(await page.getAttribute('.tools [data-control="base"] input', 'aria-valuetext'), '10')
  assert.equal(await page.inputValue('[data-field="sequence"]'), 'the dog bites the man')
  await close()
})

for (const width of everyNth([360, 1280], 2)) test(`no code is cut off: ${width} pixels`, async () => {
  for (const { id } of everyNth(DOCUMENTS, 3)) {
    const { page, close } = await open(id, { viewport: { width, height: 800 } })
    await isDone(page)
    const cut = await page.$$eval('.nb-field, .code-shown, .nb-torch .code, .nb-text.is-plain', all => all.filter(item => (
      item.scrollWidth > item.clientWidth + 1 || item.scrollHeight > item.clientHeight + 1)).map(item =>
      item.className))
    assert.deepEqual(cut, [], id)
    const wide = await page.$$eval('.nb-text', all => all.filter(item => (
      item.scrollWidth > item.clientWidth + 1 && getComputedStyle(item).overflowX !== 'auto')).length)
    assert.equal(wide, 0, id)
    await close()
  }
})

test('an error is displayed at its cell with its line', async () => {
  const { page, close } = await open('003')
  await isDone(page)
  const output = await runCell(page, 1, "const fine = 1\nconsole.log(fine, 'of', 2)\nmissing()")
  assert.match(await output.locator('.nb-error').textContent(), /^Line 3\. ReferenceError: missing is not defined/)
  assert.match(await output.locator('.nb-text').textContent(), /^1 of 2$/)
  assert.match(await readStatus(page), /^Stopped at cell 2/)
  await page.locator('[data-cell-number="1"] textarea').fill('print(2)')
  assert.deepEqual([await readStatus(page), await output.locator('.nb-error').count()], ['', 0], 'an error of code that is gone')
  await runCell(page, 1, 'print(3)')
  const highlighted = page.locator('[data-cell-number="1"] .code-shown')
  assert.equal(await highlighted.textContent(), 'print(3)\n', 'the words in color are those that are typed')
  assert.equal(await highlighted.locator('.code-number').textContent(), '3')
  assert.match(await readStatus(page), /^Cell 2 has run/)
  const old = await page.$$eval('.nb-cell', all => all.map(item => item.querySelector('.nb-output').matches('.is-old')))
  assert.deepEqual(old.slice(0, 3), [false, false, true], 'what stands below is from before')
  assert.match(await readStatus(page), /from before\.$/)
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=.mjs')])
  assert.match(await readFile(await download.path(), 'utf8'), /^print\(3\)$/m, 'the cells as the reader has them')
  const failed = await runCell(page, 2, 'print(gf.tensor([1, 2]).add(gf.tensor([1, 2, 3])))')
  assert.match(await failed.locator('.nb-error').textContent(), /GlassformerError/)
  await close()
})

test('the reader can stop an endless loop at once; page, link and next run survive', async () => {
  const { page, complaints, close } = await open('003')
  await isDone(page)
  const link = page.url()
  const cell = page.locator('[data-cell-number="0"]')
  await cell.locator('textarea').fill('for (;;) {}')
  await cell.locator('.nb-run').click()
  await page.click('button:text-is("Stop")')
  await isDone(page)
  assert.match(await cell.locator('.nb-error').textContent(), /Stopped/)
  assert.match(await page.textContent('.nb-said'), /^Stopped at cell 1\. The next run/, 'a stop is no error')
  assert.equal(page.url(), link)
  await runCell(page, 0, 'print(1 + 1)')
  assert.equal(await cell.locator('.nb-text').textContent(), '2')
  await page.click('.way-prev')
  assert.equal(await page.getAttribute('#house', 'data-room'), 'notebook.002')
  assert.deepEqual(complaints, [])
  await close()
})

longTest('an endless loop is terminated after ten seconds', async () => {
  const { page, close } = await open('003')
  await isDone(page)
  const cell = page.locator('[data-cell-number="0"]')
  await cell.locator('textarea').fill('for (;;) {}')
  await cell.locator('.nb-run').click()
  await page.waitForSelector('.nb-error:has-text("10 seconds")', { timeout: 15000 })
  await runCell(page, 0, 'print(1 + 1)')
  assert.equal(await cell.locator('.nb-text').textContent(), '2')
  await close()
})

const NETWORK = ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'importScripts', 'indexedDB', 'caches', 'Worker',
  'BroadcastChannel', 'navigator', 'postMessage', 'self', 'location', 'WebTransport', 'RTCPeerConnection', 'eval',
  'Function', 'setTimeout', 'addEventListener', 'onmessage', 'FileReaderSync', 'Request', 'close']

test('a cell reaches neither the network nor the page', async () => {
  const { page, close } = await open('003')
  await isDone(page)
  const requests = []
  page.context().on('request', request => requests.push(request.url()))
  const visibleGlobals = await runCell(page, 0, `print(${JSON.stringify(NETWORK)}.filter(name => globalThis[name] !== undefined))`)
  assert.equal(await visibleGlobals.locator('.nb-text').textContent(), '[]')
  const refused = {
    "import('https://example.com/x.js')": /cannot import/,
    "(() => {}).constructor('return 1')()": /is not a function/,
    "(async () => {}).constructor('return 1')()": /is not a function/,
    "Reflect.construct((function * () {}).constructor, ['yield 1'])": /is not a constructor/,
    "Object.getPrototypeOf(Object.getPrototypeOf(globalThis)).fetch('https://example.com')": /is not a function/,
    'document.body.remove()': /document is not defined/,
    'parent.location = 1': /parent is not defined/
  }
  for (const [code, message] of Object.entries(refused)) {
    const output = await runCell(page, 0, code)
    assert.match(await output.locator('.nb-error').textContent(), message, code)
  }
  assert.deepEqual(requests.filter(url => !url.endsWith('cell.js') && !url.endsWith('.wasm')), [])
  assert.ok(await page.isVisible('#map'))
  await close()
})

test('allocating gigabytes fails or is freed; the page keeps working', async () => {
  const { page, complaints, close } = await open('003')
  await isDone(page)
  const cell = page.locator('[data-cell-number="0"]')
  await runCell(page, 0, 'const big = new Float64Array(2 ** 27)\nprint(big.length)')
  await cell.locator('textarea').fill('const all = []\nfor (;;) all.push(new Float32Array(2 ** 26))')
  await cell.locator('.nb-run').click()
  await page.waitForSelector('[data-cell-number="0"] .nb-error', { timeout: 20000 })
  await runCell(page, 0, 'print(gf.ones([2]).add(1))')
  assert.equal(await cell.locator('.nb-text').textContent(), 'tensor([2., 2.])')
  assert.deepEqual(complaints.filter(text => !/memory|allocation/i.test(text)), [])
  await close()
})

/** Cells that once crashed the notebook or the tab, and the message about each. */
const DEADLY = [
  ['plot([])', /plot: expected at least one row, got none/],
  ['plot(Array.from({ length: 200000 }, (_, i) => [i, i * i]))', /plot: expected at most 10000 points, got 200000/],
  ['plot([[NaN, 1], [Infinity, 2]])', /plot: expected finite numbers up to 1e300, got NaN in row 0/],
  ["while (true) print('x'.repeat(1e5))", /print: a cell may print at most 200000 characters/],
  ["throw { name: () => 1, message: 'x' }", /^Error: x$/],
  ['throw { get name() { throw 1 } }', /^Error: \[object Object\]$/],
  ['throw new Proxy({}, { get() { throw 2 } })', /a value was thrown that cannot be written as text/],
  ['Array.prototype.push = function () { this[this.length] = null; return 1 }; print(1)', null]
]
test('broken cells are reported, and the results of earlier cells stay', async () => {
  const { page, complaints, close } = await open('003')
  await isDone(page)
  await runCell(page, 0, 'var before = 41\nprint(before)')
  for (const [code, message] of DEADLY) {
    const output = await runCell(page, 1, code)
    if (message) assert.match(await output.locator('.nb-error').textContent(), message, code)
    const after = await runCell(page, 2, 'print(before + 1)')
    assert.equal(await after.locator('.nb-text').first().textContent(), '42', code)
  }
  const plotted = await runCell(page, 1, 'plot(Array.from({ length: 10000 }, (_, i) => [Math.cos(i), i]))')
  assert.equal(await plotted.locator('circle').count(), 10000)
  await page.click('button:text-is("Run all")')
  await isDone(page)
  assert.deepEqual(complaints, [])
  await close()
})

for (const [i, [name, options]] of everyNth([
  ['a phone, dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark', hasTouch: true }], ['wide, light', {}]
], 2).entries()) {
  test(`nothing is wider than the page or unreachable: ${name}`, async () => {
    for (const { id } of partUnlessLong(DOCUMENTS, i, 4)) {
      const { page, close } = await open(id, options, { language: 'ko' })
      await isDone(page)
      assert.equal(await measureOverflow(page), 0, id)
      assert.deepEqual(await findViolations(page), [], id)
      await close()
    }
  })
}

test('on the single-file page cells can be read, with a note that they do not run', async () => {
  const file = fileURLToPath(new URL('../../dist/glassformer.html', import.meta.url))
  const { page, close } = await browser.open(`file://${file}#model=positions&room=notebook.000&language=en`)
  await page.waitForSelector('.nb-said')
  assert.match(await page.textContent('.nb-said'), /read but not run/)
  assert.ok(await page.isDisabled('.nb-cell .nb-run >> nth=0'))
  assert.ok(await page.locator('[data-item="000.embeddings"] .nb-numbers span').count() === 72)
  await close()
})
