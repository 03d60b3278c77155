/** The reader's edits in links: their form, and numbers as readers type them. */

import { cellName } from './cell.js'

/** @import { EditIndex } from '../../src/js/trace/edits.js' */
/** @import { Edit } from './edits.js' */

/**
 * A number as readers type it: either minus sign or decimal separator, full-width digits, infinities; else null.
 * @param {string} text
 */
export function parseNumber(text) {
  const normalized = text.normalize('NFKC').trim().replaceAll('−', '-').replace(',', '.').replace(/^([+-]?)(∞|inf(inity)?)$/i, '$1Infinity')
  if (normalized === '' || !/^[+-]?(Infinity|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i.test(normalized)) return null
  const value = Number(normalized)
  return Number.isFinite(Math.fround(value)) || /Infinity$/.test(normalized) ? value : null
}

/** @param {number} value */
const formatEditValue = value => (Number.isFinite(value) ? String(value) : value > 0 ? 'inf' : '-inf')

/** @param {EditIndex[number]} i */
const writeIndex = i => (i === null ? '*' : Array.isArray(i) ? `${i[0]}-${i[1] - 1}` : i)

/** @param {string} text @returns {EditIndex[number]} */
function readIndex(text) {
  if (text === '*') return null
  const [from, last = null] = text.split('-').map(Number)
  return last === null ? from : [from, last + 1]
}

/** A number, `@` and a tensor of the run, or `~` and another text. @param {Edit} edit */
const writeSource = ({ value, from, fromText }) => (fromText !== undefined ? `~${encodeURIComponent(fromText)}`
  : from !== undefined ? `@${from}` : formatEditValue(Number(value)))

/** A text is written once where several edits in a row name it. @param {Edit[]} edits */
export const writeEdits = edits => edits.map((edit, i) => {
  const isRepeated = edit.fromText !== undefined && edit.fromText === edits[i - 1]?.fromText
  return `${edit.name}:${edit.index.map(writeIndex).join(',')}=${isRepeated ? '~' : writeSource(edit)}`
}).join(';')

/** @param {string} encoded */
function readText(encoded) {
  try {
    return { fromText: decodeURIComponent(encoded) }
  } catch {
    return null
  }
}

/**
 * What `writeSource` wrote, or null.
 * @param {string} text @param {string} [lastText] of the edit before
 */
function readSource(text, lastText) {
  const [, sign, rest] = /^([@~])(.*)$/.exec(text) ?? []
  if (sign === '@') return /^[\w.:]+$/.test(rest) ? { from: rest } : null
  if (sign === '~') return rest ? readText(rest) : lastText === undefined ? null : { fromText: lastText }
  const value = parseNumber(text)
  return value === null ? null : { value: Math.fround(value) }
}

const EDIT = /^([\w.:]+?):((?:\d+(?:-\d+)?|\*)(?:,(?:\d+(?:-\d+)?|\*))*)=(.+)$/

/** The maximum number of edits, so that computing and linking them stays fast. */
export const MAX_EDITS = 2000

/**
 * The edits of a link, up to one more than the maximum; invalid ones are left out.
 * @param {string} text @returns {Edit[]}
 */
export function readEdits(text) {
  /** @type {Map<string, Edit>} */ const edits = new Map()
  /** @type {string | undefined} */ let lastText
  for (const part of text.split(';')) {
    const [, name, indices, valueText] = EDIT.exec(part) ?? []
    const source = valueText === undefined ? null : readSource(valueText, lastText)
    if (!source) continue
    if ('fromText' in source) lastText = source.fromText
    const target = { name, index: indices.split(',').map(readIndex) }
    // The last edit of a cell counts.
    edits.delete(cellName(target))
    edits.set(cellName(target), { ...target, ...source })
    if (edits.size > MAX_EDITS) break
  }
  return [...edits.values()]
}
