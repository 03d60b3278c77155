// A text of the reader's own in the training theatre.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { formatBrief } from '../../web/lib/number.js'
import { defaultsOf as pageDefaults, modelOf } from '../../web/models/index.js'
import { RUNS } from '../../web/models/runs.js'
import { createSession } from '../../src/training/session.js'
import { read } from '../../src/training/settings.js'
import { changeAndWait, useBrowser } from './host.js'
import { waitUntilDrawn, pressAction, readStep, waitForStep } from './training.js'

const browser = useBrowser()
const gf = await load()

test('the reader\'s own text is trained on; an unsuitable one is rejected, and nothing is lost', async () => {
  const { page, complaints, close } = await browser.open({ theatre: 'text_length-8_batch-4_steps-30_layers-1' })
  await waitForStep(page, 0)
  const text = '나비가 날아와요. 꽃이 피어요. '.repeat(40)
  await page.fill('[data-field="text"]', text)
  await page.waitForFunction(() => document.querySelector('.theatre').dataset.open.includes('mark-'))
  await pressAction(page, 'play')
  await waitUntilDrawn(page, 30)
  const session = createSession(gf, read('text_length-8_batch-4_steps-30_layers-1'), text)
  for (let n = 0; n < 30; n++) session.step()
  const displayed = await page.evaluate(() => [...document.querySelectorAll('.theatre-keys b')].map(b => b.textContent))
  assert.equal(displayed[0], formatBrief(session.history.loss[29]))
  session.dispose()
  await page.waitForFunction(() => document.querySelector('[data-note="kept"]').textContent.includes('30스텝'))
  await page.reload()
  await waitForStep(page, 30)
  assert.equal(await page.inputValue('[data-field="text"]'), text)
  const readProblem = () => page.textContent('.theatre-text .problem')
  await pressAction(page, 'again')
  await waitForStep(page, 0)
  await page.waitForSelector('.theatre-play:not([disabled])')
  await page.fill('[data-field="text"]', 'aaaa')
  assert.match(await readProblem(), /한 가지/)
  assert.ok(await page.isDisabled('.theatre-play'), 'nothing is learned from another text meanwhile')
  await page.setInputFiles('[data-action="file"]', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.of(0xff, 0xfe) })
  await page.waitForFunction(() => document.querySelector('.theatre-text .problem').textContent.includes('UTF-8'))
  assert.equal(await readStep(page), 0)
  assert.deepEqual(complaints, [])
  await close()
})

test('a model of the reader\'s own text is displayed with its own characters', async () => {
  const link = 'text_length-12_batch-4_steps-30_layers-1_dModel-16'
  const { page, complaints, close } = await browser.open({ theatre: link })
  const text = '나비가 날아와요. 꽃이 피어요. '.repeat(40)
  await waitForStep(page, 0)
  await page.fill('[data-field="text"]', text)
  // As browsers do after a line break: nothing has changed, and what was about to begin still begins.
  await page.dispatchEvent('[data-field="text"]', 'input')
  await page.waitForFunction(() => document.querySelector('.theatre').dataset.open.includes('mark-'))
  await pressAction(page, 'play')
  await waitUntilDrawn(page, 30)
  const settings = read(await page.getAttribute('.theatre', 'data-open'))
  const session = createSession(gf, settings, text)
  for (let n = 0; n < 30; n++) session.step()
  const options = { ...pageDefaults('text'), beginning: text.slice(0, 8), weights: 'theatre', trainedFileId: 1 }
  const { run, decoding } = RUNS.text(gf, options, [], [session.file()])
  const answer = modelOf('text').written(decoding.steps.map(({ token }) => token))
  run.dispose()
  session.dispose()
  await changeAndWait(page, () => pressAction(page, 'inside'))
  await page.waitForFunction(expected => (
    document.querySelector('.field.is-target input').placeholder === expected), answer)
  assert.equal(await page.evaluate(() => document.getElementById('house').dataset.model), 'text')
  await page.locator('[data-action="learned"]').fill('0')
  await page.waitForFunction(expected => (
    document.querySelector('.field.is-target input').placeholder !== expected), answer)
  for (const room of ['text.pieces', 'decoder.0.self_attn.weights']) {
    await page.evaluate(id => document.querySelector(`.map li[data-room="${id}"] a`)?.click(), room)
    await page.waitForSelector('.stage h1')
  }
  assert.deepEqual(complaints, [])
  await close()
})
