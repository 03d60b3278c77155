// Plays a lesson in the page as a reader does, with one input device, and checks every step on the way.
import assert from 'node:assert/strict'
import { fit } from '../../web/figures/math.js'
import { placeOfLesson } from '../../web/lessons/index.js'
import { loadLesson } from '../../web/lessons/load.js'
import { stateOfStep as stepState } from '../../web/lessons/steps.js'
import { OPENING } from '../../web/models/state.js'
import { loadLessonTexts } from '../../web/words/parts.js'
import { isLong } from '../lib/long.js'
import { chinese, english, korean } from '../lib/texts.js'
import { HANDS } from './hands.js'
import { findViolations, measureOverflow, readAddress, runInNode } from './host.js'

/** The state that a link leads to: of a step it says only which one. */
export async function stateOf(page) {
  const addressState = await readAddress(page)
  if (addressState.room !== OPENING) return addressState
  const lesson = await loadLesson(addressState.lesson)
  const language = addressState.language === 'auto' ? 'ko' : addressState.language, { state, model } = lesson.steps[addressState.at]
  return stepState(lesson, typeof state === 'string' ? state : state[language], addressState, language, model)
}

export const waitForStep = (page, id) => page.waitForSelector(`.lesson-bar[data-step="${id}"]:not(.is-away)`)

/** Nothing of a fault stands in the address while it is looked for. */
const saysNothing = page => assert.ok(!/fault|scale|tgtIsCausal|dropout/.test(new URL(page.url()).hash), page.url())
/** Whether the question stays visible, however small the window. */
const isAsked = page => page.waitForFunction(() => {
  const { top, bottom } = document.querySelector('.lesson-ask').getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
})
/** Who comes to a step on a phone sees its title, below the way on, when nothing moves any more. */
const isTitled = page => page.evaluate(async () => {
  let before
  do {
    before = scrollY
    await new Promise(resolve => { setTimeout(resolve, 250) })
  } while (scrollY !== before || !document.querySelector('.pointer, .is-pointed'))
  const [next, title] = ['.lesson-next', '.lesson h1']
    .map(selector => document.querySelector(selector).getBoundingClientRect())
  const isInReach = document.elementFromPoint(next.left + 8, next.top + 8)?.matches('.lesson-next')
  return isInReach && title.top >= next.bottom - 1 && title.bottom <= innerHeight
})

/**
 * Whether what is pointed at lies inside the window, below the words where they stay, and in the frame that scrolls it.
 */
export const isPointed = page => page.waitForFunction(() => {
  const element = document.querySelector('.pointer, .is-pointed')
  if (!element?.checkVisibility()) return false
  const { top, bottom, left, right, height } = element.getBoundingClientRect()
  const [words, inspector] = ['.lesson', '.inspector'].map(selector => document.querySelector(selector))
  const bar = words.getBoundingClientRect(), isBelow = bar.right > left && bar.left < right && !words.contains(element)
  const isSheet = inspector.checkVisibility() && getComputedStyle(inspector).position === 'fixed'
  const floor = isSheet ? inspector.getBoundingClientRect().top : innerHeight
  const visible = Math.min(bottom, floor) - Math.max(top, isBelow ? bar.bottom : 0)
  const frame = element.closest('.frame')?.getBoundingClientRect() ?? { left: 0, right: innerWidth }
  const isWide = right - left > frame.right - frame.left
  return visible >= Math.min(height, 24) && right > frame.left && left < frame.right &&
    (isWide || (left >= frame.left - 8 && right <= frame.right + 8))
})

