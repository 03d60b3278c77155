// Imports a model of GPT-2's architecture with random weights and visits its rooms: what is drawn, what is read from
// the engine, how much time and memory it takes. `npm test` uses a small model with a vocabulary of 9,000 tokens,
// `npm run test:long` one with the sizes of GPT-2 small.
import assert from 'node:assert/strict'
import { openAsBlob } from 'node:fs'
import { mkdtemp, open as openFile, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { isLong, longTest } from '../lib/long.js'
import { SMALL, writeGpt2 } from '../lib/large.js'
import { measureOverflow, importFiles, changeAndWait, goToRoom, useBrowser, findViolations } from './host.js'
import { measureLongestTasks } from './main_thread_tasks.js'
import { createScale, signedDomain } from '../../web/lib/color.js'

const { open, withBrowser } = useBrowser()
const SHAPE = isLong ? SMALL : { layers: 2, channels: 96, heads: 4, vocabSize: 9000, positions: 128 }
/** The maximum number of elements in a room, which must not grow with the vocabulary. */
const MAX_NODES = 6000
/** One room of each kind, and all that show the vocabulary; not those that run the model many times. */
const ROOMS = ['text.tokens', 'text.bpe_merges', 'text.embedding', '0.self_attn.qkv', '0.self_attn.weights',
  '0.self_attn.output', '0.linear1', '0.linear2', 'ln_f', 'linear', 'sampling', 'decoding', 'cache', 'attribution', 'residual_stream', 'house']
/** The maximum CPU time of a task of the main thread, in milliseconds. */
const MAX_TASK = 50
const TIMEOUT = 300_000

/** Runs in the page before anything else: records long tasks and requests to the worker. */
function recordTasksAndRequests() {
  globalThis.recorded = { tasks: [], requests: [] }
  const record = list =>
    globalThis.recorded.tasks.push(...list.getEntries().map(({ duration }) => Math.round(duration)))
  new PerformanceObserver(record).observe({ type: 'longtask', buffered: true })
  const { postMessage } = Worker.prototype
  Worker.prototype.postMessage = function send(message, ...rest) {
    if (['read', 'rows'].includes(message.type)) {
      globalThis.recorded.requests.push([message.type, message.names ?? [message.name], message.rows?.length ?? 0])
    }
    return postMessage.call(this, message, ...rest)
  }
}

/** A function that reads the memory of the largest renderer process, present and peak, in MB. */
const createMemoryReader = browser => async () => {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const sizes = await Promise.all(processInfo.filter(({ type }) => type === 'renderer').map(async ({ id }) => {
    const text = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '')
    return ['VmRSS', 'VmHWM'].map(key => Math.round(Number(new RegExp(`${key}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024))
  }))
  await session.detach()
  return sizes.reduce((largest, size) => (size[1] > largest[1] ? size : largest), [0, 0])
}

/** Reads a float32 tensor from a safetensors file. */
async function readTensor(path, name) {
  const file = await openFile(path), length = Buffer.alloc(8)
  await file.read(length, 0, 8, 0)
  const dataStart = 8 + Number(length.readBigUInt64LE()), header = Buffer.alloc(dataStart - 8)
  await file.read(header, 0, header.length, 8)
  const { shape, data_offsets: [first, end] } = JSON.parse(header)[name], data = new Float32Array((end - first) / 4)
  await file.read(new Uint8Array(data.buffer), 0, end - first, dataStart + first)
  await file.close()
  return { shape, data }
}

/**
 * Asserts that only a part of a large matrix is painted, and that its visible cells have the colors of their values,
 * wherever the reader scrolls.
 */
async function expectPaintedPart(page, { shape: [rows, cols], data }) {
  const colors = createScale(signedDomain(data.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0)), 'light')
  for (const fraction of [0, 0.6, 1]) {
    await page.$eval('.product-right .heat', (heat, at) => {
      const { top, height } = heat.getBoundingClientRect()
      scrollBy({ top: top + at * height - innerHeight / 2, behavior: 'instant' })
      heat.closest('.frame').scrollLeft = at * 1e6
    }, fraction)
    await page.waitForTimeout(200)
    const { paintedFraction, samples } = await page.$eval('.product-right .heat', (heat, [rows, cols]) => {
      const canvas = heat.querySelector('canvas'), box = heat.getBoundingClientRect()
      const copy = new OffscreenCanvas(canvas.width, canvas.height)
      const context = copy.getContext('2d', { willReadFrequently: true })
      context.drawImage(canvas, 0, 0)
      const [width, height] = [box.width / cols, box.height / rows]
      const [left, top] = ['left', 'top'].map(side => parseFloat(canvas.style[side]))
      const first = Math.max(0, Math.ceil(-box.top / height))
      const end = Math.min(rows, Math.floor((innerHeight - box.top) / height))
      const frame = heat.closest('.frame').getBoundingClientRect()
      const start = Math.max(0, Math.ceil((frame.left - box.left) / width))
      const count = Math.min(cols, Math.floor((frame.right - box.left) / width)) - start
      const cells = count < 1 ? [] : Array.from({ length: 40 }, (_, i) => (
        [first + (i * 7919) % (end - first), start + (i * 13) % count]))
      return {
        paintedFraction: canvas.width * canvas.height / (box.width * box.height),
        samples: cells.map(([row, col]) => {
          const [x, y] = [Math.floor((col + 0.5) * width - left), Math.floor((row + 0.2) * height - top)]
          return { row, col, color: `rgb(${[...context.getImageData(x, y, 1, 1).data].slice(0, 3).join(' ')})` }
        })
      }
    }, [rows, cols])
    if (fraction > 0) assert.equal(samples.length, 40, 'the matrix is scrolled into view')
    assert.ok(paintedFraction < 1, `${paintedFraction} of it is painted`)
    assert.deepEqual(samples.map(({ color }) => color),
      samples.map(({ row, col }) => colors.at(data[row * cols + col]).css))
  }
}

const TEXT = 'the house at the sea', ANSWER_LENGTH = 16
const PACKAGE = new URL('../../dist/js/', import.meta.url)

/** Measures how long it takes to read the files, to generate the first token after a text, and each further token. */
async function measureGeneration({ gf, files, text, maxNewTokens }) {
  let previous = performance.now()
  const lap = () => {
    const before = previous
    previous = performance.now()
    return previous - before
  }
  const { model, tokenizer } = await gf.models.load(files), readTime = lap(), times = []
  const { ids } = tokenizer.encode(text)
  lap()
  const generated = model.generate(ids, { maxNewTokens, end: [], onToken: () => { times.push(lap()) } })
  const { bytes, peak } = gf.memory(), [first, ...next] = times
  model.dispose()
  return { readTime, count: ids.length, first, next, bytes, peak, generated }
}

/** Describes the measured times. */
function describeTimes({ readTime, count, first, next, bytes, peak }) {
  assert.equal(next.length, ANSWER_LENGTH - 1)
  const median = next.sort((a, b) => a - b)[next.length >> 1]
  return `read in ${readTime.toFixed(0)} ms, the first token after ${count} in ${first.toFixed(0)}, each of the next in ` +
    `${median.toFixed(0)} (${next.at(-1).toFixed(0)} at most); ${[bytes, peak].map(n => Math.round(n / 1e6)).join(' MB, ')} at most`
}

async function generateInNode(paths) {
  const blobs = await Promise.all(paths.map(async path => [basename(path), await openAsBlob(path)]))
  return measureGeneration({ gf, files: Object.fromEntries(blobs), text: TEXT, maxNewTokens: ANSWER_LENGTH })
}

/** Generates in a tab that loads the built package. */
async function generateInTab(paths) {
  const { page, complaints, close } = await open({ language: 'en' })
  await page.route('**/package/*', async route => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1)
    const contentType = name.endsWith('.wasm') ? 'application/wasm' : 'text/javascript'
    await route.fulfill({ body: await readFile(new URL(name, PACKAGE)), contentType })
  })
  await page.evaluate(() => document.body.append(Object.assign(document.createElement('input'), { type: 'file', multiple: true, id: 'model-files' })))
  await page.setInputFiles('#model-files', paths)
  await page.evaluate(`globalThis.measureGeneration = ${measureGeneration}`)
  const result = await page.evaluate(async ([text, maxNewTokens]) => {
    const { load } = await import('./package/glassformer.js'), gf = await load()
    const files = Object.fromEntries([...document.getElementById('model-files').files].map(file => [file.name, file]))
    return globalThis.measureGeneration({ gf, files, text, maxNewTokens })
  }, [TEXT, ANSWER_LENGTH])
  assert.deepEqual(complaints, [])
  await close()
  return result
}

/** Enters a room and waits until nothing is busy. */
async function enterRoom(page, room) {
  await goToRoom(page, room)
  await page.waitForSelector(`#house[data-room="${room}"]`)
  await page.waitForTimeout(100)
  await page.waitForFunction(() => !document.querySelector('.stage [aria-busy="true"]'), null, { timeout: TIMEOUT })
  await page.waitForTimeout(300)
}

longTest(`${SHAPE.layers} layers of ${SHAPE.channels} channels and ${SHAPE.vocabSize} tokens, from files to every kind of room`, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'large-'))
  const { paths, bytes } = await writeGpt2(folder, SHAPE)
  const { page, complaints, close } = await open({ language: 'en' }, { before: recordTasksAndRequests })
  const memory = await withBrowser(createMemoryReader)
  const report = async (label, start) => {
    const { tasks, requests } = await page.evaluate(() => {
      const { tasks, requests } = globalThis.recorded
      Object.assign(globalThis.recorded, { tasks: [], requests: [] })
      return { tasks, requests }
    })
    const [now, largest] = await memory()
    t.diagnostic(`${label}: ${Date.now() - start} ms, longest task ${Math.max(0, ...tasks)} ms, ${now} MB (${largest} at most)`)
    return requests
  }
  let startTime = Date.now()
  await report('start', startTime)
  await page.selectOption('.models select', 'own')
  await page.waitForSelector('.bring[open]')
  await page.setInputFiles('.bring input', paths)
  await page.waitForSelector('.bring .primary:visible')
  await report(`inspected, ${Math.round(bytes / 1e6)} MB`, startTime)
  startTime = Date.now()
  await changeAndWait(page, () => page.click('.bring .primary'))
  await report('opened, with a first answer', startTime)
  startTime = Date.now()
  await changeAndWait(page, () => page.fill('[data-field="beginning"]', TEXT))
  await report('another text with its answer', startTime)
  const visitRooms = async measure => {
    for (const room of ROOMS) await measure(room, async () => {
      startTime = Date.now()
      await enterRoom(page, room)
      const requests = await report(room, startTime)
      const nodes = await page.locator('.stage *').count()
      assert.ok(nodes < MAX_NODES, `${room}: ${nodes} elements`)
      const fullReads = requests.filter(([type, names]) => type === 'read' && names.includes('wte.weight'))
      assert.deepEqual(fullReads, [], `${room}: the whole table was read`)
    })
  }
  const tasks = await withBrowser(browser => measureLongestTasks(browser, page, visitRooms))
  for (const [room, { cpu, wall }] of tasks) {
    t.diagnostic(`${room}: ${cpu.toFixed(0)} ms of the processor, ${wall.toFixed(0)} by the clock`)
    if (isLong) assert.ok(cpu < MAX_TASK, `${room}: a task of ${cpu} ms`)
  }
  await enterRoom(page, '0.linear2')
  await expectPaintedPart(page, await readTensor(paths.find(path => path.endsWith('.safetensors')), 'h.0.mlp.c_proj.weight'))
  await enterRoom(page, 'text.embedding')
  await page.waitForSelector('.stage .heat[data-row-order]')
  const table = () => page.$eval('.stage .heat', heat => ({
    name: heat.dataset.tensor, rows: heat.dataset.rowOrder.split(',').map(Number)
  }))
  const { name, rows } = await table()
  assert.equal(name, 'wte.weight')
  assert.match(await page.textContent('.finder .note'), new RegExp(`^Showing ${rows.length} of ${SHAPE.vocabSize.toLocaleString('en')} rows`))
  await page.fill('.finder input', String(SHAPE.vocabSize - 1))
  const waitForRows = (condition, number) => page.waitForFunction(([text, size]) => {
    const rows = document.querySelector('.stage .heat').dataset.rowOrder.split(',')
    return { has: rows.includes(String(size)), same: rows.length === size, more: rows.length > size }[text]
  }, [condition, number])
  await waitForRows('has', SHAPE.vocabSize - 1)
  await page.fill('.finder input', '')
  await waitForRows('same', rows.length)
  await page.click('.finder button')
  await waitForRows('more', rows.length)
  assert.deepEqual(await findViolations(page, '.stage'), [])
  startTime = Date.now()
  await page.focus('.stage .heat')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => (
    document.querySelector('.inspector .cell-name').textContent.replaceAll('\u200b', '').startsWith('wte.weight[')))
  await page.click('.inspector [data-keep="near"]')
  await page.waitForSelector('.inspector .nudge dt', { timeout: TIMEOUT })
  await report('nearest rows', startTime)
  await enterRoom(page, 'text.tokens')
  await page.fill('.finder input', 'the')
  await page.waitForFunction(() => document.querySelector('.vocab-token')?.textContent === 'the')
  assert.ok(await page.locator('.vocabulary li').count() <= 200)
  assert.deepEqual(complaints, [])
  await close()
  const [inTab, inNode] = [await generateInTab(paths), await generateInNode(paths)]
  t.diagnostic(`in a tab: ${describeTimes(inTab)}`)
  t.diagnostic(`in Node: ${describeTimes(inNode)}`)
  assert.deepEqual(inTab.generated, inNode.generated, 'the same tokens')
  await rm(folder, { recursive: true })
})

/** Rooms whose size grows with the text: with a part for every token, or for every pair of tokens. */
const LONG_ROOMS = ['text.tokens', 'text.bpe_merges', 'text.embedding', '0.self_attn.scores', '0.self_attn.weights',
  '0.self_attn.output', '0.linear1', 'linear', 'sampling', 'decoding', 'attribution', 'residual_stream', 'house']
const LONG_SHAPE = isLong ? SMALL : { layers: 4, channels: 64, heads: 4, vocabSize: 9000, positions: 1024 }
const LONG_TEXT = 'the house at the sea is old and the boat is small so a bird sits on the roof and sings until it is dark '

longTest(`1,024 tokens before ${LONG_SHAPE.layers} layers of ${LONG_SHAPE.channels} channels: all of them, in every kind of room`, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'long-'))
  const { paths } = await writeGpt2(folder, LONG_SHAPE)
  const { page, complaints, close } = await open({ language: 'en' }, { before: recordTasksAndRequests })
  const memory = await withBrowser(createMemoryReader)
  page.setDefaultTimeout(TIMEOUT)
  await importFiles(page, paths)
  const start = Date.now()
  const tasks = await withBrowser(browser => measureLongestTasks(browser, page, async measure => {
    await measure('the text', () => changeAndWait(page, () => page.fill('[data-field="beginning"]', LONG_TEXT.repeat(40))))
    t.diagnostic(`1,024 tokens: ${Date.now() - start} ms until they are shown, ${(await memory()).join(' MB, ')} MB at most`)
    for (const room of LONG_ROOMS) await measure(room, async () => {
      await enterRoom(page, room)
      const nodes = await page.locator('.stage *').count()
      assert.ok(nodes < MAX_NODES, `${room}: ${nodes} elements`)
    })
  }))
  for (const [room, { cpu, wall }] of tasks) {
    t.diagnostic(`${room}: ${cpu.toFixed(0)} ms of the processor, ${wall.toFixed(0)} by the clock`)
    if (isLong) assert.ok(cpu < MAX_TASK, `${room}: a task of ${cpu} ms`)
  }
  t.diagnostic(`then ${(await memory()).join(' MB, ')} MB at most`)
  assert.match(await page.textContent('#reading'),
    /^The first 1,023 of [\d,]+ tokens are read: .*positions\. The answer ends after 2 of 16 tokens: .*positions\./)
  await enterRoom(page, 'text.tokens')
  await page.waitForSelector('.chip')
  const readStatus = () => page.textContent('.stage .stretch:visible [role="status"]')
  assert.equal(await readStatus(), 'Showing 0 to 127 of 1,024.')
  const first = await page.textContent('.chip')
  for (let i = 0; i < 7; i++) await page.click('.stage .stretch:visible button:last-child')
  assert.equal(await readStatus(), 'Showing 896 to 1,023 of 1,024.')
  assert.ok(await page.isDisabled('.stage .stretch:visible button:last-child'))
  assert.equal(await page.locator('.chip').count(), 128)
  assert.notEqual(await page.textContent('.chip'), first)
  assert.deepEqual(await findViolations(page, '.stage'), [])
  const weightsRoom = `${LONG_SHAPE.layers - 2}.self_attn.weights`
  await enterRoom(page, weightsRoom)
  assert.match(await page.textContent('.unkept'), /of all \d+ layers, with gradients, would take [\d.]+ .B/)
  await changeAndWait(page, () => page.click('.unkept .primary'))
  await enterRoom(page, weightsRoom)
  await page.waitForSelector('.unkept', { state: 'hidden' })
  assert.match(await page.textContent('.beside-main .note'), /^Showing the largest \d+ of 1,024\.$/)
  await page.click('[data-action="check"]')
  await page.waitForSelector('.check-result p')
  assert.match(await page.textContent('.check-result'), /^This run has [\d.]+[MB] numbers and multiplies [\d.]+[MB] times\. The check takes up to 30M and 5B/)
  await page.keyboard.press('Escape')
  assert.deepEqual(complaints, [])
  await close()
  await rm(folder, { recursive: true })
})

