/** All controls of the models: labels, options, and how they report problems. */

import { activeElementNear, h, setText, uniqueId } from '../lib/dom.js'
import { createSegments } from '../lib/segments.js'
import { hasEffect, modelOf } from '../models/index.js'
import { SETTINGS } from '../../src/training/model_settings.js'

/** @import { Context, Setting, Settings, Translate } from '../types.d.ts' */

/**
 * What a control uses of the page.
 * @typedef {{ t: Translate, set: (patch: Partial<Settings>) => void, get: () => Settings }} Settable
 * @typedef {{ element: HTMLElement, input?: HTMLInputElement, show: (state: Settings) => void }} Control
 * @typedef {{ value: unknown, word?: string }} Alternative another value, with the key of its word
 */

/** @type {Record<string, number>} */ const STEPS = { ArrowUp: 1, ArrowDown: -1 }

/** The setting of a name for a model, or undefined. @param {string} name @param {string} model */
const findSetting = (name, model) => /** @type {Setting | undefined} */ (modelOf(model).settings[name])

/** Whether a model has a control. @param {string} name @param {string} model */
export const hasControl = (name, model) => findSetting(name, model) !== undefined

/** Whether a setting has any effect in the current state. @param {string} name @param {Settings} state */
export function hasSettingEffect(name, state) {
  const setting = findSetting(name, state.model)
  return setting !== undefined && hasEffect(setting, state)
}

/** The controls of a model. @param {string} model */
export const controlsOf = model => (
  Object.entries(modelOf(model).settings).filter(([, { kind }]) => kind !== 'link').map(([name]) => name))

/** The options of a choice, each with the key of its label. @param {Pick<Setting, 'options'>} setting */
const listChoices = ({ options }) => Object.entries(options ?? {}).map(([word, value]) => ({ word, value }))

/**
 * The other values a control can take, each with the key of its label where it has one.
 * @param {string} name
 * @param {Settings} state
 * @returns {Alternative[]}
 */
export function listAlternatives(name, state) {
  const setting = /** @type {Setting} */ (findSetting(name, state.model))
  const { kind, ladder, hidden } = setting
  /** @type {Alternative[]} */
  const alternatives = kind === 'choice' ? listChoices(setting) : (ladder?.(state) ?? []).map(value => ({ value }))
  return alternatives.filter(({ value }) => value !== state[name] && (hidden === undefined || value !== hidden))
}

/** The key of the label of a control's value, where it has one. @param {string} name @param {Settings} state */
export const valueLabel = (name, state) => {
  const { kind, ...setting } = /** @type {Setting} */ (findSetting(name, state.model))
  return kind === 'choice' ? listChoices(setting).find(({ value }) => value === state[name])?.word : undefined
}

/** The controls in the order of the settings dialog. */
export const CONTROLS = Object.keys(SETTINGS)

/** @param {string} name @param {Setting} setting @param {Settable} context @returns {Control} */
function createChoice(name, { options, hidden, fits = () => true }, { t, set }) {
  const group = uniqueId(name)
  const inputs = Object.entries(options ?? {}).map(([word, value]) => ({ word, value, input: h('input', {
    type: 'radio', name: group, value: word, onchange: () => set({ [name]: value })
  }) }))
  const element = h('fieldset', { className: 'control' }, h('legend', {}, t(`controls.${name}.label`)),
    h('div', { className: 'segments' }, inputs.map(({ word, input }) => (
      h('label', {}, input, h('span', {}, t(`controls.${name}.${word}`)))))))
  return { element, show: state => inputs.forEach(({ value, input }) => {
    const label = /** @type {HTMLElement} */ (input.parentNode)
    input.checked = state[name] === value
    const isOffered = (hidden === undefined || value !== hidden) && fits(value, state)
    label.hidden = !isOffered && !input.checked
  }) }
}

/** @param {string} name @param {Setting} setting @param {Settable} context @returns {Control} */
function createStepper(name, { ladder }, { t, set, get }) {
  const id = uniqueId(name)
  const label = t(`controls.${name}.label`)
  const input = h('input', { id, type: 'text', inputmode: 'decimal', autocomplete: 'off', size: '7', oninput: event => {
    const { value } = event.currentTarget
    set({ [name]: value.trim() === '' ? Number.NaN : Number(value) })
  } })
  /** The next value in a direction, if there is one. @param {number} direction @param {Settings} state */
  const nextValue = (direction, state) => {
    const ladderValues = ladder?.(state) ?? [], currentValue = Number(state[name])
    return direction > 0 ? ladderValues.find(n => n > currentValue) : ladderValues.findLast(n => n < currentValue)
  }
  /** @param {number} direction */
  const step = direction => {
    const next = nextValue(direction, get())
    if (next !== undefined) set({ [name]: next })
  }
  input.addEventListener('keydown', event => {
    const direction = STEPS[event.key]
    if (!direction) return
    event.preventDefault()
    step(direction)
  })
  /** @param {string} sign @param {string} key @param {number} direction */
  const button = (sign, key, direction) => h('button', {
    'type': 'button', 'aria-label': t(`controls.${key}`, { name: label }), 'onclick': () => step(direction)
  }, sign)
  const decreaseButton = button('−', 'less', -1), increaseButton = button('+', 'greater', 1)
  const element = h('div', { className: 'control' },
    h('label', { for: id }, label, ' ', h('code', {}, t(`controls.${name}.hint`))),
    h('div', { className: 'stepper' }, decreaseButton, input, increaseButton))
  return { element, input, show: state => {
    // Not `disabled`: the button that was pressed keeps the focus.
    decreaseButton.setAttribute('aria-disabled', String(nextValue(-1, state) === undefined))
    increaseButton.setAttribute('aria-disabled', String(nextValue(1, state) === undefined))
    if (activeElementNear(input) !== input || Number(input.value) !== state[name]) {
      if (!Number.isNaN(Number(state[name]))) input.value = String(state[name])
    }
  } }
}

