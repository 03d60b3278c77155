import { describe } from '../errors.js'
import { lazyRegExp } from './lazy_regexp.js'
import { LinearPattern } from './pattern_search.js'
import { isSafe, parsePattern } from './pattern_tree.js'
import { expectFormat, formatError } from './json_fields.js'

/**
 * Translates the regular expressions of a tokenizer.json, which are Oniguruma's in Ruby syntax, to JavaScript. Syntax
 * with another meaning in JavaScript is rewritten, syntax without a counterpart is rejected.
 */

/** Oniguruma's \w: in a class by Unicode; outside of a class also Latin-1's fractions and superscript digits. */
const WORD_CHARACTERS = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}`, WORD = String.raw`${WORD_CHARACTERS}\xb2\xb3\xb9\xbc-\xbe`
/**
 * Escapes in a class. They are Unicode-aware; JavaScript's \s includes U+FEFF but not U+0085, and its \w and \d are
 * ASCII only.
 * @type {Record<string, string>}
 */
const CLASSES = {
  s: '\\p{space}', S: '\\P{space}', d: '\\p{Nd}', D: '\\P{Nd}', w: WORD_CHARACTERS, h: '0-9A-Fa-f'
}
/** Escapes outside of a class that differ. @type {Record<string, string>} */
const ESCAPES = {
  w: `[${WORD}]`, W: `[^${WORD}]`, H: `[^${CLASSES.h}]`, A: '^', z: '$', Z: '(?=\\n?$)',
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`
}
/**
 * Characters with another meaning: lines end only with a line feed, and single braces and brackets are literal.
 * @type {Record<string, string>}
 */
const LINE_SYNTAX = { '^': '(?<=^|\\n)', '$': '(?=\\n|$)', '.': '[^\\n]', '{': '\\{', '}': '\\}', ']': '\\]' }
const PUNCTUATION = lazyRegExp(String.raw`^[^\p{L}\p{N}]$`, 'u')
/** Characters that fold to the same character beside its upper and lower case. @type {Record<string, string>} */
const EXTRA_CASES = { s: 'ſ', k: '\u212a', å: '\u212b', ω: '\u2126', σ: 'ς', μ: 'µ' }

/** A token of a pattern: an escape, the start of a group, a quantifier or a character. */
const TOKEN = /\\(?<escape>[pP]\{[^}]*\}|[pP].|x\{[0-9a-fA-F]+\}|x..|u....|.)|(?<group>\((?:\?(?:i:|i\)|[:=!]|<[=!]|<\w+>))?)|(?<quantifier>(?:[?*+]|\{\d*,?\d*\})[?+]?)|[^]/guy

/** The other cases of a character. @param {string} character */
function otherCases(character) {
  const upper = character.toUpperCase(), lower = upper.toLowerCase()
  return [...new Set([character.toLowerCase(), upper, lower, ...EXTRA_CASES[lower] ?? ''])]
    .filter(other => other !== character && [...other].length === 1).join('')
}

/** Translates a pattern part by part, so that the operand of each quantifier is known. */
class Translation {
  /** A group becomes one part when it is closed. @type {string[]} */ #parts = []
  /**
   * The first part of each open group, and whether case was ignored before it.
   * @type {{ at: number, ignoredCase: boolean }[]}
   */
  #openGroups = []
  #ignoresCase = false
  #atomicCount = 0

  /** @param {string} pattern */
  constructor(pattern) {
    for (let at = 0; at < pattern.length;) at = this.#translateToken(pattern, at)
  }

