// Steps of lessons scroll to the place they point at, and nothing covers it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longTest } from '../lib/long.js'
import { HANDS } from './hands.js'
import { useBrowser } from './host.js'
import { isPointed, openLessonWith, waitForStep } from './play_lesson.js'

const open = openLessonWith(useBrowser().open)

test('the title of the room and its controls stay in the window where a pointed place fits below them', async () => {
  for (const [options, at, id] of [[{ viewport: { width: 1280, height: 720 } }, 2, 'query'], [HANDS.touch.options, 3, 'key']]) {
    const { page, complaints, close } = await open({ lesson: 'attention', at }, 'en', options)
    await waitForStep(page, id)
    await isPointed(page)
    await page.waitForTimeout(1000)
    const [picker, covered] = await page.evaluate(() => [document.querySelector('.stage .tools').getBoundingClientRect().top,
      innerWidth < 600 ? document.querySelector('.lesson').getBoundingClientRect().bottom : document.querySelector('.top').offsetHeight])
    assert.ok(picker >= covered, `${id}: ${picker}, below ${covered}`)
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('an interrupted scroll to a pointed place is resumed', async () => {
  const { page, complaints, close } = await open({ lesson: 'order', at: 1 }, 'ko', { ...HANDS.touch.options, before: () => {
    const { scrollBy } = window
    window.cut = 0
    window.scrollBy = (...args) => {
      scrollBy(...args)
      if (scrollY === 0 && window.cut++ < 4) scrollTo({ top: 0 })
    }
  } })
  await waitForStep(page, 'after')
  await isPointed(page)
  assert.ok(await page.evaluate(() => window.cut > 1))
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a pointed place is scrolled into view with its whole figure where it fits', async () => {
  const { page, close } = await open({ lesson: 'break', at: 3 }, 'ko', { viewport: { width: 1280, height: 720 } })
  await waitForStep(page, 'scale')
  await isPointed(page)
  await page.waitForFunction(() => {
    const { top, bottom } = document.querySelector('.pointer').closest('.matrix').getBoundingClientRect()
    const lid = document.querySelector('.top').getBoundingClientRect().bottom
    return top >= lid && bottom <= innerHeight
  })
  await close()
})

longTest('a pointed place stays below the lesson when the page gets shorter during the scroll', async () => {
  const { page, close } = await open({ lesson: 'order', at: 4 }, 'ko')
  await waitForStep(page, 'answer')
  const isBelow = () => page.waitForFunction(() => {
    const [lesson, pointed] = ['.lesson', '.is-pointed'].map(item => document.querySelector(item).getBoundingClientRect())
    const isStill = document.documentElement.dataset.at === String(scrollY)
    document.documentElement.dataset.at = scrollY
    const lid = lesson.right > pointed.left ? lesson.bottom : 0
    return isStill && pointed.top >= lid && pointed.top < innerHeight
  }, null, { polling: 250, timeout: 5000 })
  await isBelow()
  await page.evaluate(() => new Promise(resolve => {
    const space = Object.assign(document.createElement('div'), { style: 'height: 900px' })
    addEventListener('scrollend', resolve, { once: true })
    addEventListener('scroll', () => space.remove(), { once: true })
    document.querySelector('.is-pointed').before(space)
  }))
  await isBelow()
  await close()
})
