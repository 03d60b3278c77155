/** The held-out accuracy of a model's trained variants, from their files: a table, and a sentence for a comparison. */

import { following, h, setText } from '../lib/dom.js'
import { defaultsOf, modelOf } from '../models/index.js'
import { words } from '../twin/choice.js'
import { wordOf } from './controls.js'
import { fetchJson } from './fetch_on_demand.js'

/** @import { Context, Settings, Translate } from '../types.d.ts' */
/** @import { Learned } from '../models/collect.js' */

/** @param {number} fraction */
const percent = fraction => String(Math.round(fraction * 1000) / 10)

/** @typedef {{ settings: Partial<Settings> }} Variant */

/** The table stays open from room to room. */
let isOpen = false

/** Whether trained weights match a state. @param {Variant} variant @param {Settings} state */
const isOf = ({ settings }, state) => Object.entries(settings).every(([name, value]) => state[name] === value)

/** The held-out accuracy in words. @param {Learned} learned @param {Translate} t */
const accuracyText = ({ right }, t) => Object.entries(right)
  .map(([key, fraction]) => t('learned.share', { language: t(`learned.${key}`), percent: percent(fraction) })).join(', ')

/**
 * The settings in which a variant differs from the model's defaults.
 * @param {Variant} variant @param {string} model @param {Translate} t
 */
function named({ settings }, model, t) {
  const usual = defaultsOf(model)
  const other = Object.keys(settings).filter(name => settings[name] !== usual[name])
  if (other.length === 0) return t('learned.usual')
  return other.map(name => words({ name, value: settings[name], word: wordOf(name, { ...usual, ...settings }) }, t)).join(' · ')
}

/**
 * Compares the held-out accuracy of both sides; an empty text where there is nothing to compare.
 * @param {Settings} here @param {Settings} there @param {Translate} t @returns {Promise<string>}
 */
export async function compareResults(here, there, t) {
  const { variants, offer } = modelOf(here.model)
  if (!variants || variants.every(one => isOf(one, here) === isOf(one, there))) return ''
  const untrained = [here, there].filter(side => offer?.(side))
  if (untrained.length) return t('learned.twinNone', { side: untrained.map(side => (
    t(`twin.${side === here ? 'here' : 'there'}`))).join(', ') })
  /** @type {Learned[]} */ const all = (await fetchJson('learned'))[here.model]
  const [one, other] = [here, there].map(state => all.find(variant => isOf(variant, state)))
  return one && other ? t('learned.twin', { here: accuracyText(one, t), there: accuracyText(other, t) }) : ''
}

/**
 * The table, collapsed; each variant links to itself.
 * @param {Pick<Context, 't' | 'get' | 'set' | 'link' | 'fails'>} context
 */
export function trainingResults({ t, get, set, link, fails }) {
  const { model } = get()
  const note = h('p', { className: 'note' })
  const place = h('div', { 'className': 'learned-all', 'tabindex': '0', 'role': 'region',
    'aria-label': t('learned.title') })
  /** @type {{ one: Learned, deed: HTMLElement, line: HTMLElement }[]} */ let rows = []
  /** @type {HTMLDetailsElement} */
  const element = h('details', { className: 'learned-variants', open: isOpen, ontoggle: () => {
    isOpen = element.open
    if (isOpen) fill().catch(fails)
  } }, h('summary', {}, t('learned.title')), note, place)

  async function fill() {
    if (rows.length) return
    /** @type {Learned[]} */ const all = (await fetchJson('learned'))[model]
    const columns = Object.keys(all[0].right)
    rows = all.map(one => {
      const deed = h('a', { className: 'deed', onclick: following(() => set(one.settings, 'push')) },
        named(one, model, t))
      const line = h('tr', {}, h('th', { scope: 'row' }, deed),
        columns.map(key => h('td', {}, `${percent(one.right[key])}%`)))
      return { one, deed, line }
    })
    setText(note, t('learned.what', { steps: all[0].steps.toLocaleString(document.documentElement.lang) }))
    place.replaceChildren(h('table', {}, h('thead', {}, h('tr', {},
      [t('learned.variant'), ...columns.map(key => t(`learned.${key}`))].map(text => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, rows.map(({ line }) => line))))
    update()
  }
  function update() {
    const state = get()
    for (const { one, deed, line } of rows) {
      deed.setAttribute('href', link(one.settings))
      const isHere = isOf(one, state)
      line.classList.toggle('is-here', isHere)
      if (isHere) deed.setAttribute('aria-current', 'true')
      else deed.removeAttribute('aria-current')
    }
  }
  return { element, update }
}
