/** The few texts that pictures without a browser need. */

import { readFile } from 'node:fs/promises'

/** @import { Plugin } from 'esbuild' */
/** @typedef {{ [key: string]: any }} Texts */

/** Parts of the page's texts that pictures need as a whole. */
const WHOLE = ['elements', 'errors', 'map']

/** @param {Texts} texts @param {(texts: Texts, key: string) => boolean} isNeeded */
const pick = (texts, isNeeded) => Object.fromEntries(Object.entries(texts).filter(([key]) => isNeeded(texts, key)))

/** @param {Texts} texts of the page or of a model */
const reduce = ({ stages = {}, frame = {}, ...texts }) => ({
  ...pick(texts, (_, key) => WHOLE.includes(key)), frame: pick(frame, (_, key) => key === 'head'),
  stages: Object.fromEntries(Object.entries(/** @type {Texts} */ (stages)).map(([id, own]) => (
    [id, pick(own, (_, key) => key === 'title' || key === 'name')])))
})

/**
 * Reduces the texts of a language to titles, names and errors.
 * @type {Plugin}
 */
export const textsOfPictures = {
  name: 'texts of pictures',
  setup: ({ onLoad }) => onLoad({ filter: /\/words\/\w+\/(page|opening|training|glossary)\.json$/ }, async ({ path }) => {
    const { page = {}, models = {} } = JSON.parse(await readFile(path, 'utf8'))
    const ofModels = Object.entries(/** @type {Texts} */ (models)).map(([id, own]) => [id, reduce(own)])
    return { contents: JSON.stringify({ page: reduce(page), models: Object.fromEntries(ofModels) }), loader: 'json' }
  })
}
