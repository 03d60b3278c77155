/**
 * Parses a regular expression, in JavaScript's syntax as pattern.js writes it, to a tree, and bounds the time of a
 * backtracking search for it.
 *
 * @typedef {{ kind: 'character', source: string }} Character one character of a class
 * @typedef {{ kind: 'anchor', atEnd: boolean }} Anchor `^` or `$`
 * @typedef {{ kind: 'backreference' }} Backreference
 * @typedef {{ kind: 'sequence' | 'alternation', items: Node[] }} Items
 * @typedef {{ kind: 'lookaround', item: Node, isBehind: boolean, isNegative: boolean }} Lookaround
 * @typedef {{ kind: 'atomic', item: Node }} Atomic an atomic group: no backtracking into it
 * @typedef {{ kind: 'repeat', item: Node, low: number, high: number, isLazy: boolean }} Repeat
 * @typedef {Character | Anchor | Backreference | Items | Lookaround | Atomic | Repeat} Node
 */

/** The start of an atomic group as pattern.js writes it. */
const ATOMIC = /^\(\?:\(\?=\(\?<atomic/
/** A class, with classes in it as deep as pattern.js writes them. */
const CLASS = [1, 2, 3, 4].reduce(inner => String.raw`\[(?:\\[^]|[^\]\\[]${inner})*\]`.replace(/^/, '|'), '')
const TOKEN = new RegExp(String.raw`\(\?:\(\?=\(\?<atomic\d+>|\)\)\\k<atomic\d+>\)|\(\?(?:[:=!]|<[=!]|<\w+>)|[()|^$]|(?:[?*+]|\{\d+(?:,\d*)?\})\??${CLASS}|\\(?:[pP]\{[^}]*\}|x..|u....|k<\w+>|c.|\d+|[^])|[^]`, 'gu')
const MAX_DEPTH = 200

/**
 * The tokens of a pattern, the index of the next one, the depth of groups, and whether the parser is in a lookbehind,
 * which is matched from its end to its start.
 * @typedef {{ tokens: string[], at: number, depth: number, isBehind: boolean }} Reader
 */

/**
 * Parses a pattern.
 * @param {string} source of a RegExp with the flag u
 * @returns {Node}
 * @throws {Error} if it is nested too deep or has a possessive quantifier in a lookbehind
 */
export const parsePattern = source =>
  alternation({ tokens: source.match(TOKEN) ?? [], at: 0, depth: 0, isBehind: false })

/** @param {Reader} reader @returns {Node} */
function alternation(reader) {
  const items = []
  do items.push(sequence(reader))
  while (reader.tokens[reader.at++] === '|')
  return items.length === 1 ? items[0] : { kind: 'alternation', items }
}

/** @param {Reader} reader @returns {Node} */
function sequence(reader) {
  /** @type {Node[]} */ const items = []
  for (let token; (token = reader.tokens[reader.at]) && !/^[|)]/.test(token);) {
    reader.at++
    const limits = /^(?:([?*+])|\{(\d+)(,?)(\d*)\})(\??)$/.exec(token)
    if (!limits) {
      items.push(itemOf(reader, token))
      continue
    }
    const [, symbol, min, comma, max, lazy] = limits, item = /** @type {Node} */ (items.pop())
    const low = symbol ? Number(symbol === '+') : Number(min)
    const high = symbol === '?' ? 1 : symbol || (comma && !max) ? Infinity : Number(max || low)
    items.push({ kind: 'repeat', item, low, high, isLazy: lazy === '?' })
  }
  return items.length === 1 ? items[0] : { kind: 'sequence', items }
}

/** @param {Reader} reader @param {string} token @returns {Node} */
function itemOf(reader, token) {
  if (/^[$^]$/.test(token)) return { kind: 'anchor', atEnd: token === '$' }
  if (/^\\(?:k|[1-9])/.test(token)) return { kind: 'backreference' }
  if (!token.startsWith('(')) return { kind: 'character', source: token }
  const look = /^\(\?(<?)([=!])$/.exec(token), isAtomic = ATOMIC.test(token), { isBehind } = reader
  if (isAtomic && isBehind) throw new Error('a possessive quantifier in a lookbehind')
  if (look) reader.isBehind = look[1] === '<'
  if (++reader.depth > MAX_DEPTH) throw new Error(`groups are nested more than ${MAX_DEPTH} deep`)
  const item = alternation(reader) // up to and including the closing parenthesis
  reader.depth--
  const wasBehind = reader.isBehind
  reader.isBehind = isBehind
  if (isAtomic) return { kind: 'atomic', item }
  return look ? { kind: 'lookaround', item, isBehind: wasBehind, isNegative: look[2] === '!' } : item
}

/**
 * The items of a sequence in reverse order of matching.
 * @param {Node[]} items @param {boolean} isBehind whether they are matched backwards, in a lookbehind
 */
export const fromTheEnd = (items, isBehind) => (isBehind ? items : [...items].reverse())

/** Whether a node may match the empty string. @param {Node} node @returns {boolean} */
export function mayBeEmpty(node) {
  if ('items' in node) return node.kind === 'sequence' ? node.items.every(mayBeEmpty) : node.items.some(mayBeEmpty)
  if (node.kind === 'repeat' || node.kind === 'atomic') return ('low' in node && !node.low) || mayBeEmpty(node.item)
  return node.kind !== 'character'
}

/**
 * An upper bound of the time of a search from one position: steps * n^degree for a text of length n, with exponent
 * `failing` if the match fails; and whether it may fail, so that the search backtracks into what precedes it.
 * @typedef {{ steps: number, degree: number, failing: number, fails: boolean }} Cost
 */
/** @type {Cost} */
const DONE = { steps: 0, degree: 0, failing: 0, fails: false }
/** The longest pattern of known tokenizers (o200k) takes 126. */
const MAX_STEPS = 200
/** More repetitions than this count as unlimited. */
const MAX_COUNTED = 64

/**
 * Whether a backtracking search from one position takes time linear in the length of the text, as for all known
 * tokenizers. Other patterns, such as (a+)+ or \s*\s*, can take so long that the program hangs.
 * @param {Node} node @param {boolean} [isWhole] whether the search of a whole text must be linear, which that for \s+$
 *   is not: it reads a long space again from each of its characters
 */
export function isSafe(node, isWhole) {
  const cost = costOf(node, DONE, false)
  return isSmall(cost) && !(isWhole && cost.failing)
}

/** @param {Cost} cost */
const isSmall = ({ steps, degree }) => degree <= 1 && steps <= MAX_STEPS

/** @param {Node} node @param {Cost} rest the cost of what follows @param {boolean} isBehind @returns {Cost} */
function costOf(node, rest, isBehind) {
  if (!isSmall(rest)) return rest // the answer is known
  const next = { ...rest, steps: rest.steps + 1, fails: true }
  switch (node.kind) {
    case 'character': case 'anchor': return next
    case 'backreference': return { ...next, degree: Math.max(1, rest.degree), failing: Math.max(1, rest.failing) }
    case 'sequence': return fromTheEnd(node.items, isBehind).reduce((sum, item) => costOf(item, sum, isBehind), rest)
    case 'alternation': return node.items.map(item => costOf(item, rest, isBehind)).reduce(combine)
    case 'repeat': return costOfRepeat(node, rest, isBehind)
    default: {
      const inner = costOf(node.item, DONE, node.kind === 'lookaround' && node.isBehind)
      const fails = node.kind === 'lookaround' || inner.fails || rest.fails
      return { steps: next.steps + inner.steps, fails, degree: Math.max(inner.degree, rest.degree),
        failing: Math.max(inner.degree, rest.failing) }
    }
  }
}

/** The cost of an alternation of two. @param {Cost} a @param {Cost} b @returns {Cost} */
const combine = (a, b) => ({ steps: a.steps + b.steps, degree: Math.max(a.degree, b.degree),
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
    sum = i > low ? (rest.fails ? combine(inner, rest) : { ...inner, fails: false }) : inner
  }
  return sum
}

/**
 * The cost of repeating an item that may match in several ways: if what follows cannot fail, no iteration is retried.
 * @param {Node} item @param {number} low @param {Cost} rest @param {boolean} isBehind @returns {Cost}
 */
function costOfLoop(item, low, rest, isBehind) {
  if (rest.fails || low > 1) return { ...rest, degree: Infinity }
  const { steps, degree, failing, fails } = costOf(item, { ...DONE, steps: rest.steps }, isBehind)
  return { steps, degree: Math.max(rest.degree, 1 + degree), failing, fails: low > 0 && fails }
}

/**
 * Whether a node matches a fixed number of characters, at least one.
 * @param {Node} node @returns {boolean}
 */
function isFixed(node) {
  if (node.kind === 'sequence') return node.items.length > 0 && node.items.every(isFixed)
  return node.kind === 'character' || (node.kind === 'repeat' && node.low === node.high && node.low > 0 && isFixed(node.item))
}
