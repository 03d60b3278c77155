// The small figures of the lessons: dragged, by keys and by touch, their sliders, bars and labels.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HANDS } from './hands.js'
import { useBrowser } from './host.js'
import { openLessonWith, waitForStep } from './play_lesson.js'

const open = openLessonWith(useBrowser().open)

/** The names of arrows that lie on an arrow or on another name. */
const findCovered = page => page.evaluate(() => {
  const arrows = [...document.querySelectorAll('.plane-arrow')].map(arrow => {
    const [line, text] = ['line', 'text'].map(name => arrow.querySelector(name))
    const [x1, y1, x2, y2] = ['x1', 'y1', 'x2', 'y2'].map(name => Number(line.getAttribute(name)))
    return { x1, y1, x2, y2, name: text.textContent, box: text.getBBox() }
  })
  const isIn = ({ x, y, width, height }, px, py) => px > x && px < x + width && py > y + 3 && py < y + height - 3
  const crosses = (box, { x1, y1, x2, y2 }) => Array.from({ length: 101 }, (_, i) => i / 100)
    .some(part => isIn(box, x1 + (x2 - x1) * part, y1 + (y2 - y1) * part))
  const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
  return arrows.flatMap(({ name, box }, i) => [...arrows.filter(arrow => crosses(box, arrow)),
    ...arrows.slice(i + 1).filter(other => meet(box, other.box))].map(other => `${name} on ${other.name}`))
})

test('the names of the arrows lie on nothing: row, key and query', async () => {
  for (const [language, width] of [['en', 1280], ['ko', 390]]) {
    const { page, close } = await open({ lesson: 'query', at: 5 }, language, { viewport: { width, height: 844 } })
    await page.waitForSelector('.plane-arrow')
    assert.deepEqual(await findCovered(page), [], `${language}, at first`)
    await page.locator('.lesson-figure input[type="range"]').nth(3).fill('1')
    assert.deepEqual(await findCovered(page), [], `${language}, the query on the row`)
    await page.click('.lesson-reveal')
    await page.waitForSelector('.is-task.is-done')
    assert.deepEqual(await findCovered(page), [], `${language}, the query on the key`)
    await close()
  }
})

test('the small figures: dragging and keys move a number, and reach the task', async () => {
  const { page, complaints, close } = await open('vectors', 'en', { viewport: { width: 1280, height: 720 } })
  await page.waitForSelector('.plane-handle')
  assert.deepEqual(await page.$$eval('.plane-ticks text', list => list.map(({ textContent }) => textContent)), ['−2', '2', '−2', '2'])
  const handle = await page.$('.plane-handle'), { x, y, width, height } = await handle.boundingBox()
  const plane = await (await page.$('.plane')).boundingBox(), unit = plane.width / 8
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(plane.x + plane.width / 2 + 2.8 * unit, plane.y + plane.height / 2 - 2 * unit)
  await page.mouse.up()
  assert.equal(await handle.getAttribute('aria-valuetext'), '(2.8, 2.0)')
  assert.equal(await page.$('.is-task.is-done'), null)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  assert.equal(await handle.getAttribute('aria-valuetext'), '(3.0, 2.0)')
  await page.waitForSelector('.is-task.is-done .lesson-said:not(:empty)')
  await waitForStep(page, 'arrow')
  assert.deepEqual(complaints, [])
  await close()
})

test('a bar of a negative number extends to the left, as far as a positive one to the right', async () => {
  const { page, close } = await open({ lesson: 'vectors', at: 3 }, 'en')
  await page.waitForSelector('.bars.is-signed')
  const readBars = () => page.$$eval('.bars.is-signed li', list => list.map(row => {
    const [bar, track] = ['.bar-fill', '.bar-track'].map(name => row.querySelector(name).getBoundingClientRect())
    const middle = track.left + track.width / 2, toShare = x => Number(((x - middle) / track.width * 32).toFixed(1))
    return [Number(row.querySelector('.bar-number').textContent.replace('−', '-')), toShare(bar.left), toShare(bar.right)]
  }))
  const isDrawn = ([value, left, right]) => left === Math.min(0, value) && right === Math.max(0, value)
  const before = await readBars()
  assert.ok(before.length === 3 && before.every(bar => bar[0] < 0 && isDrawn(bar)), JSON.stringify(before))
  await page.click('.lesson-reveal')
  await page.waitForSelector('.is-task.is-done')
  const after = await readBars()
  assert.ok(after[0][0] > 0 && after.every(isDrawn), JSON.stringify(after))
  await close()
})

