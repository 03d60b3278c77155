/** A notebook to read and run; loaded when one is opened. */

import { signedDomain } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { getTensor } from '../lib/run.js'
import { peak, slice } from '../lib/slice.js'
import { loadNotebookTexts } from '../words/parts.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'notebook'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** The id of the notebook. @param {Run} run @param {View} view */
export const data = (run, { room }) => ({ notebook: room.parts.notebook })

/** The thumbnail: the table of positions, the topic of all notebooks. @type {Stage['picture']} */
export function picture(run, { room }) {
  const tensor = getTensor(run, room.parts.table)
  return { part: slice(tensor, { row: 0, col: 1 }), domain: signedDomain(peak(tensor)) }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const root = h('div', { 'className': 'nb', 'aria-busy': 'true' })
  container.append(root)
  /** @type {{ destroy: () => void } | undefined} */ let latest
  let isDestroyed = false
  /** @param {string} name */
  async function open(name) {
    const { model } = context.get()
    const [{ mountNotebook: notebook }, texts] = await Promise.all([
      import('../notebooks/view.js'), loadNotebookTexts(context.language(), name)])
    if (isDestroyed) return
    if (context.get().model !== model) {
      // The reader has left the room meanwhile; the notebook opens again on return.
      requested = null
      return
    }
    latest = notebook(root, context, name, texts)
    root.setAttribute('aria-busy', 'false')
  }
  /** @type {string | null} */ let requested = null
  return {
    update({ notebook }) {
      if (requested === notebook) return
      requested = notebook
      open(notebook).catch(error => {
        requested = null
        context.reportError(error)
      })
    },
    mark() {},
    destroy() {
      isDestroyed = true
      latest?.destroy()
    }
  }
}
