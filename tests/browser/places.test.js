// From a cell to its neighbours without hitting them: the steps in the inspector.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressed, useHouse, violations } from './host.js'

const house = useHouse()
const CELL = { name: 'transformer.decoder.layers.1.multihead_attn.weights', index: [0, 1, 8, 1] }

test('a finger or the keyboard steps along every axis, and the figure shows the head that is stepped to', async () => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 360, height: 740 }]) {
    const state = { room: 'decoder.1.multihead_attn.weights', head: 1, language: 'en', cell: CELL }
    const { page, complaints, close } = await house.open(state, { viewport })
    if (viewport.width < 700) {
      assert.match(await page.textContent('.sheet-name'), /weights\[0, 1, 8, 1\]$/)
      await page.click('.sheet-handle')
    }
    const step = name => page.getByRole('button', { name, exact: true })
    await step('key: one on').click()
    assert.deepEqual((await addressed(page)).cell.index, [0, 1, 8, 2])
    await step('query: one back').focus()
    for (let i = 0; i < 2; i++) await page.keyboard.press('Enter')
    assert.deepEqual((await addressed(page)).cell.index, [0, 1, 6, 2], 'the focus stays on the step')
    await step('head: one on').click()
    const { cell, head } = await addressed(page)
    assert.deepEqual([cell.index, head], [[0, 2, 6, 2], 2])
    await step('head: one on').click()
    assert.ok(await step('head: one on').isDisabled(), 'no fifth head')
    assert.equal(await step('sentence: one on').count(), 0)
    if (viewport.width < 700) {
      const { width, height } = await step('key: one on').boundingBox()
      assert.ok(width >= 44 && height >= 44)
    }
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(complaints, [])
    await close()
  }
})
