/**
 * The notebook widget: a figure of a run of weights that Python sends. The engine runs in the notebook's page, from
 * this one file, without network. It follows anywidget's contract for front ends: the default export has `render`.
 */

import { load } from '../../src/js/index.js'
import { figure } from '../elements/index.js'

/** @import { Library, LibraryRun } from '../types.d.ts' */

/**
 * What anywidget passes to `render`: traits of Python by name.
 * @typedef {{ get(name: string): any, set(name: string, value: unknown): void, save_changes(): void,
 *   on(event: string, listener: () => void): void, off(event: string, listener: () => void): void }} WidgetModel
 */

/** Traits that compute again, and those that are attributes of the figure. */
const COMPUTED = ['weights', 'config', 'ids', 'tokens'], ATTRIBUTES = ['room', 'head', 'depth', 'theme', 'lang']

/** One engine for all widgets of a page. @type {Promise<Library> | undefined} */ let loading

/** Bytes of Python arrive as a DataView. @param {DataView | Uint8Array | ArrayBuffer} value */
const asBytes = value => (ArrayBuffer.isView(value)
  ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice() : new Uint8Array(value))

/**
 * Runs the model that Python describes.
 * @param {Library} gf @param {WidgetModel} traits
 * @returns {Promise<{ run: LibraryRun, free(): void }>}
 */
async function observeModel(gf, traits) {
  const files = { 'config.json': traits.get('config'), 'model.safetensors': asBytes(traits.get('weights')) }
  const { model } = await gf.models.load(files, { dtype: 'float32' })
  const ids = /** @type {number[]} */ (traits.get('ids')), named = /** @type {string[]} */ (traits.get('tokens'))
  const tokens = ids.map((id, i) => named[i] ?? String(id))
  const { vocab_size: size = 0 } = JSON.parse(traits.get('config'))
  const vocabulary = Array.from({ length: size }, (_, id) => named[ids.indexOf(id)] ?? String(id))
  const stream = {
    tokens: [tokens], ids: [ids], vocabulary, padding: [ids.map(() => false)], lengths: [ids.length], merges: {}, texts: [tokens.join(' ')]
  }
  try {
    const run = gf.observe(() => {
      const { logits, pooled, hidden } = model.forward([ids])
      return { output: logits ?? pooled ?? hidden }
    }, { axes: model.axes({ ids: 'text' }), streams: { text: stream } })
    return { run, free() {
      run.dispose()
      model.dispose()
    } }
  } catch (error) {
    model.dispose()
    throw error
  }
}

/** @param {{ model: WidgetModel, el: HTMLElement }} place @returns {() => void} what frees it */
function render({ model: traits, el }) {
  /** @type {{ element: ReturnType<typeof figure>, free(): void } | null} */ let current = null
  let serial = 0
  const clear = () => {
    serial += 1
    el.replaceChildren()
    current?.free()
    current = null
  }
  const attributes = () => Object.fromEntries(ATTRIBUTES.map(name => [name, traits.get(name)])
    .filter(([, value]) => value !== null && value !== undefined && value !== ''))
  async function show() {
    clear()
    const own = serial
    try {
      const gf = await (loading ??= load()), { run, free } = await observeModel(gf, traits)
      if (own !== serial) return free()
      const element = figure(el, run, { gf, controls: traits.get('controls'), ...attributes() })
      element.addEventListener('glass-select', event => {
        traits.set('selected', event.detail)
        traits.save_changes()
      })
      current = { element, free }
    } catch (error) {
      const line = document.createElement('p')
      line.setAttribute('role', 'alert')
      line.textContent = `glassformer: ${/** @type {Error} */ (error).message}`
      if (own === serial) el.replaceChildren(line)
    }
  }
  const change = () => Object.assign(current?.element ?? {}, attributes())
  const listeners = [...COMPUTED.map(name => [name, show]), ...ATTRIBUTES.map(name => [name, change])]
  for (const [name, listener] of listeners) traits.on(`change:${name}`, /** @type {() => void} */ (listener))
  show()
  return () => {
    for (const [name, listener] of listeners) traits.off(`change:${name}`, /** @type {() => void} */ (listener))
    clear()
  }
}

export default { render }
