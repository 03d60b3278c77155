/** The page's texts: look-up by key, placeholders, and Korean particles that agree with the word they follow. */

/** @import { Translate } from '../types.d.ts' */

const HANGUL_FIRST = 0xac00
const HANGUL_LAST = 0xd7a3
const DIGITS_WITH_FINAL = '013678'
const RIEUL = 8
/** Names of single consonants end with the consonant: 기역, 니은, 리을. */
const [CONSONANT_FIRST, CONSONANT_LAST] = ['ㄱ', 'ㅎ']

/** A blank on a worksheet: the sound at the end of its word is unknown. */
const BLANK = /^_+$/

/** 0 for a vowel, as in 퍼센트, 8 for ㄹ, another number for any other final consonant. @param {string} word */
function finalConsonant(word) {
  if (word.endsWith('%')) return 0
  const letters = word.replace(/[^\p{L}\p{N}]/gu, '')
  const last = letters.at(-1) ?? ''
  const code = last.codePointAt(0) ?? 0
  if (code >= HANGUL_FIRST && code <= HANGUL_LAST) return (code - HANGUL_FIRST) % 28
  if (('178'.includes(last) && last) || last === 'ㄹ') return RIEUL
  if (last >= CONSONANT_FIRST && last <= CONSONANT_LAST) return 1
  if (DIGITS_WITH_FINAL.includes(last) && last) return 1
  if (/[lL]$/.test(letters) || letters === 'R') return RIEUL
  return /[mnMN]$|ng$/.test(letters) ? 1 : 0
}

/** @param {string} number @param {string} pair the word for one, a slash, the word for any other number */
function pluralForm(number, pair) {
  const [singular, plural] = pair.split('/')
  return ` ${number === '1' ? singular : plural}`
}

/**
 * The particle that fits a word: `particle('토큰', '은/는')` is `은`. Digits and Latin words count by their pronunciation.
 * @param {string} word
 * @param {string} pair the form after a final consonant, a slash, the form after a vowel
 */
export function particle(word, pair) {
  const [closed, open] = pair.split('/')
  if (BLANK.test(word)) return closed === '으로' ? '(으)로' : closed.length === 1 ? `${closed}(${open})` : open
  const final = finalConsonant(word)
  if (closed === '으로') return final && final !== RIEUL ? closed : open
  return final ? closed : open
}

/**
 * @typedef {string | { [key: string]: Texts }} Texts nested to any depth
 * @param {Texts | undefined} messages @param {string} key
 */
function lookUp(messages, key) {
  return key.split('.').reduce((node, part) => (typeof node === 'object' ? node[part] : undefined), messages)
}

/**
 * A function from a key to its text. `{name}` is replaced by a value, `{name|은/는}` by the value and its particle,
 * which stands outside a quotation mark: `‘{name|은/는}’` is `‘토큰’은`. In English `{count|token/tokens}` is `1 token`
 * or `2 tokens`.
 * @param {Texts} messages
 * @param {{ strict?: boolean, own?: () => Texts | undefined }} [options] strict throws at a missing key; otherwise the
 *   key itself is displayed; overrides: texts that override those, looked up each time
 * @returns {Translate}
 */
export function translator(messages, { strict = true, own: overrides = () => undefined } = {}) {
  return (key, values = {}) => {
    const text = lookUp(overrides(), key) ?? lookUp(messages, key)
    if (typeof text !== 'string') {
      if (strict) throw new Error(`no text for '${key}'`)
      return key
    }
    return text.replace(/\{(\w+)(?:\|([^}]+))?\}([’”]?)/g, (_, name, pair, quote) => {
      const value = String(values[name] ?? '')
      if (pair && !/^\p{Script=Hangul}/u.test(pair)) return value + pluralForm(value, pair) + quote
      return value + quote + (pair ? particle(value, pair) : '')
    })
  }
}
