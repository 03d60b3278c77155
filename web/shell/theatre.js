/**
 * Opens the training page, which is loaded on first use, and mounts the line above the rooms while they display weights
 * from it.
 */

import { h, setText } from '../lib/dom.js'
import { MODELS } from '../models/index.js'

/** @import { Context, State } from '../types.d.ts' */

/** Models that can be trained. */
const TRAINABLE_MODELS = MODELS.filter(({ settings }) => settings.weights?.options?.theatre).map(({ id }) => id)
let lastTraining = ''

/** The training that was left last, or that of the current model. @param {State} state */
export const trainingToOpen = ({ model, weights }) => {
  const lastTask = lastTraining.split('_', 1)[0]
  if (lastTraining && (lastTask === model || weights === 'theatre' || !TRAINABLE_MODELS.includes(model))) return lastTraining
  return TRAINABLE_MODELS.includes(model) ? model : TRAINABLE_MODELS[0]
}

/**
 * A scrubber over the steps of the training, for the rooms.
 * @param {Pick<Context, 't' | 'set'>} context @param {(step: number) => void} onStep
 */
function createStepLine({ t, set }, onStep) {
  const slider = h('input', {
    'type': 'range', 'min': 0, 'step': 1, 'data-action': 'learned', 'aria-label': t('app.learned'),
    'oninput': ({ currentTarget }) => onStep(Number(currentTarget.value))
  })
  const stepOutput = h('output')
  const back = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'theatre-back', 'onclick': () => (
    set({ theatre: lastTraining }, 'push')) }, t('app.theatreBack'))
  const element = h('div', { 'className': 'learned', 'role': 'group', 'aria-label': t('app.learned') },
    h('span', {}, t('app.learned')), slider, stepOutput, back)
  return {
    element,
    /** @param {{ step: number, known: number, total: number }} facts */
    update({ step, known, total }) {
      slider.max = String(known)
      slider.value = String(step)
      const text = t('app.learnedAt', { step, total })
      slider.setAttribute('aria-valuetext', text)
      setText(stepOutput, text)
    }
  }
}

/**
 * @param {HTMLElement} house the element that the training page replaces
 * @param {Context} context
 * @param {Context['reportError']} reportError
 */
export function mountTrainingPage(house, context, reportError) {
  /** @type {ReturnType<typeof import('../theatre/index.js').mountTheatre>} */ let trainingPage
  /** @type {ReturnType<typeof createStepLine>} */ let stepLine
  /** @type {string | null} */ let language = null
  /** @type {number | null} */ let requestedStep = null
  const container = h('main', { className: 'theatre' })
  const slot = h('div', { className: 'learned-slot' })
  house.after(container)
  house.before(slot)

  function showStep() {
    const stepInfo = trainingPage.facts()
    if (stepInfo) stepLine.update(stepInfo)
  }

  /**
   * Loads the weights of a step; requests for steps in between are dropped.
   * @param {number} step
   */
  async function goToStep(step) {
    const isBusy = requestedStep !== null
    requestedStep = step
    if (isBusy) return
    try {
      for (let next = null; next !== requestedStep;) {
        next = requestedStep
        await trainingPage.lend(next)
        showStep()
        context.rerun()
      }
    } catch (error) {
      reportError(error)
    }
    requestedStep = null
  }

  async function enter() {
    language = context.language()
    const { mountTheatre: theatre } = await import('../theatre/index.js')
    if (trainingPage) await trainingPage.speak()
    else trainingPage = theatre(container, context)
    await trainingPage.ready
    stepLine = createStepLine(context, goToStep)
    slot.replaceChildren(stepLine.element)
    update(context.get())
  }

  /** @param {State} state */
  function update(state) {
    const isOpen = state.theatre !== ''
    if (isOpen) lastTraining = state.theatre
    document.documentElement.toggleAttribute('data-theatre', isOpen)
    const hasTrainingPageWeights = !isOpen && state.weights === 'theatre' && Boolean(trainingPage?.facts())
    document.documentElement.toggleAttribute('data-learned', hasTrainingPageWeights)
    if (hasTrainingPageWeights) showStep()
    if ((isOpen || trainingPage) && language !== context.language()) enter().catch(reportError)
    else if (isOpen) trainingPage?.update(state)
    else trainingPage?.rest()
  }
  return { update }
}
