// The model of the page as files: what the browser saves is, byte for byte, what Node makes of the same run.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openModel } from '../lib/imported_models.js'
import { gf } from '../lib/engine.js'
import { cases, filesOf } from '../models/golden_models.js'
import { run as runOwn } from '../../web/models/imported/run.js'
import { exportModel } from '../../web/worker/export_model.js'
import { changeAndWait, runInNode, useBrowser, findViolations } from './host.js'
import { everyNth } from '../lib/long.js'

const { open } = useBrowser()

/** What is saved when a format is asked for. */
async function saved(page, format) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`[data-take="${format}"]`)])
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

/** What Node makes of a run in a format, and the browser saves: pieces of an archive are one file. */
const expectedOf = async (run, format) => (
  Buffer.concat([await exportModel(gf, run, { format })].flat().map(item => Buffer.from(item))))

async function compare(page, run, name) {
  await page.click('.share .menu-opener')
  assert.deepEqual(await findViolations(page, '.share'), [])
  const formats = await page.$$eval('[data-take]', all => all.filter(item => !item.hidden).map(item => item.dataset.take))
  assert.deepEqual(formats, [...(run.exportable.files ? ['zip'] : []), 'safetensors', 'onnx', 'py'])
  for (const format of formats) {
    const { name: called, bytes } = await saved(page, format), expected = await expectedOf(run, format)
    assert.equal(called, `${name}.${format}`)
    assert.ok(expected.length > 1000)
    if (format === 'py') assert.equal(String(bytes), String(expected))
    else assert.ok(bytes.equals(expected), `${format}: ${bytes.length}, ${expected.length} bytes`)
  }
}

for (const type of everyNth(['gpt2', 'bert', 'marian', 't5', 'llama'], 4)) test(
  `a ${type} that was brought leaves as a folder, weights, ONNX and a script`, async () => {
    const files = filesOf(cases(type)[0]), { page, complaints, close } = await open({ language: 'en' })
    await page.selectOption('.models select', 'own')
    await page.waitForSelector('.bring[open]')
    await page.setInputFiles('.bring input', Object.entries(files).map(([name, content]) => ({
      name, mimeType: 'application/octet-stream', buffer: Buffer.from(content)
    })))
    await page.waitForSelector('.bring .primary:visible')
    await changeAndWait(page, () => page.click('.bring .primary'))
    await changeAndWait(page, () => page.fill('[data-field="beginning"]', '3 1 4 1 5'))
    const run = runOwn(gf, { beginning: '3 1 4 1 5', language: 'en' }, [], [await openModel(files)])
    await compare(page, run, type)
    run.run.dispose()
    assert.deepEqual(complaints, [])
    await close()
  })

const EDITS = [{ name: 'output.weight', index: [1, 2], value: 3 }]
/** Classes of the page's own are in them: layers of a Llama, learned positions, attention that is made wrongly. */
const PARTS = { norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2 }
for (const [title, state] of everyNth(Object.entries({
  'with the weights that were edited': { model: 'dates', language: 'ko', edits: EDITS },
  'with a fault': { model: 'dates', language: 'ko', fault: 'swapped' },
  'with a fault that meets two lengths': { model: 'dates', language: 'en', fault: 'batchPositions' },
  'with the parts of a Llama': { model: 'stories', language: 'en', ...PARTS },
  'with learned positions': { model: 'stories', language: 'en', positions: 'learned' },
  'of the laboratory': { model: 'positions', language: 'en' }
}), 3)) test(`so does a model of the page, ${title}`, async () => {
  const { page, complaints, close } = await open(state)
  const run = runInNode(state)
  await compare(page, run.workerRun, state.model)
  run.dispose()
  assert.deepEqual(complaints, [])
  await close()
})
