/** One cell of a notebook: its texts, its code and PyTorch's, its output, and the source's output. */

import { h, setText, uniqueId } from '../lib/dom.js'
import { renderCode, wrapCodeField } from '../lib/highlight.js'
import { mountPlot } from '../lib/plot.js'
import { renderProse } from '../lib/prose.js'
import { mountSpace } from '../lib/space.js'
import { compareOutput, isNoise, numbersPerLine } from './compare.js'
import { ITEMS } from './documents/index.js'

/** @import { CellError, Output } from './runner.js' */
/** @import { Context, Language, Patch, Translate } from '../types.d.ts' */
/** @import { Item } from './compare.js' */
/** @import { Cell } from './documents/index.js' */

const PLOT_SIZE = 340

/**
 * The displayed result of a cell: its output, or why it was stopped.
 * @typedef {{ output: Output[], error?: Partial<CellError> & { message: string, why?: string } }} CellResult
 *
 * @typedef {Pick<Context, 't' | 'set' | 'link' | 'rooms'> & { words: string, code: string, onRun: () => void,
 *   onEdit: (code: string) => void, patch: () => Patch }} CellContext patch: the settings of the room it leads to
 */

/** Points as a curve in the plane or in space. @param {number[][]} points @param {Pick<Context, 't'>} context */
function drawPlot(points, { t }) {
  const element = h('div', { className: 'nb-plot' })
  /** @param {number} axis @returns {[number, number]} */
  const axisRange = axis => {
    const values = points.map(row => row[axis])
    return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))]
  }
  if (points[0].length === 2) {
    const planePoints = /** @type {[number, number][]} */ (points)
    mountPlot(element).update({
      width: PLOT_SIZE, height: PLOT_SIZE, x: axisRange(0), y: axisRange(1), label: t('lab.notebook.plot'),
      lines: [{ points: planePoints, kind: 'is-thin' }], dots: planePoints.map(at => ({ at }))
    })
    return element
  }
  const limits = [0, 1, 2].map(axisRange)
  /** @param {number[]} row */
  const scalePoint = row => row.map((value, axis) => {
    const [low, high] = limits[axis]
    return high > low ? (2 * (value - low)) / (high - low) - 1 : 0
  })
  mountSpace(element, { help: t('lab.circle.turn') }).update({
    size: PLOT_SIZE, points: points.map(scalePoint), dots: [], axes: ['0', '1', '2'], label: t('lab.notebook.plot')
  })
  return element
}

/**
 * The note on the source's output.
 * @param {Item} item @param {ReturnType<typeof compareOutput>} entries @param {boolean} hasRun whether the page has run
 * @param {Translate} t
 */
function describeSourceOutput(item, entries, hasRun, t) {
  /** @param {'count' | 'same'} key */
  const sum = key => entries.reduce((all, entry) => all + entry[key], 0)
  const values = { all: sum('count'), count: sum('same') }
  if (!values.all) return hasRun ? t(`lab.notebook.${entries[0].agrees ? 'same' : 'other'}`) : t('lab.notebook.unreadWords')
  if (!hasRun) return t('lab.notebook.unread', values)
  return t(`lab.notebook.${isNoise(item) ? 'noise' : 'agree'}`, values)
}

/**
 * The source's output, with a mark at every number that the page reproduces.
 * @param {string} id @param {{ numbers: number[], value?: unknown } | null} result @param {Pick<Context, 't'>} context
 */
function renderSourceOutput(id, result, { t }) {
  const item = /** @type {Item} */ (ITEMS.get(id))
  const entries = compareOutput(item, result ?? { numbers: [] })
  const hasRun = Boolean(result)
  const label = `${t('lab.notebook.source')} ${id}`
  const list = h('div', { 'className': 'nb-numbers', 'tabindex': '0', 'role': 'group', 'aria-label': label },
    entries.map(({ text, agrees }) => h('span', { className: !hasRun ? '' : agrees ? 'agrees' : 'differs' }, text)))
  list.style.setProperty('--columns', String(numbersPerLine(item)))
  const agrees = String(hasRun && entries.every(entry => entry.agrees))
  const same = hasRun ? entries.reduce((all, entry) => all + entry.same, 0) : 0
  return h('section', { 'className': 'nb-source', 'data-item': id, 'data-agrees': agrees, 'data-same': same },
    h('p', { className: 'nb-label' }, t('lab.notebook.source'), ' ', h('span', {}, describeSourceOutput(item, entries, hasRun, t))), list)
}

/** @param {NonNullable<CellResult['error']>} error @param {Translate} t */
const errorText = ({ name, message, line, why }, t) => (
  why ? t(`lab.notebook.${why}`, { message }) : [line ? t('lab.notebook.line', { line }) : '', `${name}: ${message}`]
    .filter(Boolean).join(' '))

