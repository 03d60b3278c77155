// Trainings that are kept: saved while they run, resumed after a reload or from a file, and started from other weights.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { formatBrief, formatFixed } from '../../web/lib/number.js'
import { createPlayer } from '../../src/training/player.js'
import { createSession } from '../../src/training/session.js'
import { read } from '../../src/training/settings.js'
import { gf } from '../lib/engine.js'
import { useBrowser } from './host.js'
import { waitUntilDrawn, pressAction, readStep, waitForStep } from './training.js'
import { longTest } from '../lib/long.js'

const browser = useBrowser()

test('a training resumes after the tab is closed and reopened, and from a file', async () => {
  const link = 'dates_steps-40_batch-8_layers-1'
  const { page, complaints, close } = await browser.open({ theatre: link })
  await waitForStep(page, 0)
  await pressAction(page, 'step')
  await pressAction(page, 'step')
  await waitForStep(page, 2)
  await page.waitForFunction(() => document.querySelector('[data-note="kept"]').textContent.includes('2스텝까지'))
  const [saved] = await Promise.all([page.waitForEvent('download'), pressAction(page, 'download')])
  const path = await saved.path()
  await page.reload()
  await waitForStep(page, 2)
  await pressAction(page, 'play')
  await waitUntilDrawn(page, 40)
  const session = createSession(gf, read(link))
  for (let n = 0; n < 40; n++) session.step()
  const readLoss = () => page.evaluate(() => document.querySelector('.theatre-keys b').textContent)
  assert.equal(await readLoss(), formatBrief(session.history.loss[39]))
  session.dispose()
  await page.setInputFiles('[data-action="upload"]', path)
  await page.waitForFunction(() => document.querySelector('.theatre').dataset.step === '2')
  await page.setInputFiles('[data-action="upload"]', { name: 'x.bin', mimeType: 'x/y', buffer: Buffer.from('nothing') })
  await page.waitForFunction(() => document.querySelector('.theatre-problem').textContent.includes('x.bin'))
  assert.equal(await readStep(page), 2)
  assert.deepEqual(complaints, [])
  await close()
})

/** Runs in the page before anything else: what is written to the browser's database takes a second. */
function slowToWrite() {
  const { put } = IDBObjectStore.prototype
  globalThis.written = 0
  IDBObjectStore.prototype.put = function slow(...values) {
    const request = put.apply(this, values), end = performance.now() + 1000
    const more = () => { if (performance.now() < end) this.count().onsuccess = more }
    more()
    globalThis.written += 1
    return request
  }
}

longTest('a step made during a save is saved after it', async () => {
  const { page, complaints, close } = await browser.open({ theatre: 'dates_steps-40_batch-8_layers-1' }, { before: slowToWrite })
  await waitForStep(page, 0)
  await pressAction(page, 'step')
  await page.waitForFunction(() => globalThis.written === 1)
  await pressAction(page, 'step')
  await page.waitForFunction(() => document.querySelector('[data-note="kept"]').textContent.includes('2스텝까지'),
    null, { timeout: 8000 })
  assert.deepEqual(complaints, [])
  await close()
})

longTest('non-finite values are located, and training resumes from the previous step at a tenth of the rate', async () => {
  const link = 'dates_rate-1000_schedule-constant_warmUp-0_batch-8_clip-0_normFirst-before_positions-learned_seed-1'
  const player = createPlayer(gf, read(link))
  while (player.step());
  const { step, where: location, loss: lastLoss } = player.broken
  const { page, complaints, close } = await browser.open({ theatre: link })
  await waitForStep(page, 0)
  await pressAction(page, 'play')
  await page.waitForSelector('[data-action="calmer"]')
  const problem = await page.textContent('.theatre-problem')
  assert.ok(Number.isFinite(lastLoss), 'the gradient broke, not the loss')
  assert.ok(problem.startsWith(`${step}스텝에서 손실은 아직 수였지만(${lastLoss})`) && problem.includes(location?.name ?? '기울기 전체의 크기'), problem)
  assert.ok(problem.includes(`${step - 1}스텝의 가중치는 그대로예요`), problem)
  assert.equal(await readStep(page), step - 1)
  await pressAction(page, 'calmer')
  await page.waitForFunction(() => document.querySelector('.theatre').dataset.open.includes('start-given'))
  await waitUntilDrawn(page, 0)
  assert.equal(await page.isVisible('[data-action="calmer"]'), false)
  await pressAction(page, 'step')
  await page.waitForFunction(() => document.querySelector('[data-note="kept"]').textContent.includes('1스텝까지'))
  const settings = read(await page.getAttribute('.theatre', 'data-open'))
  assert.equal(settings.rate, 100)
  const session = createSession(gf, settings, undefined, player.session.file())
  session.step()
  const [loss] = session.history.loss
  const readLoss = () => page.evaluate(() => document.querySelector('.theatre-keys b').textContent)
  await waitUntilDrawn(page, 1)
  assert.equal(await readLoss(), formatBrief(loss))
  await page.reload()
  await waitUntilDrawn(page, 1)
  assert.equal(await readLoss(), formatBrief(loss))
  for (const item of [session, player.session]) item.dispose()
  assert.deepEqual(complaints, [])
  await close()
})

test('a training starts from the page\'s own weights; weights that a link cannot contain are asked for', async () => {
  const { page, complaints, close } = await browser.open({ theatre: 'dates_steps-10_batch-8_start-page' })
  await waitUntilDrawn(page, 0)
  const file = new Uint8Array(await readFile(new URL('../../web/models/dates/date_translator.safetensors', import.meta.url)))
  const session = createSession(gf, read('dates_steps-10_batch-8_start-page'), undefined, file)
  const { right, loss } = session.history.evaluations[0]
  session.dispose()
  assert.ok(right > 0.9)
  const displayed = await page.evaluate(() => [...document.querySelectorAll('.theatre-keys b')].map(b => b.textContent))
  assert.ok(displayed.includes(formatBrief(loss)) && displayed.includes(`${formatFixed(100 * right, 1)} %`), displayed.join())
  await page.evaluate(() => { location.hash = '#v=1&model=dates&theatre=dates_start-given_origin-abc' })
  await page.waitForFunction(() => (
    document.querySelector('[data-control="start"] .problem')?.textContent.includes('링크에 들어 있지')))
  assert.deepEqual(complaints, [])
  await close()
})
