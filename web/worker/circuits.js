/** The OV and QK circuits of a head and the composition scores of all, as data for the page. */

/** @import { CircuitOptions } from '../../src/js/interpret/circuits.js' */
/** @import { Circuits, CompositionScores, Failure, Library, LibraryRun, QueryTypes } from '../types.d.ts' */

/** The number of pairs of tokens that the page lists. */
export const PAIR_COUNT = 8

/**
 * The circuit, or null where the library has a reason not to compute it.
 * @template T @param {() => T | Promise<T>} compute @returns {Promise<T | null>}
 */
export async function orNull(compute) {
  try {
    return await compute()
  } catch (error) {
    if (!(/** @type {Failure} */ (error).code)) throw error
    return null
  }
}

/**
 * A head that rotates queries and keys by their positions needs their distance: of the key just before the query.
 * @param {Library} gf @param {LibraryRun} run @param {CircuitOptions} options
 */
async function qkCircuit({ interpret }, run, options) {
  try {
    return await interpret.qkCircuit(run, options)
  } catch (error) {
    if (/** @type {Failure} */ (error).code !== 'type') throw error
    return interpret.qkCircuit(run, { ...options, distance: 1 })
  }
}

/**
 * The strongest pairs of both circuits of a head; null for one that the library cannot compute.
 * @param {Library} gf @param {LibraryRun} run @param {QueryTypes['circuits'][0]} query @returns {Promise<Circuits>}
 */
export async function headCircuits(gf, run, { layer, head, logits, tokens }) {
  const options = { layer, head, top: PAIR_COUNT, ...(tokens && { tokens }) }
  // On the page these functions are fetched when they are first called.
  const ov = await orNull(() => gf.interpret.ovCircuit(run, { ...options, logits }))
  const qk = await orNull(() => qkCircuit(gf, run, options))
  return {
    ov: ov && { top: ov.top, copyingScore: ov.copyingScore, count: ov.diagonal.length },
    qk: qk && { top: qk.top, distance: qk.distance }
  }
}

/**
 * The composition scores of all heads; null where the library has a reason not to compute them.
 * @param {Library} gf @param {LibraryRun} run @returns {Promise<CompositionScores | null>}
 */
export const headCompositions = (gf, run) => orNull(() => gf.interpret.compositionScores(run))
