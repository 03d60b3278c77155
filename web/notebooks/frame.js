/** The page's side of the frame in which cells run. */

import { h } from '../lib/dom.js'

/** @import { CellWorker } from './runner.js' */

/** @typedef {{ message?: any, failure?: string }} FromFrame */

/**
 * Starts a worker for cells that cannot fetch or import anything. Its frame has an origin of its own: by its attribute,
 * or, where a service worker serves the page, by a header of the response, since a service worker is not asked for the
 * document of a sandboxed frame.
 * @param {string} code @returns {CellWorker}
 */
export function startCellWorker(code) {
  const sandbox = navigator.serviceWorker?.controller ? {} : { sandbox: 'allow-scripts' }
  const frame = h('iframe', { src: 'cell.html', ...sandbox, hidden: true, title: 'cells' })
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
