/** The files of one model, stored in the browser on request until they are deleted. */

import { requestResult, tableOf } from '../../lib/store.js'

/** @typedef {Record<string, Blob>} Files */

const table = tableOf('glassformer-model', 'models', 'id'), id = 'own'

/** The stored files, or null. @returns {Promise<Files | null>} */
export const kept = async () => (await table('readonly', models => requestResult(models.get(id))))?.files ?? null

/**
 * Stores these files instead of earlier ones. Resolves to whether it could.
 * @param {Files} files @returns {Promise<boolean>} whether it could
 */
export const keep = async files => Boolean(await table('readwrite', models => requestResult(models.put({ id, files }))))

export const forget = () => table('readwrite', models => requestResult(models.delete(id)))
