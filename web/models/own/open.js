/** The model that was brought: its files, what they hold, and the model itself in each engine that asks for it. */

/** @import { Tokenizer } from '../../../src/js/text/tokenizer.js' */
/** @import { Library } from '../../types.d.ts' */

/** The files that were chosen last, and how many were before them. */
/** @type {{ files: Record<string, Blob>, serial: number } | null} */
let brought = null

/**
 * A model that was brought, in one engine.
 * @typedef {{ model: any, tokenizer: Tokenizer | null, config: any, type: string, serial: number }} Opened
 */

/** @type {WeakMap<Library, Opened>} */ const opened = new WeakMap()

/**
 * What some files hold, from their headers alone; they are kept until others come.
 * @param {Library} gf @param {Record<string, Blob>} files
 */
export async function bring(gf, files) {
  const inspection = await gf.models.inspect(await readable(files))
  return { ...inspection, names: Object.keys(files) }
}

/** @param {string} name */
const isText = name => /\.(json|txt)$/.test(name)
/** @param {string} name */
const isWeights = name => /\.(safetensors|bin)$/.test(name) && !/^tok[^/]*\.bin$/.test(name)

/**
 * Texts and tokenizers are read, weights stay files: only what is needed of them is ever read.
 * @param {Record<string, Blob>} files
 */
async function readable(files) {
  const entries = Object.entries(files).map(async ([name, file]) => {
    if (isWeights(name)) return [name, file]
    return [name, isText(name) ? await file.text() : new Uint8Array(await file.arrayBuffer())]
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** From now on this is the model; it is read when a run asks for it. @param {Record<string, Blob>} files */
export function choose(files) {
  brought = { files, serial: (brought?.serial ?? 0) + 1 }
}

/**
 * The model in an engine, read once.
 * @param {Library} gf
 * @returns {Promise<Opened>}
 */
export async function openIn(gf) {
  if (!brought) throw Object.assign(new Error('no files were chosen'), { code: 'nofiles' })
  const last = opened.get(gf)
  if (last?.serial === brought.serial) return last
  const { files, serial } = brought
  last?.model.dispose()
  opened.delete(gf)
  const read = await readable(files)
  const { type } = await gf.models.inspect(read)
  const made = { ...await gf.models.load(read), type, serial }
  made.model.eval()
  opened.set(gf, made)
  return made
}
