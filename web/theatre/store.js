/** Trainings saved in the browser, to resume later: the last few, by link. */

import { waitForRequest, createTable } from '../lib/store.js'

/** @import { History, Snapshot } from '../../src/training/session.js' */

const MAX_SAVED = 4

/**
 * A saved training, with its text and its initial weights.
 * @typedef {Snapshot & { link: string, history: History, text?: string, start?: Uint8Array }} SavedTraining
 */

const table = createTable('glassformer-theatre', 'trainings', 'link')

/** The saved training of a link, or null. @param {string} link @returns {Promise<SavedTraining | null>} */
export const loadTraining = async link => (await table('readonly', trainings => waitForRequest(trainings.get(link)))) ?? null

/** @param {SavedTraining} training @returns {Promise<true | null>} */
export const saveTraining = training => table('readwrite', async trainings => {
  await waitForRequest(trainings.put({ ...training, at: Date.now() }))
  const all = await waitForRequest(trainings.getAll())
  const old = all.sort((a, b) => b.at - a.at).slice(MAX_SAVED)
  for (const { link } of old) trainings.delete(link)
  return /** @type {const} */ (true)
})

/** @param {string} link */
export const deleteTraining = link => table('readwrite', trainings => waitForRequest(trainings.delete(link)))
