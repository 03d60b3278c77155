// Shared by the text tests: one engine, the golden file and generators of difficult texts.
import { readFileSync } from 'node:fs'
import { load } from '../../src/js/index.js'
import { withGuards } from '../lib/guarded.js'
import { isLong, everyNth } from '../lib/long.js'

export const gf = await withGuards(load)
export const golden = JSON.parse(readFileSync(new URL('../golden/words.json', import.meta.url), 'utf8'))
const unicode = JSON.parse(readFileSync(new URL('../golden/unicode.json', import.meta.url), 'utf8'))

/** A generator of random integers below n from a seed, so that every run has the same texts. */
export function stream(seed) {
  let state = seed >>> 0
  return n => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor(state / 2 ** 32 * n)
  }
}

/** Every code point except surrogates. */
export const everyCharacter = () =>
  Array.from({ length: 0x110000 - 0x800 }, (_, i) => String.fromCodePoint(i < 0xd800 ? i : i + 0x800))

const CLASSES = [/\p{L}/u, /\p{N}/u, /\s/u, /\p{M}/u, /\p{P}/u, /\p{S}/u, /\p{C}/u, /\p{Lu}/u, /\p{Script=Han}/u]
const classOf = character => CLASSES.map(pattern => pattern.test(character)).join()

/** All characters in the long tests; else small code points, those at the limits of classes, and some others. */
export function manyCharacters() {
  const all = everyCharacter()
  if (isLong) return all
  const classes = all.map(classOf)
  return everyNth(all, 29, (_, i) => i < 0x600 || classes[i] !== classes[i - 1] || classes[i] !== classes[i + 1])
}

/** Returns a function that tests whether a character is in one of Python's classes. */
export function membership(name) {
  const isMember = new Uint8Array(0x110000)
  for (const [first, last] of unicode[name]) isMember.fill(1, first, last + 1)
  return character => isMember[character.codePointAt(0)] === 1
}

const marks = [...'\'"`.,:;@#$%&?!*()[]{}<>-_«»“”‘’„']
const spaces = [' ', ' ', ' ', '\t', '\n', '\r', '\u001c', '\u0085', '\u00a0', '\u2003', '\u3000', '\ufeff', '\u200b']
const clitics = ["'s", "'S", "'m", "'d", "'ll", "'LL", "'Ll", "'re", "'ve", "'VE", "n't", "N'T", "n'T", "'t", "'n",
  "'x"]
const contractions = ['cannot', 'Cannot', 'CANNOT', "d'ye", "D'Ye", 'gimme', 'g\u0130mme', 'g\u0131mme', 'gonna',
  'gotta', 'lemme', "more'n", 'wanna', 'WANNA', "'tis", "'T\u0131\u017f", "'twas", "'twa\u017f", 'tis', 'was']
const characters = [...'abntsNTmdlrevx=/', '5', '12', '٣', '３', 'é', 'e\u0301', '가', '나는', 'ſ', 'İ', '²', 'Ⅷ',
  '\0', '\u0345', '😀', '👩\u200d👧', '𝒳', '𝟓', '\ud800', '\udc00', '\ufffd']
const runs = ["''", "'''", '``', '...', '--', '---', '::', ',,', "' ", "don't", "dogs'"]
const tails = ['.', ']', ')', '>', '"', "'", '»', '’', ' ', '\n', '\t']

const pools = [
  [...marks, ...spaces, ...clitics, ...contractions, ...characters, ...runs],
  ["'", ' ', 's', 'n', 't', "n't", "'ll", '"', '.', ',', '-', '--', ')', '(', 'x', '\t'],
  [...contractions, ...clitics, "'", ' ', '-', ',', '.', 'x', 'é', '\t'],
  [...tails, 'a', '``', "''", '?'],
  [':', ',', ':', ',', ' ', '5', 'a', "'", '\n', '٣', '"', '.', '“'],
  ['`', '``', "'", "''", '"', '(', '[', '<', ' ', '\t', '«', 'x', 's', '-']
]

/** A short text to which many rules apply. */
export function nastyText(next) {
  const pick = pool => pool[next(pool.length)]
  const pool = pick(pools)
  const text = Array.from({ length: 1 + next(14) }, () => pick(pool)).join('')
  return next(5) ? text : text + Array.from({ length: 1 + next(5) }, () => pick(tails)).join('')
}
