// The focus is never lost when the focused element disappears.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeAndWait, useBrowser } from './host.js'

const { open } = useBrowser()
const ROOM = 'encoder.0.self_attn.scores'
const CELL = { name: 'transformer.encoder.layers.0.self_attn.dots', index: [0, 0, 0, 1] }

test('the inspector keeps the focus: after a change, at an end, forward and back', async () => {
  const { page, complaints, close } = await open({ room: ROOM, cell: CELL })
  const focused = () => page.evaluate(() => document.activeElement.dataset.keep ?? document.activeElement.className)
  const waitUntilIdle = () => page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'))
  await page.waitForSelector('.actions [data-keep="change"]')
  await page.focus('[data-keep="change"]')
  await page.keyboard.press('Enter')
  await page.keyboard.type('3')
  await changeAndWait(page, () => page.keyboard.press('Enter'))
  await waitUntilIdle()
  assert.equal(await focused(), 'change')
  await page.focus('[data-keep="undo"]')
  await changeAndWait(page, () => page.keyboard.press('Enter'))
  await waitUntilIdle()
  assert.equal(await focused(), 'redo')
  await page.focus('[data-keep="back-3"]')
  await page.keyboard.press('Enter')
  await waitUntilIdle()
  assert.equal(await focused(), 'on-3', 'at the first place only the way on is left')
  await page.focus('[data-keep="backward"]')
  await page.keyboard.press('Enter')
  await waitUntilIdle()
  assert.equal(await focused(), 'backward')
  await page.focus('[data-keep="forward"]')
  await page.keyboard.press('Enter')
  await waitUntilIdle()
  assert.equal(await focused(), 'forward')
  assert.deepEqual(complaints, [])
  await close()
})
