import { describe } from '../errors.js'
import { lazyRegExp, once } from './lazy_regexp.js'
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
 * POSIX classes as Oniguruma defines them for Unicode; as a property, punct has no symbols.
 * @type {Record<string, string>}
 */
const POSIX = {
  alnum: '\\p{Alpha}\\p{Nd}', alpha: '\\p{Alpha}', ascii: '\\0-\\x7f', blank: '\\p{Zs}\\t', cntrl: '\\p{Cc}', digit: '\\p{Nd}',
  graph: '[^\\p{space}\\p{Cc}\\p{Cn}\\p{Cs}]', lower: '\\p{Lower}', print: '[^\\p{Zl}\\p{Zp}\\p{Cc}\\p{Cn}\\p{Cs}]',
  punct: '\\p{P}\\p{S}', space: '\\p{space}', upper: '\\p{Upper}', word: WORD_CHARACTERS, xdigit: '0-9A-Fa-f'
}
/**
 * Escapes in a class. They are Unicode-aware; JavaScript's \s includes U+FEFF but not U+0085, and its \w and \d are
 * ASCII only.
 * @type {Record<string, string>}
 */
const CLASSES = { s: '\\p{space}', S: '\\P{space}', d: '\\p{Nd}', D: '\\P{Nd}', w: WORD_CHARACTERS, h: POSIX.xdigit,
  W: `[^${WORD_CHARACTERS}]`, H: `[^${POSIX.xdigit}]` }
