/**
 * Shortens explanations of very many terms, such as a softmax over 50,000 tokens: the first terms, the largest ones and
 * the cell's own are sent, and its sources as ranges. Sending all would block the page for longer than rendering a
 * room takes.
 */

/** @import { CellExplanation, Explanation, Marks } from '../types.d.ts' */

/** @typedef {Explanation['terms'][number]} Term */

/** Explanations with more terms are shortened. */
const MAX_TERMS = 8192
/** How many of the first and of the largest terms are sent. */
export const TERM_COUNT = 24

/**
 * Selects the terms to send.
 * @param {Term[]} terms @param {number} own the index of the cell's own term, if it has one
 */
function selectTerms(terms, own) {
  /** @type {number[]} */ const largest = []
  const size = (/** @type {number} */ i) => Math.abs(terms[i].value)
  for (let i = 0; i < terms.length; i++) {
    if (largest.length === TERM_COUNT && !(size(i) > size(largest[TERM_COUNT - 1]))) continue
    largest.splice(largest.findLastIndex(at => size(at) >= size(i)) + 1, 0, i)
    largest.length = Math.min(largest.length, TERM_COUNT)
  }
  const first = Array.from({ length: TERM_COUNT }, (_, i) => i)
  return [...new Set([...first, ...largest, ...(own < terms.length ? [own] : [])])].sort((a, b) => a - b)
    .map(place => ({ ...terms[place], place }))
}

/**
 * Merges cells that run along one axis of a tensor from its start into a single cell with a count.
 * @param {Marks['sources']} cells @returns {Marks['sources']}
 */
function mergeRange(cells) {
  const [{ index, ...first }] = cells, axis = index.findIndex((at, i) => cells.at(-1)?.index[i] !== at)
  const runs = axis >= 0 && cells.every((cell, n) => cell.index.every((at, i) => at === (i === axis ? n : index[i])))
  return runs ? [{ ...first, index, axis, count: cells.length }] : cells
}

/**
 * @param {Explanation} explanation @returns {Omit<Explanation, 'sources'> & Pick<CellExplanation, 'count' | 'sources'>}
 */
export function shortenExplanation(explanation) {
  const { terms, sources, index } = explanation
  if (terms.length <= MAX_TERMS) return explanation
  /** @type {Map<string, Marks['sources']>} */ const byName = new Map()
  for (const cell of sources) {
    const same = byName.get(cell.name)
    if (same) same.push(cell)
    else byName.set(cell.name, [cell])
  }
  return {
    ...explanation, terms: selectTerms(terms, index.at(-1) ?? 0), count: terms.length,
    sources: [...byName.values()].flatMap(mergeRange)
  }
}
