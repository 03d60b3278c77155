// Gradients in the inspector: followed to the loss, and the notes where there is none or a value was edited.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBrief, parseFormatted } from '../../web/lib/number.js'
import { runInNode, useBrowser, findViolations } from './host.js'
import { longTest, everyNth } from '../lib/long.js'

const browser = useBrowser()
const open = (state, options) => browser.open({ language: 'en', ...state }, options)
const readExactValue = page => page.$eval('[data-exact]', cell => [cell.dataset.exact, cell.textContent])

test('the chain rule can be followed back to its start and on to L, on a phone too', async () => {
  const cell = { name: 'output', index: [0, 4, 8], isGradient: true }
  for (const viewport of everyNth([{ width: 360, height: 740 }, { width: 1280, height: 800 }], 2)) {
    const { page, complaints, close } = await open({ room: 'output', cell }, { viewport })
    const named = text => page.waitForFunction(name => (
      document.querySelector('[data-exact]')?.dataset.exact === name), text)
    await page.waitForSelector('.terms .cell-link', { state: 'attached' })
    assert.equal(await page.locator('.terms li').count(), 1)
    assert.match(await page.textContent('.inspector'), /L is the loss/)
    if (viewport.width < 400) await page.click('.sheet-handle')
    await page.click('.terms .cell-link')
    await named('∂loss')
    assert.equal(parseFormatted((await readExactValue(page))[1]), 1)
    assert.deepEqual(await findViolations(page), [])
    await page.click('[data-keep="forward"]')
    await named('loss')
    const run = runInNode({})
    assert.ok(Object.is(Math.fround(parseFormatted((await readExactValue(page))[1])), Math.fround(run.loss)))
    run.dispose()
    await page.click('.terms .cell-link')
    await page.waitForFunction(() => document.querySelector('[data-exact]')?.dataset.exact.startsWith('log_probs['))
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('missing gradients are explained, and an edited weight displays its trained value', async () => {
  const weight = { name: 'output.weight', index: [3, 4] }
  const checkGradient = async (state, pattern) => {
    const { page, complaints, close } = await open(state)
    await page.waitForFunction(source => (
      new RegExp(source).test(document.querySelector('.inspector').textContent)), pattern)
    assert.deepEqual(await findViolations(page), [])
    assert.deepEqual(complaints, [])
    await close()
  }
  const probability = { name: 'sampling.output', index: [0, 1, 2], isGradient: true }
  await checkGradient({ room: 'sampling', cell: probability }, 'Computed for display')
  await checkGradient({ room: 'source.positions', cell: { name: 'positions.pe', index: [1, 2] } }, 'How it was computed')
  const { data, shape } = runInNode({}).tensors.get(weight.name)
  const learned = formatBrief(data[weight.index[0] * shape[1] + weight.index[1]])
  const edits = [{ ...weight, value: 5 }]
  await checkGradient({ room: 'output', cell: weight, edits }, `You set this value; training left ${learned}\\.`)
})