/** What is wrong with a step: names that are cut, a ring round nothing that can be read, rules that say nothing. */
const findUntidyText = page => page.evaluate(() => {
  const cut = [...document.querySelectorAll('.lesson-name, .lesson-next')]
    .filter(element => element.scrollWidth > element.clientWidth).map(element => `cut: ${element.textContent}`)
  const empty = [...document.querySelectorAll('.is-pointed')]
    .filter(element => element.children.length > 0 && [...element.children].every(child => child.ariaHidden === 'true'))
    .map(element => `nothing to read in ${element.className}`)
  const idle = [...document.querySelectorAll('#inspector .rule')].filter(element => element.textContent.trim() === '0')
  return [...cut, ...empty, ...idle.map(() => 'a rule that says 0')]
})

const rights = new Map()
/** The right answer to a step, from a run made here, which may be the one that is seen only after the answer. */
export async function rightAt(page, lesson, step, language) {
  const state = await stateOf(page), key = JSON.stringify([step.id, language, state])
  if (!rights.has(key)) rights.set(key, computeRight(state, lesson, step, language))
  return rights.get(key)
}

/** The right answer to a step and its options, from runs made here. */
export function computeRight(state, lesson, step, language) {
  const before = runInNode(state)
  const link = typeof step.answerState === 'function' ? step.answerState(before, { state }) : step.answerState?.[language] ?? step.answerState
  const then = step.answerState ? stepState(lesson, link, state, language) : state
  const run = step.answerState ? runInNode(then) : before
  const figure = step.figure?.id === 'line' ? fit(step.figure.options.points, step.figure.options.w, step.figure.options.b) : null
  const right = step.question.answer(run, { state: then, before: step.answerState ? before : null, figure })
  const options = step.question.options?.(before, { state, before: null }).map(({ id }) => id)
  before.dispose()
  if (run !== before) run.dispose()
  return { right, options }
}

/** What the page says about an answer: a sentence, in which no placeholder is left and no number is missing. */
async function readReason(page, name, { again }) {
  const reason = (await page.textContent('.lesson-said')).replaceAll('\u2060', '').trim()
  assert.match(reason, /\p{L}{2,}.*\s\S*\p{L}|\p{Script=Han}{2}/u, `${name}: a reason`)
  assert.doesNotMatch(reason, /[{}]|NaN|undefined|Infinity/, name)
  assert.notEqual(reason, again, `${name}: more than that it is wrong`)
  return reason
}

/** On a phone the pinned card covers the page from below: what is pointed at stays in sight while it is open. */
async function checkCard(page, hand, name) {
  if (!await page.isVisible('.sheet-handle')) return
  await hand.press(page, '.sheet-handle')
  await page.waitForSelector('.inspector.is-open')
  await isPointed(page).catch(() => assert.fail(`${name}: hidden by the open card`))
  await hand.press(page, '.sheet-handle')
  await page.waitForSelector('.inspector:not(.is-open)')
  await isPointed(page)
}

/** Whether the end of a reason is inside the words, which scroll where there is little room, and above the way on. */
const isReasonInBox = page => page.evaluate(() => {
  const [reason, box, ways] = ['.lesson-said', '.lesson', '.lesson-ways']
    .map(selector => document.querySelector(selector).getBoundingClientRect())
  return reason.bottom <= box.bottom && (ways.top < reason.top || reason.bottom <= ways.top)
})

/** Gives a wrong answer, which leaves the question as it is and says why it is wrong. */
async function answerWrong(page, step, given, { hand, texts }) {
  const { room } = await stateOf(page)
  if (typeof given === 'number') await giveNumber(page, hand, given)
  else await hand.press(page, `[data-option="${given}"]`)
  if (typeof given === 'string') await page.waitForSelector(`[data-option="${given}"].is-wrong`)
  await page.waitForSelector('.lesson-said.is-hint:not(:empty)')
  assert.ok(await isReasonInBox(page), `${step.id}: the reason is not below the edge of the words`)
  await readReason(page, `${step.id}, ${given}`, texts)
  assert.equal((await stateOf(page)).room, room, `${step.id}: the question stands`)
  assert.ok(await page.isVisible('.lesson-reveal'), step.id)
  assert.equal(await page.$('.lesson-option.is-right'), null, step.id)
}

