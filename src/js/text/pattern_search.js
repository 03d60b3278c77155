import { GlassformerError } from '../errors.js'
import { fromTheEnd, mayBeEmpty } from './pattern_tree.js'

/**
 * A backtracking search with memoization, for patterns on which JavaScript's own search may take exponential time. It
 * tries alternatives in the same order and finds the same matches, but remembers which steps have failed at which
 * positions. Each is tried once, so the time is at most the length of the text times that of the pattern.
 */

/** @typedef {import('./pattern_tree.js').Node} Node */
/**
 * A step of a program. `next` is the following step; `other` is the alternative of a split, or the first step of a
 * lookaround or atomic group.
 * @typedef {{ kind: 'character' | 'split' | 'anchor' | 'lookaround' | 'atomic' | 'end', next: number, other: number,
 *   test?: (code: number) => boolean, isBehind?: boolean, isNegative?: boolean, atEnd?: boolean }} Step
 */

const MAX_PROGRAM = 2000
/** Maximum number of memoized results, of 4 bytes each. */
const MAX_KNOWN = 2 ** 26
const FAILED = 1
/** The result of a match that ends at a position is this plus the position. */
const ENDS = 2

/** A pattern compiled to steps. */
class Program {
  /** @type {Step[]} */ steps = []
  splits = 0

  /** @param {Node} tree @throws {Error} if it has a backreference or a repeated item that may be empty */
  constructor(tree) {
    this.start = this.#compile(tree, this.#add({ kind: 'end' }), false)
  }

  /** @param {Partial<Step> & { kind: Step['kind'] }} step */
  #add(step) {
    if (this.steps.length === MAX_PROGRAM) throw new Error(`it has more than ${MAX_PROGRAM} steps`)
    return this.steps.push({ next: -1, other: -1, ...step }) - 1
  }

  /**
   * @param {Node} node @param {number} next the step after it @param {boolean} isBehind
   * @returns {number} its first step
   */
  #compile(node, next, isBehind) {
    switch (node.kind) {
      case 'character': return this.#add({ kind: 'character', next, isBehind, test: testOf(node.source) })
      case 'anchor': return this.#add({ ...node, next })
      case 'sequence': return fromTheEnd(node.items, isBehind).reduce(
        (after, item) => this.#compile(item, after, isBehind), next)
      case 'alternation': return node.items.map(item => this.#compile(item, next, isBehind)).reduceRight(
        (other, first) => this.#split(first, other))
      case 'repeat': return this.#repeat(node, next, isBehind)
      case 'backreference': throw new Error('it has a backreference')
      // A lookaround or an atomic group.
      default: return this.#add({ isBehind, ...node, next, other: this.#compile(node.item, this.#add({ kind: 'end' }),
        'isBehind' in node ? node.isBehind : isBehind) })
    }
  }

  /** @param {number} next @param {number} other */
  #split(next, other) {
    this.splits++
    return this.#add({ kind: 'split', next, other })
  }

  /** @param {import('./pattern_tree.js').Repeat} repeat @param {number} next @param {boolean} isBehind */
  #repeat({ item, low, high, isLazy }, next, isBehind) {
    if (high > low && mayBeEmpty(item)) throw new Error('it repeats an item that may be empty')
    const choice = (/** @type {number} */ first) => isLazy ? this.#split(next, first) : this.#split(first, next)
    let start = next
    if (high === Infinity) {
      start = choice(-1)
      const first = this.#compile(item, start, isBehind)
      this.steps[start][isLazy ? 'other' : 'next'] = first
    } else for (let i = low; i < high; i++) start = choice(this.#compile(item, start, isBehind))
    for (let i = 0; i < low; i++) start = this.#compile(item, start, isBehind)
    return start
  }
}

/** Tests whether a character is in a class. @param {string} source @returns {(code: number) => boolean} */
function testOf(source) {
  const pattern = new RegExp(`^${source}$`, source.includes('[', 1) ? 'v' : 'u')
  /** @type {Map<number, boolean>} */ const results = new Map()
  return code => {
    let isMember = results.get(code)
    if (isMember === undefined) results.set(code, isMember = pattern.test(String.fromCodePoint(code)))
    return isMember
  }
}

