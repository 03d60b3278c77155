/** The page's side of the frame in which cells run. */

import { h } from '../lib/dom.js'

/** @import { CellWorker } from './runner.js' */

/** @typedef {{ message?: any, failure?: string }} FromFrame */

/** Starts a worker for cells that cannot fetch or import anything. @param {string} code @returns {CellWorker} */
export function startCellWorker(code) {
  const frame = h('iframe', { src: 'cell.html', sandbox: 'allow-scripts', hidden: true, title: 'cells' })
  const { port1: port, port2: framePort } = new MessageChannel()
  /** @type {CellWorker} */
  const worker = {
    onmessage: null, onerror: null,
    postMessage: (/** @type {any} */ message) => port.postMessage(message),
    terminate() {
      port.close()
      frame.remove()
    }
  }
  port.onmessage = (/** @type {MessageEvent<FromFrame>} */ { data: { message, failure } }) => {
    if (failure === undefined) worker.onmessage?.({ data: message })
    else worker.onerror?.({ message: failure })
  }
  frame.addEventListener('load', () => frame.contentWindow?.postMessage({ code }, '*', [framePort]), { once: true })
  document.body.append(frame)
  return worker
}
