// "Write it yourself" in the real page: wrong and right answers, loops that never end, what a reload keeps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { all } from '../../web/exercises/all.js'
import { mistakeCode } from '../../web/exercises/check.js'
import { EXERCISES } from '../../web/exercises/index.js'
import { loadExerciseList, loadExerciseTexts } from '../../web/words/exercises.js'
import { LANGUAGES } from '../../web/words/index.js'
import { longTest, partUnlessLong } from '../lib/long.js'
import { findViolations, measureOverflow, readAddress, useBrowser } from './host.js'

const browser = useBrowser()
const english = await loadExerciseList('en')

/** Opens an exercise by its short address. */
async function openExercise(id, { language = 'en', storage, ...options } = {}) {
  const opened = await browser.open(`${browser.url()}#exercise=${id}&language=${language}`, options)
  await waitForExercise(opened.page)
  return opened
}
const waitForExercise = page => page.waitForSelector('.exercises[data-shown] .cm-content')

/** Replaces the code in the editor, as a reader does. */
async function write(page, code) {
  await page.click('.cm-content')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(code)
}

/** Checks the code, and waits for what comes of it. */
async function check(page, code) {
  await write(page, code)
  await page.click('.exercise-check')
  await page.waitForSelector('.exercise-check:not(:disabled)')
  return page.locator('.exercise-result')
}

const readCode = page => page.$$eval('.cm-line', lines => lines.map(line => line.textContent).join('\n'))

test('a typical mistake is distinguished from another wrong answer; a right one passes and leads on', async () => {
  const { page, complaints, close } = await openExercise('softmax')
  const result = await check(page, 'function softmax(x) {\n  return x.exp().sub(1)\n}')
  assert.match(await result.textContent(), /Not yet\..*In the case “your sentence”: First difference at \[0, 0, 0\]: yours/)
  assert.equal(await result.locator('.exercise-mistake').count(), 0)
  await check(page, 'function softmax(x) {\n  const e = x.exp()\n  return e.div(e.sum(-1, { keepdim: true }))\n}')
  assert.match(await result.locator('.exercise-mistake').textContent(), /Subtract the maximum of each row first/)
  assert.deepEqual(await result.locator('li').allTextContents(),
    ['✓ your sentence', '✓ random numbers', '✓ size 1', '✗ large numbers'])
  await check(page, 'function softmax(x) {\n  return x.sum(-1)\n}')
  assert.match(await result.textContent(), /Expected the shape \[4, 7, 7\], got \[4, 7\]\./)
  await check(page, 'function softmax(x) {\n  return x.softmax(-1)\n}')
  assert.match(await result.locator('.exercise-mistake').textContent(), /calls softmax, so the engine is compared with itself/)
  await write(page, all.softmax.solution)
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.waitForSelector('.exercise-result:not(:has(.exercise-mistake)) .exercise-verdict.is-right')
  assert.match(await result.textContent(), /^Right\. 4 cases agree with the engine \(tolerance 0\.00001\)/)
  assert.ok(await page.isVisible('.exercise-solution'))
  assert.equal(await page.locator('.exercise-list .is-passed').count(), 1)
  await page.click('.exercise-next')
  await page.waitForSelector('.exercises[data-shown="attention"]')
  assert.equal((await readAddress(page)).exercise, 'attention')
  assert.deepEqual(complaints, [])
  await close()
})

