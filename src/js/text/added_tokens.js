import { onDemand } from './on_demand.js'
import { RUST_WORD, anyOf } from './pattern.js'
import { endOfSpaces, startOfSpaces } from './spaces.js'

/**
 * A token that stands apart from the model: found in the text as it is written, before anything is cut.
 * @typedef {object} AddedToken
 * @property {number} id
 * @property {string} content
 * @property {boolean} [special] whether it is a mark (an end of text, a mask) and no text
 * @property {boolean} [normalized] whether it is looked for in the rewritten text
 * @property {boolean} [single_word] whether it must not touch a word
 * @property {boolean} [lstrip] whether it takes the white space before it @property {boolean} [rstrip] and after it
 */

const WORD_BEFORE = onDemand(`[${RUST_WORD}]$`, 'u')
const WORD_AFTER = onDemand(`^[${RUST_WORD}]`, 'u')

/** A stretch of text, or an added token in it. @typedef {{ start: number, end: number, id?: number }} Stretch */

/**
 * Finds added tokens in a text; of two that begin at one place the longer.
 * @param {readonly AddedToken[]} tokens
 * @param {(content: string) => string} [rewrite] what happens to the text before they are looked for
 * @returns {(text: string) => Stretch[]} the whole text in stretches
 */
export function finder(tokens, rewrite = content => content) {
  /** @type {Map<string, AddedToken>} */ const byContent = new Map()
  for (const token of tokens) byContent.set(rewrite(token.content), token)
  byContent.delete('')
  if (!byContent.size) return text => [{ start: 0, end: text.length }]
  const pattern = new RegExp(anyOf([...byContent.keys()]), 'gu')
  return text => {
    /** @type {Stretch[]} */ const stretches = []
    let at = 0
    for (const { index, 0: content } of text.matchAll(pattern)) {
      const token = /** @type {AddedToken} */ (byContent.get(content))
      if (token.single_word && touchesWord(text, index, index + content.length)) continue
      const start = Math.max(at, token.lstrip ? startOfSpaces(text, index) : index), after = index + content.length
      const end = token.rstrip ? endOfSpaces(text, after) : after
      if (start > at) stretches.push({ start: at, end: start })
      stretches.push({ start, end, id: token.id })
      at = end
    }
    if (at < text.length) stretches.push({ start: at, end: text.length })
    return stretches
  }
}

/** @param {string} text @param {number} start @param {number} end */
const touchesWord = (text, start, end) =>
  WORD_BEFORE().test(text.slice(Math.max(0, start - 2), start)) || WORD_AFTER().test(text.slice(end, end + 2))
