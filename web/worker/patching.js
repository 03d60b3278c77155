/** Activation patching: the model on one text, with the values of one place in its run on another. */

/** @import { Library, LibraryTensor, ModelRun, OtherText, PatchQuery, PatchedRows, Stream } from '../types.d.ts' */

/** The tokens of a run and its answer. @param {ModelRun} modelRun @returns {OtherText} */
export function describeText({ run, decoding }) {
  const streams = /** @type {Record<string, Stream>} */ (run.streams), [first] = Object.values(streams)
  const tokens = Object.fromEntries(Object.entries(streams).map(([name, stream]) => [name, stream.tokens[0]]))
  const prompt = run.passes.find(({ kind }) => kind === 'prefill')
  return { tokens, length: Number(prompt?.rows ?? first.lengths[0]), steps: decoding?.steps ?? [] }
}

/**
 * The inputs of two runs, with as many tokens of each answer as both have.
 * @param {ModelRun[]} runs @returns {number[][][][]}
 */
function inputsOf(runs) {
  const all = runs.map(({ exportable }) => Object.values(exportable?.inputs ?? {}))
  const length = Math.min(...all.map(inputs => inputs[inputs.length - 1][0].length))
  return all.map(inputs => inputs.with(-1, inputs[inputs.length - 1].map(row => row.slice(0, length))))
}

/**
 * Patches one place after the other.
 * @param {Library} gf
 * @param {ModelRun} here the run that is changed @param {ModelRun} there the one it takes values from
 * @param {Pick<PatchQuery, 'ids' | 'otherIds' | 'step' | 'targets'>} query
 * @param {{ signal: AbortSignal, onProgress: (fraction: number) => void }} how
 * @returns {Promise<PatchedRows>}
 */
export async function patchTexts(gf, here, there, { ids, otherIds, step, targets }, how) {
  const { model } = /** @type {NonNullable<ModelRun['exportable']>} */ (here.exportable)
  const { rows, first = 0 } = /** @type {NonNullable<ModelRun['decoding']>} */ (here.decoding)
  const metric = (/** @type {LibraryTensor} */ { values, shape: [, , V] }) => {
    const at = (rows[step] + first) * V
    return Number(values[at + otherIds[step]]) - Number(values[at + ids[step]])
  }
  const [corrupted, clean] = inputsOf([here, there])
  const found = await gf.interpret.patch({
    model: (/** @type {number[][][]} */ inputs) => model.forward(...inputs), clean, corrupted, metric, targets,
    positions: targets === 'heads' ? 'all' : 'each', ...how
  })
  const patched = found.rows.map(({ name }, i) => ({ name, values: found.values[i] }))
  return { rows: patched, here: found.corrupted, there: found.clean }
}
