import { bytesOfLetters } from './byte_letters.js'
import { flagIn, kindIn, listIn, textIn, wholeIn } from './fields.js'
import { patternFrom } from './pattern.js'

/** Tokens on their way to a text; the parts are joined in the end. @typedef {(parts: string[]) => string[]} Decode */

const WHERE = 'tokenizer: decoder'
const BYTE = /^<0x([0-9A-Fa-f]{2})>$/

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** @param {readonly Uint8Array[]} parts */
export function textOfBytes(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return decoder.decode(bytes)
}

/** The byte that a token <0x..> stands for, or undefined. @param {string} token */
export function byteOfToken(token) {
  const match = BYTE.exec(token)
  return match ? parseInt(match[1], 16) : undefined
}

/** The text of bytes that are UTF-8, U+FFFD among them. @param {Uint8Array} bytes */
function wholeText(bytes) {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** Bytes in a row become text; what is not UTF-8 becomes U+FFFD, one for each byte. @type {Decode} */
const byteFallback = parts => {
  /** @type {string[]} */ const out = []
  /** @type {number[]} */ let bytes = []
  const flush = () => {
    if (!bytes.length) return
    out.push(wholeText(Uint8Array.from(bytes)) ?? '\ufffd'.repeat(bytes.length))
    bytes = []
  }
  for (const part of parts) {
    const byte = byteOfToken(part)
    if (byte !== undefined) bytes.push(byte)
    else {
      flush()
      out.push(part)
    }
  }
  flush()
  return out
}

/** @param {any} json @returns {Decode} */
function metaspace(json) {
  const mark = textIn(WHERE, json, 'replacement', '▁'), scheme = json.prepend_scheme ??
    (json.add_prefix_space === false ? 'never' : 'always')
  return parts => parts.map((part, i) => {
    const text = part.replaceAll(mark, ' ')
    return i === 0 && scheme !== 'never' ? text.replace(/^ /, '') : text
  })
}

/** Spaces that BERT's decoder takes out again. @param {string} text */
const tidied = text => text.replace(/ ([.?!,])/g, '$1').replaceAll(" ' ", "'").replace(/ (n't|'m|'s|'ve|'re)/g, '$1')
  .replaceAll(' do not', " don't")

/** @param {any} json @returns {Decode} */
function wordpiece(json) {
  const prefix = textIn(WHERE, json, 'prefix', '##'), cleanup = flagIn(WHERE, json, 'cleanup', true)
  return parts => parts.map((part, i) => {
    const text = i === 0 ? part : part.startsWith(prefix) ? part.slice(prefix.length) : ` ${part}`
    return cleanup ? tidied(text) : text
  })
}

/** SentencePiece's: its own way with the first space, and with bytes. @param {any} json @returns {Decode} */
function sentencePiece(json) {
  const [dummy, tidy] = ['add_dummy_prefix', 'remove_extra_whitespaces'].map(name => flagIn(WHERE, json, name, true))
  const [piece, surface] = ['piece', 'surface'].map(name => textIn(`${WHERE}: unknown`, json.unknown ?? {}, name))
  return parts => {
    let text = '', atStart = true, dropped = false
    /** @type {number[]} */ let bytes = []
    const flush = () => {
      text += replaceBroken(bytes)
      bytes = []
    }
    for (const part of parts) {
      const byte = byteOfToken(part)
      if (byte !== undefined) {
        bytes.push(byte)
        continue
      }
      flush()
      if (dropped || text) atStart = false
      if (part === piece) text += surface
      else {
        const drops = atStart && (dummy || tidy) && part.startsWith('▁')
        dropped = drops && !tidy
        text += (drops ? part.slice(1) : part).replaceAll('▁', ' ')
      }
    }
    flush()
    return [text]
  }
}

/** One U+FFFD for each byte that is no part of a character. @param {readonly number[]} bytes */
function replaceBroken(bytes) {
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at], length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    const part = bytes.slice(at, at + length), character = decoder.decode(Uint8Array.from(part))
    const isWhole = encoder.encode(character).join() === part.join()
    text += isWhole ? character : '\ufffd'
    at += isWhole ? length : 1
  }
  return text
}

/** @type {Record<string, (json: any) => Decode>} */
const KINDS = {
  ByteLevel: () => parts => [textOfBytes(parts.map(part => bytesOfLetters(part) ?? encoder.encode(part)))],
  ByteFallback: () => byteFallback,
  Fuse: () => parts => [parts.join('')],
  Replace: json => {
    const pattern = patternFrom(WHERE, json.pattern), content = textIn(WHERE, json, 'content')
    return parts => parts.map(part => part.replace(pattern, () => content))
  },
  Strip: json => {
    const content = textIn(WHERE, json, 'content', ' ')
    const [start, stop] = ['start', 'stop'].map(name => wholeIn(WHERE, json, name, 0))
    return parts => parts.map(part => {
      let from = 0, to = part.length
      while (from < start && part[from] === content) from++
      for (let left = stop; left > 0 && part[to - 1] === content; left--) to--
      return part.slice(from, to)
    })
  },
  Metaspace: metaspace,
  SentencePiece: sentencePiece,
  WordPiece: wordpiece,
  BPEDecoder: json => {
    const suffix = textIn(WHERE, json, 'suffix', '</w>')
    return parts => parts.map((part, i) => part.replaceAll(suffix, i === parts.length - 1 ? '' : ' '))
  },
  Sequence: json => {
    /** @type {Decode[]} */ const steps = listIn(WHERE, json, 'decoders').map(decoderOf)
    return parts => steps.reduce((current, step) => step(current), parts)
  }
}

/**
 * How tokens become a text again.
 * @param {any} json the `decoder` of a tokenizer.json
 * @returns {Decode}
 * @throws {GlassformerError} 'format' for a type that is not known
 */
export function decoderOf(json) {
  if (json == null) return parts => [parts.join(' ')]
  return kindIn(WHERE, json, KINDS)(json)
}
