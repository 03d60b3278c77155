// Parts of newer models instead of the default ones: two trained models side by side, and untrained combinations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectLearned } from '../../web/models/collect.js'
import { measureOverflow, runInNode, readTables, useBrowser, findViolations } from './host.js'
import { longTest } from '../lib/long.js'

const { open } = useBrowser()
const ROOM = { model: 'stories', room: 'decoder.0.norm1', language: 'en' }
const percent = share => `${Math.round(share * 1000) / 10}%`

test('layer norm and RMS norm side by side: both trained, with the numbers of Node and their accuracy',
  async () => {
    const { page, complaints, close } = await open({ ...ROOM, twin: 'norm:rms' })
    await page.waitForSelector('.twin-body:not([hidden])')
    await page.waitForFunction(() => !document.querySelector('.twin-body .note + .note').hidden)
    const fetched = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    const note = await page.textContent('.twin-body .note + .note')
    const { stories: all } = await collectLearned()
    const [usual, rms] = ['layer', 'rms'].map(norm => all.find(({ settings }) => (
      settings.norm === norm && settings.kvHeads === 4 && settings.positions === 'interleaved' &&
      settings.activation === 'gelu')))
    const shares = [usual, rms].flatMap(({ right }) => Object.values(right))
    for (const share of shares) assert.ok(note.includes(percent(share)), note)
    assert.match(note, /here .*, twin /)
    const here = runInNode({ model: 'stories' })
    const ids = here.decoding.steps.map(({ id }) => id)
    const there = runInNode({ model: 'stories', norm: 'rms', target: ids })
    const name = 'decoder.layers.0.norm1.output'
    const tables = (await readTables(page)).filter(table => table.name === name)
    const displayed = tables.map(({ cells }) => cells.flat().map(text => Math.fround(Number(text.replaceAll('−', '-')))))
    const [hereValues, thereValues] = [here, there].map(run => [...run.tensors.get(name).data])
    assert.deepEqual(displayed,
      [hereValues, thereValues, thereValues.map((value, i) => Math.fround(value - hereValues[i]))])
    const titles = await page.$$eval('.twin-body .caption b', list => list.map(element => element.textContent))
    assert.ok(titles.includes('normalized, for the sublayer') && titles.includes('gain γ (weight)'), titles.join())
    const lines = await page.$$eval('.strip-name', list => list.map(element => element.textContent))
    const perModel = lines.length / 2
    assert.ok(perModel >= 2, lines.join())
    assert.deepEqual(lines.map(line => /variance .*, root mean square/.test(line)), lines.map((_, i) => i < perModel))
    assert.ok(lines.every(line => /mean .*root mean square/.test(line)), lines.join())
    assert.ok(fetched.every(name => !/stories_(positions|activation|kv|llama)/.test(name)), 'only what is looked at')
    assert.deepEqual(complaints, [])
    await close()
    for (const run of [here, there]) run.dispose()
  })

test('an untrained combination is reported with a link to its training', async () => {
  const { page, complaints, close } = await open({ ...ROOM, norm: 'rms', kvHeads: 1 })
  await page.waitForSelector('.offer:not([hidden])')
  assert.match(await page.textContent('.offer'), /random/)
  await page.click('.offer a')
  await page.waitForSelector('[data-open="stories_norm-rms_kvHeads-1"]', { timeout: 30_000 })
  assert.deepEqual(complaints, [])
  await close()
})

longTest('the table of trained variants links to each of them', async () => {
  const { page, complaints, close } = await open(ROOM)
  await page.click('.learned-variants summary')
  await page.waitForSelector('.learned-all tbody tr')
  const { stories: all } = await collectLearned()
  const rows = await page.$$eval('.learned-all tbody tr', list => list.map(row => (
    [...row.querySelectorAll('td')].map(cell => cell.textContent))))
  assert.deepEqual(rows, all.map(({ right }) => Object.values(right).map(percent)))
  await page.click('.learned-all tbody tr:nth-child(2) a')
  await page.waitForFunction(() => location.hash.includes('norm=rms'))
  await page.waitForFunction(() => document.querySelector('.learned-all .is-here a')?.textContent.includes('RMSNorm'))
  assert.match(await page.textContent('h1'), /ignore the mean/)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('units of a feed-forward layer are sorted by activation; each keeps its number', async () => {
  const room = 'encoder.0.activation'
  const run = runInNode({})
  const { data, shape: [, rows, cols] } = run.tensors.get('transformer.encoder.layers.0.activation')
  const { page, complaints, close } = await open({ room, language: 'en' })
  const readHeatmap = () => page.$eval('.heat[data-tensor="transformer.encoder.layers.0.activation"]', grid => ({
    order: grid.dataset.order?.split(',').map(Number) ?? null,
    labels: [...grid.parentElement.querySelectorAll('.labels-top span')].map(element => element.textContent)
  }))
  assert.equal((await readHeatmap()).order, null)
  await page.click('.stage-figure .segments label:has(input[value="mean"])')
  await page.waitForSelector('.heat[data-order]')
  const { order, labels } = await readHeatmap()
  const mean = unit => Array.from({ length: rows }, (_, row) => data[row * cols + unit]).reduce((a, b) => a + b) / rows
  assert.deepEqual([...order].sort((a, b) => a - b), Array.from({ length: cols }, (_, i) => i))
  assert.ok(order.every((unit, i) => i === 0 || mean(unit) <= mean(order[i - 1])))
  assert.deepEqual(labels, order.map(String))
  const table = (await readTables(page)).at(-1)
  assert.deepEqual(table.columns, order.map(String))
  table.cells.forEach((line, row) => line.forEach((text, col) => (
    assert.equal(Math.fround(Number(text.replaceAll('−', '-'))), data[row * cols + order[col]]))))
  assert.equal(await measureOverflow(page), 0)
  assert.deepEqual(await findViolations(page, '.stage'), [])
  run.dispose()
  assert.deepEqual(complaints, [])
  await close()
})
