/** The model of a tokenizer.json: its tokens and how it splits words. */

import { describe, isPlain } from '../errors.js'
import { BpeModel } from './bpe_model.js'
import { decodeByteLevel } from './byte_level.js'
import { expectPart, formatError, readArray, readIntegers } from './json_fields.js'
import { UnigramModel } from './unigram_model.js'
import { wordLevelModel } from './wordlevel_model.js'
import { WordPieceModel } from './wordpiece_model.js'

/** @typedef {import('./tokenizer.js').Model} Model */

/** @param {any} json @returns {import('./added_tokens.js').AddedToken[]} */
export function addedTokens(json) {
  const added = readArray('tokenizer', json, 'added_tokens', [])
  added.forEach((token, i) => expectPart(Number.isInteger(token?.id) && typeof token.content === 'string', () => `added_tokens[${i}] must have an id and a content, got ${JSON.stringify(token)}`))
  return added
}

/**
 * Special ids of a model that comes from SentencePiece, where tokenizer.json has no added tokens.
 * @param {any} model
 */
export const controlIds = ({ special, kinds }) =>
  readIntegers('tokenizer: model', { special: special ?? kinds?.control ?? [] }, 'special')

/** @param {any} model @returns {Iterable<[string, number]>} */
export function vocabEntries({ vocab, names }) {
  if (isPlain(names)) return Object.entries(names)
  if (Array.isArray(vocab)) return vocab.map((piece, id) => [piece?.[0], id])
  expectPart(isPlain(vocab), () => 'model.vocab must be an object', vocab)
  return Object.entries(vocab)
}

/**
 * @param {import('../engine/kernels.js').Kernels} engine @param {any} model @param {Map<string, number>} vocab
 * @param {'read' | 'spelled' | undefined} byteLevel
 * @returns {Model}
 */
export function createModel(engine, model, vocab, byteLevel) {
  const type = modelType(model)
  expectPart(!model.dropout, () => 'model.dropout must be null or 0', model.dropout)
  expectPart(byteLevel !== 'read' || !['WordPiece', 'Unigram'].includes(type), () => `pre_tokenizer ByteLevel goes with a model of type 'BPE'`, type)
  switch (type) {
    case 'BPE': return new BpeModel(engine, model, vocab, byteLevel)
    case 'WordLevel': return wordLevelModel(model, vocab)
    case 'WordPiece': return new WordPieceModel(engine, model, vocab)
    case 'Unigram': return new UnigramModel(engine, model, vocab)
    default: throw formatError(`tokenizer: model.type must be 'BPE', 'WordPiece', 'WordLevel' or 'Unigram', got ${describe(type)}`)
  }
}

/** The type of a model; old files lack the field. @param {any} model */
export function modelType({ type, merges, vocab }) {
  return type ?? (merges ? 'BPE' : Array.isArray(vocab) ? 'Unigram' : 'WordPiece')
}

/**
 * Decodes a byte-level token, whose end-of-word suffix stands for a space; undefined if it is not byte-level.
 * @param {string} token @param {{ end_of_word_suffix?: string | null }} model
 */
export function decodeWord(token, { end_of_word_suffix: suffix }) {
  if (!suffix || !token.endsWith(suffix)) return decodeByteLevel(token)
  const bytes = decodeByteLevel(token.slice(0, -suffix.length))
  return bytes && Uint8Array.of(...bytes, 0x20)
}

/**
 * Decodes end-of-word suffixes as spaces, as Hugging Face's CLIPTokenizer does.
 * @param {import('./decoders.js').Decode} decode @param {{ end_of_word_suffix?: string | null }} model
 * @returns {import('./decoders.js').Decode}
 */
export const replaceSuffixes = (decode, { end_of_word_suffix: suffix }) => (suffix
  ? tokens => [decode(tokens).join('').replaceAll(suffix, ' ').trim()] : decode)
