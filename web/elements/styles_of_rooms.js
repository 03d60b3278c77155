/** Which styles of rooms a stage needs. */

/** @import { RoomStyle } from './styles.js' */

/** @type {Record<string, RoomStyle[]>} */
const STYLES = {
  house: ['house'], activation: ['translator'], cross: ['translator'], norm: ['translator'], scale: ['translator'], mask: ['switches'],
  embedding: ['model_tables', 'translator'], pieces: ['model_tables', 'tokens', 'translator']
}
/** The stages whose figures are matrices only. */
const PLAIN = ['dropout', 'heads', 'ids', 'linear', 'positions', 'qkv', 'scores', 'sum', 'weights']

/** The styles of a stage; null for all. @param {string} stage */
export const stylesOf = stage => STYLES[stage] ?? (PLAIN.includes(stage) ? [] : null)
