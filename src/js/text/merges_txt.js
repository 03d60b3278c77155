import { describe, isPlain } from '../errors.js'
import { BYTE_CHARACTERS } from './byte_level.js'
import { bpeModel, byteLevelPart, specialToken, templateProcessor, tokenizerJson } from './tokenizer_json.js'
import { expectPart, formatError } from './json_fields.js'

/**
 * Converts vocab.json and merges.txt of byte-level byte-pair encoding. They define neither the pre-tokenizer nor the
 * post-processor: these depend on Hugging Face's class of the tokenizer, which is given here as in tokenizer.json.
 */

/** @typedef {Record<string, any>} Json */
/**
 * @typedef {{ config: Json, id: (name: string) => [string, number] | null }} ClassInput id: the token and id of a role
 *   such as 'bos_token'
 */

const splitPart = (/** @type {string} */ Regex, /** @type {string} */ behavior, /** @type {boolean} */ invert) =>
  ({ type: 'Split', pattern: { Regex }, behavior, invert })
export const sequence = (/** @type {Json[]} */ ...pretokenizers) => ({ type: 'Sequence', pretokenizers })

/** What patterns of byte-level tokenizers have in common: contractions, words, and what follows numbers. */
export const GPT_PARTS = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)
[^\r\n\p{L}\p{N}]?\p{L}+
 ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.split('\n')
/** Splits a text at the matches of a pattern, before its bytes are read. @param {string} pattern */
export const splitBytes = pattern => sequence(splitPart(pattern, 'Isolated', false), byteLevelPart({ use_regex: false }))
/** How Qwen splits a text, and others with another part for numbers. @param {string} numbers */
export const splitLikeQwen = numbers => splitBytes(`${GPT_PARTS[0]}|${GPT_PARTS[1]}|${numbers}|${GPT_PARTS[2]}`)
const CLIP = String.raw`'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`

/** @param {ClassInput} input @returns {Json} */
function gpt2({ config, id }) {
  const bos = config.add_bos_token ? id('bos_token') : null
  return {
    normalizer: null,
    pre_tokenizer: byteLevelPart({ add_prefix_space: config.add_prefix_space ?? false }),
    post_processor: bos && templateProcessor([bos], [])
  }
}

/**
 * @param {ClassInput} input @param {string} cls @param {string} sep the roles of the tokens before and after a text
 * @returns {Json}
 */
const robertaProcessor = ({ id }, cls, sep) =>
  ({ type: 'RobertaProcessing', cls: id(cls), sep: id(sep), trim_offsets: false, add_prefix_space: false })

