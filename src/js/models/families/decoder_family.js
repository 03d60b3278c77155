import { Decoder } from '../decoder.js'
import { nameModel } from './named_model.js'

/**
 * A family of decoder-only models: a description made from config.json, and the names of its tensors.
 *
 * @typedef {import('../decoder.js').DecoderDescription} DecoderDescription
 * @typedef {import('../config.js').Config} Config
 * @typedef {import('../plan.js').Row} Row
 *
 * Modules whose rows one matrix of the file holds, in `groups` groups that are alike: [module, rows in each group].
 * @typedef {{ groups: number, parts: [module: string, rows: number][] }} Fused
 *
 * @typedef {object} DecoderFamily
 * @property {string} type model_type in config.json
 * @property {string} architecture Hugging Face's class with the language modeling head
 * @property {string} [prefix] of all keys but those that begin with a slash in `keys`; 'model.'
 * @property {readonly string[]} [otherPrefixes] of older files
 * @property {Record<string, string>} [keys] keys of the file by module, where they differ from Llama's; 'layers.{n}' is
 *   the prefix of a layer, {e} the index of an expert
 * @property {(description: DecoderDescription) => Record<string, Fused>} [fused] by key in the file
 * @property {readonly RegExp[]} [ignored] keys that may be left unread
 * @property {boolean} [isTied] whether the head is tied when the configuration does not say so; false
 * @property {(row: Row, description: DecoderDescription) => Row} [adjust] of a row
 * @property {import('../heads.js').HeadForms} [heads] classification heads, where they differ from Llama's
 * @property {(config: Config, shapeOf: (key: string) => readonly number[] | undefined) => DecoderDescription} describe
 */

const HEAD = 'lm_head', EMBEDDING = 'embed_tokens', LAYER = 'layers.{n}'
/** @type {import('../heads.js').HeadForms} */
const HEADS = {
  sequence: { out: 'score', pool: 'last', hasBias: false }, token: { out: 'score' }, question: { out: 'qa_outputs' }
}
/**
 * The question answering head of Llama and its closest relatives, whose class calls the model "transformer".
 * @type {import('../heads.js').HeadForms}
 */
export const LLAMA_QUESTION_HEAD = { question: { out: 'qa_outputs', prefix: 'transformer.' } }
/** Buffers that Hugging Face's classes compute. */
const BUFFERS = [/(rotary_emb|rope)\.?(inv_freq|(cos|sin)_cached)?$/, /rotary_emb\.(inv_freq|(cos|sin)_cached)$/]

/**
 * A key of the state dict in parts: 'layers.3.mlp.experts.1.up_proj.weight' → layer 3, expert 1,
 * 'mlp.experts.{e}.up_proj', 'weight'.
 * @param {string} target
 */
function splitTarget(target) {
  const [, n, path = target] = /^layers\.(\d+)\.(.*)$/.exec(target) ?? []
  const [, module, suffix] = /** @type {RegExpExecArray} */ (/^(.*)\.(\w+)$/.exec(path))
  const e = /\bexperts\.(\d+)\./.exec(module)?.[1]
  return { n, e, module: module.replace(/\bexperts\.\d+\./, 'experts.{e}.'), suffix }
}

/**
 * The part of a fused matrix that belongs to a module.
 * @param {Fused} fused @param {string} module @returns {Row['part']}
 */
function partOf({ groups, parts }, module) {
  const index = parts.findIndex(([name]) => name === module), sizes = parts.map(([, rows]) => rows)
  const sum = (/** @type {number[]} */ list) => list.reduce((total, size) => total + size, 0)
  return { groups, total: sum(sizes), from: sum(sizes.slice(0, index)), rows: sizes[index] }
}

/** @param {DecoderFamily} family @returns {import('../index.js').Family<DecoderDescription>} */
export function decoderFamily({
  type, architecture, prefix = 'model.', otherPrefixes = [], keys = {}, fused = () => ({}), ignored = [], isTied = false,
  adjust = row => row, heads = {}, describe
}) {
  const keyOf = (/** @type {string} */ module) => keys[module] ?? module
  const headKey = `${keyOf(HEAD).replace('/', '')}.weight`
  /** @param {DecoderDescription} description @param {Record<string, unknown>} state @returns {Row[]} */
  const rows = (description, state) => Object.keys(state).filter(key => !key.startsWith('head.')).map(target => {
    const { n, e, module, suffix } = splitTarget(target)
    const [key, part] = Object.entries(fused(description))
      .find(([, { parts }]) => parts.some(([name]) => name === module)) ?? []
    const path = (key ?? keyOf(module)).replace('{e}', String(e))
    const layer = n === undefined ? '' : `${keyOf(LAYER).replace('{n}', n)}.`
    /** @type {Row} */ const row = {
      key: `${layer}${path}.${suffix}`.replace('/', ''), target, ...(part && { part: partOf(part, module) })
    }
    const aliases = module === EMBEDDING && description.isTied ? [headKey] : []
    const hasOne = description.normsHaveOne && /norm$/.test(module) && { hasOne: true }
    return adjust({ ...row, ...(aliases.length && { aliases }), ...hasOne }, description)
  })
  const marked = Object.values(keys).filter(key => key.startsWith('/')).map(key => key.slice(1))
  const unprefixed = new Set(marked.concat(keys[HEAD] ? [] : [HEAD]))
  return {
    type,
    prefixes: [prefix, ...otherPrefixes, ...(heads.question?.prefix ? [heads.question.prefix] : [])],
    tokenEmbedding: { keys: [`${keyOf(EMBEDDING)}.weight`], isTiedByDefault: isTied, headKey },
    ignored: [...BUFFERS, ...ignored],
    heads: { ...HEADS, ...heads },
    Model: nameModel(Decoder, architecture),
    readSettings: describe,
    toHuggingFace: description => ({
      settings: description,
      config: { architectures: [architecture], tie_word_embeddings: description.isTied },
      toKey: key => (unprefixed.has(key.replace(/\.\w+$/, '')) ? key : prefix + key)
    }),
    rows
  }
}
