// A model that the reader brings: chosen or dropped as files, looked at first, then every number as in Node.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cases, filesOf } from '../models/golden_models.js'
import { longTest, everyNth } from '../lib/long.js'
import { BROKEN, HOSTILE, SHUFFLED, brokenFiles, otherTokenizer, oversized } from '../lib/hostile.js'
import {
  readAddress, changeAndWait, goToRoom, dropFiles, roomsOnMap, runInNode, completeState, useBrowser, findViolations
} from './host.js'
import { compareTables } from './room_tables.js'
import { defaultsOf, settingsOf } from '../../web/models/index.js'
import { RUNS } from '../../web/models/runs.js'
import { createSession } from '../../src/training/session.js'
import { read } from '../../src/training/settings.js'
import { run as runOwn } from '../../web/models/imported/run.js'
import { llamaGguf, openModel } from '../lib/imported_models.js'
import { caseOf, filesOf as encoderFiles } from '../models/hashed_weights.js'
import { gf } from '../lib/engine.js'
import { toPageRun } from '../lib/page.js'

const browser = useBrowser()
const [llama] = cases('llama')
const STATE = { model: 'own', beginning: '3 1 4 1 5', language: 'en' }

const asFiles = files => Object.entries(files).map(([name, content]) => ({
  name, mimeType: 'application/octet-stream', buffer: Buffer.from(content)
}))

/** Chooses the model of the reader's own and gives the dialog its files. */
async function give(page, files) {
  await page.selectOption('.models select', 'own')
  await page.waitForSelector('.bring[open]')
  await page.setInputFiles('.bring input', asFiles(files))
}

async function bring(page, files) {
  await give(page, files)
  await page.waitForSelector('.bring .primary:visible')
  await changeAndWait(page, () => page.click('.bring .primary'))
}

/** The model that was brought goes on with a text of the reader's, and its numbers are those of Node. */
async function holdsToNode(page) {
  await changeAndWait(page, () => page.fill('[data-field="beginning"]', STATE.beginning))
  const run = runInNode(STATE)
  assert.ok(await compareTables(page, run, STATE, 2, 4) > 500)
  run.dispose()
}

