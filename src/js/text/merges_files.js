import { GlassformerError, describe, expect, isPlain } from '../errors.js'
import { LETTERS } from './byte_letters.js'

/**
 * Byte-level byte-pair encoding from vocab.json and merges.txt. They do not say how a text is cut and which tokens are
 * put around it: Hugging Face's class of the tokenizer does, and these are the classes, as tokenizer.json has them.
 */

/** @typedef {Record<string, any>} Json */
/** @typedef {{ config: Json, id: (name: string) => [string, number] | null }} Given id: a special token by its role */

/** An added token that is a mark and no text, as tokenizer.json has it. @param {string} content @param {number} id */
export const special = (content, id) =>
  ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true })

/**
 * The model of a tokenizer.json for byte-level byte-pair encoding. @param {Record<string, number>} vocab
 * @param {string[][]} merges
 */
export const bpe = (vocab, merges) => ({
  type: 'BPE',
  dropout: null,
  unk_token: null,
  continuing_subword_prefix: null,
  end_of_word_suffix: null,
  fuse_unk: false,
  byte_fallback: false,
  ignore_merges: false,
  vocab,
  merges
})

export const byteLevel = (/** @type {Json} */ more) => ({ type: 'ByteLevel', add_prefix_space: false, trim_offsets: true,
  use_regex: true, ...more })
const split = (/** @type {string} */ Regex, /** @type {string} */ behavior, /** @type {boolean} */ invert) =>
  ({ type: 'Split', pattern: { Regex }, behavior, invert })
const inTurn = (/** @type {Json[]} */ ...pretokenizers) => ({ type: 'Sequence', pretokenizers })

const QWEN = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
const CLIP = String.raw`'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`

/** @param {Given} given @returns {Json} */
function gpt2({ config, id }) {
  const bos = config.add_bos_token ? id('bos_token') : null
  return {
    normalizer: null,
    pre_tokenizer: byteLevel({ add_prefix_space: config.add_prefix_space ?? false }),
    post_processor: bos && {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: bos[0], type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [],
      special_tokens: { [bos[0]]: { id: bos[0], ids: [bos[1]], tokens: [bos[0]] } }
    }
  }
}

/** @param {Given} given @param {string} cls @param {string} sep roles of the tokens around a text @returns {Json} */
const between = ({ id }, cls, sep) =>
  ({ type: 'RobertaProcessing', cls: id(cls), sep: id(sep), trim_offsets: false, add_prefix_space: false })

