/** The imported model: its files, their description, and the loaded model in each engine that requests it. */

import { trainingOf } from '../../theatre/training_file.js'
import { ADDRESSED } from './text_limits.js'
import * as store from './store.js'

/** @import { Tokenizer } from '../../../src/js/text/tokenizer.js' */
/** @import { Library } from '../../types.d.ts' */

/** @import { Files } from './store.js' */

/** The files that were imported last, and their number in sequence. @type {{ files: Files, serial: number } | null} */
let imported = null
let serials = 0
/** Aborts the current reading. @type {AbortController | null} */ let reading = null

/**
 * Weights that are NaN or infinite: how many, and the first tensor that contains any.
 * @typedef {{ count: number, first: string }} Broken
 *
 * An imported model, loaded in one engine.
 * @typedef {{ model: any, tokenizer: Tokenizer | null, config: any, type: string, serial: number,
 *   broken: Broken | null }} Opened
 */

/** @type {WeakMap<Library, Opened>} */ const opened = new WeakMap()

/** Files that a model may consist of; other files are dropped. */
const OF_MODELS = /\.(json|txt|model|spm|bin|safetensors)$/

/**
 * Describes files from their headers: a model, or a training of this page.
 * @param {Library} gf @param {Record<string, Blob>} files
 */
export async function importFiles(gf, files) {
  const inspection = await gf.models.inspect(files)
  const weights = Object.keys(files).filter(name => name.endsWith('.safetensors'))
  const training = weights.length === 1 && !files['config.json'] ? await trainingOf(files[weights[0]]) : null
  return {
    ...inspection, names: Object.keys(files), room: ADDRESSED, training: training && { ...training, name: weights[0] }
  }
}

/** Makes these files the imported model; it is loaded when a run requests it. @param {Files} files */
export function choose(files) {
  serials += 1
  imported = { files, serial: serials }
}

/**
 * Loads a model and makes it the one that runs use. If that fails or is stopped, the previous one stays.
 * @param {Library} gf @param {Files} files
 * @param {(progress: { done: number, total: number }) => void} onProgress bytes
 * @returns {Promise<Opened>}
 */
export async function open(gf, files, onProgress) {
  const before = imported
  reading = new AbortController()
  choose(files)
  try {
    return await openIn(gf, { onProgress, signal: reading.signal })
  } catch (error) {
    imported = before
    throw error
  }
}

/** Stops the current reading. */
export const stop = () => reading?.abort(Object.assign(new Error('stopped'), { code: 'stopped' }))

/** Stores the files of the model in the browser. Resolves to whether it could. */
export const storeModel = async () => imported !== null && store.keep(
  Object.fromEntries(Object.entries(imported.files).filter(([name]) => OF_MODELS.test(name))))

/** Describes the stored model without reading it. */
export async function storedModel() {
  const files = await store.kept()
  return files && { names: Object.keys(files), bytes: Object.values(files).reduce((sum, { size }) => sum + size, 0) }
}

/** The stored files. */
export const storedFiles = () => store.kept()

export const forget = () => store.forget()

/**
 * A tokenizer whose ids exceed the embedding belongs to another model.
 * @param {Pick<Opened, 'tokenizer' | 'config'>} opened
 */
function expectOwnTokenizer({ tokenizer, config: { vocab_size: words } }) {
  if (!tokenizer || words === undefined || tokenizer.size <= words) return
  const what = `the tokenizer has ${tokenizer.size} tokens, but the model knows ${words}: it is of another model`
  throw Object.assign(new Error(`${what}; choose the tokenizer from the folder of this one`), { code: 'format' })
}

/** @param {any} model @returns {Broken | null} */
function brokenIn(model) {
  let count = 0, first = ''
  for (const [name, { values }] of Object.entries(/** @type {Record<string, any>} */ (model.stateDict()))) {
    for (let i = 0; i < values.length; i++) {
      if (Number.isFinite(values[i])) continue
      first ||= name
      count += 1
    }
  }
  return count ? { count, first } : null
}

/**
 * The model in an engine, loaded once; where none was imported, the stored one.
 * @param {Library} gf @param {Parameters<Library['models']['load']>[1]} [options] of reading
 * @returns {Promise<Opened>}
 */
export async function openIn(gf, options) {
  if (!imported) {
    const files = await store.kept()
    if (files) choose(files)
  }
  if (!imported) throw Object.assign(new Error('no files'), { code: 'nofiles' })
  const last = opened.get(gf), { files, serial } = imported
  if (last?.serial === serial) return last
  last?.model.dispose()
  opened.delete(gf)
  const { type } = await gf.models.inspect(files)
  const made = await gf.models.load(files, options)
  try {
    expectOwnTokenizer(made)
  } catch (error) {
    made.model.dispose()
    throw error
  }
  const whole = { ...made, type, serial, broken: brokenIn(made.model) }
  opened.set(gf, whole)
  return whole
}
