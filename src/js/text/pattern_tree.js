/**
 * A regular expression as a tree, read from JavaScript's syntax as pattern.js writes it, and how long the search for it
 * may take.
 *
 * @typedef {{ kind: 'one', source: string }} One a character of a class
 * @typedef {{ kind: 'edge', atEnd: boolean }} Edge `^` or `$`: a position in the text
 * @typedef {{ kind: 'backreference' }} Backreference
 * @typedef {{ kind: 'sequence' | 'alternation', items: Node[] }} Items
 * @typedef {{ kind: 'look', item: Node, isBehind: boolean, isNegative: boolean }} Look
 * @typedef {{ kind: 'atomic', item: Node }} Atomic what is not matched again in another way
 * @typedef {{ kind: 'repeat', item: Node, low: number, high: number, isLazy: boolean }} Repeat
 * @typedef {One | Edge | Backreference | Items | Look | Atomic | Repeat} Node
 */

/** How pattern.js begins what gives nothing back. */
const ATOMIC = /^\(\?:\(\?=\(\?<kept/
const TOKEN = /\(\?:\(\?=\(\?<kept\d+>|\)\)\\k<kept\d+>\)|\(\?(?:[:=!]|<[=!]|<\w+>)|[()|^$]|(?:[?*+]|\{\d+(?:,\d*)?\})\??|\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|x..|u....|k<\w+>|c.|\d+|[^])|[^]/gu
const MAX_DEPTH = 200

/**
 * Tokens of a pattern, how many of them have been read, how deep groups are, and whether what is read is matched from
 * its end to its beginning.
 * @typedef {{ tokens: string[], at: number, depth: number, isBehind: boolean }} Reader
 */

/**
 * @param {string} source of a RegExp with the flag u
 * @returns {Node}
 * @throws {Error} when it is nested too deep, or JavaScript would not do what it says
 */
export const treeOf = source => alternation({ tokens: source.match(TOKEN) ?? [], at: 0, depth: 0, isBehind: false })

/** @param {Reader} reader @returns {Node} */
function alternation(reader) {
  const items = []
  do items.push(sequence(reader))
  while (reader.tokens[reader.at++] === '|')
  return items.length === 1 ? items[0] : { kind: 'alternation', items }
}

/** Up to what ends it. @param {Reader} reader @returns {Node} */
function sequence(reader) {
  /** @type {Node[]} */ const items = []
  for (let token; (token = reader.tokens[reader.at]) && !/^[|)]/.test(token);) {
    reader.at++
    const limits = /^(?:([?*+])|\{(\d+)(,?)(\d*)\})(\??)$/.exec(token)
    if (!limits) {
      items.push(itemOf(reader, token))
      continue
    }
    const [, sign, least, comma, most, lazy] = limits, item = /** @type {Node} */ (items.pop())
    const low = sign ? Number(sign === '+') : Number(least)
    const high = sign === '?' ? 1 : sign || (comma && !most) ? Infinity : Number(most || low)
    items.push({ kind: 'repeat', item, low, high, isLazy: lazy === '?' })
  }
  return items.length === 1 ? items[0] : { kind: 'sequence', items }
}

/** @param {Reader} reader @param {string} token @returns {Node} */
function itemOf(reader, token) {
  if (/^[$^]$/.test(token)) return { kind: 'edge', atEnd: token === '$' }
  if (/^\\(?:k|[1-9])/.test(token)) return { kind: 'backreference' }
  if (!token.startsWith('(')) return { kind: 'one', source: token }
  const look = /^\(\?(<?)([=!])$/.exec(token), isAtomic = ATOMIC.test(token), { isBehind } = reader
  if (isAtomic && isBehind) throw new Error('a possessive quantifier in a lookbehind')
  if (look) reader.isBehind = look[1] === '<'
  if (++reader.depth > MAX_DEPTH) throw new Error(`groups are nested more than ${MAX_DEPTH} deep`)
  const item = alternation(reader) // and its end
  reader.depth--
  const wasBehind = reader.isBehind
  reader.isBehind = isBehind
  if (isAtomic) return { kind: 'atomic', item }
  return look ? { kind: 'look', item, isBehind: wasBehind, isNegative: look[2] === '!' } : item
}

/**
 * The parts of a sequence, the one that is searched last first. @param {Node[]} items @param {boolean} isBehind whether
 * the search goes towards the beginning of the text
 */
export const fromTheEnd = (items, isBehind) => (isBehind ? items : [...items].reverse())

/** Whether a node may match nothing. @param {Node} node @returns {boolean} */
export function mayBeEmpty(node) {
  if ('items' in node) return node.kind === 'sequence' ? node.items.every(mayBeEmpty) : node.items.some(mayBeEmpty)
  if (node.kind === 'repeat' || node.kind === 'atomic') return ('low' in node && !node.low) || mayBeEmpty(node.item)
  return node.kind !== 'one'
}

/**
 * What trying everything from a position on may take at most: `steps`, times the length of the text as often as
 * `degree` says, as `failing` when it does not succeed in the end; and whether it may fail, so that what stands before
 * it is tried in other ways.
 * @typedef {{ steps: number, degree: number, failing: number, fails: boolean }} Cost
 */
/** @type {Cost} */
const DONE = { steps: 0, degree: 0, failing: 0, fails: false }
/** The longest pattern of known tokenizers (o200k) has 126. */
const MAX_STEPS = 200
/** More repetitions than this count as without limit. */
const MAX_COUNTED = 64

/**
 * Whether a backtracking search needs no more than so many steps times the length of the text from each position, as it
 * is with all known tokenizers. Where it may need more, as for (a+)+ or \s*\s*, a pattern can stop a program for good.
 * @param {Node} node
 */
export function isSafe(node) {
  return isSmall(costOf(node, DONE, false))
}

/** @param {Cost} cost */
const isSmall = ({ steps, degree }) => degree <= 1 && steps <= MAX_STEPS

/** @param {Node} node @param {Cost} rest of what follows @param {boolean} isBehind @returns {Cost} */
function costOf(node, rest, isBehind) {
  if (!isSmall(rest)) return rest // enough is known
  const more = { ...rest, steps: rest.steps + 1, fails: true }
  switch (node.kind) {
    case 'one': case 'edge': return more
    case 'backreference': return { ...more, degree: Math.max(1, rest.degree), failing: Math.max(1, rest.failing) }
    case 'sequence': return fromTheEnd(node.items, isBehind).reduce((sum, item) => costOf(item, sum, isBehind), rest)
    case 'alternation': return node.items.map(item => costOf(item, rest, isBehind)).reduce(either)
    case 'repeat': return costOfRepeat(node, rest, isBehind)
    default: {
      const inner = costOf(node.item, DONE, node.kind === 'look' && node.isBehind)
      const fails = node.kind === 'look' || inner.fails || rest.fails
      return { steps: more.steps + inner.steps, fails, degree: Math.max(inner.degree, rest.degree),
        failing: Math.max(inner.degree, rest.failing) }
    }
  }
}

/** What one of two ways takes, or both. @param {Cost} a @param {Cost} b @returns {Cost} */
const either = (a, b) => ({ steps: a.steps + b.steps, degree: Math.max(a.degree, b.degree),
  failing: Math.max(a.failing, b.failing), fails: a.fails && b.fails })

/** @param {Repeat} repeat @param {Cost} rest @param {boolean} isBehind @returns {Cost} */
function costOfRepeat({ item, low, high }, rest, isBehind) {
  if (high > MAX_COUNTED) {
    if (!isFixed(item)) return costOfLoop(item, low, rest, isBehind)
    const { steps } = costOf(item, rest, isBehind)
    const failing = rest.fails ? rest.failing + 1 : Number(low > MAX_COUNTED)
    return { steps, failing, degree: Math.max(1, rest.degree, failing), fails: low > 0 || rest.fails }
  }
  let sum = rest
  for (let i = high; i > 0; i--) {
    const inner = costOf(item, { ...sum, steps: sum.steps + 1 }, isBehind)
    sum = i > low ? (rest.fails ? either(inner, rest) : { ...inner, fails: false }) : inner
  }
  return sum
}

/**
 * Of an item that may match in several ways: when what follows cannot fail, no time that it came is tried again.
 * @param {Node} item @param {number} low @param {Cost} rest @param {boolean} isBehind @returns {Cost}
 */
function costOfLoop(item, low, rest, isBehind) {
  if (rest.fails || low > 1) return { ...rest, degree: Infinity }
  const { steps, degree, failing, fails } = costOf(item, { ...DONE, steps: rest.steps }, isBehind)
  return { steps, degree: Math.max(rest.degree, 1 + degree), failing, fails: low > 0 && fails }
}

/**
 * Whether a node matches in one way only, and never nothing: so many characters of classes.
 * @param {Node} node @returns {boolean}
 */
function isFixed(node) {
  if (node.kind === 'sequence') return node.items.length > 0 && node.items.every(isFixed)
  return node.kind === 'one' || (node.kind === 'repeat' && node.low === node.high && node.low > 0 && isFixed(node.item))
}
