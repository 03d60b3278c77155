import { GlassformerError, describe, expect } from '../errors.js'
import { onDemand } from './on_demand.js'
import { LinearPattern } from './pattern_search.js'
import { isSafe, treeOf } from './pattern_tree.js'

/**
 * Regular expressions of a tokenizer.json, which are Oniguruma's in Ruby's syntax, in JavaScript's words: what is
 * written alike and means something else is written anew, and what has no counterpart is refused.
 */

/** Letters of words: Unicode's, and outside of a class Latin-1's fractions and numbers above the line. */
const LETTERS = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}`, WORD = String.raw`${LETTERS}\xb2\xb3\xb9\xbc-\xbe`
/**
 * Escapes, for a class. They know Unicode; JavaScript's \s has U+FEFF and not U+0085, and its \w and \d know ASCII
 * alone.
 * @type {Record<string, string>}
 */
const CLASSES = {
  s: '\\p{White_Space}', S: '\\P{White_Space}', d: '\\p{Nd}', D: '\\P{Nd}', w: LETTERS, h: '0-9A-Fa-f'
}
/** Other escapes, outside of one. @type {Record<string, string>} */
const OUTSIDE = {
  w: `[${WORD}]`, W: `[^${WORD}]`, H: `[^${CLASSES.h}]`, A: '^', z: '$', Z: '(?=\\n?$)',
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`
}
/**
 * Signs that know lines, each of which ends with a line feed and nothing else, and those that are none.
 * @type {Record<string, string>}
 */
const SIGNS = { '^': '(?<=^|\\n)', '$': '(?=\\n|$)', '.': '[^\\n]', '{': '\\{', '}': '\\}', ']': '\\]' }
const MARK = onDemand(String.raw`^[^\p{L}\p{N}]$`, 'u')
/** Letters that others become, without being the only ones. @type {Record<string, string>} */
const ALSO = { s: 'ſ', k: '\u212a', å: '\u212b', ω: '\u2126', σ: 'ς', μ: 'µ' }

/** One step through a pattern: an escape, how a group begins, how often something comes, a character. */
const STEP = /\\(?<escape>[pP]\{[^}]*\}|[pP].|x\{[0-9a-fA-F]+\}|x..|u....|.)|(?<group>\((?:\?(?:i:|i\)|[:=!]|<[=!]|<\w+>))?)|(?<often>(?:[?*+]|\{\d*,?\d*\})[?+]?)|[^]/guy

/** The other cases of a character. @param {string} character */
function otherCases(character) {
  const upper = character.toUpperCase(), lower = upper.toLowerCase()
  return [...new Set([character.toLowerCase(), upper, lower, ...ALSO[lower] ?? ''])]
    .filter(one => one !== character && [...one].length === 1).join('')
}

/** A pattern on its way: what it is made of, so that what a quantifier belongs to is known. */
class Translation {
  /** Pieces; a group is several until it is closed. @type {string[]} */ #pieces = []
  /** Where the open groups begin, and whether case was ignored outside. @type {{ at: number, was: boolean }[]} */
  #open = []
  #ignoring = false
  #named = 0

  /** @param {string} pattern */
  constructor(pattern) {
    for (let at = 0; at < pattern.length;) at = this.#step(pattern, at)
  }

  /** @param {string} pattern @param {number} at @returns {number} where the next step begins */
  #step(pattern, at) {
    if (pattern[at] === '[') return this.#class(pattern, at)
    STEP.lastIndex = at
    const match = /** @type {RegExpExecArray} */ (STEP.exec(pattern)), { 0: step, groups } = match
    const { escape, group, often } = /** @type {Record<string, string | undefined>} */ (groups)
    const code = escape ? codeOf(escape) : ''
    if (escape) this.#pieces.push(code ? this.#letter(literal(code), code) : outside(escape))
    else if (group) this.#begin(group)
    else if (often) this.#repeat(often)
    else if (step === ')') this.#close()
    else this.#pieces.push(step === '|' ? step : this.#letter(SIGNS[step] ?? step, step))
    return at + step.length
  }

  /** @param {string} text of a character @param {string} character */
  #letter(text, character) {
    const others = this.#ignoring ? otherCases(character) : ''
    return others ? `[${character}${others}]` : text
  }

  /** @param {string} group */
  #begin(group) {
    if (group === '(?i)') {
      this.#ignoring = true
      return
    }
    this.#open.push({ at: this.#pieces.length, was: this.#ignoring })
    if (group === '(?i:') this.#ignoring = true
    this.#pieces.push(group === '(?i:' ? '(?:' : group)
  }

  #close() {
    const { at, was } = this.#open.pop() ?? { at: this.#pieces.length, was: this.#ignoring }
    this.#ignoring = was
    this.#pieces.splice(at, Infinity, `${this.#pieces.slice(at).join('')})`)
  }

  /**
   * How often the last piece comes. A + after another sign gives nothing back, as a lookahead that is taken as it is;
   * after a number in braces it is one more repetition.
   * @param {string} often
   */
  #repeat(often) {
    const [, count, more] = /** @type {RegExpExecArray} */ (/^([?*+]|\{[\d,]*\})([?+]?)$/.exec(often))
    const what = this.#pieces.pop() ?? '', isBraced = count.length > 1, times = count.replace('{,', '{0,')
    if (more === '+' && isBraced) this.#pieces.push(`(?:${what}${times})+`)
    else if (more === '+') {
      const name = `kept${this.#named++}`
      this.#pieces.push(`(?:(?=(?<${name}>${what}${times}))\\k<${name}>)`)
    } else if (more && isBraced && !count.includes(',')) this.#pieces.push(`(?:${what}${times})?`)
    else this.#pieces.push(`${what}${times}${more}`)
  }

  /** A class, letter by letter; one inside of it adds its own. @param {string} pattern @param {number} from */
  #class(pattern, from) {
    let at = from + 1, text = '[', others = '', last = '', depth = 1
    if (pattern[at] === '^') text += pattern[at++]
    // A bracket that closes is a character where a class begins.
    for (let first = at; at < pattern.length && depth; at++) {
      STEP.lastIndex = at
      const escape = /** @type {RegExpExecArray} */ (STEP.exec(pattern)).groups?.escape
      const character = escape ? codeOf(escape) : String.fromCodePoint(/** @type {number} */ (pattern.codePointAt(at)))
      const bracket = pattern[at] === '[' || (pattern[at] === ']' && at > first) ? pattern[at] : ''
      const strange = /^(?:\[[\^:]|&&|\\[WHR])/.exec(pattern.slice(at, at + 2))
      if (strange) throw new Error(`${strange[0]} in a class`)
      const isRange = last.endsWith('-') && last.length > 1 && character && !bracket
      if (bracket === '[') first = at + 1
      if (bracket) depth += bracket === '[' ? 1 : -1
      else text += escape && !character ? inside(escape) : character === '-' && !escape ? '-' : literal(character)
      if (this.#ignoring && !bracket) others += isRange ? casesBetween([...last][0], character) : otherCases(character)
      last = isRange || bracket ? '' : last && character === '-' && !escape ? `${last}-` : character
      at += escape ? escape.length : Math.max(1, character.length) - 1
    }
    if (depth) throw new Error('a class without an end')
    this.#pieces.push(`${text}${others}]`)
    return at
  }

  toString() {
    return this.#pieces.join('')
  }
}

