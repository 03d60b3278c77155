/** Importing a model: a button, and the whole page as a target for dropped files. */

import { h } from '../lib/dom.js'

/** @import { Context } from '../types.d.ts' */

/** The files of a folder without its subfolders, which hold other formats of the same model. @param {any} folder */
async function filesIn(folder) {
  const reader = folder.createReader(), all = []
  // At most a hundred entries are returned per call.
  for (let some; (some = await new Promise((done, fail) => reader.readEntries(done, fail))).length;) all.push(...some)
  const files = all.filter(({ isFile }) => isFile)
  return Promise.all(files.map(entry => new Promise((done, fail) => entry.file(done, fail))))
}

/** The files of a drop, or of the folder that was dropped. @param {DataTransfer | null} data */
async function dropped(data) {
  const files = Array.from(data?.files ?? [])
  const folders = Array.from(data?.items ?? [], item => item.webkitGetAsEntry?.()).filter(entry => entry?.isDirectory)
  return folders.length ? (await Promise.all(folders.map(filesIn))).flat() : files
}

/** @param {Context} context */
export function importButton(context) {
  const { t } = context
  /** @type {ReturnType<typeof import('./dialog.js').importDialog> | null} */ let dialog = null
  /** @param {File[] | null} [files] */
  async function show(files = null) {
    const { importDialog } = await import('./dialog.js')
    if (!dialog) {
      dialog = importDialog(context)
      element.append(dialog.dialog)
    }
    dialog.show(files)
  }
  const button = h('button', {
    'type': 'button', 'className': 'quiet', 'data-action': 'bring', 'onclick': () => show()
  }, t('bring.again'))
  const element = h('div', { className: 'bringing' }, button)
  /** @param {DragEvent} event */
  const holdsFiles = event => event.dataTransfer?.types.includes('Files')
  document.body.ondragover = event => holdsFiles(event) && event.preventDefault()
  document.body.ondrop = event => {
    if (!holdsFiles(event)) return
    event.preventDefault()
    dropped(event.dataTransfer).then(show).catch(context.fails)
  }
  return { element, button, show }
}
