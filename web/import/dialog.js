/** The import dialog: files of a model are chosen or dropped, inspected from their headers, then opened. */

import { h, setText, uniqueId } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'
import { defaults } from '../shell/state.js'
import { storedModel } from './stored_model.js'
import { loadProgress } from './load_progress.js'
import { formatBytes } from './format_bytes.js'

/** @import { Context, Failure, Inspection, Patch } from '../types.d.ts' */
/** @typedef {NonNullable<Inspection['training']>} Found */

const MAX_LISTED = 12
const TOKENIZERS = /^(tokenizer\.json|vocab\.(json|txt)|.*\.(model|spm)|tok[^.]*\.bin)$/

/** A message of the library without its function name; a file name stays. @param {string} text */
const withoutFunction = text => text.replace(/^(models(\.\w+)?|safetensors): /, '')

/** @param {unknown} error */
const plain = error => ({ message: withoutFunction(/** @type {Error} */ (error).message) })

/**
 * Names that are missing, unused or not understood, truncated to a readable list.
 * @param {string} title @param {string[]} names
 */
function listed(title, names) {
  const rest = names.length - MAX_LISTED
  return names.length === 0 ? '' : h('section', {}, h('h3', {}, title),
    h('ul', {}, names.slice(0, MAX_LISTED).map(name => h('li', {}, h('code', {}, name))),
      rest > 0 ? h('li', {}, `+ ${rest}`) : ''))
}

/**
 * @param {Pick<Context, 't' | 'set' | 'get' | 'runQuery' | 'language' | 'rerun'>} context
 */
