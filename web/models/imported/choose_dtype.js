/** In which dtype the weights of an imported model are read: by what the memory of the tab holds. */

/** @import { Library } from '../../types.d.ts' */
/** @import { Files } from './store.js' */

/**
 * A dtype of `gf.models.load`; 'file' stands for the blocks of a GGUF file as they are.
 * @typedef {'float32' | 'float16' | 'bfloat16' | 'int8' | 'q4_k' | 'file'} Dtype
 *
 * Why it is chosen: 'editable', since only float32 can be edited; 'stored' in it; 'smaller', since the stored one does
 * not fit.
 * @typedef {'editable' | 'stored' | 'smaller'} Reason
 * @typedef {{ dtype: Dtype, bytes: number, isPossible: boolean }} Choice isPossible: whether the library can load it
 */

/** Up to this size weights are read as float32, since they can be edited and have gradients then. */
const MAX_EDITABLE_BYTES = 2 ** 30
/** The bytes of weights that leave room for a run in the address space. */
const MAX_WEIGHT_BYTES = 2.5 * 2 ** 30
/** The share of the machine's memory that weights may take, and the memory in GB of one that does not tell it. */
const SHARE = 1 / 2, UNKNOWN_MEMORY = 8

/** The bytes that weights may take in this tab. */
export function weightRoom() {
  const { deviceMemory = UNKNOWN_MEMORY } = /** @type {{ deviceMemory?: number }} */ (globalThis.navigator ?? {})
  return Math.min(MAX_WEIGHT_BYTES, SHARE * deviceMemory * 2 ** 30)
}

/** The option of models.load. @param {Dtype} dtype */
export const dtypeOption = dtype => (dtype === 'file' ? {} : { dtype })

/** The dtype that holds a file's weights as they are stored. @param {string | null} stored @returns {Dtype} */
function storedDtype(stored) {
  if (stored === 'float64' || stored === null) return 'float32'
  if (/^f8/.test(stored)) return 'float16'
  return stored === 'float32' || stored === 'float16' || stored === 'bfloat16' ? stored : 'file'
}

/**
 * Describes a model in every dtype that is offered for it, and chooses one.
 * @param {Library} gf @param {Files} files @param {number} [room] bytes that weights may take
 */
export async function chooseDtype(gf, files, room = weightRoom()) {
  const wide = await gf.models.inspect(files, { dtype: 'float32' }), stored = storedDtype(wide.dtype)
  const smaller = stored === 'file' ? ['int8'] : ['bfloat16', 'int8', 'q4_k']
  const offered = /** @type {Dtype[]} */ ([...new Set(['float32', stored, ...smaller])])
  const inspections = await Promise.all(offered.map(dtype => gf.models.inspect(files, dtypeOption(dtype))))
  /** @type {Choice[]} */
  const choices = offered.map((dtype, i) => (
    { dtype, bytes: inspections[i].bytes, isPossible: inspections[i].problems.length === 0 }))
  const isEditable = wide.bytes <= Math.min(MAX_EDITABLE_BYTES, room), possible = choices.filter(one => one.isPossible)
  const smallest = [...possible].sort((a, b) => a.bytes - b.bytes)[0]?.dtype ?? stored
  const dtype = [isEditable ? 'float32' : stored, 'int8', 'q4_k'].map(one => (
    possible.find(choice => choice.dtype === one && choice.bytes <= room)?.dtype)).find(Boolean) ?? smallest
  const reason = /** @type {Reason} */ (isEditable ? 'editable' : dtype === stored ? 'stored' : 'smaller')
  return { inspection: inspections[offered.indexOf(dtype)], choices, dtype, reason, stored: wide.dtype, room }
}
