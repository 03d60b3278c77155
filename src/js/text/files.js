import { GlassformerError, describe, expect, isPlain } from '../errors.js'
import { LETTERS } from './byte_letters.js'
import { Tokenizer } from './tokenizer.js'

const utf8 = new TextDecoder()

/** Files by name, as they lie in a model's folder: text or bytes. @typedef {Record<string, string | Uint8Array | ArrayBuffer>} Files */

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

/** @param {unknown} content */
const isContent = content => typeof content === 'string' || content instanceof Uint8Array || content instanceof ArrayBuffer

/** GPT-2's vocab.json and merges.txt. @param {Files} files */
function fromMerges(files) {
  const vocab = jsonOf(files, 'vocab.json')
  expect(isPlain(vocab), 'format', () => `tokenizer: vocab.json must be an object of tokens and ids, got ${describe(vocab)}`)
  expect(LETTERS.every(letter => Object.hasOwn(vocab, letter)), 'format',
    () => 'tokenizer: vocab.json must have all 256 bytes as GPT-2 writes them; give tokenizer.json for other kinds')
  const lines = textOf(files, 'merges.txt').split('\n').map(line => line.replace(/\r$/, ''))
  const merges = lines.filter((line, i) => line && !(i === 0 && line.startsWith('#version')))
    .map(line => line.split(' '))
  const made = new Set([...LETTERS, ...merges.map(pair => pair.join(''))])
  const pretokenizer = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    // What is neither a byte nor made by a merge can only have been put there whole.
    added_tokens: Object.entries(vocab).filter(([token]) => !made.has(token)).map(([content, id]) => special(content, /** @type {number} */ (id))),
    normalizer: null,
    pre_tokenizer: pretokenizer,
    post_processor: null,
    decoder: pretokenizer,
    model: bpe(/** @type {Record<string, number>} */ (vocab), merges)
  }
}

/** An added token that is a mark and no text, as tokenizer.json has it. @param {string} content @param {number} id */
export const special = (content, id) =>
  ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true })

/** The model of a tokenizer.json for byte-level byte-pair encoding. @param {Record<string, number>} vocab @param {string[][]} merges */
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

/**
 * A tokenizer from the files of a model's folder.
 * @param {import('../engine.js').Engine} engine
 * @param {Files} files name -> text or bytes: { 'tokenizer.json' } or { 'vocab.json', 'merges.txt' }; others are passed
 *   over
 * @returns {Tokenizer}
 * @throws {GlassformerError} 'type' when files is no such object, 'format' when a file is not what its name says
 */
export function tokenizer(engine, files) {
  expect(isPlain(files), 'type',
    () => `tokenizer: files must be an object of names and contents, got ${describe(files)}`)
  for (const [name, content] of Object.entries(files)) {
    expect(isContent(content), 'type', () => `tokenizer: files[${JSON.stringify(name)}] must be text or bytes ` +
      `(of a Blob, await its arrayBuffer()), got ${describe(content)}`)
  }
  if ('tokenizer.json' in files) return new Tokenizer(engine, jsonOf(files, 'tokenizer.json'))
  if ('vocab.json' in files && 'merges.txt' in files) return new Tokenizer(engine, fromMerges(files))
  throw new GlassformerError('type', "tokenizer: files must have 'tokenizer.json', or 'vocab.json' and 'merges.txt', " +
    `got ${Object.keys(files).join(', ') || 'none'}`)
}
