// The dtype of an imported model's weights: what is proposed and said, what the reader chooses, and that the answer and
// the numbers are those of Node, on an isolated page with threads and on another one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases, filesOf } from '../models/golden_models.js'
import { fileOf } from '../models/gguf_file.js'
import { gf } from '../lib/engine.js'
import { choose as chooseInNode, openIn } from '../../web/models/imported/open.js'
import { setImportedModel } from '../lib/page.js'
import { changeAndWait, findViolations, measureOverflow, runInNode, serve, useBrowser } from './host.js'
import { compareTables } from './room_tables.js'

const browser = useBrowser()
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }
const STATE = { model: 'own', beginning: '3 1 4 1 5', language: 'en' }, PARTS = 12
const llama = filesOf(cases('llama')[0])
const MODELS = [[llama, 'float32'], [llama, 'bfloat16'], [llama, 'int8'], [{ 'model.gguf': fileOf(() => 'Q4_K') }, 'file']]
const asFiles = files => Object.entries(files).map(([name, content]) => (
  { name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) }))

async function choose(page, files) {
  await page.selectOption('.models select', 'own')
  await page.waitForSelector('.bring[open]')
  await page.setInputFiles('.bring input', asFiles(files))
  await page.waitForSelector('.bring .primary:visible')
}

/** Whether the run of the page is that of Node: its answer, and the numbers of some rooms, to the bit. */
async function assertSameAsNode(page, files, dtype, part) {
  chooseInNode(Object.fromEntries(Object.entries(files).map(([name, content]) => [name, new Blob([content])])), dtype)
  setImportedModel(await openIn(gf))
  const run = runInNode(STATE)
  const answer = run.decoding.steps.map(({ id }) => id).join('')
  await page.waitForFunction(text => document.querySelector('[data-field="target"]').placeholder === text, answer)
  assert.ok(await compareTables(page, run, STATE, part, PARTS) > 50)
  run.dispose()
}

for (const [kind, headers] of Object.entries({ isolated: ISOLATED, open: {} })) test(`${kind}: each dtype computes as in Node`, async t => {
  const site = await serve({}, {}, headers)
  t.after(() => site.close())
  for (const [i, [files, dtype]] of MODELS.entries()) {
    const { page, complaints, close } = await browser.open(`${site.url}#language=en`)
    const fetched = []
    page.on('request', request => fetched.push(request.url().split('/').at(-1)))
    assert.equal(await page.evaluate(() => crossOriginIsolated), kind === 'isolated')
    await choose(page, files)
    await page.selectOption('[data-field="dtype"]', dtype)
    await changeAndWait(page, () => page.click('.bring .primary'))
    await changeAndWait(page, () => page.fill('[data-field="beginning"]', STATE.beginning))
    await assertSameAsNode(page, files, dtype, i)
    assert.match(await page.textContent('.untrained'), new RegExp(`stored as .*${dtype === 'file' ? 'q4_k' : dtype}`))
    // An imported model needs the kernels for text too, which the page's own engine does not have.
    const ends = kind === 'isolated' ? '.threads' : '', builds = dtype === 'file' ? ['', '.blocks'] : ['']
    assert.deepEqual(fetched.filter(name => name.endsWith('.wasm')), builds.map(build => `glassformer${build}${ends}.wasm`))
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('the dialog says which dtype and why; the reader can choose another one', async () => {
  for (const language of ['en', 'ko']) {
    const { page, complaints, close } = await browser.open({ language })
    await choose(page, llama)
    assert.match(await page.textContent('.bring-dtype p'), /float32/)
    assert.equal(await page.inputValue('[data-field="dtype"]'), 'float32')
    assert.equal(await page.locator('[data-field="dtype"] option[value="q4_k"]').getAttribute('disabled'), '', 'rows of 12 values')
    await page.selectOption('[data-field="dtype"]', 'int8')
    assert.match(await page.textContent('.bring-dtype p'), /int8/)
    assert.deepEqual(await findViolations(page), [])
    assert.equal(await measureOverflow(page), 0)
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('a model stored in the browser is opened again in the dtype that the reader chose', async () => {
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await choose(page, llama)
  await page.selectOption('[data-field="dtype"]', 'int8')
  await page.check('[data-field="keep"]')
  await changeAndWait(page, () => page.click('.bring .primary'))
  await page.goto('about:blank')
  await page.goBack()
  const readsInt8 = () => page.waitForFunction(() => (
    /stored as int8/.test(document.querySelector('#house[data-model="own"] .untrained')?.textContent)))
  await readsInt8()
  await page.click('[data-action="bring"]')
  await changeAndWait(page, () => page.click('[data-action="reopen"]'))
  await readsInt8()
  assert.deepEqual(complaints, [])
  await close()
})
