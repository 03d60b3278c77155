/** The inspector: where a cell is, its value, how it was computed, where it is used, and a field that edits it. */

import { createEditField, renderEdits, createEditStore } from './edits.js'
import { renderComparison } from './cell_comparison.js'
import { renderExplanation, makeScrollable } from './explanation.js'
import { createNearestTokens } from './nearest_tokens.js'
import { createFiniteDifference } from './finite_difference.js'
import { renderCellIndex } from './cell_index.js'
import { cellName, isSameCell } from '../lib/cell.js'
import { activeElementNear, splitAtDots, findElement, h, setText } from '../lib/dom.js'
import { isEditable } from '../lib/edits.js'
import { renderFormula } from '../lib/formula.js'
import { formatBrief, formatShape, formatExact } from '../lib/number.js'
import { fullRoomName } from '../lib/room_name.js'
import { renderProse } from '../lib/prose.js'
import { getTensor, hasCell } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'
import { modelOf } from '../models/index.js'
import { roomOfTensor, roomsOf } from '../rooms/index.js'

/** @import { Cell, CellExplanation, Child, Context, Run, Tensor } from '../types.d.ts' */

/**
 * What the inspector displays.
 * @typedef {object} InspectorView
 * @property {Run | null} run
 * @property {Cell | null} cell
 * @property {boolean} pinned
 * @property {Cell[]} trail the history of visited cells
 * @property {CellExplanation | null} explanation
 * @property {{ here: number, there: number } | null} pair its values in both runs
 * @property {Run['unusedEdits']} idle edits that the run has no cell for
 * @property {string | null} room that is displayed
 */

/** Whether a lesson stands alone, without map and sums. */
const isInLesson = () => document.documentElement.matches('[data-lesson]:not([data-panels])')
/** Whether the window is not as narrow as a phone. */
const isWide = () => matchMedia('(min-width: 760px)').matches

/** @type {Record<string, string>} */ const OPPOSITE_BUTTONS = { undo: 'redo', redo: 'undo', back: 'on', on: 'back' }

/**
 * Where the focus goes when its button becomes disabled: to the button that does the reverse.
 * @param {string} [name]
 */
const oppositeButton = name => name?.replace(/^\w+/, word => OPPOSITE_BUTTONS[word] ?? word)

/**
 * Replaces the children of an element and keeps the focus.
 * @param {HTMLElement} element @param {...Child} children
 */
function replaceChildrenKeepingFocus(element, ...children) {
  const activeElement = /** @type {HTMLElement} */ (activeElementNear(element))
  const hadFocus = element.contains(activeElement)
  const focusKey = hadFocus ? activeElement.dataset.keep : undefined
  const nodes = /** @type {(Node | string)[]} */ (children.filter(Boolean))
  element.replaceChildren(...nodes)
  if (!hadFocus) return
  /** @param {string | undefined} name @returns {HTMLElement | null | undefined | ''} */
  const findButton = name => name && findElement(element, `[data-keep="${name}"]:not([disabled])`)
  const next = findButton(focusKey) || findButton(oppositeButton(focusKey)) || findElement(element, '[tabindex="-1"]')
  // The field that a button opens may be out of sight.
  next?.focus({ preventScroll: next.localName !== 'input' })
}

/**
 * Mounts the inspector.
 * @param {HTMLElement} container
 * @param {Pick<Context, 't' | 'pinCell' | 'pinSource' | 'set' | 'get' | 'runQuery'>} context
 *   press pins a cell or unpins it; visit follows a source
 */