export function importDialog({ t, set, get, runQuery, language, rerun }) {
  const input = h('input', { type: 'file', multiple: '', id: uniqueId('files'),
    onchange: ({ currentTarget }) => look(currentTarget.files ?? []) })
  const summary = h('div', { 'className': 'bring-found', 'aria-live': 'polite' })
  const open = h('button', { type: 'button', className: 'primary', onclick: () => (training ? enterTraining(training) : start(files)) })
  const storeBox = h('input', { 'type': 'checkbox', 'id': uniqueId('keep'), 'data-field': 'keep' })
  const storeLabel = h('label', { for: storeBox.id })
  const storeField = h('p', {}, storeBox, storeLabel)
  const deeds = h('div', { className: 'bring-deeds', hidden: '' }, storeField, open)
  const progress = loadProgress(t, () => runQuery('stop', {}))
  const failure = h('p', { className: 'problem', role: 'alert' })
  const before = storedModel({ t, runQuery }, () => start())
  const close = h('button', { type: 'button', className: 'quiet', onclick: () => dialog.close() })
  const title = h('h2')
  const what = h('p')
  const label = h('label', { for: input.id, className: 'visually-hidden' })
  const stays = h('p', { className: 'note' })
  const place = h('div', { className: 'bring-place' }, label, input)
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', { className: 'settings bring' },
    h('div', { className: 'dialog-head' }, title, close), what, before.element, place, summary, deeds, progress.element, failure, stays)
  dialog.addEventListener('click', event => event.target === dialog && dialog.close())
  /** @type {Record<string, File>} */ let files = {}
  /** A training among the files. @type {Inspection['training']} */ let training = null
  let serial = 0

  /** The files of a folder by name; the last one of a name counts. @param {FileList | File[]} list */
  async function look(list) {
    files = Object.fromEntries(Array.from(list, file => [file.name, file]))
    serial += 1
    const own = serial
    deeds.hidden = true
    setText(failure, '')
    if (Object.keys(files).length === 0) return
    summary.replaceChildren(h('p', {}, t('bring.looking')))
    try {
      const inspection = await runQuery('inspect', { files })
      if (own === serial) describe(inspection)
    } catch (error) {
      if (own === serial) summary.replaceChildren(h('p', { className: 'problem' }, t('bring.failed', plain(error))))
    }
  }

  /** @param {Found} found */
  function tellTraining({ name, step }) {
    summary.replaceChildren(h('p', { className: 'bring-type' }, t('bring.training', {
      name, step: number(step), bytes: formatBytes(files[name].size)
    })))
    offer(false)
  }

  /** @param {boolean} isKeepable */
  function offer(isKeepable) {
    setText(open, t('bring.open'))
    setText(storeLabel, t('bring.keep'))
    storeField.hidden = !isKeepable
    deeds.hidden = false
    open.focus()
  }

  /** @param {number} value */
  const number = value => value.toLocaleString(language())

  /** @param {Inspection} inspection */
  function describe({ type, parameters, bytes, missing, unused, problems, names, room, ...rest }) {
    training = rest.training
    if (training) return tellTraining(training)
    const isWhole = type && missing.length === 0 && problems.length === 0
    const hasTokenizer = names.some((/** @type {string} */ name) => TOKENIZERS.test(name))
    const isWrong = problems.length > 0 || missing.length > 0
    summary.replaceChildren(
      type && parameters > 0 ? h('p', { className: 'bring-type' }, t('bring.is', {
        type, parameters: number(parameters), bytes: formatBytes(bytes)
      })) : '',
      isWhole ? h('p', {}, t('bring.fits', { room: formatBytes(room) })) : '',
      isWhole && !hasTokenizer ? h('p', {}, t('bring.noTokenizer')) : '',
      listed(t('bring.problems'), problems.map(withoutFunction)), listed(t('bring.missing'), missing), listed(t('bring.unused'), unused),
      isWrong ? h('p', { className: 'bring-remedy' }, t('bring.remedy')) : '')
    if (isWhole) offer(true)
  }

  /** Displays the weights of a training file in the rooms. @param {Found} found */
  async function enterTraining({ name, training: link }) {
    setText(failure, '')
    const [{ read }, { pageSettings }, { TASK_INFO, houseOf }] = await Promise.all([
      import('../theatre/settings.js'), import('../theatre/page_settings.js'), import('../theatre/tasks/task_info.js')])
    try {
      const settings = read(link), file = new Uint8Array(await files[name].arrayBuffer())
      await runQuery('setWeights', { model: houseOf(settings.task), file })
      dialog.close()
      enter(pageSettings(settings, TASK_INFO[settings.task].sample))
    } catch (error) {
      setText(failure, `${t('bring.failed', plain(error))} ${t('bring.goesOn')}`)
    }
  }

  /**
   * Opens the files. The page keeps its current model until the new one is loaded.
   * @param {Record<string, File>} [chosen] without them, those stored in the browser
   */
  async function start(chosen) {
    setText(failure, '')
    for (const element of [deeds, before.element, place]) element.inert = true
    progress.begin()
    try {
      await runQuery('open', chosen ? { files: chosen } : {}, progress.tell)
      const isKept = !chosen || !storeBox.checked || await runQuery('store', {})
      if (isKept) dialog.close()
      else setText(failure, t('bring.unkept'))
      enter(defaults('own'))
    } catch (problem) {
      const error = /** @type {Failure} */ (problem)
      setText(failure, error.code === 'stopped' ? t('bring.stopped') : `${t('bring.failed', plain(error))} ${t('bring.goesOn')}`)
      // Only one copy fits in memory at a time, so the weights of the current run are read again.
      if (get().model === 'own') rerun()
    }
    for (const element of [deeds, before.element, place]) element.inert = false
    progress.end()
  }

  /** Enters the imported model, or another state. @param {Patch} patch */
  function enter(patch) {
    const { language: spoken, theme, depth } = get()
    set({ ...patch, room: 'house', language: spoken, theme, depth }, 'push')
    rerun()
  }

  /** @param {File[] | null} [list] files that were dropped on the page */
  function show(list = null) {
    setText(title, t('bring.title'))
    setText(label, t('bring.choose'))
    setText(stays, t('bring.stays'))
    what.replaceChildren(...[renderProse(t('bring.what'))].flat())
    setText(close, t('app.close'))
    dialog.setAttribute('aria-label', t('bring.title'))
    before.update()
    if (!dialog.open) dialog.showModal()
    if (list) look(list)
  }
  return { dialog, show }
}
