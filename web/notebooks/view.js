/** A notebook on the page: texts, cells that can be edited and run, their output, and what the source printed. */

import { h, syncChildren, setText } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'
import { roomSettings } from './room_settings.js'
import { cellView } from './cell.js'
import { DOCUMENTS } from './documents/index.js'
import { spawnCells } from './frame.js'
import { codesOf, saveCode, notebookStates } from './saved_state.js'
import { Stopped, runner } from './runner.js'
import { toJupyter, toModule } from './export_notebook.js'

/** @import { Context } from '../types.d.ts' */
/** @import { Shown } from './cell.js' */

/** A single-file page has one policy for everything in it, which forbids `eval`. */
const isSingleFile = () => document.getElementById('wasm') !== null

/** @param {string} name */
async function fetched(name) {
  const response = await fetch(name)
  if (!response.ok) throw new Error(`${name}: ${response.status}`)
  return response
}

const createCells = () => runner({
  start: spawnCells,
  fetched: async () => {
    const [code, wasm] = await Promise.all([fetched('cell.js'), fetched('glassformer.wasm')])
    return { code: await code.text(), wasm: await wasm.arrayBuffer() }
  }
})

/** @param {string} name @param {string} text @param {string} type */
function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }))
  h('a', { href: address, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(address))
}

/**
 * Mounts a notebook.
 * @param {HTMLElement} container @param {Context} context @param {string} id
 */