export function mountInspector(container, { t, pinCell, pinSource, set, get, runQuery }) {
  const heading = h('h2', { className: 'visually-hidden' }, t('inspector.label'))
  const sheetHandle = h('button', { type: 'button', className: 'sheet-handle', onclick: () => toggle() },
    h('span', { className: 'sheet-name' }, h('bdi', { dir: 'ltr' })), h('b', { className: 'sheet-value' }),
    h('span', { 'className': 'sheet-sign', 'aria-hidden': 'true' }), h('span', { className: 'visually-hidden' }))
  const body = h('div', { className: 'inspector-body' })
  const store = createEditStore({ get, set })
  const live = h('p', { className: 'visually-hidden', role: 'status' })
  container.append(heading, sheetHandle, body, live)
  /** @type {InspectorView} */
  let view = { run: null, cell: null, pinned: false, trail: [], explanation: null, pair: null, idle: [], room: null }
  const renderFiniteDifference = createFiniteDifference({ t, runQuery, get, live, redraw: () => draw() })
  const renderNearestTokens = createNearestTokens({ t, runQuery, live, redraw: () => draw() })
  /** @type {{ sorted: boolean, page: number | null }} */ let termsView = { sorted: false, page: null }
  /** @type {Cell | null} */ let editedCell = null
  let isDifferentiable = false, shownStep = ''
  /** @type {{ cell: Cell | null, value: number | null, element: Child }} */
  let field = { cell: null, value: null, element: null }

  function toggle(open = !container.classList.contains('is-open')) {
    container.classList.toggle('is-open', open)
    sheetHandle.setAttribute('aria-expanded', open ? 'true' : 'false')
    setText(sheetHandle.lastChild, t(open ? 'inspector.collapse' : 'inspector.expand'))
  }
  /** @param {Partial<typeof termsView>} patch @param {Cell | null} [edited] */
  const change = (patch, edited = editedCell) => {
    editedCell = edited
    termsView = { ...termsView, ...patch }
    draw()
  }

  function renderTrail() {
    if (view.trail.length < 2) return ''
    /** @param {Cell} cell */
    const createCrumb = cell => h('button', {
      'type': 'button', 'className': 'cell-link', 'onclick': () => pinCell(cell),
      'aria-current': isSameCell(cell, view.cell) ? 'true' : undefined
    }, splitAtDots(cellName(cell)))
    return h('nav', { 'className': 'trail', 'aria-label': t('inspector.trail') },
      view.trail.map((cell, i) => [i ? ' › ' : '', createCrumb(cell)]))
  }
  /** @param {Cell} cell */
  function renderDirections(cell) {
    // While a cell is being explained its buttons stay, so that the focused one does not disappear.
    if (view.explanation) isDifferentiable = view.explanation.differentiable
    if (!isDifferentiable && !cell.isGradient) return ''
    const { name, index, isGradient = false } = cell
    /** @param {string} word @param {boolean} backward */
    const createDirectionButton = (word, backward) => h('button', {
      'type': 'button', 'data-keep': word, 'aria-pressed': String(isGradient === backward),
      'onclick': () => isGradient !== backward && pinSource(backward ? { name, index, isGradient: true } : { name, index })
    }, t(`inspector.${word}`))
    return h('div', { 'className': 'directions', 'role': 'group', 'aria-label': t('inspector.direction') },
      createDirectionButton('forward', false), createDirectionButton('backward', true))
  }
  /** @param {Cell} cell */
  function renderUsers(cell) {
    const { explanation } = view
    if (!explanation?.users?.length || cell.isGradient) return ''
    /** @param {string} target */
    const followUser = async target => {
      const use = await runQuery('firstUse', { cell, target })
      if (use && isSameCell(cell, view.cell)) pinSource(use)
    }
    return h('p', { className: 'feeds' }, h('span', {}, t('inspector.feeds')), explanation.users.map(name => (
      h('button', { type: 'button', className: 'cell-link', onclick: () => followUser(name) }, splitAtDots(name)))))
  }
  /** @param {Run} run @param {Cell} cell */
  function renderRoomLink(run, cell) {
    const homeRoom = roomOfTensor(roomsOf(run), cell.name, run)
    if (!homeRoom || homeRoom.id === view.room) return ''
    return h('button', { type: 'button', className: 'quiet', onclick: () => set({ room: homeRoom.id }, 'push') },
      t('inspector.goto', { room: fullRoomName(homeRoom, t) }))
  }
  /** What a cell stands for, where the operation does not say. @param {Cell} cell */
  function renderMeaning({ name, index }) {
    const entry = modelOf(get().model).meanings?.[name]
    return entry ? h('section', { className: 'meaning' }, h('h3', {}, t('inspector.meaning')),
      h('p', { className: 'rule' }, renderFormula(entry.formula(index))), h('p', { className: 'note' }, renderProse(t(`meanings.${name}`)))) : ''
  }
  /**
   * The field is kept while its cell stays the same, so that what is being typed survives.
   * @param {Cell} cell @param {number} value
   */
  function renderField(cell, value) {
    if (!isSameCell(editedCell, cell) || cell.isGradient || cell.isTwin) return ''
    if (!isSameCell(field.cell, cell) || !Object.is(field.value, value)) {
      const close = () => change({}, null)
      field = { cell, value, element: createEditField(cell, value, { t, store, close }) }
    }
    return field.element
  }
  /** @param {Run} run @param {Cell} cell @param {string} type */
  function renderActions(run, cell, type) {
    const { pinned } = view
    /** @param {string} name @param {() => void} action */
    const button = (name, action) => h('button',
      { 'type': 'button', 'className': 'quiet', 'data-keep': name, 'onclick': action },
      t(`inspector.${name}`))
    const isOwnFloat = type === 'float32' && !cell.isGradient && !cell.isTwin
    const canChange = isOwnFloat && isEditable(run, cell) && !isSameCell(editedCell, cell)
    return h('p', { className: 'actions' },
      canChange ? button('change', () => startEditing(cell)) : '',
      renderRoomLink(run, cell), pinned ? button('release', () => pinCell(null)) : '')
  }
  /** @param {Cell} cell @param {Tensor} tensor @param {number} value @param {string} type */
  function renderFacts(cell, tensor, value, type) {
    return h('dl', { className: 'facts' },
      h('dt', {}, t('inspector.exact', { type })), h('dd', { 'data-exact': cellName(cell) }, formatExact(value)),
      cell.index.length === 0 ? '' : [
        h('dt', {}, t('inspector.index')), h('dd', {}, `[${cell.index.join(', ')}]`),
        h('dt', {}, t('inspector.shape')), h('dd', {}, formatShape(tensor.shape))
      ])
  }
  function draw() {
    const { run, cell, explanation } = view
    const list = renderEdits({ t, store, go: pinCell, idle: view.idle })
    if (!run || !cell || !hasCell(run, cell)) {
      replaceChildrenKeepingFocus(body, h('p', { className: 'note' }, renderProse(t('inspector.empty'))), list)
      return
    }
    const tensor = getTensor(run, cell.name)
    const type = tensor.dtype ?? 'float32'
    const value = cell.isGradient ? explanation?.value : valueAt(tensor, cell.index)
    const shortValue = value === undefined ? '' : type === 'int32' ? formatExact(value) : formatBrief(value)
    replaceChildrenKeepingFocus(body,
      renderTrail(), h('div', { className: 'cell-explanation', tabindex: '-1' },
        h('p', { className: 'cell-name' }, h('code', {}, splitAtDots(cellName(cell)))),
        h('p', { className: 'cell-value' }, shortValue)),
      renderComparison(view.pair, cell, t), renderDirections(cell),
      renderCellIndex(run, cell, { t, set, pinCell, get }),
      cell.isGradient ? '' : renderMeaning(cell),
      value === undefined ? '' : renderField(cell, value),
      value === undefined ? '' : renderFacts(cell, tensor, value, type),
      cell.isGradient && value !== undefined
        ? h('p', { className: 'note given' }, t(run.hasLoss ? 'inspector.loss' : 'inspector.sum')) : '',
      explanation ? renderExplanation(explanation, cell, {
        t, go: pinSource, has: source => hasCell(run, source), change, run, ...termsView
      }) : '',
      renderFiniteDifference({ run, cell, explanation }), renderNearestTokens(run, cell),
      renderUsers(cell),
      renderActions(run, cell, type),
      list)
    makeScrollable(body)
    setText(findElement(sheetHandle, 'bdi'), isInLesson() ? t(`inspector.${cell.isGradient ? 'backward' : 'label'}`) : cellName(cell))
    setText(sheetHandle.children[1], shortValue)
  }
  /** @param {Cell} cell */
  function startEditing(cell) {
    editedCell = cell
    if (view.pinned && isSameCell(cell, view.cell)) draw()
    else pinCell(cell)
    toggle(true)
    /** @type {HTMLInputElement | null} */ const input = body.querySelector('.edit-field')
    input?.focus()
    input?.select()
  }
  toggle(false)
  return {
    /** Pins a cell and focuses the field that edits it. @param {Cell} cell */
    edit: startEditing,
    undo: store.undo,
    redo: store.redo,
    /** @param {Partial<InspectorView>} next */
    update(next) {
      const isOtherCell = next.cell !== undefined && !isSameCell(next.cell, view.cell)
      if (isOtherCell) termsView = { ...termsView, page: null }
      if (next.cell !== undefined && !isSameCell(next.cell, editedCell)) editedCell = null
      const { lesson, at } = get(), step = `${lesson} ${at}`, isNewStep = step !== shownStep
      const isPinChanged = next.pinned !== undefined && next.pinned !== view.pinned
      shownStep = step
      view = { ...view, ...next }
      // A pressed cell of a lesson is explained at once: a strip to be opened first would hide what the step is about.
      // On a phone it is the strip again in the next step, of which it covers less.
      if (isInLesson() && (isNewStep || isPinChanged)) toggle(view.pinned && (isWide() || !isNewStep))
      container.classList.toggle('is-empty', !view.run || !hasCell(view.run, view.cell))
      container.classList.toggle('is-pinned', view.pinned)
      draw()
      if (isOtherCell) for (const element of [container, body]) element.scrollTop = 0
    }
  }
}
