// An exported picture states its origin and contains everything that is drawn.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { toArray, toCsv } from '../../web/lib/export.js'
import { formatFixed } from '../../web/lib/number.js'
import { textOf } from '../../src/training/models/dates/data.js'
import { DATES } from '../../src/training/models/dates/data.js'
import { stageData } from '../lib/page.js'
import { runInNode, useBrowser, findViolations } from './host.js'
import { longTest, everyNth } from '../lib/long.js'

const { open } = useBrowser()
const ROOM = 'encoder.0.self_attn.scores'

/** The last figure's picture, as SVG. */
async function save(page) {
  const menu = page.locator('.stage .menu').last()
  await menu.locator('.menu-opener').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'), menu.getByRole('button', { name: 'SVG' }).click()
  ])
  return readFile(await download.path(), 'utf8')
}

const textsOf = svg => [...svg.matchAll(/<t(?:ext|span)[^>]*>([^<]+)/g)].map(([, text]) => text)
const picture = async page => textsOf(await save(page))

test('exports have room, head, text and twin below the title', async () => {
  const twin = { room: 'output', twin: 'positional:false' }
  const there = runInNode({ positional: false })
  const answer = textOf(there.decoding.steps.map(({ token }) => token))
  there.dispose()
  for (const [state, ...lines] of everyNth([
    [{ room: 'encoder.0.self_attn.scores', head: 2 }, '인코더 층 0 · 셀프 어텐션 · 점수 · 헤드 2 · november 20 2026'],
    [{ room: 'output', source: '3 may 1999', language: 'en' }, 'Logits · 3 may 1999'],
    [{ room: 'decoding', decoding: 'sample', temperature: 0.5, edits: [{ name: 'output.bias', index: [3], value: 1 }] },
      '토큰 하나씩 · november 20 2026 · 온도: 0.5 · 고르는 방법: 뽑기 · 바꾼 숫자 1개'],
    [{ model: 'sentences', room: 'self_attn.scores', sentence: 3 }, '점수 · 헤드 0 · 나는 최근 파리 여행을 다녀왔다'],
    [twin, `로짓 · november 20 2026 · 차이(비교 − 지금) · 비교 위치 인코딩: 안 더하기 → ${answer}`]
  ], 4)) {
    const { page, complaints, close } = await open(state)
    if (state.twin) await page.waitForSelector('.twin-body .caption')
    const [title, subtitle] = await picture(page)
    assert.deepEqual([title, subtitle], [await page.textContent('h1'), ...lines])
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('an exported picture has the surroundings of the matrices, without buttons', async () => {
  const draw = { room: 'decoding', source: DATES.at(-1), decoding: 'sample', temperature: 0.5 }
  const beam = { ...draw, decoding: 'beam' }
  const runs = Object.fromEntries(Object.entries({ draw, beam }).map(([key, state]) => {
    const run = runInNode(state)
    run.dispose()
    return [key, run.decoding]
  }))
  for (const [state, exported, expected] of [
    [draw, 'text', runs.draw.steps.map(step => formatFixed(step.sample, 3))],
    [beam, 'text', runs.beam.tree.map(({ score }) => formatFixed(score))],
    [{ room: 'decoder.0.multihead_attn.weights' }, 'path', ['november']],
    [{ room: 'encoder.0.norm1', language: 'en' }, 'circle', ['−2.7']],
    [{ room: 'encoder.0.activation' }, 'circle', ['3.00']],
    [{ room: 'encoder.0.self_attn.weights' }, 'image', []],
    [{ room: 'sampling' }, 'rect', ['÷ T']]
  ]) {
    const { page, complaints, close } = await open(state)
    await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'))
    const svg = await save(page)
    const problem = await page.evaluate(text => (
      new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror')?.textContent), svg)
    assert.equal(problem, undefined)
    const texts = textsOf(svg)
    for (const text of expected) assert.ok(texts.includes(text), `${state.room}: ${text}`)
    assert.ok(svg.includes(`<${exported} `), `${state.room}: ${exported}`)
    for (const left of ['▶', '모두 보기', 'NaN', 'class=', 'data-']) assert.ok(!svg.includes(left), left)
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('where copying is not allowed the text is displayed and selected', async () => {
  const { page, complaints, close } = await open({ room: ROOM, language: 'en' })
  await page.evaluate(() => { Object.defineProperty(navigator, 'clipboard', { value: undefined }) })
  await page.click('.menu .menu-opener')
  await page.click('.menu button:text-is("NumPy")')
  const [text, selected] = await page.$eval('.menu-field:visible', field => (
    [field.value, field.value.slice(field.selectionStart, field.selectionEnd)]))
  assert.match(text, /^import numpy as np/)
  assert.equal(selected, text)
  assert.match(await page.textContent('.figure .menu-said'), /This page may not copy for you/)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a matrix is exported by its name, and a press elsewhere closes the menu', async () => {
  const { page, complaints, close } = await open({ room: 'source.embedding' })
  const isOpen = () => page.$eval('.figure-actions .menu-body', menu => menu.matches(':popover-open'))
  const chosen = () => page.getAttribute('.menu-choice input:checked', 'value')
  await page.click('.figure-actions .menu .menu-opener')
  assert.equal(await chosen(), '1')
  await page.click('.menu-choice label:has([value="0"]) span')
  assert.equal(await chosen(), '0')
  await page.click('.menu-row > span >> nth=0')
  assert.ok(await isOpen())
  await page.click('.stage .caption b')
  await page.waitForSelector('.figure-actions .menu-body', { state: 'hidden' })
  assert.deepEqual(complaints, [])
  await close()
})

test('a picture marks the cell that the reader has pinned, and no other', async () => {
  const { product } = stageData(runInNode({}), ROOM)
  const countMarks = svg => (svg.match(/<rect [^>]*fill="none"[^>]*stroke-width="2"/g) ?? []).length
  for (const [cell, count] of [[null, 0], [{ name: product.name, index: [0, 0, 1, 2] }, 1]]) {
    const { page, complaints, close } = await open({ room: ROOM, cell })
    if (cell) await page.waitForSelector('html[data-pinned]')
    assert.equal(countMarks(await save(page)), count)
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('a figure is saved and copied, by keyboard', async () => {
  const permissions = ['clipboard-read', 'clipboard-write']
  const { page, complaints, close } = await open({ room: ROOM, language: 'en' }, { permissions })
  const { product } = stageData(runInNode({}), ROOM)
  await page.focus('.menu .menu-opener')
  await page.keyboard.press('Enter')
  const saved = async name => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`.menu button:text-is("${name}")`)])
    return { name: download.suggestedFilename(), body: await readFile(await download.path()) }
  }
  const csv = await saved('CSV')
  assert.deepEqual([csv.name, csv.body.toString()], [`${product.name}-0-0.csv`, `\ufeff${toCsv(product)}`],
    'with the mark by which spreadsheets know UTF-8')
  const svg = (await saved('SVG')).body.toString()
  assert.ok(svg.startsWith('<svg') && svg.includes('Who wants to look at whom?'))
  const png = await saved('PNG')
  assert.equal(png.name, `${product.name}-0-0.png`)
  assert.equal(png.body.subarray(1, 4).toString(), 'PNG')
  for (const [name, language] of [['NumPy', 'numpy'], ['PyTorch', 'torch'], ['JavaScript', 'js']]) {
    await page.click(`.menu button:text-is("${name}")`)
    await page.waitForSelector('.menu-said:not(:empty)')
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), toArray(product, language))
  }
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('Escape')
  assert.equal(await page.isVisible('.menu-body'), false)
  assert.deepEqual(complaints, [])
  await close()
})
