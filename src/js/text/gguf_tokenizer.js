import { sequence, splitLikeQwen } from './merges_txt.js'
import { fromPieces } from './sentencepiece.js'
import { bpeModel, byteLevelPart, specialToken, templateProcessor, toVocab, tokenizerJson } from './tokenizer_json.js'
import { expectFormat, expectPart } from './json_fields.js'

/**
 * The tokenizer in the settings of a GGUF file, as the content of a tokenizer.json: SentencePiece's ("llama", "t5") or
 * byte-level byte-pair encoding ("gpt2"), whose regular expression has a name in tokenizer.ggml.pre.
 *
 * @typedef {Record<string, any>} Json
 */

const PREFIX = 'tokenizer.ggml.'
const CONTROL = 3, USER_DEFINED = 4

const digits = (/** @type {boolean} */ individual) => ({ type: 'Digits', individual_digits: individual })
const GPT2_PARTS = byteLevelPart({ add_prefix_space: false })
/** How a text is split before its bytes are merged, by tokenizer.ggml.pre. @type {Record<string, Json>} */
const SPLITS = {
  'gpt-2': GPT2_PARTS, 'phi-2': GPT2_PARTS, 'olmo': GPT2_PARTS, 'jina-es': GPT2_PARTS, 'jina-de': GPT2_PARTS,
  'llama-bpe': splitLikeQwen('\\p{N}{1,3}'),
  'qwen2': splitLikeQwen('\\p{N}'),
  'smollm': sequence(digits(true), GPT2_PARTS), 'starcoder': sequence(digits(true), GPT2_PARTS),
  'refact': sequence(digits(true), GPT2_PARTS), 'command-r': sequence(digits(true), GPT2_PARTS), 'exaone': splitLikeQwen('\\p{N}')
}

/**
 * Checks the lists of a tokenizer: tokens, their scores and types, merges.
 * @param {string} file @param {Json} metadata
 */
export function checkGgufTokenizer(file, metadata) {
  const { [`${PREFIX}tokens`]: tokens } = metadata, count = Array.isArray(tokens) ? tokens.length : undefined
  const check = (/** @type {string} */ name, /** @type {string} */ expected,
    /** @type {(item: any) => boolean} */ isValid, isPerToken = true) => {
    const { [PREFIX + name]: list } = metadata, where = `${file}: ${PREFIX}${name} must be `
    if (list === undefined) return
    expectFormat(Array.isArray(list), () => `${where}a list of ${expected}`, list)
    const wrong = list.findIndex((/** @type {any} */ item) => !isValid(item))
    expectFormat(wrong < 0, () => `${where}a list of ${expected}`, ...wrong < 0 ? [] : [list[wrong]])
    expectFormat(!isPerToken || list.length === count, () => `${where}a list of ${count ?? 0} ${expected}, one for each token`, list)
  }
  for (const name of ['model', 'pre', 'add_bos_token', 'add_eos_token', 'add_space_prefix', 'remove_extra_whitespaces']) {
    const { [PREFIX + name]: value } = metadata, isText = name === 'model' || name === 'pre'
    expectFormat(value === undefined || typeof value === (isText ? 'string' : 'boolean'),
      () => `${file}: ${PREFIX}${name} must be ${isText ? 'a string' : 'true or false'}`, value)
  }
  check('tokens', 'strings', item => typeof item === 'string')
  check('scores', 'finite numbers', Number.isFinite)
  check('token_type', 'integers', Number.isInteger)
  check('merges', 'strings of two parts', item => typeof item === 'string' && item.split(' ').length === 2, false)
}

/** @param {Json} metadata @param {string} name */
const idOf = (metadata, name) => metadata[`${PREFIX}${name}_token_id`]

/** The special tokens before and after a text. @param {Json} metadata @param {boolean} addsBos the default */
function endsOf(metadata, addsBos) {
  const { [`${PREFIX}add_bos_token`]: bos = addsBos, [`${PREFIX}add_eos_token`]: eos = false } = metadata
  const ids = (/** @type {boolean} */ isAdded, /** @type {string} */ name) => {
    const id = idOf(metadata, name)
    return isAdded && id !== undefined ? [id] : []
  }
  return { before: ids(bos, 'bos'), after: ids(eos, 'eos') }
}

/** @param {Json} metadata @param {readonly string[]} tokens @param {readonly number[]} types */
function fromByteLevel(metadata, tokens, types) {
  const { [`${PREFIX}pre`]: pre, [`${PREFIX}merges`]: merges } = metadata, { before, after } = endsOf(metadata, false)
  const vocab = toVocab(tokens)
  const added = tokens.flatMap((token, id) => (types[id] === CONTROL || types[id] === USER_DEFINED
    ? [{ ...specialToken(token, id), special: types[id] === CONTROL }] : []))
  const named = (/** @type {number[]} */ ids) => ids.map(id => /** @type {[string, number]} */ ([tokens[id], id]))
  expectPart(Array.isArray(merges), () => `${PREFIX}merges must be a list`)
  return tokenizerJson({
    added_tokens: added,
    ...(pre === 'qwen2' && { normalizer: { type: 'NFC' } }),
    pre_tokenizer: SPLITS[pre],
    post_processor: before.length + after.length ? templateProcessor(named(before), named(after)) : null,
    decoder: byteLevelPart({}),
    model: { ...bpeModel(vocab, merges.map(merge => merge.split(' '))), ignore_merges: pre === 'llama-bpe' }
  })
}

/**
 * The tokenizer of a GGUF file, or null if its kind is not supported.
 * @param {Json} metadata of the file @returns {Json | null}
 */
export function fromGguf(metadata) {
  const { [`${PREFIX}model`]: model, [`${PREFIX}tokens`]: tokens, [`${PREFIX}token_type`]: types, [`${PREFIX}scores`]: scores } = metadata
  if (!Array.isArray(tokens) || !Array.isArray(types) || types.length !== tokens.length) return null
  if (model === 'gpt2' && Object.hasOwn(SPLITS, metadata[`${PREFIX}pre`])) return fromByteLevel(metadata, tokens, types)
  if ((model !== 'llama' && model !== 't5') || !Array.isArray(scores)) return null
  return fromPieces('tokenizer: the GGUF file', tokens.map((piece, id) => ({ piece, score: scores[id], type: types[id] })), {
    isUnigram: model === 't5', charsmap: metadata[`${PREFIX}precompiled_charsmap`] ?? [],
    addDummyPrefix: metadata[`${PREFIX}add_space_prefix`] ?? true, removeExtraSpaces: metadata[`${PREFIX}remove_extra_whitespaces`] ?? model === 't5',
    ...endsOf(metadata, model === 'llama')
  })
}

/**
 * The chat templates of a GGUF file and their special tokens, as the files of a folder.
 * @param {Json} metadata of the file @returns {Record<string, string>}
 */
export function chatFilesOf(metadata) {
  const TEMPLATE = 'tokenizer.chat_template', { [TEMPLATE]: template, 'tokenizer.chat_templates': names = [] } = metadata
  const templates = [...template === undefined ? [] : [{ name: 'default', template }],
    ...Array.from(names, name => ({ name, template: metadata[`${TEMPLATE}.${name}`] }))]
  const roles = Object.entries({ bos: 'bos', eos: 'eos', unk: 'unknown', pad: 'padding', sep: 'seperator' })
  const tokens = roles.map(([role, name]) => [`${role}_token`, metadata[`${PREFIX}tokens`]?.[idOf(metadata, name)]])
  return templates.length ? { 'tokenizer_config.json': JSON.stringify({ ...Object.fromEntries(tokens), chat_template: templates }) } : {}
}
