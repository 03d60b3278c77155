/** English verbs that agree with their subject over a distance, and sentences that test them. */

import { bothNumbers } from '../english.js'
import { ENGLISH, ENGLISH_HELD_OUT } from './words.js'

/** @typedef {import('../random.js').Random} Draw @typedef {import('./korean.js').Part} Part */

/**
 * A verb, with its singular and plural.
 * @type {Record<string, [string, string]>}
 */
export const VERBS = { is: ['is', 'are'], was: ['was', 'were'], has: ['has', 'have'], does: ['does', 'do'] }

/** Continuations of a sentence, by the verbs that may precede them. */
const ENDS = {
  'is/was': `here|there|red|new|old|very small|very old|on the table|in the garden|at home|not here|under the bed|ready|
    lost|broken|in the city|open|beautiful|near the door|happy`,
  'is': 'here now|on the table now|very old today|lost now|not here today|always late|in the garden now|ready now',
  'was': 'here yesterday|on the table yesterday|lost yesterday|late yesterday|not here yesterday|in the garden yesterday',
  'has': 'been here|been lost|fallen down|gone home|been on the table|never been there|disappeared|been very happy',
  'does': 'not work|not help|not look old|not like the rain|not belong here|not fit|not sleep|not come home'
}
const ENDINGS = Object.entries(ENDS).map(([verbs, ends]) => ({ verbs: verbs.split('/'), ends: ends.split(/\|\s*/) }))

/** The beginnings and ends of questions, in which the verb precedes its subject. */
const QUESTIONS = Object.entries({
  'is/was': [
    ['where ', ''], ['there ', ''], ['there ', ' on the table'], ['', ' here'], ['', ' on the table'],
    ['why ', ' here'], ['', ' old']
  ],
  'does': [['where ', ' live'], ['when ', ' sleep'], ['', ' work'], ['why ', ' not work']],
  'has': [['where ', ' been'], ['', ' gone home'], ['', ' been here']]
}).flatMap(([verbs, frames]) => frames.map(([begin, end]) => ({ verbs: verbs.split('/'), begin, end })))

const ADJECTIVES = ['old ', 'new ', 'small ', 'red ', 'big ', 'little ', 'black ', '', '', '', '', '', '', '', '', '']
const SINGULAR_DETERMINERS = ['a', 'this', 'that', 'every'], PLURAL_DETERMINERS = ['these', 'those', 'some', 'many', 'two', 'three', 'both']
const OTHER_DETERMINERS = ['the', 'the', 'the', 'the', 'the', 'my', 'your', 'his', 'her', 'our', 'their']
const BETWEEN = [
  'to', 'of', 'near', 'behind', 'with', 'on', 'in', 'under', 'from', 'beside', 'for', 'by', 'about', 'inside'
]
const CLAUSE_VERBS = ['saw', 'like', 'know', 'found', 'love', 'want']

const PRONOUNS = ['he', 'she', 'it', 'i', 'we', 'they', 'you']

const ONSETS = [...'bdfgklmnprstvw', 'br', 'cl', 'dr', 'fl', 'gr', 'pl', 'sn', 'st', 'tr', 'bl', 'z', 'j', 'h', 'c']
const CODAS = [...'bdgklmnprt', 'ck', 'nd', 'st', 'rk', 'mp', 'er', 'et', 'in', 'le', 'x', 'sh', 'ss', 'ow', 'a', 'o']

/** A made-up word, in both numbers. @param {Draw} draw */
function madeUp(draw) {
  const syllable = () => draw.pick(ONSETS) + draw.pick([...'aeiou'])
  return bothNumbers((draw.chance(0.4) ? syllable() : '') + syllable() + draw.pick(CODAS))
}

/** @param {Draw} draw @param {boolean} isHeldOut @param {string} [kind] */
function noun(draw, isHeldOut, kind = draw.pick(['things', 'living'])) {
  if (isHeldOut) return bothNumbers(draw.pick(ENGLISH_HELD_OUT[kind]))
  return draw.chance(0.35) ? notHeldOut(draw) : bothNumbers(draw.pick(ENGLISH[kind]))
}

