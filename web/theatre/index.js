/** The training theatre: a model learns in a worker of its own, and what happens to it is shown as it happens. */

import { defaults } from '../shell/state.js'
import { markOf, textProblem } from './own_text.js'
import { samples } from './samples.js'
import { problemsOf, read, rivalOf, write } from './settings.js'
import { createTraining } from './training.js'
import { view } from './view.js'
import { wordsOf } from './words.js'

/** Until the reader stops moving a setting, nothing is begun anew. */
const CALM = 250

/** How much of a new text is its first sentence to go on with. */
const BEGINNING = 8

/** The field of each model that takes the reader's sentence. */
const FIELDS = { dates: 'source', particles: 'gapped', stories: 'beginning' }

/** What stands behind the glass once the weights of a training do. */
function behindGlass({ task, normFirst, activation, positions }, sentence) {
  const field = { [FIELDS[task]]: sentence }
  if (task !== 'dates') return field
  const isPlaced = positions !== 'none'
  return { ...field, normFirst, activation, positional: isPlaced, ...(isPlaced && { positions }) }
}

/**
 * @param {HTMLElement} container
 * @param {object} context of the page
 */
export function theatre(container, context) {
  let shown = null, settings = null, timer = 0
  /** The reader's own text; without one, an example is learned from. @type {string | undefined} */
  let text
  const training = createTraining({ onSeen, onError: fails })
  /** The other training of a race. @type {ReturnType<typeof createTraining> | null} */
  let other = null

  function fails(error) {
    console.error(error)
    shown?.view.fails(shown.t('theatre.failed', { message: error.message }))
  }

  function onSeen({ done, isPlaying }) {
    container.setAttribute('data-step', done)
    container.setAttribute('data-playing', isPlaying ? 'yes' : 'no')
    if (context.get().theatre) shown?.view.draw()
  }

  async function open() {
    clearTimeout(timer)
    shown?.view.fails('')
    try {
      await Promise.all([training.open(settings, settings.task === 'text' ? text : undefined), openOther()])
      container.setAttribute('data-open', write(settings))
      shown?.view.draw()
    } catch (error) {
      fails(error)
    }
  }

  /** Tells the training, and the other of a race. */
  const both = (type, details) => {
    other?.ask(type, details)
    return training.ask(type, details)
  }

  async function openOther() {
    const rival = rivalOf(settings)
    if (!rival) {
      other?.end()
      other = null
      return shown?.view.draw()
    }
    other ??= createTraining({ onSeen: () => shown?.view.draw(), onError: fails })
    await other.open(rival, settings.task === 'text' ? text : undefined)
  }

  /** The weights of a step, or as they are, go behind the glass. */
  async function lend(step) {
    const file = await training.file(step)
    await context.ask('lend', { model: training.settings.task, file })
  }

  async function inside() {
    try {
      training.ask('pause')
      await lend()
      const { task } = training.settings
      const { language, theme, depth, edits } = { ...context.get(), edits: [] }
      const own = behindGlass(training.settings, training.sentence)
      context.set({ ...defaults(task), language, theme, depth, edits, ...own, weights: 'theatre', theatre: '' }, 'push')
      context.again()
    } catch (error) {
      fails(error)
    }
  }

  /** Builds anew what holds words. */
  async function speak() {
    const t = await wordsOf(context)
    shown?.view.destroy()
    shown = { t, view: view(container, {
      t, theme: context.theme, both, other: () => other, show: link => context.set({ theatre: link }),
      get: () => settings, inside, give, again: open,
      set: patch => context.set({ theatre: write({ ...settings, ...patch }) }),
      leave: () => context.set({ theatre: '' }, 'push')
    }, training) }
    if (settings) showControls()
    shown.view.draw()
  }

  /** Another text: what differs is in the link, the text itself is not. @param {string} given */
  function give(given) {
    text = given === '' ? undefined : given
    context.set({ theatre: write({ ...settings, mark: markOf(text) }) })
    training.say(given.trimStart().slice(0, BEGINNING))
    showControls()
  }

  /** What is wrong with the settings and the text. */
  function allProblems() {
    if (settings.task !== 'text') return problemsOf(settings)
    const isElsewhere = settings.mark !== markOf(text)
    const found = isElsewhere ? { key: 'theatre.errors.elsewhere', values: {} } : text && textProblem(text, settings)
    return { ...problemsOf(settings), ...(found && { text: found }) }
  }

  function showControls() {
    const problems = Object.entries(allProblems())
      .map(([name, { key, values }]) => [name, shown.t(key, values)])
    shown.view.controls(settings, Object.fromEntries(problems), text)
    return problems.length === 0
  }

  return {
    ready: speak(),
    speak,
    /** Where the training stands, or null. */
    facts: training.facts,
    lend,
    /** While nobody looks. */
    rest: () => training.last?.isPlaying && both('pause'),
    /** @param {{ theatre: string }} state */
    update(state) {
      if (!shown) return
      const next = read(state.theatre)
      const isNew = settings === null || write(next) !== write(settings)
      const isOther = settings?.task !== next.task
      settings = next
      if (isOther) training.say(samples[settings.task])
      const isRight = showControls()
      clearTimeout(timer)
      if (!isNew || !isRight) return shown.view.draw()
      if (training.last) both('pause')
      timer = setTimeout(open, isOther ? 0 : CALM)
    }
  }
}
