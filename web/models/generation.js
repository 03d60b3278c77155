/** Generates a model's answer with edits applied. */

import { pathTo } from '../../src/js/decoding/beam.js'
import { filterLogits, greedy, pick } from '../../src/js/decoding/choose.js'
import { toLibrary } from '../lib/edits.js'
import { rankIndices } from '../lib/ranking.js'
import { ensureChoosable, generateTokens, randomNumbers, searchBeams } from './decoding.js'
import { createSampling } from './sampling.js'

/** @import { Branch, Decoding, Edit, Library, LibraryTensor, Settings } from '../types.d.ts' */
/** @import { Frame } from './decoding.js' */
/** @import { Candidates } from '../../src/js/decoding/choose.js' */

/**
 * An answer: its ids, the random numbers of its samples, or the tree of its beam search.
 * @typedef {{ ids: number[], random: number[] | null, tree: Branch[] | null, best: number | null,
 *   isGiven?: boolean }} Chosen
 */

/** The name of the sampling module in every run. */
export const SAMPLING = 'sampling'

/** @param {Edit} edit */
export const isSamplingEdit = ({ name }) => name.startsWith(`${SAMPLING}.`)

/**
 * Whether an edited cell of an attention lets a query attend to a later key, so that earlier tokens depend on later
 * ones.
 * @param {Edit} edit
 */
function looksAhead({ index }) {
  const [, , query, key] = index
  if (index.length !== 4) return false
  return typeof query !== 'number' || typeof key !== 'number' || key > query
}

/**
 * The values of a computation without a graph; edits are applied under a trace.
 * @param {Library} gf @param {Edit[]} edits @param {() => LibraryTensor} fn @param {Record<string, any>} [modules]
 */
export function compute(gf, edits, fn, modules = {}) {
  if (edits.length === 0) return gf.tidy(() => gf.noGrad(() => /** @type {Float32Array} */ (fn().values.slice())))
  const { output, trace } = gf.trace(() => gf.noGrad(fn),
    { edits: toLibrary(edits), modules, allowMissing: true, keepAttention: [] })
  const values = /** @type {Float32Array} */ (output.values.slice())
  trace.dispose()
  output.dispose()
  return values
}

/**
 * The probabilities to choose from, with edits applied.
 * @param {Library} gf @param {Settings} settings @param {Float32Array} logits @param {number} V @param {Edit[]} edits
 */
function editedProbabilities(gf, settings, logits, V, edits) {
  const sampling = createSampling(gf, settings)
  const shape = [1, logits.length / V, V]
  const values = compute(gf, edits, () => sampling.forward(gf.tensor(logits, { shape })), { [SAMPLING]: sampling })
  sampling.dispose()
  return values
}

/**
 * Edited probabilities, the largest first, in the order of sampling.
 * @param {Float32Array} row @returns {Candidates}
 */
const sortedCandidates = row => {
  const ids = rankIndices(row)
  return { ids: Int32Array.from(ids), probabilities: Float32Array.from(ids, id => row[id]) }
}

/**
 * The function that picks a token from a row: of probabilities where one was edited, else of logits.
 * @param {Library} gf @param {Settings} settings @param {boolean} isEdited @param {number} longest
 */
function tokenChooser(gf, settings, isEdited, longest) {
  if (settings.decoding !== 'sample') return { choose: (/** @type {Float32Array} */ row) => greedy(ensureChoosable(row)), random: null }
  const { temperature, topK, topP, seed } = settings
  const random = randomNumbers(gf, seed, longest)
  /** @param {Float32Array} row */
  const candidatesOf = row => (
    isEdited ? sortedCandidates(row) : filterLogits(gf.engine, ensureChoosable(row), { temperature, topK, topP }))
  /** @param {Float32Array} row @param {number} step */
  const choose = (row, step) => pick(candidatesOf(row), random[step])
  return { choose, random }
}

/**
 * Beam search; with edits one branch at a time, since an edit applies to the first item of a batch.
 * @param {Library} gf @param {Settings} settings @param {(rows: number[][]) => Float32Array} forward
 * @param {Frame & { V: number, isEdited: boolean }} frame @returns {Generator<Chosen, void>}
 */
