// Twin mode where the two runs do not write the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { written } from '../../web/models/dates/data.js'
import { runHere, tablesOf, useHouse } from './host.js'

const { open } = useHouse()
const TWIN = { twin: 'positional:false' }
const said = run => written(run.decoding.steps.map(({ token }) => token))

async function opened(state, options) {
  const opening = await open({ ...TWIN, ...state }, options)
  await opening.page.waitForSelector('.twin-body:not([hidden])')
  await opening.page.waitForFunction(() => document.querySelector('.twin-body .note').textContent)
  return opening
}

const heads = page => page.$$eval('.twins > h2', list => list.map(one => one.textContent))
const difference = page => page.$$eval('.twin-body .caption b', list => list.map(one => one.textContent))

test('where each decoder reads its own words, only steps that have read the same are subtracted', async () => {
  const [here, there] = [{}, { positional: false }].map(more => runHere({ ...more }))
  const [own, others] = [here, there].map(run => run.streams.target.tokens[0])
  const alike = own.findIndex((token, i) => token !== others[i])
  assert.ok(alike > 1 && alike < own.length - 1, 'the two part on the way')
  const { page, complaints, close } = await opened({ room: 'decoding', language: 'en' })
  const table = (await tablesOf(page)).at(-1)
  assert.deepEqual(table.rows, own.slice(0, alike))
  const [one, two] = [here, there].map(({ tensors }) => tensors.get('sampling.output').data)
  const values = table.cells.flat().map(text => Number(text.replaceAll('−', '-')))
  values.forEach((value, i) => assert.ok(Object.is(Math.fround(value), Math.fround(two[i] - one[i])), `${i}: ${value}`))
  assert.match(await page.textContent('.twin-body .note'),
    new RegExp(`Up to step ${alike - 1} both decoders have read the same`))
  assert.deepEqual(complaints, [])
  await close()
  for (const run of [here, there]) run.dispose()
})

test('in every room both headings say what is written, by the twin on its own', async () => {
  const there = runHere({ positional: false })
  for (const room of ['source.positions', 'encoder.0.self_attn.weights', 'output', 'decoding']) {
    const { page, complaints, close } = await opened({ room })
    assert.deepEqual(await heads(page), [
      '지금 위치 인코딩: 더하기 → 2026년 11월 20일', `견줌 위치 인코딩: 안 더하기 → ${said(there)}`
    ], room)
    assert.deepEqual(complaints, [])
    await close()
  }
  there.dispose()
  const { page, close } = await opened({ room: 'output', target: '1999년' })
  assert.deepEqual(await heads(page), ['지금 위치 인코딩: 더하기', '견줌 위치 인코딩: 안 더하기'], 'nobody decodes')
  await close()
})

test('differences are called what the figure above calls its matrices', async () => {
  for (const [room, name] of [['decoding', '단계마다의 확률'], ['encoder.0.self_attn.weights', '가중치']]) {
    const { page, close } = await opened({ room })
    const above = await page.$$eval('.twins .caption b', list => list.map(one => one.textContent))
    const shown = await difference(page)
    assert.ok(shown.includes(name) && shown.every(one => above.includes(one)), `${room}: ${shown}`)
    await close()
  }
})

test('where the probabilities are the same, what differs all the same is said', async () => {
  const draw = { room: 'decoding', language: 'en', source: '5/6/2026', decoding: 'sample', temperature: 0.5 }
  for (const [state, pattern] of [
    [{ ...draw, twin: 'seed:41' }, /Only the numbers drawn differ/],
    [{ ...draw, decoding: 'greedy', twin: 'decoding:beam' }, /Chosen differently, the answer and all probabilities/]
  ]) {
    const { page, complaints, close } = await opened(state)
    await page.waitForFunction(() => document.querySelector('.twin-body .note')?.textContent)
    assert.match(await page.textContent('.twin-body .note'), pattern)
    assert.deepEqual(complaints, [])
    await close()
  }
})
