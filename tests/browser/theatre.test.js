// The training page in a browser: the same bits as in Node, and every displayed number is the training's.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { formatBrief, formatExact, formatFixed } from '../../web/lib/number.js'
import { finiteDifference, breakDown } from '../../web/theatre/step_breakdown.js'
import { createPlayer } from '../../src/training/player.js'
import { TASK_INFO } from '../../src/training/tasks/task_info.js'
import { createSession } from '../../src/training/session.js'
import { read, createRival } from '../../src/training/settings.js'
import { measureOverflow, changeAndWait, useBrowser, findViolations } from './host.js'
import { waitUntilDrawn, pressAction, readStep, waitForStep } from './training.js'
import { longTest, everyNth } from '../lib/long.js'

const browser = useBrowser()
const gf = await load()

test('a training runs forwards and back, and every displayed number is that of the run', async () => {
  const link = 'dates_steps-60_batch-16'
  const { page, complaints, close } = await browser.open({ theatre: link })
  await waitForStep(page, 0)
  await pressAction(page, 'step')
  await waitForStep(page, 1)
  await pressAction(page, 'play')
  await waitUntilDrawn(page, 60)
  const session = createSession(gf, read(link))
  const losses = Array.from({ length: 60 }, () => session.step().loss)
  const readValues = () => page.evaluate(() => [...document.querySelectorAll('.theatre-keys b')].map(b => b.textContent))
  const last = session.history.evaluations.at(-1)
  assert.deepEqual((await readValues()).slice(0, 2), [formatBrief(losses[59]), formatBrief(last.loss)])
  const readAnswer = () => page.textContent('.theatre-answer')
  assert.equal(await readAnswer(), session.answer('november 20 2026').text)
  await page.locator('[data-action="seek"]').fill('33')
  await waitUntilDrawn(page, 33)
  const shorterSession = createSession(gf, read(link))
  for (let n = 0; n < 33; n++) shorterSession.step()
  assert.equal((await readValues())[0], formatBrief(losses[32]))
  assert.equal(await readAnswer(), shorterSession.answer('november 20 2026').text)
  assert.equal(await readStep(page), 33)
  session.dispose()
  shorterSession.dispose()
  assert.deepEqual(complaints, [])
  await close()
})

test('waves of the clock sums are plotted with their shares of the variance, and of no other task', async () => {
  const link = 'sums_steps-30_batch-16'
  const { page, complaints, close } = await browser.open({ theatre: link, language: 'en' })
  await waitForStep(page, 0)
  await pressAction(page, 'play')
  await waitUntilDrawn(page, 30)
  const session = createSession(gf, read(link))
  for (let n = 0; n < 30; n++) session.step()
  const { waves } = session.history.evaluations.at(-1), rows = session.model.embedding.weight.toArray().slice(0, 31)
  const shares = waves.map((_, i) => shareOfWave(rows, i + 1))
  waves.forEach((share, i) => assert.ok(Math.abs(share - shares[i]) < 1e-9, `wave ${i + 1}`))
  const all = shares.map((share, i) => [i + 1, share])
  const large = all.filter(([, share]) => share > 1 / 15).sort((a, b) => b[1] - a[1])
  const said = `After step 30, ${large.length} of them have more than if all were equal: ` +
    large.map(([wave, share]) => `${wave} (${formatFixed(100 * share, 1)} %)`).join(', ')
  assert.equal(await page.textContent('[data-chart="waves"] + output'), said)
  assert.ok((await page.getAttribute('[data-chart="waves"] [aria-label]', 'aria-label')).endsWith(said))
  await page.evaluate(() => document.querySelector('input[name="theatre-task"][value="dates"]').click())
  await page.waitForFunction(() => !document.querySelector('[data-chart="waves"]').checkVisibility())
  assert.deepEqual(complaints, [])
  session.dispose()
  await close()
})

/** The share of the variance of one wave, by the autocorrelation of the rows: no other code computes it so. */
function shareOfWave(rows, k) {
  const N = rows.length, mean = rows[0].map((_, c) => rows.reduce((sum, row) => sum + row[c], 0) / N)
  const centered = rows.map(row => row.map((value, c) => value - mean[c]))
  const correlation = centered.map((_, d) => centered.reduce((sum, row, n) => (
    sum + row.reduce((all, value, c) => all + value * centered[(n + d) % N][c], 0)), 0))
  const power = correlation.reduce((sum, value, d) => sum + value * Math.cos(2 * Math.PI * k * d / N), 0)
  return 2 / N * power / correlation[0]
}