/** By the name of the class before 'Tokenizer', in lower case. @type {Record<string, (input: ClassInput) => Json>} */
const CLASSES = {
  gpt2,
  roberta: input => ({ ...gpt2(input), post_processor: { ...robertaProcessor(input, 'cls_token', 'sep_token'), trim_offsets: true,
    add_prefix_space: input.config.add_prefix_space ?? false } }),
  qwen2: () => ({
    normalizer: { type: 'NFC' },
    pre_tokenizer: splitLikeQwen('\\p{N}'),
    post_processor: null
  }),
  clip: input => ({
    normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' },
      { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' }, { type: 'Lowercase' }] },
    pre_tokenizer: sequence(splitPart(CLIP, 'Removed', true), byteLevelPart({})),
    post_processor: robertaProcessor(input, 'bos_token', 'eos_token'),
    suffix: '</w>'
  })
}
/** Classes and model types that tokenize like another class. @type {Record<string, string>} */
const ALIASES = { codegen: 'gpt2', bart: 'roberta', longformer: 'roberta', led: 'roberta', qwen3: 'qwen2' }
const END_OF_TEXT = '<|endoftext|>'
/** The default special tokens of a class. @type {Record<string, string>} */
const GPT2_TOKENS = { bos_token: END_OF_TEXT, eos_token: END_OF_TEXT, unk_token: END_OF_TEXT }
/** @type {Record<string, Record<string, string>>} */
const DEFAULT_TOKENS = {
  gpt2: GPT2_TOKENS,
  qwen2: GPT2_TOKENS,
  roberta: { bos_token: '<s>', eos_token: '</s>', sep_token: '</s>', cls_token: '<s>', unk_token: '<unk>', pad_token: '<pad>',
    mask_token: '<mask>' },
  clip: { ...GPT2_TOKENS, bos_token: '<|startoftext|>' }
}

/** The name of a class in CLASSES, or undefined. @param {unknown} name */
function findClass(name) {
  const alias = String(name).toLowerCase(), className = Object.hasOwn(ALIASES, alias) ? ALIASES[alias] : alias
  return Object.hasOwn(CLASSES, className) ? className : undefined
}

/** @param {Json} config @param {unknown} modelType @returns {string | undefined} */
function classOf({ tokenizer_class: tokenizerClass }, modelType) {
  if (tokenizerClass == null) return findClass(String(modelType).split('_')[0])
  const className = findClass(String(tokenizerClass).replace(/Tokenizer(Fast)?$/, ''))
  if (className) return className
  throw formatError(`tokenizer: tokenizer_class ${describe(tokenizerClass)} is not one of ` +
    `${Object.keys({ ...CLASSES, ...ALIASES }).join(', ')}; give tokenizer.json`)
}

/**
 * Reads the tokens of added_tokens_decoder and added_tokens.json, by content.
 * @param {Json} config @param {Json | undefined} added @param {Set<string>} specialContents
 */
export function readAddedTokens({ added_tokens_decoder: decoder = {} }, added = {}, specialContents) {
  expectPart(isPlain(decoder), () => 'added_tokens_decoder must be an object', decoder)
  const tokens = new Map(Object.entries(added).map(([content, id]) =>
    [content, { ...specialToken(content, id), special: specialContents.has(content) }]))
  for (const [id, token] of Object.entries(decoder)) {
    expectPart(typeof token?.content === 'string', () => `added_tokens_decoder[${describe(id)}] must have a content`, token)
    tokens.set(token.content, { ...specialToken(token.content, Number(id)), ...token, id: Number(id) })
  }
  return tokens
}

/**
 * Finds the tokens that are neither a byte nor the result of a merge: they must be added tokens.
 * @param {Record<string, number>} ids @param {string[][]} merges
 */
function wholeTokens(ids, merges) {
  const mergedTokens = new Set([...BYTE_CHARACTERS, ...merges.map(pair => pair.join(''))])
  return Object.entries(ids).filter(([content]) => !mergedTokens.has(content))
}

/**
 * Converts vocab.json and merges.txt to the content of a tokenizer.json.
 * @param {unknown} vocab the content of vocab.json @param {string[][]} merges
 * @param {{ config: Json, added?: Json, modelType?: unknown }} files config: tokenizer_config.json
 *   with the fields of special_tokens_map.json; added: added_tokens.json; modelType: model_type of config.json
 * @throws {GlassformerError} 'format'
 */
export function byteLevelBpe(vocab, merges, { config, added, modelType }) {
  expectPart(isPlain(vocab), () => 'vocab.json must be an object of tokens and ids', vocab)
  expectPart(BYTE_CHARACTERS.every(character => Object.hasOwn(vocab, character)), () => 'vocab.json must have all 256 bytes as GPT-2 writes them; give tokenizer.json for other kinds')
  const ids = /** @type {Record<string, number>} */ (vocab), className = classOf(config, modelType), name = className ?? 'gpt2'
  /** Special tokens by their roles. @type {Json} */ const roles = {}
  for (const [role, fallback] of Object.entries({ ...config, ...DEFAULT_TOKENS[name] })) {
    const value = config[role] ?? fallback, content = value?.content ?? value
    if (/_token$/.test(role) && typeof content === 'string') roles[role] = { ...value.content && value, content }
  }
  const tokens = readAddedTokens(config, added, new Set(Object.values(roles).map(({ content }) => content)))
  for (const { content, ...rest } of Object.values(roles)) {
    if (!Object.hasOwn(ids, content) || tokens.has(content)) continue
    tokens.set(content, { ...specialToken(content, ids[content]), ...rest, special: true })
  }
  const mask = name === 'roberta' && !config.added_tokens_decoder && tokens.get(roles.mask_token?.content)
  if (mask) mask.lstrip = true
  const { suffix = '', ...parts } = CLASSES[name]({ config, id: role => {
    const content = roles[role]?.content, id = tokens.get(content)?.id ?? ids[content]
    expectPart(id !== undefined, () => `${role} ${describe(content)} is not in the vocabulary`)
    return [content, id]
  } })
  for (const [content, id] of className ? [] : wholeTokens(ids, merges)) {
    if (!tokens.has(content)) tokens.set(content, specialToken(content, id))
  }
  return tokenizerJson({
    added_tokens: [...tokens.values()],
    ...parts,
    decoder: byteLevelPart({}),
    model: {
      ...bpeModel(ids, merges), ...(suffix && { end_of_word_suffix: suffix, unk_token: roles.unk_token.content })
    }
  })
}
