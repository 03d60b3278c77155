/** What a model says by itself, one token after another, edits included. */

import { pathTo } from '../../src/js/decoding/beam.js'
import { filterLogits, greedy, pick } from '../../src/js/decoding/choose.js'
import { ranking } from '../lib/ranking.js'
import { choosable, decoded, drawsOf, searched } from './decoding.js'
import { createSampling } from './sampling.js'

/** @import { Branch, Decoding, Edit, Library, LibraryTensor, Settings } from '../types.d.ts' */
/** @import { Frame } from './decoding.js' */
/** @import { Candidates } from '../../src/js/decoding/choose.js' */

/**
 * An answer with what it was chosen by.
 * @typedef {{ ids: number[], random: number[] | null, tree: Branch[] | null, best: number | null,
 *   isGiven?: boolean }} Chosen
 */

/** The name that the module from logits to the choice has in every run. */
export const SAMPLING = 'sampling'

/** @param {Edit} edit */
export const isOfSampling = ({ name }) => name.startsWith(`${SAMPLING}.`)

/**
 * Whether a place of an attention would look at a later one, so that the answer depends on how far it is written.
 * @param {Edit} edit
 */
function looksAhead({ index }) {
  const [, , query, key] = index
  if (index.length !== 4) return false
  return typeof query !== 'number' || typeof key !== 'number' || key > query
}

/**
 * The values of something computed without keeping anything; with edits it has to be traced, as they are made there.
 * @param {Library} gf @param {Edit[]} edits @param {() => LibraryTensor} fn @param {Record<string, any>} [modules]
 */
export function compute(gf, edits, fn, modules = {}) {
  if (edits.length === 0) return gf.tidy(() => gf.noGrad(() => /** @type {Float32Array} */ (fn().values.slice())))
  const { output, trace } = gf.trace(() => gf.noGrad(fn), { edits, modules, allowMissing: true, keepAttention: [] })
  const values = /** @type {Float32Array} */ (output.values.slice())
  trace.dispose()
  output.dispose()
  return values
}

/**
 * The shares that are chosen from, as edits leave them.
 * @param {Library} gf @param {Settings} settings @param {Float32Array} logits @param {number} V @param {Edit[]} edits
 */
function editedShares(gf, settings, logits, V, edits) {
  const sampling = createSampling(gf, settings)
  const shape = [1, logits.length / V, V]
  const values = compute(gf, edits, () => sampling.forward(gf.tensor(logits, { shape })), { [SAMPLING]: sampling })
  sampling.dispose()
  return values
}

/**
 * Shares that an edit made, the largest first, as a draw goes through them.
 * @param {Float32Array} row @returns {Candidates}
 */
const inOrder = row => {
  const ids = ranking(row)
  return { ids: Int32Array.from(ids), probabilities: Float32Array.from(ids, id => row[id]) }
}

/**
 * Which token the settings pick from a row: of shares where an edit made them, else of logits.
 * @param {Library} gf @param {Settings} settings @param {boolean} isOfShares @param {number} longest
 */
function chooser(gf, settings, isOfShares, longest) {
  if (settings.decoding !== 'sample') return { choose: (/** @type {Float32Array} */ row) => greedy(choosable(row)), random: null }
  const { temperature, topK, topP, seed } = settings
  const random = drawsOf(gf, seed, longest)
  /** @param {Float32Array} row */
  const from = row => (isOfShares ? inOrder(row) : filterLogits(gf.engine, choosable(row), { temperature, topK, topP }))
  /** @param {Float32Array} row @param {number} step */
  const choose = (row, step) => pick(from(row), random[step])
  return { choose, random }
}

/**
 * The best of several beginnings; edited beginnings one at a time, since an edit is about the first of a batch.
 * @param {Library} gf @param {Settings} settings @param {(rows: number[][]) => Float32Array} forward
 * @param {Frame & { V: number, isEdited: boolean }} frame @returns {Generator<Chosen, void>}
 */