/** Characters of escapes. @type {Record<string, string>} */
const CONTROLS = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', a: '\x07', e: '\x1b' }
/** Escapes outside of a class that differ. @type {Record<string, string>} */
const ESCAPES = {
  A: '^', z: '$', Z: '(?=\\n?$)',
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`
}
/**
 * Characters with another meaning: lines end only with a line feed, and single braces and brackets are literal.
 * @type {Record<string, string>}
 */
const LINE_SYNTAX = { '^': '(?<=^|\\n)', '$': '(?=\\n|$)', '.': '[^\\n]', '{': '\\{', '}': '\\}', ']': '\\]' }
const PUNCTUATION = lazyRegExp(String.raw`^[^\p{L}\p{N}]$`, 'u')
const POSIX_CLASS = /\[:(\^?)(\w+):\]/y, MAX_NESTING = 4

/** A token of a pattern: an escape, the start of a group, a quantifier or a character. */
const TOKEN = /\\(?<escape>[pP]\{[^}]*\}|[pP].|x\{[0-9a-fA-F]+\}|x..|u....|0[0-7]{0,2}|.)|(?<group>\((?:\?(?:i:|i\)|[:=!]|<[=!]|<\w+>))?)|(?<quantifier>(?:[?*+]|\{\d*,?\d*\})[?+]?)|[^]/guy

/** All characters that have another case. */
const casedCharacters = once(() => Array.from({ length: 0x1ea00 }, (_, code) => String.fromCodePoint(code))
  .filter(character => character.toUpperCase() !== character.toLowerCase()).join(''))

/** The characters that differ only in case from those of a class, and are not in it. @param {string} source */
function otherCases(source) {
  const flags = source.includes('[', 1) ? 'gv' : 'gu'
  const own = new Set(casedCharacters().match(new RegExp(source, flags)))
  return (casedCharacters().match(new RegExp(source, `${flags}i`)) ?? []).filter(character => !own.has(character)).join('')
}

/** @typedef {[kind: '' | 'set' | '[' | '&&', source: string, end: number]} Item of a class */
/** @type {Item} */
const SET = ['set', '', 0]

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
  /** The flag of JavaScript's syntax: classes in classes need v. */ flag = 'u'

  /** @param {string} pattern */
  constructor(pattern) {
    for (let at = 0; at < pattern.length;) at = this.#translateToken(pattern, at)
  }

  /** @param {string} pattern @param {number} at @returns {number} the position of the next token */
  #translateToken(pattern, at) {
    if (pattern[at] === '[') {
      const [source, end] = this.#readClass(pattern, at, 1)
      this.#parts.push(source)
      return end
    }
    TOKEN.lastIndex = at
    const match = /** @type {RegExpExecArray} */ (TOKEN.exec(pattern)), { 0: token, groups } = match
    const { escape, group, quantifier } = /** @type {Record<string, string | undefined>} */ (groups)
    const character = escape ? characterOf(escape) : ''
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
    const others = this.#ignoresCase ? otherCases(escapeRegExp(character)) : ''
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

  /**
   * Translates a class, which may have classes in it and be an intersection.
   * @param {string} pattern @param {number} from @param {number} depth @returns {[source: string, end: number]}
   */
  #readClass(pattern, from, depth) {
    const negation = pattern[from + 1] === '^' ? '^' : '', operands = ['']
    let at = from + 1 + negation.length, last = ''
    if (depth > MAX_NESTING) throw new Error(`classes are nested more than ${MAX_NESTING} deep`)
    // A closing bracket at the start of a class is a literal character.
    for (const first = at; pattern[at] !== ']' || at === first;) {
      const [kind, source, end] = this.#readItem(pattern, at, depth)
      if (kind === '&&') operands.push('')
      if (kind === '&&' || (kind && source.startsWith('['))) this.flag = 'v'
      const next = pattern[at] === '-' && last && pattern[end] !== ']' ? this.#readItem(pattern, end, depth) : SET
      const isRange = !next[0], text = kind ? source : `${isRange ? '-' : ''}${escapeInClass(isRange ? next[1] : source)}`
      const others = this.#ignoresCase && text && kind !== '[' ? otherCases(`[${isRange ? escapeInClass(last) : ''}${text}]`) : ''
      operands.push(others + operands.pop() + text)
      last = kind || isRange ? '' : source
      at = isRange ? next[2] : end
    }
    const body = operands.length > 1 ? operands.map(operand => `[${operand}]`).join('&&') : operands[0]
    return [`[${negation}${body}]`, at + 1]
  }

  /**
   * Reads an item of a class: a character ('' as its kind), a set, another class or an intersection.
   * @param {string} pattern @param {number} at @param {number} depth
   * @returns {Item}
   */
  #readItem(pattern, at, depth) {
    TOKEN.lastIndex = POSIX_CLASS.lastIndex = at
    const posix = POSIX_CLASS.exec(pattern), { 0: token, groups } = TOKEN.exec(pattern) ?? {}
    if (!token) throw new Error('an unterminated class')
    if (posix) {
      if (!POSIX[posix[2]]) throw new Error(`there is no class ${posix[0]}`)
      return ['set', negate(POSIX[posix[2]], posix[1] === '^'), POSIX_CLASS.lastIndex]
    }
    if (token === '[') return ['[', ...this.#readClass(pattern, at, depth + 1)]
    if (pattern.startsWith('&&', at)) return ['&&', '', at + 2]
    const escape = groups?.escape, character = escape ? characterOf(escape)
      : String.fromCodePoint(/** @type {number} */ (pattern.codePointAt(at)))
    return character ? ['', character, at + (escape ? token : character).length] : ['set', escapeInside(String(escape)), at + token.length]
  }

  toString() {
    return this.#parts.join('')
  }
}

/** The character that an escape stands for, else ''. @param {string} escape */
const characterOf = escape => (/^(x\{|x..$|u....$|0)/.test(escape)
  ? String.fromCodePoint(parseInt(escape.replace(/[xu{}]/g, ''), escape[0] === '0' ? 8 : 16))
  : CONTROLS[escape] ?? (PUNCTUATION().test(escape) ? escape : ''))

/** Translates an escape outside of a class that is no character. @param {string} escape without the backslash */
function escapeOutside(escape) {
  const source = escapeInside(escape).replace(WORD_CHARACTERS, WORD)
  return ESCAPES[escape] ?? (/^(\[.*|\\([pP]\{[^}]*\}|[^pP]))$/.test(source) ? source : `[${source}]`)
}
/** Translates an escape in a class that is no character. @param {string} escape */
const escapeInside = escape => (/^[pP]/.test(escape) ? propertyOf(escape) : CLASSES[escape] ?? `\\${escape}`)

/** Writes a character of a class so that it has no other meaning. @param {string} character */
const escapeInClass = character => (PUNCTUATION().test(character)
  ? `\\u{${character.codePointAt(0)?.toString(16)}}` : character)

/** @param {string} set of a class @param {boolean} isNegated */
const negate = (set, isNegated) => (!isNegated ? set : set.startsWith('[^') ? set.replace('^', '') : `[^${set}]`)

/**
 * Translates a property, such as p{Han}, a script, which is Script=Han in JavaScript.
 * @param {string} escape without the backslash
 */
function propertyOf(escape) {
  const [, kind, caret, name] = /** @type {RegExpExecArray} */ (/^(p|P)\{?(\^?)([^}]*)/.exec(escape)), key = name.toLowerCase()
  const title = key.replace(/(?<![^_])./g, letter => letter.toUpperCase())
  const known = [name, key, title, `Script=${title}`].find(isProperty), isNegated = (kind === 'P') !== (caret === '^')
  return known || !POSIX[key] ? `\\${isNegated ? 'P' : 'p'}{${known ?? name}}` : negate(POSIX[key], isNegated)
}

/** @param {string} name */
function isProperty(name) {
  try {
    return new RegExp(`\\p{${name}}`, 'u')
  } catch {
    return false
  }
}

/**
 * Translates a regular expression of a tokenizer.json to JavaScript.
 * @param {string} where @param {string} pattern @param {boolean} [isWhole] whether searching a whole text must take
 *   time linear in its length
 * @returns {RegExp} global
 * @throws {GlassformerError} 'format' if it has no counterpart in JavaScript, or may backtrack without end and is not
 *   supported by LinearPattern
 */
export function translatePattern(where, pattern, isWhole) {
  expectFormat(typeof pattern === 'string', () => `${where}: a pattern must be a string`, pattern)
  /** @type {RegExp} */ let translated, /** @type {import('./pattern_tree.js').Node} */ tree
  try {
    const translation = new Translation(pattern)
    translated = new RegExp(String(translation), `g${translation.flag}`)
    tree = parsePattern(translated.source)
  } catch (error) {
    throw formatError(`${where}: the pattern ${describe(pattern)} has no counterpart in JavaScript: ${/** @type {Error} */ (
      error).message}`)
  }
  try {
    return isSafe(tree, isWhole) ? translated : new LinearPattern(translated.source, translated.flags, tree)
  } catch (error) {
    if (isWhole) return translatePattern(where, pattern)
    throw formatError(`${where}: the pattern ${JSON.stringify(pattern.slice(0, 200))} ` +
      `may backtrack without end: ${/** @type {Error} */ (error).message}`)
  }
}

/** The \w of Rust's regular expressions, for a class. */
export const RUST_WORD = String.raw`${WORD_CHARACTERS}\p{Join_Control}`

/** Longer shared beginnings are not looked at, so that no list nests groups without end. */
const MAX_SHARED = 64

/**
 * A pattern of texts, of which the longest that matches wins. Those that begin alike share that part of the pattern,
 * since thousands of alternatives would be tried at every position of a text.
 * @param {readonly string[]} texts @param {number} [depth]
 * @returns {string}
 */
export function alternatives(texts, depth = 0) {
  if (texts.length === 1) return escapeRegExp(texts[0])
  if (depth > MAX_SHARED) return `(?:${[...texts].sort((a, b) => b.length - a.length).map(escapeRegExp).join('|')})`
  /** @type {Map<string, string[]>} */ const rests = new Map()
  for (const text of texts) {
    const [first = ''] = text, list = rests.get(first)
    if (list) list.push(text.slice(first.length))
    else rests.set(first, [text.slice(first.length)])
  }
  const isOptional = rests.delete('')
  const parts = Array.from(rests, ([first, list]) => escapeRegExp(first) + alternatives(list, depth + 1))
  return parts.length === 1 && !isOptional ? parts[0] : `(?:${parts.join('|')})${isOptional ? '?' : ''}`
}

/** Escapes a text for a pattern. @param {string} text */
export const escapeRegExp = text => text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')

/**
 * Whether a position is inside a surrogate pair, where V8 finds empty matches.
 * @param {string} string @param {number} at
 */
export const isInsideSurrogatePair = (string, at) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(string.slice(at - 1, at + 1))

/**
 * Reads `{ String: ... }` or `{ Regex: ... }` of a tokenizer.json.
 * @param {string} where @param {any} pattern @param {boolean} [isWhole] as for translatePattern
 */
export function readPattern(where, pattern, isWhole) {
  if (typeof pattern?.Regex === 'string') return translatePattern(where, pattern.Regex, isWhole)
  const text = typeof pattern === 'string' ? pattern : pattern?.String
  expectFormat(typeof text === 'string', () => `${where}: a pattern must be { String } or { Regex }, got ${JSON.stringify(pattern)}`)
  return new RegExp(escapeRegExp(text), 'gu')
}
