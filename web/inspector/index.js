/** The inspector: where a cell is, its value, how it was computed, where it is used, and a field that edits it. */

import { editField, editList, editStore } from './edits.js'
import { cellComparison } from './cell_comparison.js'
import { explanationSection, makeScrollable } from './explanation.js'
import { nearestTokens } from './nearest_tokens.js'
import { finiteDifference } from './finite_difference.js'
import { cellIndex } from './cell_index.js'
import { cellName, isSameCell } from '../lib/cell.js'
import { splitAtDots, findElement, h, setText } from '../lib/dom.js'
import { isEditable } from '../lib/edits.js'
import { renderFormula } from '../lib/formula.js'
import { formatBrief, formatShape, formatExact } from '../lib/number.js'
import { fullRoomName } from '../lib/room_name.js'
import { renderProse } from '../lib/prose.js'
import { getDescription, getTensor } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'
import { modelOf } from '../models/index.js'
import { roomOfTensor, roomsOf } from '../rooms/index.js'

/** @import { Cell, CellExplanation, Child, Context, Run, Tensor } from '../types.d.ts' */

/**
 * What the inspector displays.
 * @typedef {object} Inspected
 * @property {Run | null} run
 * @property {Cell | null} cell
 * @property {boolean} pinned
 * @property {Cell[]} trail the history of visited cells
 * @property {CellExplanation | null} explanation
 * @property {{ here: number, there: number } | null} pair its values in both runs
 * @property {Run['unusedEdits']} idle edits that the run has no cell for
 * @property {string | null} room that is displayed
 */

/** Whether the run has this cell with a value. @param {Run} run @param {Cell | null} cell @returns {boolean} */
export function hasCell(run, cell) {
  const tensor = cell && getDescription(run, cell.name)
  if (!tensor || tensor.isKept === false || tensor.shape.length !== cell.index.length) return false
  return cell !== null && cell.index.every((i, axis) => i < tensor.shape[axis])
}

/** @type {Record<string, string>} */ const OPPOSITE = { undo: 'redo', redo: 'undo', back: 'on', on: 'back' }

/**
 * Where the focus goes when its button becomes disabled: to the button that does the reverse.
 * @param {string} [name]
 */
const instead = name => name?.replace(/^\w+/, word => OPPOSITE[word] ?? word)

/**
 * Replaces the children of an element and keeps the focus.
 * @param {HTMLElement} element @param {...Child} children
 */
function redraw(element, ...children) {
  const activeElement = /** @type {HTMLElement} */ (document.activeElement)
  const inside = element.contains(activeElement)
  const focusKey = inside ? activeElement.dataset.keep : undefined
  const nodes = /** @type {(Node | string)[]} */ (children.filter(Boolean))
  element.replaceChildren(...nodes)
  if (!inside) return
  /** @param {string | undefined} name @returns {HTMLElement | null | undefined | ''} */
  const findKept = name => name && findElement(element, `[data-keep="${name}"]:not([disabled])`)
  const next = findKept(focusKey) || findKept(instead(focusKey)) || findElement(element, '[tabindex="-1"]')
  next?.focus({ preventScroll: true })
}

/**
 * Mounts the inspector.
 * @param {HTMLElement} container
 * @param {Pick<Context, 't' | 'pinCell' | 'pinSource' | 'set' | 'get' | 'runQuery'>} context
 *   press pins a cell or unpins it; visit follows a source
 */
