// The model of the page as files: what the browser saves is, byte for byte, what Node makes of the same run.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { cases, filesOf } from '../models/drawn.js'
import { take } from '../../web/worker/take.js'
import { changing, runHere, useHouse, violations } from './host.js'

const { open } = useHouse()
const [llama] = cases('llama')

/** What is saved when a format is asked for. */
async function saved(page, format) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`[data-take="${format}"]`)])
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

/** A script with its arguments numbered: in the page's bundle, those of inner classes have short names. */
const numbered = script => script.split(/(?=^class |^# [A-Z])/m).map(part => {
  const [, list] = /def forward\(self, ([^)]*)\)/.exec(part) ?? []
  return (list?.split(', ') ?? []).reduce((text, name, i) => text.replace(new RegExp(`\\b${name}\\b`, 'g'), `a${i}`), part)
}).join('')

async function compare(page, state, name) {
  const run = runHere(state)
  await page.click('.share summary')
  assert.deepEqual(await violations(page, '.share'), [])
  for (const format of ['safetensors', 'onnx', 'py']) {
    const { name: called, bytes } = await saved(page, format), expected = Buffer.from(take(gf, run.made, { format }))
    assert.equal(called, `${name}.${format}`)
    assert.ok(expected.length > 1000)
    if (format === 'py') assert.equal(numbered(String(bytes)), numbered(String(expected)))
    else assert.ok(bytes.equals(expected), `${format}: ${bytes.length}, ${expected.length} bytes`)
  }
  run.dispose()
}

test('a model that was brought leaves as weights, ONNX and a script', async () => {
  const { page, complaints, close } = await open({ language: 'en' })
  await page.selectOption('.models select', 'own')
  await page.waitForSelector('.bring[open]')
  await page.setInputFiles('.bring input', Object.entries(filesOf(llama)).map(([name, content]) => ({
    name, mimeType: 'application/octet-stream', buffer: Buffer.from(content)
  })))
  await page.waitForSelector('.bring .primary:visible')
  await changing(page, () => page.click('.bring .primary'))
  await changing(page, () => page.fill('[data-field="beginning"]', '3 1 4 1 5'))
  await compare(page, { model: 'own', beginning: '3 1 4 1 5', language: 'en' }, 'llama')
  assert.deepEqual(complaints, [])
  await close()
})

test('so does a model of the page, with the weights that were edited', async () => {
  const edits = [{ name: 'output.weight', index: [1, 2], value: 3 }], state = { model: 'dates', language: 'ko', edits }
  const { page, complaints, close } = await open(state)
  await compare(page, state, 'dates')
  assert.deepEqual(complaints, [])
  await close()
})

test('rooms without a model of their own offer none', async () => {
  const { page, close } = await open({ model: 'positions', language: 'en' })
  await page.click('.share summary')
  assert.ok(await page.isHidden('.taking'))
  await close()
})