test('errors have the reader\'s line; prints are shown; a missing return is said', async () => {
  const { page, complaints, close } = await openExercise('dot')
  const result = await check(page, "function dot(a, b) {\n  console.log('shape', a.shape, 2)\n  return missing(a, b)\n}")
  assert.match(await result.textContent(), /Line 3\. ReferenceError: missing is not defined/)
  assert.deepEqual(await result.locator('.exercise-printed, .exercise-print').allTextContents(), [
    'your sentence', 'shape [8] 2', 'random numbers', 'shape [7] 2', 'size 1', 'shape [1] 2', 'large numbers', 'shape [3] 2'])
  assert.equal(await page.locator('.cm-error-line').textContent(), '  return missing(a, b)')
  await check(page, 'function dot(a, b) {\n  return a.mul(b).sum(\n}')
  assert.match(await result.textContent(), /Line 3\. SyntaxError/)
  await check(page, 'function dot(a, b) {\n  a.mul(b).sum()\n}')
  assert.match(await result.textContent(), /dot returns nothing/)
  await check(page, 'function dott(a, b) {\n  return a.mul(b).sum()\n}')
  assert.match(await result.textContent(), /There is no function named dot\./)
  await check(page, "function dot(a, b) {\n  return fetch('https://example.com')\n}")
  assert.match(await result.textContent(), /Line 2\. (ReferenceError|TypeError): fetch is not/)
  assert.deepEqual(complaints, [])
  await close()
})

