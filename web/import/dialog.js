/** The import dialog: files of a model are chosen or dropped, inspected from their headers, then opened. */

import { h, setText, uniqueId } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'
import { defaults } from '../models/state.js'
import { createStoredModelView } from './stored_model.js'
import { createLoadProgress } from './load_progress.js'
import { createDtypeView } from './dtype_view.js'
import { formatBytes } from './format_bytes.js'

/** @import { Context, Failure, Inspection, Patch } from '../types.d.ts' */
/** @typedef {NonNullable<Inspection['training']>} TrainingFile */
/** @import { Dtype } from '../models/imported/choose_dtype.js' */

const MAX_LISTED = 12

/** A message of the library without its function name; a file name stays. @param {string} text */
const withoutFunction = text => text.replace(/^(models(\.\w+)?|safetensors): /, '')

/** @param {unknown} error */
const messageValues = error => ({ message: withoutFunction(/** @type {Error} */ (error).message) })

/**
 * Names that are missing, unused or not understood, truncated to a readable list.
 * @param {string} title @param {string[]} names
 */
function renderNames(title, names) {
  const rest = names.length - MAX_LISTED
  return names.length === 0 ? '' : h('section', {}, h('h3', {}, title),
    h('ul', {}, names.slice(0, MAX_LISTED).map(name => h('li', {}, h('code', {}, name))),
      rest > 0 ? h('li', {}, `+ ${rest}`) : ''))
}

/**
 * @param {Pick<Context, 't' | 'set' | 'get' | 'runQuery' | 'language' | 'rerun'>} context
 */