/** The search for a program in one text. */
class Search {
  /** The memoized results by split and position. @type {Int32Array[]} */ #results = []

  /** @param {Program} program @param {string} string */
  constructor(program, string) {
    if (program.splits * string.length > MAX_KNOWN) throw new GlassformerError('memory',
      `tokenizer: a text of ${string.length} characters is too long for its pattern; give it in parts`)
    this.steps = program.steps
    this.string = string
  }

  /**
   * Returns the end of the first match from a step on, or -1.
   * @param {number} start a step @param {number} from a position in the text @param {boolean} isWhole whether this is
   *   the whole pattern, whose successes need not be remembered
   */
  run(start, from, isWhole) {
    const { steps, string } = this
    /** Splits with an untried alternative: step, position, length of the trail. @type {number[]} */ const open = []
    /** Splits that have not failed: step and position. @type {number[]} */ const trail = []
    for (let at = start, position = from; ;) {
      const step = steps[at]
      let goesOn = true
      if (step.kind === 'split') {
        const results = this.#results[at] ??= new Int32Array(string.length + 1)
        if (results[position] >= ENDS) return this.#succeed(trail, results[position] - ENDS, isWhole)
        if (results[position] === FAILED) goesOn = false
        else {
          results[position] = FAILED // unless a match is found
          trail.push(at, position)
          open.push(step.other, position, trail.length)
        }
      } else if (step.kind === 'end') return this.#succeed(trail, position, isWhole)
      else {
        const after = this.#after(step, position)
        goesOn = after >= 0
        position = after
      }
      if (goesOn) at = step.next
      else if (!open.length) return -1
      else {
        trail.length = /** @type {number} */ (open.pop())
        position = /** @type {number} */ (open.pop())
        at = /** @type {number} */ (open.pop())
      }
    }
  }

  /** @param {number[]} trail @param {number} end @param {boolean} isWhole */
  #succeed(trail, end, isWhole) {
    for (let i = 0; i < trail.length; i += 2) this.#results[trail[i]][trail[i + 1]] = isWhole ? 0 : ENDS + end
    return end
  }

  /** The position after a step other than a split, or -1. @param {Step} step @param {number} position */
  #after({ kind, test, isBehind, atEnd, isNegative, other }, position) {
    const { string } = this
    if (kind === 'anchor') return position === (atEnd ? string.length : 0) ? position : -1
    if (kind === 'lookaround') return (this.run(other, position, false) < 0) === isNegative ? position : -1
    if (kind === 'atomic') return this.run(other, position, false)
    const start = isBehind ? positionBefore(string, position) : position
    const code = start < 0 ? undefined : string.codePointAt(start)
    if (code === undefined || !test?.(code)) return -1
    return isBehind ? start : position + (code > 0xffff ? 2 : 1)
  }
}

/** The start of the character before a position. @param {string} string @param {number} position */
const positionBefore = (string, position) =>
  position - (/^[\ud800-\udbff][\udc00-\udfff]$/.test(string.slice(Math.max(0, position - 2), position)) ? 2 : 1)

/** A RegExp that is searched in linear time. */
export class LinearPattern extends RegExp {
  /** @type {Program} */ #program
  /** @type {Search | undefined} */ #search

  /**
   * @param {string | RegExp} pattern @param {string} flags g and u
   * @param {Node} [tree] of the pattern; not needed if `pattern` is a LinearPattern
   */
  constructor(pattern, flags, tree) {
    super(pattern, flags)
    this.#program = pattern instanceof LinearPattern ? pattern.#program : new Program(/** @type {Node} */ (tree))
  }

  /** @override @param {string} string @returns {RegExpExecArray | null} */
  exec(string) {
    const search = this.#search?.string === string ? this.#search : this.#search = new Search(this.#program, string)
    for (let at = this.lastIndex; at <= string.length; at += (string.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
      const end = search.run(this.#program.start, at, true)
      if (end < 0) continue
      this.lastIndex = end
      return /** @type {RegExpExecArray} */ (Object.assign([string.slice(at, end)], { index: at, input: string }))
    }
    this.lastIndex = 0
    this.#search = undefined
    return null
  }
}
