import { GlassformerError, describe, expect, isPlain } from '../errors.js'
import { byteLevelBpe, special } from './merges_files.js'
import { onDemand } from './on_demand.js'
import { fromLlama2c, fromSentencePiece } from './sentencepiece.js'
import { Tokenizer } from './tokenizer.js'

const utf8 = new TextDecoder()

/** A capital letter, in what is no mark in brackets. */
const WITH_CAPITAL = onDemand(String.raw`^(?!\[.*\]$).*\p{Lu}`, 'u')
/** Whether a token is lost in small letters; ℝ, which is in BERT's uncased vocabulary, is not. @param {string} token */
const isCased = token => WITH_CAPITAL().test(token) && token.toLowerCase() !== token

/**
 * Files by name, as they lie in a model's folder: text or bytes.
 * @typedef {Record<string, string | Uint8Array | ArrayBuffer>} Files
 */

/** @param {Files} files @param {string} name */
function textOf(files, name) {
  const content = files[name]
  return typeof content === 'string' ? content.replace(/^\ufeff/, '') : utf8.decode(content)
}

/** @param {Files} files @param {string} name */
function jsonOf(files, name) {
  try {
    return JSON.parse(textOf(files, name))
  } catch (error) {
    throw new GlassformerError('format', `tokenizer: ${name} is not JSON: ${/** @type {Error} */ (error).message}`)
  }
}

/** @param {Files} files @param {string} name @returns {Record<string, any>} */
function objectOf(files, name) {
  const json = jsonOf(files, name)
  expect(isPlain(json), 'format', () => `tokenizer: ${name} must be an object, got ${describe(json)}`)
  return json
}

/** @param {unknown} content */
const isContent = content => typeof content === 'string' || content instanceof Uint8Array ||
  content instanceof ArrayBuffer

/**
 * vocab.json and merges.txt, and what the files beside them say of the tokenizer's class and its tokens.
 * @param {Files} files
 */
function fromMerges(files) {
  const read = (/** @type {string} */ name) => (name in files ? objectOf(files, name) : undefined)
  const lines = textOf(files, 'merges.txt').split('\n').map(line => line.replace(/\r$/, ''))
  const merges = lines.filter((line, i) => line && !(i === 0 && line.startsWith('#version')))
    .map(line => line.split(' '))
  return byteLevelBpe(jsonOf(files, 'vocab.json'), merges, {
    config: { ...read('special_tokens_map.json'), ...read('tokenizer_config.json') },
    added: read('added_tokens.json'),
    modelType: read('config.json')?.model_type
  })
}

const bytesOf = (/** @type {string | Uint8Array | ArrayBuffer} */ content) =>
  content instanceof ArrayBuffer ? new Uint8Array(content) : content

/** @param {Files} files @param {string} name @returns {Uint8Array} */
function binaryOf(files, name) {
  const content = bytesOf(files[name])
  if (typeof content !== 'string') return content
  throw new GlassformerError('type', `tokenizer: files[${JSON.stringify(name)}] must be bytes, got ${describe(
    content)}`)
}

/** [CLS] before and [SEP] after, if the vocabulary has both. @param {Record<string, number>} vocab */
export function bertProcessing(vocab) {
  const [cls, sep] = ['[CLS]', '[SEP]'].map(token => [token, vocab[token]])
  return cls[1] === undefined || sep[1] === undefined ? null : { type: 'BertProcessing', cls, sep }
}

/**
 * BERT's vocab.txt: one token a line. Whether it knows capital letters, and so whether a text is put in small ones, is
 * said by tokenizer_config.json, if that is there, or else by the vocabulary itself.
 * @param {Files} files
 */
function fromVocabulary(files) {
  const lines = textOf(files, 'vocab.txt').split('\n').map(line => line.replace(/\r$/, ''))
  while (lines.length && lines.at(-1) === '') lines.pop()
  const vocab = Object.fromEntries(lines.map((token, id) => [token, id]))
  const config = 'tokenizer_config.json' in files ? objectOf(files, 'tokenizer_config.json') : {}
  const marks = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].filter(token => Object.hasOwn(vocab, token))
  const cased = lines.some(isCased)
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: marks.map(token => special(token, vocab[token])),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: config.tokenize_chinese_chars ?? true,
      strip_accents: config.strip_accents ?? null,
      lowercase: config.do_lower_case ?? !cased
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: bertProcessing(vocab),
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100, vocab
    }
  }
}