longTest('generating 256 tokens reports progress, and can be stopped by the reader or by another text', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'answer-'))
  const { paths } = await writeGpt2(folder, { layers: 6, channels: 256, heads: 4, vocabSize: 9000, positions: 1024 })
  const { page, complaints, close } = await open({ language: 'en' })
  await importFiles(page, paths)
  await goToRoom(page, 'decoding')
  const longerButton = page.locator('.stage [data-control="maxNewTokens"] .stepper button:last-child')
  const countSteps = () => page.locator('.pick').count()
  await changeAndWait(page, async () => {
    for (let i = 0; i < 4; i++) await longerButton.click()
    // Wait for more than the 16 tokens of the first answer, which is still displayed on a slow machine.
    await page.waitForFunction(() => (
      parseInt(document.querySelector('#reading [role="status"]').textContent, 10) > 16), null, { polling: 10 })
    await page.click('[data-action="finish"]')
  })
  await page.waitForFunction(() => document.querySelector('#reading').hidden)
  const count = await countSteps()
  assert.ok(count > 16 && count < 256, `${count} tokens`)
  await changeAndWait(page, async () => {
    await page.fill('[data-field="beginning"]', TEXT)
    await page.waitForSelector('[data-action="finish"]:visible')
    await page.fill('[data-field="beginning"]', 'the sea')
    await page.waitForSelector('[data-action="finish"]:visible')
    await page.click('[data-action="finish"]')
  })
  assert.equal(await page.inputValue('[data-field="beginning"]'), 'the sea')
  assert.match(await page.evaluate(() => location.hash), /maxNewTokens=256/)
  assert.deepEqual(complaints, [])
  await close()
  await rm(folder, { recursive: true })
})