  /** @param {string} pattern @param {number} at @returns {number} the position of the next token */
  #translateToken(pattern, at) {
    if (pattern[at] === '[') return this.#translateClass(pattern, at)
    TOKEN.lastIndex = at
    const match = /** @type {RegExpExecArray} */ (TOKEN.exec(pattern)), { 0: token, groups } = match
    const { escape, group, quantifier } = /** @type {Record<string, string | undefined>} */ (groups)
    const character = escape ? codeOf(escape) : ''
    if (character) this.#parts.push(this.#translateCharacter(escapeRegExp(character), character))
    else if (escape) this.#parts.push(escapeOutside(escape))
    else if (group) this.#openGroup(group)
    else if (quantifier) this.#quantify(quantifier)
    else if (token === ')') this.#closeGroup()
    else this.#parts.push(token === '|' ? token : this.#translateCharacter(LINE_SYNTAX[token] ?? token, token))
    return at + token.length
  }

  /** @param {string} text of a character @param {string} character */
  #translateCharacter(text, character) {
    const others = this.#ignoresCase ? otherCases(character) : ''
    return others ? `[${character}${others}]` : text
  }

  /** @param {string} group */
  #openGroup(group) {
    if (group === '(?i)') {
      this.#ignoresCase = true
      return
    }
    this.#openGroups.push({ at: this.#parts.length, ignoredCase: this.#ignoresCase })
    if (group === '(?i:') this.#ignoresCase = true
    this.#parts.push(group === '(?i:' ? '(?:' : group)
  }

  #closeGroup() {
    const { at, ignoredCase } = this.#openGroups.pop() ?? { at: this.#parts.length, ignoredCase: this.#ignoresCase }
    this.#ignoresCase = ignoredCase
    this.#parts.splice(at, Infinity, `${this.#parts.slice(at).join('')})`)
  }

  /**
   * Applies a quantifier to the last part. A + after *, + or ? is possessive: it becomes a lookahead with a
   * backreference, which does not backtrack. After braces it is a second quantifier.
   * @param {string} quantifier
   */
  #quantify(quantifier) {
    const [, symbol, suffix] = /** @type {RegExpExecArray} */ (/^([?*+]|\{[\d,]*\})([?+]?)$/.exec(quantifier))
    const repeated = this.#parts.pop() ?? '', isBraced = symbol.length > 1, range = symbol.replace('{,', '{0,')
    if (suffix === '+' && isBraced) this.#parts.push(`(?:${repeated}${range})+`)
    else if (suffix === '+') {
      const name = `atomic${this.#atomicCount++}`
      this.#parts.push(`(?:(?=(?<${name}>${repeated}${range}))\\k<${name}>)`)
    } else if (suffix && isBraced && !symbol.includes(',')) this.#parts.push(`(?:${repeated}${range})?`)
    else this.#parts.push(`${repeated}${range}${suffix}`)
  }

  /** Translates a class; a nested class adds its characters. @param {string} pattern @param {number} from */
  #translateClass(pattern, from) {
    let at = from + 1, text = '[', others = '', last = '', depth = 1
    if (pattern[at] === '^') text += pattern[at++]
    // A closing bracket at the start of a class is a literal character.
    for (let first = at; at < pattern.length && depth; at++) {
      TOKEN.lastIndex = at
      const escape = /** @type {RegExpExecArray} */ (TOKEN.exec(pattern)).groups?.escape
      const character = escape ? codeOf(escape) : String.fromCodePoint(/** @type {number} */ (pattern.codePointAt(at)))
      const bracket = pattern[at] === '[' || (pattern[at] === ']' && at > first) ? pattern[at] : ''
      const unsupported = /^(?:\[[\^:]|&&|\\[WHR])/.exec(pattern.slice(at, at + 2))
      if (unsupported) throw new Error(`${unsupported[0]} in a class`)
      const isRange = last.endsWith('-') && last.length > 1 && character && !bracket
      if (bracket === '[') first = at + 1
      if (bracket) depth += bracket === '[' ? 1 : -1
      else text += escape && !character ? escapeInside(escape) : character === '-' && !escape ? '-' : escapeRegExp(character)
      if (this.#ignoresCase && !bracket) {
        others += isRange ? casesBetween([...last][0], character) : otherCases(character)
      }
      last = isRange || bracket ? '' : last && character === '-' && !escape ? `${last}-` : character
      at += escape ? escape.length : Math.max(1, character.length) - 1
    }
    if (depth) throw new Error('an unterminated class')
    this.#parts.push(`${text}${others}]`)
    return at
  }

  toString() {
    return this.#parts.join('')
  }
}

