/** Which styles a stage needs, and the inspector. */

/** @import { RoomStyle } from './styles.js' */

/** @type {Record<string, RoomStyle[]>} */
const STYLES = {
  house: ['house'], activation: ['translator'], cross: ['translator'], norm: ['translator'], scale: ['translator'], mask: ['switches'],
  inspector: ['inspector'], embedding: ['model_tables', 'translator'], pieces: ['model_tables', 'tokens', 'translator']
}
/** The stages whose figures are matrices only. */
const PLAIN = ['dropout', 'heads', 'ids', 'linear', 'positions', 'qkv', 'scores', 'sum', 'weights']

/** The styles of a stage; null for all. @param {string} stage */
export const stylesOf = stage => STYLES[stage] ?? (PLAIN.includes(stage) ? [] : null)