test('scores of the heads are plotted beside the accuracy for the task that measures them, and for no other', async () => {
  const link = 'induction_steps-25_batch-4_dModel-16'
  const { page, complaints, close } = await browser.open({ theatre: link, language: 'en' })
  await waitForStep(page, 0)
  await pressAction(page, 'play')
  await waitUntilDrawn(page, 25)
  const session = createSession(gf, read(link))
  for (let n = 0; n < 25; n++) session.step()
  const { heads } = session.history.evaluations.at(-1), percent = score => `${formatFixed(100 * score, 1)} %`
  const readScores = () => page.evaluate(() => Array.from(document.querySelectorAll('.theatre-keys .is-previous, .theatre-keys .is-induction'),
    ({ parentElement: { hidden, textContent } }) => (hidden ? null : textContent)))
  assert.deepEqual(await readScores(),
    [`Previous-token score ${percent(heads.previous)}`, `Induction score ${percent(heads.induction)}`])
  assert.match(await page.getAttribute('[data-chart="right"] [aria-label]', 'aria-label'), /largest induction score/)
  assert.ok(await page.isHidden('.theatre [data-control="dimFeedforward"]'), 'there is no feed-forward network')
  await page.evaluate(() => document.querySelector('input[name="theatre-task"][value="dates"]').click())
  await page.waitForFunction(() => document.querySelector('.theatre-keys .is-previous').parentElement.hidden)
  assert.deepEqual(await readScores(), [null, null])
  session.dispose()
  assert.deepEqual(complaints, [])
  await close()
})

longTest('requesting weights that the page does not have is reported at the setting', async () => {
  const { page, complaints, close } = await browser.open({ theatre: 'stories_positions-concatenated_start-page', language: 'en' })
  await page.waitForFunction(() => /no trained weights/.test(document.querySelector('.theatre [data-control="start"]')?.textContent))
  await page.waitForTimeout(500)
  assert.deepEqual(complaints, [])
  await close()
})

