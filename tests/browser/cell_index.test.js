// From a cell to its neighbours without hitting them: the steps in the inspector.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAddress, runInNode, useBrowser, findViolations } from './host.js'
import { longTest } from '../lib/long.js'

const browser = useBrowser()
const CELL = { name: 'transformer.decoder.layers.1.multihead_attn.weights', index: [0, 1, 8, 1] }

longTest('touch and keyboard step along every axis, and the figure displays the selected head', async () => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 360, height: 740 }]) {
    const state = { room: 'decoder.1.multihead_attn.weights', head: 1, language: 'en', cell: CELL }
    const { page, complaints, close } = await browser.open(state, { viewport })
    if (viewport.width < 700) {
      assert.match(await page.textContent('.sheet-name'), /weights\[0, 1, 8, 1\]$/)
      await page.click('.sheet-handle')
    }
    const step = name => page.getByRole('button', { name, exact: true })
    await step('key: one on').click()
    assert.deepEqual((await readAddress(page)).cell.index, [0, 1, 8, 2])
    await step('query: one back').focus()
    for (let i = 0; i < 2; i++) await page.keyboard.press('Enter')
    assert.deepEqual((await readAddress(page)).cell.index, [0, 1, 6, 2], 'the focus stays on the step')
    await step('head: one on').click()
    const { cell, head } = await readAddress(page)
    assert.deepEqual([cell.index, head], [[0, 2, 6, 2], 2])
    await step('head: one on').click()
    assert.ok(await step('head: one on').isDisabled(), 'no fifth head')
    assert.equal(await step('sentence: one on').count(), 0)
    if (viewport.width < 700) {
      const { width, height } = await step('key: one on').boundingBox()
      assert.ok(width >= 44 && height >= 44)
    }
    assert.deepEqual(await findViolations(page), [])
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('in a matrix that is mostly 0.00 the other values are listed with links to their cells', async () => {
  const run = runInNode({}), { data, shape: [, rows, cols] } = run.tensors.get('sampling.output')
  const nonzero = [...data.keys()].filter(i => Math.abs(data[i]) >= 0.005)
    .sort((a, b) => Math.abs(data[b]) - Math.abs(data[a]) || a - b)
  const { page, complaints, close } = await browser.open({ room: 'decoding', language: 'en' })
  await page.click('.nonzero summary')
  await page.waitForSelector('.nonzero-list button')
  assert.equal(await page.textContent('.nonzero summary'),
    `Show what is not 0.00: ${nonzero.length} of ${rows * cols} numbers`)
  const listed = await page.$$eval('.nonzero-list button', list => list.map(item => item.dataset.cell))
  const name = i => `sampling.output[0, ${Math.floor(i / cols)}, ${i % cols}]`
  assert.deepEqual(listed, nonzero.slice(0, 24).map(name))
  await page.click('.nonzero-list li:nth-child(3) button')
  await page.waitForFunction(text => document.querySelector('#inspector').textContent.includes(text), name(nonzero[2]))
  assert.deepEqual(await findViolations(page, '.nonzero'), [])
  assert.deepEqual(complaints, [])
  run.dispose()
  await close()
})
