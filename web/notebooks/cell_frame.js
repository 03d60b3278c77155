/**
 * Starts the worker of the cells. This runs in a sandboxed frame: its document, cell.html, has a policy of its own,
 * which its workers inherit. Text may become code there; nothing can be fetched, imported or connected to. Without
 * such a frame a worker has the page's policy or that of its response, and a static host sends none.
 */

addEventListener('message', ({ source, data, ports: [port] }) => {
  // Only for a page that sandboxes it: a frame with the page's origin would give untrusted code that origin.
  if (source !== parent || self.origin !== 'null') return
  const worker = new Worker(URL.createObjectURL(new Blob([data.code], { type: 'text/javascript' })))
  worker.onmessage = ({ data: message }) => port.postMessage({ message })
  worker.onerror = event => {
    event.preventDefault()
    port.postMessage({ failure: event.message || 'worker' })
  }
  port.onmessage = ({ data: question }) => worker.postMessage(question)
}, { once: true })
