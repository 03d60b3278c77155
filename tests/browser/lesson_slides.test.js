// Lessons on slides: what is visible in every step, a remote, arrows, matrices as large as there is room.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LESSONS, findLesson } from '../../web/lessons/index.js'
import { loadLesson } from '../../web/lessons/load.js'
import { isLong } from '../lib/long.js'
import { useBrowser } from './host.js'
import { openLessonWith, isPointed, rightAt, waitForStep } from './play_lesson.js'

const open = openLessonWith(useBrowser().open)

for (const { id } of isLong ? LESSONS : [findLesson('mask')]) {
  test(`${id} on slides: the words, the way on and what is pointed at are visible in every step`, async () => {
    const { page, complaints, close } = await open(id, 'en', { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' })
    const { steps } = await loadLesson(id)
    await waitForStep(page, steps[0].id)
    await page.keyboard.press('p')
    for (const [at, step] of steps.entries()) {
      await waitForStep(page, step.id)
      if (step.target) await isPointed(page)
      const hidden = await page.$$eval('.lesson h1, .lesson-text, .lesson-ask, .lesson-next', list => list.filter(element => {
        const { top, bottom } = element.getBoundingClientRect()
        return element.checkVisibility() && (top < 0 || bottom > innerHeight)
      }).map(element => element.className || element.localName))
      assert.deepEqual(hidden, [], step.id)
      if (at < steps.length - 1) await page.click('.lesson-next')
    }
    assert.deepEqual(complaints, [])
    await close()
  })
}

test('beside a matrix the panel begins with its number, whichever cell was scrolled through before', async () => {
  const { page, complaints, close } = await open({ lesson: 'loss', at: 4 }, 'ko', { viewport: { width: 1024, height: 768 } })
  await waitForStep(page, 'nudge')
  await page.keyboard.press('p')
  const number = page.locator('.inspector .cell-value')
  await page.waitForFunction(() => /^−0\.00/.test(document.querySelector('.inspector .cell-value')?.textContent))
  const isInWindow = async () => {
    const { y, height } = await number.boundingBox(), { y: top } = await page.locator('.inspector').boundingBox()
    assert.ok(y >= top && y + height <= 768, `${y} in ${top} to 768`)
  }
  await isInWindow()
  await page.evaluate(() => { document.querySelector('.inspector').scrollTop = 400 })
  assert.ok(await page.evaluate(() => document.querySelector('.inspector').scrollTop > 100))
  await page.locator('.stage .heat').first().click({ position: { x: 40, y: 40 } })
  await page.waitForFunction(() => !/^−0\.00/.test(document.querySelector('.inspector .cell-value').textContent))
  await isInWindow()
  assert.deepEqual(complaints, [])
  await close()
})

test('the arrow back leads from the first step into the lesson before, of a plan too', async () => {
  const slide = { viewport: { width: 1024, height: 768 } }
  for (const [plan, before] of [[0, ['heads', 'mix']], [50, ['attention', 'yours']]]) {
    const { page, complaints, close } = await open({ lesson: 'mask', at: 0, plan }, 'en', slide)
    await waitForStep(page, 'minus')
    await page.keyboard.press('p')
    await page.keyboard.press('ArrowLeft')
    await waitForStep(page, before[1])
    assert.ok((await page.evaluate(() => location.hash)).includes(`lesson=${before[0]}`), before[0])
    await page.keyboard.press('ArrowRight')
    await waitForStep(page, 'minus')
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('on slides Escape closes the sum of a pressed cell and gives the arrows back', async () => {
  const { page, close } = await open({ lesson: 'attention', at: 2 }, 'en', { viewport: { width: 1280, height: 720 } })
  await waitForStep(page, 'query')
  await page.keyboard.press('p')
  await page.locator('.stage .heat').last().click({ position: { x: 40, y: 40 } })
  await page.waitForSelector('.inspector .terms')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowRight')
  await waitForStep(page, 'key')
  assert.ok(await page.evaluate(() => document.documentElement.hasAttribute('data-present')))
  await close()
})

test('a remote leaves any number field, and arrows one that is answered right', async () => {
  for (const [id, number, after] of [['attention', 6, 'mix'], ['tokens', 1, 'merge']]) {
    const lesson = { id, ...await loadLesson(id) }, step = lesson.steps[number - 1]
    const { page, complaints, close } = await open({ lesson: id, at: number - 1 }, 'ko', { viewport: { width: 1024, height: 768 } })
    await waitForStep(page, step.id)
    const { right } = await rightAt(page, lesson, step, 'ko')
    await page.keyboard.press('p')
    await page.focus('.lesson-options input')
    await page.keyboard.press('PageDown')
    await waitForStep(page, after)
    await page.keyboard.press('PageUp')
    await waitForStep(page, step.id)
    await page.keyboard.press('p')
    const enter = async answer => {
      await page.fill('.lesson-options input', String(answer))
      await page.keyboard.press('Enter')
    }
    await enter(right + 1)
    await page.waitForSelector('.lesson-said.is-hint:not(:empty)')
    await page.keyboard.press('ArrowRight')
    await enter(right)
    await page.waitForSelector('.lesson-said:not(.is-hint):not(:empty)')
    await page.keyboard.press('ArrowRight')
    await waitForStep(page, after)
    await page.keyboard.press('ArrowLeft')
    await waitForStep(page, step.id)
    await page.focus('.lesson-options input')
    await page.keyboard.press('Enter')
    await waitForStep(page, after)
    await page.keyboard.press('p')
    for (const [there, back] of [['ArrowRight', 'ArrowLeft'], ['PageDown', 'PageUp']]) {
      await page.keyboard.press(back)
      await waitForStep(page, step.id)
      await page.focus('.lesson-options input')
      await page.keyboard.press(there)
      await waitForStep(page, after)
    }
    assert.deepEqual(complaints, [])
    await close()
  }
})

/** The matrices of the room: how large a cell is, how sharp, and where it ends. */
const readMatrices = page => page.evaluate(async () => {
  const read = () => [...document.querySelectorAll('.stage .heat')].filter(grid => grid.checkVisibility()).map(grid => {
    const { width, top, bottom, right } = grid.getBoundingClientRect(), canvas = grid.querySelector('canvas')
    return { cell: width / Number(grid.getAttribute('aria-colcount')), sharpness: canvas.width / width, top, bottom, right }
  })
  for (let last = ''; last !== JSON.stringify(read());) {
    last = JSON.stringify(read())
    await new Promise(resolve => { setTimeout(resolve, 300) })
  }
  return read()
})

test('once the cell of a score is pressed, all its products are visible, beside the way on and the cell', async () => {
  for (const [width, height] of [[1024, 768], [1280, 720], [1920, 1080]]) for (const isSlide of [false, true]) {
    const { page, complaints, close } = await open({ lesson: 'attention', at: 4 }, 'en', { viewport: { width, height } })
    await waitForStep(page, 'score')
    if (isSlide) await page.keyboard.press('p')
    await isPointed(page)
    // A slide is fitted to the window once its figure has been drawn.
    await readMatrices(page)
    const { x, y, width: size } = await page.locator('.stage .pointer').boundingBox()
    await page.mouse.click(x + size / 2, y + size / 2)
    await page.waitForSelector('.inspector .terms')
    await readMatrices(page)
    const name = `${width} × ${height}, ${isSlide ? 'slide' : 'page'}`
    assert.equal(await page.locator('.inspector .terms li').count(), 8, name)
    const listCovered = () => page.$$eval('.inspector .terms li, .lesson-next, .stage .pointer', list => list.filter(element => {
      const { left, right, top, bottom } = element.getBoundingClientRect()
      const first = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
      return top < 0 || bottom > innerHeight || !(element.contains(first) || element.parentNode.contains(first))
    }).map(element => element.textContent))
    for (let tries = 0; tries < 10 && (await listCovered()).length; tries++) await page.waitForTimeout(200)
    assert.deepEqual(await listCovered(), [], name)
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('on slides, both matrices of the division stand side by side with their numbers, as large as there is room', async () => {
  for (const [width, height, minCell] of [[1024, 768, 34], [1280, 720, 44], [1920, 1080, 70]]) {
    const { page, complaints, close } = await open({ lesson: 'attention', at: 5 }, 'ko', { viewport: { width, height } })
    await waitForStep(page, 'scale')
    await page.fill('.lesson-options input', '5.4')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.house[data-room$=".scale"]')
    const before = await readMatrices(page)
    await page.keyboard.press('p')
    const matrices = await readMatrices(page), name = `${width} × ${height}`
    assert.equal(matrices.length, 2, name)
    assert.ok(Math.abs(matrices[0].top - matrices[1].top) < 1, name)
    for (const { cell, sharpness, bottom, right } of matrices) {
      assert.ok(cell >= minCell && bottom <= height && right <= width, `${name}: ${cell}, ${bottom}, ${right}`)
      assert.ok(Math.abs(sharpness - 1) < 0.02, `${name}: ${sharpness}`)
    }
    if (width > 1280) assert.ok(matrices[0].cell > before[0].cell, `${name}: ${matrices[0].cell}, ${before[0].cell} outside`)
    const { bottom } = await page.$eval('.lesson-next', element => element.getBoundingClientRect().toJSON())
    assert.ok(bottom <= height, name)
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('on slides, arrows lead on after a drag, and move what was reached with Tab', async () => {
  for (const [id, number, draggable] of [['query', 4, '.plane-handle'], ['softmax', 1, '.figure-slider input']]) {
    const { steps } = await loadLesson(id), [step, next] = steps.slice(number - 1)
    const { page, complaints, close } = await open({ lesson: id, at: number - 1 }, 'ko', { viewport: { width: 1024, height: 768 } })
    await waitForStep(page, step.id)
    await page.keyboard.press('p')
    const readValue = () => page.$eval(draggable, element => element.getAttribute('aria-valuetext') ?? element.value)
    const initial = await readValue(), { x, y, width, height } = await page.locator(draggable).first().boundingBox()
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width / 2 + 40, y + height / 2, { steps: 4 })
    await page.mouse.up()
    assert.notEqual(await readValue(), initial, id)
    await page.keyboard.press('ArrowRight')
    await waitForStep(page, next.id)
    await page.keyboard.press('ArrowLeft')
    await waitForStep(page, step.id)
    await page.focus(draggable)
    const before = await readValue()
    await page.keyboard.press('ArrowRight')
    assert.notEqual(await readValue(), before, id)
    await waitForStep(page, step.id)
    assert.deepEqual(complaints, [])
    await close()
  }
})
