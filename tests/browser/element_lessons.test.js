// Lessons as elements of another page: every one is played to its end, by its own buttons alone.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LESSONS } from '../../web/lessons/index.js'
import { loadLesson } from '../../web/lessons/load.js'
import { fromHash } from '../../web/models/state.js'
import { loadLessonTexts } from '../../web/words/parts.js'
import { element, html, useBlog } from './element_pages.js'
import { findViolations } from './host.js'
import { computeRight, giveAnswer } from './play_lesson.js'

const PAGES = {
  'mask.html': html(element('lesson', { lesson: 'mask', lang: 'en' })), 'empty.html': html(''),
  'third.html': html(`<div style="height: 20px"></div>${element('lesson', { lesson: 'mask', step: '3', input: '3/4/1999', lang: 'zh' })}`)
}
const { open } = useBlog(PAGES)

const waitForStep = (page, id) => page.waitForSelector(`.lesson-bar[data-step="${id}"]:not(.is-away)`)
const eventsOf = (page, type) => page.evaluate(name => globalThis.events.filter(event => event.type === `glass-${name}`).map(({ detail }) => detail), type)
const linkOf = async page => fromHash(await page.evaluate(() => document.querySelector('glass-lesson').link))

/** Gives one wrong answer and the right one, which is the engine's in Node. */
async function answer(page, lesson, step, language) {
  const { right, options } = computeRight(await linkOf(page), lesson, step, language)
  const wrong = options ? options.find(id => id !== right) : right + 1
  for (const given of [wrong, right]) {
    await giveAnswer(page, given, { right, options })
  }
  await waitForStep(page, step.id)
  assert.deepEqual((await eventsOf(page, 'answer')).slice(-2).map(({ step: id, isRight }) => [id, isRight]), [[step.id, false], [step.id, true]])
  assert.match(await page.textContent('.lesson-said'), /\p{L}/u)
}

/** Plays a step and checks that it is in words and that what it points at is there. */
async function playStep(page, lesson, step, language) {
  await waitForStep(page, step.id)
  if (step.figure) await page.waitForSelector('.lesson-figure:not([hidden]) > *')
  if (step.target) await page.waitForSelector(':is(.pointer, .is-pointed):visible')
  if (step.task) {
    await page.click('.lesson-reveal')
    await page.waitForSelector('.is-task.is-done .lesson-said:not(:empty)')
  }
  if (step.question) await answer(page, lesson, step, language)
  const text = await page.evaluate(() => document.querySelector('glass-lesson').shadowRoot.textContent)
  assert.doesNotMatch(text, /[{}]|NaN|undefined|\b(player|elements|stages|controls|app|figure)\.[a-z]\w+/, step.id)
}

describe('every lesson is played to its end', () => {
  for (const [i, { id }] of LESSONS.entries()) {
    const language = ['ko', 'en', 'zh'][i % 3]
    test(`${id}, ${language}`, async () => {
      const lesson = await loadLesson(id), words = await loadLessonTexts(language, id)
      const { page, complaints, close } = await open('empty.html')
      await page.evaluate(attributes => {
        const own = document.createElement('glass-lesson')
        Object.assign(own, attributes)
        document.querySelector('main').append(own)
      }, { lesson: id, lang: language })
      for (const [at, step] of lesson.steps.entries()) {
        await playStep(page, lesson, step, language)
        if (at < lesson.steps.length - 1) await page.click('.lesson-next')
      }
      assert.deepEqual((await eventsOf(page, 'step')).map(({ step }) => step), lesson.steps.map(step => step.id))
      const questions = lesson.steps.filter(({ question }) => question).length
      assert.deepEqual(await eventsOf(page, 'finish'), [{ lesson: id, questions, right: 0 }])
      const end = await page.textContent('.lesson-end:visible')
      if (words.end) assert.ok(end.length > 5 && !end.includes('{'), end)
      // Nothing leads out of the lesson, and the last button leads to its beginning.
      assert.equal(await page.$('.lesson-extras, .lesson-save:visible, .map'), null)
      await page.click('.lesson-next')
      await waitForStep(page, lesson.steps[0].id)
      assert.equal(await page.evaluate(() => localStorage.length), 0, 'it stores nothing')
      const errors = await page.evaluate(() => globalThis.events.filter(({ type }) => type === 'error'))
      assert.deepEqual([errors, complaints], [[], []])
      await close()
    })
  }
})

test('a step, a text of one\'s own and the language are attributes', async () => {
  const { page, close } = await open('third.html')
  const { steps } = await loadLesson('mask')
  await waitForStep(page, steps[2].id)
  assert.equal(await page.inputValue('[data-field="source"]'), '3/4/1999')
  assert.equal(await page.textContent('.lesson-title'), (await loadLessonTexts('zh', 'mask')).steps[steps[2].id].title)
  await page.evaluate(() => { document.querySelector('glass-lesson').step = 1 })
  await waitForStep(page, steps[0].id)
  const messages = []
  for (const [name, value] of [['step', '9'], ['lesson', 'magic'], ['input', 'hello']]) {
    messages.push(await page.evaluate(([key, text]) => {
      const own = document.createElement('glass-lesson')
      own.lang = 'en'
      own.setAttribute(key, text)
      if (key !== 'lesson') own.lesson = 'mask'
      document.querySelector('main').replaceChildren(own)
      return new Promise(resolve => { own.addEventListener('error', ({ message }) => resolve(message)) })
    }, [name, value]))
  }
  assert.match(messages[0], /^step: “9” is not one of these: 1 … 5/)
  assert.match(messages[1], /^lesson: “magic” is not one of these: learning, /)
  assert.match(messages[2], /^input: /)
  await close()
})

test('another theme leaves a lesson its styles', async () => {
  const { page, close } = await open('mask.html')
  await page.waitForSelector('.lesson-bar[data-step]')
  const look = () => page.evaluate(() => {
    const { shadowRoot } = document.querySelector('glass-lesson')
    return { sheets: shadowRoot.adoptedStyleSheets.length, theme: shadowRoot.querySelector('.root').dataset.theme }
  })
  const before = await look()
  assert.equal(before.theme, 'light')
  await page.evaluate(() => { document.querySelector('glass-lesson').theme = 'dark' })
  await page.waitForSelector('.root[data-theme="dark"]')
  assert.deepEqual(await look(), { ...before, theme: 'dark' })
  await close()
})

test('the keyboard reaches questions and ways, and a term is explained', async () => {
  const { page, complaints, close } = await open('mask.html')
  await waitForStep(page, 'minus')
  const focused = () => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className ?? '')
  const found = new Set()
  for (let i = 0; i < 16; i++) {
    await page.keyboard.press('Tab')
    const name = await focused()
    found.add(name)
    if (name === 'lesson-next') break
  }
  assert.ok(found.has('quiet menu-opener') && found.has('lesson-next'), [...found].join())
  await page.keyboard.press('Enter')
  await waitForStep(page, 'first')
  assert.equal(await focused(), 'lesson-next', 'the focus stays on the way')
  assert.equal(await page.evaluate(() => scrollY), 0, 'the page is not scrolled')
  assert.deepEqual(await findViolations(page, 'html'), [])
  const terms = await open('empty.html')
  await terms.page.evaluate(() => { document.querySelector('main').innerHTML = '<glass-lesson lesson="tokens" lang="en"></glass-lesson>' })
  await terms.page.click('.lesson-text .term')
  await terms.page.waitForSelector('.lesson-term:popover-open p')
  assert.match(await terms.page.textContent('.lesson-term'), /\w{4}/)
  await terms.close()
  assert.deepEqual(complaints, [])
  await close()
})
