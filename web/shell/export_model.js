/** Exporting the model of a run: weights, ONNX, a PyTorch script. Made in the worker, saved by the browser. */

import { h, setText } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'
import { saveBlob } from '../lib/save.js'
import { modelOf } from '../models/index.js'

/** @import { Context, Run } from '../types.d.ts' */

const FORMATS = /** @type {const} */ (['zip', 'safetensors', 'onnx', 'py'])

/** @param {Pick<Context, 't' | 'runQuery' | 'run'>} context */
export function createExportMenu({ t, runQuery, run }) {
  const status = h('span', { role: 'status', className: 'menu-said' })
  /** @param {typeof FORMATS[number]} format */
  async function exportAs(format) {
    const exportedRun = run()
    if (!exportedRun) return
    setText(status, t('app.taking.making'))
    try {
      /** @type {any} */ const content = await runQuery('exportModel', { format })
      const name = exportedRun.imported?.type ?? modelOf(exportedRun.settings.model).id
      saveBlob(new Blob([content].flat()), `${name}.${format}`)
      setText(status, '')
    } catch (error) {
      setText(status, t('app.taking.failed', { message: /** @type {Error} */ (error).message }))
    }
  }
  const buttons = FORMATS.map(format => h('button', {
    'type': 'button', 'className': 'quiet', 'data-take': format, 'onclick': () => exportAs(format)
  }, t(`app.taking.${format}`)))
  const noKeysNote = h('p', { className: 'menu-note', hidden: true }, t('app.taking.unkeyed'))
  const element = h('div', { className: 'taking', hidden: true },
    h('p', { className: 'menu-title' }, t('app.taking.title')), buttons,
    noKeysNote, h('p', { className: 'menu-note' }, renderProse(t('app.taking.note'))), status)
  /** @param {Run | null} run */
  function update(run) {
    element.hidden = !run?.isExportable
    buttons[FORMATS.indexOf('zip')].hidden = !run?.hasHubFiles
    noKeysNote.hidden = Boolean(run?.hasHubFiles)
  }
  return { element, update }
}
