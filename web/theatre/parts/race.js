/** Two trainings side by side: the setting that differs, and the step at which they diverge. */

import { h, setText, uniqueId } from '../../lib/dom.js'
import { formatBrief } from '../../lib/number.js'
import { EXPERIMENTS } from '../experiments.js'
import { findDivergence } from '../downsample.js'
import { TRAINING_SETTINGS, rivalText } from '../../../src/training/settings.js'

/** @import { Translate } from '../../types.d.ts' */
/** @import { Seen } from '../../../src/training/training_record.js' */
/** @import { TrainingSetting, TrainingState } from '../../../src/training/settings.js' */

/**
 * The other values of a setting, as in a link.
 * @param {string} name @param {TrainingSetting} setting @param {TrainingState} state
 */
function listRivals(name, setting, state) {
  const values = setting.options ? Object.values(setting.options) : setting.ladder?.(state) ?? []
  /** @param {unknown} value */
  const isRival = value => !Object.is(value, state[name]) && (setting.fits?.(value, state) ?? true)
  return values.filter(value => isRival(value) && value !== setting.hidden)
    .map(value => ({ value, text: rivalText(name, value) }))
}

/**
 * @param {Element} container
 * @param {{ t: Translate, set(patch: Partial<TrainingState>): void, open(link: string): void }} context
 */
export function mountRace(container, { t, set, open }) {
  const id = uniqueId('race')
  /** @type {HTMLSelectElement} */
  const select = h('select', { id, 'data-action': 'race', 'onchange': () => set({ rival: select.value }) })
  const result = h('p', { className: 'theatre-raced', role: 'status' })
  const problemNote = h('p', { className: 'problem', role: 'alert' })
  const experimentButtons = Object.entries(EXPERIMENTS).map(([name, { link }]) => h('button', {
    'type': 'button', 'className': 'quiet', 'data-experiment': name, 'onclick': () => open(link)
  }, t(`theatre.experiments.${name}.name`)))
  container.append(
    h('div', { 'className': 'theatre-experiments', 'role': 'group', 'aria-label': t('theatre.try') },
      h('span', {}, t('theatre.try')), experimentButtons),
    h('div', { className: 'theatre-choice' }, h('label', { for: id }, t('theatre.race')), select), problemNote, result)
  let lastKey = ''
  /** @param {TrainingSetting} setting @param {string} name @param {unknown} value */
  const valueLabel = ({ options }, name, value) => {
    const word = options && Object.keys(options).find(option => options[option] === value)
    return word ? t(`controls.${name}.${word}`) : String(value)
  }
  return {
    /** @param {TrainingState} state @param {string | undefined} problem of the other training */
    controls(state, problem) {
      setText(problemNote, problem ? t('theatre.errors.rival', { problem }) : '')
      const groups = Object.entries(TRAINING_SETTINGS).filter(([, { kind, hasEffect }]) => kind !== 'mark' && (hasEffect?.(state) ?? true))
        .map(([name, setting]) => ({ name, setting, list: listRivals(name, setting, state) }))
      const key = JSON.stringify(groups)
      if (key !== lastKey) {
        select.replaceChildren(h('option', { value: '' }, t('theatre.alone')), ...groups.map(({ name, setting, list }) => (
          h('optgroup', { label: t(`controls.${name}.label`) }, list.map(({ value, text }) => (
            h('option', { value: text }, `${t(`controls.${name}.label`)}: ${valueLabel(setting, name, value)}`)))))))
        lastKey = key
      }
      select.value = state.rival
    },
    /** @param {Seen} seen @param {Seen | null} other */
    update(seen, other) {
      const at = other ? findDivergence(seen.loss, other.loss) : 0
      // The wedge of the chart, which marks that step.
      result.classList.toggle('has-wedge', at > 0)
      if (!other) return setText(result, '')
      const commonSteps = Math.min(seen.loss.length, other.loss.length)
      if (!at) return setText(result, commonSteps ? t('theatre.same', { step: commonSteps }) : '')
      setText(result, t('theatre.parted', {
        at, step: commonSteps, one: formatBrief(seen.loss[commonSteps - 1]),
        other: formatBrief(other.loss[commonSteps - 1])
      }))
    }
  }
}
