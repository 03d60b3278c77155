// Walking through the decoding in the real page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromHash } from '../../web/models/state.js'
import { readAddress, changeAndWait, chooseOption, runInNode, readTables, useBrowser, findViolations } from './host.js'
import { longTest } from '../lib/long.js'

const browser = useBrowser()
const open = (state, options) => browser.open({ room: 'decoding', language: 'en', ...state }, options)
const readPrefix = page => page.$$eval('.read-tokens span', list => list.map(item => item.textContent).join(''))
const readAnswer = page => page.$$eval('.pick-token', list => list.map(item => item.textContent).join(''))
const stepOf = async page => (await readAddress(page)).step

test('decoding steps forward and back, by button and by key; the link keeps the step', async () => {
  const { page, complaints, close } = await open({})
  assert.equal(await readAnswer(page), '2026y11m20d</s>')
  await page.click('.scrub-button[aria-label="One step back"]')
  assert.equal(await stepOf(page), 10)
  await page.focus('.scrubber input')
  await page.keyboard.press('Home')
  assert.deepEqual([await stepOf(page), await readPrefix(page), await readAnswer(page)], [0, '<s>', '2'])
  await page.keyboard.press('ArrowRight')
  await page.click('.scrub-button[aria-label="Next step"]')
  assert.deepEqual([await stepOf(page), await readPrefix(page), await readAnswer(page)], [2, '<s>20', '202'])
  assert.equal(await page.getAttribute('.scrubber input', 'aria-valuetext'), '3 / 12')
  await page.reload()
  await page.waitForSelector('.pick.is-now')
  assert.deepEqual([await readPrefix(page), await readAnswer(page)], ['<s>20', '202'])
  await page.click('.scrubber .quiet')
  assert.deepEqual([await stepOf(page), await readAnswer(page)], [-1, '2026y11m20d</s>'])
  assert.deepEqual(complaints, [])
  await close()
})

test('decoding plays from the start, and can be stopped', async () => {
  const beam = { decoding: 'beam', temperature: 2 }
  const { page, close } = await open(beam, { reducedMotion: 'reduce' })
  const branches = () => page.locator('.tree path').count()
  const allBranches = await branches()
  await page.click('.scrub-button[aria-label="Play step by step"]')
  await page.waitForFunction(() => document.querySelector('.scrubber output').textContent === '1 / 12')
  const first = await branches()
  await page.waitForFunction(() => document.querySelector('.scrubber output').textContent === '2 / 12')
  assert.ok(first < await branches() && await branches() < allBranches, 'the tree grows')
  await page.click('.scrub-button[aria-label="Pause"]')
  const stopped = await stepOf(page)
  await page.waitForTimeout(1800)
  assert.equal(await stepOf(page), stopped)
  await close()
})

longTest('the suggestions can be followed in the room: sample, raise the temperature, change the seed', async () => {
  const { page, complaints, close } = await open({})
  await changeAndWait(page, () => chooseOption(page, 'decoding', 'sample'))
  await changeAndWait(page, () => page.locator('.stage [data-control="temperature"] input').fill('4'))
  await changeAndWait(page, () => page.fill('.stage [data-control="seed"] input', '7'))
  const run = runInNode({ language: 'en', decoding: 'sample', temperature: 4, seed: 7 })
  assert.equal(await readAnswer(page), run.decoding.steps.map(({ token }) => token).join(''))
  run.dispose()
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a typed answer disables decoding, and the page says why', async () => {
  const { page, complaints, close } = await open({ decoding: 'sample', target: '1999년' })
  const choice = page.locator('.stage [data-control="decoding"]')
  assert.equal(await choice.locator('input').first().isDisabled(), true)
  assert.equal(await choice.locator('.control-idle').textContent(), 'The answer is your own: nothing to choose.')
  assert.equal(await page.isVisible('.stage [data-control="seed"]'), false)
  assert.deepEqual(await findViolations(page), [])
  await changeAndWait(page, () => page.click('.clear'))
  assert.equal(await choice.locator('input').first().isDisabled(), false)
  assert.equal(await choice.locator('.control-idle').isVisible(), false)
  assert.deepEqual(complaints, [])
  await close()
})