function* byBeams(gf, settings, forward, { V, isEdited, ...frame }) {
  /** @param {Float32Array} logits */
  const lastRow = logits => gf.tidy(() => (
    /** @type {Float32Array} */ (gf.functional.logSoftmax(gf.tensor(logits.slice(-V))).values.slice())))
  const steps = searched(gf, (live, grown) => {
    const rows = live.map(at => [...frame.start, ...pathTo(grown, at)])
    if (isEdited) return rows.map(row => lastRow(forward([row])))
    const logits = forward(rows)
    const size = logits.length / rows.length
    return rows.map((_, n) => lastRow(logits.subarray(n * size, (n + 1) * size)))
  }, settings.beams, frame)
  for (const { tree, best } of steps) yield { ids: pathTo(tree, best), tree, best, random: null }
}

/**
 * A choice for each of some rows of one pass, all at once.
 * @param {Library} gf @param {Settings} settings @param {() => LibraryTensor} forward to logits [1, tokens, V]
 * @param {{ V: number, rows: number[] }} frame the rows that are chosen from
 * @param {Edit[]} edits @returns {Chosen}
 */
export function choose(gf, settings, forward, { V, rows }, edits) {
  const inChoice = edits.filter(isOfSampling)
  const logits = compute(gf, edits.filter(edit => !isOfSampling(edit)), forward)
  const isOfShares = inChoice.length > 0
  const values = isOfShares ? editedShares(gf, settings, logits, V, inChoice) : logits
  const { choose: pick, random } = chooser(gf, settings, isOfShares, rows.length)
  const ids = rows.map((row, step) => pick(values.slice(row * V, (row + 1) * V), step))
  return { ids, random, tree: null, best: null }
}

/** The last answer of an engine and of how many tokens its model knows: another model's would be none of this one's. */
/** @type {WeakMap<Library, { V: number, ids: number[] }>} */
const guesses = new WeakMap()

/**
 * The model's own answer.
 * @param {Library} gf
 * @param {Settings} settings
 * @param {(rows: number[][]) => LibraryTensor} forward rows of ids, all of one length, to logits [rows, tokens, V]
 * @param {import('./decoding.js').Frame & { V: number, isCausal: boolean }} frame
 * @param {Edit[]} edits
 * @returns {Generator<Chosen, void>} what there is of it after each pass, at last all of it
 */
export function* answered(gf, settings, forward, { V, isCausal, ...frame }, edits) {
  const inChoice = edits.filter(isOfSampling)
  const inModel = edits.filter(edit => !isOfSampling(edit))
  /** @param {number[][]} rows */
  const logitsOf = rows => compute(gf, inModel, () => forward(rows))
  if (settings.decoding === 'beam') return yield* byBeams(gf, settings, logitsOf, { V, isEdited: edits.length > 0, ...frame })
  const isOfShares = inChoice.length > 0
  /** @param {number[]} input */
  const rowsOf = input => {
    const logits = logitsOf([input])
    return isOfShares ? editedShares(gf, settings, logits, V, inChoice) : logits
  }
  const { choose, random } = chooser(gf, settings, isOfShares, frame.longest)
  const last = guesses.get(gf)
  const guess = !isCausal || inModel.some(looksAhead) || last?.V !== V ? [] : last.ids
  for (const ids of decoded(rowsOf, choose, guess, { ...frame, V })) {
    guesses.set(gf, { V, ids })
    yield { ids, random, tree: null, best: null }
  }
}

/** The same without waiting. @param {Parameters<typeof answered>} asked @returns {Chosen} */
export function answer(...asked) {
  /** @type {Chosen | null} */ let last = null
  for (const chosen of answered(...asked)) last = chosen
  return /** @type {Chosen} */ (last)
}

/**
 * What each step of an answer chose, as plain data.
 * @param {Chosen} chosen @param {string} kind @param {readonly string[]} words
 * @param {number[]} rows of the logits that it was chosen from @returns {Decoding}
 */
export const decodingOf = ({ ids, isGiven, random, tree, best }, kind, words, rows) => ({
  kind: isGiven ? 'given' : kind, tree, best, rows,
  steps: ids.map((id, t) => ({ id, token: words[id], draw: random ? random[t] : null }))
})
