// Words near a vector: those that a run made in Node has nearest, by key and on a phone; none where they mean nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBrief } from '../../web/lib/number.js'
import { getAxisLabels, getTensor } from '../../web/lib/run.js'
import { goToRoom, runInNode, useBrowser, findViolations } from './host.js'
import { longTest, everyNth } from '../lib/long.js'

const { open } = useBrowser()
const TABLES = ['source_embedding.weight', 'target_embedding.weight']

/** The nearest five by the angle, in doubles. */
function nearestHere(run, name, [, t], table) {
  const x = getTensor(run, name), rows = getTensor(run, table), C = rows.shape[1]
  const vector = [...x.data.slice(t * C, (t + 1) * C)]
  const all = Array.from({ length: rows.shape[0] }, (_, row) => {
    const otherRow = [...rows.data.slice(row * C, (row + 1) * C)]
    const dot = vector.reduce((sum, v, i) => sum + v * otherRow[i], 0)
    return { row, cosine: dot / Math.hypot(...vector) / Math.hypot(...otherRow) }
  })
  const words = getAxisLabels(run, rows, 0)
  return all.sort((a, b) => b.cosine - a.cosine).slice(0, 5).map(({ row, cosine }) => [words[row], formatBrief(cosine)])
}

/** Pins the cell of the last figure that the keys lead to. */
async function pin(page, keys) {
  await page.locator('.stage .heat:visible').last().focus()
  for (const key of ['Control+Home', ...keys, 'Enter']) await page.keyboard.press(key)
}
const listsIn = page => page.$$eval('.nudge .steps', lists => lists.map(list => (
  [...list.querySelectorAll('dt')].map(term => [term.textContent, term.nextSibling.textContent]))))

for (const [language, options] of everyNth([
  ['ko', {}], ['en', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }]
], 2)) {
  test(`the tokens nearest to a vector are those of a run in Node: ${language}`, async () => {
    const room = 'encoder.0.norm2', state = { model: 'dates', room, language }
    const { page, complaints, close } = await open(state, options)
    await pin(page, ['ArrowDown', 'ArrowDown', 'ArrowRight'])
    if (options.viewport) await page.click('.sheet-handle')
    await page.focus('[data-keep="near"]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.nudge .steps')
    assert.equal(await page.evaluate(() => document.activeElement.dataset.keep), 'near')
    const [, name, index] = /^(.+)\[(.+)\]$/.exec((await page.textContent('.cell-name')).replaceAll('\u200b', ''))
    const run = runInNode(state), at = index.split(', ').map(Number)
    assert.equal(at[1], 2)
    assert.deepEqual(await listsIn(page), TABLES.map(table => nearestHere(run, name, at, table)))
    assert.deepEqual(await findViolations(page), [])
    await page.keyboard.press('Escape')
    run.dispose()
    assert.deepEqual(complaints, [])
    await close()
  })
}

longTest('another cell has its own nearest tokens; queries, keys and attention weights have none', async () => {
  const { page, complaints, close } = await open({ room: 'source.embedding', language: 'en' })
  await pin(page, [])
  await page.click('[data-keep="near"]')
  await page.waitForSelector('.nudge .steps')
  const first = await listsIn(page)
  assert.equal(first[0][0][1], '1.00', 'a row of the table is nearest to itself')
  await pin(page, ['ArrowDown', 'ArrowDown', 'ArrowDown'])
  await page.waitForFunction(() => !document.querySelector('.nudge .steps'))
  for (const room of ['encoder.0.self_attn.qkv', 'encoder.0.self_attn.weights']) {
    await goToRoom(page, room)
    await pin(page, [])
    await page.waitForSelector('.made')
    assert.equal(await page.$('[data-keep="near"]'), null, room)
  }
  assert.deepEqual(complaints, [])
  await close()
})
