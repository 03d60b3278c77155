// A model of GPT-2's shape with random weights, opened and walked through: what is drawn, what is read out of the
// engine, how long and how much memory it takes. `npm test` takes a narrow one of 20,000 words, `npm run test:long`
// GPT-2 small.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLong } from '../lib/long.js'
import { SMALL, writeGpt2 } from '../lib/large.js'
import { changing, go, useHouse, violations } from './host.js'

const { open, inBrowser } = useHouse()
const SHAPE = isLong ? SMALL : { layers: 2, channels: 64, heads: 4, words: 20000, places: 128 }
/** What a room may hold at most; before, a bar of each step had a piece for each word. */
const MOST_NODES = 6000
/** Rooms with a table of words or a choice among them, and one of each kind; not those that run it again and again. */
const ROOMS = ['text.tokens', 'text.merges', 'text.embedding', '0.self_attn.weights', '0.self_attn.output', '0.linear1',
  'ln_f', 'linear', 'sampling', 'decoding', 'cache', 'stream', 'house']
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

/** Enters a room and waits until nothing is on its way. */
async function enter(page, room) {
  await go(page, room)
  await page.waitForSelector(`#house[data-room="${room}"]`)
  await page.waitForTimeout(100)
  await page.waitForFunction(() => !document.querySelector('.stage [aria-busy="true"]'), null, { timeout: CHROME })
  await page.waitForTimeout(300)
}

test(`${SHAPE.layers} layers of ${SHAPE.channels} channels and ${SHAPE.words} words, from files to every kind of room`, async t => {
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
  await changing(page, () => page.fill('[data-field="beginning"]', 'the house at the sea'))
  await say('another text with its answer', begun)
  for (const room of ROOMS) {
    begun = Date.now()
    await enter(page, room)
    const asked = await say(room, begun)
    const nodes = await page.locator('.stage *').count()
    assert.ok(nodes < MOST_NODES, `${room}: ${nodes} elements`)
    const whole = asked.filter(([type, names]) => type === 'read' && names.includes('wte.weight'))
    assert.deepEqual(whole, [], `${room}: the whole table was read`)
  }
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
  await rm(folder, { recursive: true })
})