test('the rooms can display the model of any step, and step through the training', async () => {
  const link = 'dates_steps-60_batch-16_layers-1_dModel-16_rate-0.02'
  const { page, complaints, close } = await browser.open({ theatre: link })
  await waitForStep(page, 0)
  await pressAction(page, 'play')
  await waitUntilDrawn(page, 60)
  const session = createSession(gf, read(link))
  const answers = [session.answer('november 20 2026').text]
  for (let n = 0; n < 60; n++) {
    session.step()
    answers.push(session.answer('november 20 2026').text)
  }
  const { tensors: learned } = gf.loadSafetensors(session.file())
  session.dispose()
  const waitForAnswer = text => page.waitForFunction(expected => (
    document.querySelector('.field.is-target input').placeholder === expected ||
    document.querySelector('.field.is-target input').value === expected), text)
  await changeAndWait(page, () => pressAction(page, 'inside'))
  await waitForAnswer(answers[60])
  assert.equal(await page.textContent('.learned output'), '스텝 60 / 60까지 학습한 모델')
  await page.click('.share .menu-opener')
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-take="safetensors"]')])
  const tensors = Object.entries(gf.loadSafetensors(await readFile(await download.path())).tensors)
  assert.ok(tensors.length > 20)
  for (const [name, { shape, bytes }] of tensors) {
    assert.deepEqual([[...shape], bytes], [[...learned[name].shape], learned[name].bytes], name)
  }
  await page.click('.share .menu-opener')
  await page.locator('[data-action="learned"]').fill('21')
  await waitForAnswer(answers[21])
  assert.notEqual(answers[21], answers[60])
  await page.click('[data-action="theatre-back"]')
  await page.waitForFunction(() => document.querySelector('.theatre').dataset.step === '21')
  assert.equal(await page.evaluate(() => document.documentElement.hasAttribute('data-theatre')), true)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('embeddings and a pinned cell move with the steps, by pointer and by keyboard', async () => {
  const link = 'dates_steps-40_batch-8_layers-1'
  const { page, complaints, close } = await browser.open({ theatre: link })
  await waitForStep(page, 0)
  await pressAction(page, 'play')
  await waitUntilDrawn(page, 40)
  const player = createPlayer(gf, read(link))
  while (player.step());
  const table = 'target_embedding.weight', token = 7
  player.projectEmbeddings() // fixes the axes at this step, as the page does
  const readToken = () => page.textContent('.theatre-plane + .theatre-token')
  await page.selectOption('.theatre-choices select:has(option[value="target_embedding.weight"])', table)
  await page.selectOption('[data-action="token"]', String(token))
  const coordinatesText = () => {
    const { words, x, y } = player.projectEmbeddings(table)
    return `${words[token]}: 가로 ${formatExact(x[token])}, 세로 ${formatExact(y[token])}`
  }
  const waitForText = text => page.waitForFunction(expected => (
    document.querySelector('.theatre-plane + .theatre-token').textContent === expected), text)
  await waitForText(coordinatesText())
  await page.locator('[data-action="seek"]').fill('20')
  await waitUntilDrawn(page, 20)
  player.seek(20)
  await waitForText(coordinatesText())
  await page.focus('.scatter')
  for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key)
  assert.notEqual(await readToken(), coordinatesText())
  const { width, height } = await page.locator('.scatter').boundingBox()
  await page.locator('.scatter').hover({ position: { x: width - 2, y: height - 2 } })

  const name = 'transformer.decoder.layers.0.self_attn.weights', index = [0, 1, 3, 2]
  await page.focus('[data-action="pinned"]')
  await page.waitForSelector(`[data-action="pinned"] option[value="${name}"]`, { state: 'attached' })
  await page.selectOption('[data-action="pinned"]', name)
  await page.fill('[data-field="pinned"]', index.join(' '))
  await page.keyboard.press('Enter')
  const { follower, session } = player
  follower.pin({ name, index }, session.inputsOf(TASK_INFO.dates.sample))
  follower.readFor(1000) // milliseconds
  assert.deepEqual(follower.facts.steps, [0, 10, 20, 30, 40])
  const pinnedText = step => `${step}스텝의 ${name}[${index.join(', ')}] = ${formatExact(follower.facts.currentValue)}`
  const waitForPinnedText = text => page.waitForFunction(expected => [...document.querySelectorAll('.theatre-token')]
    .some(({ textContent }) => textContent === expected), text)
  await waitForPinnedText(pinnedText(20))
  await page.locator('[data-action="seek"]').fill('31')
  player.seek(31)
  await waitForPinnedText(pinnedText(31))
  await page.fill('[data-field="pinned"]', '0, 1, 99, 0')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => [...document.querySelectorAll('.theatre .problem')]
    .some(({ textContent }) => textContent.includes('그 번호의 칸은 없어요')))
  session.dispose()
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a link to weights that only another tab has is reported', async () => {
  const { page, close } = await browser.open({ room: 'house' })
  await page.evaluate(() => { location.hash = '#v=1&model=dates&weights=theatre' })
  await page.waitForFunction(() => document.getElementById('status').textContent.includes('탭에 없어요'))
  await close()
})

