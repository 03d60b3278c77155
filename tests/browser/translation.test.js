import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEPTHS } from '../../web/shell/depth.js'
import { formatFixed } from '../../web/lib/number.js'
import { DATES } from '../../src/training/models/dates/data.js'
import { roomsOf } from '../../web/rooms/index.js'
import { longTest, everyNth, partUnlessLong } from '../lib/long.js'
import { stageData } from '../lib/page.js'
import { measureOverflow, changeAndWait, chooseOption, goToRoom, runInNode, useBrowser, findViolations } from './host.js'

const KINDS = [
  'source.tokens', 'source.embedding', 'encoder.0.self_attn.scale', 'encoder.0.norm1', 'encoder.0.linear1',
  'encoder.0.activation',
  'encoder.norm', 'target.tokens', 'decoder.1.multihead_attn.weights', 'output', 'sampling', 'decoding'
]

const { open } = useBrowser()
const roomHere = page => page.getAttribute('#house', 'data-room')

test('the probabilities of a step and the decoding steps equal the run\'s', async () => {
  for (const changes of everyNth([
    { topP: 0.7, temperature: 2, row: 4 }, { decoding: 'sample', temperature: 2, seed: 5 }, { decoding: 'beam' }
  ], 2)) {
    const run = runInNode(changes)
    const { page, complaints, close } = await open({ ...changes, room: 'sampling' })
    const { words } = stageData(run, 'sampling', changes)
    assert.deepEqual(await page.$$eval('.words:last-of-type .word:not(.word-head)', items => items.map(item => (
      [item.firstChild.textContent, ...[...item.querySelectorAll('.word-number')].map(x => x.textContent)]))),
    words.map(({ token, logit, tempered, share, kept: isRetained }) =>
      [token, formatFixed(logit), formatFixed(tempered), formatFixed(share, 3), formatFixed(isRetained, 3)]))
    await goToRoom(page, 'decoding')
    const { steps, nodes } = stageData(run, 'decoding', changes)
    assert.deepEqual(await page.$$eval('.pick', items => items.map(item => (
      [item.querySelector('.pick-token').textContent, item.querySelector('.pick-share').textContent]))),
    steps.map(({ token, share }) => [token, formatFixed(share, 3)]))
    assert.equal(await page.locator('.tree g').count(), nodes?.length ?? 0)
    assert.deepEqual(await page.$$eval('.is-draw', all => all.map(x => x.textContent)),
      steps.filter(({ sample }) => sample !== null).map(({ sample }) => formatFixed(sample, 3)))
    assert.deepEqual(complaints, [])
    await close()
    run.dispose()
  }
})

test('typing a date and an answer, an unknown word, and switches', async () => {
  const { page, complaints, close } = await open({ language: 'en' })
  const readPlaceholder = () => page.getAttribute('[data-field="target"]', 'placeholder')
  assert.equal(await readPlaceholder(), '2026y 11m 20d')
  await changeAndWait(page, () => page.fill('[data-field="source"]', '3 may 1999'))
  assert.equal(await readPlaceholder(), '1999y 5m 3d')
  await page.fill('[data-field="source"]', 'next monday')
  assert.match(await page.textContent('.is-source .problem'), /“next”/)
  await changeAndWait(page, () => page.click('.is-source .examples button:nth-child(4)'))
  assert.equal(await page.inputValue('[data-field="source"]'), DATES[3])
  await changeAndWait(page, () => page.fill('[data-field="target"]', '1999년'))
  await goToRoom(page, 'decoding')
  assert.match(await page.textContent('.stage'), /Your own answer/)
  await changeAndWait(page, () => page.click('.clear'))
  await goToRoom(page, 'source.positions')
  await changeAndWait(page, () => chooseOption(page, 'positional', 'off'))
  assert.equal(await roomHere(page), 'source.embedding', 'the room has gone, the switch is in the one before it')
  assert.match(await page.textContent('.provenance'), /leave it out/)
  assert.ok(await page.isHidden('[data-control="positions"]'))
  await changeAndWait(page, () => chooseOption(page, 'positional', 'on'))
  assert.equal(await roomHere(page), 'source.positions')
  await changeAndWait(page, () => chooseOption(page, 'positions', 'learned'))
  assert.match(await page.textContent('.stage'), /nothing has trained it yet/)
  assert.match(await page.textContent('.stage'), /Its table of positions, though/)
  await page.waitForFunction(() => /sampled from the seed/.test(document.querySelector('.inspector').textContent))
  assert.ok(await page.isHidden('.stage [data-control="base"]'))
  await changeAndWait(page, () => chooseOption(page, 'positions', 'interleaved'))
  await changeAndWait(page, () => page.selectOption('.models select', 'sentences'))
  assert.ok(await page.isVisible('#inputs textarea'))
  await changeAndWait(page, () => page.selectOption('.models select', 'dates'))
  await page.click('[data-action="settings"]')
  await changeAndWait(page, () => page.click('.settings [data-control="weights"] label:has(input[value="untrained"])'))
  await page.keyboard.press('Escape')
  assert.match(await page.textContent('.untrained'), /not trained/)
  assert.deepEqual(complaints, [])
  await close()
})

