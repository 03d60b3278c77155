/** The settings of a training, their defaults, and their problems. */

import { h, setText } from '../../lib/dom.js'
import { createControl } from '../../shell/controls.js'
import { TRAINING_SETTINGS, defaultsOf } from '../../../src/training/settings.js'

/** @import { Setting, Translate } from '../../types.d.ts' */
/** @import { TrainingState } from '../../../src/training/settings.js' */

const GROUPS = ['optimizer', 'data', 'model']

/**
 * @param {Element} container
 * @param {{ t: Translate, get(): TrainingState, set(patch: Partial<TrainingState>): void }} context
 */
export function mountSettings(container, { t, get, set }) {
  const controls = Object.entries(TRAINING_SETTINGS).filter(([, { kind }]) => kind !== 'mark').map(([name, setting]) => {
    const control = createControl(name, { t, get, set }, /** @type {Setting} */ (setting))
    const explanation = h('p', { className: 'theatre-why' })
    control.element.append(explanation)
    return { name, group: setting.group, hasEffect: setting.hasEffect, ...control, why: explanation }
  })
  const summary = h('summary', {}, t('theatre.settings'))
  const details = h('details', { className: 'theatre-settings' }, summary, GROUPS.map(group => (
    h('section', {}, h('h2', {}, t(`theatre.groups.${group}`)), h('div', { className: 'settings-grid' },
      controls.filter(control => control.group === group).map(({ element }) => element))))))
  container.append(details)
  return {
    /** @param {TrainingState} state @param {Record<string, string>} problems */
    update(state, problems) {
      const defaults = defaultsOf(state.task)
      if (Object.keys(problems).length) details.open = true
      for (const { name, element, update, why: explanation, hasEffect } of controls) {
        element.hidden = !(hasEffect?.(state) ?? true)
        update(state, problems)
        setText(explanation, `${t(`theatre.why.${name}`)}${Object.is(state[name], defaults[name]) ? '' : ` ${t('theatre.was', {
          value: valueLabel(name, defaults[name], t)
        })}`}`)
      }
    }
  }
}

/** @param {string} name @param {unknown} value @param {Translate} t */
function valueLabel(name, value, t) {
  const { options } = TRAINING_SETTINGS[name]
  const word = options && Object.keys(options).find(option => options[option] === value)
  return word ? t(`controls.${name}.${word}`) : String(value)
}
