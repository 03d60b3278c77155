import * as positionalEncoding from './000_positional_encoding.js'
import * as concatenatedEncoding from './001_concatenated_encoding.js'
import * as positionalEncodingModule from './002_positional_encoding_module.js'
import * as logTrick from './003_log_trick.js'
import * as transformer from './004_transformer.js'

/** The five source notebooks, in order. */
export const lessons = [positionalEncoding, concatenatedEncoding, positionalEncodingModule, logTrick, transformer]

/**
 * Runs a lesson from the top, or up to one cell.
 * @param {any} gf the library
 * @param {{ cells: { id: string, run: (gf: any, scope: any) => any }[] }} lesson
 * @param {string} [last] the id of the last cell to run
 * @returns {Record<string, any>} what each cell shows, by its id
 */
export function runLesson(gf, lesson, last) {
  /** @type {any} */ const scope = {}
  const results = /** @type {Record<string, any>} */ ({})
  for (const cell of lesson.cells) {
    results[cell.id] = cell.run(gf, scope)
    if (cell.id === last) break
  }
  return results
}
