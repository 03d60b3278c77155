/** The files of one model, kept in the browser until they are forgotten, where the reader asked for it. */

import { settled, tableOf } from '../../lib/store.js'

/** @typedef {Record<string, Blob>} Files */

const table = tableOf('glassformer-model', 'models', 'id'), id = 'own'

/** The files that are kept, or null. @returns {Promise<Files | null>} */
export const kept = async () => (await table('readonly', models => settled(models.get(id))))?.files ?? null

/** Keeps these files in place of those before. @param {Files} files @returns {Promise<boolean>} whether it could */
export const keep = async files => Boolean(await table('readwrite', models => settled(models.put({ id, files }))))

export const forget = () => table('readwrite', models => settled(models.delete(id)))
