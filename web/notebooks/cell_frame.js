/**
 * Starts the worker of the cells. This runs in a sandboxed frame: its document, cell.html, has a policy of its own,
 * which its workers inherit: code may be evaluated, but nothing can be fetched, imported or connected to. Without the
 * frame a worker would have the page's policy, or that of its response, which a static host does not send.
 */

/**
 * The first message to the worker is its code: Safari starts no worker from a blob in a sandboxed frame, and for an
 * address the code is too long.
 */
const STARTER = 'onmessage = ({ data }) => { onmessage = null; (0, eval)(data) }'

addEventListener('message', ({ source, data, ports: [port] }) => {
  // Only in a sandbox: without one, untrusted code would have the page's origin.
  if (source !== parent || self.origin !== 'null') return
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(STARTER)}`)
  worker.onmessage = ({ data: message }) => port.postMessage({ message })
  worker.onerror = event => {
    event.preventDefault()
    port.postMessage({ failure: event.message || 'worker' })
  }
  worker.postMessage(data.code)
  port.onmessage = ({ data: question }) => worker.postMessage(question)
}, { once: true })