test('an answer of 128 tokens on a phone fits the window, scrolls its steps, and keeps the focus', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phone-'))
  const { paths } = await writeGpt2(folder, { layers: 2, channels: 48, heads: 4, vocabSize: 3000, positions: 256 })
  const { page, complaints, close } = await open({ language: 'en', room: 'house' }, { viewport: { width: 390, height: 844 } })
  await importFiles(page, paths)
  await enterRoom(page, 'decoding')
  assert.doesNotMatch(await page.textContent('.stage .lead'), /<\/s>|decoder/)
  for (let i = 0; i < 3; i++) await changeAndWait(page, () => page.click('.stage [data-control="maxNewTokens"] .stepper button:last-child'))
  await changeAndWait(page, () => page.fill('[data-field="beginning"]', LONG_TEXT))
  await enterRoom(page, 'house')
  assert.match(await page.textContent('.house-now'), /and wrote “[^”]{240}…”, one token at a time \(128 steps\)/)
  assert.equal(await measureOverflow(page), 0)
  await enterRoom(page, 'sampling')
  const steps = page.locator('.stage .segments.is-long')
  const readHeights = () => steps.evaluate(list => [list.clientHeight, list.scrollHeight])
  const [visibleHeight, contentHeight] = await readHeights()
  assert.ok(visibleHeight < 200 && contentHeight > 2 * visibleHeight, `${visibleHeight} of ${contentHeight} pixels`)
  const lastLabel = steps.locator('label').last()
  const isLastVisible = () => lastLabel.evaluate(label => {
    const [labelBox, list] = [label, label.parentNode].map(element => element.getBoundingClientRect())
    return labelBox.top >= list.top && labelBox.bottom <= list.bottom + 1
  })
  assert.ok(!await isLastVisible())
  await lastLabel.locator('input').evaluate(input => input.click())
  await page.waitForFunction(label => label.querySelector('input').checked, await lastLabel.elementHandle())
  assert.ok(await isLastVisible())
  await enterRoom(page, 'residual_stream')
  const nextButton = page.locator('.stage .stretch:visible button:last-child').first()
  await nextButton.focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(button => button.getAttribute('aria-disabled') === 'true', await nextButton.elementHandle())
  assert.ok(await nextButton.evaluate(button => button === document.activeElement))
  assert.deepEqual(complaints, [])
  await close()
  await rm(folder, { recursive: true })
})
