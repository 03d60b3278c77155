/** Twin mode: the same input under one other setting, its figure beside the first, and the difference of both below. */

import { signedDomain } from '../lib/color.js'
import { findElement, h, setText } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { nullIfNotRetained, readRun } from '../lib/run.js'
import { firstRows } from '../lib/slice.js'
import { answering, settingsOf } from '../models/index.js'
import { nameRun } from '../models/names.js'
import { roomsOf } from '../rooms/index.js'
import { runLatest } from '../shell/engine.js'
import { compareResults } from '../shell/training_results.js'
import { stageOf } from '../lib/stage_registry.js'
import { countSharedRows } from './shared_prefix.js'
import { mountAnswerTable, compareAnswers } from './answers.js'
import { mountCompareButtons, mountComparisonMenu, readTwin } from './choice.js'
import { describeComparison } from './describe.js'
import { mountSideBySide } from './layout.js'

/**
 * @import { Cell, Context, Domain, Marks, Mounted, Room, Run, Settings, Slice, View } from '../types.d.ts'
 */
/** @import { Comparison } from './describe.js' */
/** @import { Entry, FigureContext } from '../lib/figure.js' */

/** @typedef {Record<string, any>} StageData what a stage shows of a run: slices, domains and more */
/** @typedef {{ run: Run, view: View, setting: Comparison, settings: Settings, key: string }} PendingComparison */

/**
 * The twin of a figure, if there is one.
 * @typedef {object} Twin
 * @property {(run: Run | null, view: View) => void} update
 * @property {(data: object, run: Run, view: View) => object} onOneScale the data of the first run with scales that
 *   fit both
 * @property {(run: Run | null) => Run | null} run the second run, if it is displayed
 * @property {(marks: Marks) => void} mark
 * @property {() => void} destroy
 */

/**
 * The cell-by-cell difference of two slices of the same shape; equal infinities differ by 0.
 * @param {Slice} a @param {Slice} b @returns {Slice}
 */
export function subtractSlices(a, b) {
  const values = Float32Array.from(a.values, (value, i) => (
    Object.is(value, b.values[i]) ? 0 : b.values[i] - value))
  return { ...a, values }
}

/**
 * Pairs of slices under the same key, as far as both exist in the same shape.
 * @param {StageData} a @param {StageData} b what a stage shows of two runs @param {string[]} names of tensors
 * @param {number | null} [maxRows] rows that can be compared, if not all
 */
export function pairSlices(a, b, names, maxRows = null) {
  return Object.entries(a).flatMap(([key, part]) => {
    if (!part?.axis || !b[key]?.axis || !names.includes(part.name)) return []
    const rows = Math.min(part.rows, b[key].rows, maxRows ?? Infinity)
    const [here, there] = maxRows === null ? [part, b[key]] : [part, b[key]].map(all => firstRows(all, rows))
    if (here.rows !== there.rows || here.cols !== there.cols) return []
    return [{ name: part.name, twin: b[key].name, part: subtractSlices(here, there) }]
  })
}

/** @param {any} part */
const isDomain = part => Boolean(part?.kind) && 'max' in part
/** @param {Domain} a @param {Domain} b */
const mergeDomains = (a, b) => ({ ...a, min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) })

/**
 * A stage's data with color scales wide enough for both runs, so that the two can be compared by eye.
 * @param {StageData} a @param {StageData} b @returns {StageData}
 */
export function withCommonScales(a, b) {
  /** @param {[string, any]} entry */
  const mergeEntry = ([key, part]) => {
    if (isDomain(part) && isDomain(b[key])) return [key, mergeDomains(part, b[key])]
    return [key, key === 'domains' && b.domains ? withCommonScales(part, b.domains) : part]
  }
  return Object.fromEntries(Object.entries(a).map(mergeEntry))
}

const SIZES = ['dModel', 'heads', 'layers', 'dimFeedforward']
/** @param {string} name @param {Run} run */
const keepsSizes = (name, run) => name === 'weights' && run.settings.weights !== undefined