/**
 * Marian's: source.spm cuts, but the ids are those of vocab.json, which source and target share.
 * @param {Files} files
 */
function fromMarian(files) {
  const names = /** @type {Record<string, number>} */ (objectOf(files, 'vocab.json'))
  const parts = fromSentencePiece('source.spm', binaryOf(files, 'source.spm'))
  const unknown = names['<unk>'], end = names['</s>']
  expect(parts.model.type === 'Unigram' && Number.isInteger(unknown) && Number.isInteger(end), 'format',
    () => 'tokenizer: source.spm must be a unigram model, and vocab.json must have <unk> and </s>')
  const pieces = /** @type {[string, number][]} */ (parts.model.vocab)
  const languages = Object.keys(names).filter(name => /^>>.+<<$/.test(name))
  return {
    ...parts,
    added_tokens: languages.map(name => special(name, names[name])),
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 0 } }],
      pair: [],
      special_tokens: { '</s>': { id: '</s>', ids: [end], tokens: ['</s>'] } }
    },
    model: {
      ...parts.model,
      names,
      ids: pieces.map(([piece]) => Object.hasOwn(names, piece) ? names[piece] : unknown),
      special: ['<s>', '</s>', '<pad>'].flatMap(name => Object.hasOwn(names, name) ? [names[name]] : [])
    }
  }
}

/** A .model or .spm, or llama2.c's .bin. @param {Files} files @param {RegExp} pattern */
const named = (files, pattern) => Object.keys(files).find(name => pattern.test(name))

/**
 * The content of a tokenizer.json that says what the files say.
 * @param {Files} files
 */
function partsOf(files) {
  const model = named(files, /\.(model|spm)$/), bin = named(files, /\.bin$/)
  if ('tokenizer.json' in files) return jsonOf(files, 'tokenizer.json')
  if ('vocab.json' in files && 'merges.txt' in files) return fromMerges(files)
  if ('vocab.json' in files && 'source.spm' in files) return fromMarian(files)
  if ('vocab.txt' in files) return fromVocabulary(files)
  if (model !== undefined) return fromSentencePiece(model, binaryOf(files, model))
  if (bin !== undefined) return fromLlama2c(bin, binaryOf(files, bin))
  throw new GlassformerError('type', "tokenizer: files must have 'tokenizer.json', 'vocab.json' and 'merges.txt' or " +
    `'source.spm', 'vocab.txt', a .model or llama2.c's .bin, got ${Object.keys(files).join(', ') || 'none'}`)
}

/**
 * A tokenizer from the files of a model's folder.
 * @param {import('../kernels.js').Kernels} engine
 * @param {Files} files name -> text or bytes: { 'tokenizer.json' }, { 'vocab.json', 'merges.txt' } (GPT-2, or
 *   the class of 'tokenizer_config.json'; 'added_tokens.json' and 'special_tokens_map.json' count),
 *   { 'vocab.json', 'source.spm' } (Marian), { 'vocab.txt' } (BERT; 'tokenizer_config.json' counts),
 *   { 'any.model' } (SentencePiece) or { 'any.bin' } (llama2.c); the first of these that is there, the others are
 *   passed over
 * @returns {Tokenizer}
 * @throws {GlassformerError} 'type' when files is no such object, 'format' when a file is not what its name says
 */
export function tokenizer(engine, files) {
  expect(isPlain(files), 'type',
    () => `tokenizer: files must be an object of file contents by name, such as { 'tokenizer.json': text }, ` +
      `got ${describe(files)}`)
  for (const [name, content] of Object.entries(files)) {
    expect(isContent(content), 'type', () => `tokenizer: files[${JSON.stringify(name)}] must be text or bytes ` +
      `(of a Blob, await its arrayBuffer()), got ${describe(content)}`)
  }
  return new Tokenizer(engine, partsOf(files))
}
