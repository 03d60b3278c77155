/** A notebook on the page: texts, cells that can be edited and run, their output, and what the source printed. */

import { h, syncChildren, setText } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'
import { saveBlob } from '../lib/save.js'
import { roomSettings } from './room_settings.js'
import { mountCell } from './cell.js'
import { DOCUMENTS } from './documents/index.js'
import { isSingleFile } from '../lib/resources.js'
import { createCellRunner } from './page_runner.js'
import { getCodes, saveCode, notebookStates } from './saved_state.js'
import { Stopped } from './runner.js'
import { toJupyter, toModule } from './export_notebook.js'

/** @import { Context } from '../types.d.ts' */
/** @import { CellResult } from './cell.js' */
/** @import { DocumentTexts } from './documents/index.js' */

/** @param {string} name @param {string} text @param {string} type */
const download = (name, text, type) => saveBlob(new Blob([text], { type }), name)

/**
 * Mounts a notebook.
 * @param {HTMLElement} container @param {Context} context @param {string} id @param {DocumentTexts} texts
 */
export function mountNotebook(container, context, id, texts) {
  const { t } = context
  const document = /** @type {typeof DOCUMENTS[number]} */ (DOCUMENTS.find(request => request.id === id))
  const codes = getCodes(document)
  const isEdited = codes.some((code, i) => code !== document.cells[i].js)
  const cells = createCellRunner()
  const status = h('p', { className: 'nb-said', role: 'status' })
  let isRunning = false
  let hasRun = notebookStates.has(id)
  let isDestroyed = false
  const { model } = context.get()
  /** Only while the notebook is still displayed in this language. */
  const isLeft = () => isDestroyed || context.get().model !== model

  /** Runs that were requested during another run. @type {{ last: number, isFresh: boolean }[]} */
  let queue = []

  /**
   * Runs a cell and those before it, or queues the request.
   * @param {number} last @param {boolean} [restarts] from the first cell on, whatever is remembered
   */
  async function run(last, restarts = false) {
    if (isRunning) {
      if (!queue.some(candidate => candidate.last === last && candidate.isFresh === restarts)) queue.push({ last,
        isFresh: restarts })
      if (!restarts) views[last].wait(true)
      return setText(status, t(restarts ? 'lab.notebook.queuedAll' : 'lab.notebook.queued', { number: last + 1 }))
    }
    if (restarts) cells.end()
    const needsRestart = !restarts && !cells.isAlive && last > 0
    const list = cells.isAlive ? [last] : all.slice(0, last + 1)
    isRunning = true
    stop.disabled = false
    setText(status, t(needsRestart ? 'lab.notebook.again' : 'lab.notebook.running', { number: last + 1 }))
    const end = await runAll(list)
    isRunning = false
    hasRun = true
    stop.disabled = true
    if (isLeft()) return setText(status, '')
    if (end.failure) clearQueue()
    const next = queue.shift()
    if (next) {
      views[next.last].wait(false)
      return run(next.last, next.isFresh)
    }
    report(end, list, needsRestart)
  }
  /** Clears the queue. */
  function clearQueue() {
    queue.forEach(({ last }) => views[last].wait(false))
    queue = []
  }

  /** Runs cells in order and stops at the first that fails. @param {number[]} list */
  async function runAll(list) {
    /** @type {NonNullable<CellResult['error']> | null} */ let failure = null
    let last = 0
    for (const i of list) {
      last = i + 1
      views[i].busy(true)
      try {
        const outcome = await cells.run(views[i].code)
        if (isLeft()) break
        views[i].show(outcome)
        failure = outcome.error ?? null
      } catch (error) {
        if (isLeft()) break
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
   * @param {{ failure: CellResult['error'] | null, last: number }} end @param {number[]} list @param {boolean}
   *   needsRestart
   */
  function report({ failure, last }, list, needsRestart) {
    const key = messageKey(failure, list, last)
    const displayed = key === 'ranOne' ? views[last - 1].element : container
    /** @type {NodeListOf<HTMLElement>} */ const sources = displayed.querySelectorAll('[data-item]')
    const same = [...sources].reduce((allCells, { dataset }) => allCells + Number(dataset.same), 0)
    // The cells below were computed from the previous results of those above.
    const isOlder = views.slice(last).map(view => view.outdate()).includes(true)
    setText(status, [
      t(`lab.notebook.${key}`, { number: last, same, differing: displayed.querySelectorAll('[data-agrees="false"]').length }),
      needsRestart && !failure ? t('lab.notebook.afresh') : '', isOlder ? t('lab.notebook.older') : ''
    ].filter(Boolean).join(' '))
  }
  /**
   * The message about a run. @param {CellResult['error'] | null} failure @param {number[]} list @param {number} last
   */
  function messageKey(failure, list, last) {
    if (failure?.why === 'stopped' || failure?.why === 'time') return 'halted'
    if (failure) return 'failed'
    if (list.length === all.length) return 'done'
    return views[last - 1].element.querySelector('[data-item]') ? 'ranOne' : 'ranPlain'
  }
  const all = document.cells.map((_, i) => i)
  const views = document.cells.map((cell, i) => mountCell(cell, i, {
    ...context, words: texts.cells[i], code: codes[i],
    onRun: () => run(i), patch: () => roomSettings(document, i, codes, context.get()),
    onEdit: code => {
      if (!isRunning && !container.querySelector('.nb-error')) setText(status, '')
      codes[i] = code
      saveCode(document, i, code)
      views.forEach(view => view.updateWay())
    }
  }))
  /** @param {string} word @param {() => void} act */
  const button = (word, act) => h('button', { type: 'button', className: 'nb-run', onclick: act },
    t(`lab.notebook.${word}`))
  const stop = button('stop', () => {
    clearQueue()
    cells.stop()
  })
  stop.disabled = true
  const runAllButton = button('runAll', () => run(all.length - 1, true))
  /** The cells with the reader's changes; a single scope cannot declare a name twice. */
  function downloadModule() {
    try {
      const cells = document.cells.map((cell, i) => ({ ...cell, js: codes[i] }))
      download(`${id}.mjs`, toModule({ ...document, cells }, texts), 'text/javascript')
    } catch (error) {
      setText(status, t('lab.notebook.untakeable', { message: /** @type {Error} */ (error).message }))
    }
  }
  const downloadButtons = [
    h('button', { type: 'button', className: 'quiet', onclick: () => (
      download(`${id}.ipynb`, toJupyter(document, texts), 'application/x-ipynb+json')) }, t('lab.notebook.ipynb')),
    h('button', { type: 'button', className: 'quiet', onclick: downloadModule }, t('lab.notebook.mjs'))
  ]
  container.replaceChildren(
    h('div', { className: 'nb-bar' }, runAllButton, stop, downloadButtons), status, ...views.map(({ element }) => element),
    h('p', { className: 'nb-follows' }, renderProse(t('lab.notebook.follows', { id, source: texts.source }))))

  let top = 0
  const storeScroll = () => { top = scrollY }
  /** Restores the outputs from before, or runs all cells once, unless the code has been changed. */
  function restoreOrRun() {
    const savedState = notebookStates.get(id)
    if (savedState) {
      views.forEach((view, i) => {
        const { made: outcome, isOld } = savedState.shown[i]
        view.show(outcome)
        if (isOld) view.outdate()
      })
      scrollTo({ top: savedState.top, behavior: 'instant' })
      setText(status, t('lab.notebook.kept'))
    } else if (isEdited) setText(status, t('lab.notebook.restored'))
    else run(all.length - 1, true)
    storeScroll()
    addEventListener('scroll', storeScroll, { passive: true })
  }
  if (isSingleFile()) {
    syncChildren(status, [t('lab.notebook.single')], () => h('span'), setText)
    /** @type {NodeListOf<HTMLButtonElement>} */ const runs = container.querySelectorAll('.nb-cell .nb-run')
    for (const button of [runAllButton, ...runs]) button.disabled = true
  } else restoreOrRun()
  return {
    destroy() {
      isDestroyed = true
      removeEventListener('scroll', storeScroll)
      // An interrupted first run starts again on return.
      if (hasRun) notebookStates.set(id, { shown: views.map(view => view.left), top })
      cells.end()
    }
  }
}