export function notebook(container, context, id) {
  const { t } = context
  const document = /** @type {typeof DOCUMENTS[number]} */ (DOCUMENTS.find(one => one.id === id))
  const language = context.language()
  const codes = codesOf(document)
  const isEdited = codes.some((code, i) => code !== document.cells[i].js)
  const cells = createCells()
  const status = h('p', { className: 'nb-said', role: 'status' })
  let running = false
  let hasRun = notebookStates.has(id)
  let isGone = false
  const { model } = context.get()
  /** Only while the notebook is still displayed in this language. */
  const isAway = () => isGone || context.get().model !== model

  /** Runs that were requested during another run. @type {{ last: number, isFresh: boolean }[]} */
  let queue = []

  /**
   * Runs a cell and those before it, or queues the request.
   * @param {number} last @param {boolean} [isFresh] from the first cell on, whatever is remembered
   */
  async function run(last, isFresh = false) {
    if (running) {
      if (!queue.some(one => one.last === last && one.isFresh === isFresh)) queue.push({ last, isFresh })
      if (!isFresh) views[last].wait(true)
      return setText(status, t(isFresh ? 'lab.notebook.queuedAll' : 'lab.notebook.queued', { number: last + 1 }))
    }
    if (isFresh) cells.end()
    const isAgain = !isFresh && !cells.isAlive && last > 0
    const list = cells.isAlive ? [last] : all.slice(0, last + 1)
    running = true
    stop.disabled = false
    setText(status, t(isAgain ? 'lab.notebook.again' : 'lab.notebook.running', { number: last + 1 }))
    const end = await runAll(list)
    running = false
    hasRun = true
    stop.disabled = true
    if (isAway()) return setText(status, '')
    if (end.failure) dismiss()
    const next = queue.shift()
    if (next) {
      views[next.last].wait(false)
      return run(next.last, next.isFresh)
    }
    report(end, list, isAgain)
  }
  /** Clears the queue. */
  function dismiss() {
    queue.forEach(({ last }) => views[last].wait(false))
    queue = []
  }

  /** Runs cells in order and stops at the first that fails. @param {number[]} list */
  async function runAll(list) {
    /** @type {NonNullable<Shown['error']> | null} */ let failure = null
    let last = 0
    for (const i of list) {
      last = i + 1
      views[i].busy(true)
      try {
        const outcome = await cells.run(views[i].code)
        if (isAway()) break
        views[i].show(outcome)
        failure = outcome.error ?? null
      } catch (error) {
        if (isAway()) break
        const { message } = /** @type {Error} */ (error)
        failure = { why: error instanceof Stopped ? error.why : 'unshown', message }
        views[i].show({ output: [], error: failure })
      } finally {
        views[i].busy(false)
      }
      if (failure) break
    }
    return { failure, last }
  }
  /**
   * Reports the result of a run.
   * @param {{ failure: Shown['error'] | null, last: number }} end @param {number[]} list @param {boolean} isAgain
   */
  function report({ failure, last }, list, isAgain) {
    const key = wordOf(failure, list, last)
    const shown = key === 'ranOne' ? views[last - 1].element : container
    /** @type {NodeListOf<HTMLElement>} */ const sources = shown.querySelectorAll('[data-item]')
    const same = [...sources].reduce((all, { dataset }) => all + Number(dataset.same), 0)
    // The cells below were computed from the previous results of those above.
    const isOlder = views.slice(last).map(view => view.outdate()).includes(true)
    setText(status, [
      t(`lab.notebook.${key}`, { number: last, same, differing: shown.querySelectorAll('[data-agrees="false"]').length }),
      isAgain && !failure ? t('lab.notebook.afresh') : '', isOlder ? t('lab.notebook.older') : ''
    ].filter(Boolean).join(' '))
  }
  /** The message about a run. @param {Shown['error'] | null} failure @param {number[]} list @param {number} last */
  function wordOf(failure, list, last) {
    if (failure?.why === 'stopped' || failure?.why === 'time') return 'halted'
    if (failure) return 'failed'
    if (list.length === all.length) return 'done'
    return views[last - 1].element.querySelector('[data-item]') ? 'ranOne' : 'ranPlain'
  }
  const all = document.cells.map((_, i) => i)
  const views = document.cells.map((cell, i) => cellView(cell, i, {
    ...context, language, code: codes[i],
    onRun: () => run(i), patch: () => roomSettings(document, i, codes, context.get()),
    onEdit: code => {
      if (!running && !container.querySelector('.nb-error')) setText(status, '')
      codes[i] = code
      saveCode(document, i, code)
      views.forEach(view => view.updateWay())
    }
  }))
  /** @param {string} word @param {() => void} act */
  const button = (word, act) => h('button', { type: 'button', className: 'nb-run', onclick: act },
    t(`lab.notebook.${word}`))
  const stop = button('stop', () => {
    dismiss()
    cells.stop()
  })
  stop.disabled = true
  const whole = button('runAll', () => run(all.length - 1, true))
  /** The cells with the reader's changes; a single scope cannot declare a name twice. */
  function takeModule() {
    try {
      const cells = document.cells.map((cell, i) => ({ ...cell, js: codes[i] }))
      download(`${id}.mjs`, toModule({ ...document, cells }, language), 'text/javascript')
    } catch (error) {
      setText(status, t('lab.notebook.untakeable', { message: /** @type {Error} */ (error).message }))
    }
  }
  const takes = [
    h('button', { type: 'button', className: 'quiet', onclick: () => (
      download(`${id}.ipynb`, toJupyter(document, language), 'application/x-ipynb+json')) }, t('lab.notebook.ipynb')),
    h('button', { type: 'button', className: 'quiet', onclick: takeModule }, t('lab.notebook.mjs'))
  ]
  container.replaceChildren(
    h('p', { className: 'nb-follows' }, renderProse(t('lab.notebook.follows', { id, source: document.source[language] }))),
    h('div', { className: 'nb-bar' }, whole, stop, takes), status, ...views.map(({ element }) => element))

  let top = 0
  const follow = () => { top = scrollY }
  /** Restores the outputs from before, or runs all cells once, unless the code has been changed. */
  function begin() {
    const before = notebookStates.get(id)
    if (before) {
      views.forEach((view, i) => {
        const { made: outcome, isOld } = before.shown[i]
        view.show(outcome)
        if (isOld) view.outdate()
      })
      scrollTo({ top: before.top, behavior: 'instant' })
      setText(status, t('lab.notebook.kept'))
    } else if (isEdited) setText(status, t('lab.notebook.restored'))
    else run(all.length - 1, true)
    follow()
    addEventListener('scroll', follow, { passive: true })
  }
  if (isSingleFile()) {
    syncChildren(status, [t('lab.notebook.single')], () => h('span'), setText)
    /** @type {NodeListOf<HTMLButtonElement>} */ const runs = container.querySelectorAll('.nb-cell .nb-run')
    for (const one of [whole, ...runs]) one.disabled = true
  } else begin()
  return {
    destroy() {
      isGone = true
      removeEventListener('scroll', follow)
      // An interrupted first run starts again on return.
      if (hasRun) notebookStates.set(id, { shown: views.map(view => view.left), top })
      cells.end()
    }
  }
}