longTest('the next step is broken down, checked by finite differences and taken', async () => {
  const link = 'dates_steps-60_batch-8_layers-1'
  const { page, complaints, close } = await browser.open({ theatre: link })
  await waitForStep(page, 0)
  await pressAction(page, 'step')
  await waitForStep(page, 1)
  await page.click('.theatre-apart summary')
  await page.waitForSelector('.theatre-optimizer tr')
  const session = createSession(gf, read(link))
  session.step()
  const breakdown = breakDown(session, 'output.weight')
  const displayed = await page.evaluate(() => (
    [...document.querySelectorAll('.theatre-optimizer tr')].map(row => row.lastElementChild.textContent)))
  const results = [breakdown.g, breakdown.after.m, breakdown.after.v, breakdown.mHat, breakdown.vHat, breakdown.after.w]
  assert.deepEqual(displayed, results.map(value => `= ${formatExact(value)}`))
  await page.click('.theatre-closer summary')
  await page.waitForSelector('.theatre-norms tbody line', { state: 'attached' })
  const samples = await page.$$eval('.theatre-norms tbody line', list => list.map(item => {
    const { stroke, strokeDasharray } = getComputedStyle(item)
    return `${stroke} ${strokeDasharray}`
  }))
  assert.equal(samples.length, await page.$$eval('.theatre-norms tbody tr', list => list.length))
  assert.equal(new Set(samples).size, samples.length, 'each layer has a line of its own, beside its name')
  const letters = await page.$$eval('.theatre-letters li b', list => list.map(item => item.textContent))
  assert.deepEqual(letters, ['g', 'c', 'η', 'β₁', 'β₂', 'ε'], 'no letter of the formulas goes without its name')
  const place = '[data-field="index"]', at = await page.inputValue(place)
  for (const wrong of ['abc', '99, 1', '1x, 2']) {
    await page.fill(place, wrong)
    await page.press(place, 'Enter')
    assert.match(await page.textContent('.theatre-apart .problem'), new RegExp(wrong))
    assert.equal(await page.inputValue(place), wrong, 'what was typed stays')
  }
  await page.fill(place, at)
  await page.press(place, 'Enter')
  await page.waitForSelector('.theatre-apart .problem:empty', { state: 'attached' })
  await page.click('[data-action="nudge"]')
  const { slope } = finiteDifference(session, breakdown.name, breakdown.index)
  await page.waitForFunction(text => document.querySelector('.theatre-nudged').textContent.includes(text),
    formatExact(Number(slope.toPrecision(4))))
  await page.click('.theatre-apart .theatre-inside')
  await waitForStep(page, 2)
  session.dispose()
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a step runs layer by layer: forward, loss, backward, update, and on to the next', async () => {
  const link = 'dates_steps-60_batch-8_layers-1_optimizer-sgd_rate-0.05'
  const { page, complaints, close } = await browser.open({ theatre: link })
  await waitForStep(page, 0)
  const session = createSession(gf, read(link))
  const { layers, loss } = breakDown(session)
  const cells = () => page.evaluate(() => [...document.querySelectorAll('.theatre-layers tbody tr')].map(row => (
    [...row.querySelectorAll('td')].map(cell => cell.textContent))))
  const readStatus = () => page.textContent('.theatre-apart [role="status"]')
  const columns = ['rms', 'norm', 'ratio']
  // Both buttons advance by one layer: `oneLayer` in the transport, `layer` in the step breakdown.
  const expectedCells = isVisible => layers.map((layer, i) => columns.map(name => (isVisible(name, i) ? formatBrief(layer[name]) : '')))
  await pressAction(page, 'oneLayer')
  await page.waitForSelector('.theatre-layers tr[data-here]')
  assert.deepEqual(await cells(), expectedCells((name, i) => name === 'rms' && i === 0))
  for (let n = 1; n < layers.length; n++) await pressAction(page, 'oneLayer')
  assert.deepEqual(await cells(), expectedCells(name => name === 'rms'))
  await pressAction(page, 'layer')
  assert.ok((await readStatus()).includes(formatExact(loss)), 'the loss')
  await pressAction(page, 'layer')
  assert.deepEqual(await cells(), expectedCells((name, i) => name === 'rms' || (name === 'norm' && i === layers.length - 1)))
  for (let n = 0; n < layers.length; n++) await pressAction(page, 'layer')
  assert.deepEqual(await cells(), expectedCells(() => true))
  await pressAction(page, 'layer')
  await waitForStep(page, 1)
  session.step()
  const [first] = breakDown(session).layers
  await page.waitForFunction(text => document.querySelector('.theatre-layers td').textContent === text &&
    document.querySelector('.theatre-layers td:last-child').textContent === '', formatBrief(first.rms))
  session.dispose()
  assert.deepEqual(complaints, [])
  await close()
})

