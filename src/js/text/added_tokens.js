import { lazyRegExp } from './lazy_regexp.js'
import { RUST_WORD, alternatives } from './pattern.js'
import { endOfSpaces, startOfSpaces } from './spaces.js'

/**
 * An added token: it is matched literally in the text before pre-tokenization.
 * @typedef {object} AddedToken
 * @property {number} id
 * @property {string} content
 * @property {boolean} [special] whether `decode` skips it by default, as [MASK] or an end of text
 * @property {boolean} [normalized] whether it is matched in the normalized text
 * @property {boolean} [single_word] whether it matches only whole words
 * @property {boolean} [lstrip] whether the match includes white space before it
 * @property {boolean} [rstrip] whether the match includes white space after it
 */

const WORD_BEFORE = lazyRegExp(`[${RUST_WORD}]$`, 'u')
const WORD_AFTER = lazyRegExp(`^[${RUST_WORD}]`, 'u')

/**
 * A segment of a text: an added token with its id, or the text between.
 * @typedef {{ start: number, end: number, id?: number }} Segment
 */

/**
 * Returns a function that splits a text at added tokens. Of two tokens that match at one position, the longer wins.
 * @param {readonly AddedToken[]} tokens
 * @param {(content: string) => string} [normalize] the normalizer that the text has passed
 * @returns {(text: string, allowSpecial?: boolean) => Segment[]} segments that cover the text; allowSpecial (default
 *   true): whether special tokens are found
 */
export function createTokenFinder(tokens, normalize = content => content) {
  /** @type {Map<string, AddedToken>} */ const byContent = new Map()
  for (const token of tokens) byContent.set(normalize(token.content), token)
  byContent.delete('')
  if (!byContent.size) return text => [{ start: 0, end: text.length }]
  const pattern = new RegExp(alternatives([...byContent.keys()]), 'gu')
  return (text, allowSpecial = true) => {
    /** @type {Segment[]} */ const segments = []
    let at = 0
    for (const { index, 0: content } of text.matchAll(pattern)) {
      const token = /** @type {AddedToken} */ (byContent.get(content))
      if (token.special && !allowSpecial) continue
      if (token.single_word && touchesWord(text, index, index + content.length)) continue
      const start = Math.max(at, token.lstrip ? startOfSpaces(text, index) : index), after = index + content.length
      const end = token.rstrip ? endOfSpaces(text, after) : after
      if (start > at) segments.push({ start: at, end: start })
      segments.push({ start, end, id: token.id })
      at = end
    }
    if (at < text.length) segments.push({ start: at, end: text.length })
    return segments
  }
}

/** @param {string} text @param {number} start @param {number} end */
const touchesWord = (text, start, end) =>
  WORD_BEFORE().test(text.slice(Math.max(0, start - 2), start)) || WORD_AFTER().test(text.slice(end, end + 2))
