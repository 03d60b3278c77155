// The start page (the "opening"): a figure of the run, and links ("doors") to the lessons and to the house.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { LESSONS } from '../../web/lessons/index.js'
import { data } from '../../web/opening/data.js'
import { measureOverflow, changeAndWait, readAddress, runInNode, useBrowser, findViolations } from './host.js'
import { longTest, everyNth } from '../lib/long.js'

const { open, withBrowser } = useBrowser()
/**
 * The maximum number of bytes, gzipped, of the scripts that the page loads before its first figure. The worker and the
 * kernels, which are loaded in parallel, do not count.
 */
const MAX_FIRST_SCRIPT_BYTES = 60 * 1024
/** The same for everything that a first visit fetches, kernels and weights, too. */
const MAX_FIRST_VISIT_BYTES = 380_000
/** What the host sends compressed. */
const PACKED = /\.(html|js|css|json|wasm|safetensors)$/
/** The gzipped bytes of files of the site. @param {string[]} names */
async function sizeOf(names) {
  const files = await Promise.all(names.map(name => readFile(new URL(`../../dist/site/${name}.gz`, import.meta.url))))
  return files.reduce((sum, { length }) => sum + length, 0)
}
const openOpening = (state, options) => open({ room: 'opening', language: 'en', ...state }, options)
const STILL = { reducedMotion: 'reduce' }

const readAnswer = page => page.$$eval('.is-written > li', list => list.map(item => item.textContent))
const readProbabilities = page => page.$$eval('.living-shares li', list => list.map(item => (
  [item.children[0].textContent, item.children[2].textContent])))