export function createImportDialog({ t, set, get, runQuery, language, rerun }) {
  const input = h('input', { type: 'file', multiple: '', id: uniqueId('files'),
    onchange: ({ currentTarget }) => inspectFiles(currentTarget.files ?? []) })
  const summary = h('div', { 'className': 'bring-found', 'aria-live': 'polite' })
  const open = h('button', { type: 'button', className: 'primary', onclick: () => (training ? showTraining(training) : start(files)) })
  const storeBox = h('input', { 'type': 'checkbox', 'id': uniqueId('keep'), 'data-field': 'keep' })
  const storeLabel = h('label', { for: storeBox.id })
  const storeField = h('p', {}, storeBox, storeLabel)
  const actions = h('div', { className: 'bring-deeds', hidden: '' }, storeField, open)
  const progress = createLoadProgress(t, () => runQuery('stop', {}))
  const failure = h('p', { className: 'problem', role: 'alert' })
  const storedModelView = createStoredModelView({ t, runQuery }, () => start())
  const close = h('button', { type: 'button', className: 'quiet', onclick: () => dialog.close() })
  const title = h('h2')
  const explanation = h('p')
  const label = h('label', { for: input.id, className: 'visually-hidden' })
  const privacyNote = h('p', { className: 'note' })
  const fileInput = h('div', { className: 'bring-place' }, label, input)
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', { className: 'settings bring' },
    h('div', { className: 'dialog-head' }, title, close), explanation, storedModelView.element, fileInput, summary, actions, progress.element, failure, privacyNote)
  dialog.addEventListener('click', event => event.target === dialog && dialog.close())
  /** @type {Record<string, File>} */ let files = {}
  /** A training among the files. @type {Inspection['training']} */ let training = null
  /** The dtype that the reader chose. @type {Dtype | undefined} */ let dtype
  let serial = 0
  /** Whether the files are a served model's, which a link may be to. */ let isServed = false

  /** The files of a folder by name; the last one of a name counts. @param {FileList | File[]} list */
  async function inspectFiles(list) {
    files = Object.fromEntries(Array.from(list, file => [file.name, file]))
    serial += 1
    const requestSerial = serial
    actions.hidden = true
    setText(failure, '')
    if (Object.keys(files).length === 0) return
    summary.replaceChildren(h('p', {}, t('bring.looking')))
    try {
      const inspection = await runQuery('inspect', { files })
      if (requestSerial === serial) describe(inspection)
    } catch (error) {
      if (requestSerial === serial) summary.replaceChildren(h('p', { className: 'problem' }, t('bring.failed', messageValues(error))))
    }
  }

  /** @param {TrainingFile} found */
  function describeTraining({ name, step }) {
    summary.replaceChildren(h('p', { className: 'bring-type' }, t('bring.training', {
      name, step: formatNumber(step), bytes: formatBytes(files[name].size)
    })))
    offerToOpen(false)
  }

  /** @param {boolean} canStore */
  function offerToOpen(canStore) {
    setText(open, t('bring.open'))
    setText(storeLabel, t('bring.keep'))
    storeField.hidden = !canStore
    actions.hidden = false
    open.focus()
  }

  /** @param {number} value */
  const formatNumber = value => value.toLocaleString(language())

  /** @param {Inspection} inspection */
  function describe({ type, parameters, bytes, missing, unused, problems, hasTokenizer, choice, ...rest }) {
    training = rest.training
    dtype = undefined
    if (training) return describeTraining(training)
    const canOpen = type && missing.length === 0 && problems.length === 0
    const hasProblems = problems.length > 0 || missing.length > 0
    summary.replaceChildren(
      type && parameters > 0 ? h('p', { className: 'bring-type' }, t('bring.is', {
        type, parameters: formatNumber(parameters), bytes: formatBytes(bytes)
      })) : '',
      canOpen ? createDtypeView(t, choice, chosen => { dtype = chosen }) : '',
      canOpen && !hasTokenizer ? h('p', {}, t('bring.noTokenizer')) : '',
      renderNames(t('bring.problems'), problems.map(withoutFunction)), renderNames(t('bring.missing'), missing), renderNames(t('bring.unused'), unused),
      hasProblems ? h('p', { className: 'bring-remedy' }, t('bring.remedy')) : '')
    if (canOpen) offerToOpen(true)
  }

  /** Displays the weights of a training file in the rooms. @param {TrainingFile} found */
  async function showTraining({ name, training: link }) {
    setText(failure, '')
    const [{ read }, { pageSettings }, { houseOf }] = await Promise.all([
      import('../../src/training/settings.js'), import('../theatre/page_settings.js'), import('../../src/training/tasks/task_info.js')])
    try {
      const settings = read(link), file = new Uint8Array(await files[name].arrayBuffer())
      await runQuery('setWeights', { model: houseOf(settings.task), file })
      dialog.close()
      enterHouse(pageSettings(settings, '', language()))
    } catch (error) {
      setText(failure, `${t('bring.failed', messageValues(error))} ${t('bring.goesOn')}`)
    }
  }

  /**
   * Opens the files. The page keeps its current model until the new one is loaded.
   * @param {Record<string, File>} [chosenFiles] without them, those stored in the browser
   */
  async function start(chosenFiles) {
    setText(failure, '')
    for (const element of [actions, storedModelView.element, fileInput]) element.inert = true
    progress.start()
    try {
      const { hasTokenizer } = await runQuery('open', chosenFiles ? { files: chosenFiles, dtype } : {}, progress.update)
      const isStored = !chosenFiles || !storeBox.checked || await runQuery('store', {})
      if (isStored) dialog.close()
      else setText(failure, t('bring.unkept'))
      const state = get(), initial = defaults('own'), ids = hasTokenizer ? {} : { beginning: '0 1 2' }
      if (isServed && state.model === 'own') {
        if (state.beginning === initial.beginning) set(ids)
        rerun()
      } else enterHouse({ ...initial, ...ids })
    } catch (problem) {
      const error = /** @type {Failure} */ (problem)
      setText(failure, error.code === 'stopped' ? t('bring.stopped') : `${t('bring.failed', messageValues(error))} ${t('bring.goesOn')}`)
      // Only one copy fits in memory at a time, so the weights of the current run are read again.
      if (get().model === 'own') rerun()
    }
    for (const element of [actions, storedModelView.element, fileInput]) element.inert = false
    progress.end()
  }

  /** Enters the imported model, or another state. @param {Patch} patch */
  function enterHouse(patch) {
    const { language: currentLanguage, theme, depth } = get()
    set({ ...patch, room: 'house', language: currentLanguage, theme, depth }, 'push')
    rerun()
  }

  /**
   * @param {File[] | null} [list] files that were dropped on the page
   * @param {{ opens?: boolean }} [options] opens: opens the files at once, if they are a model; a link to it stays
   */
  function show(list = null, { opens = false } = {}) {
    isServed = opens
    setText(title, t('bring.title'))
    setText(label, t('bring.choose'))
    setText(privacyNote, t('bring.stays'))
    explanation.replaceChildren(...[renderProse(t('bring.what'))].flat())
    setText(close, t('app.close'))
    dialog.setAttribute('aria-label', t('bring.title'))
    storedModelView.update()
    if (!dialog.open) dialog.showModal()
    if (list) inspectFiles(list).then(() => opens && !actions.hidden && open.click())
  }
  return { dialog, show }
}
