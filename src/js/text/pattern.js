import { GlassformerError, describe, expect } from '../errors.js'
import { onDemand } from './on_demand.js'

/**
 * What the escapes of tokenizer.json's regular expressions (Oniguruma's) stand for. They know Unicode; JavaScript's \s
 * has U+FEFF and not U+0085, and its \w and \d know ASCII alone.
 * @type {Record<string, string>}
 */
const CLASSES = {
  s: '\\p{White_Space}', S: '\\P{White_Space}', d: '\\p{Nd}', D: '\\P{Nd}',
  w: '\\p{L}\\p{M}\\p{N}\\p{Pc}', h: '0-9A-Fa-f'
}
const MARK = onDemand(String.raw`^[^\p{L}\p{N}]$`, 'u')
const NEGATED = { W: 'w', H: 'h' }
const ANCHORS = { A: '(?<![^])', z: '(?![^])', Z: '(?=\\n?(?![^]))' }
/** Letters that others become in lower case: the long s and the Kelvin sign. @type {Record<string, string>} */
const ALSO = { s: 'ſ', k: '\u212a' }

/** @param {string} letter */
const bothCases = letter => letter.toUpperCase() === letter.toLowerCase() ? letter
  : `[${letter.toLowerCase()}${letter.toUpperCase()}${ALSO[letter.toLowerCase()] ?? ''}]`

/**
 * One step through a pattern: an escape, a group that ignores case, a character.
 */
const STEP = /\\([pP]\{[^}]*\}|[pP].|x\{[0-9a-fA-F]+\}|x..|u....|.)|\(\?i:|\(\?i\)|[^]/gu

/**
 * A regular expression of a tokenizer.json in JavaScript's words.
 * @param {string} where @param {string} pattern
 * @returns {RegExp} global
 * @throws {GlassformerError} 'format' when it uses what JavaScript does not have
 */
export function patternOf(where, pattern) {
  expect(typeof pattern === 'string', 'format', () => `${where}: a pattern must be text, got ${describe(pattern)}`)
  let out = '', inside = 0, depth = 0, ignoring = Infinity
  for (const [step, escape] of pattern.matchAll(STEP)) {
    if (step === '(?i:') {
      ignoring = Math.min(ignoring, depth++)
      out += '(?:'
    } else if (step === '(?i)') ignoring = Math.min(ignoring, depth)
    else if (escape) out += translated(escape, inside > 0)
    else {
      if (step === '[') inside++
      if (step === ']') inside--
      if (step === '(' && !inside) depth++
      if (step === ')' && !inside && --depth <= ignoring) ignoring = Infinity
      out += ignoring < Infinity && !inside ? bothCases(step) : step
    }
  }
  try {
    return new RegExp(withoutPossessives(out), 'gu')
  } catch (error) {
    throw new GlassformerError('format',
      `${where}: the pattern ${describe(pattern)} has no counterpart in JavaScript: ${/** @type {Error} */ (
        error).message}`)
  }
}

/** @param {string} escape what follows the backslash @param {boolean} inside a class */
function translated(escape, inside) {
  if (escape in CLASSES) return inside || CLASSES[escape].length < 18 && 'sSdD'.includes(escape) ? CLASSES[escape] :
    `[${CLASSES[escape]}]`
  if (escape in NEGATED && !inside) return `[^${CLASSES[NEGATED[/** @type {'W' | 'H'} */ (escape)]]}]`
  if (escape in ANCHORS && !inside) return ANCHORS[/** @type {'A' | 'z' | 'Z'} */ (escape)]
  if (escape.startsWith('x{')) return `\\u${escape.slice(1)}`
  // With the flag u JavaScript allows a backslash only before what has a meaning of its own.
  if (MARK().test(escape)) return /[\^$\\.*+?()[\]{}|/-]/.test(escape) ? escaped(escape, inside) : escape
  return `\\${escape}`
}

/** @param {string} mark @param {boolean} inside */
const escaped = (mark, inside) => mark === '-' && !inside ? mark : `\\${mark}`

/**
 * A possessive quantifier gives nothing back; as a lookahead that is taken as it is.
 * Those of tokenizers (`\p{N}{1,3}+`, `?+`, `++`) stand where nothing would be given back anyway, so dropping the +
 * does.
 * @param {string} pattern
 */
const withoutPossessives = pattern => pattern.replace(/(?<!\\)([?*+]|\{\d+(?:,\d*)?\})\+/g, '$1')

/** A text as a pattern that matches just it. @param {string} text */
export const literal = text => text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')

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
