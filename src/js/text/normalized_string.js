import { isInsideSurrogatePair } from './pattern.js'

/**
 * New text for units [start, end). It stands for the original text of the units in `origin`, which are the replaced
 * ones by default.
 * @typedef {{ start: number, end: number, content: string, origin?: [number, number] }} Replacement
 */

/**
 * A normalized text with the alignment of its UTF-16 units to the original text.
 *
 * Unit i stands for units [from[i], to[i]) of the original. Both arrays are null while the text equals the original.
 */
export class NormalizedString {
  /**
   * @param {string} string
   * @param {Int32Array | null} [from] @param {Int32Array | null} [to]
   */
  constructor(string, from = null, to = null) {
    this.string = string
    /** @type {Int32Array | null} */ this.from = from
    /** @type {Int32Array | null} */ this.to = to
  }

  /**
   * The range of the original for units [start, end).
   * @param {number} start @param {number} end @returns {[number, number]}
   */
  originalOffsets(start, end) {
    const { from, to } = this
    if (!from || !to) return [start, end]
    if (start < end) return [from[start], to[end - 1]]
    const at = start > 0 ? to[start - 1] : 0
    return [at, at]
  }

  /** The units of the character that ends at a unit. @param {number} end @returns {[number, number]} */
  before(end) {
    return [Math.max(0, end - (isInsideSurrogatePair(this.string, end - 1) ? 2 : 1)), end]
  }

  /** The units of the character that starts at a unit. @param {number} start @returns {[number, number]} */
  after(start) {
    return [start, start + (isInsideSurrogatePair(this.string, start + 1) ? 2 : 1)]
  }

  /**
   * Replaces units [start, end) by `content`, for each replacement.
   * @param {readonly Replacement[]} replacements in order, not overlapping
   * @returns {NormalizedString}
   */
  replace(replacements) {
    if (!replacements.length) return this
    const oldLength = this.string.length
    /** @type {Replacement} */ const tail = { start: oldLength, end: oldLength, content: '' }
    const newLength = replacements.reduce((n, { start, end, content }) => n + content.length - (end - start), oldLength)
    const from = new Int32Array(newLength), to = new Int32Array(newLength)
    let string = '', oldAt = 0, newAt = 0
    for (const { start, end, content, origin } of [...replacements, tail]) {
      string += this.string.slice(oldAt, start) + content
      for (; oldAt < start; oldAt++, newAt++) [from[newAt], to[newAt]] = this.originalOffsets(oldAt, oldAt + 1)
      const [first, after] = origin ? this.originalOffsets(...origin) : this.originalOffsets(start, end)
      from.fill(first, newAt, newAt + content.length)
      to.fill(after, newAt, newAt + content.length)
      newAt += content.length
      oldAt = end
    }
    return new NormalizedString(string, from, to)
  }

  /**
   * The replacement that puts a prefix before a character, whose offsets it gets.
   * @param {string} prefix @param {number} start of the character @returns {Replacement}
   */
  prefixed(prefix, start) {
    const [, end] = this.after(start)
    return { start, end, content: prefix + this.string.slice(start, end) }
  }

  /** Units [start, end), aligned to the same original. @param {number} start @param {number} end */
  slice(start, end) {
    if (start === 0 && end === this.string.length) return this
    return new NormalizedString(this.string.slice(start, end), this.from?.slice(start, end) ?? null,
      this.to?.slice(start, end) ?? null)
  }

  /**
   * Replaces every match of a pattern. As in Hugging Face's library, the new text stands for the last character of the
   * match, or for the one before an empty match.
   * @param {RegExp} pattern global @param {(match: string) => string} replace
   */
  replaceAll(pattern, replace) {
    const replacements = []
    for (const match of this.string.matchAll(pattern)) {
      if (!match[0] && isInsideSurrogatePair(this.string, match.index)) continue
      const content = replace(match[0]), start = match.index, end = start + match[0].length
      if (content !== match[0]) replacements.push({ start, end, content, origin: this.before(end) })
    }
    return this.replace(replacements)
  }
}
