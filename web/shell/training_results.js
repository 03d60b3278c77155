/** The held-out accuracy of a model's trained variants, from their files: a table, and a sentence for a comparison. */

import { handleInternalClick, h, setText } from '../lib/dom.js'
import { defaultsOf, modelOf } from '../models/index.js'
import { describeComparison } from '../twin/describe.js'
import { valueLabel } from './controls.js'
import { fetchJson } from '../lib/fetch_on_demand.js'

/** @import { Context, Settings, Translate } from '../types.d.ts' */
/** @import { TrainedVariant } from '../models/collect.js' */

/** @param {number} fraction */
const percent = fraction => String(Math.round(fraction * 1000) / 10)

/** @typedef {{ settings: Partial<Settings> }} Variant */

/** The table stays open from room to room. */
let isOpen = false

/** Whether trained weights match a state. @param {Variant} variant @param {Settings} state */
const matchesVariant = ({ settings }, state) => Object.entries(settings).every(([name, value]) => state[name] === value)

/** The held-out accuracy in words. @param {TrainedVariant} learned @param {Translate} t */
const formatAccuracy = ({ right }, t) => Object.entries(right)
  .map(([key, fraction]) => t('learned.share', { language: t(`learned.${key}`), percent: percent(fraction) })).join(', ')

/**
 * The settings in which a variant differs from the model's defaults.
 * @param {Variant} variant @param {string} model @param {Translate} t
 */
function describeVariant({ settings }, model, t) {
  const defaults = defaultsOf(model)
  const changedNames = Object.keys(settings).filter(name => settings[name] !== defaults[name])
  if (changedNames.length === 0) return t('learned.usual')
  return changedNames.map(name => describeComparison({ name, value: settings[name], word: valueLabel(name, { ...defaults, ...settings }) }, t)).join(' · ')
}

/**
 * Compares the held-out accuracy of both sides; an empty text where there is nothing to compare.
 * @param {Settings} here @param {Settings} there @param {Translate} t @returns {Promise<string>}
 */
export async function compareResults(here, there, t) {
  const { variants, training: trainingLink } = modelOf(here.model)
  if (!variants || variants.every(variant => matchesVariant(variant, here) === matchesVariant(variant, there))) return ''
  const untrained = [here, there].filter(side => trainingLink?.(side))
  if (untrained.length) return t('learned.twinNone', { side: untrained.map(side => (
    t(`twin.${side === here ? 'here' : 'there'}`))).join(', ') })
  /** @type {TrainedVariant[]} */ const all = (await fetchJson('learned'))[here.model]
  const [hereVariant, thereVariant] = [here, there].map(state => all.find(variant => matchesVariant(variant, state)))
  return hereVariant && thereVariant ? t('learned.twin', { here: formatAccuracy(hereVariant, t), there: formatAccuracy(thereVariant, t) }) : ''
}

/**
 * The table, collapsed; each variant links to itself.
 * @param {Pick<Context, 't' | 'get' | 'set' | 'link' | 'reportError'>} context
 */
export function mountTrainingResults({ t, get, set, link, reportError }) {
  const { model } = get()
  const note = h('p', { className: 'note' })
  const tableContainer = h('div', { 'className': 'learned-all', 'tabindex': '0', 'role': 'region',
    'aria-label': t('learned.title') })
  /** @type {{ one: TrainedVariant, deed: HTMLElement, line: HTMLElement }[]} */ let rows = []
  /** @type {HTMLDetailsElement} */
  const element = h('details', { className: 'learned-variants', open: isOpen, ontoggle: () => {
    isOpen = element.open
    if (isOpen) fill().catch(reportError)
  } }, h('summary', {}, t('learned.title')), note, tableContainer)

  async function fill() {
    if (rows.length) return
    /** @type {TrainedVariant[]} */ const all = (await fetchJson('learned'))[model]
    const columns = Object.keys(all[0].right)
    rows = all.map(variant => {
      const deed = h('a', { className: 'deed', onclick: handleInternalClick(() => set(variant.settings, 'push')) },
        describeVariant(variant, model, t))
      const line = h('tr', {}, h('th', { scope: 'row' }, deed),
        columns.map(key => h('td', {}, `${percent(variant.right[key])}%`)))
      return { one: variant, deed, line }
    })
    setText(note, t('learned.what', { steps: all[0].steps.toLocaleString(document.documentElement.lang) }))
    tableContainer.replaceChildren(h('table', {}, h('thead', {}, h('tr', {},
      [t('learned.variant'), ...columns.map(key => t(`learned.${key}`))].map(text => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, rows.map(({ line }) => line))))
    update()
  }
  function update() {
    const state = get()
    for (const { one: variant, deed, line } of rows) {
      deed.setAttribute('href', link(variant.settings))
      const isHere = matchesVariant(variant, state)
      line.classList.toggle('is-here', isHere)
      if (isHere) deed.setAttribute('aria-current', 'true')
      else deed.removeAttribute('aria-current')
    }
  }
  return { element, update }
}