export function inspector(container, { t, pinCell: press, pinSource: visit, set, get, runQuery }) {
  const heading = h('h2', { className: 'visually-hidden' }, t('inspector.label'))
  const sheet = h('button', { type: 'button', className: 'sheet-handle', onclick: () => toggle() },
    h('span', { className: 'sheet-name' }, h('bdi', { dir: 'ltr' })), h('b', { className: 'sheet-value' }),
    h('span', { 'className': 'sheet-sign', 'aria-hidden': 'true' }), h('span', { className: 'visually-hidden' }))
  const body = h('div', { className: 'inspector-body' })
  const store = editStore({ get, set })
  const live = h('p', { className: 'visually-hidden', role: 'status' })
  container.append(heading, sheet, body, live)
  /** @type {Inspected} */
  let view = { run: null, cell: null, pinned: false, trail: [], explanation: null, pair: null, idle: [], room: null }
  const nudged = finiteDifference({ t, runQuery, get, live, redraw: () => draw() })
  const nearby = nearestTokens({ t, runQuery, live, redraw: () => draw() })
  /** @type {{ sorted: boolean, page: number | null }} */ let reading = { sorted: false, page: null }
  /** @type {Cell | null} */ let editing = null
  let isDifferentiable = false
  /** @type {{ cell: Cell | null, value: number | null, element: Child }} */
  let field = { cell: null, value: null, element: null }

  function toggle(open = !container.classList.contains('is-open')) {
    container.classList.toggle('is-open', open)
    sheet.setAttribute('aria-expanded', open ? 'true' : 'false')
    setText(sheet.lastChild, t(open ? 'inspector.collapse' : 'inspector.expand'))
  }
  /** @param {Partial<typeof reading>} patch @param {Cell | null} [edited] */
  const change = (patch, edited = editing) => {
    editing = edited
    reading = { ...reading, ...patch }
    draw()
  }

  function crumbs() {
    if (view.trail.length < 2) return ''
    /** @param {Cell} cell */
    const crumb = cell => h('button', {
      'type': 'button', 'className': 'cell-link', 'onclick': () => press(cell),
      'aria-current': isSameCell(cell, view.cell) ? 'true' : undefined
    }, splitAtDots(cellName(cell)))
    return h('nav', { 'className': 'trail', 'aria-label': t('inspector.trail') },
      view.trail.map((cell, i) => [i ? ' › ' : '', crumb(cell)]))
  }
  /** @param {Cell} cell */
  function directions(cell) {
    // While a cell is being explained its buttons stay, so that the focused one does not disappear.
    if (view.explanation) isDifferentiable = view.explanation.differentiable
    if (!isDifferentiable && !cell.isGradient) return ''
    const { name, index, isGradient = false } = cell
    /** @param {string} word @param {boolean} backward */
    const choose = (word, backward) => h('button', {
      'type': 'button', 'data-keep': word, 'aria-pressed': String(isGradient === backward),
      'onclick': () => isGradient !== backward && visit(backward ? { name, index, isGradient: true } : { name, index })
    }, t(`inspector.${word}`))
    return h('div', { 'className': 'directions', 'role': 'group', 'aria-label': t('inspector.direction') },
      choose('forward', false), choose('backward', true))
  }
  /** @param {Cell} cell */
  function onward(cell) {
    const { explanation } = view
    if (!explanation?.users?.length || cell.isGradient) return ''
    /** @param {string} target */
    const follow = async target => {
      const use = await runQuery('firstUse', { cell, target })
      if (use && isSameCell(cell, view.cell)) visit(use)
    }
    return h('p', { className: 'feeds' }, h('span', {}, t('inspector.feeds')), explanation.users.map(name => (
      h('button', { type: 'button', className: 'cell-link', onclick: () => follow(name) }, splitAtDots(name)))))
  }
  /** @param {Run} run @param {Cell} cell */
  function homeLink(run, cell) {
    const home = roomOfTensor(roomsOf(run), cell.name, run)
    if (!home || home.id === view.room) return ''
    return h('button', { type: 'button', className: 'quiet', onclick: () => set({ room: home.id }, 'push') },
      t('inspector.goto', { room: fullRoomName(home, t) }))
  }
  /** What a cell stands for, where the operation does not say. @param {Cell} cell */
  function meaning({ name, index }) {
    const entry = modelOf(get().model).meanings?.[name]
    return entry ? h('section', { className: 'meaning' }, h('h3', {}, t('inspector.meaning')),
      h('p', { className: 'rule' }, renderFormula(entry.formula(index))), h('p', { className: 'note' }, renderProse(t(`meanings.${name}`)))) : ''
  }
  /**
   * The field is kept while its cell stays the same, so that what is being typed survives.
   * @param {Cell} cell @param {number} value
   */
  function fieldFor(cell, value) {
    if (!isSameCell(editing, cell) || cell.isGradient || cell.isTwin) return ''
    if (!isSameCell(field.cell, cell) || !Object.is(field.value, value)) {
      const close = () => change({}, null)
      field = { cell, value, element: editField(cell, value, { t, store, close }) }
    }
    return field.element
  }
  /** @param {Run} run @param {Cell} cell @param {string} type */
  function actions(run, cell, type) {
    const { pinned } = view
    /** @param {string} name @param {() => void} act */
    const button = (name, act) => h('button',
      { 'type': 'button', 'className': 'quiet', 'data-keep': name, 'onclick': act },
      t(`inspector.${name}`))
    const isPlain = type === 'float32' && !cell.isGradient && !cell.isTwin
    const canChange = isPlain && isEditable(run, cell) && !isSameCell(editing, cell)
    return h('p', { className: 'actions' },
      canChange ? button('change', () => edit(cell)) : '',
      homeLink(run, cell), pinned ? button('release', () => press(null)) : '')
  }
  /** @param {Cell} cell @param {Tensor} tensor @param {number} value @param {string} type */
  function facts(cell, tensor, value, type) {
    return h('dl', { className: 'facts' },
      h('dt', {}, t('inspector.exact', { type })), h('dd', { 'data-exact': cellName(cell) }, formatExact(value)),
      cell.index.length === 0 ? '' : [
        h('dt', {}, t('inspector.index')), h('dd', {}, `[${cell.index.join(', ')}]`),
        h('dt', {}, t('inspector.shape')), h('dd', {}, formatShape(tensor.shape))
      ])
  }
  function draw() {
    const { run, cell, explanation } = view
    const list = editList({ t, store, go: press, idle: view.idle })
    if (!run || !cell || !hasCell(run, cell)) {
      redraw(body, h('p', { className: 'note' }, renderProse(t('inspector.empty'))), list)
      return
    }
    const tensor = getTensor(run, cell.name)
    const type = tensor.dtype ?? 'float32'
    const value = cell.isGradient ? explanation?.value : valueAt(tensor, cell.index)
    const short = value === undefined ? '' : type === 'int32' ? formatExact(value) : formatBrief(value)
    redraw(body,
      crumbs(), h('div', { className: 'cell-told', tabindex: '-1' },
        h('p', { className: 'cell-name' }, h('code', {}, splitAtDots(cellName(cell)))),
        h('p', { className: 'cell-value' }, short)),
      cellComparison(view.pair, cell, t), directions(cell),
      cellIndex(run, cell, { t, set, pinCell: press, get }),
      cell.isGradient ? '' : meaning(cell),
      value === undefined ? '' : fieldFor(cell, value),
      value === undefined ? '' : facts(cell, tensor, value, type),
      cell.isGradient && value !== undefined
        ? h('p', { className: 'note given' }, t(run.hasLoss ? 'inspector.loss' : 'inspector.sum')) : '',
      explanation ? explanationSection(explanation, cell, {
        t, go: visit, has: source => hasCell(run, source), change, run, ...reading
      }) : '',
      nudged({ run, cell, explanation }), nearby(run, cell),
      onward(cell),
      actions(run, cell, type),
      list)
    makeScrollable(body)
    setText(findElement(sheet, 'bdi'), cellName(cell))
    setText(sheet.children[1], short)
  }
  /** @param {Cell} cell */
  function edit(cell) {
    editing = cell
    if (view.pinned && isSameCell(cell, view.cell)) draw()
    else press(cell)
    toggle(true)
    /** @type {HTMLInputElement | null} */ const input = body.querySelector('.edit-field')
    input?.focus()
    input?.select()
  }
  toggle(false)
  return {
    /** Pins a cell and focuses the field that edits it. @param {Cell} cell */
    edit,
    undo: store.undo,
    redo: store.redo,
    /** @param {Partial<Inspected>} next */
    update(next) {
      if (next.cell !== undefined && !isSameCell(next.cell, view.cell)) reading = { ...reading, page: null }
      if (next.cell !== undefined && !isSameCell(next.cell, editing)) editing = null
      view = { ...view, ...next }
      container.classList.toggle('is-empty', !view.run || !hasCell(view.run, view.cell))
      container.classList.toggle('is-pinned', view.pinned)
      draw()
    }
  }
}
