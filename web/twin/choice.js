/** The setting that a run is compared under: a list of all comparisons, and a button at each control of the stage. */

import { activeElementNear, setChildren, findElement, h, uniqueId } from '../lib/dom.js'
import { hasEdits, toggleEdits } from '../lib/edits.js'
import { listDependencies, partKey, listParts } from '../lib/ablation_parts.js'
import { modelOf, textField } from '../models/index.js'
import { otherTextOf } from '../models/pairs.js'
import { listAlternatives, controlsOf, hasSettingEffect, valueLabel } from '../shell/controls.js'
import { describeComparison } from './describe.js'
import { isNarrow } from './layout.js'

/** @import { Context, Room, Settings, State, Translate } from '../types.d.ts' */
/** @import { Part } from '../lib/ablation_parts.js' */
/** @import { Alternative, Comparison } from './describe.js' */

/**
 * Comparisons without a control: without the reader's edits, with another text.
 * @type {Record<string, (state: Settings) => Alternative[]>}
 */
const SETTINGS_WITHOUT_CONTROL = {
  edits: ({ edits }) => (edits.length ? [{ value: [], word: 'none', now: 'some' }] : []),
  text(state) {
    const { text, problem } = otherTextOf(/** @type {State} */ (state))
    return text && !problem ? [textAlternative(text, state)] : []
  }
}

/** @param {string} value another text @param {Settings} state @returns {Alternative} */
const textAlternative = (value, state) => ({ value, key: textField(modelOf(state.model)) })

/** Settings that change the length of the run, whose figures cannot be compared. */
const EXCLUDED_SETTINGS = ['maxNewTokens']

/** Settings that only matter where the answer is generated. */
const GENERATION_SETTINGS = ['decoding', 'beams', 'temperature', 'topK', 'topP']
const GENERATION_STAGES = ['sampling', 'decoding']

/** A part of the model, ablated or restored. @param {Part} part @param {Settings} state @returns {Alternative} */
function toggledPart(part, { edits }) {
  const isOff = hasEdits(edits, part.edits)
  const [word, now] = isOff ? ['on', 'off'] : ['off', 'on']
  return { value: toggleEdits(edits, part.edits, !isOff), word, now, part, key: 'edits' }
}

/** @param {Alternative} alternative */
const serializeValue = ({ value, word, part }) => part ? partKey(part) : (Array.isArray(value) ? word : String(value))

/** Everything a setting can be compared with. @param {string} name @param {Settings} state @returns {Alternative[]} */
function listComparisons(name, state) {
  if (Object.hasOwn(SETTINGS_WITHOUT_CONTROL, name)) return SETTINGS_WITHOUT_CONTROL[name](state)
  if (EXCLUDED_SETTINGS.includes(name) || !controlsOf(state.model).includes(name)) return []
  const now = valueLabel(name, state)
  return listAlternatives(name, state).map(alternative => ({ ...alternative, ...(now && { now }) }))
}

/**
 * Reads a comparison from a link: the setting, the other value, and the labels of both.
 * @param {string} text @param {Settings} state
 * @param {Room[]} [rooms] where they exist, their parts can be ablated for the comparison
 * @returns {Comparison | null}
 */
export function readTwin(text, state, rooms = []) {
  const [, name, value] = /^(\w+):(.+)$/.exec(text) ?? []
  if (name === ABLATION) {
    const part = listParts(rooms).find(alternative => partKey(alternative) === value)
    return part ? { name, ...toggledPart(part, state) } : null
  }
  if (name === 'text') return { name, ...textAlternative(value, state) }
  const other = name && listComparisons(name, state).find(alternative => serializeValue(alternative) === value)
  return other ? { name, ...other } : null
}

/** The name of an ablation in a link. */
const ABLATION = 'without'

/**
 * Mounts the list of all comparisons at the end of a stage's tools; on a phone, where it takes a row, between the
 * figure and its twin. The element is moved, not just displayed there, so that the focus order matches.
 * @param {HTMLElement} container
 * @param {Pick<Room, 'settings' | 'stage' | 'tensors'>} room comparisons that do not affect it are left out
 * @param {Pick<Context, 't' | 'get' | 'set' | 'rooms' | 'run'>} context
 * @returns {() => void} shows what is chosen
 */
