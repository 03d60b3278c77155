/** A notebook on the page: words, cells that can be edited and run, their output, and what the source printed. */

import { h, keep, setText, uniqueId } from '../lib/dom.js'
import { codeBlock, codeField } from '../lib/highlight.js'
import { plot } from '../lib/plot.js'
import { prose } from '../lib/prose.js'
import { space } from '../lib/space.js'
import { spawn } from '../shell/lazy.js'
import { compared, isNoise, perLine } from './compare.js'
import { DOCUMENTS, ITEMS } from './documents/index.js'
import { Stopped, runner } from './runner.js'
import { asJupyter, asModule } from './take.js'

/** @import { CellError, Output } from './runner.js' */
/** @import { Context, Language, Translate } from '../types.d.ts' */
/** @import { Item } from './compare.js' */

/** What the reader has written, by notebook: it is there again on coming back. @type {Map<string, string[]>} */
const written = new Map()

/** A page in one file has a policy for everything in it, which forbids code made of text. */
const isSingleFile = () => document.getElementById('wasm') !== null

const createCells = () => runner({
  start: () => spawn('cell'),
  kernels: async () => (await fetch('glassformer.wasm')).arrayBuffer()
})

const PLOT_SIZE = 340

/**
 * What is shown of a run: what came of it, or why it was stopped.
 * @typedef {{ output: Output[], error?: Partial<CellError> & { message: string, why?: string } }} Shown
 * @typedef {Pick<Context, 't' | 'set' | 'link' | 'rooms'> & { language: Language, code: string, onRun: () => void,
 *   onEdit: (code: string) => void }} CellContext
 */

/** Points as a curve in the plane or in space. @param {number[][]} points @param {Pick<Context, 't'>} context */
function drawing(points, { t }) {
  const element = h('div', { className: 'nb-plot' })
  /** @param {number} axis @returns {[number, number]} */
  const ends = axis => {
    const values = points.map(row => row[axis])
    return [Math.min(...values), Math.max(...values)]
  }
  if (points[0].length === 2) {
    const flat = /** @type {[number, number][]} */ (points)
    plot(element).update({
      width: PLOT_SIZE, height: PLOT_SIZE, x: ends(0), y: ends(1), label: t('lab.notebook.plot'),
      lines: [{ points: flat, kind: 'is-thin' }], dots: flat.map(at => ({ at }))
    })
    return element
  }
  const limits = [0, 1, 2].map(ends)
  /** @param {number[]} row */
  const placed = row => row.map((value, axis) => {
    const [low, high] = limits[axis]
    return high > low ? (2 * (value - low)) / (high - low) - 1 : 0
  })
  space(element, { help: t('lab.circle.turn') }).update({
    size: PLOT_SIZE, points: points.map(placed), dots: [], axes: ['0', '1', '2'], label: t('lab.notebook.plot')
  })
  return element
}

/**
 * What the source printed at this place, every number with a mark where the page has the same.
 * @param {string} id @param {{ numbers: number[], value?: unknown } | null} made @param {Pick<Context, 't'>} context
 */
function source(id, made, { t }) {
  const item = /** @type {Item} */ (ITEMS.get(id))
  const numbers = compared(item, made ?? { numbers: [] })
  const count = numbers.filter(({ agrees }) => agrees).length
  const isSaid = Boolean(made)
  const said = !isSaid ? t('lab.notebook.unread', { all: numbers.length })
    : isNoise(item) ? t('lab.notebook.noise')
      : t('lab.notebook.agree', { count, all: numbers.length })
  const label = `${t('lab.notebook.source')} ${id}`
  const list = h('div', { 'className': 'nb-numbers', 'tabindex': '0', 'role': 'group', 'aria-label': label },
    numbers.map(({ text, agrees }) => h('span', { className: !isSaid ? '' : agrees ? 'agrees' : 'differs' }, text)))
  list.style.setProperty('--columns', String(perLine(item)))
  const agrees = String(isSaid && count === numbers.length)
  return h('section', { 'className': 'nb-source', 'data-item': id, 'data-agrees': agrees },
    h('p', { className: 'nb-label' }, t('lab.notebook.source'), ' ', h('span', {}, said)), list)
}

/** @param {string} name @param {string} text @param {string} type */
function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }))
  h('a', { href: address, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(address))
}

/**
 * One cell: its words, its code and PyTorch's, what it printed, and what the source did.
 * @param {typeof DOCUMENTS[number]['cells'][number]} cell @param {number} i @param {CellContext} context
 */
