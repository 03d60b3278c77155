// Year, month and day of the date model's answers have names in the reader's language: no reader of English or Chinese
// meets Hangul in a lesson or a room of this model, in what they typed, or in an old link.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LESSONS } from '../../web/lessons/index.js'
import { loadLesson } from '../../web/lessons/load.js'
import { inLanguage, stateOfStep } from '../../web/lessons/steps.js'
import { defaults, toHash } from '../../web/models/state.js'
import { roomsOf } from '../../web/rooms/index.js'
import { partUnlessLong } from '../lib/long.js'
import { changeAndWait, completeState, countRuns, runInNode, useBrowser } from './host.js'

const { open } = useBrowser()
const STILL = { reducedMotion: 'reduce' }
const LANGUAGES = ['en', 'zh'], NAMES = { ko: '2026년 11월 20일', zh: '2026年11月20日', en: '2026y 11m 20d' }

/**
 * All texts of the page that contain Hangul, visible or not: text, labels, fields and what they hold; without those
 * that are marked as Korean.
 */
const readHangul = page => page.evaluate(() => {
  const skipped = '[lang="ko"], #stuck, script, style, noscript'
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = []
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    if (!node.parentElement.closest(skipped)) texts.push(node.data)
  }
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest(skipped)) continue
    const labels = ['aria-label', 'aria-valuetext', 'title', 'placeholder', 'alt']
      .map(name => element.getAttribute(name)).filter(Boolean)
    texts.push(...labels, element.matches('input, textarea') ? element.value : '')
  }
  return texts.filter(text => /\p{Script=Hangul}/u.test(text))
})

/** Leads the page to a state by its address and waits until it is displayed. */
async function visit(page, state, selector) {
  await page.evaluate(hash => { location.hash = hash }, toHash(state))
  await page.waitForSelector(selector)
  await page.waitForFunction(() => !document.querySelector('#inspector[aria-busy="true"]'))
  await page.waitForTimeout(150)
}

/** The steps that display the date model, each with the states before and after its question. */
async function listSteps(language) {
  const steps = await Promise.all(LESSONS.map(async ({ id }) => {
    const lesson = await loadLesson(id), { steps: all, model } = lesson, reader = { ...defaults(), language }
    return all.flatMap((step, at) => {
      if ((step.model ?? model) !== 'dates') return []
      const stateAt = link => (
        { ...stateOfStep(lesson, inLanguage(link, language), reader, language, step.model), language })
      const after = typeof step.answerState === 'string' ? [{ ...stateAt(step.answerState), lesson: '' }] : []
      return { id, step: step.id, before: { ...stateAt(step.state), lesson: id, at }, after }
    })
  }))
  return steps.flat()
}

for (const [i, language] of LANGUAGES.entries()) {
  test(`${language}: no step of a lesson of the date model shows Hangul, before its question and after`, async t => {
    const steps = partUnlessLong(await listSteps(language), i, LANGUAGES.length)
    const { page, complaints, close } = await open({ language }, STILL)
    for (const { id, step, before, after } of steps) {
      await visit(page, before, `.lesson-bar[data-step="${step}"]`)
      assert.deepEqual(await readHangul(page), [], `${id}, ${step}`)
      for (const state of after) {
        await visit(page, state, `#house[data-room="${state.room}"] .stage h1`)
        assert.deepEqual(await readHangul(page), [], `${id}, ${step}, after its answer`)
      }
    }
    t.diagnostic(`${steps.length} steps`)
    assert.ok(steps.length > 20)
    assert.deepEqual(complaints, [])
    await close()
  })

  test(`${language}: no room of the date model shows Hangul`, async () => {
    const run = runInNode({}), rooms = partUnlessLong(roomsOf(run), i, LANGUAGES.length)
    run.dispose()
    const { page, complaints, close } = await open({ language }, STILL)
    for (const room of rooms) {
      await visit(page, completeState({ room: room.id, language, source: '3 may 1999', other: '4 may 1999' }),
        `#house[data-room="${room.id}"] .stage h1`)
      assert.deepEqual(await readHangul(page), [], room.id)
    }
    assert.deepEqual(complaints, [])
    await close()
  })
}

/** Presses another language and waits for the answer in its names. */
async function chooseLanguage(page, language) {
  await page.click(`[data-language="${language}"]`)
  await page.waitForFunction(text => document.querySelector('[data-field="target"]')?.placeholder === text, NAMES[language])
}

test('another language names the tokens at once, without another run, and a lesson goes on', async () => {
  const { page, complaints, close } = await open({ room: 'decoding', language: 'en' }, STILL)
  const before = await countRuns(page)
  for (const language of ['zh', 'ko', 'en']) await chooseLanguage(page, language)
  assert.equal(await countRuns(page), before)
  await visit(page, completeState({ lesson: 'translation', at: 1, room: 'source.tokens', language: 'en' }), '.lesson-bar[data-step="first"]')
  await page.click('[data-option="2"]')
  await page.waitForSelector('.lesson-option.is-right')
  for (const language of ['zh', 'ko', 'en']) {
    await chooseLanguage(page, language)
    await page.waitForSelector(`.lesson-bar[data-language="${language}"] .lesson-option.is-right`)
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('an answer is read in the names of any language and shown in the reader\'s; what is being typed stays', async () => {
  for (const target of Object.values({ ...NAMES, mixed: '1999年1월' })) {
    const { page, close } = await open({ room: 'decoding', language: 'en', target }, STILL)
    const expected = target.startsWith('2026') ? NAMES.en : '1999y 1m'
    assert.equal(await page.inputValue('[data-field="target"]'), expected, target)
    assert.equal(await page.$$eval('.pick-token', list => list.map(item => item.textContent).join('')), `${expected.replaceAll(' ', '')}</s>`)
    await close()
  }
  const { page, complaints, close } = await open({ room: 'decoding', language: 'en' }, STILL)
  await changeAndWait(page, () => page.fill('[data-field="target"]', '1999년'))
  assert.equal(await page.inputValue('[data-field="target"]'), '1999년')
  await page.press('[data-field="target"]', 'Tab')
  assert.equal(await page.inputValue('[data-field="target"]'), '1999y')
  await page.fill('[data-field="target"]', '1999q')
  assert.match(await page.textContent('.is-target .problem'), /“q”/)
  assert.deepEqual(complaints, [])
  await close()
})

test('the training page names tokens in the reader\'s language: answers, attention, embeddings, the losses of a step', async () => {
  const { page, complaints, close } = await open({ theatre: 'dates_start-page', language: 'en' }, STILL)
  await page.waitForFunction(() => document.querySelector('.theatre-answer')?.textContent)
  assert.equal(await page.textContent('.theatre-answer'), NAMES.en)
  await page.click('.theatre-closer > summary')
  await page.click('.theatre-apart summary')
  await page.waitForSelector('.theatre-tokens b')
  await page.selectOption('.theatre-choices select:has(option[value="target_embedding.weight"])', 'target_embedding.weight')
  await page.waitForFunction(() => [...document.querySelectorAll('[data-action="token"] option')].at(-1)?.textContent === 'd')
  assert.ok((await page.$$eval('.theatre-tokens b', list => list.map(item => item.textContent))).includes('y'))
  assert.deepEqual(await readHangul(page), [])
  assert.deepEqual(complaints, [])
  await close()
})
