import { GlassformerError, expect, expectType, isPlain } from '../errors.js'
import { byteLevelBpe } from './merges_txt.js'
import { lazyRegExp } from './lazy_regexp.js'
import { fromLlama2c, fromSentencePiece } from './sentencepiece.js'
import { Tokenizer } from './tokenizer.js'
import { bertJson, bertNormalizer, specialToken, templateProcessor } from './tokenizer_json.js'
import { decodeUtf8 } from './utf8.js'
import { expectPart, formatError } from './json_fields.js'

/** A capital letter, except in special tokens such as [CLS]. */
const WITH_CAPITAL = lazyRegExp(String.raw`^(?!\[.*\]$).*\p{Lu}`, 'u')
/**
 * Whether lowercasing changes a token; ℝ, which BERT's uncased vocabulary has, does not change.
 * @param {string} token
 */
const isCased = token => WITH_CAPITAL().test(token) && token.toLowerCase() !== token

/**
 * The files of a model's folder: text or bytes by name.
 * @typedef {Record<string, string | Uint8Array | ArrayBuffer>} Files
 */

export const CONFIG = 'tokenizer_config.json'

/** @param {Files} files @param {string} name */
export function readText(files, name) {
  const content = files[name]
  return (typeof content === 'string' ? content : decodeUtf8(content)).replace(/^\ufeff/, '')
}

/** @param {Files} files @param {string} name */
const readLines = (files, name) => readText(files, name).split(/\r?\n|\r$/)

/** @param {Files} files @param {string} name */
function parseJson(files, name) {
  try {
    return JSON.parse(readText(files, name))
  } catch (error) {
    throw formatError(`tokenizer: ${name} is not JSON: ${/** @type {Error} */ (error).message}`)
  }
}

/** @param {Files} files @param {string} name @returns {Record<string, any>} */
function parseObject(files, name) {
  const json = parseJson(files, name)
  expectPart(isPlain(json), () => `${name} must be an object`, json)
  return json
}

/** The content of a file, if it is there. @param {Files} files @param {string} name */
export const parseOptional = (files, name) => (name in files ? parseObject(files, name) : {})

/** @param {unknown} content */
const isContent = content => typeof content === 'string' || content instanceof Uint8Array ||
  content instanceof ArrayBuffer

/**
 * Converts vocab.json and merges.txt. The files beside them give the class of the tokenizer and its special tokens.
 * @param {Files} files
 */
function fromMerges(files) {
  const merges = readLines(files, 'merges.txt').filter((line, i) => line && (i > 0 || !line.startsWith('#version')))
    .map(line => line.split(' '))
  return byteLevelBpe(parseJson(files, 'vocab.json'), merges, {
    config: { ...parseOptional(files, 'special_tokens_map.json'), ...parseOptional(files, CONFIG) },
    added: parseOptional(files, 'added_tokens.json'),
    modelType: parseOptional(files, 'config.json').model_type
  })
}

export const toBytes = (/** @type {string | Uint8Array | ArrayBuffer} */ content) =>
  content instanceof ArrayBuffer ? new Uint8Array(content) : content

/** @param {Files} files @param {string} name @returns {Uint8Array} */
function readBytes(files, name) {
  const content = toBytes(files[name])
  expectType(typeof content !== 'string', `tokenizer: files[${JSON.stringify(name)}] must be bytes`, content)
  return content
}

/**
 * Converts BERT's vocab.txt, which has one token per line. The tokenizer lowercases if do_lower_case of
 * tokenizer_config.json says so or, without that setting, if no token has a capital letter.
 * @param {Files} files
 */
function fromVocabTxt(files) {
  const lines = readLines(files, 'vocab.txt')
  while (lines.length && lines.at(-1) === '') lines.pop()
  const config = parseOptional(files, CONFIG)
  const specials = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].filter(token => lines.includes(token))
  return bertJson(lines, specials, bertNormalizer(config.do_lower_case ?? !lines.some(isCased), {
    handle_chinese_chars: config.tokenize_chinese_chars ?? true, strip_accents: config.strip_accents ?? null
  }))
}

/**
 * Converts Marian's files: the pieces are those of source.spm, the ids those of vocab.json, which source and target
 * share.
 * @param {Files} files
 */
function fromMarian(files) {
  const vocab = /** @type {Record<string, number>} */ (parseObject(files, 'vocab.json'))
  const parts = fromSentencePiece('source.spm', readBytes(files, 'source.spm'))
  const unknownId = vocab['<unk>'], endId = vocab['</s>']
  expectPart(parts.model.type === 'Unigram' && Number.isInteger(unknownId) && Number.isInteger(endId), () => 'source.spm must be a unigram model, and vocab.json must have <unk> and </s>')
  const pieces = /** @type {[string, number][]} */ (parts.model.vocab)
  const languages = Object.keys(vocab).filter(name => /^>>.+<<$/.test(name))
  return {
    ...parts,
    added_tokens: languages.map(name => specialToken(name, vocab[name])),
    post_processor: templateProcessor([], [['</s>', endId]]),
    model: {
      ...parts.model,
      // `names` has the id of each token, `ids` those of the pieces, in order. Saved tokenizers (toJSON) have both.
      names: vocab,
      ids: pieces.map(([piece]) => Object.hasOwn(vocab, piece) ? vocab[piece] : unknownId),
      special: ['<s>', '</s>', '<pad>'].flatMap(name => Object.hasOwn(vocab, name) ? [vocab[name]] : [])
    }
  }
}