function cellView(cell, i, { t, language, set, link, rooms, code, onRun, onEdit }) {
  const id = uniqueId('cell')
  const field = h('textarea', {
    id, 'className': 'nb-field', 'spellcheck': 'false', 'autocomplete': 'off', 'autocapitalize': 'off',
    'aria-label': t('lab.notebook.cell', { number: i + 1 }), 'oninput': () => {
      fit()
      output.querySelector('.nb-error')?.remove()
      onEdit(field.value)
      reset.hidden = field.value === cell.js
    }
  })
  field.value = code
  const fit = () => { field.rows = field.value.split('\n').length }
  fit()
  field.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || !(event.shiftKey || event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    onRun()
  })
  const run = h('button', { 'type': 'button', 'className': 'nb-run', 'onclick': onRun,
    'aria-label': t('lab.notebook.runCell', { number: i + 1 }) }, '▷ ', t('lab.notebook.run'))
  const reset = h('button', { type: 'button', className: 'quiet', hidden: code === cell.js, onclick: () => {
    field.value = cell.js
    field.dispatchEvent(new Event('input'))
    field.focus()
  } }, t('lab.notebook.reset'))
  const patch = { ...cell.state, room: cell.room, cell: null }
  const room = rooms().find(one => one.id === cell.room)
  const way = room ? h('a', { href: link(patch), className: 'nb-room', onclick: event => {
    event.preventDefault()
    set(patch, 'push')
  } }, t('lab.notebook.room', { room: t(`stages.${room.words}.name`) })) : ''
  const output = h('div', { 'className': 'nb-output', 'aria-live': 'polite' })
  const element = h('section', { 'className': 'nb-cell', 'data-cell-number': i },
    h('p', { className: 'nb-words' }, prose(cell[language])),
    h('div', { className: 'nb-codes' },
      h('div', { className: 'nb-own' }, h('label', { for: id, className: 'nb-label' }, 'JavaScript'), codeField(field)),
      h('div', { className: 'nb-torch' }, h('p', { className: 'nb-label' }, 'PyTorch'), codeBlock(cell.py, `PyTorch ${i + 1}`))),
    h('div', { className: 'nb-tools' }, run, reset, way), output)

  /** @param {Shown | null} made what came of a run; null before the first */
  function show(made) {
    const outputs = made?.output ?? []
    const texts = outputs.filter(({ kind }) => kind === 'text')
    const extra = cell.prints.slice(texts.length).map(one => source(one, null, { t }))
    let at = 0
    output.classList.remove('is-old')
    output.replaceChildren(...outputs.flatMap(one => {
      if (one.kind === 'plot') return [drawing(one.points, { t })]
      const printedHere = cell.prints[at++]
      const text = h('pre', {
        'className': one.numbers.length ? 'nb-text' : 'nb-text is-plain', 'tabindex': '0', 'role': 'region',
        'aria-label': `${t('lab.notebook.output')} ${i + 1}.${outputs.indexOf(one) + 1}`
      }, one.text)
      return [h('div', { className: 'nb-pair' }, text, printedHere ? source(printedHere, one, { t }) : '')]
    }), ...(made?.error ? [h('p', { className: 'nb-error', role: 'alert' }, errorText(made.error, t))] : []), ...extra)
  }
  show(null)
  return {
    element, show,
    /** A cell above has run again: whether something here is older than that. */
    outdate: () => output.classList.toggle('is-old', output.querySelector('.nb-pair, .nb-plot') !== null),
    get code() { return field.value },
    /** @param {boolean} isBusy */
    busy(isBusy) {
      run.disabled = isBusy
      element.classList.toggle('is-busy', isBusy)
    }
  }
}

/** @param {NonNullable<Shown['error']>} error @param {Translate} t */
const errorText = ({ name, message, line, why }, t) => (
  why ? t(`lab.notebook.${why}`, { message }) : [line ? t('lab.notebook.line', { line }) : '', `${name}: ${message}`]
    .filter(Boolean).join(' '))

/**
 * Mounts a notebook.
 * @param {HTMLElement} container @param {Context} context @param {string} id
 */
