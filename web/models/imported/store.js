/** Stores the files of one model in the browser, on request, until they are deleted. */

import { waitForRequest, createTable } from '../../lib/store.js'

/** @typedef {Record<string, Blob>} Files */

const table = createTable('glassformer-model', 'models', 'id'), id = 'own'

/** The stored files, or null. @returns {Promise<Files | null>} */
export const read = async () => (await table('readonly', models => waitForRequest(models.get(id))))?.files ?? null

/**
 * Stores these files instead of earlier ones.
 * @param {Files} files @returns {Promise<boolean>} whether the browser could store them
 */
export const save = async files => Boolean(await table('readwrite', models => waitForRequest(models.put({ id, files }))))

export const forget = () => table('readwrite', models => waitForRequest(models.delete(id)))