test('a finger drags an arrow over the whole plane, and the figure stays where it is', async () => {
  const { page, complaints, close } = await open('vectors', 'en', HANDS.touch.options)
  const handle = await page.waitForSelector('.plane-handle')
  await handle.scrollIntoViewIfNeeded()
  const readTop = () => page.evaluate(() => document.querySelector('.lesson-figure').getBoundingClientRect().top)
  const before = await readTop()
  await HANDS.touch.moveHandle(page, handle, [-3, -2])
  await page.waitForFunction(item => item.ariaValueText === '(−3.0, −2.0)', handle)
  const moved = await readTop() - before
  assert.ok(Math.abs(moved) < 1, `the figure moved by ${moved} px`)
  assert.deepEqual(complaints, [])
  await close()
})

test('on a phone the end of a small figure is displayed whole, above the figure', async () => {
  const { page, complaints, close } = await open({ lesson: 'query', at: 5 }, 'en', { viewport: { width: 390, height: 844 } })
  await waitForStep(page, 'matrix')
  for (const [i, value] of [0, 1, 1, 0].entries()) {
    await page.locator('.lesson-figure input[type="range"]').nth(i).fill(String(value))
  }
  await page.waitForSelector('.lesson-end:not([hidden])')
  const [visible, whole] = await page.$eval('.lesson', ({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight])
  assert.equal(visible, whole)
  assert.deepEqual(complaints, [])
  await close()
})

test('on a phone a task has no lines for a result before there is one, and none moves the figure', async () => {
  for (const { lesson, at, step, values } of [{ lesson: 'positions', at: 1, step: 'clock', values: [3, 0, 6] },
    { lesson: 'softmax', at: 3, step: 'temperature', values: [2, 0.5, 8] }]) {
    const { page, close } = await open({ lesson, at }, 'en', { viewport: { width: 390, height: 844 } })
    await waitForStep(page, step)
    const slider = page.locator('.lesson-figure input[type="range"]').last(), said = []
    const readTop = async () => Math.round((await slider.boundingBox()).y)
    await slider.waitFor()
    assert.equal(await page.$eval('.lesson-space', box => box.offsetHeight), 0, step)
    const top = await readTop()
    for (const value of values) {
      const previous = said.at(-1) ?? ''
      await slider.fill(String(value))
      await page.waitForFunction(text => document.querySelector('.lesson-said').textContent !== text, previous)
      said.push(await page.textContent('.lesson-said'))
      assert.equal(await readTop(), top, `${step} at ${value}: ${said.at(-1)}`)
    }
    assert.ok(await page.$('.is-task.is-done'), step)
    await close()
  }
})

test('once the reader has moved, a wrong position of a task gets what it gives and which way to go', async () => {
  const { page, complaints, close } = await open({ lesson: 'vectors', at: 0 }, 'en')
  await waitForStep(page, 'arrow')
  const handle = await page.waitForSelector('.plane-handle')
  await page.waitForTimeout(600)
  assert.equal(await page.textContent('.lesson-said'), '', 'nothing before the reader has moved')
  for (const [at, expected] of [[[2.5, 2], 'Add 0.5 to the first number'], [[-2, 3], 'Add 5.0 to the first number (minus is left) and −1.0 to the second (minus is down)']]) {
    await HANDS.mouse.moveHandle(page, handle, at)
    await page.waitForFunction(text => document.querySelector('.is-task:not(.is-done) .lesson-said')?.textContent.replaceAll('\u2060', '').includes(text), expected)
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('names and numbers beside bars stay on one line, on slides too', async () => {
  for (const [id, number] of [['query', 1], ['query', 3], ['vectors', 4]]) {
    const { page, close } = await open({ lesson: id, at: number - 1 }, 'en', { viewport: { width: 1024, height: 768 } })
    await page.waitForSelector('.lesson-figure .bars')
    await page.keyboard.press('p')
    const broken = await page.$$eval('.bars :is(b, .bar-number)', list => list.filter(element => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return range.getClientRects().length > 1 || element.scrollWidth > element.clientWidth + 1
    }).map(({ textContent }) => textContent))
    assert.deepEqual(broken, [], `${id} ${number}`)
    await close()
  }
})

/** How the sliders of a small figure fit: their widths, and the texts beside them that are broken or stick out. */
const readSliders = page => page.evaluate(() => {
  const figure = document.querySelector('.lesson-figure'), { right } = figure.getBoundingClientRect()
  const bracket = figure.querySelector('.figure-matrix')?.getBoundingClientRect().right ?? right
  return {
    widths: [...figure.querySelectorAll('input')].map(input => input.getBoundingClientRect().width),
    broken: [...figure.querySelectorAll('.figure-slider :is(label, output), .bars b')].filter(element => {
      const range = document.createRange()
      range.selectNodeContents(element)
      const end = element.closest('.figure-matrix') ? bracket : right
      return range.getClientRects().length > 1 || range.getBoundingClientRect().right > end
    }).map(({ textContent }) => textContent)
  }
})

test('sliders are long enough to be dragged, and what is beside them is whole', async () => {
  for (const [width, height] of [[360, 740], [1024, 768], [1280, 720]]) for (const [id, number, count] of [['softmax', 4, 4], ['query', 6, 4], ['learning', 1, 2], ['loss', 1, 1]]) {
    const { page, close } = await open({ lesson: id, at: number - 1 }, 'ko', { viewport: { width, height } })
    await page.waitForSelector('.lesson-figure .figure-slider')
    for (const isSlide of width < 600 ? [false] : [false, true]) {
      if (isSlide) await page.keyboard.press('p')
      const { widths, broken } = await readSliders(page), name = `${id} ${number}, ${width}, ${isSlide ? 'slide' : 'page'}`
      assert.equal(widths.length, count, name)
      assert.ok(Math.min(...widths) >= 120, `${name}: ${widths}`)
      assert.deepEqual(broken, [], name)
    }
    await close()
  }
})

test('a lesson offers to take back a number that its reader has changed, and none of its own settings', async () => {
  const settings = await open({ lesson: 'modern', at: 5 }, 'en')
  await waitForStep(settings.page, 'kept')
  assert.equal(await settings.page.isVisible('.changed'), false)
  await settings.close()
  const { page, close } = await open({ lesson: 'break', at: 5 }, 'en')
  await waitForStep(page, 'yours')
  await (await page.waitForSelector('.pointer')).evaluate(element => element.parentElement.focus())
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.type('9')
  await page.keyboard.press('Enter')
  await page.click('.changed')
  await page.waitForSelector('.changed', { state: 'hidden' })
  await waitForStep(page, 'yours')
  await close()
})

test('on a phone the weights that a task is about are in sight with what the reader moves', async () => {
  for (const [lesson, at] of [['query', 1], ['query', 2], ['softmax', 0], ['softmax', 2], ['softmax', 3]]) {
    for (const language of ['en', 'ko', 'zh']) {
      const { page, close } = await open({ lesson, at }, language, { viewport: { width: 390, height: 844 } })
      await page.waitForSelector('.lesson-figure .bars')
      const bottom = await page.$$eval('.lesson-figure .bars', lists => lists.at(-1).getBoundingClientRect().bottom)
      assert.ok(bottom <= 844, `${lesson} ${at + 1} in ${language}: ${bottom}`)
      await close()
    }
  }
})
