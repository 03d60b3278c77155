/** The cases of an exercise as literals of Python, for the exported notebook. */

import { createCases } from './check.js'
import { isTensor } from './leaves.js'

/** @import { Library } from '../types.d.ts' */
/** @import { Exercise } from './index.js' */

/** Digits that determine a float32. */
const DIGITS = 9

/** @param {number} x */
const writeNumber = x => (Number.isNaN(x) ? "float('nan')" : Math.abs(x) === Infinity ? `float('${x < 0 ? '-' : ''}inf')`
  : Number.isInteger(x) ? String(x) : String(Number(x.toPrecision(DIGITS))))

/**
 * A value as Python writes it: tensors are `torch.tensor`; a function brings its own text as `python`.
 * @param {any} value @returns {string}
 */
export function toPython(value) {
  if (isTensor(value)) {
    const dtype = value.dtype === 'bool' ? 'bool' : value.dtype === 'int32' ? 'int64' : 'float32'
    return `torch.tensor(${toPython(value.toArray())}, dtype=torch.${dtype})`
  }
  if (typeof value === 'number') return writeNumber(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'function') return value.python
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${toPython(item)}`).join(', ')}}`
}

/**
 * The arguments and the engine's result of every case, without those of the page's run.
 * @param {Exercise} exercise @param {Library} gf
 * @returns {{ id: string, args: string, expected: string }[]}
 */
export const exportCases = (exercise, gf) => gf.tidy(() => (
  createCases(exercise, { gf, values: null }).map(([id, args]) => ({
    id, args: `[${args.map(toPython).join(', ')}]`, expected: toPython(exercise.expected(gf, ...args))
  }))))
