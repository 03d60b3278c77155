// Gradients in the inspector: walked back to the loss, and what is said where there is none or a value was set.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brief, parse } from '../../web/lib/number.js'
import { runHere, useHouse, violations } from './host.js'
import { longTest, sample } from '../lib/long.js'

const house = useHouse()
const open = (state, options) => house.open({ language: 'en', ...state }, options)
const told = page => page.$eval('[data-exact]', cell => [cell.dataset.exact, cell.textContent])

test('the chain rule can be followed back to its start and on to L, on a phone too', async () => {
  const cell = { name: 'output', index: [0, 4, 8], isGradient: true }
  for (const viewport of sample([{ width: 360, height: 740 }, { width: 1280, height: 800 }], 2)) {
    const { page, complaints, close } = await open({ room: 'output', cell }, { viewport })
    const named = text => page.waitForFunction(name => (
      document.querySelector('[data-exact]')?.dataset.exact === name), text)
    await page.waitForSelector('.terms .cell-link', { state: 'attached' })
    assert.equal(await page.locator('.terms li').count(), 1)
    assert.match(await page.textContent('.inspector'), /L is the loss/)
    if (viewport.width < 400) await page.click('.sheet-handle')
    await page.click('.terms .cell-link')
    await named('∂loss')
    assert.equal(parse((await told(page))[1]), 1)
    assert.deepEqual(await violations(page), [])
    await page.click('[data-keep="forward"]')
    await named('loss')
    const run = runHere({})
    assert.ok(Object.is(Math.fround(parse((await told(page))[1])), Math.fround(run.loss)))
    run.dispose()
    await page.click('.terms .cell-link')
    await page.waitForFunction(() => document.querySelector('[data-exact]')?.dataset.exact.startsWith('log_probs['))
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('missing gradients are explained, and an edited weight displays its trained value', async () => {
  const weight = { name: 'output.weight', index: [3, 4] }
  const shown = async (state, pattern) => {
    const { page, complaints, close } = await open(state)
    await page.waitForFunction(source => (
      new RegExp(source).test(document.querySelector('.inspector').textContent)), pattern)
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(complaints, [])
    await close()
  }
  const probability = { name: 'sampling.output', index: [0, 1, 2], isGradient: true }
  await shown({ room: 'sampling', cell: probability }, 'Computed for display')
  await shown({ room: 'source.positions', cell: { name: 'positions.pe', index: [1, 2] } }, 'How it was computed')
  const { data, shape } = runHere({}).tensors.get(weight.name)
  const learned = brief(data[weight.index[0] * shape[1] + weight.index[1]])
  const edits = [{ ...weight, value: 5 }]
  await shown({ room: 'output', cell: weight, edits }, `You set this value; training left ${learned}\\.`)
})