/**
 * The link to the corresponding room, with the settings from the code.
 * @param {Cell} cell @param {CellContext} context
 */
function createRoomLink({ room: id }, { t, set, link, rooms, patch }) {
  const room = rooms().find(candidate => candidate.id === id)
  if (!room) return { element: '', update() {} }
  const roomState = () => ({ ...patch(), room: room.id, cell: null })
  const element = h('a', { className: 'nb-room', onclick: event => {
    event.preventDefault()
    set(roomState(), 'push')
  } }, t('lab.notebook.room', { room: t(`stages.${room.words}.name`) }))
  return { element, update: () => element.setAttribute('href', link(roomState())) }
}

/** @param {Cell} cell @param {number} i @param {CellContext} context */
export function mountCell(cell, i, context) {
  const { t, words, code, onRun, onEdit } = context
  const id = uniqueId('cell')
  const field = h('textarea', {
    id, 'className': 'nb-field', 'rows': '1', 'spellcheck': 'false', 'autocomplete': 'off', 'autocapitalize': 'off',
    'aria-label': t('lab.notebook.cell', { number: i + 1 }), 'oninput': () => {
      output.querySelector('.nb-error')?.remove()
      onEdit(field.value)
      reset.hidden = field.value === cell.js
    }
  })
  field.value = code
  field.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || !(event.shiftKey || event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    onRun()
  })
  const runWord = h('span', {}, t('lab.notebook.run'))
  const run = h('button', { 'type': 'button', 'className': 'nb-run', 'onclick': onRun,
    'aria-label': t('lab.notebook.runCell', { number: i + 1 }) }, '▷ ', runWord)
  const reset = h('button', { type: 'button', className: 'quiet', hidden: code === cell.js, onclick: () => {
    field.value = cell.js
    field.dispatchEvent(new Event('input'))
    field.focus()
  } }, t('lab.notebook.reset'))
  const roomLink = createRoomLink(cell, context)
  roomLink.update()
  const output = h('div', { 'className': 'nb-output', 'aria-live': 'polite' })
  const element = h('section', { 'className': 'nb-cell', 'data-cell-number': i },
    h('p', { className: 'nb-words' }, renderProse(words)),
    h('div', { className: 'nb-codes' },
      h('div', { className: 'nb-own' }, h('label', { for: id, className: 'nb-label' }, 'JavaScript'), wrapCodeField(field)),
      h('div', { className: 'nb-torch' }, h('p', { className: 'nb-label' }, 'PyTorch'), renderCode(cell.py, `PyTorch ${i + 1}`, 'python'))),
    h('div', { className: 'nb-tools' }, run, reset, roomLink.element), output)
  /** @type {CellResult | null} */ let current = null

  /** @param {CellResult | null} result the result of a run; null before the first */
  function show(result) {
    current = result
    const outputs = result?.output ?? []
    const texts = outputs.filter(({ kind }) => kind === 'text')
    const missingOutputs = cell.prints.slice(texts.length).map(item => renderSourceOutput(item, null, { t }))
    let printIndex = 0
    output.classList.remove('is-old')
    output.replaceChildren(...outputs.flatMap(output => {
      if (output.kind === 'plot') return [drawPlot(output.points, { t })]
      const sourceItem = cell.prints[printIndex++]
      const text = h('pre', {
        'className': output.numbers.length ? 'nb-text' : 'nb-text is-plain', 'tabindex': '0', 'role': 'region',
        'aria-label': `${t('lab.notebook.output')} ${i + 1}.${outputs.indexOf(output) + 1}`
      }, output.text)
      return [h('div', { className: 'nb-pair' }, text, sourceItem ? renderSourceOutput(sourceItem, output, { t }) : '')]
    }), ...(result?.error ? [h('p', { className: 'nb-error', role: 'alert' }, errorText(result.error, t))] : []), ...missingOutputs)
  }
  show(null)
  return {
    element, show, updateWay: roomLink.update,
    /** Marks the result as outdated after an earlier cell has run again. */
    outdate: () => output.classList.toggle('is-old', output.querySelector('.nb-pair, .nb-plot') !== null),
    get code() { return field.value },
    /** The displayed result, to restore it later. */
    get left() { return { made: current, isOld: output.matches('.is-old') } },
    /** @param {boolean} isBusy */
    busy(isBusy) {
      run.disabled = isBusy
      element.classList.toggle('is-busy', isBusy)
    },
    /** Whether the cell waits for others. @param {boolean} isWaiting */
    wait: isWaiting => setText(runWord, t(`lab.notebook.${isWaiting ? 'waiting' : 'run'}`))
  }
}
