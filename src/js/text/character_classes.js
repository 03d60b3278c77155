import { CLASSES } from '../engine/constants.js'
import { lazyRegExp } from './lazy_regexp.js'
import { SPACES } from './spaces.js'

/** The character classes of gf_cut, by the Unicode version of the platform. @type {[() => RegExp, number][]} */
const CLASS_PATTERNS = [
  [lazyRegExp(String.raw`\p{L}+`, 'gu'), 1], [lazyRegExp(String.raw`\p{N}+`, 'gu'), 2], [SPACES, 3]
]
const BLOCK = 4096

/** @type {WeakMap<import('../engine/kernels.js').Kernels, number>} */
const tables = new WeakMap()

/** The class of each code point below U+40000, in one byte each. */
function makeTable() {
  const table = new Uint8Array(CLASSES)
  for (let first = 0; first < CLASSES; first += BLOCK) {
    fill(table, first, first === 0xd000 ? 0x800 : BLOCK) // surrogates are no characters
  }
  return table
}

/** @param {Uint8Array} table @param {number} first @param {number} count */
function fill(table, first, count) {
  const codes = Array.from({ length: count }, (_, i) => first + i)
  const text = String.fromCodePoint(...codes)
  const units = first < 0x10000 ? 1 : 2
  for (const [pattern, characterClass] of CLASS_PATTERNS) {
    for (const { index, 0: run } of text.matchAll(pattern())) {
      table.fill(characterClass, first + index / units, first + (index + run.length) / units)
    }
  }
}

/**
 * Returns the address of the table, which is created on first use.
 * @param {import('../engine/kernels.js').Kernels} engine
 */
export function classTable(engine) {
  const known = tables.get(engine)
  if (known !== undefined) return known
  const address = engine.memory.alloc(CLASSES)
  engine.memory.bytes(address, CLASSES).set(makeTable())
  tables.set(engine, address)
  return address
}