/**
 * The settings of the second run. An untrained second run gets the sizes of the first, so that cells can be subtracted.
 * Both decoders read the first one's answer, except in the room where the answer is generated.
 * @param {Run} run the first @param {Settings} state @param {{ name: string, value: unknown, key?: string }} setting
 * @param {Pick<Room, 'stage'>} room
 * @returns {Settings}
 */
export function twinSettings(run, state, { name, value, key = name }, room) {
  const sizes = keepsSizes(name, run) ? Object.fromEntries(SIZES.map(size => [size, run.settings[size]])) : {}
  const settings = settingsOf({ ...state, ...sizes, [key]: value })
  if (!run.decoding || run.decoding.kind === 'given' || room.stage === 'decoding') return settings
  return answering(settings, run.decoding)
}

/**
 * The view, restricted to what the other run has.
 * @param {View} view @param {Run} run @param {Room} room @returns {View}
 */
function restrictView(view, { decoding }, room) {
  const steps = decoding?.steps.length ?? 1
  const [row, step] = [view.row, view.step].map(value => Math.min(value, steps - 1))
  return { ...view, room, head: Math.min(view.head, (room.parts.heads ?? view.head + 1) - 1), row, step }
}

/** @param {Float32Array} values */
const maxMagnitude = values => values.reduce((max, x) => (Number.isFinite(x) ? Math.max(max, Math.abs(x)) : max), 0)

/**
 * The steps that can be subtracted where each decoder reads its own tokens; null for all.
 * @param {Room} room @param {Run} run @param {Run} other @param {StageData} item @param {StageData} two
 */
function countComparableSteps(room, run, other, item, two) {
  if (room.stage !== 'decoding') return null
  const commonTokens = countSharedRows(run, other)
  return commonTokens < Math.max(item.shares.rows, two.shares.rows) ? commonTokens : null
}

/**
 * The note where every cell is equal: the choice of the cells may differ all the same.
 * @param {Room} room @param {StageData | null} item @param {StageData} two
 */
function noDifferenceKey({ stage }, item, two) {
  if (stage !== 'decoding' || !item) return 'twin.same'
  if (item.kind !== two.kind) return 'stages.decoding.sameChosen'
  return item.steps.some((/** @type {{ sample: number | null }} */ { sample }, /** @type {number} */ i) => sample !== two.steps[i]?.sample) ? 'stages.decoding.sameDrawn' : 'twin.same'
}

/** The differences, each a matrix, on a common scale. @param {Element} container @param {FigureContext} context */
function mountDifferences(container, context) {
  const { t } = context
  const note = h('p', { className: 'note' })
  const accuracyNote = h('p', { className: 'note', hidden: true })
  const place = h('div', { className: 'stage-figure' })
  container.append(note, accuracyNote, place)
  /** @type {ReturnType<typeof mountFigure> | null} */ let fig = null
  /** @type {ReturnType<ReturnType<typeof mountFigure>['matrix']>[]} */ let matrices = []
  /** Provides as many empty matrices as there are differences. @param {number} count */
  function createMatrices(count) {
    if (matrices.length === count) return
    place.replaceChildren()
    const figureView = count ? mountFigure(place, context) : null
    fig = figureView
    matrices = figureView ? Array.from({ length: count }, () => figureView.matrix()) : []
  }
  return {
    /** Displays the accuracy of the trained weights of both sides. @param {string} text */
    compare(text) {
      accuracyNote.hidden = text === ''
      setText(accuracyNote, text)
    },
    /** Displays a note instead of numbers. @param {string} text */
    showNote(text) {
      place.hidden = true
      setText(note, text)
    },
    /**
     * @param {Entry[]} all
     * @param {{ isOtherText: boolean, isSameInput: boolean, alike: number | null, same: string }} how alike: the steps
     *   that could be subtracted, if not all; same: the note where nothing differs
     */
    update(all, { isOtherText, isSameInput, alike: comparableSteps, same }) {
      const list = all.filter(({ part }) => part.values.some(x => x !== 0))
      const max = Math.max(0, ...list.map(({ part }) => maxMagnitude(part.values)))
      createMatrices(list.length)
      place.hidden = list.length === 0
      const differenceKey = isOtherText ? 'twin.text.what' : isSameInput ? 'twin.what' : 'twin.forced'
      const key = all.length === 0 ? 'twin.shape' : list.length === 0 ? same : differenceKey
      const untilKey = list.length === 0 ? 'stages.decoding.untilSame' : 'stages.decoding.until'
      setText(note, comparableSteps === null ? t(key) : t(untilKey, { step: comparableSteps - 1 }))
      list.forEach(({ title: text, part }, i) => matrices[i].update(part, { title: text, domain: signedDomain(max) }))
      fig?.numbers(t('frame.numbers'), list)
      fig?.legend([{ domain: signedDomain(max), text: t('twin.difference') }])
    },
    mark: (/** @type {Marks} */ marks) => fig?.mark(marks)
  }
}