export function notebook(container, context, id) {
  const { t } = context
  const document = /** @type {typeof DOCUMENTS[number]} */ (DOCUMENTS.find(one => one.id === id))
  const language = context.language()
  const codes = written.get(id) ?? document.cells.map(({ js }) => js)
  const isEdited = codes.some((code, i) => code !== document.cells[i].js)
  const cells = createCells()
  const said = h('p', { className: 'nb-said', role: 'status' })
  let running = false
  let isGone = false
  const { model } = context.get()
  /** Elsewhere the words are others'. */
  const isAway = () => isGone || context.get().model !== model

  /** Runs some cells in order and ends at the first that fails. @param {number[]} list */
  async function runFrom(list) {
    if (running) return
    running = true
    stop.disabled = false
    setText(said, t('lab.notebook.running'))
    /** @type {NonNullable<Shown['error']> | null} */ let failure = null
    let last = 0
    for (const i of list) {
      last = i + 1
      views[i].busy(true)
      try {
        const made = await cells.run(views[i].code)
        if (isAway()) break
        views[i].show(made)
        failure = made.error ?? null
      } catch (error) {
        if (isAway()) break
        if (!(error instanceof Stopped)) throw error
        failure = { why: error.why, message: error.message }
        views[i].show({ output: [], error: failure })
      } finally {
        views[i].busy(false)
      }
      if (failure) break
    }
    running = false
    stop.disabled = true
    if (isAway()) return setText(said, '')
    const key = wordOf(failure, list, last)
    const shown = key === 'ranOne' ? views[last - 1].element : container
    // What stands below was made of what the cells above gave before.
    const isOlder = views.slice(last).map(view => view.outdate()).includes(true)
    setText(said, [t(`lab.notebook.${key}`, {
      number: last, same: shown.querySelectorAll('.agrees').length,
      differing: shown.querySelectorAll('[data-agrees="false"]').length
    }), isOlder ? t('lab.notebook.older') : ''].filter(Boolean).join(' '))
  }
  /** What is said of a run. @param {Shown['error'] | null} failure @param {number[]} list @param {number} last */
  function wordOf(failure, list, last) {
    if (failure?.why === 'stopped' || failure?.why === 'time') return 'halted'
    if (failure) return 'failed'
    if (list.length === all.length) return 'done'
    return views[last - 1].element.querySelector('[data-item]') ? 'ranOne' : 'ranPlain'
  }
  const all = document.cells.map((_, i) => i)
  /** A cell needs those before it, unless they are still remembered. @param {number} i */
  const runOne = i => runFrom(cells.isAlive ? [i] : all.slice(0, i + 1))
  const views = document.cells.map((cell, i) => cellView(cell, i, {
    ...context, language, code: codes[i], onRun: () => runOne(i), onEdit: code => {
      if (!container.querySelector('.nb-error')) setText(said, '')
      codes[i] = code
      written.set(id, codes)
    }
  }))
  /** @param {string} word @param {() => void} act */
  const button = (word, act) => h('button', { type: 'button', className: 'nb-run', onclick: act },
    t(`lab.notebook.${word}`))
  const stop = button('stop', () => cells.stop())
  stop.disabled = true
  const runAll = button('runAll', () => {
    cells.end()
    runFrom(all)
  })
  /** The cells as the reader has them; in one file no name can be declared twice. */
  function takeModule() {
    try {
      const cells = document.cells.map((cell, i) => ({ ...cell, js: codes[i] }))
      download(`${id}.mjs`, asModule({ ...document, cells }, language), 'text/javascript')
    } catch (error) {
      setText(said, t('lab.notebook.untakeable', { message: /** @type {Error} */ (error).message }))
    }
  }
  const takes = [
    h('button', { type: 'button', className: 'quiet', onclick: () => (
      download(`${id}.ipynb`, asJupyter(document, language), 'application/x-ipynb+json')) }, t('lab.notebook.ipynb')),
    h('button', { type: 'button', className: 'quiet', onclick: takeModule }, t('lab.notebook.mjs'))
  ]
  container.replaceChildren(h('div', { className: 'nb-bar' }, runAll, stop, takes), said,
    ...views.map(({ element }) => element))
  if (isSingleFile()) {
    keep(said, [t('lab.notebook.single')], () => h('span'), setText)
    /** @type {NodeListOf<HTMLButtonElement>} */ const runs = container.querySelectorAll('.nb-cell .nb-run')
    for (const one of [runAll, ...runs]) one.disabled = true
  } else if (!isEdited) {
    runFrom(all)
  }
  return {
    destroy() {
      isGone = true
      cells.end()
    }
  }
}
