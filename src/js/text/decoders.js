import { decodeByteLevel } from './byte_level.js'
import { readArray, readBoolean, readInteger, readString, readType } from './json_fields.js'
import { packBytes } from './kernel_memory.js'
import { NormalizedString } from './normalized_string.js'
import { createNormalizer } from './normalizers.js'
import { readPattern } from './pattern.js'
import { characterLength, decodeUtf8, decodeValidUtf8, encodeUtf8 } from './utf8.js'

/** Rewrites tokens as parts of a text, which are joined at the end. @typedef {(parts: string[]) => string[]} Decode */

const WHERE = 'tokenizer: decoder'
const BYTE = /^<0x([0-9A-Fa-f]{2})>$/

/** Returns the byte that a token <0x..> stands for, or undefined. @param {string} token */
export function parseByteToken(token) {
  const match = BYTE.exec(token)
  return match ? parseInt(match[1], 16) : undefined
}

/** Decodes consecutive byte tokens; if they are not UTF-8, each byte becomes U+FFFD. @type {Decode} */
const byteFallback = parts => {
  /** @type {string[]} */ const out = []
  /** @type {number[]} */ let bytes = []
  const flush = () => {
    if (!bytes.length) return
    out.push(decodeValidUtf8(Uint8Array.from(bytes)) ?? '\ufffd'.repeat(bytes.length))
    bytes = []
  }
  for (const part of parts) {
    const byte = parseByteToken(part)
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
  const replacement = readString(WHERE, json, 'replacement', '▁'), scheme = json.prepend_scheme ??
    (json.add_prefix_space === false ? 'never' : 'always')
  return parts => parts.map((part, i) => {
    // Hugging Face's library drops every replacement in the first token.
    const dropped = i === 0 && scheme !== 'never'
    return part.replaceAll(replacement, dropped ? '' : ' ')
  })
}

/** Removes spaces as BERT's decoder does. @param {string} text */
const cleanUp = text => text.replace(/ ([.?!,])/g, '$1').replaceAll(" ' ", "'").replace(/ (n't|'m|'s|'ve|'re)/g, '$1')
  .replaceAll(' do not', " don't")

/** @param {any} json @returns {Decode} */
function wordpiece(json) {
  const prefix = readString(WHERE, json, 'prefix', '##'), cleanup = readBoolean(WHERE, json, 'cleanup', true)
  return parts => parts.map((part, i) => {
    const text = i === 0 ? part : part.startsWith(prefix) ? part.slice(prefix.length) : ` ${part}`
    return cleanup ? cleanUp(text) : text
  })
}

/** SentencePiece's decoder, with its treatment of the first space and of bytes. @param {any} json @returns {Decode} */
function sentencePiece(json) {
  const [addDummyPrefix, removeExtraSpaces] = ['add_dummy_prefix', 'remove_extra_whitespaces'].map(name => readBoolean(WHERE, json, name, true))
  const [piece, surface] = ['piece', 'surface'].map(name => readString(`${WHERE}: unknown`, json.unknown ?? {}, name))
  const denormalize = createNormalizer(json.denormalizer)
  return parts => {
    let text = '', atStart = true, dropped = false
    /** @type {number[]} */ let bytes = []
    const flush = () => {
      text += decodeLeniently(bytes)
      bytes = []
    }
    for (const part of parts) {
      const byte = parseByteToken(part)
      if (byte !== undefined) {
        bytes.push(byte)
        continue
      }
      flush()
      if (dropped || text) atStart = false
      if (part === piece) text += surface
      else {
        const drops = atStart && (addDummyPrefix || removeExtraSpaces) && part.startsWith('▁')
        dropped = drops && !removeExtraSpaces
        text += (drops ? part.slice(1) : part).replaceAll('▁', ' ')
      }
    }
    flush()
    return [denormalize(new NormalizedString(text)).string]
  }
}

/** Decodes UTF-8; each byte outside of a valid character becomes U+FFFD. @param {readonly number[]} bytes */
function decodeLeniently(bytes) {
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes[at])
    const part = bytes.slice(at, at + length), character = decodeUtf8(Uint8Array.from(part))
    const isCharacter = encodeUtf8(character).join() === part.join()
    text += isCharacter ? character : '\ufffd'
    at += isCharacter ? length : 1
  }
  return text
}

/** @type {Record<string, (json: any) => Decode>} */
const DECODERS = {
  ByteLevel: () => parts => [decodeUtf8(packBytes(parts.map(part => decodeByteLevel(part) ?? encodeUtf8(part))).bytes)],
  ByteFallback: () => byteFallback,
  Fuse: () => parts => [parts.join('')],
  Replace: json => {
    const pattern = readPattern(WHERE, json.pattern), content = readString(WHERE, json, 'content')
    return parts => parts.map(part => part.replace(pattern, () => content))
  },
  Strip: json => {
    const content = readString(WHERE, json, 'content', ' ')
    const [start, stop] = ['start', 'stop'].map(name => readInteger(WHERE, json, name, 0))
    return parts => parts.map(part => {
      let from = 0, to = part.length
      while (from < start && part[from] === content) from++
      for (let remaining = stop; remaining > 0 && part[to - 1] === content; remaining--) to--
      return part.slice(from, to)
    })
  },
  Metaspace: metaspace,
  SentencePiece: sentencePiece,
  WordPiece: wordpiece,
  CTC: json => {
    const pad = readString(WHERE, json, 'pad_token', '<pad>'), delimiter = readString(WHERE, json, 'word_delimiter_token', '|')
    const cleanup = readBoolean(WHERE, json, 'cleanup', true)
    return parts => parts.filter((part, i) => part !== parts[i - 1]).map(part => {
      const text = part.replaceAll(pad, '')
      return cleanup ? cleanUp(text).replaceAll(delimiter, ' ') : text
    })
  },
  BPEDecoder: json => {
    const suffix = readString(WHERE, json, 'suffix', '</w>')
    return parts => parts.map((part, i) => part.replaceAll(suffix, i === parts.length - 1 ? '' : ' '))
  },
  Sequence: json => {
    /** @type {Decode[]} */ const steps = readArray(WHERE, json, 'decoders').map(createDecoder)
    return parts => steps.reduce((current, step) => step(current), parts)
  }
}

/**
 * Creates the decoder that converts tokens to a text.
 * @param {any} json the `decoder` of a tokenizer.json
 * @returns {Decode}
 * @throws {GlassformerError} 'format' if it is malformed or of an unknown type
 */
export function createDecoder(json) {
  if (json == null) return parts => [parts.join(' ')]
  return readType(WHERE, json, DECODERS)(json)
}
