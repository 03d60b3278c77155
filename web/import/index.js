/** Importing a model: a button, and the whole page as a target for dropped files. */

import { h } from '../lib/dom.js'

/** @import { Context } from '../types.d.ts' */

/** The files of a folder without its subfolders, which hold other formats of the same model. @param {any} folder */
async function listFiles(folder) {
  const reader = folder.createReader(), entries = []
  // At most a hundred entries are returned per call.
  for (let batch; (batch =
    await new Promise((resolve, reject) => reader.readEntries(resolve, reject))).length;) entries.push(...batch)
  const files = entries.filter(({ isFile }) => isFile)
  return Promise.all(files.map(entry => new Promise((resolve, reject) => entry.file(resolve, reject))))
}

/** The files of a drop, or of the folder that was dropped. @param {DataTransfer | null} data */
async function droppedFiles(data) {
  const files = Array.from(data?.files ?? [])
  const folders = Array.from(data?.items ?? [], item => item.webkitGetAsEntry?.()).filter(entry => entry?.isDirectory)
  return folders.length ? (await Promise.all(folders.map(listFiles))).flat() : files
}

/** @param {Context} context */
export function createImportButton(context) {
  const { t } = context
  /** @type {ReturnType<typeof import('./dialog.js').createImportDialog> | null} */ let dialog = null
  /** @param {File[] | null} [files] @param {{ opens?: boolean }} [options] opens: at once, if they are a model */
  async function show(files = null, options = {}) {
    const [{ createImportDialog: importDialog }] = await Promise.all([import('./dialog.js'), context.ready()])
    if (!dialog) {
      dialog = importDialog(context)
      element.append(dialog.dialog)
    }
    dialog.show(files, options)
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
    droppedFiles(event.dataTransfer).then(files => show(files)).catch(context.reportError)
  }
  return { element, button, show }
}
