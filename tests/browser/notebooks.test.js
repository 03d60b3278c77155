// The five notebooks in the real page: every number of the sources is found, and hostile cells harm nothing.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { DOCUMENTS } from '../../web/notebooks/documents/index.js'
import { printed } from '../../web/notebooks/print.js'
import { loadGolden } from '../golden/index.js'
import { beyond, useHouse, violations } from './host.js'

const { items } = loadGolden('seeds')
const house = useHouse()
const open = (id, options, state) => (
  house.open({ model: 'positions', room: `notebook.${id}`, language: 'en', ...state }, options))
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
  test(`notebook ${id}: every number that the source printed is on the page, and the page prints the same`, async () => {
    const { page, complaints, close } = await open(id)
    await isDone(page)
    for (const { id: name, printed: numbers, value } of items.filter(({ doc }) => doc === id)) {
      const found = page.locator(`[data-item="${name}"]`)
      const texts = await found.locator('.nb-numbers span').allTextContents()
      assert.deepEqual(texts, numbers ?? [printed(value).text], name)
      assert.equal(await found.locator('.agrees').count(), texts.length, name)
    }
    assert.deepEqual(complaints, [])
    await close()
  })
}

test('another number does not agree; the code is there again on coming back, and can be put back', async () => {
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

test('an error stands at its cell with its line', async () => {
  const { page, close } = await open('003')
  await isDone(page)
  const output = await runCell(page, 1, 'const fine = 1\nprint(fine)\nmissing()')
  assert.match(await output.locator('.nb-error').textContent(), /^Line 3\. ReferenceError: missing is not defined/)
  assert.match(await output.locator('.nb-text').textContent(), /^1$/)
  const said = () => page.textContent('.nb-said')
  assert.match(await said(), /^Stopped at cell 2/)
  await page.locator('[data-cell-number="1"] textarea').fill('print(2)')
  assert.deepEqual([await said(), await output.locator('.nb-error').count()], ['', 0], 'an error of code that is gone')
  await runCell(page, 1, 'print(3)')
  const shown = page.locator('[data-cell-number="1"] .code-shown')
  assert.equal(await shown.textContent(), 'print(3)\n', 'the words in colour are those that are typed')
  assert.equal(await shown.locator('.code-number').textContent(), '3')
  assert.match(await said(), /^Cell 2 has run/)
  const old = await page.$$eval('.nb-cell', all => all.map(one => one.querySelector('.nb-output').matches('.is-old')))
  assert.deepEqual(old.slice(0, 3), [false, false, true], 'what stands below is from before')
  assert.match(await said(), /from before\.$/)
  const [taken] = await Promise.all([page.waitForEvent('download'), page.click('text=.mjs')])
  assert.match(await readFile(await taken.path(), 'utf8'), /^print\(3\)$/m, 'the cells as the reader has them')
  const other = await runCell(page, 2, 'print(gf.tensor([1, 2]).add(gf.tensor([1, 2, 3])))')
  assert.match(await other.locator('.nb-error').textContent(), /GlassformerError/)
  await close()
})

test('an endless loop is ended after ten seconds, or at once by the reader; page, link and next run survive', async () => {
  const { page, complaints, close } = await open('003')
  await isDone(page)
  const link = page.url()
  const cell = page.locator('[data-cell-number="0"]')
  await cell.locator('textarea').fill('for (;;) {}')
  await cell.locator('.nb-run').click()
  await page.click('text=Stop')
  await isDone(page)
  assert.match(await cell.locator('.nb-error').textContent(), /Stopped/)
  assert.match(await page.textContent('.nb-said'), /^Stopped at cell 1\. The next run/, 'a stop is no error')
  await cell.locator('.nb-run').click()
  await page.waitForSelector('.nb-error:has-text("10 seconds")', { timeout: 15000 })
  assert.equal(page.url(), link)
  await runCell(page, 0, 'print(1 + 1)')
  assert.equal(await cell.locator('.nb-text').textContent(), '2')
  await page.click('.way-prev')
  assert.equal(await page.getAttribute('#house', 'data-room'), 'notebook.002')
  assert.deepEqual(complaints, [])
  await close()
})

const NETWORK = ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'importScripts', 'indexedDB', 'caches', 'Worker',
  'BroadcastChannel', 'navigator', 'postMessage', 'self', 'location', 'WebTransport', 'RTCPeerConnection', 'eval',
  'Function', 'setTimeout', 'addEventListener', 'onmessage', 'FileReaderSync', 'Request', 'close']

test('a cell reaches neither the network nor the page', async () => {
  const { page, close } = await open('003')
  await isDone(page)
  const asked = []
  page.context().on('request', request => asked.push(request.url()))
  const seen = await runCell(page, 0, `print(${JSON.stringify(NETWORK)}.filter(name => globalThis[name] !== undefined))`)
  assert.equal(await seen.locator('.nb-text').textContent(), '[]')
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
  assert.deepEqual(asked.filter(url => !url.endsWith('cell.js') && !url.endsWith('.wasm')), [])
  assert.ok(await page.isVisible('#map'))
  await close()
})

test('a gigabyte, and ever more of them, is refused or given back; the page goes on', async () => {
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

for (const [name, options] of [
  ['wide, light', {}], ['a phone, dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark', hasTouch: true }]
]) {
  test(`nothing wider than the page, nothing a reader could not reach: ${name}`, async () => {
    for (const { id } of DOCUMENTS) {
      const { page, close } = await open(id, options, { language: 'ko' })
      await isDone(page)
      assert.equal(await beyond(page), 0, id)
      assert.deepEqual(await violations(page), [], id)
      await close()
    }
  })
}

test('in the page of a single file the cells can be read, and it is said that they do not run there', async () => {
  const file = fileURLToPath(new URL('../../dist/glassformer.html', import.meta.url))
  const { page, close } = await house.open(`file://${file}#model=positions&room=notebook.000&language=en`)
  await page.waitForSelector('.nb-said')
  assert.match(await page.textContent('.nb-said'), /read but not run/)
  assert.ok(await page.isDisabled('.nb-cell .nb-run >> nth=0'))
  assert.ok(await page.locator('[data-item="000.embeddings"] .nb-numbers span').count() === 72)
  await close()
})
