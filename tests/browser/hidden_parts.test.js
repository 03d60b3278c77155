// Parts of a room that a step does not need are hidden, until the reader asks for map and inspector.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LESSONS } from '../../web/lessons/index.js'
import { loadLesson } from '../../web/lessons/load.js'
import { useBrowser } from './host.js'
import { waitForStep } from './play_lesson.js'

const { open } = useBrowser()
const lessons = await Promise.all(LESSONS.map(async ({ id }) => ({ id, steps: (await loadLesson(id)).steps })))
const hiding = lessons.flatMap(({ id, steps }) => steps.map((step, i) => ({ id, step, number: i + 1 })))
  .filter(({ step }) => step.hides)

const splitSelector = selector => selector.split(/, (?![^(]*\))/)
/** For each part of the selector, whether any such part of the room can be seen; null where there is none. */
const listVisible = (page, hides) => page.evaluate(async selectors => {
  await new Promise(resolve => { setTimeout(resolve, 300) })
  return selectors.map(selector => {
    const parts = [...document.querySelectorAll(`.stage :is(${selector})`)]
    return parts.length ? parts.some(part => part.checkVisibility()) : null
  })
}, splitSelector(hides))

test('a step hides what it does not need; map and inspector bring it back', async () => {
  const { page, complaints, close } = await open({ lesson: 'learning', language: 'en' })
  assert.ok(hiding.length > 15, `${hiding.length}`)
  for (const { id, step, number } of hiding) {
    await page.evaluate(link => { location.hash = link }, `lesson=${id}&step=${number}&language=en`)
    await waitForStep(page, step.id)
    const name = `${id} ${number}: ${step.hides}`, allOf = value => splitSelector(step.hides).map(() => value)
    assert.deepEqual(await listVisible(page, step.hides), allOf(false), name)
    await page.click('.lesson-panels')
    assert.deepEqual(await listVisible(page, step.hides), allOf(true), name)
    await page.click('.lesson-panels')
  }
  assert.deepEqual(complaints, [])
  await close()
})
