/** The imported model: its files, their description, and the loaded model in each engine that requests it. */

import { trainingOf } from '../../../src/training/training_file.js'
import { chooseDtype, dtypeOption } from './choose_dtype.js'
import { findBroken } from './broken.js'
import * as store from './store.js'
export { generateAnswer } from './run.js'

/** @import { Tokenizer } from '../../../src/js/text/tokenizer.js' */
/** @import { Library } from '../../types.d.ts' */

/** @import { Files } from './store.js' */
/** @import { Dtype } from './choose_dtype.js' */

/**
 * The imported files, the dtype that the reader chose, if any, and how many imports there have been.
 * @type {{ files: Files, dtype: Dtype | undefined, serial: number } | null}
 */
let imported = null
let lastSerial = 0
/** Aborts the current reading. @type {AbortController | null} */ let reading = null

/**
 * An imported model, loaded in one engine.
 * @typedef {{ model: any, tokenizer: Tokenizer | null, config: any, type: string, serial: number, dtype: string,
 *   broken: import('./broken.js').Broken | null }} Opened
 */

/** @type {WeakMap<Library, Opened>} */ const opened = new WeakMap()

/** The files of a model; others are not stored. */
const MODEL_FILES = /\.(json|txt|model|spm|bin|safetensors|gguf|GGUF)$/
/** Files of a tokenizer. */
const TOKENIZERS = /^(tokenizer\.json|vocab\.(json|txt)|.*\.(model|spm)|tok[^.]*\.bin)$/
/** Where the keys of a GGUF file's metadata stand, before the tokens. */
const GGUF_HEAD_BYTES = 2 ** 16

/** Whether files include a tokenizer; a GGUF file may have one in its metadata. @param {Record<string, Blob>} files */
async function hasTokenizerFile(files) {
  if (Object.keys(files).some(name => TOKENIZERS.test(name))) return true
  const gguf = Object.entries(files).find(([name]) => /\.gguf$/i.test(name))
  return gguf !== undefined && (await gguf[1].slice(0, GGUF_HEAD_BYTES).text()).includes('tokenizer.ggml.tokens')
}

/**
 * Describes files from their headers: a model, or a training of this page.
 * @param {Library} gf @param {Record<string, Blob>} files
 */
export async function importFiles(gf, files) {
  const { inspection, ...choice } = await chooseDtype(gf, files)
  const weights = Object.keys(files).filter(name => name.endsWith('.safetensors'))
  const training = weights.length === 1 && !files['config.json'] ? await trainingOf(files[weights[0]]) : null
  return {
    ...inspection, names: Object.keys(files), hasTokenizer: await hasTokenizerFile(files), choice,
    training: training && { ...training, name: weights[0] }
  }
}

/**
 * Makes these files the imported model, which is loaded by the next run.
 * @param {Files} files @param {Dtype} [dtype] of its weights; by default what fits
 */
export function choose(files, dtype) {
  lastSerial += 1
  imported = { files, dtype, serial: lastSerial }
}

/**
 * Loads a model and makes it the imported one. If that fails or is stopped, the previous model stays.
 * @param {Library} gf @param {Files} files
 * @param {(progress: { done: number, total: number }) => void} onProgress bytes
 * @param {Dtype} [dtype] of its weights; by default what fits
 * @returns {Promise<Opened>}
 */
export async function open(gf, files, onProgress, dtype) {
  const before = imported
  reading = new AbortController()
  choose(files, dtype)
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
export const storeModel = async () => imported !== null && store.save({
  files: Object.fromEntries(Object.entries(imported.files).filter(([name]) => MODEL_FILES.test(name))),
  dtype: imported.dtype
})

/** Describes the stored model without reading it. */
export async function describeStored() {
  const { files } = await store.read() ?? {}
  return files && { names: Object.keys(files), bytes: Object.values(files).reduce((sum, { size }) => sum + size, 0) }
}

export const readStored = () => store.read()

export const forget = () => store.forget()

/**
 * Throws if the tokenizer has ids beyond the embedding, since it belongs to another model then.
 * @param {Pick<Opened, 'tokenizer' | 'config'>} opened
 */
function expectOwnTokenizer({ tokenizer, config: { vocab_size: words } }) {
  if (!tokenizer || words === undefined || tokenizer.size <= words) return
  const what = `the tokenizer has ${tokenizer.size} tokens, but the model knows ${words}: it is of another model`
  throw Object.assign(new Error(`${what}; choose the tokenizer from the folder of this one`), { code: 'format' })
}

/** The dtypes of a model's matrices, the most frequent first. @param {any} model */
function describeDtypes(model) {
  /** @type {Map<string, number>} */ const counts = new Map()
  for (const { dtype, shape } of Object.values(/** @type {Record<string, any>} */ (model.stateDict()))) {
    if (shape.length === 2) counts.set(dtype, (counts.get(dtype) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([dtype]) => dtype).join(', ')
}

/**
 * The imported model in an engine, loaded once; if none was imported, the stored one.
 * @param {Library} gf @param {Parameters<Library['models']['load']>[1]} [options] of reading
 * @returns {Promise<Opened>}
 */
export async function openIn(gf, options) {
  if (!imported) {
    const stored = await store.read()
    if (stored) choose(stored.files, stored.dtype)
  }
  if (!imported) throw Object.assign(new Error('no files'), { code: 'nofiles' })
  const last = opened.get(gf), { files, dtype: wanted, serial } = imported
  if (last?.serial === serial) return last
  last?.model.dispose()
  opened.delete(gf)
  const dtype = wanted ?? (await chooseDtype(gf, files)).dtype
  const made = await gf.models.load(files, { ...options, ...dtypeOption(dtype) })
  try {
    expectOwnTokenizer(made)
  } catch (error) {
    made.model.dispose()
    throw error
  }
  const type = String(made.config.model_type), broken = findBroken(gf, made.model)
  const entry = { ...made, type, serial, dtype: describeDtypes(made.model), broken }
  opened.set(gf, entry)
  return entry
}
