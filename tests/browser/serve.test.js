// glassformer serve: the page opens the model beside it, isolated, and computes what Node does.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startServer } from '../../src/cli/serve.js'
import { findFirefox, launchFirefox } from './firefox.js'
import { cases, filesOf } from '../models/golden_models.js'
import { changeAndWait, launch, open, readAddress, runInNode } from './host.js'
import { compareTables } from './room_tables.js'

const [llama] = cases('llama'), STATE = { model: 'own', beginning: '3 1 4 1 5', language: 'en' }
let browser, folder
before(async () => {
  browser = await launch()
  folder = await mkdtemp(join(tmpdir(), 'glassformer-'))
})
after(async () => {
  await browser.close()
  await rm(folder, { recursive: true })
})

/** Serves the files, opens the page or a link to it, and calls a function with it. */
async function withServed(files, fn, link = '') {
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const { server, address } = await startServer(folder, 0)
  const opened = await open(browser, address + link, { locale: 'en-US' })
  try {
    await fn(opened)
  } finally {
    await opened.close()
    server.close()
    server.closeAllConnections()
  }
}

test('the model of the command is open, with the numbers of Node, in an isolated page', async () => {
  await withServed(filesOf(llama), async ({ page, complaints }) => {
    await page.waitForFunction(() => document.querySelector('.models select').value === 'own')
    await page.waitForSelector('.bring', { state: 'hidden' })
    const { model, beginning } = await readAddress(page)
    assert.deepEqual([model, beginning], ['own', '0 1 2'], 'with ids, since it has no tokenizer')
    assert.equal(await page.evaluate(() => crossOriginIsolated), true)
    await changeAndWait(page, () => page.fill('[data-field="beginning"]', STATE.beginning))
    const run = runInNode(STATE)
    assert.ok(await compareTables(page, run, STATE, 2, 4) > 500)
    run.dispose()
    assert.deepEqual(complaints, [])
  })
})

test('a link to the served model restores its text and room; without a tokenizer, what is no id is named', async () => {
  const link = '#v=1&model=own&beginning=3+1+4&room=attribution'
  await withServed(filesOf(llama), async ({ page, complaints }) => {
    await page.waitForSelector('.house[data-room="attribution"] .stage h1')
    const { beginning, room } = await readAddress(page)
    assert.deepEqual([beginning, room], ['3 1 4', 'attribution'])
    await page.fill('[data-field="beginning"]', 'hello 2')
    await page.waitForSelector('[data-field="beginning"][aria-invalid="true"]')
    assert.match(await page.textContent('.top'), /“hello” is no token id\. .* from 0 to \d+/)
    assert.deepEqual(complaints, [])
  }, link)
})

test('a link without a text begins with ids where the model has no tokenizer', async () => {
  await withServed(filesOf(llama), async ({ page, complaints }) => {
    await page.waitForSelector('.house[data-room="attribution"] .stage h1')
    await page.waitForFunction(() => location.hash.includes('beginning=0+1+2'))
    assert.deepEqual(complaints, [])
  }, '#v=1&model=own&room=attribution')
})

test('what is wrong with the model is on the page', async () => {
  const key = llama.tensors[1][0]
  const change = tensors => Object.fromEntries(Object.entries(tensors).filter(([name]) => name !== key))
  await withServed(filesOf(llama, { change }), async ({ page }) => {
    await page.waitForSelector('.bring[open] .bring-found li')
    assert.match(await page.textContent('.bring-found'), new RegExp(key.replace(/^model\./, '').replaceAll('.', '\\.')))
    assert.notEqual((await readAddress(page)).model, 'own')
  })
})

test('cells run in Firefox, too, where the page is isolated', { skip: !findFirefox() && 'there is no Firefox' }, async () => {
  const { server, address } = await startServer(undefined, 0), fox = await launchFirefox(findFirefox())
  try {
    await fox.goto(`${address}#v=1&model=positions&room=notebook.003&language=en`)
    assert.match(await fox.evaluate(async () => {
      const text = () => document.querySelector('.nb-said')?.textContent ?? ''
      for (let left = 200; left > 0 && !/have run|Stopped/.test(text()); left--) await new Promise(done => { setTimeout(done, 50) })
      return text()
    }), /^All cells have run/)
  } finally {
    await fox.close()
    server.close()
    server.closeAllConnections()
  }
})
