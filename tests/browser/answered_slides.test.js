// A slide fits into the window, and the way on stays in sight, whatever is said about an answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LESSONS } from '../../web/lessons/index.js'
import { loadLesson } from '../../web/lessons/load.js'
import { isLong } from '../lib/long.js'
import { useBrowser } from './host.js'
import { giveAnswer, rightAt, waitForStep } from './play_lesson.js'

const { open } = useBrowser()
const SLIDES = [[1280, 720], [1024, 768]]
/** Lessons with long reasons, and one beside the panel of a cell. */
const IDS = isLong ? LESSONS.map(({ id }) => id) : ['mask', 'loss', 'modern']

/** What is out of sight: the title, the way on, or the end of the reason. */
const listOutOfSight = page => page.evaluate(async () => {
  await new Promise(resolve => { setTimeout(resolve, 300) })
  const ways = document.querySelector('.lesson-ways').getBoundingClientRect()
  const next = document.querySelector('.lesson-next').getBoundingClientRect()
  const reason = document.querySelector('.lesson-said:not(:empty)')?.getBoundingClientRect()
  const title = document.querySelector('.lesson h1').getBoundingClientRect()
  const { scrollHeight } = document.documentElement
  return [title.top < 0 && 'title', scrollHeight > innerHeight && `page of ${scrollHeight}`, (next.top < 0 || next.bottom > innerHeight) && 'next', reason && reason.bottom > ways.top + 1 && 'reason'].filter(Boolean)
})

/** Answers wrong where there are options, then right. */
async function answerStep(page, lesson, step, name) {
  const { right, options } = await rightAt(page, lesson, step, 'en')
  const givens = options ? [options.find(id => id !== right), right] : [right + 1, right]
  for (const given of givens) {
    await giveAnswer(page, given, { right, options })
    await waitForStep(page, step.id)
    assert.deepEqual(await listOutOfSight(page), [], `${name}: after ${given}`)
  }
}

for (const [width, height] of SLIDES) for (const id of IDS) {
  test(`slides of ${id}, ${width} × ${height}: after each answer the way on is in sight`, async () => {
    const lesson = { id, ...await loadLesson(id) }
    const { page, complaints, close } = await open({ lesson: id, language: 'en' }, { viewport: { width, height } })
    for (const [at, step] of lesson.steps.entries()) {
      await page.evaluate(link => { location.hash = link }, `lesson=${id}&step=${at + 1}&language=en`)
      await waitForStep(page, step.id)
      if (at === 0) await page.keyboard.press('p')
      const name = `${id} ${at + 1}`
      assert.deepEqual(await listOutOfSight(page), [], name)
      if (step.question) await answerStep(page, lesson, step, name)
    }
    assert.deepEqual(complaints, [])
    await close()
  })
}