function* beamSteps(gf, settings, forward, { V, isEdited, ...frame }) {
  /** @param {Float32Array} logits */
  const lastRow = logits => gf.tidy(() => (
    /** @type {Float32Array} */ (gf.functional.logSoftmax(gf.tensor(logits.slice(-V))).values.slice())))
  const steps = searchBeams(gf, (live, grown) => {
    const rows = live.map(at => [...frame.start, ...pathTo(grown, at)])
    if (isEdited) return rows.map(row => lastRow(forward([row])))
    const logits = forward(rows)
    const size = logits.length / rows.length
    return rows.map((_, n) => lastRow(logits.subarray(n * size, (n + 1) * size)))
  }, settings.beams, frame)
  for (const { tree, best } of steps) yield { ids: pathTo(tree, best), tree, best, random: null }
}

/**
 * Chooses a token for each of some rows of one pass.
 * @param {Library} gf @param {Settings} settings @param {() => LibraryTensor} forward to logits [1, tokens, V]
 * @param {{ V: number, rows: number[] }} frame the rows to choose from
 * @param {Edit[]} edits @returns {Chosen}
 */
export function choose(gf, settings, forward, { V, rows }, edits) {
  const inChoice = edits.filter(isSamplingEdit)
  const logits = compute(gf, edits.filter(edit => !isSamplingEdit(edit)), forward)
  const isEdited = inChoice.length > 0
  const values = isEdited ? editedProbabilities(gf, settings, logits, V, inChoice) : logits
  const { choose: pick, random } = tokenChooser(gf, settings, isEdited, rows.length)
  const ids = rows.map((row, step) => pick(values.slice(row * V, (row + 1) * V), step))
  return { ids, random, tree: null, best: null }
}

/** The last answer of each engine, as a guess at the next one if the vocabulary has the same size. */
/** @type {WeakMap<Library, { V: number, ids: number[] }>} */
const guesses = new WeakMap()

/**
 * The model's own answer.
 * @param {Library} gf
 * @param {Settings} settings
 * @param {(rows: number[][]) => LibraryTensor} forward rows of ids, all of one length, to logits [rows, tokens, V]
 * @param {import('./decoding.js').Frame & { V: number, isCausal: boolean }} frame
 * @param {Edit[]} edits
 * @returns {Generator<Chosen, void>} the answer so far after each pass, finally all of it
 */
export function* generateSteps(gf, settings, forward, { V, isCausal, ...frame }, edits) {
  const inChoice = edits.filter(isSamplingEdit)
  const inModel = edits.filter(edit => !isSamplingEdit(edit))
  /** @param {number[][]} rows */
  const logitsOf = rows => compute(gf, inModel, () => forward(rows))
  if (settings.decoding === 'beam') return yield* beamSteps(gf, settings, logitsOf, { V, isEdited: edits.length > 0, ...frame })
  const isEdited = inChoice.length > 0
  /** @param {number[]} input */
  const rowsOf = input => {
    const logits = logitsOf([input])
    return isEdited ? editedProbabilities(gf, settings, logits, V, inChoice) : logits
  }
  const { choose, random } = tokenChooser(gf, settings, isEdited, frame.longest)
  const last = guesses.get(gf)
  const guess = !isCausal || inModel.some(looksAhead) || last?.V !== V ? [] : last.ids
  for (const ids of generateTokens(rowsOf, choose, guess, { ...frame, V })) {
    guesses.set(gf, { V, ids })
    yield { ids, random, tree: null, best: null }
  }
}

/** The whole answer at once. @param {Parameters<typeof generateSteps>} args @returns {Chosen} */
export function generate(...args) {
  /** @type {Chosen | null} */ let last = null
  for (const chosen of generateSteps(...args)) last = chosen
  return /** @type {Chosen} */ (last)
}

/**
 * The steps of an answer as plain data.
 * @param {Chosen} chosen @param {string} kind @param {readonly string[]} words
 * @param {number[]} rows the rows of logits that it was chosen from
 * @returns {Decoding}
 */
export const decodingOf = ({ ids, isGiven, random, tree, best }, kind, words, rows) => ({
  kind: isGiven ? 'given' : kind, tree, best, rows,
  steps: ids.map((id, t) => ({ id, token: words[id], sample: random ? random[t] : null }))
})
