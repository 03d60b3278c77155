// Twin mode where the two runs do not write the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from '../../src/training/models/dates/data.js'
import { measureOverflow, runInNode, readTables, useBrowser, findViolations } from './host.js'
import { longTest } from '../lib/long.js'

const { open } = useBrowser()
const TWIN = { twin: 'positional:false' }
const joinAnswer = run => textOf(run.decoding.steps.map(({ token }) => token))

async function openTwin(state, options) {
  const opening = await open({ ...TWIN, ...state }, options)
  await opening.page.waitForSelector('.twin-body:not([hidden])')
  await opening.page.waitForFunction(() => document.querySelector('.twin-body .note').textContent)
  return opening
}

const heads = page => page.$$eval('.twins > h2', list => list.map(item => item.textContent))
const difference = page => page.$$eval('.twin-body .caption b', list => list.map(item => item.textContent))

longTest('where each decoder reads its own tokens, only steps with equal inputs are subtracted', async () => {
  const [here, there] = [{}, { positional: false }].map(more => runInNode({ ...more }))
  const [ownTokens, otherTokens] = [here, there].map(run => run.streams.target.tokens[0])
  const sharedCount = ownTokens.findIndex((token, i) => token !== otherTokens[i])
  assert.ok(sharedCount > 1 && sharedCount < ownTokens.length - 1, 'the two part on the way')
  const { page, complaints, close } = await openTwin({ room: 'decoding', language: 'en' })
  const table = (await readTables(page)).at(-1)
  assert.deepEqual(table.rows, ownTokens.slice(0, sharedCount))
  const [hereValues, two] = [here, there].map(({ tensors }) => tensors.get('sampling.output').data)
  const values = table.cells.flat().map(text => Number(text.replaceAll('−', '-')))
  values.forEach((value, i) => assert.ok(Object.is(Math.fround(value), Math.fround(two[i] - hereValues[i])), `${i}: ${value}`))
  assert.match(await page.textContent('.twin-body .note'),
    new RegExp(`Up to step ${sharedCount - 1} both decoders have read the same`))
  assert.deepEqual(complaints, [])
  await close()
  for (const run of [here, there]) run.dispose()
})

/** The answers above the figures: what each side wrote, token by token, and the line that says where they part. */
const readTwin = page => page.evaluate(() => ({
  said: document.querySelector('.twin-headline').textContent,
  texts: [...document.querySelectorAll('.twin-text')].map(line => line.lastChild.textContent),
  rows: [...document.querySelectorAll('.twin-answers tbody tr')].map(row => (
    [row.cells[0].textContent, ...[...row.cells].slice(1).map(cell => cell.firstChild.textContent)])),
  apart: document.querySelectorAll('.twin-answers tr[data-key="here"] .is-marked').length,
  isAbove: document.querySelector('.twin-answers').getBoundingClientRect().bottom <=
    Math.min(...[...document.querySelectorAll('.twins .matrix, .twins .picks')]
      .map(element => element.getBoundingClientRect().top))
}))

longTest('in every room both answers are above the figures, the twin\'s as it would generate by itself', async () => {
  const [here, there] = [{}, { positional: false }].map(more => runInNode(more))
  const [mine, theirs] = [here, there].map(({ decoding }) => decoding.steps.map(({ token }) => token))
  const firstDifference = mine.findIndex((token, i) => token !== theirs[i])
  const options = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  for (const [room, roomOptions] of [['source.positions'], ['encoder.0.self_attn.weights'], ['output', options], ['decoding']]) {
    const { page, complaints, close } = await openTwin({ room }, roomOptions)
    assert.deepEqual(await heads(page), ['지금 위치 인코딩: 더하기', '비교 위치 인코딩: 안 더하기'], room)
    const { said: sentence, texts, rows, apart: marked, isAbove } = await readTwin(page)
    assert.deepEqual(rows[0], ['지금', ...mine], room)
    assert.deepEqual(rows[1].slice(0, theirs.length + 1), ['비교', ...theirs], room)
    assert.deepEqual(texts, ['2026년 11월 20일', joinAnswer(there)], room)
    assert.equal(marked, mine.filter((token, i) => token !== theirs[i]).length, room)
    assert.ok(sentence.startsWith(`${firstDifference + 1}번째 토큰에서 답이 갈려요. 지금은 ‘${mine[firstDifference]}’, 비교 쪽은 ‘${theirs[firstDifference]}’`), sentence)
    assert.ok(isAbove, room)
    assert.equal(await measureOverflow(page), 0, room)
    assert.deepEqual(await findViolations(page, '.twin-answers'), [], room)
    assert.deepEqual(complaints, [])
    await close()
  }
  for (const run of [here, there]) run.dispose()
  const { page, close } = await openTwin({ room: 'output', target: '1999년' })
  assert.equal(await page.isVisible('.twin-answers'), false, 'nobody decodes')
  await close()
})

test('differences have the titles of their matrices', async () => {
  for (const [room, name] of [['decoding', '단계마다의 확률'], ['encoder.0.self_attn.weights', '어텐션 가중치']]) {
    const { page, close } = await openTwin({ room })
    const above = await page.$$eval('.twins .caption b', list => list.map(item => item.textContent))
    const displayed = await difference(page)
    assert.ok(displayed.includes(name) && displayed.every(item => above.includes(item)), `${room}: ${displayed}`)
    await close()
  }
})

longTest('where the probabilities are equal, a note says what differs', async () => {
  const draw = { room: 'decoding', language: 'en', source: '5/6/2026', decoding: 'sample', temperature: 0.5 }
  for (const [state, pattern] of [
    [{ ...draw, twin: 'seed:43' }, /Only the random numbers differ/],
    [{ ...draw, decoding: 'greedy', twin: 'decoding:beam' }, /Chosen differently, the answer and all probabilities/]
  ]) {
    const { page, complaints, close } = await openTwin(state)
    await page.waitForFunction(() => document.querySelector('.twin-body .note')?.textContent)
    assert.match(await page.textContent('.twin-body .note'), pattern)
    assert.deepEqual(complaints, [])
    await close()
  }
})
