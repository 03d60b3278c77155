import { isInsideSurrogatePair } from './pattern.js'

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
    const at = start > 0 ? to[start - 1] : from[0] ?? 0
    return [at, at]
  }

  /**
   * Replaces units [start, end) by `content`, for each replacement.
   * @param {readonly { start: number, end: number, content: string }[]} replacements in order, not overlapping
   * @returns {NormalizedString}
   */
  replace(replacements) {
    if (!replacements.length) return this
    const oldLength = this.string.length
    const tail = { start: oldLength, end: oldLength, content: '' }
    const newLength = replacements.reduce((n, { start, end, content }) => n + content.length - (end - start), oldLength)
    const from = new Int32Array(newLength), to = new Int32Array(newLength)
    let string = '', oldAt = 0, newAt = 0
    for (const { start, end, content } of [...replacements, tail]) {
      string += this.string.slice(oldAt, start) + content
      for (; oldAt < start; oldAt++, newAt++) [from[newAt], to[newAt]] = this.originalOffsets(oldAt, oldAt + 1)
      const [first, after] = this.originalOffsets(start, end)
      from.fill(first, newAt, newAt + content.length)
      to.fill(after, newAt, newAt + content.length)
      newAt += content.length
      oldAt = end
    }
    return new NormalizedString(string, from, to)
  }

  /** Units [start, end), aligned to the same original. @param {number} start @param {number} end */
  slice(start, end) {
    if (start === 0 && end === this.string.length) return this
    return new NormalizedString(this.string.slice(start, end), this.from?.slice(start, end) ?? null,
      this.to?.slice(start, end) ?? null)
  }

  /**
   * Replaces every match of a pattern.
   * @param {RegExp} pattern global @param {(match: string) => string} replace
   */
  replaceAll(pattern, replace) {
    const replacements = []
    for (const match of this.string.matchAll(pattern)) {
      if (!match[0] && isInsideSurrogatePair(this.string, match.index)) continue
      const content = replace(match[0])
      if (content !== match[0]) replacements.push({ start: match.index, end: match.index + match[0].length, content })
    }
    return this.replace(replacements)
  }
}
