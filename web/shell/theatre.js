/**
 * The door to the training theatre, which is fetched when somebody goes in, and the line that stands above the house
 * while the weights behind the glass are the theatre's.
 */

import { h, setText } from '../lib/dom.js'
import { MODELS } from '../models/index.js'

/** @import { Context, State } from '../types.d.ts' */

/** Models that can be trained. */
const TRAINED = MODELS.filter(({ settings }) => settings.weights?.options?.theatre).map(({ id }) => id)
let lastTraining = ''

/** The training that was left, or that of the model behind the glass. @param {State} state */
export const theatreOf = ({ model, weights }) => {
  const known = lastTraining.split('_', 1)[0]
  if (lastTraining && (known === model || weights === 'theatre' || !TRAINED.includes(model))) return lastTraining
  return TRAINED.includes(model) ? model : TRAINED[0]
}

/**
 * Steps of the training to walk through inside the glass.
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
 * @param {HTMLElement} house what the theatre stands in place of
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
   * Goes to a step and puts its weights behind the glass; steps asked for in between are passed over.
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
