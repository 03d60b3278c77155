/** Where a model of the reader's own comes in: a button, and the whole page for files that are dropped. */

import { h } from '../lib/dom.js'

/** @param {any} context of the page */
export function bringing(context) {
  const { t } = context
  let dialog = null
  /** @param {FileList | null} [files] */
  async function show(files = null) {
    const { dialogOf } = await import('./dialog.js')
    if (!dialog) {
      dialog = dialogOf(context)
      element.append(dialog.dialog)
    }
    dialog.show(files)
  }
  const button = h('button', {
    'type': 'button', 'className': 'quiet', 'data-action': 'bring', 'onclick': () => show()
  }, t('bring.again'))
  const element = h('div', { className: 'bringing' }, button)
  const holdsFiles = event => event.dataTransfer?.types.includes('Files')
  document.body.ondragover = event => holdsFiles(event) && event.preventDefault()
  document.body.ondrop = event => {
    if (!holdsFiles(event)) return
    event.preventDefault()
    show(event.dataTransfer.files)
  }
  return { element, button, show }
}
