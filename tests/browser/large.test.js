// A model of GPT-2's shape with random weights, opened and walked through: what is drawn, what is read out of the
// engine, how long and how much memory it takes. `npm test` takes a narrow one of 9,000 words, `npm run test:long`
// GPT-2 small.
import assert from 'node:assert/strict'
import { openAsBlob } from 'node:fs'
import { mkdtemp, open as openFile, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { isLong, longTest } from '../lib/long.js'
import { SMALL, writeGpt2 } from '../lib/large.js'
import { beyond, bringFiles, changing, go, useHouse, violations } from './host.js'
import { longestTasks } from './main_thread_tasks.js'
import { scale, signed } from '../../web/lib/color.js'

const { open, inBrowser } = useHouse()
const SHAPE = isLong ? SMALL : { layers: 2, channels: 96, heads: 4, words: 9000, places: 128 }
/** What a room may hold at most; before, a bar of each step had a piece for each word. */
const MOST_NODES = 6000
/** Rooms with a table of words or a choice among them, and one of each kind; not those that run it again and again. */
const ROOMS = ['text.tokens', 'text.merges', 'text.embedding', '0.self_attn.qkv', '0.self_attn.weights',
  '0.self_attn.output', '0.linear1', '0.linear2', 'ln_f', 'linear', 'sampling', 'decoding', 'cache', 'stream', 'house']
/** Milliseconds of the processor that one task of the page may take, whatever other programs take meanwhile. */
const LONGEST_TASK = 50
const CHROME = 300_000

/** Runs in the page before anything else: tasks that took long, and what the worker was asked for. */
function watch() {
  globalThis.seen = { tasks: [], asked: [] }
  const note = list => globalThis.seen.tasks.push(...list.getEntries().map(({ duration }) => Math.round(duration)))
  new PerformanceObserver(note).observe({ type: 'longtask', buffered: true })
  const { postMessage } = Worker.prototype
  Worker.prototype.postMessage = function send(message, ...rest) {
    if (['read', 'rows'].includes(message.type)) {
      globalThis.seen.asked.push([message.type, message.names ?? [message.name], message.rows?.length ?? 0])
    }
    return postMessage.call(this, message, ...rest)
  }
}

/** The memory of the tab, now and at most, in MB. */
const memoryOf = browser => async () => {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const all = await Promise.all(processInfo.filter(({ type }) => type === 'renderer').map(async ({ id }) => {
    const text = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '')
    return ['VmRSS', 'VmHWM'].map(key => Math.round(Number(new RegExp(`${key}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024))
  }))
  await session.detach()
  return all.reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0])
}

/** A tensor of a file of float32. */
async function tensorIn(path, name) {
  const file = await openFile(path), length = Buffer.alloc(8)
  await file.read(length, 0, 8, 0)
  const from = 8 + Number(length.readBigUInt64LE()), header = Buffer.alloc(from - 8)
  await file.read(header, 0, header.length, 8)
  const { shape, data_offsets: [first, end] } = JSON.parse(header)[name], data = new Float32Array((end - first) / 4)
  await file.read(new Uint8Array(data.buffer), 0, end - first, from + first)
  await file.close()
  return { shape, data }
}

/**
 * Of a matrix that is larger than the window only a part is painted, each cell where it belongs in the color of its
 * value, wherever the reader scrolls to.
 */
async function expectSight(page, { shape: [rows, cols], data }) {
  const colors = scale(signed(data.reduce((most, x) => Math.max(most, Math.abs(x)), 0)), 'light')
  for (const share of [0, 0.6, 1]) {
    await page.$eval('.product-right .heat', (heat, at) => {
      const { top, height } = heat.getBoundingClientRect()
      scrollBy({ top: top + at * height - innerHeight / 2, behavior: 'instant' })
      heat.closest('.frame').scrollLeft = at * 1e6
    }, share)
    await page.waitForTimeout(200)
    const { area, seen } = await page.$eval('.product-right .heat', (heat, [rows, cols]) => {
      const canvas = heat.querySelector('canvas'), box = heat.getBoundingClientRect()
      const copy = new OffscreenCanvas(canvas.width, canvas.height)
      const pen = copy.getContext('2d', { willReadFrequently: true })
      pen.drawImage(canvas, 0, 0)
      const [width, height] = [box.width / cols, box.height / rows]
      const [left, top] = [canvas, canvas].map((one, i) => parseFloat(one.style[['left', 'top'][i]]))
      const first = Math.max(0, Math.ceil(-box.top / height))
      const end = Math.min(rows, Math.floor((innerHeight - box.top) / height))
      const frame = heat.closest('.frame').getBoundingClientRect()
      const start = Math.max(0, Math.ceil((frame.left - box.left) / width))
      const wide = Math.min(cols, Math.floor((frame.right - box.left) / width)) - start
      const places = wide < 1 ? [] : Array.from({ length: 40 }, (_, i) => (
        [first + (i * 7919) % (end - first), start + (i * 13) % wide]))
      return {
        area: canvas.width * canvas.height / (box.width * box.height),
        seen: places.map(([row, col]) => {
          const [x, y] = [Math.floor((col + 0.5) * width - left), Math.floor((row + 0.2) * height - top)]
          return { row, col, color: `rgb(${[...pen.getImageData(x, y, 1, 1).data].slice(0, 3).join(' ')})` }
        })
      }
    }, [rows, cols])
    if (share > 0) assert.equal(seen.length, 40, 'scrolled into sight')
    assert.ok(area < 1, `${area} of it is painted`)
    assert.deepEqual(seen.map(({ color }) => color),
      seen.map(({ row, col }) => colors.at(data[row * cols + col]).css))
  }
}

const TEXT = 'the house at the sea', ANSWER = 16
const PACKAGE = new URL('../../dist/js/', import.meta.url)

/** What a model takes: reading the files, the first token after a text, each of the next. In Node and in a tab. */
async function timed({ gf, files, text, answer }) {
  let last = performance.now()
  const took = () => {
    const before = last
    last = performance.now()
    return last - before
  }
  const { model, tokenizer } = await gf.models.load(files), read = took(), each = []
  const { ids } = tokenizer.encode(text)
  took()
  const written = model.generate(ids, { maxNewTokens: answer, end: [], onToken: () => { each.push(took()) } })
  const { bytes, peak } = gf.memory(), [first, ...next] = each
  model.dispose()
  return { read, count: ids.length, first, next, bytes, peak, written }
}

/** The same in words. */
function saidOf({ read, count, first, next, bytes, peak }) {
  assert.equal(next.length, ANSWER - 1)
  const middle = next.sort((a, b) => a - b)[next.length >> 1]
  return `read in ${read.toFixed(0)} ms, the first token after ${count} in ${first.toFixed(0)}, each of the next in ` +
    `${middle.toFixed(0)} (${next.at(-1).toFixed(0)} at most); ${[bytes, peak].map(n => Math.round(n / 1e6)).join(' MB, ')} at most`
}

async function tokensInNode(paths) {
  const blobs = await Promise.all(paths.map(async path => [basename(path), await openAsBlob(path)]))
  return timed({ gf, files: Object.fromEntries(blobs), text: TEXT, answer: ANSWER })
}

/** The package as it is installed, in a tab of its own: what it writes token by token, and how long it takes. */
async function tokensInTab(paths) {
  const { page, complaints, close } = await open({ language: 'en' })
  await page.route('**/package/*', async route => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1)
    const contentType = name.endsWith('.wasm') ? 'application/wasm' : 'text/javascript'
    await route.fulfill({ body: await readFile(new URL(name, PACKAGE)), contentType })
  })
  await page.evaluate(() => document.body.append(Object.assign(document.createElement('input'), { type: 'file', multiple: true, id: 'timed' })))
  await page.setInputFiles('#timed', paths)
  await page.evaluate(`globalThis.timed = ${timed}`)
  const found = await page.evaluate(async ([text, answer]) => {
    const { load } = await import('./package/glassformer.js'), gf = await load()
    const files = Object.fromEntries([...document.getElementById('timed').files].map(file => [file.name, file]))
    return globalThis.timed({ gf, files, text, answer })
  }, [TEXT, ANSWER])
  assert.deepEqual(complaints, [])
  await close()
  return found
}

/** Enters a room and waits until nothing is on its way. */
async function enter(page, room) {
  await go(page, room)
  await page.waitForSelector(`#house[data-room="${room}"]`)
  await page.waitForTimeout(100)
  await page.waitForFunction(() => !document.querySelector('.stage [aria-busy="true"]'), null, { timeout: CHROME })
  await page.waitForTimeout(300)
}

longTest(`${SHAPE.layers} layers of ${SHAPE.channels} channels and ${SHAPE.words} words, from files to every kind of room`, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'large-'))
  const { paths, bytes } = await writeGpt2(folder, SHAPE)
  const { page, complaints, close } = await open({ language: 'en' }, { before: watch })
  const memory = await inBrowser(memoryOf)
  const say = async (what, begun) => {
    const { tasks, asked } = await page.evaluate(() => {
      const { tasks, asked } = globalThis.seen
      Object.assign(globalThis.seen, { tasks: [], asked: [] })
      return { tasks, asked }
    })
    const [now, most] = await memory()
    t.diagnostic(`${what}: ${Date.now() - begun} ms, longest task ${Math.max(0, ...tasks)} ms, ${now} MB (${most} at most)`)
    return asked
  }
  let begun = Date.now()
  await say('start', begun)
  await page.selectOption('.models select', 'own')
  await page.waitForSelector('.bring[open]')
  await page.setInputFiles('.bring input', paths)
  await page.waitForSelector('.bring .primary:visible')
  await say(`looked at, ${Math.round(bytes / 1e6)} MB`, begun)
  begun = Date.now()
  await changing(page, () => page.click('.bring .primary'))
  await say('opened, with a first answer', begun)
  begun = Date.now()
  await changing(page, () => page.fill('[data-field="beginning"]', TEXT))
  await say('another text with its answer', begun)
  const walk = async during => {
    for (const room of ROOMS) await during(room, async () => {
      begun = Date.now()
      await enter(page, room)
      const asked = await say(room, begun)
      const nodes = await page.locator('.stage *').count()
      assert.ok(nodes < MOST_NODES, `${room}: ${nodes} elements`)
      const whole = asked.filter(([type, names]) => type === 'read' && names.includes('wte.weight'))
      assert.deepEqual(whole, [], `${room}: the whole table was read`)
    })
  }
  const tasks = await inBrowser(browser => longestTasks(browser, page, walk))
  for (const [room, { cpu, wall }] of tasks) {
    t.diagnostic(`${room}: ${cpu.toFixed(0)} ms of the processor, ${wall.toFixed(0)} by the clock`)
    if (isLong) assert.ok(cpu < LONGEST_TASK, `${room}: a task of ${cpu} ms`)
  }
  await enter(page, '0.linear2')
  await expectSight(page, await tensorIn(paths.find(path => path.endsWith('.safetensors')), 'h.0.mlp.c_proj.weight'))
  await enter(page, 'text.embedding')
  await page.waitForSelector('.stage .heat[data-row-order]')
  const table = () => page.$eval('.stage .heat', heat => ({
    name: heat.dataset.tensor, rows: heat.dataset.rowOrder.split(',').map(Number)
  }))
  const { name, rows } = await table()
  assert.equal(name, 'wte.weight')
  assert.match(await page.textContent('.finder .note'), new RegExp(`^${rows.length} of ${SHAPE.words.toLocaleString('en')} `))
  await page.fill('.finder input', String(SHAPE.words - 1))
  const drawn = (isSo, about) => page.waitForFunction(([text, one]) => {
    const rows = document.querySelector('.stage .heat').dataset.rowOrder.split(',')
    return { has: rows.includes(String(one)), same: rows.length === one, more: rows.length > one }[text]
  }, [isSo, about])
  await drawn('has', SHAPE.words - 1)
  await page.fill('.finder input', '')
  await drawn('same', rows.length)
  await page.click('.finder button')
  await drawn('more', rows.length)
  assert.deepEqual(await violations(page, '.stage'), [])
  begun = Date.now()
  await page.focus('.stage .heat')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => (
    document.querySelector('.inspector .cell-name').textContent.replaceAll('\u200b', '').startsWith('wte.weight[')))
  await page.click('.inspector [data-keep="near"]')
  await page.waitForSelector('.inspector .nudge dt', { timeout: CHROME })
  await say('nearest rows', begun)
  await enter(page, 'text.tokens')
  await page.fill('.finder input', 'the')
  await page.waitForFunction(() => document.querySelector('.vocab-token')?.textContent === 'the')
  assert.ok(await page.locator('.vocabulary li').count() <= 200)
  assert.deepEqual(complaints, [])
  await close()
  const [there, here] = [await tokensInTab(paths), await tokensInNode(paths)]
  t.diagnostic(`in a tab: ${saidOf(there)}`)
  t.diagnostic(`in Node: ${saidOf(here)}`)
  assert.deepEqual(there.written, here.written, 'the same tokens')
  await rm(folder, { recursive: true })
})

/** Rooms that a long text makes large: every token, every pair of tokens, tables with a column for each. */
const LONG_ROOMS = ['text.tokens', 'text.merges', 'text.embedding', '0.self_attn.scores', '0.self_attn.weights',
  '0.self_attn.output', '0.linear1', 'linear', 'sampling', 'decoding', 'stream', 'house']
const LONG_SHAPE = isLong ? SMALL : { layers: 4, channels: 64, heads: 4, words: 9000, places: 1024 }
const LINE = 'the house at the sea is old and the boat is small so a bird sits on the roof and sings until it is dark '

longTest(`1,024 tokens before ${LONG_SHAPE.layers} layers of ${LONG_SHAPE.channels} channels: all of them, in every kind of room`, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'long-'))
  const { paths } = await writeGpt2(folder, LONG_SHAPE)
  const { page, complaints, close } = await open({ language: 'en' }, { before: watch })
  const memory = await inBrowser(memoryOf)
  page.setDefaultTimeout(CHROME)
  await bringFiles(page, paths)
  const begun = Date.now()
  const tasks = await inBrowser(browser => longestTasks(browser, page, async during => {
    await during('the text', () => changing(page, () => page.fill('[data-field="beginning"]', LINE.repeat(40))))
    t.diagnostic(`1,024 tokens: ${Date.now() - begun} ms until they are shown, ${(await memory()).join(' MB, ')} MB at most`)
    for (const room of LONG_ROOMS) await during(room, async () => {
      await enter(page, room)
      const nodes = await page.locator('.stage *').count()
      assert.ok(nodes < MOST_NODES, `${room}: ${nodes} elements`)
    })
  }))
  for (const [room, { cpu, wall }] of tasks) {
    t.diagnostic(`${room}: ${cpu.toFixed(0)} ms of the processor, ${wall.toFixed(0)} by the clock`)
    if (isLong) assert.ok(cpu < LONGEST_TASK, `${room}: a task of ${cpu} ms`)
  }
  t.diagnostic(`then ${(await memory()).join(' MB, ')} MB at most`)
  assert.match(await page.textContent('#reading'),
    /^The first 1,023 of [\d,]+ tokens are read: .*positions\. The answer ends after 2 of 16 tokens: .*positions\./)
  await enter(page, 'text.tokens')
  await page.waitForSelector('.chip')
  const drawn = () => page.textContent('.stage .stretch:visible [role="status"]')
  assert.equal(await drawn(), 'Showing 0 to 127 of 1,024.')
  const first = await page.textContent('.chip')
  for (let i = 0; i < 7; i++) await page.click('.stage .stretch:visible button:last-child')
  assert.equal(await drawn(), 'Showing 896 to 1,023 of 1,024.')
  assert.ok(await page.isDisabled('.stage .stretch:visible button:last-child'))
  assert.equal(await page.locator('.chip').count(), 128)
  assert.notEqual(await page.textContent('.chip'), first)
  assert.deepEqual(await violations(page, '.stage'), [])
  const last = `${LONG_SHAPE.layers - 2}.self_attn.weights`
  await enter(page, last)
  assert.match(await page.textContent('.unkept'), /of all \d+ layers, with gradients, would take [\d.]+ .B/)
  await changing(page, () => page.click('.unkept .primary'))
  await enter(page, last)
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
  const { paths } = await writeGpt2(folder, { layers: 6, channels: 256, heads: 4, words: 9000, places: 1024 })
  const { page, complaints, close } = await open({ language: 'en' })
  await bringFiles(page, paths)
  await go(page, 'decoding')
  const longer = page.locator('.stage [data-control="maxNewTokens"] .stepper button:last-child')
  const picks = () => page.locator('.pick').count()
  await changing(page, async () => {
    for (let i = 0; i < 4; i++) await longer.click()
    // Ended when there are more than the 16 of a start, or a busy machine would have it before.
    await page.waitForFunction(() => (
      parseInt(document.querySelector('#reading [role="status"]').textContent, 10) > 16), null, { polling: 10 })
    await page.click('[data-action="finish"]')
  })
  await page.waitForFunction(() => document.querySelector('#reading').hidden)
  const some = await picks()
  assert.ok(some > 16 && some < 256, `${some} tokens`)
  await changing(page, async () => {
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
  const { paths } = await writeGpt2(folder, { layers: 2, channels: 48, heads: 4, words: 3000, places: 256 })
  const { page, complaints, close } = await open({ language: 'en', room: 'house' }, { viewport: { width: 390, height: 844 } })
  await bringFiles(page, paths)
  await enter(page, 'decoding')
  assert.doesNotMatch(await page.textContent('.stage .lead'), /<\/s>|decoder/)
  for (let i = 0; i < 3; i++) await changing(page, () => page.click('.stage [data-control="maxNewTokens"] .stepper button:last-child'))
  await changing(page, () => page.fill('[data-field="beginning"]', LINE))
  await enter(page, 'house')
  assert.match(await page.textContent('.house-now'), /and wrote “[^”]{240}…”, one token at a time \(128 steps\)/)
  assert.equal(await beyond(page), 0)
  await enter(page, 'sampling')
  const steps = page.locator('.stage .segments.is-long')
  const heights = () => steps.evaluate(list => [list.clientHeight, list.scrollHeight])
  const [seen, all] = await heights()
  assert.ok(seen < 200 && all > 2 * seen, `${seen} of ${all} pixels`)
  const last = steps.locator('label').last()
  const inSight = () => last.evaluate(label => {
    const [own, list] = [label, label.parentNode].map(one => one.getBoundingClientRect())
    return own.top >= list.top && own.bottom <= list.bottom + 1
  })
  assert.ok(!await inSight())
  await last.locator('input').evaluate(input => input.click())
  await page.waitForFunction(label => label.querySelector('input').checked, await last.elementHandle())
  assert.ok(await inSight())
  await enter(page, 'stream')
  const onwards = page.locator('.stage .stretch:visible button:last-child').first()
  await onwards.focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(button => button.getAttribute('aria-disabled') === 'true', await onwards.elementHandle())
  assert.ok(await onwards.evaluate(button => button === document.activeElement))
  assert.deepEqual(complaints, [])
  await close()
  await rm(folder, { recursive: true })
})