test('pressing a suggestion applies it, and Back undoes it', async () => {
  const { page, complaints, close } = await open({})
  const findLink = name => page.getByRole('link', { name, exact: true })
  const readPlaceholder = () => page.getAttribute('[data-field="target"]', 'placeholder')
  await changeAndWait(page, () => findLink('5\u2060/\u20606\u2060/\u20602026').click())
  assert.equal(await readPlaceholder(), '2026y 5m 6d')
  const widths = await page.$$eval('.pick:nth-child(6) .piece', list => list.map(item => (
    [item.textContent, parseFloat(item.style.width)])))
  assert.deepEqual(widths.slice(0, 2).map(([token]) => token).sort(), ['5', '6'])
  assert.ok(widths[1][1] > 30)
  const draw = await findLink('a low temperature and “sample”').getAttribute('href')
  const { source, temperature, decoding } = fromHash(new URL(draw).hash)
  assert.deepEqual([source, temperature, decoding], ['5/6/2026', 0.5, 'sample'], 'a link into a new tab keeps the rest')
  await changeAndWait(page, () => findLink('a low temperature and “sample”').click())
  assert.equal(await readPlaceholder(), '2026y 6m 5d')
  const length = await page.evaluate(() => history.length)
  await findLink('a low temperature and “sample”').click()
  assert.equal(await page.evaluate(() => history.length), length, 'nothing new to go back from')
  await changeAndWait(page, () => page.goBack())
  await changeAndWait(page, () => page.goBack())
  assert.equal(await readPlaceholder(), '2026y 11m 20d')
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(complaints, [])
  await close()
})

test('the result of a suggestion is scrolled into view', async () => {
  const { page, close } = await open({}, { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' })
  await page.locator('.deed').first().scrollIntoViewIfNeeded()
  await changeAndWait(page, () => page.locator('.deed').first().click())
  const { y } = await page.locator('.stage .tools').boundingBox()
  assert.ok(y > 0 && y < 370, `${y}`)
  await close()
})

longTest('with a typed answer, a temperature or no mask, notes explain the numbers', async () => {
  for (const [state, ...patterns] of [
    [{ target: '1999년' }, /your own token at each step/],
    [{ temperature: 0.5 }, /The loss uses the probabilities before temperature and truncation/],
    [{ topK: 3, decoding: 'beam' }, /The tree and the loss use the probabilities before/],
    [{ tgtIsCausal: false, target: '2026년 11월 20일' }, /each bar has also seen the characters after it/],
    [{ tgtIsCausal: false, room: 'decoder.0.self_attn.mask' }, /nothing is hatched/]
  ]) {
    const { page, close } = await open(state)
    const text = await page.innerText('.stage')
    for (const pattern of patterns) assert.match(text, pattern)
    await close()
  }
})

longTest('a note says that bars are recomputed in training, and only then', async () => {
  for (const [state, isSaid] of [[{}, false], [{ training: true }, true], [{ training: true, dropout: 0 }, false]]) {
    const { page, close } = await open(state)
    assert.equal(await page.getByText('chosen with dropout off').isVisible(), isSaid)
    await close()
  }
})

longTest('open tables are kept while cells are selected, and updated when a value changes', async () => {
  const { page, complaints, close } = await open({ room: 'sampling', language: 'ko' })
  await readTables(page)
  await page.evaluate(() => {
    globalThis.redrawn = 0
    const watch = new MutationObserver(records => { globalThis.redrawn += records.length })
    for (const list of document.querySelectorAll('.tables')) watch.observe(list, { childList: true, subtree: true })
  })
  const countRedraws = () => page.evaluate(() => globalThis.redrawn)
  for (const i of [3, 7]) {
    await page.locator('.word-number').nth(i).click()
    await page.waitForSelector('.inspector[aria-busy="false"] .cell-name')
    assert.equal(await countRedraws(), 0)
  }
  const [{ cells }] = await readTables(page)
  await changeAndWait(page, () => page.fill('[data-field="source"]', '3 may 1999'))
  const [{ cells: after }] = await readTables(page)
  assert.notDeepEqual(after[1], cells[1])
  assert.ok(await countRedraws() > 0)
  assert.deepEqual(complaints, [])
  await close()
})
