/**
 * Opens the training page, which is loaded on first use, and mounts the line above the rooms while they display weights
 * from it.
 */

import { h, setText } from '../lib/dom.js'
import { MODELS } from '../models/index.js'

/** @import { Context, State } from '../types.d.ts' */

/** Models that can be trained. */
const TRAINED = MODELS.filter(({ settings }) => settings.weights?.options?.theatre).map(({ id }) => id)
let lastTraining = ''

/** The training that was left last, or that of the current model. @param {State} state */
export const theatreOf = ({ model, weights }) => {
  const lastTask = lastTraining.split('_', 1)[0]
  if (lastTraining && (lastTask === model || weights === 'theatre' || !TRAINED.includes(model))) return lastTraining
  return TRAINED.includes(model) ? model : TRAINED[0]
}

/**
 * A scrubber over the steps of the training, for the rooms.
 * @param {Pick<Context, 't' | 'set'>} context @param {(step: number) => void} go
 */
function line({ t, set }, go) {
  const slider = h('input', {
    'type': 'range', 'min': 0, 'step': 1, 'data-action': 'learned', 'aria-label': t('app.learned'),
    'oninput': ({ currentTarget }) => go(Number(currentTarget.value))
  })
  const place = h('output')
  const back = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'theatre-back', 'onclick': () => (
    set({ theatre: lastTraining }, 'push')) }, t('app.theatreBack'))
  const element = h('div', { 'className': 'learned', 'role': 'group', 'aria-label': t('app.learned') },
    h('span', {}, t('app.learned')), slider, place, back)
  return {
    element,
    /** @param {{ step: number, known: number, total: number }} facts */
    update({ step, known, total }) {
      slider.max = String(known)
      slider.value = String(step)
      const text = t('app.learnedAt', { step, total })
      slider.setAttribute('aria-valuetext', text)
      setText(place, text)
    }
  }
}

/**
 * @param {HTMLElement} house the element that the training page replaces
 * @param {Context} context
 * @param {Context['fails']} fails
 */
export function theatreDoor(house, context, fails) {
  /** @type {ReturnType<typeof import('../theatre/index.js').theatre>} */ let inside
  /** @type {ReturnType<typeof line>} */ let bar
  /** @type {string | null} */ let language = null
  /** @type {number | null} */ let wanted = null
  const container = h('main', { className: 'theatre' })
  const slot = h('div', { className: 'learned-slot' })
  house.after(container)
  house.before(slot)

  function showStep() {
    const facts = inside.facts()
    if (facts) bar.update(facts)
  }

  /**
   * Loads the weights of a step; requests for steps in between are dropped.
   * @param {number} step
   */
  async function go(step) {
    const isBusy = wanted !== null
    wanted = step
    if (isBusy) return
    try {
      for (let next = null; next !== wanted;) {
        next = wanted
        await inside.lend(next)
        showStep()
        context.again()
      }
    } catch (error) {
      fails(error)
    }
    wanted = null
  }

  async function enter() {
    language = context.language()
    const { theatre } = await import('../theatre/index.js')
    if (inside) await inside.speak()
    else inside = theatre(container, context)
    await inside.ready
    bar = line(context, go)
    slot.replaceChildren(bar.element)
    update(context.get())
  }

  /** @param {State} state */
  function update(state) {
    const isOpen = state.theatre !== ''
    if (isOpen) lastTraining = state.theatre
    document.documentElement.toggleAttribute('data-theatre', isOpen)
    const isLent = !isOpen && state.weights === 'theatre' && Boolean(inside?.facts())
    document.documentElement.toggleAttribute('data-learned', isLent)
    if (isLent) showStep()
    if ((isOpen || inside) && language !== context.language()) enter().catch(fails)
    else if (isOpen) inside?.update(state)
    else inside?.rest()
  }
  return { update }
}
