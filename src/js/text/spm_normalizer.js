import { describe, expect } from '../errors.js'
import { flagIn, textIn, textsIn } from './fields.js'
import { literal } from './pattern.js'
import { Aligned } from './aligned.js'
import { Charsmap } from './charsmap.js'

const WHERE = 'tokenizer: normalizer'
/** The space as SentencePiece writes it. */
const MARK = '▁'

const encoder = new TextEncoder()
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @param {string} base64 @throws {GlassformerError} 'format' */
export function bytesOfBase64(base64) {
  const isBase64 = typeof base64 === 'string' && /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(base64)
  expect(isBase64 && base64.replace(/[\s=]/g, '').length % 4 !== 1, 'format',
    () => `tokenizer: normalizer: precompiled_charsmap must be base64, got ${describe(base64)}`)
  return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))
}

/** @param {Uint8Array} bytes */
export const base64OfBytes = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))

/** Bytes of the character that a well-formed text goes on with. @param {number} lead */
const bytesOfCharacter = lead => lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4

/**
 * A place in a text and the stretch after it that is rewritten as one.
 * @typedef {{ start: number, end: number, by: string }} Part
 */

/**
 * A text in the parts that a charsmap rewrites, each with the UTF-16 units it takes.
 * @param {Charsmap | undefined} charsmap
 * @param {RegExp | undefined} kept what is left as it is, sticky
 * @param {string} string
 * @param {import('./normalizers.js').Raw | undefined} raw the bytes, where they are not well-formed
 * @returns {Generator<Part>}
 */
function* partsOf(charsmap, kept, string, raw) {
  const bytes = raw?.bytes ?? encoder.encode(string)
  const units = raw?.units
  for (let at = 0, start = 0; at < bytes.length;) {
    const own = ownSymbol(kept, string, start)
    const entry = own ? undefined : charsmap?.find(bytes, at)
    const length = own ? encoder.encode(own).length : entry?.length ?? characterAt(bytes, at, units !== undefined)
    const isBroken = length === 0
    at += length || 1
    const end = units ? unitAfter(units, at, start) : start + unitsOf(bytes, at - length, at)
    yield { start, end, by: own ?? entry?.by ?? (isBroken ? '\ufffd' : string.slice(start, end)) }
    start = units ? (units[at] ?? string.length) : end
  }
}

/** @param {RegExp | undefined} kept @param {string} string @param {number} start */
function ownSymbol(kept, string, start) {
  if (!kept) return undefined
  kept.lastIndex = start
  return kept.exec(string)?.[0]
}

/** @param {Int32Array} units @param {number} at @param {number} start */
const unitAfter = (units, at, start) => Math.max(start + 1, units[at])

/** UTF-16 units of well-formed bytes [from, to). @param {Uint8Array} bytes @param {number} from @param {number} to */
function unitsOf(bytes, from, to) {
  let units = 0
  for (let i = from; i < to; i++) units += (bytes[i] & 0xc0) === 0x80 ? 0 : bytes[i] >= 0xf0 ? 2 : 1
  return units
}

/**
 * Bytes of the character at a place, 0 where there is none. @param {Uint8Array} bytes @param {number} at
 * @param {boolean} doubtful
 */
function characterAt(bytes, at, doubtful) {
  const length = bytesOfCharacter(bytes[at])
  if (!doubtful) return length
  try {
    strict.decode(bytes.subarray(at, at + length))
    return length
  } catch {
    return 0
  }
}

/**
 * The normaliser of a SentencePiece .model, step by step as SentencePiece takes them: the charsmap, ▁ for spaces, one
 * before the text, those too many dropped.
 * @param {{ charsmap: string, add_dummy_prefix: boolean, remove_extra_whitespaces: boolean,
 *   escape_whitespaces: boolean, treat_whitespace_as_suffix: boolean, user_defined: string[] }} json
 * @returns {import('./normalizers.js').Normalize}
 */
export function spmNormalizer(json) {
  const map = textIn(WHERE, json, 'charsmap', ''), charsmap = map ? new Charsmap(bytesOfBase64(map)) : undefined
  const symbols = textsIn(WHERE, json, 'user_defined').sort((a, b) => b.length - a.length)
  const kept = symbols.length ? new RegExp(symbols.map(literal).join('|'), 'uy') : undefined
  const [dummy, tidy, escapes] = ['add_dummy_prefix', 'remove_extra_whitespaces', 'escape_whitespaces'].map(
    name => flagIn(WHERE, json, name, true))
  const suffix = flagIn(WHERE, json, 'treat_whitespace_as_suffix', false), space = escapes ? MARK : ' '

  return (text, raw) => {
    const out = new Rewriter()
    let afterSpace = tidy, begun = false
    for (const { start, end, by } of partsOf(charsmap, kept, text.string, raw)) {
      if (!begun && tidy && by === ' ') continue
      if (!begun && dummy && !suffix) out.add(space, start, start)
      begun = true
      const written = afterSpace ? by.replace(/^ +/, '') : by
      if (written) {
        out.add(escapes ? written.replaceAll(' ', MARK) : written, start, end)
        afterSpace = tidy && written.endsWith(' ')
      }
    }
    if (tidy) out.dropEnd(space)
    if (begun && dummy && suffix) out.add(space, text.string.length, text.string.length)
    return out.aligned(text)
  }
}

/**
 * A charsmap by itself: Precompiled of a tokenizer.json.
 * @param {string} base64 @returns {import('./normalizers.js').Normalize}
 */
export function precompiled(base64) {
  const charsmap = base64 ? new Charsmap(bytesOfBase64(base64)) : undefined
  return text => {
    const changes = [...partsOf(charsmap, undefined, text.string, undefined)]
    return text.replace(changes.filter(({ start, end, by }) => by !== text.string.slice(start, end)))
  }
}

/** A text that is written part by part, with where each comes from. */
class Rewriter {
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

  /** @param {Aligned} text what was rewritten */
  aligned(text) {
    const from = Int32Array.from(this.#from, at => text.origin(at, at + 1)[0])
    const to = Int32Array.from(this.#to, (at, i) => at > this.#from[i] ? text.origin(at - 1, at)[1] : from[i])
    return new Aligned(this.#string, from, to)
  }
}