longTest('opening a section while a frame is pending does not lose that frame', async () => {
  const { page, complaints, close } = await browser.open({ theatre: 'dates_steps-3_batch-8_layers-1' })
  await waitUntilDrawn(page, 0)
  await page.evaluate(() => {
    const { requestAnimationFrame } = window, frames = []
    window.requestAnimationFrame = frame => frames.push(frame)
    window.resumeFrames = () => {
      Object.assign(window, { requestAnimationFrame })
      frames.forEach(frame => requestAnimationFrame(frame))
    }
  })
  await pressAction(page, 'step')
  await waitForStep(page, 1)
  await page.click('.theatre-closer summary')
  await page.waitForFunction(() => document.querySelector('.theatre-closer').open)
  await page.evaluate(() => new Promise(resolve => { setTimeout(resolve) }))
  await page.evaluate(() => window.resumeFrames())
  await waitUntilDrawn(page, 1)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('two trainings race, and the page says where they diverge', async () => {
  const link = 'dates_warmUp-4_steps-25_batch-8_layers-1_vs-warmUp-0'
  const { page, complaints, close } = await browser.open({ theatre: link })
  await waitForStep(page, 0)
  await pressAction(page, 'play')
  const runs = [read(link), createRival(read(link))].map(settings => {
    const session = createSession(gf, settings)
    for (let n = 0; n < 25; n++) session.step()
    const { loss } = session.history
    session.dispose()
    return loss
  })
  const divergence = runs[0].findIndex((loss, i) => !Object.is(loss, runs[1][i])) + 1
  assert.equal(divergence, 2)
  const text = `2스텝에서 처음 갈라졌어요. 25스텝의 학습 손실은 ${runs.map(loss => formatBrief(loss[24])).join(' 대 ')}.`
  await page.waitForFunction(expected => document.querySelector('.theatre-raced').textContent === expected, text)
  const readWedge = () => page.$eval('.theatre-raced', element => getComputedStyle(element, '::before').borderTopWidth)
  assert.equal(await readWedge(), '8px', 'the mark in the chart is beside the sentence about it')
  await page.click('[data-experiment="byHeart"]')
  await page.waitForFunction(() => document.querySelector('.theatre').dataset.open.includes('repeat-same'))
  await page.waitForFunction(() => document.querySelector('.theatre-raced').textContent === '')
  assert.deepEqual(complaints, [])
  await close()
})

test('the training page fits a phone, axe finds nothing, and it leads back to the house', async () => {
  for (const [language, colorScheme] of everyNth([['ko', 'light'], ['en', 'dark']], 2)) {
    const { page, complaints, close } = await browser.open({ theatre: 'particles_steps-20', language },
      { viewport: { width: 360, height: 740 }, colorScheme })
    await waitForStep(page, 0)
    await pressAction(page, 'step')
    await waitForStep(page, 1)
    await page.evaluate(() => document.querySelectorAll('.theatre details').forEach(element => { element.open = true }))
    await page.waitForSelector('.theatre-optimizer tr')
    await waitUntilDrawn(page, 1)
    assert.equal(await measureOverflow(page), 0)
    assert.deepEqual(await findViolations(page), [])
    await pressAction(page, 'leave')
    await page.waitForSelector('.stage h1')
    assert.equal(await page.evaluate(() => document.documentElement.hasAttribute('data-theatre')), false)
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('problems are reported before a training starts', async () => {
  const { page, close } = await browser.open({ theatre: 'dates_rate-5000' })
  await page.waitForSelector('.theatre [data-control="rate"].is-wrong')
  assert.equal(await page.evaluate(() => document.querySelector('.theatre').dataset.step), undefined)
  assert.equal(await page.isDisabled('[data-action="play"]'), true)
  assert.deepEqual(await findViolations(page), [])
  await close()
})

test('embedded in another page, it is the training alone, whose curves are in the height that Share gives', async () => {
  const { page, complaints, close } = await browser.open({ theatre: 'dates_steps-20', language: 'en' })
  await waitForStep(page, 0)
  await page.evaluate(() => { navigator.clipboard.writeText = async text => { document.body.dataset.copied = text } })
  await page.evaluate(() => document.querySelector('[data-action="embed"]').click())
  const code = await page.evaluate(() => document.body.dataset.copied)
  await page.goto('about:blank')
  await page.setViewportSize({ width: 720, height: Number(/height="(\d+)"/.exec(code)[1]) })
  await page.goto(/src="([^"]+)"/.exec(code)[1].replaceAll('&amp;', '&'))
  await waitForStep(page, 0)
  assert.deepEqual(await page.$$eval('#house, #inspector, .top, .theatre [data-action="leave"]', list => (
    list.filter(element => element.checkVisibility()).map(element => element.className))), [])
  const { bottom } = await page.$eval('.theatre-charts', element => element.getBoundingClientRect().toJSON())
  assert.ok(bottom <= page.viewportSize().height, `${bottom}`)
  assert.deepEqual(complaints, [])
  await close()
})