export function mountComparisonMenu(container, { settings, stage, tensors }, { t, get, set, rooms, run }) {
  const id = uniqueId('twin')
  const noneOption = h('option', { value: '' }, t('twin.none'))
  const select = h('select', { id, onchange: ({ currentTarget }) => set({ twin: currentTarget.value }) })
  const element = h('div', { className: 'twin-choice' }, h('label', { for: id }, t('twin.label')), select)
  const figure = findElement(container, '.stage-figure')
  const tools = container.querySelector('.tools') ?? h('div', { className: 'tools' })
  const lead = container.querySelector('.lead')
  if (!tools.isConnected && lead) lead.after(tools)
  else if (!tools.isConnected) figure.before(tools)
  /** @param {string} name @returns {(alternative: Alternative) => HTMLElement} */
  const createOption = name => alternative => h('option', { value: `${name}:${serializeValue(alternative)}` }, describeComparison({ name, ...alternative }, t))
  /** @param {{ name: string, others: Alternative[] }} group */
  const groupLabel = ({ name }) => t([ABLATION, 'edits', 'text'].includes(name) ? `twin.${name}.label` : `controls.${name}.label`)
  /**
   * The displayed groups; one with the same labels is not rebuilt.
   * @type {Map<string, { element: HTMLElement, key: string }>}
   */
  let groupViews = new Map()
  /** @param {{ name: string, others: Alternative[] }} group */
  function renderGroup(group) {
    const key = JSON.stringify(group.others.map(alternative => [serializeValue(alternative),
      describeComparison({ name: group.name, ...alternative }, t)]))
    const existing = groupViews.get(group.name)
    if (existing?.key === key) return existing
    return { element: h('optgroup', { label: groupLabel(group) }, group.others.map(createOption(group.name))), key }
  }
  function placeElement() {
    const [parent, before] = isNarrow() ? [figure.parentNode, figure.nextSibling] : [tools, null]
    if (element.parentNode === parent) return
    const isFocused = element.contains(activeElementNear(element))
    parent?.insertBefore(element, before)
    if (isFocused) select.focus({ preventScroll: true })
  }
  const isGenerationStage = GENERATION_STAGES.includes(stage)
  /** @param {string} name */
  const isRelevant = name => (settings ? settings.includes(name) : isGenerationStage ||
    !GENERATION_SETTINGS.includes(name))
  /** The parts whose ablation affects this room. @param {State} state @returns {Alternative[]} */
  function listRoomParts(state) {
    const currentRun = run(), all = listParts(rooms())
    if (!currentRun || settings) return []
    const before = isGenerationStage ? null : listDependencies(currentRun, tensors)
    const relevant = all.filter(({ edits }) => !before || edits.some(({ name }) => before.has(name)))
    return relevant.map(part => toggledPart(part, state))
  }
  return () => {
    placeElement()
    const state = get()
    const chosen = readTwin(state.twin, state, rooms())?.name
    const names = controlsOf(state.model).filter(name => name === chosen ||
      (isRelevant(name) && hasSettingEffect(name, state)))
    const groups = [...[...Object.keys(SETTINGS_WITHOUT_CONTROL),
      ...names].map(name => ({ name, others: listComparisons(name, state) })),
    { name: ABLATION, others: listRoomParts(state) }].filter(({ others }) => others.length)
    groupViews = new Map(groups.map(group => [group.name, renderGroup(group)]))
    setChildren(select, [noneOption, ...[...groupViews.values()].map(alternative => alternative.element)])
    select.value = chosen ? state.twin : ''
  }
}

/**
 * The next larger value, or the last: the first comparison of a control.
 * @param {Alternative[]} others @param {unknown} now
 */
const nextAlternative = (others, now) => others.find(({ value }) => typeof value !== 'number' || value > Number(now)) ?? others.at(-1)

/**
 * Mounts a button at each control of a stage that compares its setting with another value.
 * @param {HTMLElement} container
 * @param {Pick<Context, 't' | 'get' | 'set'>} context
 * @returns {(state: Settings & Pick<State, 'twin'>) => void} shows which is chosen
 */
export function mountCompareButtons(container, { t, get, set }) {
  /** @param {string} name @param {Settings & Pick<State, 'twin'>} state */
  const isChosen = (name, state) => readTwin(state.twin, state)?.name === name
  const list = [...container.querySelectorAll('.tools [data-control]')].map(control => {
    const name = control.getAttribute('data-control') ?? ''
    const label = t('twin.with', { name: t(`controls.${name}.label`) })
    const button = h('button', {
      'type': 'button', 'className': 'quiet compare', 'aria-label': label, 'title': label, 'onclick': () => {
        const state = get()
        const other = isChosen(name, state) ? null : nextAlternative(listComparisons(name, state), state[name])
        set({ twin: other ? `${name}:${serializeValue(other)}` : '' })
      }
    }, h('span', { 'aria-hidden': 'true' }, '⇄ '), h('span', { className: 'compare-word' }, t('twin.button')))
    const row = findElement(control, '.segments, .stepper, .slider')
    const line = h('div', { className: 'compare-row' })
    row.replaceWith(line)
    line.append(row, button)
    return { name, button }
  })
  return state => list.forEach(({ name, button }) => {
    button.setAttribute('aria-pressed', String(isChosen(name, state)))
    button.hidden = listComparisons(name, state).length === 0
  })
}