async function giveNumber(page, hand, number) {
  await hand.write(page, '.lesson-options input', String(number))
  await hand.press(page, '.lesson-options [type="submit"]')
}

/** Answers a question: at once right, or with every wrong answer first, and then right or by giving up. */
async function answer(page, lesson, step, play) {
  const { isRight, hand, language, texts } = play, { right, options } = await rightAt(page, lesson, step, language)
  const wrong = options?.filter(id => id !== right) ?? [right + 1]
  if (!isRight) for (const given of wrong) await answerWrong(page, step, given, play)
  if (!isRight && lesson.steps.indexOf(step) % 2) await hand.press(page, '.lesson-reveal')
  else if (options) await hand.press(page, `[data-option="${right}"]`)
  else await giveNumber(page, hand, right)
  await page.waitForSelector('.lesson-said:not(.is-hint):not(:empty)')
  await waitForStep(page, step.id)
  await readReason(page, step.id, texts)
  if (options) return assert.equal(await page.getAttribute('.lesson-option.is-right', 'data-option'), right, step.id)
  const written = await page.inputValue('.lesson-options input')
  assert.ok(Math.abs(Number(written.replace('−', '-')) - right) <= step.question.tolerance, step.id)
  assert.match(written, /^−?\d+(\.\d\d)?$/, `${step.id}: as one would write it`)
}

/** The place of the slider that moves a number of a figure. */
const SLIDERS = { w: 0, b: 1, position: 0, probability: 0, zoom: 0, frequency: 0, temperature: 3 }

/** Moves one number of a figure, or the numbers of a list, to a value, with its own control. */
async function moveTo(page, name, value, hand) {
  const sliders = await page.$$('.lesson-figure input[type="range"]')
  if (name in SLIDERS) return hand.moveSlider(page, sliders[SLIDERS[name]], value)
  if (name === 'isBent') return hand.toggle(page, '.figure-check input')
  if (name === 'merges' || name === 'steps') return pressTimes(page, value, hand)
  if (!['scores', 'outs', 'entries'].includes(name)) return hand.moveHandle(page, await page.waitForSelector('.plane-handle'), value)
  for (const [i, number] of value.entries()) {
    if (Number(await sliders[i].inputValue()) !== number) await hand.moveSlider(page, sliders[i], number)
  }
}

/** Presses the figure's button for one step, or that for 50 steps. */
async function pressTimes(page, count, hand) {
  const [selector, size] = count < 50 ? ['.figure-button:first-of-type', 1] : ['.figure-button:nth-of-type(2)', 50]
  for (let done = size; done <= count && !await page.$('.is-task.is-done'); done += size) {
    await hand.press(page, selector)
    if (size > 1) await page.waitForFunction(steps => document.querySelector('.figure-side > :last-child').textContent.includes(steps), done)
  }
}

/** Does a task with the figure's controls, or lets the figure show how it is done. */
async function doTask(page, step, { isRight, hand, texts }) {
  await page.waitForSelector('.lesson-figure > *')
  assert.equal(await page.$('.is-task.is-done'), null, `${step.id}: is not done from the beginning`)
  if (!isRight) await hand.press(page, '.lesson-reveal')
  else for (const [name, value] of Object.entries(step.task.solution)) await moveTo(page, name, value, hand)
  await page.waitForSelector('.is-task.is-done .lesson-said:not(:empty)')
  await readReason(page, step.id, texts)
}

/** Whether the way on is in the window, so that an answer has not moved it away. */
const isNextInWindow = page => page.evaluate(() => {
  const { top, bottom } = document.querySelector('.lesson-next').getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
})

