/** The vocabulary of the induction model: letters, digits, Korean syllables, and a few words of both languages. */

/** The token before every sequence. */
export const START = '<start>'

/** The maximum number of tokens, the first of them <start>. */
export const LONGEST = 48

/** Names and things by language, for sequences of pairs. */
export const WORDS = {
  ko: {
    names: ['하준', '미나', '서연', '도윤', '지우', '민수', '유진', '다은'],
    things: ['사과', '배', '포도', '귤', '감', '우유', '빵', '떡', '국수', '김밥', '연필', '우산']
  },
  en: {
    names: ['Kara', 'Ben', 'Mina', 'Tom', 'Julia', 'Sam', 'Pip', 'Zed'],
    things: ['tea', 'milk', 'bread', 'rice', 'soup', 'cake', 'apples', 'pears', 'plums', 'pens', 'books', 'hats']
  }
}

/** Tokens of one kind, from which a block may be sampled. */
export const GROUPS = [
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'], [...'0123456789'], [...'가나다라마바사아자차카타파하'],
  ...Object.values(WORDS).map(({ names, things }) => [...names, ...things])
]

export const TOKENS = [START, ...GROUPS.flat()]
export const START_ID = 0

const IDS = new Map(TOKENS.map((token, id) => [token.toLowerCase(), id]))

/** @param {string} token @returns {number} */
export const idOf = token => /** @type {number} */ (IDS.get(token.toLowerCase()))

/** @param {string} text */
const isKnown = text => IDS.has(text.toLowerCase()) && text.toLowerCase() !== START

/**
 * The tokens of one word: itself, or its characters where each of them is a token: 'ABC' is A B C.
 * @param {string} word @returns {string[]}
 */
const split = word => (isKnown(word) || !Array.from(word).every(isKnown) ? [word] : Array.from(word))

/** Splits a text at spaces; unknown words remain whole. @param {string} text @returns {string[]} */
export const splitText = text => text.split(/\s+/).filter(Boolean).flatMap(split)

/** The first word that the model does not know, or undefined. @param {string} text */
export const unknownWord = text => splitText(text).find(word => !isKnown(word))

/** The ids of a text of known words, without <start>. @param {string} text @returns {number[]} */
export const idsOf = text => splitText(text).map(word => {
  if (!isKnown(word)) throw new Error(`'${word}' is not a token of this model`)
  return idOf(word)
})

/**
 * The input for a text: <start>, then the text, or as much of its end as leaves room to continue.
 * @param {string} text @param {number} [room] tokens to keep free @returns {number[]}
 */
export function encode(text, room = 0) {
  const ids = idsOf(text)
  return [START_ID, ...ids.slice(Math.max(0, ids.length - (LONGEST - 1 - room)))]
}

/** @param {readonly number[]} ids */
export const decode = ids => ids.filter(id => id !== START_ID).map(id => TOKENS[id]).join(' ')
