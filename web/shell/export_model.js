/** Exporting the model of a run: weights, ONNX, a PyTorch script. Made in the worker, saved by the browser. */

import { h, setText } from '../lib/dom.js'
import { prose } from '../lib/prose.js'
import { save } from '../lib/save.js'
import { modelOf } from '../models/index.js'

/** @import { Context, Run } from '../types.d.ts' */

const FORMATS = /** @type {const} */ (['zip', 'safetensors', 'onnx', 'py'])

/** @param {Pick<Context, 't' | 'ask' | 'run'>} context */
export function exportMenu({ t, ask, run }) {
  const status = h('span', { role: 'status', className: 'menu-said' })
  /** @param {typeof FORMATS[number]} format */
  async function give(format) {
    const about = run()
    if (!about) return
    setText(status, t('app.taking.making'))
    try {
      /** @type {any} */ const content = await ask('exportModel', { format })
      const name = about.imported?.type ?? modelOf(about.settings.model).id
      save(new Blob([content].flat()), `${name}.${format}`)
      setText(status, '')
    } catch (error) {
      setText(status, t('app.taking.failed', { message: /** @type {Error} */ (error).message }))
    }
  }
  const buttons = FORMATS.map(format => h('button', {
    'type': 'button', 'className': 'quiet', 'data-take': format, 'onclick': () => give(format)
  }, t(`app.taking.${format}`)))
  const unkeyed = h('p', { className: 'menu-note', hidden: true }, t('app.taking.unkeyed'))
  const unscripted = h('p', { className: 'menu-note', hidden: true }, t('app.taking.unscripted'))
  const element = h('div', { className: 'taking', hidden: true },
    h('p', { className: 'menu-title' }, t('app.taking.title')), buttons,
    unkeyed, unscripted, h('p', { className: 'menu-note' }, prose(t('app.taking.note'))), status)
  /** @param {Run | null} run */
  function update(run) {
    element.hidden = !run?.isExportable
    buttons[FORMATS.indexOf('zip')].hidden = !run?.hasFiles
    buttons[FORMATS.indexOf('py')].disabled = Boolean(run?.unscripted)
    unscripted.hidden = !run?.unscripted
    unkeyed.hidden = Boolean(run?.hasFiles)
  }
  return { element, update }
}
