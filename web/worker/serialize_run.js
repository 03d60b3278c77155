/**
 * Serializes a run for the page: the description of every tensor, and the values of those that are displayed.
 */

import { copyValues } from '../models/float_rows.js'
import { peak } from '../lib/slice.js'

/** @import { Library, LibraryRun, ModelRun, QueryTypes, RunMessage, Step, Stream, Structure } from '../types.d.ts' */

/** A run whose tensors take fewer bytes is sent with all values, since every tensor has a thumbnail on the map. */
const MAX_BYTES = 8 * 2 ** 20

const CURVE = Float32Array.from({ length: 161 }, (_, i) => (i - 80) / 8)

/** The activations of a run from −10 to 10, as the kernels compute them. @param {Library} gf @param {LibraryRun} run */
function curvesOf(gf, run) {
  const steps = run.steps.filter(({ kind }) => kind === 'activation')
  return Object.fromEntries(steps.filter(({ op }, i) => steps.findIndex(step => step.op === op) === i).map(step => {
    const y = gf.tidy(() => gf.noGrad(() => run.recompute(step.outputs.out, { x: gf.tensor(CURVE) })).values.slice())
    return [step.op, { x: CURVE, y: Float32Array.from(y) }]
  }))
}

/**
 * Copies tensors into one contiguous block of memory.
 * @param {LibraryRun} run @param {string[]} names
 * @returns {Map<string, Float32Array>}
 */
export function readValues(run, names) {
  const sizes = names.map(name => run.tensor(name).numel())
  const block = new Float32Array(sizes.reduce((sum, size) => sum + size, 0))
  let at = 0
  return new Map(names.map((name, i) => {
    const data = block.subarray(at, at + sizes[i])
    copyValues(run.tensor(name), data)
    at += sizes[i]
    return [name, data]
  }))
}

/**
 * The values of tensors, with their largest magnitudes, which the page would otherwise have to search for.
 * @param {LibraryRun} run @param {string[]} names @returns {QueryTypes['read'][1]}
 */
export function readValuesWithPeaks(run, names) {
  const values = readValues(run, names)
  return { values, peaks: new Map(Array.from(values, ([name, data]) => [name, peak({ data })])) }
}

/**
 * The gradients of all tensors that have one; inputs and the choice of a token have none.
 * @param {LibraryRun} run @param {string[]} [names] of some of them
 * @returns {Map<string, Float32Array>}
 */
export function gradientsOf(run, names = run.names) {
  /** @type {Map<string, Float32Array>} */ const gradients = new Map()
  for (const name of names) {
    try {
      gradients.set(name, /** @type {Float32Array} */ (run.gradient(name)))
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code !== 'state') throw error
    }
  }
  return gradients
}

/**
 * The structure of a run without its values: it stays the same while the reader only types.
 * @param {LibraryRun} run @returns {Structure}
 */
const structureOf = run => ({
  described: run.names.map(name => run.describe(name)), steps: run.steps, calls: run.calls, aliases: run.aliases
})

/**
 * @param {Library} gf
 * @param {ModelRun} modelRun a run with its model's facts
 * @param {{ signature?: string, wanted?: string[] }} [request] signature: of the structure that the page has already;
 *   wanted: names of tensors whose values are requested, where not all are sent
 * @returns {RunMessage}
 */
export function messageOf(gf, { run, continuation: _, similarTexts: __, exportable, ...facts }, { signature = '', wanted = [] } = {}) {
  const { names, streams, passes, unusedEdits, loss, hasLoss, end } = run
  const retained = names.filter(name => run.describe(name).isKept)
  const bytes = retained.reduce((sum, name) => sum + run.tensor(name).numel() * 4, 0)
  const values = readValues(run, bytes < MAX_BYTES ? retained : wanted.filter(name => retained.includes(name)))
  const ownSignature = run.signature
  const isKnown = ownSignature === signature
  return {
    signature: ownSignature, structure: isKnown ? null : structureOf(run),
    curves: isKnown ? null : curvesOf(gf, run),
    values, streams: /** @type {Record<string, Stream>} */ (streams), passes, loss, hasLoss, end,
    // A run as a source cannot be sent.
    unusedEdits: unusedEdits.map(edit => (typeof edit.from === 'object' ? { name: edit.name, index: edit.index } : edit)),
    facts: { ...facts, isExportable: Boolean(exportable), hasHubFiles: Boolean(exportable?.files) }
  }
}

/** By query, the arrays in its result that the worker does not need any more, so that they can be transferred. */
/** @type {Record<string, (result: any) => Iterable<Float32Array | Uint8Array>>} */
const OWNED_ARRAYS = {
  run: ({ values }) => values.values(), twin: ({ values }) => values.values(), read: ({ values }) => values.values(),
  exportModel: result => [result].flat().filter((/** @type {any} */ item) => typeof item !== 'string'),
  rows: ({ rows }) => [rows], thumbnails: ({ values }) => [values], norms: result => result,
  contributions: result => result.flatMap((/** @type {QueryTypes['contributions'][1][0]} */ { pictures, norms }) => (
    [norms, ...pictures.map(({ values }) => values)]))
}

/**
 * The buffers to transfer with a result instead of copying them.
 * @param {string} type of the request @param {any} result
 */
export const transferList = (type, result) => (
  [...new Set(Array.from(OWNED_ARRAYS[type]?.(result) ?? [], ({ buffer }) => buffer))])