test('an invalid source dims the old answer, and both fields have notes', async () => {
  for (const [width, language] of everyNth([[1440, 'ko'], [360, 'en']], 2)) {
    const { page, complaints, close } = await open({ language }, { viewport: { width, height: 740 } })
    const color = () => page.$eval('[data-field="target"]', input => getComputedStyle(input, '::placeholder').color)
    const bright = await color()
    await page.fill('[data-field="source"]', '\u{1f389} 20 nov 2026')
    const [problem, ...hints] = await page.$$eval('.is-source .help p', list => list.map(item => item.textContent))
    assert.match(problem, /\u{1f389}[’”]/u)
    assert.match(hints.join(' '), language === 'ko' ? /띄어쓰기.*1900년부터 2199년까지/ : /spaces.*1900 to 2199/)
    assert.notEqual(await color(), bright)
    assert.equal(await measureOverflow(page), 0)
    await changeAndWait(page, () => page.fill('[data-field="source"]', '3 may 1999'))
    assert.equal(await color(), bright)
    await page.fill('[data-field="target"]', '내일')
    assert.ok(await page.isVisible('.is-target .known-words'))
    assert.match(await page.textContent('.is-target .help'), language === 'ko' ? /년[·,] ?월[·,] ?일/ : /y, m, d/)
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('nothing scrolls sideways at 360 px, in any room, at any depth', async () => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  const state = { weights: 'untrained', layers: 1, training: true }
  const rooms = roomsOf(runInNode(state))
  for (const [i, language] of ['ko', 'en'].entries()) {
    const { page, complaints, close } = await open({ language, ...state }, phone)
    for (const { id } of partUnlessLong(rooms, i, 2)) {
      await goToRoom(page, id)
      for (const depth of DEPTHS) {
        await page.evaluate(value => document.querySelector(`.depths input[value="${value}"]`)?.click(), depth)
        await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'))
        assert.equal(await measureOverflow(page), 0, `${language} ${depth} ${id}`)
      }
    }
    assert.deepEqual(complaints, [])
    await close()
  }
})

for (const [lookIndex, colorScheme] of everyNth(['light', 'dark'], 2).entries()) {
  test(`axe finds nothing in any kind of room: ${colorScheme}`, async () => {
    const { page, close } = await open({ decoding: 'beam', topP: 0.9, temperature: 2 }, { colorScheme })
    for (const [i, id] of partUnlessLong(KINDS, lookIndex, 4).entries()) {
      await goToRoom(page, id)
      if (i === 1) {
        await page.click('[data-language="en"]')
        await page.waitForSelector('html[lang="en"] h1')
      }
      assert.deepEqual(await findViolations(page), [], id)
    }
    await close()
  })
}