/** The other cases of a range of characters. @param {string} from @param {string} to */
function casesBetween(from, to) {
  const [a, b] = [from, to].map(end => /** @type {number} */ (end.codePointAt(0)))
  if (b - a >= 1024) throw new Error(`a case-insensitive range of ${b - a} characters`)
  return Array.from({ length: b - a + 1 }, (_, i) => otherCases(String.fromCodePoint(a + i))).join('')
}

/** The character of a numeric escape, else ''. @param {string} escape */
const codeOf = escape => (/^x\{|^x..$|^u....$/.test(escape)
  ? String.fromCodePoint(parseInt(escape.replace(/[xu{}]/g, ''), 16)) : '')

/** Translates an escape outside of a class. @param {string} escape without the backslash */
const escapeOutside = escape => (escape in ESCAPES ? ESCAPES[escape]
  : escape in CLASSES ? `[${CLASSES[escape]}]` : escapeCharacter(escape, '-'))
/** Translates an escape in a class. @param {string} escape */
const escapeInside = escape => (escape in CLASSES ? CLASSES[escape] : escapeCharacter(escape, ''))

/**
 * Escapes one character. With the flag u, JavaScript allows a backslash only before syntax characters.
 * @param {string} escape @param {string} unescaped characters that need no backslash
 */
function escapeCharacter(escape, unescaped) {
  const isPlain = PUNCTUATION().test(escape) && (unescaped.includes(escape) || !/[\^$\\.*+?()[\]{}|/-]/.test(escape))
  return isPlain ? escape : `\\${escape}`
}

/**
 * Translates a regular expression of a tokenizer.json to JavaScript.
 * @param {string} where @param {string} pattern
 * @returns {RegExp} global
 * @throws {GlassformerError} 'format' if it has no counterpart in JavaScript, or may backtrack without end and is not
 *   supported by LinearPattern
 */
export function translatePattern(where, pattern) {
  expectFormat(typeof pattern === 'string', () => `${where}: a pattern must be a string, got ${describe(pattern)}`)
  /** @type {RegExp} */ let translated, /** @type {import('./pattern_tree.js').Node} */ tree
  try {
    translated = new RegExp(String(new Translation(pattern)), 'gu')
    tree = parsePattern(translated.source)
  } catch (error) {
    throw formatError(`${where}: the pattern ${describe(pattern)} has no counterpart in JavaScript: ${/** @type {Error} */ (
      error).message}`)
  }
  try {
    return isSafe(tree) ? translated : new LinearPattern(translated.source, 'gu', tree)
  } catch (error) {
    throw formatError(`${where}: the pattern ${JSON.stringify(pattern.slice(0, 200))} ` +
      `may backtrack without end: ${/** @type {Error} */ (error).message}`)
  }
}

/** The \w of Rust's regular expressions, for a class. */
export const RUST_WORD = String.raw`${WORD_CHARACTERS}\p{Join_Control}`

/** A pattern that matches any of the texts, the longest first. @param {readonly string[]} texts */
export const alternatives = texts => [...texts].sort((a, b) => b.length - a.length).map(escapeRegExp).join('|')

/** Escapes a text for a pattern. @param {string} text */
export const escapeRegExp = text => text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')

/**
 * Whether a position is inside a surrogate pair, where V8 finds empty matches.
 * @param {string} string @param {number} at
 */
export const isInsideSurrogatePair = (string, at) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(string.slice(at - 1, at + 1))

/**
 * Reads `{ String: ... }` or `{ Regex: ... }` of a tokenizer.json.
 * @param {string} where @param {any} pattern
 */
export function readPattern(where, pattern) {
  if (typeof pattern?.Regex === 'string') return translatePattern(where, pattern.Regex)
  const text = typeof pattern === 'string' ? pattern : pattern?.String
  expectFormat(typeof text === 'string', () => `${where}: a pattern must be { String } or { Regex }, got ${JSON.stringify(pattern)}`)
  return new RegExp(escapeRegExp(text), 'gu')
}
