import { isBetweenHalves } from './pattern.js'

/**
 * A text that was rewritten, and where each of its UTF-16 units comes from.
 *
 * `from` and `to` hold, for each unit, the range of units of the original that it stands for; both are null as long as
 * nothing was rewritten.
 */
export class Aligned {
  /**
   * @param {string} string
   * @param {Int32Array | null} [from] @param {Int32Array | null} [to]
   */
  constructor(string, from = null, to = null) {
    this.string = string
    /** @type {Int32Array | null} */ this.from = from
    /** @type {Int32Array | null} */ this.to = to
  }

  /** Where units [start, end) come from. @param {number} start @param {number} end @returns {[number, number]} */
  origin(start, end) {
    const { from, to } = this
    if (!from || !to) return [start, end]
    if (start < end) return [from[start], to[end - 1]]
    const at = start > 0 ? to[start - 1] : from[0] ?? 0
    return [at, at]
  }

  /**
   * The text with pieces of it in other words: each replacement takes the place of units [start, end).
   * @param {readonly { start: number, end: number, by: string }[]} changes in order, not overlapping
   * @returns {Aligned}
   */
  replace(changes) {
    if (!changes.length) return this
    const last = this.string.length
    const rest = { start: last, end: last, by: '' }
    const length = changes.reduce((sum, { start, end, by }) => sum + by.length - (end - start), last)
    const from = new Int32Array(length), to = new Int32Array(length)
    let string = '', at = 0, unit = 0
    for (const { start, end, by } of [...changes, rest]) {
      string += this.string.slice(at, start) + by
      for (; at < start; at++, unit++) [from[unit], to[unit]] = this.origin(at, at + 1)
      const [first, after] = this.origin(start, end)
      from.fill(first, unit, unit + by.length)
      to.fill(after, unit, unit + by.length)
      unit += by.length
      at = end
    }
    return new Aligned(string, from, to)
  }

  /** Units [start, end) as a text of their own, with the same origin. @param {number} start @param {number} end */
  slice(start, end) {
    if (start === 0 && end === this.string.length) return this
    return new Aligned(this.string.slice(start, end), this.from?.slice(start, end) ?? null,
      this.to?.slice(start, end) ?? null)
  }

  /**
   * The text with every match of a pattern in other words.
   * @param {RegExp} pattern global @param {(match: string) => string} rewrite
   */
  replaceAll(pattern, rewrite) {
    const changes = []
    for (const match of this.string.matchAll(pattern)) {
      if (!match[0] && isBetweenHalves(this.string, match.index)) continue
      const by = rewrite(match[0])
      if (by !== match[0]) changes.push({ start: match.index, end: match.index + match[0].length, by })
    }
    return this.replace(changes)
  }
}
