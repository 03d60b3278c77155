/** The weights of the page's models, with which a training can start. */

import { locate } from '../lib/resources.js'
import { pageWeightsFile } from '../../src/training/tasks/task_info.js'

/** @import { TrainingState } from '../../src/training/settings.js' */

/** @param {TrainingState} settings */
export async function fetchPageWeights(settings) {
  const location = locate(/** @type {string} */ (pageWeightsFile(settings)))
  if (typeof location !== 'string') return new Uint8Array(location)
  const response = await fetch(location)
  if (!response.ok) throw new Error(`${location}: ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}