const ALL_HELD_OUT = new Set(Object.values(ENGLISH_HELD_OUT).flat().map(entry => bothNumbers(entry).one))

/** @param {Draw} draw */
function notHeldOut(draw) {
  for (;;) {
    const made = madeUp(draw)
    if (!ALL_HELD_OUT.has(made.one)) return made
  }
}

/**
 * A determiner, perhaps an adjective, and a noun.
 * @param {Draw} draw @param {boolean} isPlural @param {boolean} isHeldOut
 * @returns {{ text: string, numbers: number[] }} numbers: 0 for singular, 1 for plural; both where it is ambiguous
 */
function phrase(draw, isPlural, isHeldOut) {
  const { one, many } = noun(draw, isHeldOut), showsNumber = draw.chance(0.2), adjective = draw.pick(ADJECTIVES)
  const determiner = showsNumber
    ? draw.pick(isPlural ? PLURAL_DETERMINERS : SINGULAR_DETERMINERS) : draw.pick(OTHER_DETERMINERS)
  const rest = adjective + (isPlural ? many : one)
  const article = determiner === 'a' && /^[aeiou]/.test(rest) ? 'an' : determiner
  return { text: `${article} ${rest}`, numbers: one === many && !showsNumber ? [0, 1] : [isPlural ? 1 : 0] }
}

/** A distractor between a subject and its verb. @param {Draw} draw @param {boolean} isHeldOut */
function attractor(draw, isHeldOut) {
  if (draw.chance(0.85)) return ` ${draw.pick(BETWEEN)} ${phrase(draw, draw.chance(0.5), isHeldOut).text}`
  return ` that the ${noun(draw, isHeldOut, 'living').many} ${draw.pick(CLAUSE_VERBS)}`
}

/** @param {Draw} draw @returns {{ stem: string, rest: string, numbers: number[] }} */
function pronoun(draw) {
  const stem = draw.pick(PRONOUNS)
  return { stem, rest: '', numbers: [/^(he|she|it)$/.test(stem) ? 0 : 1] }
}

/**
 * The subject of the verb, and the rest of the sentence.
 * @param {Draw} draw @param {boolean} isHeldOut @returns {{ stem: string, rest: string, numbers: number[] }}
 */
function subject(draw, isHeldOut) {
  if (!isHeldOut && draw.chance(0.1)) return pronoun(draw)
  const { text, numbers } = phrase(draw, draw.chance(0.5), isHeldOut)
  if (draw.chance(0.08)) {
    return { stem: `${text} and ${phrase(draw, draw.chance(0.5), isHeldOut).text}`, rest: '', numbers: [1] }
  }
  const count = draw.chance(0.25) ? 0 : draw.chance(0.75) ? 1 : 2
  return { stem: text, rest: Array.from({ length: count }, () => attractor(draw, isHeldOut)).join(''), numbers }
}

/** The form of a verb. @param {string} verb @param {number} number @param {string} stem */
const formFor = (verb, number, stem) => {
  if (stem === 'i' && (verb === 'is' || verb === 'was')) return { is: 'am', was: 'was' }[verb]
  return VERBS[verb][number]
}

/** A sentence in parts. @param {Draw} draw @param {boolean} isHeldOut @returns {Part[]} */
export function englishSentence(draw, isHeldOut) {
  const { stem, rest, numbers } = subject(draw, isHeldOut)
  const answers = (/** @type {string[]} */ verbs) => (
    { answers: verbs.flatMap(verb => numbers.map(number => formFor(verb, number, stem))) })
  if (draw.chance(0.2)) {
    const { verbs, begin, end } = draw.pick(QUESTIONS)
    return [begin, answers(verbs), ' ', { stem }, rest, end, begin === 'there ' ? '' : draw.pick(['', '?'])]
  }
  if (draw.chance(0.04)) return [{ stem }, rest, ' ', answers(Object.keys(VERBS))]
  const { verbs, ends } = draw.pick(ENDINGS)
  return [{ stem }, rest, ' ', answers(verbs), ` ${draw.pick(ends)}`, draw.pick(['', '', '', '', '.', '.', '!', ' 😀'])]
}