/** By what stands before Tokenizer in the name of a class. @type {Record<string, (given: Given) => Json>} */
const CLASSES = {
  gpt2,
  roberta: given => ({ ...gpt2(given), post_processor: { ...between(given, 'cls_token', 'sep_token'), trim_offsets: true,
    add_prefix_space: given.config.add_prefix_space ?? false } }),
  qwen2: () => ({
    normalizer: { type: 'NFC' },
    pre_tokenizer: inTurn(split(QWEN, 'Isolated', false), byteLevel({ use_regex: false })),
    post_processor: null
  }),
  clip: given => ({
    normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' },
      { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' }, { type: 'Lowercase' }] },
    pre_tokenizer: inTurn(split(CLIP, 'Removed', true), byteLevel({})),
    post_processor: between(given, 'bos_token', 'eos_token'),
    suffix: '</w>'
  })
}
/** Classes, and types of models, that read as another does. @type {Record<string, string>} */
const ALIKE = { codegen: 'gpt2', bart: 'roberta', longformer: 'roberta', led: 'roberta', qwen3: 'qwen2' }
const END = '<|endoftext|>'
/** Special tokens that a class has without being told. @type {Record<string, string>} */
const ENDS = { bos_token: END, eos_token: END, unk_token: END }
/** @type {Record<string, Record<string, string>>} */
const USUAL = {
  gpt2: ENDS,
  qwen2: ENDS,
  roberta: { bos_token: '<s>', eos_token: '</s>', sep_token: '</s>', cls_token: '<s>', unk_token: '<unk>', pad_token: '<pad>',
    mask_token: '<mask>' },
  clip: { ...ENDS, bos_token: '<|startoftext|>' }
}

/** The name of a class as the tables here have it, if they do. @param {unknown} name */
function known(name) {
  const short = String(name).toLowerCase(), own = Object.hasOwn(ALIKE, short) ? ALIKE[short] : short
  return Object.hasOwn(CLASSES, own) ? own : undefined
}

/** @param {Json} config @param {unknown} modelType @returns {string | undefined} */
function classOf({ tokenizer_class: named }, modelType) {
  if (named == null) return known(String(modelType).split('_')[0])
  const found = known(String(named).replace(/Tokenizer(Fast)?$/, ''))
  if (found) return found
  throw new GlassformerError('format', `tokenizer: tokenizer_class ${describe(named)} is not among those of ` +
    `${Object.keys({ ...CLASSES, ...ALIKE }).join(', ')}; give tokenizer.json`)
}

/**
 * What added_tokens_decoder and added_tokens.json say, by content.
 * @param {Json} config @param {Json | undefined} added @param {Set<string>} marks
 */
function addedOf({ added_tokens_decoder: decoder = {} }, added = {}, marks) {
  expect(isPlain(decoder), 'format', () => `tokenizer: added_tokens_decoder must be an object, got ${describe(decoder)}`)
  const tokens = new Map(Object.entries(added).map(([content, id]) =>
    [content, { ...special(content, id), special: marks.has(content) }]))
  for (const [id, token] of Object.entries(decoder)) {
    expect(typeof token?.content === 'string', 'format', () =>
      `tokenizer: added_tokens_decoder[${describe(id)}] must have a content, got ${describe(token)}`)
    tokens.set(token.content, { ...special(token.content, Number(id)), ...token, id: Number(id) })
  }
  return tokens
}

/**
 * What is neither a byte nor made by a merge can only have been put there whole.
 * @param {Record<string, number>} ids @param {string[][]} merges
 */
function putWhole(ids, merges) {
  const made = new Set([...LETTERS, ...merges.map(pair => pair.join(''))])
  return Object.entries(ids).filter(([content]) => !made.has(content))
}

/**
 * The content of a tokenizer.json.
 * @param {unknown} vocab of vocab.json @param {string[][]} merges
 * @param {{ config: Json, added?: Json, modelType?: unknown }} beside tokenizer_config.json with what
 *   special_tokens_map.json adds, added_tokens.json, and config.json's model_type
 * @throws {GlassformerError} 'format'
 */
export function byteLevelBpe(vocab, merges, { config, added, modelType }) {
  expect(isPlain(vocab), 'format', () =>
    `tokenizer: vocab.json must be an object of tokens and ids, got ${describe(vocab)}`)
  expect(LETTERS.every(letter => Object.hasOwn(vocab, letter)), 'format',
    () => 'tokenizer: vocab.json must have all 256 bytes as GPT-2 writes them; give tokenizer.json for other kinds')
  const ids = /** @type {Record<string, number>} */ (vocab), told = classOf(config, modelType), name = told ?? 'gpt2'
  /** Special tokens by their roles. @type {Json} */ const roles = {}
  for (const [role, usual] of Object.entries({ ...config, ...USUAL[name] })) {
    const given = config[role] ?? usual, content = given?.content ?? given
    if (/_token$/.test(role) && typeof content === 'string') roles[role] = { ...given.content && given, content }
  }
  const tokens = addedOf(config, added, new Set(Object.values(roles).map(({ content }) => content)))
  for (const { content, ...more } of Object.values(roles)) {
    if (!Object.hasOwn(ids, content) || tokens.has(content)) continue
    tokens.set(content, { ...special(content, ids[content]), ...more, special: true })
  }
  const mask = name === 'roberta' && !config.added_tokens_decoder && tokens.get(roles.mask_token?.content)
  if (mask) mask.lstrip = true
  const { suffix = '', ...parts } = CLASSES[name]({ config, id: role => {
    const content = roles[role]?.content, id = tokens.get(content)?.id ?? ids[content]
    expect(id !== undefined, 'format', () => `tokenizer: ${role} ${describe(content)} is not among the tokens`)
    return [content, id]
  } })
  for (const [content, id] of told ? [] : putWhole(ids, merges)) {
    if (!tokens.has(content)) tokens.set(content, special(content, id))
  }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [...tokens.values()],
    ...parts,
    decoder: byteLevel({}),
    model: { ...bpe(ids, merges), ...(suffix && { end_of_word_suffix: suffix, unk_token: roles.unk_token.content }) }
  }
}