/** The other cases of all between two characters. @param {string} from @param {string} to */
function casesBetween(from, to) {
  const [a, b] = [from, to].map(one => /** @type {number} */ (one.codePointAt(0)))
  if (b - a >= 1024) throw new Error(`a range of ${b - a} characters whose case is ignored`)
  return Array.from({ length: b - a + 1 }, (_, i) => otherCases(String.fromCodePoint(a + i))).join('')
}

/** The character of an escape that gives its number, or nothing. @param {string} escape */
const codeOf = escape => (/^x\{|^x..$|^u....$/.test(escape)
  ? String.fromCodePoint(parseInt(escape.replace(/[xu{}]/g, ''), 16)) : '')

/** @param {string} escape what follows the backslash */
const outside = escape => (escape in OUTSIDE ? OUTSIDE[escape] : escape in CLASSES ? `[${CLASSES[escape]}]` : plain(escape, '-'))
/** The same in a class. @param {string} escape */
const inside = escape => (escape in CLASSES ? CLASSES[escape] : plain(escape, ''))

/**
 * An escape for one character. With the flag u JavaScript allows a backslash only before what has a meaning of its own.
 * @param {string} escape @param {string} bare marks that stand for themselves
 */
function plain(escape, bare) {
  const isPlain = MARK().test(escape) && (bare.includes(escape) || !/[\^$\\.*+?()[\]{}|/-]/.test(escape))
  return isPlain ? escape : `\\${escape}`
}

/**
 * A regular expression of a tokenizer.json in JavaScript's words.
 * @param {string} where @param {string} pattern
 * @returns {RegExp} global
 * @throws {GlassformerError} 'format' when it uses what JavaScript does not have, or may never end and cannot be
 *   searched in another way
 */
export function patternOf(where, pattern) {
  expect(typeof pattern === 'string', 'format', () => `${where}: a pattern must be text, got ${describe(pattern)}`)
  /** @type {RegExp} */ let own, /** @type {import('./pattern_tree.js').Node} */ tree
  try {
    own = new RegExp(String(new Translation(pattern)), 'gu')
    tree = treeOf(own.source)
  } catch (error) {
    throw new GlassformerError('format',
      `${where}: the pattern ${describe(pattern)} has no counterpart in JavaScript: ${/** @type {Error} */ (
        error).message}`)
  }
  try {
    return isSafe(tree) ? own : new LinearPattern(own.source, 'gu', tree)
  } catch (error) {
    throw new GlassformerError('format', `${where}: the search for the pattern ${JSON.stringify(pattern.slice(0, 200))} ` +
      `may never end: ${/** @type {Error} */ (error).message}`)
  }
}

/** Letters of words for Rust's regular expressions, for a class. */
export const RUST_WORD = String.raw`${LETTERS}\p{Join_Control}`

/** Texts as a pattern that finds one of them, of two that begin alike the longer. @param {readonly string[]} texts */
export const anyOf = texts => [...texts].sort((a, b) => b.length - a.length).map(literal).join('|')

/** A text as a pattern that matches just it. @param {string} text */
export const literal = text => text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')

/**
 * Whether a place is between the halves of a character, where V8 finds what is empty.
 * @param {string} string @param {number} at
 */
export const isBetweenHalves = (string, at) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(string.slice(at - 1, at + 1))

/**
 * `{ String: ... }` or `{ Regex: ... }` of a tokenizer.json.
 * @param {string} where @param {any} pattern
 */
export function patternFrom(where, pattern) {
  if (typeof pattern?.Regex === 'string') return patternOf(where, pattern.Regex)
  const text = typeof pattern === 'string' ? pattern : pattern?.String
  expect(typeof text === 'string', 'format',
    () => `${where}: a pattern must be { String } or { Regex }, got ${JSON.stringify(pattern)}`)
  return new RegExp(literal(text), 'gu')
}
