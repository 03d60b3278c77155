// The lesson player in the page: ways in and out, answers, pointed places.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { loadLesson } from '../../web/lessons/load.js'
import { isLong, longTest } from '../lib/long.js'
import { readAddress, runInNode, useBrowser } from './host.js'
import { openLessonWith, giveAnswer, isPointed, rightAt, stateOf, waitForStep } from './play_lesson.js'

const { open: openPage } = useBrowser(), open = openLessonWith(openPage)

/** The numbers with decimals in the words of a step, and those in the part of the room that is in the window. */
const readNumbers = page => page.evaluate(async () => {
  await new Promise(resolve => { setTimeout(resolve, 600) })
  const pattern = /\d+\.\d+/g, words = document.querySelector('.lesson').innerText.match(pattern) ?? []
  const visible = [...document.querySelectorAll('.stage :is(p, button)')].filter(element => {
    const { top, bottom } = element.getBoundingClientRect()
    return element.checkVisibility() && top < innerHeight && bottom > 0
  })
  return { words, room: visible.flatMap(element => element.innerText.match(pattern) ?? []) }
})

test('a number that a step names is in its picture, before and after the answer', async () => {
  for (const [id, numbers] of [['mask', [4]], ['order', [2, 3, 4, 5]]]) {
    const lesson = { id, ...await loadLesson(id) }
    const { page, complaints, close } = await open(id, 'en', { viewport: { width: 1280, height: 720 } })
    for (const number of numbers) {
      const step = lesson.steps[number - 1], name = `${id} ${number}`
      await page.evaluate(link => { location.hash = link }, `lesson=${id}&step=${number}&language=en`)
      await waitForStep(page, step.id)
      const before = await readNumbers(page)
      assert.ok(before.words.length > 0, name)
      assert.deepEqual(before.words.filter(word => !before.room.includes(word)), [], name)
      if (!step.question) continue
      const question = await rightAt(page, lesson, step, 'en')
      await giveAnswer(page, question.right, question)
      await waitForStep(page, step.id)
      const after = await readNumbers(page), known = [...before.words, ...after.room]
      assert.deepEqual(after.words.filter(word => !known.includes(word)), [], `${name}, answered`)
      assert.ok(after.words.some(word => !before.words.includes(word)), `${name}: the answer names another number`)
    }
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('the titles of a lesson and the next one are never truncated', async () => {
  for (const [id, language] of [['attention', 'ko'], ['mask', 'en'], ['order', 'en']]) {
    const lesson = await loadLesson(id)
    const { page, close } = await open({ lesson: id, at: lesson.steps.length - 1 }, language)
    await waitForStep(page, lesson.steps.at(-1).id)
    for (const width of [1920, 1440, 1280, 1024, 820, 360]) {
      await page.setViewportSize({ width, height: 800 })
      // An ellipsis may stand where less than a pixel is missing, so the text is measured and not its box.
      const cut = await page.$$eval('.lesson-name, .lesson-next', list => list.filter(item => {
        const range = document.createRange()
        range.selectNodeContents(item)
        return range.getBoundingClientRect().width > item.getBoundingClientRect().width
      }).map(item => item.textContent))
      assert.deepEqual(cut, [], `${id}, ${language}, ${width}`)
    }
    await close()
  }
})

test('leaving and returning, a reload, Back, Escape and another language keep the step', async () => {
  const { page, complaints, close } = await open('gap', 'ko')
  await waitForStep(page, 'gap')
  await page.keyboard.press('ArrowRight')
  await waitForStep(page, 'look')
  await page.keyboard.press('ArrowRight')
  await waitForStep(page, 'rows')
  assert.equal(await page.isVisible('.lesson-home'), false)
  await page.evaluate(() => document.querySelector('.map li[data-room="output"] a').click())
  await page.waitForSelector('.lesson-bar.is-away')
  await page.click('.lesson-home')
  await waitForStep(page, 'rows')
  assert.equal(await page.getAttribute('#house', 'data-room'), 'text.sum')
  await readAddress(page)
  await page.reload()
  await waitForStep(page, 'rows')
  await page.goBack()
  await page.waitForSelector('.lesson-bar.is-away')
  await page.goForward()
  await waitForStep(page, 'rows')
  await page.click('[data-language="en"]')
  await page.waitForSelector('.lesson-bar[data-language="en"][data-step="rows"]')
  assert.match(await page.inputValue('[data-field="gapped"]'), /the keys/)
  await page.keyboard.press('Escape')
  await waitForStep(page, 'rows')
  await page.click('.lesson-leave')
  await page.waitForSelector('.opening')
  assert.equal(await page.isVisible('.lesson'), false, 'a link to a lesson leaves for the opening')
  await page.evaluate(() => { location.hash = 'v=1&model=dates&room=encoder.0.self_attn.scores&language=en' })
  await page.waitForSelector('#house[data-room="encoder.0.self_attn.scores"]')
  await page.evaluate(() => { location.hash = 'lesson=gap&step=3&language=en' })
  await waitForStep(page, 'rows')
  await page.click('.lesson-leave')
  await page.waitForSelector('.lesson-left')
  await page.waitForSelector('#house[data-room="encoder.0.self_attn.scores"]')
  assert.ok(await page.isVisible('.stage .ways'))
  assert.match(await page.textContent('.lesson-left'), /A gap.*3 of 12/)
  await page.click('.lesson-left .quiet')
  await waitForStep(page, 'rows')
  await page.click('.lesson-leave')
  await page.click('.lesson-left .quiet:last-child')
  await page.waitForSelector('.lesson', { state: 'hidden' })
  assert.deepEqual(complaints, [])
  await close()
})

test('every step is in a list, has a short address, and can be returned to', async () => {
  const { page, complaints, close } = await open('mask', 'en')
  await waitForStep(page, 'minus')
  await page.click('.lesson-menu .menu-opener')
  await page.click('.lesson-menu ol:first-of-type li:nth-child(3) button')
  const { steps } = await loadLesson('mask')
  await waitForStep(page, steps[2].id)
  await readAddress(page)
  assert.equal(new URL(page.url()).hash, '#lesson=mask&step=3&language=en')
  await page.goto(`${page.url().split('#')[0]}#lesson=query&step=2&language=en`)
  await waitForStep(page, 'weights')
  await page.click('.lesson-menu .menu-opener')
  assert.deepEqual(await page.$$eval('.lesson-menu [aria-current]', list => list.map(({ textContent }) => textContent)),
    ['From scores to weights', 'Attention with two numbers'])
  assert.deepEqual(complaints, [])
  await close()
})

test('answers are kept, saved as a file, and counted for a class', async () => {
  const { page, complaints, close } = await open('query', 'en')
  await waitForStep(page, 'ask')
  await page.goto(`${page.url().split('#')[0]}#lesson=query&step=5&language=en`)
  await waitForStep(page, 'half')
  await page.click('[data-option="sum"]')
  await page.waitForSelector('.lesson-said.is-hint:not(:empty)')
  await page.click('[data-option="middle"]')
  await page.waitForSelector('.lesson-option.is-right')
  await page.click('.lesson-next')
  await waitForStep(page, 'matrix')
  assert.ok(await page.isVisible('.lesson-save'), 'before the last step is solved')
  page.once('dialog', dialog => dialog.dismiss())
  await page.click('.lesson-save')
  assert.equal(await page.textContent('.lesson-saved'), '', 'canceled')
  await page.click('.lesson-back')
  await waitForStep(page, 'half')
  assert.equal(await page.isVisible('.lesson-save'), false)
  await page.click('.lesson-next')
  await waitForStep(page, 'matrix')
  /** Hands in with a name. */
  const handIn = async name => {
    page.once('dialog', dialog => dialog.accept(name))
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('.lesson-save')])
    return { file: download.suggestedFilename(), path: await download.path() }
  }
  const [ana, ben] = [await handIn('Ana'), await handIn('')]
  assert.equal(await page.textContent('.lesson-saved:visible'), 'Saved. Send the downloaded file to your teacher.')
  assert.deepEqual([ana.file, ben.file], ['glassformer-answers-Ana.json', 'glassformer-answers.json'])
  const broken = { name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{') }
  const buffers = await Promise.all([ana, ben, ana].map(async ({ file, path }) => (
    { name: file, mimeType: 'application/json', buffer: await readFile(path) })))
  await page.click('.brand')
  await page.click('.opening-foot button:nth-of-type(2)')
  await page.setInputFiles('.teaching input[type="file"]', [broken, ...buffers])
  await page.waitForSelector('.teaching tbody tr')
  const rows = await page.$$eval('.teaching tbody tr', list => list.map(row => [...row.children].map(cell => cell.textContent)))
  assert.deepEqual(rows, [['Ana', '1', '0', '1', '0'], ['–', '1', '0', '1', '0'], [
    'Attention with two numbers: Where is the result if two tokens get 0.5 each?', '2', '0', '2', 'at the sum of their values × 2']])
  assert.match(await page.textContent('.teaching-result .note'), /broken\.json/)
  assert.deepEqual(complaints, [])
  await close()
})

test('a lesson is done once its last step is reached with every question answered, and stays so', async () => {
  const { page, complaints, close } = await open('heads', 'en')
  const { steps } = await loadLesson('heads')
  const isMarked = () => page.$eval('.opening a[href*="lesson=heads"]', link => link.classList.contains('is-done'))
  const leave = async () => {
    await page.click('.lesson-leave')
    await page.waitForSelector('.opening')
  }
  for (const { id } of steps.slice(0, -1)) {
    await waitForStep(page, id)
    await page.click('.lesson-next')
  }
  await waitForStep(page, 'mix')
  await page.click('[data-option="all"]')
  assert.equal(await page.textContent('.lesson-open:visible'), 'Steps not solved yet: step 1 step 2')
  await leave()
  assert.equal(await isMarked(), false, 'Next alone finishes nothing')
  await page.goto(`${page.url().split('#')[0]}#lesson=heads&language=en`)
  await waitForStep(page, 'different')
  const { right } = await rightAt(page, await loadLesson('heads'), steps[0], 'en')
  await page.click(`[data-option="${right}"]`)
  await page.click('.lesson-next')
  await waitForStep(page, 'size')
  await page.fill('.lesson-options input', '8')
  await page.click('.lesson-options [type="submit"]')
  await page.waitForSelector('.lesson-options input.is-right')
  // Answers from before a reload count.
  await page.goto(`${page.url().split('#')[0]}#lesson=heads&step=3&language=en`)
  await page.reload()
  await waitForStep(page, 'mix')
  await page.click('[data-option="all"]')
  await page.waitForSelector('.lesson-option.is-right')
  assert.equal(await page.isVisible('.lesson-open'), false)
  await leave()
  assert.equal(await isMarked(), true)
  await page.click('.opening a[href*="lesson=heads"]')
  await waitForStep(page, 'different')
  await leave()
  assert.equal(await isMarked(), true, 'a lesson that is opened again stays done')
  assert.deepEqual(complaints, [])
  await close()
})

test('a wrong option has the color of wrong and a cross, the right one the color of right and a check mark', async () => {
  const { page, close } = await open({ lesson: 'query', at: 4 }, 'en')
  await waitForStep(page, 'half')
  /** @param {string} id */
  const look = id => page.$eval(`[data-option="${id}"]`, option => {
    const probe = document.body.appendChild(document.createElement('i')), { color } = getComputedStyle(option)
    const name = ['wrong', 'accent'].find(token => {
      probe.style.color = `var(--${token})`
      return getComputedStyle(probe).color === color
    })
    probe.remove()
    return [name, getComputedStyle(option, '::before').content]
  })
  const measureWidths = () => page.$$eval('.lesson-option', options => options.map(option => option.offsetWidth))
  const widths = await measureWidths()
  // The pointer stays on the option that was pressed.
  await page.click('[data-option="sum"]')
  await page.waitForSelector('[data-option="sum"].is-wrong')
  assert.deepEqual(await look('sum'), ['wrong', '"✗"'])
  assert.deepEqual(await measureWidths(), widths, 'no option moves away from the pointer')
  await page.click('[data-option="middle"]')
  await page.waitForSelector('[data-option="middle"].is-right')
  assert.deepEqual([await look('sum'), await look('middle')], [['wrong', '"✗"'], ['accent', '"✓"']])
  await close()
})

test('the last step shows one figure, and whoever has finished leaves for the start', async () => {
  const { page, complaints, close } = await open('vectors', 'en')
  await waitForStep(page, 'arrow')
  assert.equal(await page.isVisible('.lesson-model'), false)
  await page.goto(`${page.url().split('#')[0]}#lesson=learning&step=5&language=en`)
  await waitForStep(page, 'model')
  assert.equal(await page.textContent('.lesson-model'), 'The model here: dates in short form')
  await page.waitForSelector('.lesson-end:not([hidden])')
  for (const hidden of ['.tools', '.scrubber', '.figure']) {
    assert.deepEqual(await page.$$eval(`.stage ${hidden}`, list => list.map(item => item.checkVisibility())), [false], hidden)
  }
  await page.click('.lesson-leave')
  await page.waitForSelector('.opening')
  assert.equal(await page.isVisible('.lesson'), false)
  assert.deepEqual(complaints, [])
  await close()
})

test('the answer has its settings in steps that are about them, else when they are asked for', async () => {
  const { page, close } = await open({ lesson: 'attention', at: 7 }, 'en')
  await waitForStep(page, 'other')
  assert.deepEqual(await Promise.all(['.picks', '.tools', '.house-why'].map(part => page.isVisible(`.stage ${part}`))), [true, false, false])
  await page.click('.lesson-panels')
  assert.ok(await page.isVisible('.stage .tools'))
  await page.evaluate(() => { location.hash = 'lesson=sampling&step=7&language=en' })
  await waitForStep(page, 'yours')
  assert.ok(await page.isVisible('.stage .tools'))
  await close()
})

test('input that is no number is reported, and is not a wrong answer', async () => {
  const { page, complaints, close } = await open('mask', 'en')
  await waitForStep(page, 'minus')
  await page.click('.lesson-next')
  await waitForStep(page, 'first')
  const input = '.lesson-options input', readFeedback = () => page.textContent('.lesson-said')
  for (const [text, expected] of [['one half', /“one half” is not a number/], ['', /Write a number first/]]) {
    await page.fill(input, text)
    await page.press(input, 'Enter')
    assert.match(await readFeedback(), expected)
    assert.equal(await page.inputValue(input), text, 'what was typed stays')
    assert.equal(await page.isVisible('.lesson-reveal'), false)
  }
  await page.fill(input, '1')
  await page.press(input, 'Enter')
  await page.waitForSelector('.lesson-said:not(.is-hint):not(:empty)')
  assert.deepEqual(complaints, [])
  await close()
})

test('a task that has just been reached counts for who goes on at once', async () => {
  const { page, complaints, close } = await open({ lesson: 'vectors', at: 0 }, 'en')
  await waitForStep(page, 'arrow')
  await page.waitForSelector('.plane-handle')
  await page.evaluate(() => {
    document.querySelector('.lesson-reveal').click()
    document.querySelector('.lesson-next').click()
  })
  await waitForStep(page, 'dot')
  await page.click('.lesson-back')
  await waitForStep(page, 'arrow')
  await page.waitForSelector('.is-task.is-done .lesson-said:not(:empty)')
  assert.deepEqual(complaints, [])
  await close()
})

test('a number that is nearly right gets a reason of its own', async () => {
  const { page, complaints, close } = await open({ lesson: 'attention', at: 5 }, 'en')
  await waitForStep(page, 'scale')
  const lesson = await loadLesson('attention'), step = lesson.steps[5], state = await stateOf(page), run = runInNode(state)
  const right = step.question.answer(run, { state }), [multiplied] = step.question.mistakes(run, { state })
  run.dispose()
  const input = '.lesson-options input'
  for (const [number, expected] of [[-right, /other sign/], [right + 0.2, /close, but too large/], [multiplied.value, /Divide instead/], [1234, /Not 1234/]]) {
    await page.fill(input, number.toFixed(2))
    await page.press(input, 'Enter')
    await page.waitForFunction(pattern => new RegExp(pattern).test(document.querySelector('.lesson-said').textContent), expected.source)
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('where matrices are large, all but the factors of one number are dimmed', async () => {
  /** How many of 100 places of a matrix are dimmed. */
  const countDimmed = page => page.evaluate(() => {
    const canvas = document.querySelector('.stage .heat .heat-marks'), { width, height } = canvas
    const ctx = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
    ctx.drawImage(canvas, 0, 0)
    const isDimmed = i => (
      ctx.getImageData((i % 10 + 0.5) / 10 * width, (Math.floor(i / 10) + 0.5) / 10 * height, 1, 1).data[3] > 100)
    return Array.from({ length: 100 }, (_, i) => isDimmed(i)).filter(Boolean).length
  })
  const { page, complaints, close } = await open({ lesson: 'attention', at: 2 }, 'en', { viewport: { width: 1280, height: 720 } })
  for (const [id, range] of [['query', [80, 95]], ['key', [70, 95]], ['score', [0, 20]]]) {
    await waitForStep(page, id)
    await isPointed(page)
    await page.waitForTimeout(1000)
    const dimmed = await countDimmed(page)
    assert.ok(dimmed >= range[0] && dimmed <= range[1], `${id}: ${dimmed}`)
    await page.hover('.stage .heat .heat-marks', { force: true })
    await page.waitForTimeout(300)
    await page.hover('.lesson-text')
    await page.waitForTimeout(1000)
    assert.equal(await countDimmed(page), dimmed, `${id}, after another cell was pointed at`)
    await page.click('.lesson-next')
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('the way that led to an earlier cell does not stand above the cell of a step', async () => {
  const { page, complaints, close } = await open({ lesson: 'loss', at: 4 }, 'en', { viewport: { width: 1440, height: 900 } })
  await waitForStep(page, 'nudge')
  await page.click('.inspector .terms .cell-link')
  await page.waitForSelector('.trail .cell-link')
  await page.click('.lesson-back')
  await waitForStep(page, 'chain')
  await page.click('.lesson-next')
  await waitForStep(page, 'nudge')
  await page.waitForSelector('.inspector .terms')
  await page.waitForFunction(() => !document.querySelector('.trail'))
  assert.deepEqual(complaints, [])
  await close()
})

longTest('the inspector explains a number of the pointed row', async () => {
  const lesson = await loadLesson('gap')
  const { page, complaints, close } = await open({ lesson: 'gap', at: 2 }, 'ko')
  for (const step of lesson.steps.slice(2, isLong ? 9 : 5)) {
    await waitForStep(page, step.id)
    await isPointed(page)
    const state = await stateOf(page), run = runInNode(state)
    const { tensor, index } = step.target(run, { state })
    const address = new RegExp(`^${tensor}\\[${index.map(place => place ?? '\\d+').join(', ')}\\]$`)
    run.dispose()
    assert.match(await page.textContent('.inspector .cell-name'), address, step.id)
    await page.click('.lesson-next')
  }
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a lesson works without storage', async () => {
  const before = () => Object.defineProperty(globalThis, 'localStorage', { get() {
    throw new DOMException('denied', 'SecurityError')
  } })
  const { page, complaints, close } = await open('gap', 'en', { before })
  await waitForStep(page, 'gap')
  await page.click('.lesson-next')
  await waitForStep(page, 'look')
  assert.deepEqual(complaints, [])
  await close()
})

longTest('giving up reveals the answer in its state', async () => {
  const { page, complaints, close } = await open('break', 'ko')
  await waitForStep(page, 'whole')
  await page.click('.lesson-next')
  await waitForStep(page, 'one')
  const { right, options } = await rightAt(page, await loadLesson('break'),
    (await loadLesson('break')).steps[1], 'ko')
  await page.click(`[data-option="${options.find(id => id !== right)}"]`)
  await page.waitForSelector('.lesson-said.is-hint:not(:empty)')
  await page.click('.lesson-reveal')
  await page.waitForSelector('.lesson-option.is-right')
  assert.equal(await page.getAttribute('.lesson-option.is-right', 'data-option'), right)
  assert.equal(await page.getAttribute('#house', 'data-room'), 'decoding')
  assert.deepEqual(complaints, [])
  await close()
})