/** Stages whose figures compare several runs already. */
const STAGES_WITH_COMPARISON = ['attribution', 'patching', 'ablation', 'head_scores', 'residual_stream', 'costs']

/**
 * The overview has no twin: two overviews do not fit beside each other, and differences are easier to see in a room.
 * @type {Twin}
 */
const NO_TWIN = { update() {}, onOneScale: data => data, run: () => null, mark() {}, destroy() {} }

/**
 * Mounts the choice of a comparison and, once there is a twin, its figure beside the first.
 * @param {HTMLElement} container
 * @param {Room} room
 * @param {Context} context @returns {Twin}
 */
export function mountTwin(container, room, context) {
  const { tensors } = room
  if (room.stage === 'house' || STAGES_WITH_COMPARISON.includes(room.stage)) return NO_TWIN
  const stage = stageOf(room.stage)
  const { t, runQuery, set } = context
  const choice = mountComparisonMenu(container, room, context)
  const buttons = mountCompareButtons(container, context)
  /** @param {(cell: Cell) => void} act @returns {(cell: Cell | null) => void} */
  const inTwin = act => cell => act(/** @type {Cell} */ (cell && { ...cell, isTwin: true }))
  /** @type {Map<string, string>} */ const titles = new Map()
  /** Titles the differences as the figure titles its matrices. @param {Entry[]} list */
  const onTitles = list => list.forEach(({ title, part }) => titles.set(part.name, title))
  const describeTwin = () => [heads[1].textContent, answerView.there()].filter(Boolean).join(' → ')
  const twinContext = {
    ...context, onTitles, named: describeTwin, isTwin: true, fileSuffix: 'twin', spoken: t('twin.there'),
    selectCell: inTwin(context.selectCell), pinCell: inTwin(context.pinCell), editCell() {}
  }
  const answerView = mountAnswerTable(context)
  const { heads, place, below, show, settle } = mountSideBySide(findElement(container, '.stage-figure'), answerView.element, t)
  const differenceView = mountDifferences(below, {
    ...context, named: () => `${t('twin.difference')} · ${describeTwin()}`, fileSuffix: 'difference',
    spoken: t('twin.difference')
  })
  /** @type {Mounted<any> | null} */ let view = null
  /** @type {PendingComparison | null} */ let pending = null
  /** @type {{ run: Run | null, key: string | null, other: Run | null }} */
  let last = { run: null, key: null, other: null }

  /** The second run, once it is computed. @param {Run} run */
  const getTwinRun = run => (last.run === run && pending && last.key === pending.key ? last.other : null)
  /**
   * The view of the second run, as far as it has this room.
   * @param {Run} run @param {View} state @returns {StageData | null}
   */
  function twinStageData(run, state) {
    const other = getTwinRun(run)
    const same = other && roomsOf(other).find(({ id }) => id === room.id)
    return same ? nullIfNotRetained(() => stage.data(other, restrictView(state, other, same))) : null
  }
  /** The setting of each. @param {PendingComparison} comparing */
  function updateHeadings({ view: state, setting }) {
    const now = { ...setting, value: state[setting.key ?? setting.name], word: setting.now }
    const texts = [now, setting].map(item => describeComparison(item, t))
    heads.forEach((element, i) => setText(element.lastChild, texts[i]))
  }
  /**
   * @param {PendingComparison} comparing @param {Run} other @param {StageData} item @param {StageData} two @param
   *   {string[]} names
   */
  function subtract({ run, settings, setting }, other, item, two, names) {
    const comparableSteps = item ? countComparableSteps(room, run, other, item, two) : null
    const list = (item ? pairSlices(item, two, names, comparableSteps) : [])
      .map(({ name, twin: own, part }) => ({ title: titles.get(own) ?? name, part }))
    const isSameInput = !Array.isArray(settings.target) || room.tower !== 'decoder'
    const isOtherText = setting.name === 'text', same = noDifferenceKey(room, item, two)
    differenceView.update(list, { isOtherText, isSameInput, alike: comparableSteps, same })
  }
  /** @param {PendingComparison} comparing @param {Run} other */
  function draw(comparing, other) {
    const { run, view: state } = comparing
    const [one, two] = [nullIfNotRetained(() => stage.data(run, state)), twinStageData(run, state)]
    updateHeadings(comparing)
    answerView.update(compareAnswers(run, other), state.model)
    const { key, setting } = comparing
    compareResults(run.settings, { ...run.settings, [setting.key ?? setting.name]: setting.value }, t)
      .then(text => key === pending?.key && differenceView.compare(text), context.reportError)
    show(true)
    place.hidden = !two
    if (two) {
      view ??= stage.mount(place, twinContext)
      view.update(one ? withCommonScales(two, one) : two)
      place.setAttribute('data-twin', state.twin)
    }
    const shownNames = Object.values(one ?? {}).filter(part => part?.axis).map(({ name }) => name)
    const names = tensors.length ? tensors : shownNames
    if (!two) return differenceView.showNote(t('twin.absent'))
    if (!one || shownNames.length === 0) return differenceView.showNote(t('twin.what'))
    subtract(comparing, other, one, two, names)
    return settle(context.width())
  }
  /** @param {PendingComparison} comparing */
  const requestTwin = ({ settings }) => runQuery('twin', { settings })
  const compute = runLatest(requestTwin, (message, question) => {
    const other = nameRun(readRun(message), context.language())
    if (question.key !== pending?.key || question.run !== pending.run) return
    last = { run: question.run, key: question.key, other }
    set({})
  }, error => {
    show(true)
    answerView.hide()
    place.hidden = true
    differenceView.showNote(error.message)
  })

  return {
    /** @param {Run | null} run @param {View} state the view */
    update(run, state) {
      choice()
      buttons(state)
      const setting = readTwin(state.twin, state, context.rooms())
      if (!run || !setting) {
        pending = null
        answerView.hide()
        show(false)
        return
      }
      const settings = twinSettings(run, state, setting, room)
      pending = { run, view: state, setting, settings, key: JSON.stringify(settings) }
      const other = getTwinRun(run)
      if (other) draw(pending, other)
      else compute(pending)
    },
    /** The data of the first run with scales that fit both. */
    onOneScale(data, run, state) {
      const two = readTwin(state.twin, state, context.rooms()) && twinStageData(run, state)
      return two ? withCommonScales(data, two) : data
    },
    /** The second run, if it is displayed. */
    run: run => run && getTwinRun(run),
    mark(marks) {
      view?.mark(marks)
      differenceView.mark(marks)
    },
    destroy() {
      pending = null
      view?.destroy()
    }
  }
}