longTest('a text keeps its line breaks, which the field displays while it has the focus', async () => {
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await bring(page, filesOf(llama))
  const text = '3 1\n4 1 5', field = page.locator('[data-field="beginning"]'), lines = () => field.evaluate(element => element.rows)
  const height = () => page.locator('.top').evaluate(argument => argument.offsetHeight), before = await height()
  await field.fill('')
  await changeAndWait(page, () => page.keyboard.insertText(text))
  assert.equal(await field.inputValue(), text)
  assert.equal((await readAddress(page)).beginning, text)
  assert.equal(await lines(), 2)
  assert.equal(await height(), before, 'it grows over what is below it')
  await page.keyboard.press('Tab')
  assert.equal(await lines(), 1)
  await field.fill('3 1 '.repeat(400))
  assert.equal(await lines(), 8)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('an imported Llama: first its description, then all its rooms, every number as in Node', async t => {
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await give(page, filesOf(llama))
  await page.waitForSelector('.bring .primary:visible')
  const description = await page.textContent('.bring-type')
  assert.match(description, /^llama: [\d,]+ parameters, [\d.]+ KB of memory$/)
  assert.deepEqual(await findViolations(page), [])
  await changeAndWait(page, () => page.click('.bring .primary'))
  await changeAndWait(page, () => page.fill('[data-field="beginning"]', STATE.beginning))
  const run = runInNode(STATE)
  const count = await compareTables(page, run, STATE)
  run.dispose()
  assert.ok(count > 3000, `${count}`)
  t.diagnostic(`${count} numbers compared`)
  assert.deepEqual(complaints, [])
  await close()
})

test('a GGUF file is opened by itself; the page has the rooms of a Llama', async () => {
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await bring(page, { 'tiny.gguf': Buffer.concat(llamaGguf()) })
  await changeAndWait(page, () => page.fill('[data-field="beginning"]', STATE.beginning))
  const rooms = await roomsOnMap(page)
  for (const id of rooms) {
    await goToRoom(page, id)
    await page.waitForSelector(`#house[data-room="${id}"]`)
    assert.doesNotMatch(await page.textContent('#house'), /NaN|undefined/, id)
  }
  assert.ok(rooms.includes('0.self_attn.rotary'))
  // The engine of a model of one's own serves the others too.
  await changeAndWait(page, () => page.selectOption('.models select', 'stories'))
  await goToRoom(page, 'text.bpe_training')
  await page.waitForSelector('.learning[aria-busy="false"] .learning-words > span')
  assert.deepEqual(complaints, [])
  await close()
})

test('a classifier: its label stands where the answer stands, in both languages', async () => {
  for (const language of ['en', 'ko']) {
    const { page, complaints, close } = await browser.open({ language })
    await bring(page, encoderFiles(caseOf('bert: SequenceClassification')))
    await changeAndWait(page, () => page.fill('[data-field="beginning"]', STATE.beginning))
    assert.equal(await page.getAttribute('[data-field="target"]', 'readonly'), '')
    // The top line is written before the house, and the model's first run may still be drawn.
    await page.waitForFunction(({ beginning }) => {
      const { placeholder } = document.querySelector('[data-field="target"]')
      const { textContent = '' } = document.querySelector('.house-now') ?? {}
      return placeholder && textContent.includes(placeholder) && textContent.includes(beginning)
    }, STATE)
    const answer = await page.getAttribute('[data-field="target"]', 'placeholder')
    assert.match(answer, /^\S+ \(0\.\d+\)$/)
    await goToRoom(page, 'labels')
    await page.waitForSelector('.label-answer')
    assert.ok((await page.textContent('.label-answer')).includes(answer))
    assert.deepEqual(await findViolations(page), [])
    assert.deepEqual(complaints, [])
    await close()
  }
})

const without = key => filesOf(llama, {
  change: tensors => Object.fromEntries(Object.entries(tensors).filter(([name]) => name !== key))
})

const [aKey] = llama.tensors[1]
const plainKey = aKey.replace(/^model\./, '')

const WRONG = {
  ...HOSTILE,
  'a missing tensor': [without(aKey), new RegExp(`missing tensors.*${plainKey.replaceAll('.', '\\.')}`)],
  'no config': [{ 'model.safetensors': filesOf(llama)['model.safetensors'] }, /config\.json is missing/],
  'a config of nothing known': [filesOf(llama, { config: { model_type: 'rwkv' } }), /rwkv/],
  'a config that is no JSON': [{ ...filesOf(llama), 'config.json': '{' }, /config\.json/]
}

test('files that cannot be opened are explained, and the page keeps its model', async () => {
  const { page, complaints, close } = await browser.open({ language: 'en' })
  for (const [name, [files, reason]] of Object.entries(WRONG)) {
    await give(page, files)
    const readDescription = () => page.textContent('.bring-found')
    await page.waitForFunction(() => document.querySelector('.bring-found h3, .bring-found .problem'))
    assert.match(await readDescription(), reason, name)
    if (await page.$('.bring-found h3')) {
      assert.match(await page.textContent('.bring-remedy'), /Download that file again.*the model it had/, name)
    }
    assert.ok(await page.isHidden('.bring .primary'), name)
    await page.click('.bring .dialog-head button')
  }
  assert.equal(await page.getAttribute('#house', 'data-model'), 'dates')
  await changeAndWait(page, () => page.fill('[data-field="source"]', 'may 6 2026'))
  assert.deepEqual(complaints, [])
  await close()
})

test('a file of more than 4 GB is described from its header, without allocating', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'oversized-')), { head, size, config } = oversized()
  const paths = ['config.json', 'model.safetensors'].map(name => join(folder, name))
  await Promise.all([writeFile(paths[0], config), writeFile(paths[1], head)])
  await truncate(paths[1], size)
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await page.selectOption('.models select', 'own')
  await page.waitForSelector('.bring[open]')
  await page.setInputFiles('.bring input', paths)
  await page.waitForSelector('.bring-found h3')
  assert.match(await page.textContent('.bring-found'), /parameters take \d+ bytes, and at most \d+ are available/)
  assert.match(await page.textContent('.bring-type'), /[\d,]+ parameters, 7\.68 GB of memory/)
  assert.ok(await page.isHidden('.bring .primary'))
  assert.deepEqual(complaints, [])
  await close()
  await rm(folder, { recursive: true })
})

longTest('the order of a header does not matter', async () => {
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await bring(page, SHUFFLED)
  await holdsToNode(page)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a tokenizer of another model is rejected, and the current room works with weights that are read again', async () => {
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await bring(page, filesOf(llama))
  await changeAndWait(page, () => page.fill('[data-field="beginning"]', STATE.beginning))
  await page.click('[data-action="bring"]')
  await page.setInputFiles('.bring input', asFiles(otherTokenizer()))
  await page.waitForSelector('.bring .primary:visible')
  await changeAndWait(page, () => page.click('.bring .primary'))
  assert.match(await page.textContent('.bring [role="alert"]'),
    /tokenizer has 259 tokens, but the model knows 11.*choose the tokenizer.*The page keeps the model it had/)
  await page.click('.bring .dialog-head button')
  const run = runInNode(STATE)
  assert.ok(await compareTables(page, run, STATE, 2, 4) > 500)
  run.dispose()
  assert.deepEqual(complaints, [])
  await close()
})

