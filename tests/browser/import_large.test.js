// Imported models whose attention matrices are not all retained, and whose sums have thousands of terms.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLong, longTest } from '../lib/long.js'
import { importFiles, changeAndWait, goToRoom, readTables, useBrowser, findViolations } from './host.js'
import { measureLongestTasks } from './main_thread_tasks.js'
import { writeGpt2 } from '../lib/large.js'

const browser = useBrowser()

longTest('rooms of attention matrices that were not retained say so, and a press retains them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deep-'))
  const { paths } = await writeGpt2(folder, { layers: 4, channels: 8, heads: 2, vocabSize: 300, positions: 64 })
  for (const [language, message, pressButton] of [
    ['en', /all 4 layers, .* room for 1 B\. So this run kept only those of 1 layer \(0\)/, 'Keep layer 2 and run again'],
    ['ko', /^층 4개 모두의 .* 메모리는 1 B뿐이에요\. 그래서 이번 실행은 1개 층\(층 0\)의 행렬만/, '층 2를 남기고 다시 실행하기']
  ]) {
    const { page, complaints, close } = await browser.open({ language })
    await importFiles(page, paths)
    await goToRoom(page, '3.linear2')
    await page.waitForSelector('#house[data-room="3.linear2"] .stage-figure canvas')
    const before = await readTables(page)
    assert.ok(before.flatMap(({ cells }) => cells.flat()).length > 100)
    await changeAndWait(page, () => page.evaluate(() => { location.hash += '&keptBytes=1' }))
    assert.deepEqual(await readTables(page), before, 'what comes after is the same')
    for (const part of ['scores', 'scale', 'mask', 'weights', 'heads']) {
      await goToRoom(page, `2.self_attn.${part}`)
      await page.waitForSelector('.stage .unkept:visible')
      assert.match(await page.textContent('.unkept'), message)
      assert.ok(await page.isHidden('.stage .stage-figure'), part)
      await goToRoom(page, `0.self_attn.${part}`)
      await page.waitForSelector('.stage .stage-figure:visible')
      assert.ok(await page.isHidden('.stage .unkept'), part)
    }
    await goToRoom(page, 'house')
    await page.waitForSelector('.pane-floor')
    assert.equal(await page.locator('.pane-pictures > small').count(), 3)
    for (const room of ['2.self_attn.qkv', '2.self_attn.output', 'ablation', 'residual_stream', 'costs']) {
      await goToRoom(page, room)
      await page.waitForSelector(`#house[data-room="${room}"] .stage-figure:visible`)
    }
    await goToRoom(page, '2.self_attn.weights')
    await page.waitForSelector('.stage .unkept:visible')
    assert.deepEqual(await findViolations(page), [])
    assert.equal(await page.textContent('[data-action="keep"]'), pressButton)
    await changeAndWait(page, () => page.click('[data-action="keep"]'))
    await page.waitForSelector('.stage .stage-figure:visible')
    assert.match(page.url(), /kept=2/)
    await goToRoom(page, '0.self_attn.weights')
    await page.waitForSelector('.stage .unkept:visible')
    assert.deepEqual(complaints, [])
    await close()
  }
  await rm(folder, { recursive: true })
})

/** How many lines the inspector lays out at a time, and how many milliseconds of the processor one task may take. */
const [MAX_LINES, MAX_TASK] = [120, 50]

longTest('thousands of terms are paged without blocking', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'wordy-')), words = 8000
  const { paths } = await writeGpt2(folder, { layers: 1, channels: 8, heads: 2, vocabSize: words, positions: 64 })
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await importFiles(page, paths)
  await page.evaluate(() => { location.hash += '&room=sampling&cell=sampling.output:0,0,7' })
  const more = '#inspector .terms + .quiet, #inspector .terms ~ .quiet'
  await page.waitForSelector(more)
  assert.match(await page.textContent(more), /^Show 7976 more$/)
  const lines = () => page.locator('#inspector .terms li').count()
  const pressButton = selector => page.evaluate(argument => document.querySelector(argument).click(), selector)
  const results = []
  const tasks = await browser.withBrowser(browser => measureLongestTasks(browser, page, async during => {
    const act = (name, selector) => during(name, async () => {
      await pressButton(selector)
      results.push([name, await lines()])
    })
    await act('all', more)
    await act('on', '[data-keep="on-terms"]')
    await act('by size', '[data-keep="sort-true"]')
  }))
  for (const [name, { cpu, wall }] of tasks) {
    t.diagnostic(`${name}: ${cpu.toFixed(0)} ms of the processor, ${wall.toFixed(0)} by the clock`)
    if (isLong) assert.ok(cpu < MAX_TASK, `${name}: ${cpu} ms`)
  }
  for (const [name, count] of results) assert.equal(count, MAX_LINES, name)
  const at = () => page.textContent('.terms-page span')
  assert.equal(await at(), `1–120 of ${words}`, 'another order begins at its first page')
  const terms = () => page.$$eval('#inspector .terms li', list => list.map(item => item.title))
  const first = await terms()
  await page.focus('[data-keep="on-terms"]')
  await page.keyboard.press('Enter')
  await page.waitForFunction(text => document.querySelector('.terms-page span').textContent === text, `121–240 of ${words}`)
  assert.equal((await terms()).filter(term => first.includes(term)).length, 0)
  assert.equal(await page.evaluate(() => document.activeElement.dataset.keep), 'on-terms')
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(complaints, [])
  await close()
  await rm(folder, { recursive: true })
})