test('an error is explained in the reader\'s language, before its message', async () => {
  const { page, complaints, close } = await openExercise('dot', { language: 'ko' })
  const { errors } = await loadExerciseList('ko')
  const lines = [
    ['return a.mul(b', errors.SyntaxError, /^3번째 줄\. SyntaxError: /], ['return missing', errors.ReferenceError, /missing is not defined$/],
    ['return a.shape.last.x', errors.TypeError, /2번째 줄\. TypeError: /], ['return dot(a, b)', errors.RangeError, /RangeError: Maximum call stack/],
    ['return a.add(gf.ones([9, 9, 9]).reshape([3]))', errors.library.shape.replace('{name}', 'reshape'), /GlassformerError: reshape: /],
    ['return a + b', errors.library.operator, /GlassformerError: a .* cannot be used with/],
    ['return a.sofmax(0)', errors.function.replace('{name}', 'sofmax'), /: a tensor has no sofmax; did you mean softmax\?$/],
    ['return Math.sofmax(0)', errors.function.replace('{name}', 'Math.sofmax'), /Math\.sofmax is not a function$/],
    ["throw new Error('mine')", '', /Error: mine$/]
  ]
  for (const [line, meaning, message] of lines) {
    const result = await check(page, `function dot(a, b) {\n  ${line}\n}`)
    assert.equal((await result.locator('.exercise-meaning').allTextContents()).join(''), meaning, line)
    assert.match(await result.locator('.exercise-difference').textContent(), message)
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('a loop that never ends can be stopped; code and progress survive a reload; reset can be undone', async () => {
  const { page, complaints, close } = await openExercise('dot')
  await write(page, 'function dot(a, b) {\n  for (;;) {}\n}')
  await page.click('.exercise-check')
  await page.click('button:text-is("Stop")')
  await page.waitForSelector('.exercise-result:has-text("Stopped.")')
  const result = await check(page, all.dot.solution)
  assert.match(await result.textContent(), /^Right/)
  await write(page, '// mine\nfunction dot(a, b) {\n  return 1\n}')
  await page.reload()
  await waitForExercise(page)
  assert.match(await readCode(page), /^\/\/ mine\n/)
  assert.match(await page.textContent('.exercise-list'), new RegExp(`1 of ${EXERCISES.length}`))
  await page.click('button:text-is("Back to the starter")')
  assert.equal(await readCode(page), all.dot.starter)
  await page.click('button:text-is("Undo")')
  assert.match(await readCode(page), /^\/\/ mine\n/)
  assert.deepEqual(complaints, [])
  await close()
})

test('leaving an exercise during a check stops it; the next check is answered', async () => {
  const { page, complaints, close } = await openExercise('dot')
  await write(page, 'function dot(a, b) {\n  for (;;) {}\n}')
  await page.click('.exercise-check')
  await page.click(`.exercise-list a:has-text("${english.list.mask}")`)
  await page.waitForSelector('.exercises[data-shown="mask"]')
  assert.match(await (await check(page, all.mask.solution)).textContent(), /^Right/)
  await page.click('[data-language="ko"]')
  await page.waitForSelector('html[lang="ko"] .exercise h1:has-text("인과 마스크")')
  assert.equal(await readCode(page), all.mask.solution)
  assert.deepEqual(complaints, [])
  await close()
})

test('on the single-file page exercises can be read, with a note that they do not run', async () => {
  const file = fileURLToPath(new URL('../../dist/glassformer.html', import.meta.url))
  const { page, complaints, close } = await browser.open(`file://${file}#exercise=softmax&language=en`)
  await waitForExercise(page)
  assert.match(await page.textContent('.exercise-result'), /read but not run/)
  assert.ok(await page.isDisabled('.exercise-check'))
  assert.equal(await page.$eval('.exercise', element => getComputedStyle(element).display), 'grid')
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a loop that never ends is stopped after ten seconds', async () => {
  const { page, close } = await openExercise('dot')
  const result = await check(page, 'function dot(a, b) {\n  for (;;) {}\n}')
  assert.match(await result.textContent(), /Stopped after 10 seconds/)
  await close()
})

test('hints come one by one; the solution opens after all of them and three failed checks', async () => {
  const { page, close } = await openExercise('mask')
  const { hints } = await loadExerciseTexts('en', 'mask')
  assert.equal(await page.isVisible('.exercise-torch .code'), false, 'PyTorch gives nothing away')
  await page.click(`.exercise-torch summary:text-is("${english.torch}")`)
  assert.match(await page.textContent('.exercise-torch .code:visible'), /def causal_mask/)
  for (const [i] of hints.entries()) {
    await page.click(`button:text-is("Hint ${i + 1} of ${hints.length}")`)
    assert.equal(await page.locator('.exercise-hints li').count(), i + 1)
  }
  for (let tries = 0; tries < 3; tries++) {
    assert.equal(await page.isVisible('.exercise-solution'), false)
    await check(page, `function causalMask(scores) {\n  return ${tries}\n}`)
  }
  assert.ok(await page.isVisible('.exercise-solution'))
  await close()
})

test('keys that the editor needs do nothing else', async () => {
  const { page, close } = await openExercise('norm')
  await page.click('.cm-content')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('p P')
  assert.equal(await readCode(page), 'p P')
  for (const key of ['PageDown', 'ArrowRight', 'ControlOrMeta+z']) await page.keyboard.press(key)
  assert.equal(await page.evaluate(() => document.documentElement.hasAttribute('data-present')), false)
  assert.equal((await readAddress(page)).exercise, 'norm')
  await close()
})

test('later exercises call the functions that the reader wrote before', async () => {
  const { page, close } = await openExercise('softmax')
  await check(page, all.softmax.solution.replace('return', "print('mine')\n  return"))
  await page.click('.exercise-next')
  await page.waitForSelector('.exercises[data-shown="attention"]')
  const result = await check(page, all.attention.solution)
  assert.match(await result.textContent(), /^Right/)
  assert.equal(await result.locator('.exercise-print').first().textContent(), 'mine')
  await close()
})

test('every solution passes in the page, with the values of its run', async () => {
  const { page, complaints, close } = await openExercise('list')
  assert.equal(await page.getAttribute('.exercises', 'data-shown'), EXERCISES[0].id)
  assert.equal((await readAddress(page)).exercise, EXERCISES[0].id)
  for (const { id } of EXERCISES) {
    await page.click(`.exercise-list a:has-text("${english.list[id]}")`)
    await page.waitForSelector(`.exercises[data-shown="${id}"]`)
    const result = await check(page, all[id].solution)
    assert.match(await result.textContent(), /^Right/, id)
    const { values, model = 'dates' } = all[id]
    if (values) assert.equal((await result.textContent()).includes('✓ your sentence'), model === 'dates', id)
  }
  assert.equal(await page.locator('.exercise-list .is-passed').count(), EXERCISES.length)
  assert.deepEqual(complaints, [])
  await close()
})

test('exercises on the induction model use the values of its run', async () => {
  const { page, complaints, close } = await browser.open(`${browser.url()}#exercise=attribution&language=en&model=induction`)
  for (const id of ['attribution', 'induction']) {
    await page.click(`.exercise-list a:has-text("${english.list[id]}")`)
    await page.waitForSelector(`.exercises[data-shown="${id}"] .cm-content`)
    assert.match(await (await check(page, all[id].solution)).textContent(), /^Right.*✓ your sentence/, id)
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('lessons on looking inside end with a link to their exercise', async () => {
  const { page, complaints, close } = await browser.open(`${browser.url()}#language=en`)
  const ends = [['attribution', 5, 'attribution'], ['induction', 6, 'induction'], ['patching', 5, 'patching'], ['grokking', 7, 'waves']]
  for (const [lesson, step, id] of ends) {
    await page.goto(`${browser.url()}#lesson=${lesson}&step=${step}&language=en`)
    const link = `.lesson a[href*="exercise=${id}"]:text-is("Write it yourself")`
    await page.click(link)
    await page.waitForSelector(`.exercises[data-shown="${id}"] .cm-content`)
    await page.goBack()
    await page.waitForSelector(`${link}:visible`)
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('every mistake is recognized in the page', async () => {
  const { page, complaints, close } = await openExercise('list')
  for (const [id, exercise] of partUnlessLong(Object.entries(all), 1, 3)) {
    const { mistakes } = await loadExerciseTexts('en', id)
    await page.click(`.exercise-list a:has-text("${english.list[id]}")`)
    await page.waitForSelector(`.exercises[data-shown="${id}"]`)
    for (const name of Object.keys(exercise.mistakes)) {
      const result = await check(page, mistakeCode(exercise, name))
      assert.equal((await result.locator('.exercise-mistake').textContent()).replaceAll('\u2060', ''),
        mistakes[name].replaceAll('`', ''), `${id}: ${name}`)
    }
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('Tab leaves the editor; the page comes back from the training page and from the start', async () => {
  const { page, complaints, close } = await openExercise('dot')
  await page.click('.cm-content')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.className), 'nb-run exercise-check')
  await page.click('[data-action="theatre"]')
  await page.waitForSelector('.theatre h1')
  assert.equal(await page.isVisible('.exercise'), false)
  await page.goBack()
  await waitForExercise(page)
  await page.click('.brand')
  await page.waitForSelector('.opening')
  assert.equal(await page.isVisible('.exercises'), false)
  await page.click('.door[href$="exercise=list"], .door[href*="exercise=list&"]')
  await waitForExercise(page)
  assert.deepEqual(complaints, [])
  await close()
})

const LOOKS = [
  ['a phone, dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true }, 'ko'],
  ['wide, light', { viewport: { width: 1280, height: 720 } }, 'en'],
  ['wide, dark', { viewport: { width: 1280, height: 720 }, colorScheme: 'dark' }, 'ko'],
  ['a phone, light', { viewport: { width: 390, height: 844 }, hasTouch: true }, 'en']
]
for (const [i, [name, options, language]] of LOOKS.entries()) {
  test(`nothing is wider than the page or unreachable: ${name}`, async () => {
    const { page, close } = await openExercise('list', { ...options, language })
    for (const { id } of partUnlessLong(EXERCISES, i, 4)) {
      await page.evaluate(exercise => { location.hash = location.hash.replace(/exercise=\w+/, `exercise=${exercise}`) }, id)
      await page.waitForSelector(`.exercises[data-shown="${id}"] .cm-content`)
      await page.click('.exercise-torch summary')
      await page.click('.exercise-check')
      await page.waitForSelector('.exercise-cases, .exercise-difference')
      assert.equal(await measureOverflow(page), 0, id)
      assert.deepEqual(await findViolations(page), [], id)
    }
    await close()
  })
}

test('every language has the texts of every exercise', async () => {
  for (const language of Object.keys(LANGUAGES)) {
    const { list } = await loadExerciseList(language)
    for (const { id } of EXERCISES) assert.ok(list[id], `${language}: ${id}`)
  }
})
