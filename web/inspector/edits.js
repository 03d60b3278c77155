/** Editing values: the field for the current cell, and the list of edits with undo and redo. */

import { parseNumber } from '../lib/edit_links.js'
import { changeEdits, editHistoryOf, findEdit, groupEdits, toggleEdits, withEdit } from '../lib/edits.js'
import { cellName } from '../lib/cell.js'
import { splitAtDots, h, setText, uniqueId } from '../lib/dom.js'
import { formatBrief, formatExact } from '../lib/number.js'

/** @import { EditTarget } from '../lib/edits.js' */
/** @import { Cell, Context, Edit, Run, Translate } from '../types.d.ts' */

/** @type {Map<string, number>} */ const valueBeforeEdit = new Map()

/**
 * The page's edits, changed one at a time.
 * @param {Pick<Context, 'get' | 'set'>} context
 */
export function createEditStore({ get, set }) {
  const list = () => get().edits ?? [], history = editHistoryOf({ get })
  /** @param {Edit[]} next */
  const change = next => changeEdits({ get, set }, next)
  /** @param {Edit[] | null} edits null if there are none before or after */
  const restore = edits => { if (edits) set({ edits }) }
  return {
    list, canUndo: () => history.canUndo(list()), canRedo: () => history.canRedo(list()),
    valueBefore: (/** @type {EditTarget} */ cell) => valueBeforeEdit.get(cellName(cell)),
    /** @param {Cell} cell @param {number} value @param {number} previous what stands there now */
    set(cell, value, previous) {
      if (!findEdit(list(), cell)) valueBeforeEdit.set(cellName(cell), previous)
      change(withEdit(list(), { ...cell, value }))
    },
    remove: (/** @type {Edit[]} */ edits) => change(toggleEdits(list(), edits, false)),
    clear: () => change([]),
    undo: () => restore(history.undo(list())),
    redo: () => restore(history.redo(list()))
  }
}

/**
 * The field that edits a cell.
 * @param {Cell} cell
 * @param {number} value
 * @param {{ t: Translate, store: ReturnType<typeof createEditStore>, close(): void }} view
 */
export function createEditField(cell, value, { t, store, close }) {
  const field = h('input', {
    'type': 'text', 'className': 'edit-field', 'inputmode': 'decimal', 'autocomplete': 'off', 'spellcheck': 'false',
    'aria-label': t('inspector.edit.field', { cell: cellName(cell) }), 'data-keep': 'change', 'value': formatExact(value)
  })
  const problem = h('p', { className: 'problem', role: 'alert', id: uniqueId('problem') })
  field.setAttribute('aria-describedby', problem.id)
  /** @param {boolean} isInvalid */
  const showProblem = isInvalid => {
    field.setAttribute('aria-invalid', String(isInvalid))
    setText(problem, isInvalid ? t('inspector.edit.wrong') : '')
  }
  field.addEventListener('input', () => showProblem(false))
  const submit = () => {
    const newValue = parseNumber(field.value)
    showProblem(newValue === null)
    if (newValue === null) return
    close()
    if (!Object.is(Math.fround(newValue), value)) store.set(cell, newValue, value)
  }
  return h('form', { className: 'edit', onsubmit: event => {
    event.preventDefault()
    submit()
  }, onkeydown: event => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    close()
  } }, field, h('button', { 'type': 'submit', 'className': 'quiet', 'data-keep': 'write' }, t('inspector.edit.write')),
  problem)
}

/**
 * The list of edits.
 * @param {{ t: Translate, store: ReturnType<typeof createEditStore>, go(cell: Cell): void, idle?: Run['unusedEdits']
 *   }} view
 *   idle: those whose cell the current run does not have
 */
export function renderEdits({ t, store, go, idle = [] }) {
  const list = groupEdits(store.list())
  if (list.length === 0 && !store.canUndo() && !store.canRedo()) return ''
  /** @param {string} name @param {() => void} action @param {boolean} enabled */
  const button = (name, action, enabled) => h('button', {
    'type': 'button', 'className': 'quiet', 'data-keep': name, 'disabled': !enabled, 'onclick': action
  }, t(`inspector.edit.${name}`))
  /** @param {ReturnType<typeof groupEdits>[number]} change */
  const renderChange = ({ edits, target }) => {
    const [edit] = edits, previous = store.valueBefore(edit)
    const { name, index, from, fromText, value } = edit
    const source = fromText === undefined ? from : t('inspector.edit.ofText', { text: fromText })
    const cell = index.map(axisIndex => (Array.isArray(axisIndex) ? axisIndex[0] : axisIndex ?? 0))
    const isIdle = edits.every(one => findEdit(idle, one))
    const kinds = [isIdle && 'is-idle', source !== undefined && 'is-copy'].filter(Boolean)
    return h('li', { className: kinds.join(' ') },
      h('button', { type: 'button', className: 'cell-link', onclick: () => go({ name, index: cell }) },
        splitAtDots(cellName(target))),
      h('span', { className: 'edit-value' }, previous === undefined ? '' : `${formatBrief(previous)} → `, source === undefined ? '' : '= ',
        h('b', {}, source === undefined ? formatExact(Number(value)) : splitAtDots(source))),
      h('button', {
        'type': 'button', 'className': 'quiet', 'onclick': () => store.remove(edits),
        'aria-label': t('inspector.edit.remove', { cell: cellName(target) })
      }, '×'),
      isIdle ? h('p', { className: 'note' }, t('inspector.edit.idle')) : '')
  }
  return h('section', { className: 'edits' }, h('h3', {}, t('inspector.edit.list', { count: list.length })),
    h('ul', {}, list.map(renderChange)),
    h('p', { className: 'actions' }, button('undo', store.undo, store.canUndo()),
      button('redo', store.redo, store.canRedo()), list.length > 1 ? button('clear', store.clear, true) : ''))
}
