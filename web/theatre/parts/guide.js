/** The guide of an experiment in three steps: the reader's prediction, the result, and the reason. */

import { h, setText } from '../../lib/dom.js'
import { formatBrief } from '../../lib/number.js'
import { renderProse } from '../../lib/prose.js'
import { createPointer } from '../../lessons/pointer.js'
import { createScrollKeeper } from '../../lessons/scroll_keeper.js'
import { createQuestion } from '../../lessons/question.js'
import { EXPERIMENTS, RACE, findExperiment, recordUntil } from '../experiments.js'
import { write } from '../../../src/training/settings.js'

/** @import { Translate } from '../../types.d.ts' */
/** @import { Seen } from '../../../src/training/training_record.js' */
/** @import { TrainingState } from '../../../src/training/settings.js' */

/** Where the reason can be seen. @type {Record<string, string>} */
const SELECTORS = {
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
export function mountGuide(container, { t, play, open, progress }) {
  const pointer = createPointer(container, document.documentElement, createScrollKeeper())
  /** @type {ReturnType<typeof createQuestion> | null} */ let questionView = null
  /** @type {string | null} */ let builtName = null
  /** @type {{ one: Seen, other: Seen | null } | null} */ let seen = null
  let isAnswered = false, isWaiting = false, pressCount = 0
  const name = h('span', { className: 'lesson-name' }), place = h('span', { className: 'lesson-place' })
  const text = h('p', { className: 'lesson-text' }), ask = h('div')
  const show = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'why', 'onclick': pointAtReason },
    t('theatre.guide.show'))
  const back = h('button', { type: 'button', className: 'lesson-back', onclick: () => goToStep(progress.at - 1) },
    t('player.back'))
  const next = h('button', { type: 'button', className: 'lesson-next', onclick: goForward })
  container.append(
    h('div', { className: 'lesson-line' }, name, place, h('div', { className: 'lesson-ways' }, back, next)),
    h('div', { 'aria-live': 'polite' }, text), ask, show)

  const currentExperiment = () => EXPERIMENTS[progress.name]
  /** @param {string} key @param {Record<string, string>} [values] */
  const getText = (key, values) => t(`theatre.experiments.${progress.name}.${key}`, values)
  /** @param {string} option */
  const optionText = option => (RACE.includes(option) ? t(`theatre.guide.options.${option}`) : getText(`options.${option}`))

  /** The result at the decisive step, or null before it is reached. */
  function result() {
    const { until, answer, say: numbers } = currentExperiment(), { one, other = null } = seen ?? {}
    if (!one || [one, other].some(run => run && run.loss.length < until)) return null
    const [first, second] = [recordUntil(one, until), recordUntil(other ?? one, until)]
    const values = Object.entries({ ...numbers(first, second), step: until }).map(([key, value]) => (
      [key, Number.isInteger(value) && value < LARGE ? String(value) : formatBrief(value)]))
    return { right: answer(first, second), values: Object.fromEntries(values) }
  }

  /** @param {number} at */
  function goToStep(at) {
    pointer.clear()
    progress.at = Math.max(0, Math.min(STEPS - 1, at))
    draw()
  }

  /** @param {string | null} given what the reader expects, if anything */
  function predict(given) {
    progress.given = given
    isWaiting = true
    goToStep(1)
    playIfWaiting()
  }

  /** Trains up to the decisive step, once a training is open. */
  function playIfWaiting() {
    if (!isWaiting || !seen) return
    isWaiting = false
    if (!result()) play(currentExperiment().until)
  }

  function goForward() {
    if (progress.at === 0) predict(null)
    else if (progress.at === 1) goToStep(2)
    else open(EXPERIMENTS[currentExperiment().next].link)
  }

  function pointAtReason() {
    const selector = SELECTORS[currentExperiment().look], element = document.querySelector(selector)
    if (element instanceof HTMLDetailsElement) element.open = true
    pressCount += 1
    pointer.point({ selector }, `${progress.name} ${pressCount}`)
  }

  function build() {
    builtName = progress.name
    const options = currentExperiment().options.map(id => ({ id, text: optionText(id) }))
    questionView = createQuestion({ text: getText('ask', { step: String(currentExperiment().until) }), options }, t, {
      answer: id => { if (progress.at === 0) predict(String(id)) }
    })
    ask.replaceChildren(questionView.element)
    setText(name, getText('name'))
    container.setAttribute('aria-label', getText('name'))
  }

  function draw() {
    const found = progress.at === 0 ? null : result(), isAtEnd = progress.at === STEPS - 1
    const texts = [getText('words'), found ? '' : t('theatre.guide.waiting', { step: currentExperiment().until }), getText('why', found?.values)]
    isAnswered = Boolean(found)
    text.replaceChildren(...renderProse(texts[progress.at]))
    text.hidden = texts[progress.at] === ''
    ask.hidden = isAtEnd
    show.hidden = !isAtEnd
    questionView?.show({
      wrong: found && progress.given && progress.given !== found.right ? [progress.given] : [],
      right: found?.right ?? null, isAnswered: progress.at > 0, text: found ? getText('seen', found.values) : ''
    })
    for (const button of ask.querySelectorAll('button[data-option]')) {
      button.classList.toggle('is-expected', button.getAttribute('data-option') === progress.given && progress.at > 0)
    }
    setText(place, `${progress.at + 1} / ${STEPS}`)
    back.disabled = progress.at === 0
    setText(next, progress.at === 0 ? t('theatre.guide.train', { step: currentExperiment().until })
      : isAtEnd ? t('theatre.guide.after', { name: t(`theatre.experiments.${currentExperiment().next}.name`) }) : t('player.next'))
    next.disabled = progress.at === 1 && !found
  }

  return {
    /** Whether the training is an experiment, whose guide is then displayed. @param {TrainingState} settings */
    controls(settings) {
      const experimentName = findExperiment(write(settings)) ?? ''
      if (experimentName !== progress.name) {
        Object.assign(progress, { name: experimentName, at: 0, given: null })
        seen = null
        isWaiting = false
      }
      container.hidden = !experimentName
      if (experimentName && builtName !== experimentName) build()
      if (experimentName) draw()
      else pointer.clear()
      return Boolean(experimentName)
    },
    /** @param {Seen} a @param {Seen | null} b */
    update(a, b) {
      seen = { one: a, other: b }
      playIfWaiting()
      if (progress.at === 1 && !isAnswered && result()) draw()
    }
  }
}