/** Checks a step and answers or does what it asks for. */
async function playStep(page, lesson, step, play) {
  const { handName, language } = play
  await waitForStep(page, step.id)
  if (handName === 'touch' && step.target) assert.ok(await isTitled(page), `${step.id}: its title is in sight, and the way on`)
  if (step.target) await isPointed(page)
  if (handName === 'touch' && step.target) await checkCard(page, play.hand, step.id)
  if (step.task) await doTask(page, step, play)
  if (step.figure) await page.waitForSelector('.lesson-figure:not([hidden]) > *')
  if (step.question) {
    if (play.id === 'hunt') saysNothing(page)
    await isAsked(page)
    await answer(page, lesson, step, play)
    if (step.target) await isPointed(page)
    if (handName === 'touch' && step.target) await checkCard(page, play.hand, `${step.id}, answered`)
    assert.ok(await isNextInWindow(page), `${step.id}: Next stays in the window`)
  }
  assert.equal(await measureOverflow(page), 0, step.id)
  assert.deepEqual(await findUntidyText(page), [], `${step.id}, ${language}`)
}

/** The rooms are looked at in tests of their own, so what the lesson adds is enough in `npm test`. */
async function findStepViolations(page, at, isLast) {
  if (isLong || isLast || at % 3 === 0) assert.deepEqual(await findViolations(page, isLong || isLast ? 'html' : '.lesson'), [], `step ${at}`)
}

/** The end: what is now known, a button that saves the answers, and the way to what comes next. */
async function leaveByEnd(page, lesson, { id, hand, texts }) {
  if (texts.end) assert.match(await page.textContent('.lesson-end:visible'), /\p{L}/u)
  assert.ok(await page.isVisible('.lesson-save'), 'answers can be saved at the end')
  await hand.press(page, '.lesson-next')
  if (lesson.theatre) return page.waitForSelector('html[data-theatre]')
  await waitForStep(page, (await loadLesson(placeOfLesson(id).next)).steps[0].id)
}

/**
 * Plays a lesson to its end and into what comes next.
 * @param {ReturnType<typeof import('./host.js').useBrowser>['open']} open
 * @param {{ id: string, handName: keyof typeof HANDS, language: 'ko' | 'en' | 'zh', isRight: boolean }} how isRight:
 *   whether all answers are right at once and all tasks are done; else all wrong answers are given first, and tasks are
 *   shown
 */
export async function playLesson(open, { id, handName, language, isRight }) {
  const hand = HANDS[handName], lesson = await loadLesson(id), words = await loadLessonTexts(language, id)
  const { page, complaints, close } = await open({ lesson: id, language }, hand.options)
  const { player } = { ko: korean, en: english, zh: chinese }[language].page
  const play = { id, handName, hand, language, isRight, texts: { end: words.end, again: player.again } }
  for (const [at, step] of lesson.steps.entries()) {
    await waitForStep(page, step.id)
    assert.equal((await stateOf(page)).at, at)
    await playStep(page, lesson, step, play)
    const isLast = at === lesson.steps.length - 1
    if (handName === 'keyboard' && !isRight) await findStepViolations(page, at, isLast)
    if (isLast) await leaveByEnd(page, lesson, play)
    else await hand.press(page, '.lesson-next')
  }
  assert.deepEqual(complaints, [])
  await close()
}

/**
 * Gives an answer to the question of a step, an option or a number, and waits until it is judged.
 * @param {import('playwright-core').Page} page @param {string | number} given
 * @param {{ right: string | number, options?: string[] }} question
 */
export async function giveAnswer(page, given, { right, options }) {
  if (options) await page.click(`[data-option="${given}"]`)
  else {
    await page.fill('.lesson-options input', String(given))
    await page.click('.lesson-options [type="submit"]')
  }
  await page.waitForSelector(given === right ? '.lesson-said:not(.is-hint):not(:empty)' : '.lesson-said.is-hint:not(:empty)')
}

/**
 * Opens a lesson by its id or a state, in a language.
 * @param {ReturnType<typeof import('./host.js').useBrowser>['open']} open
 */
export const openLessonWith = open => (lesson, language, options) => (
  open({ ...(typeof lesson === 'string' ? { lesson } : lesson), language }, options))
