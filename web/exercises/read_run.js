/** What the cases of exercises take from the page's run. */

/** @import { Run } from '../types.d.ts' */
/** @import { RunValues } from './index.js' */

/** The ids of a run that are no tensors. @param {Run} run @returns {Record<string, number[] | undefined>} */
const idsOf = ({ streams, decoding }) => ({
  'streams.source': streams.source?.ids[0], 'streams.target': streams.target?.ids[0], 'streams.text': streams.text?.ids[0],
  'streams.targets': decoding?.steps?.map(({ id }) => id)
})

/**
 * Values of a run by name, or null where it does not have all of them, as a run of another model.
 * @param {Run} run whose values have been loaded @param {string[]} names
 * @returns {RunValues | null}
 */
export function readRunValues(run, names) {
  const ids = idsOf(run)
  /** @param {string} name */
  const read = name => {
    const list = ids[name], tensor = run.tensors.get(name)
    if (list) return { shape: [list.length], data: list }
    return tensor?.data ? { shape: tensor.shape, data: Float32Array.from(tensor.data) } : null
  }
  const entries = names.map(name => [name, read(name)])
  return entries.length && entries.every(([, value]) => value) ? Object.fromEntries(entries) : null
}