test('non-finite weights are reported in every room, in both languages', async () => {
  for (const [language, warning] of everyNth([['en', `non-finite weights: ${BROKEN.count}, the first in ${BROKEN.firstName}`],
    ['ko', `${BROKEN.count}개가 유한한 수가 아니에요. 처음 나오는 곳은 ${BROKEN.firstName}`]], 2)) {
    const { page, complaints, close } = await browser.open({ language })
    await bring(page, brokenFiles())
    const rooms = await roomsOnMap(page)
    for (const room of ['house', ...rooms.slice(4, 6), 'attribution', 'decoding']) {
      await goToRoom(page, room)
      await page.waitForSelector(`#house[data-room="${room}"] .broken:visible`)
      assert.ok((await page.textContent('.stage .broken')).replaceAll('\u200b', '').includes(warning), `${language} ${room}`)
    }
    await page.click('[data-action="bring"]')
    await page.setInputFiles('.bring input', asFiles(filesOf(llama)))
    await page.waitForSelector('.bring .primary:visible')
    await changeAndWait(page, () => page.click('.bring .primary'))
    assert.ok(await page.isHidden('.stage .broken'), 'another model is whole')
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('a link to an imported model says what is missing and opens the import', async () => {
  const { page, close } = await browser.open({ language: 'en' })
  await bring(page, filesOf(llama))
  const link = page.url()
  await page.goto('about:blank')
  await page.goto(link)
  await page.waitForFunction(() => /Choose the files of a model first/.test(document.getElementById('status').textContent))
  await page.click('[data-action="bring"]')
  await page.waitForSelector('.bring[open]')
  await close()
})

test('a model stored in the browser is available the next time, until it is deleted', async () => {
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await give(page, filesOf(llama))
  await page.waitForSelector('.bring .primary:visible')
  await page.check('[data-field="keep"]')
  await changeAndWait(page, () => page.click('.bring .primary'))
  const link = page.url()
  await page.goto('about:blank')
  await page.goto(link)
  await page.waitForFunction(() => document.getElementById('house').dataset.model === 'own')
  await changeAndWait(page, () => page.fill('[data-field="beginning"]', STATE.beginning))
  const run = runInNode(STATE)
  assert.ok(await compareTables(page, run, STATE, 1, 4) > 500)
  run.dispose()
  await page.click('[data-action="bring"]')
  await page.waitForSelector('.bring-kept button:visible')
  await page.waitForFunction(() => (
    /config\.json, model\.safetensors \([\d.]+ KB\)/.test(document.querySelector('.bring-kept p').textContent)))
  await page.click('[data-action="forget"]')
  await page.waitForFunction(() => /Forgotten/.test(document.querySelector('.bring-kept').textContent))
  assert.deepEqual(await findViolations(page), [])
  await page.goto('about:blank')
  await page.goto(link)
  await page.waitForFunction(() => /Choose the files of a model first/.test(document.getElementById('status').textContent))
  assert.deepEqual(complaints, [])
  await close()
})

longTest('reading can be stopped, and the page keeps its model', async () => {
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await bring(page, filesOf(llama))
  await changeAndWait(page, () => page.fill('[data-field="beginning"]', '1 2 3'))
  await page.click('[data-action="bring"]')
  await page.setInputFiles('.bring input', asFiles(wordy()))
  await page.waitForSelector('.bring .primary:visible')
  await page.evaluate(() => {
    const observer = new MutationObserver(() => document.querySelector('[data-action="stop"]').click())
    observer.observe(document.querySelector('.bring-reading'), { attributes: true })
    document.querySelector('.bring .primary').click()
  })
  await page.waitForFunction(() => /Stopped/.test(document.querySelector('.bring [role="alert"]').textContent))
  await page.click('.bring .dialog-head button')
  await holdsToNode(page)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a dropped folder imports its files without those of subfolders', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'folder-'))
  await mkdir(join(folder, '1_Pooling'))
  const files = { ...filesOf(llama), '1_Pooling/config.json': '{}', 'tf_model.h5': 'x' }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await dropFiles(page, [folder])
  assert.match(await page.textContent('.bring-found'), /^llama: 2,532 parameters, .*Read as float32: it fits into the .* that this tab has for weights/)
  await changeAndWait(page, () => page.click('.bring .primary'))
  await holdsToNode(page)
  assert.deepEqual(complaints, [])
  await close()
  await rm(folder, { recursive: true })
})

longTest('a dropped training file is displayed in the rooms, with the numbers of its step', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'training-')), path = join(folder, 'sums.safetensors')
  const session = createSession(gf, read('sums_steps-40_batch-8'))
  for (let n = 0; n < 3; n++) session.step()
  await writeFile(path, session.file(undefined, true))
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await dropFiles(page, [path])
  assert.match(await page.textContent('.bring-found'), /^sums\.safetensors: trained on this page, at step 3, [\d.]+ KB$/)
  assert.ok(await page.isHidden('.bring [data-field="keep"]'))
  assert.deepEqual(await findViolations(page), [])
  await changeAndWait(page, () => page.click('.bring .primary'))
  const state = completeState({ ...await readAddress(page), language: 'en' })
  assert.deepEqual([state.model, state.weights], ['text', 'theatre'])
  const importedRun = RUNS.text(gf, { ...settingsOf(state), trainedFileId: 1 }, [], [session.file()])
  assert.ok(await compareTables(page, toPageRun(gf, importedRun), state, 0, 4) > 500)
  importedRun.run.dispose()
  session.dispose()
  assert.deepEqual(complaints, [])
  await close()
  await rm(folder, { recursive: true })
})

