/** Files of a model that the reader brings: chosen or dropped, looked at before anything is read, then opened. */

import { h, setText, uniqueId } from '../lib/dom.js'
import { prose } from '../lib/prose.js'
import { defaults } from '../shell/state.js'

/** @import { Context, Inspection } from '../types.d.ts' */

const UNITS = ['B', 'KB', 'MB', 'GB']

/** Bytes as people say them. @param {number} bytes */
function size(bytes) {
  const at = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** at
  return `${at === 0 ? value : value.toPrecision(3)} ${UNITS[at]}`
}

const MOST_LISTED = 12
const TOKENIZERS = /^(tokenizer\.json|vocab\.(json|txt)|.*\.(model|spm)|tok[^.]*\.bin)$/

/** A message of the library's without the function that it names first. @param {string} text */
const withoutFunction = text => text.replace(/^[\w.]+: /, '')

/** @param {unknown} error */
const plain = error => ({ message: withoutFunction(/** @type {Error} */ (error).message) })

/**
 * Names that are missing, left over or not understood, as many as can be read.
 * @param {string} title @param {string[]} names
 */
function listed(title, names) {
  const rest = names.length - MOST_LISTED
  return names.length === 0 ? '' : h('section', {}, h('h3', {}, title),
    h('ul', {}, names.slice(0, MOST_LISTED).map(name => h('li', {}, h('code', {}, name))),
      rest > 0 ? h('li', {}, `+ ${rest}`) : ''))
}

/**
 * @param {Pick<Context, 't' | 'set' | 'get' | 'ask' | 'language' | 'again'>} context
 */
export function dialogOf({ t, set, get, ask, language, again }) {
  const input = h('input', { type: 'file', multiple: '', id: uniqueId('files'), onchange: ({ currentTarget }) => look(currentTarget.files ?? []) })
  const found = h('div', { 'className': 'bring-found', 'aria-live': 'polite' })
  const open = h('button', { type: 'button', className: 'primary', hidden: '', onclick: () => start() })
  const close = h('button', { type: 'button', className: 'quiet', onclick: () => dialog.close() })
  const title = h('h2')
  const what = h('p')
  const label = h('label', { for: input.id, className: 'visually-hidden' })
  const stays = h('p', { className: 'note' })
  const place = h('div', { className: 'bring-place' }, label, input)
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', { className: 'settings bring' },
    h('div', { className: 'dialog-head' }, title, close), what, place, found, open, stays)
  dialog.addEventListener('click', event => event.target === dialog && dialog.close())
  /** @type {Record<string, File>} */ let files = {}
  let serial = 0

  /** Files as they lie in a folder: the last one of a name counts. @param {FileList | File[]} list */
  async function look(list) {
    files = Object.fromEntries(Array.from(list, file => [file.name, file]))
    serial += 1
    const own = serial
    open.hidden = true
    if (Object.keys(files).length === 0) return
    found.replaceChildren(h('p', {}, t('bring.looking')))
    try {
      const inspection = await ask('inspect', { files })
      if (own === serial) tell(inspection)
    } catch (error) {
      if (own === serial) found.replaceChildren(h('p', { className: 'problem' }, t('bring.failed', plain(error))))
    }
  }

  /** @param {Inspection} inspection */
  function tell({ type, parameters, bytes, missing, unused, problems, names }) {
    /** @param {number} value */
    const number = value => value.toLocaleString(language())
    const isWhole = type && missing.length === 0 && problems.length === 0
    const hasTokenizer = names.some((/** @type {string} */ name) => TOKENIZERS.test(name))
    found.replaceChildren(
      type && parameters > 0 ? h('p', { className: 'bring-type' }, t('bring.is', {
        type, parameters: number(parameters), bytes: size(bytes)
      })) : '',
      isWhole && !hasTokenizer ? h('p', {}, t('bring.noTokenizer')) : '',
      listed(t('bring.problems'), problems.map(withoutFunction)), listed(t('bring.missing'), missing), listed(t('bring.unused'), unused))
    setText(open, t('bring.open'))
    open.hidden = !isWhole
    if (isWhole) open.focus()
  }

  /** The page goes on with the model it had until this one is there. */
  async function start() {
    open.disabled = true
    setText(open, t('bring.reading'))
    try {
      await ask('open', { files })
      const { language: spoken, theme, depth } = get()
      dialog.close()
      set({ ...defaults('own'), language: spoken, theme, depth }, 'push')
      again()
    } catch (error) {
      found.append(h('p', { className: 'problem' }, t('bring.failed', plain(error))))
    }
    open.disabled = false
    setText(open, t('bring.open'))
  }

  /** @param {FileList | null} [list] files that were dropped on the page */
  function show(list = null) {
    setText(title, t('bring.title'))
    setText(label, t('bring.choose'))
    setText(stays, t('bring.stays'))
    what.replaceChildren(...[prose(t('bring.what'))].flat())
    setText(close, t('app.close'))
    dialog.setAttribute('aria-label', t('bring.title'))
    if (!dialog.open) dialog.showModal()
    if (list) look(list)
  }
  return { dialog, show }
}
