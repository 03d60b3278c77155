import { expectPart, readBoolean, readString, readStrings } from './json_fields.js'
import { alternatives } from './pattern.js'
import { NormalizedString } from './normalized_string.js'
import { Charsmap } from './charsmap.js'
import { characterLength, decodeValidUtf8, encodeUtf8 } from './utf8.js'

const WHERE = 'tokenizer: normalizer'
/** SentencePiece's symbol for a space. */
const SPACE_SYMBOL = '▁'

/** @param {string} base64 @throws {GlassformerError} 'format' */
export function decodeBase64(base64) {
  const isBase64 = typeof base64 === 'string' && /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(base64)
  expectPart(isBase64 && base64.replace(/[\s=]/g, '').length % 4 !== 1, () => 'normalizer: precompiled_charsmap must be base64', base64)
  return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
}

/** @param {Iterable<number>} bytes */
export const encodeBase64 = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))

/**
 * A range of a text in UTF-16 units, and the normalized text for it.
 * @typedef {{ start: number, end: number, content: string }} Part
 */

/**
 * Applies a charsmap to a text, part by part.
 * @param {Charsmap | undefined} charsmap
 * @param {RegExp | undefined} userDefined matches symbols that are left unchanged; sticky
 * @param {string} string
 * @param {import('./normalizers.js').Raw | undefined} raw the bytes, if they are invalid UTF-8
 * @returns {Generator<Part>}
 */
function* rewriteParts(charsmap, userDefined, string, raw) {
  const bytes = raw?.bytes ?? encodeUtf8(string)
  const units = raw?.units
  for (let at = 0, start = 0; at < bytes.length;) {
    const symbol = findUserDefined(userDefined, string, start)
    const entry = symbol ? undefined : charsmap?.find(bytes, at)
    const length = symbol ? encodeUtf8(symbol).length
      : entry?.length ?? validCharacterLength(bytes, at, units !== undefined)
    const isInvalid = length === 0
    at += length || 1
    const end = units ? unitAfter(units, at, start) : start + countUnits(bytes, at - length, at)
    yield { start, end, content: symbol ?? entry?.content ?? (isInvalid ? '\ufffd' : string.slice(start, end)) }
    start = units ? (units[at] ?? string.length) : end
  }
}

/** @param {RegExp | undefined} userDefined @param {string} string @param {number} start */
function findUserDefined(userDefined, string, start) {
  if (!userDefined) return undefined
  userDefined.lastIndex = start
  return userDefined.exec(string)?.[0]
}

/** @param {Int32Array} units @param {number} at @param {number} start */
const unitAfter = (units, at, start) => Math.max(start + 1, units[at])

/**
 * Counts the UTF-16 units of valid bytes [from, to).
 * @param {Uint8Array} bytes @param {number} from @param {number} to
 */
function countUnits(bytes, from, to) {
  let units = 0
  for (let i = from; i < to; i++) units += (bytes[i] & 0xc0) === 0x80 ? 0 : bytes[i] >= 0xf0 ? 2 : 1
  return units
}

/**
 * The length in bytes of the character at a position, or 0 if it is invalid.
 * @param {Uint8Array} bytes @param {number} at @param {boolean} mayBeInvalid
 */
function validCharacterLength(bytes, at, mayBeInvalid) {
  const length = characterLength(bytes[at])
  return mayBeInvalid && decodeValidUtf8(bytes.subarray(at, at + length)) === undefined ? 0 : length
}

/**
 * Creates the normalizer of a SentencePiece .model: it applies the charsmap, replaces spaces by ▁, prepends one and
 * removes extra ones, in SentencePiece's order.
 * @param {{ charsmap: string, add_dummy_prefix: boolean, remove_extra_whitespaces: boolean,
 *   escape_whitespaces: boolean, treat_whitespace_as_suffix: boolean, user_defined: string[] }} json
 * @returns {import('./normalizers.js').Normalize}
 */
export function spmNormalizer(json) {
  const base64 = readString(WHERE, json, 'charsmap', '')
  const charsmap = base64 ? new Charsmap(decodeBase64(base64)) : undefined
  const symbols = readStrings(WHERE, json, 'user_defined')
  const userDefined = symbols.length ? new RegExp(alternatives(symbols), 'uy') : undefined
  const [addDummyPrefix, removeExtraSpaces, escapes] = ['add_dummy_prefix', 'remove_extra_whitespaces', 'escape_whitespaces'].map(
    name => readBoolean(WHERE, json, name, true))
  const suffix = readBoolean(WHERE, json, 'treat_whitespace_as_suffix', false), space = escapes ? SPACE_SYMBOL : ' '

  return (text, raw) => {
    const writer = new NormalizedWriter()
    let afterSpace = removeExtraSpaces, hasBegun = false
    for (const { start, end, content } of rewriteParts(charsmap, userDefined, text.string, raw)) {
      if (!hasBegun && removeExtraSpaces && content === ' ') continue
      if (!hasBegun && addDummyPrefix && !suffix) writer.add(space, start, start)
      hasBegun = true
      const rewritten = afterSpace ? content.replace(/^ +/, '') : content
      if (rewritten) {
        writer.add(escapes ? rewritten.replaceAll(' ', SPACE_SYMBOL) : rewritten, start, end)
        afterSpace = removeExtraSpaces && rewritten.endsWith(' ')
      }
    }
    if (removeExtraSpaces) writer.dropEnd(space)
    if (hasBegun && addDummyPrefix && suffix) writer.add(space, text.string.length, text.string.length)
    return writer.toNormalizedString(text)
  }
}

/**
 * Creates the normalizer Precompiled of a tokenizer.json: a charsmap.
 * @param {string} base64 @returns {import('./normalizers.js').Normalize}
 */
export function precompiled(base64) {
  const charsmap = base64 ? new Charsmap(decodeBase64(base64)) : undefined
  return text => {
    const replacements = [...rewriteParts(charsmap, undefined, text.string, undefined)]
    return text.replace(replacements.filter(({ start, end, content }) => content !== text.string.slice(start, end)))
  }
}

/** Builds a normalized text part by part. */
class NormalizedWriter {
  #string = ''
  /** @type {number[]} */ #from = []
  /** @type {number[]} */ #to = []

  /** @param {string} text @param {number} start @param {number} end */
  add(text, start, end) {
    this.#string += text
    for (let i = 0; i < text.length; i++) {
      this.#from.push(start)
      this.#to.push(end)
    }
  }

  /** @param {string} space one UTF-16 unit */
  dropEnd(space) {
    let length = this.#string.length
    while (length > 0 && this.#string[length - 1] === space) length--
    this.#string = this.#string.slice(0, length)
    this.#from.length = this.#to.length = length
  }

  /** @param {NormalizedString} text the original */
  toNormalizedString(text) {
    const from = Int32Array.from(this.#from, at => text.originalOffsets(at, at + 1)[0])
    const to = Int32Array.from(this.#to, (at, i) => at > this.#from[i] ? text.originalOffsets(at - 1, at)[1] : from[i])
    return new NormalizedString(this.#string, from, to)
  }
}
