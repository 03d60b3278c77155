/** Where a model of the reader's own comes in: a button, and the whole page for files that are dropped. */

import { h } from '../lib/dom.js'

/** @import { Context } from '../types.d.ts' */

/** @param {Context} context */
export function bringing(context) {
  const { t } = context
  /** @type {ReturnType<typeof import('./dialog.js').dialogOf> | null} */ let dialog = null
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
  /** @param {DragEvent} event */
  const holdsFiles = event => event.dataTransfer?.types.includes('Files')
  document.body.ondragover = event => holdsFiles(event) && event.preventDefault()
  document.body.ondrop = event => {
    if (!holdsFiles(event)) return
    event.preventDefault()
    show(event.dataTransfer?.files)
  }
  return { element, button, show }
}