test('every step displays the run\'s tokens, probabilities and attention', async () => {
  for (const state of everyNth([{}, { source: '5/6/2026' }], 2)) {
    const run = runInNode({ language: 'en', ...state })
    const { source, steps } = data(run)
    run.dispose()
    const { page, complaints, close } = await openOpening(state, STILL)
    assert.deepEqual(await page.$$eval('[aria-label="read"] li', list => list.map(item => item.textContent)), source)
    for (const [at, { token, best, options, headWeights }] of steps.entries()) {
      await page.click(`.is-written > li:nth-child(${at + 1}) button`)
      assert.deepEqual(await readAnswer(page), steps.map((step, i) => (i <= at ? step.token : '')))
      const rest = options.reduce((sum, { share }) => sum - share, 1)
      assert.deepEqual(await readProbabilities(page),
        [...options.map(option => [option.token, option.share.toFixed(2)]), ['rest', rest.toFixed(2)]])
      assert.ok((await page.textContent('.living-now')).includes(
        `“${token}”, the model looked most at “${source[best.position]}”, position ${best.position} (${Math.round(best.weight * 100)}% of the attention of head ${best.head})`))
      const opacities = await page.$$eval('.living-lines path', list => list.map(path => Number(path.style.opacity)))
      headWeights.flat().forEach((weight, i) => assert.ok(Math.abs(opacities[i] - weight) < 1e-6))
    }
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('random weights, which may answer with nothing but the end, are named, and every step can be shown', async () => {
  const { page, complaints, close } = await openOpening({ source: 'december 25 2025', weights: 'untrained' }, STILL)
  await page.waitForSelector('.is-written > li')
  assert.deepEqual(await readAnswer(page), ['</s>'])
  assert.match(await page.textContent('.opening-gloss'), /^This model is not trained/)
  await page.click('.scrub-play')
  assert.match(await page.textContent('.living-now'), /“<\/s>”/)
  assert.deepEqual(complaints, [])
  await close()
})

test('the title is that of a room in a room alone', async () => {
  const { page, close } = await openOpening({}, STILL)
  for (const [hash, place] of [['lesson=softmax', 'Softmax · '], ['room=opening', ''], ['theatre=dates', 'Training · '],
    ['room=opening', ''], ['room=house', 'The whole house · '], ['exercise=dot', ''], ['room=house', 'The whole house · ']]) {
    const title = `${place}glassformer · a transformer behind glass`
    await page.evaluate(to => { location.hash = `${to}&language=en` }, hash)
    await page.waitForFunction(text => document.title === text, title, { timeout: 5000 })
      .catch(async () => assert.equal(await page.title(), title, hash))
  }
  await close()
})

test('the figure plays by itself, can be stopped, and does not move with reduced motion', async () => {
  const { page, complaints, close } = await openOpening()
  const countWritten = () => readAnswer(page).then(list => list.filter(Boolean).length)
  await page.waitForFunction(() => [...document.querySelectorAll('.is-written > li')].filter(
    item => item.textContent).length === 3)
  await page.click('.scrub-button[aria-label="Pause"]')
  const stopped = await countWritten()
  await page.waitForTimeout(1800)
  assert.equal(await countWritten(), stopped)
  assert.deepEqual(complaints, [])
  await close()
  const still = await openOpening({}, STILL)
  await still.page.waitForTimeout(1800)
  assert.equal((await readAnswer(still.page)).join(''), '2026y11m20d</s>')
  assert.equal(await still.page.evaluate(() => document.getAnimations().length), 0)
  await still.close()
})

test('a chosen step is in the address and opens again; all steps have all lines; lines never lag behind the words', async () => {
  const run = runInNode({ language: 'en' }), { steps } = data(run)
  run.dispose()
  const { page, complaints, close } = await openOpening()
  const readOpacities = () => page.$$eval('.living-lines path',
    list => list.map(path => Number(getComputedStyle(path).opacity)))
  const expectedOf = at => steps[at].headWeights.flat()
  const isClose = (list, expected) => (
    list.length === expected.length && list.every((value, i) => Math.abs(value - expected[i]) < 1e-5))
  for (const at of [2, 6]) {
    await page.click(`.is-written > li:nth-child(${at + 1}) button`)
    assert.ok(isClose(await readOpacities(), expectedOf(at)), 'at once, with motion')
  }
  assert.equal((await readAddress(page)).step, 6)
  await page.reload()
  await page.waitForSelector('.is-written > .is-now:nth-child(7)')
  await page.waitForTimeout(1600)
  assert.equal((await readAnswer(page)).filter(Boolean).length, 7, 'does not play on')
  await page.click('.living .scrubber > .quiet')
  assert.equal((await readOpacities()).length, steps.length * expectedOf(0).length)
  assert.equal((await readAddress(page)).step, -1)
  await changeAndWait(page, async () => {
    await page.click('.is-written > li:nth-child(3) button')
    await page.fill('.opening-try input', '5/6/2026')
  })
  await page.waitForFunction(() => document.querySelector('.is-written').textContent.startsWith('2'))
  await page.waitForFunction(() => !/step=/.test(location.hash))
  assert.deepEqual(complaints, [])
  await close()
})

test('what cannot be read is explained below the field, which nothing covers', async () => {
  for (const viewport of [{ width: 1024, height: 768 }, { width: 390, height: 844 }]) {
    const { page, complaints, close } = await openOpening({}, { ...STILL, viewport })
    const isVisible = () => page.evaluate(() => {
      const { left, top, width, height } = document.querySelector('.opening-try input').getBoundingClientRect()
      return document.elementFromPoint(left + width / 2, top + height / 2)?.matches('.opening-try input')
    })
    await page.fill('.opening-try input', 'hello class')
    await page.waitForFunction(() => /hello/.test(document.querySelector('.opening > .problem').textContent))
    assert.equal(await page.getAttribute('.opening-try input', 'aria-invalid'), 'true')
    assert.ok(await isVisible(), `${viewport.width}`)
    await page.evaluate(() => document.activeElement.blur())
    assert.ok(await isVisible(), `${viewport.width}, without the focus`)
    await page.focus('[data-field="source"]')
    await page.waitForSelector('.is-source .help:visible')
    await page.fill('.opening-try input', 'may 6 2026')
    await page.waitForFunction(() => document.querySelector('.opening > .problem').textContent === '')
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('one door asks why: of the reader\'s text, at the character that was watched', async () => {
  const { page, complaints, close } = await openOpening({ source: 'may 6 2026' }, STILL)
  await page.click('.is-written > li:nth-child(4) button')
  await page.click('.door[href*="room=attribution"]')
  await page.waitForSelector('.fall-number:not(:empty)')
  const { room, source, row } = await readAddress(page)
  assert.deepEqual([room, source, row], ['attribution', 'may 6 2026', 3])
  assert.equal(await page.isChecked('[data-picker="row"] label:nth-child(4) input'), true)
  assert.deepEqual(complaints, [])
  await close()
})

test('doors lead to lessons and to the house, the site name in the header leads back, and a lesson can be resumed', async () => {
  const { page, complaints, close } = await openOpening({}, STILL)
  await page.click('.door[href*="room=house"]')
  await page.waitForSelector('.pane-floor')
  assert.equal(await page.getAttribute('#house', 'data-room'), 'house')
  await page.click('.brand')
  await page.waitForSelector('.doors')
  for (const { id } of everyNth(LESSONS, 4)) {
    await page.click(`.opening a[href*="lesson=${id}"]`)
    await page.waitForSelector('.lesson-bar[data-step]')
    await page.click('.lesson-next')
    await page.waitForFunction(() => document.querySelector('.lesson-menu .menu-opener').textContent.startsWith('2 /'))
    await page.waitForTimeout(200)
    await page.click('.brand')
    await page.waitForFunction(lesson => (
      /^continue at 2 \/ \d+$/.test(document.querySelector(`.opening a[href*="lesson=${lesson}"] small`)?.textContent ?? '')), id)
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('axe finds nothing, wide and narrow, light and dark; a typed date is translated at once', async () => {
  for (const options of everyNth([{ colorScheme: 'dark' }, { viewport: { width: 360, height: 740 }, hasTouch: true }], 2)) {
    const { page, complaints, close } = await openOpening({ language: 'ko' }, { ...STILL, ...options })
    await changeAndWait(page, () => page.fill('[data-field="source"]', '3 may 1999'))
    await page.waitForFunction(() => (
      [...document.querySelectorAll('.is-written > li')].map(element => element.textContent).join('') === '1999년5월3일</s>'))
    assert.deepEqual(await findViolations(page), [])
    await page.click('.opening-foot button:nth-of-type(2)')
    await page.waitForSelector('.teaching[open]')
    assert.deepEqual(await findViolations(page), [])
    assert.equal(await measureOverflow(page), 0)
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('every page starts at its top', async () => {
  const { page, complaints, close } = await openOpening({}, { viewport: { width: 1280, height: 720 } })
  const readHeadingTops = () => page.evaluate(() => [...document.querySelectorAll('h1')].filter(element => element.checkVisibility())
    .map(element => Math.round(element.getBoundingClientRect().top)))
  const count = await page.$$eval('a.door', list => list.length)
  assert.equal(count, 7)
  for (let i = 0; i < count; i++) {
    await page.locator('a.door').nth(i).scrollIntoViewIfNeeded()
    await page.locator('a.door').nth(i).click()
    await page.waitForFunction(() => [...document.querySelectorAll('h1')].some(element => (
      element.checkVisibility() && !element.closest('.opening'))))
    const tops = await readHeadingTops()
    assert.equal(tops.length, 1, `${i}`)
    assert.ok(tops[0] > 0 && tops[0] < 360, `${i}: ${tops}`)
    assert.equal(await page.evaluate(() => scrollY), 0, `${i}`)
    await page.goBack()
    await page.waitForSelector('.opening h1', { state: 'visible' })
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('a very long word does not widen the page', async () => {
  const { page, close } = await openOpening({})
  await page.fill('[data-field="source"]', 'x'.repeat(5000))
  await page.waitForFunction(() => [...document.querySelectorAll('.problem')].some(element => element.textContent))
  assert.equal(await measureOverflow(page), 0)
  await close()
})

test('until the first figure only the scripts of the start page are fetched, those of the rooms on the first interaction', async () => {
  await withBrowser(async (browser, url) => {
    const context = await browser.newContext({ locale: 'en-US' })
    const page = await context.newPage()
    const fetched = [], isPageScript = name => /\.js$/.test(name) && !/^(chunks\/)?worker\b/.test(name)
    page.on('request', request => fetched.push(request.url().slice(url.length) || 'index.html'))
    // The browser sends the same by itself, now and then, where the pointer rests.
    await page.addInitScript(() => {
      const moveByNothing = () => document.querySelector('#top')?.dispatchEvent(new PointerEvent('pointermove', { bubbles: true }))
      new MutationObserver(moveByNothing).observe(document, { childList: true, subtree: true })
    })
    await page.goto(url)
    await page.waitForSelector('.living-shares li')
    const first = fetched.filter(name => PACKED.test(name)), scripts = first.filter(isPageScript)
    const all = await sizeOf(first), ofScripts = await sizeOf(scripts)
    assert.ok(ofScripts > 0 && ofScripts <= MAX_FIRST_SCRIPT_BYTES, `${ofScripts} bytes in ${scripts.length} scripts`)
    for (const name of ['worker.js', 'glassformer.first.wasm', 'date_translator.safetensors']) assert.ok(first.includes(name), name)
    assert.ok(all <= MAX_FIRST_VISIT_BYTES, `${all} bytes in ${first.length} files`)
    await page.mouse.move(200, 200)
    await page.mouse.move(220, 200)
    await page.waitForSelector('#inspector[aria-label]', { state: 'attached' })
    assert.ok(fetched.filter(isPageScript).length > scripts.length)
    await context.close()
  })
})

/** Opens an address whose main script arrives when `send` is called. */
async function openHeldBack(browser, address, options) {
  const page = await browser.newPage(options)
  const held = new Promise(resolve => page.route('**/main.js', resolve))
  await page.goto(address, { waitUntil: 'commit' })
  return { page, send: async () => (await held).continue() }
}

test('title and first sentence are displayed before the scripts arrive, and stay in place', () => withBrowser(async (browser, url) => {
  for (const [locale, width, title] of [['en', 1280, /^What ChatGPT/], ['ko', 360, /^ChatGPT를/], ['zh-CN', 412, /^ChatGPT 背后/]]) {
    const { page, send } = await openHeldBack(browser, url, { locale, viewport: { width, height: 800 } })
    const words = await page.waitForSelector('.opening .lead')
    assert.match(await page.textContent('.opening h1'), title)
    const before = await words.boundingBox()
    await send()
    await page.waitForSelector('.is-written')
    assert.deepEqual(await words.boundingBox(), before, locale)
    await page.close()
  }
}))

test('an address that leads elsewhere shows no words of the opening', () => withBrowser(async (browser, url) => {
  const { page, send } = await openHeldBack(browser, `${url}#lesson=mask&language=en`)
  await page.waitForFunction(() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/worker.js')))
  assert.equal(await page.locator('.opening').count(), 0)
  await send()
  await page.waitForSelector('.lesson-bar')
  await page.close()
}))
