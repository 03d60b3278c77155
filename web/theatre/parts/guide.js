/** The guide of an experiment in three steps: the reader's prediction, the result, and the reason. */

import { h, setText } from '../../lib/dom.js'
import { formatBrief } from '../../lib/number.js'
import { renderProse } from '../../lib/prose.js'
import { createPointer } from '../../lessons/pointer.js'
import { createQuestion } from '../../lessons/question.js'
import { EXPERIMENTS, RACE, experimentOf, recordUntil } from '../experiments.js'
import { write } from '../settings.js'

/** @import { Translate } from '../../types.d.ts' */
/** @import { Seen } from '../training_record.js' */
/** @import { TrainingState } from '../settings.js' */

/** Where the reason can be seen. @type {Record<string, string>} */
const PLACES = {
  curves: '.theatre-charts', answers: '.theatre-said', attention: '.theatre-looks', embeddings: '.theatre-plane',
  closer: '.theatre-closer', apart: '.theatre-apart', pinned: '.theatre-followed'
}
const STEPS = 3
/** Numbers from here on are not counts. */
const LARGE = 1e5

/**
 * The reader's progress in a guide, and the prediction.
 * @typedef {{ name: string, at: number, given: string | null }} Progress
 */

/**
 * @param {HTMLElement} container
 * @param {{ t: Translate, play(until: number): void, open(link: string): void, progress: Progress }} context progress
 *   outlives the words
 */
export function guide(container, { t, play, open, progress }) {
  const pointer = createPointer(container)
  /** @type {ReturnType<typeof createQuestion> | null} */ let asking = null
  /** @type {string | null} */ let built = null
  /** @type {{ one: Seen, other: Seen | null } | null} */ let seen = null
  let isAnswered = false, isWaiting = false, presses = 0
  const name = h('span', { className: 'lesson-name' }), place = h('span', { className: 'lesson-place' })
  const text = h('p', { className: 'lesson-text' }), ask = h('div')
  const show = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'why', 'onclick': point },
    t('theatre.guide.show'))
  const back = h('button', { type: 'button', className: 'lesson-back', onclick: () => go(progress.at - 1) },
    t('lesson.back'))
  const next = h('button', { type: 'button', className: 'lesson-next', onclick: onward })
  container.append(
    h('div', { className: 'lesson-line' }, name, place, h('div', { className: 'lesson-ways' }, back, next)),
    h('div', { 'aria-live': 'polite' }, text), ask, show)

  const here = () => EXPERIMENTS[progress.name]
  /** @param {string} key @param {Record<string, string>} [values] */
  const say = (key, values) => t(`theatre.experiments.${progress.name}.${key}`, values)
  /** @param {string} option */
  const worded = option => (RACE.includes(option) ? t(`theatre.guide.options.${option}`) : say(`options.${option}`))

  /** The result at the decisive step, or null before it is reached. */
  function result() {
    const { until, answer, say: numbers } = here(), { one, other = null } = seen ?? {}
    if (!one || [one, other].some(run => run && run.loss.length < until)) return null
    const [first, second] = [recordUntil(one, until), recordUntil(other ?? one, until)]
    const values = Object.entries({ ...numbers(first, second), step: until }).map(([key, value]) => (
      [key, Number.isInteger(value) && value < LARGE ? String(value) : formatBrief(value)]))
    return { right: answer(first, second), values: Object.fromEntries(values) }
  }

  /** @param {number} at */
  function go(at) {
    pointer.clear()
    progress.at = Math.max(0, Math.min(STEPS - 1, at))
    draw()
  }

  /** @param {string | null} given what the reader expects, if anything */
  function expect(given) {
    progress.given = given
    isWaiting = true
    go(1)
    playOn()
  }

  /** Trains up to the decisive step, once a training is open. */
  function playOn() {
    if (!isWaiting || !seen) return
    isWaiting = false
    if (!result()) play(here().until)
  }

  function onward() {
    if (progress.at === 0) expect(null)
    else if (progress.at === 1) go(2)
    else open(EXPERIMENTS[here().next].link)
  }

  function point() {
    const selector = PLACES[here().look], element = document.querySelector(selector)
    if (element instanceof HTMLDetailsElement) element.open = true
    presses += 1
    pointer.point({ selector }, `${progress.name} ${presses}`)
  }

  function build() {
    built = progress.name
    const options = here().options.map(id => ({ id, text: worded(id) }))
    asking = createQuestion({ text: say('ask', { step: String(here().until) }), options }, t, given => progress.at === 0 && expect(String(given)), () => {})
    ask.replaceChildren(asking.element)
    setText(name, say('name'))
    container.setAttribute('aria-label', say('name'))
  }

  function draw() {
    const found = progress.at === 0 ? null : result(), isAtEnd = progress.at === STEPS - 1
    const said = [say('words'), found ? '' : t('theatre.guide.waiting', { step: here().until }), say('why', found?.values)]
    isAnswered = Boolean(found)
    text.replaceChildren(...renderProse(said[progress.at]))
    text.hidden = said[progress.at] === ''
    ask.hidden = isAtEnd
    show.hidden = !isAtEnd
    asking?.show({
      wrong: found && progress.given && progress.given !== found.right ? [progress.given] : [],
      right: found?.right ?? null, isAnswered: progress.at > 0, text: found ? say('seen', found.values) : ''
    })
    for (const button of ask.querySelectorAll('button[data-option]')) {
      button.classList.toggle('is-expected', button.getAttribute('data-option') === progress.given && progress.at > 0)
    }
    setText(place, `${progress.at + 1} / ${STEPS}`)
    back.disabled = progress.at === 0
    setText(next, progress.at === 0 ? t('theatre.guide.train', { step: here().until })
      : isAtEnd ? t('theatre.guide.after', { name: t(`theatre.experiments.${here().next}.name`) }) : t('lesson.next'))
    next.disabled = progress.at === 1 && !found
  }

  return {
    /** Whether the training is an experiment, whose guide is then displayed. @param {TrainingState} settings */
    controls(settings) {
      const wanted = experimentOf(write(settings)) ?? ''
      if (wanted !== progress.name) {
        Object.assign(progress, { name: wanted, at: 0, given: null })
        seen = null
        isWaiting = false
      }
      container.hidden = !wanted
      if (wanted && built !== wanted) build()
      if (wanted) draw()
      else pointer.clear()
      return Boolean(wanted)
    },
    /** @param {Seen} one @param {Seen | null} other */
    update(one, other) {
      seen = { one, other }
      playOn()
      if (progress.at === 1 && !isAnswered && result()) draw()
    }
  }
}
