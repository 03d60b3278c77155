/** Recomputes a run away from the page. Loaded only when a reader asks for it. */

import { recompute } from './recompute.js'

self.onmessage = ({ data: { run } }) => {
  try {
    postMessage({ results: recompute(run) })
  } catch (error) {
    postMessage({ error: /** @type {Error} */ (error).message })
  }
}
