/** Stores the files of one model in the browser, on request, until they are deleted. */

import { waitForRequest, createTable } from '../../lib/store.js'

/** @import { Dtype } from './choose_dtype.js' */

/** @typedef {Record<string, Blob>} Files */
/** @typedef {{ files: Files, dtype?: Dtype }} StoredModel and the dtype of its weights that the reader chose, if any */

const table = createTable('glassformer-model', 'models', 'id'), id = 'own'

/** The stored model, or null. @returns {Promise<StoredModel | null>} */
export const read = async () => (await table('readonly', models => waitForRequest(models.get(id)))) ?? null

/**
 * Stores this model instead of an earlier one.
 * @param {StoredModel} model @returns {Promise<boolean>} whether the browser could store it
 */
export const save = async ({ files, dtype }) => (
  Boolean(await table('readwrite', models => waitForRequest(models.put({ id, files, dtype })))))

export const forget = () => table('readwrite', models => waitForRequest(models.delete(id)))