test('files dropped on the page open the dialog', async () => {
  const { page, close } = await browser.open({ language: 'ko' })
  await page.evaluate(async content => {
    const data = new DataTransfer()
    for (const [name, text] of Object.entries(content)) data.items.add(new File([text], name))
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  }, { 'config.json': '{}' })
  await page.waitForFunction(() => document.querySelector('.bring-found h3, .bring-found .problem'))
  await close()
})

/** The Llama with so many words that its runs are not sent whole. */
function wordy() {
  const [, [few]] = llama.tensors[0], words = 20_000
  const tensors = llama.tensors.map(([key, shape, ...rest]) => [key, shape.map(n => (n === few ? words : n)), ...rest])
  return filesOf({ ...llama, tensors }, { config: { vocab_size: words } })
}

longTest('two runs too large to be sent whole are compared, each with its own values', async () => {
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await page.evaluate(() => {
    const { postMessage } = Worker.prototype
    globalThis.asked = []
    Worker.prototype.postMessage = function send(message, ...rest) {
      if (message.type === 'read') globalThis.asked.push(`${message.isTwin} ${message.names}`)
      return postMessage.call(this, message, ...rest)
    }
  })
  await bring(page, wordy())
  await page.evaluate(() => {
    location.hash += '&room=0.mlp.mul&decoding=sample&twin=temperature:2'
  })
  await page.waitForFunction(() => /is the same/.test(document.querySelector('.twin-body .note')?.textContent))
  const requests = await page.evaluate(() => globalThis.asked)
  assert.ok(requests.includes('true layers.0.mlp.mul'), 'the twin was asked for its own values')
  assert.deepEqual(complaints, [])
  await close()
})

longTest('an encoder-decoder reads a typed answer, every number as in Node', async () => {
  const files = filesOf(cases('marian')[0]), state = { ...STATE, beginning: '3 1 4', target: '5 6 2' }
  const importedRun = runOwn(gf, { ...defaultsOf('own'), ...state }, [], [await openModel(files)]), run = toPageRun(gf, importedRun)
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await bring(page, files)
  await changeAndWait(page, () => page.fill('[data-field="beginning"]', state.beginning))
  const ownAnswer = await page.getAttribute('[data-field="target"]', 'placeholder')
  assert.notEqual(ownAnswer, '')
  await changeAndWait(page, () => page.fill('[data-field="target"]', state.target))
  assert.ok(await compareTables(page, run, state, 0, 2) > 500)
  await goToRoom(page, 'house')
  await page.waitForFunction(() => /as 3 tokens and scored your answer “562”/.test(document.querySelector('.house-now')?.textContent))
  await page.fill('[data-field="target"]', 'none')
  await page.waitForFunction(() => document.body.innerText.includes('“none” is no token id'))
  await changeAndWait(page, () => page.fill('[data-field="target"]', ''))
  await page.waitForFunction(text => document.querySelector('[data-field="target"]').placeholder === text, ownAnswer)
  await page.waitForFunction(() => /and wrote “[^”]*”, one token at a time \(\d+ steps?\)/.test(document.querySelector('.house-now')?.textContent))
  importedRun.run.dispose()
  assert.deepEqual(complaints, [])
  await close()
})