/**
 * Adds T5's tokens <extra_id_0> and so on, which its spiece.model lacks: the last one comes first, as in T5Tokenizer.
 * @param {Files} files @param {ReturnType<typeof fromSentencePiece>} json
 */
function addExtraIds(files, json) {
  const { tokenizer_class: name = parseOptional(files, 'config.json').model_type, extra_ids: count = 100 } = parseOptional(files, CONFIG)
  const { vocab } = json.model, size = vocab.length, isT5 = name === undefined
    ? size === 32000 && vocab[1][0] === '</s>' && vocab[2][0] === '<unk>' : /^t5/i.test(name)
  if (!isT5 || !Array.isArray(vocab) || vocab.some(([piece]) => piece === '<extra_id_0>')) return json
  const extra = Array.from({ length: count }, (_, i) => specialToken(`<extra_id_${count - 1 - i}>`, size + i))
  return { ...json, added_tokens: [...json.added_tokens, ...extra] }
}

/** @param {Files} files @param {RegExp} pattern */
const findFile = (files, pattern) => Object.keys(files).find(name => pattern.test(name))

/**
 * Finds a file of tiktoken: lines of base64 and a rank. Llama 3's is called tokenizer.model, as SentencePiece's are.
 * @param {Files} files
 */
export const findTiktoken = files => Object.keys(files).find(name => /\.(model|tiktoken)$/.test(name) &&
  /^[\w+/]+=* \d+\r?\n/.test(readText({ x: files[name].slice(0, 99) }, 'x')))

/**
 * Converts files to the content of a tokenizer.json.
 * @param {Files} files
 */
export function toTokenizerJson(files) {
  const model = findFile(files, /\.(model|spm)$/), bin = findFile(files, /\.bin$/)
  if ('tokenizer.json' in files) return parseJson(files, 'tokenizer.json')
  if ('vocab.json' in files && 'merges.txt' in files) return fromMerges(files)
  if ('vocab.json' in files && 'source.spm' in files) return fromMarian(files)
  if ('vocab.txt' in files) return fromVocabTxt(files)
  const ranks = findTiktoken(files)
  expect(!ranks, 'type', () => `tokenizer: ${ranks} is a file of tiktoken; write await gf.text.tiktoken(files)`)
  if (model !== undefined) return addExtraIds(files, fromSentencePiece(model, readBytes(files, model)))
  if (bin !== undefined) return fromLlama2c(bin, readBytes(files, bin))
  throw new GlassformerError('type', "tokenizer: files must contain one of: 'tokenizer.json'; 'vocab.json' with " +
    "'merges.txt' or 'source.spm'; 'vocab.txt'; a .model file; a .bin file of llama2.c; " +
    `got ${Object.keys(files).join(', ') || 'none'}`)
}

/**
 * Loads the tokenizer of a model's folder.
 * @param {import('../engine/kernels.js').Kernels} engine
 * @param {Files} files name -> text or bytes; the first of these sets that is present is used: { 'tokenizer.json' },
 *   { 'vocab.json', 'merges.txt' } (GPT-2, or the class of 'tokenizer_config.json'; with 'added_tokens.json' and
 *   'special_tokens_map.json' if present), { 'vocab.json', 'source.spm' } (Marian), { 'vocab.txt' } (BERT; with
 *   'tokenizer_config.json' if present), { 'any.model' } (SentencePiece) or { 'any.bin' } (llama2.c). Beside any of
 *   them 'tokenizer_config.json' or 'chat_template.jinja' gives the chat template
 * @returns {Tokenizer}
 * @throws {GlassformerError} 'type' if none of these sets is present, or if a content is neither text nor bytes;
 *   'format' if a file is malformed
 */
export function loadTokenizer(engine, files) {
  expectFiles('tokenizer', files)
  return new Tokenizer(engine, toTokenizerJson(files), undefined, chatFilesOf(files))
}

/** @param {string} where @param {unknown} files @returns {asserts files is Files} */
export function expectFiles(where, files) {
  expectType(isPlain(files), `${where}: files must be an object of file contents by name, such as { 'tokenizer.json': text }`, files)
  for (const [name, content] of Object.entries(/** @type {Files} */ (files))) {
    expectType(isContent(content), `${where}: files[${JSON.stringify(name)}] must be text or bytes ` +
    '(for a Blob, pass await blob.arrayBuffer())', content)
  }
}

/** The files that chat templates and their special tokens come from. @param {Files} files */
export const chatFilesOf = files => Object.fromEntries(Object.keys(files)
  .filter(name => /^(tokenizer_config|special_tokens_map|chat_template)\.(json|jinja)$/.test(name))
  .map(name => [name, toBytes(files[name])]))
