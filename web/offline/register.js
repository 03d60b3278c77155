/** Registers the service worker, and says when a newer version of the page is there. Loaded after the first run. */

import { h } from '../lib/dom.js'

/** @import { Context } from '../types.d.ts' */

/**
 * A line above the page with a button that loads the new version.
 * @param {Pick<Context, 't'>} context @param {ServiceWorker} worker that has stored the new version
 */
function offerUpdate({ t }, worker) {
  const line = h('p', { className: 'new-version', role: 'status' }, t('offline.new'))
  /** @param {string} className @param {string} words @param {() => void} onclick */
  const button = (className, words, onclick) => h('button', { type: 'button', className, onclick }, words)
  line.append(button('primary', t('offline.load'), () => worker.postMessage('activate')),
    button('quiet', t('app.close'), () => line.remove()))
  document.body.prepend(line)
}

/** @param {Pick<Context, 't' | 'ready'>} context */
export async function registerServiceWorker(context) {
  const { serviceWorker } = navigator, registration = await serviceWorker.register('service_worker.js')
  let isUpdate = Boolean(serviceWorker.controller)
  serviceWorker.addEventListener('controllerchange', () => {
    if (isUpdate) location.reload()
    isUpdate = true
  })
  /** @param {ServiceWorker | null} worker */
  function watch(worker) {
    if (!worker || !serviceWorker.controller) return
    const offer = () => worker.state === 'installed' && context.ready().then(() => offerUpdate(context, worker))
    offer()
    worker.addEventListener('statechange', offer)
  }
  watch(registration.waiting ?? registration.installing)
  registration.addEventListener('updatefound', () => watch(registration.installing))
}
