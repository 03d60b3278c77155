/** The texts of an imported model as tokens: their display, their merges, and their costs in each language. */

import { segmentationOf } from '../segmentation.js'
import { languageCosts } from '../language_costs.js'
import { mergesOf } from '../merges.js'
import { spelled } from '../../../src/training/models/token_text.js'
import { hangulOf } from '../syllables.js'
import { labelsOf } from './classification.js'

/** @import { Opened } from './open.js' */
/** @import { Tokenized } from '../../../src/training/models/text/vocabulary.js' */
/** @import { Tokenizer } from '../../../src/js/text/tokenizer.js' */
/** @import { Settings } from '../../types.d.ts' */

/** The vocabularies of texts and of answers. @type {[WeakMap<Opened, string[]>, WeakMap<Opened, string[]>]} */
const vocabularies = [new WeakMap(), new WeakMap()]

/**
 * The tokenizer of texts or of answers, where those have a vocabulary of their own.
 * @param {Pick<Opened, 'tokenizer'>} opened @param {boolean} isAnswer @returns {Tokenizer | null}
 */
const tokenizerOf = ({ tokenizer }, isAnswer) =>
  (isAnswer && tokenizer && 'target' in tokenizer ? /** @type {Tokenizer} */ (tokenizer.target) : tokenizer)

/**
 * The vocabulary as displayed: WordPiece tokens by their names, byte-level ones as text.
 * @param {Opened} opened @param {boolean} isAnswer whether it is that of answers
 */
export function vocabularyOf(opened, isAnswer) {
  const { config } = opened, tokenizer = tokenizerOf(opened, isAnswer), known = vocabularies[Number(isAnswer)]
  let vocabulary = known.get(opened)
  if (!vocabulary) {
    const { vocab_size: shared, decoder_vocab_size: own, share_encoder_decoder_embeddings: isShared } = config
    const size = (isAnswer && isShared === false ? own : undefined) ?? shared ?? tokenizer?.size ?? 0
    const isOfLetters = tokenizer?.type === 'WordPiece'
    /** @param {number} id */
    const token = id => {
      if (!tokenizer || id >= tokenizer.size) return String(id)
      const name = tokenizer.tokenOf(id)
      return isOfLetters || /^<.*>$/.test(name) ? name : spelled(tokenizer.bytesOf(id))
    }
    vocabulary = Array.from({ length: size }, (_, id) => token(id))
    known.set(opened, vocabulary)
  }
  return vocabulary
}

/**
 * The ids that a text consists of. What is none is an error, which names the field of the text.
 * @param {Opened} opened @param {string} text @param {boolean} isAnswer @returns {number[]}
 */
function readIds(opened, text, isAnswer) {
  const { length } = vocabularyOf(opened, isAnswer)
  return text.split(/[\s,]+/).filter(Boolean).map(piece => {
    if (/^\d+$/.test(piece) && Number(piece) < length) return Number(piece)
    const message = `${isAnswer ? 'target' : 'beginning'}: ids are from 0 to ${length - 1}, got ${piece}`
    throw Object.assign(new Error(message), { code: 'id' })
  })
}

/**
 * The ids of a text; without a tokenizer the text consists of ids.
 * @param {Opened} opened @param {string} text @param {boolean} special @param {boolean} [isAnswer]
 * @returns {number[]}
 */
export function encode(opened, text, special, isAnswer = false) {
  const tokenizer = tokenizerOf(opened, isAnswer)
  if (tokenizer) return [...tokenizer.encode(text, { special }).ids]
  return readIds(opened, text, isAnswer)
}

/** @param {Opened} opened @param {number[]} ids @param {{ isAnswer: boolean }} [more] */
export function streamOf(opened, ids, more) {
  const isAnswer = more?.isAnswer ?? false, tokenizer = tokenizerOf(opened, isAnswer)
  const vocabulary = vocabularyOf(opened, isAnswer), labels = labelsOf(opened)
  const tokens = ids.map(id => vocabulary[id] ?? String(id))
  return { tokens: [tokens], ids: [ids], vocabulary, padding: [ids.map(() => false)], lengths: [ids.length],
    merges: tokenizer ? mergesOf(tokenizer, ids, vocabulary) : {}, ...(labels && { labels }), ...more }
}

/**
 * Tokenizes an example of the page; undefined where the tokenizer lacks tokens for it.
 * @param {Tokenizer} tokenizer @param {string} text @param {boolean} special @returns {Tokenized}
 */
function tokenizeExample(tokenizer, text, special) {
  try {
    return tokenizer.encode(text, { special })
  } catch (error) {
    if (/** @type {{ code?: string }} */ (error).code !== 'text') throw error
    return { ids: [], offsets: [] }
  }
}

/**
 * The stream of the prompt and its continuation, with the segmentation of the prompt.
 * @param {Opened} opened @param {Settings} settings @param {number[]} ids @param {number} longest tokens of the text
 */
export function textStream(opened, { beginning }, ids, longest) {
  const { tokenizer } = opened
  if (!tokenizer) return streamOf(opened, ids)
  const vocabulary = vocabularyOf(opened, false)
  /** @param {number} id */
  const displayToken = id => vocabulary[id] ?? String(id)
  const hangul = hangulOf(beginning, {
    tokenize: text => tokenizeExample(tokenizer, text, true), display: displayToken,
    bytesOf: id => tokenizer.bytesOf(id),
    longest
  })
  return {
    ...streamOf(opened, ids), cut: segmentationOf(tokenizer, beginning, longest), hangul,
    languages: languageCosts({ tokenize: text => tokenizeExample(tokenizer, text, false), display: displayToken })
  }
}