/** @param {string} name @param {Setting} setting @param {Settable} context @returns {Control} */
function createSlider(name, { range: [low, high, step] = [0, 1, 1] }, { t, set }) {
  const id = uniqueId(name)
  const input = h('input', {
    id, type: 'range', min: low, max: high, step,
    oninput: ({ currentTarget }) => set({ [name]: Number(currentTarget.value) })
  })
  const output = h('output', { for: id })
  const element = h('div', { className: 'control' },
    h('label', { for: id }, t(`controls.${name}.label`), ' ', h('code', {}, t(`controls.${name}.hint`))),
    h('div', { className: 'slider' }, input, output))
  return { element, input, show: state => {
    input.value = String(state[name])
    setText(output, String(state[name]))
  } }
}

/**
 * A slider whose stops are the rungs of the ladder; any other value is displayed at the nearest rung.
 * @param {string} name @param {Setting} setting @param {Settable} context @returns {Control}
 */
function createLadderSlider(name, { ladder: steps }, { t, set, get }) {
  const id = uniqueId(name)
  const ladderValues = steps?.(get()) ?? []
  const input = h('input', {
    id, type: 'range', min: 0, max: ladderValues.length - 1, step: 1,
    oninput: ({ currentTarget }) => set({ [name]: ladderValues[Number(currentTarget.value)] })
  })
  const output = h('output', { for: id })
  const element = h('div', { className: 'control' },
    h('label', { for: id }, t(`controls.${name}.label`), ' ', h('code', {}, t(`controls.${name}.hint`))),
    h('div', { className: 'slider' }, input, output))
  return { element, input, show: state => {
    const ladderIndex = ladderValues.findIndex(step => step >= Number(state[name]))
    input.value = String(ladderIndex < 0 ? ladderValues.length - 1 : ladderIndex)
    input.setAttribute('aria-valuetext', String(state[name]))
    setText(output, String(state[name]))
  } }
}

const KINDS = { choice: createChoice, number: createStepper, slider: createSlider, ladder: createLadderSlider }

/**
 * One control with a place for its problem, and for the reason why it is disabled.
 * @param {string} name
 * @param {Settable} context
 * @param {Setting} [setting] for a setting that is not the model's own
 */
export function createControl(name, context, setting = findSetting(name, context.get().model) ?? SETTINGS[name]) {
  const { element, input, show } = KINDS[/** @type {keyof typeof KINDS} */ (setting.kind)](name, setting, context)
  const problem = h('p', { className: 'problem', role: 'alert', id: uniqueId('problem') })
  element.setAttribute('data-control', name)
  const idleReason = setting.isIdle ? context.t(`controls.${name}.idle`) : ''
  const idleNote = h('p', { className: 'control-idle', hidden: true }, idleReason)
  element.append(problem, idleNote)
  if (setting.isExplained) element.append(h('p', { className: 'control-why' }, context.t(`controls.${name}.why`)))
  input?.setAttribute('aria-describedby', problem.id)
  return {
    element,
    /** @param {Settings} state @param {Record<string, string>} problems texts by control */
    update(state, problems) {
      show(state)
      const isIdle = Boolean(setting.isIdle?.(state))
      element.toggleAttribute('disabled', isIdle)
      idleNote.hidden = !isIdle
      setText(problem, problems[name] ?? '')
      element.classList.toggle('is-wrong', Boolean(problems[name]))
      input?.setAttribute('aria-invalid', problems[name] ? 'true' : 'false')
    }
  }
}

/**
 * A row of alternatives that only changes what is displayed: a sentence, a head, a vector.
 * @param {string} name
 * @param {Pick<Context, 't' | 'set'>} context
 */
export function createPicker(name, { t, set }) {
  const list = createSegments(t(`frame.${name}`), (/** @type {unknown} */ value) => set({ [name]: value }))
  list.element.setAttribute('data-picker', name)
  return list
}
