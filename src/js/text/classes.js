import { CLASSES } from '../constants.js'
import { onDemand } from './on_demand.js'

/** What gf_cut asks of a character, as the platform's regular expressions know it. @type {[() => RegExp, number][]} */
const KINDS = [
  [onDemand(String.raw`\p{L}+`, 'gu'), 1], [onDemand(String.raw`\p{N}+`, 'gu'), 2],
  [onDemand(String.raw`\p{White_Space}+`, 'gu'), 3]
]
const BLOCK = 4096

/** @type {WeakMap<import('../kernels.js').Kernels, number>} */
const tables = new WeakMap()

/** Letters, numbers and white space below U+40000, one byte each. */
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
  for (const [pattern, kind] of KINDS) {
    for (const { index, 0: run } of text.matchAll(pattern())) {
      table.fill(kind, first + index / units, first + (index + run.length) / units)
    }
  }
}

/**
 * The address of the table, made when it is first asked for.
 * @param {import('../kernels.js').Kernels} engine
 */
export function classTable(engine) {
  const known = tables.get(engine)
  if (known !== undefined) return known
  const address = engine.memory.alloc(CLASSES)
  engine.memory.bytes(address, CLASSES).set(makeTable())
  tables.set(engine, address)
  return address
}
