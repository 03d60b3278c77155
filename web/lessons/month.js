/** The month in the answer of the date model: the step that chooses its first digit, and the row that does. */

import { answerTokens } from './run_values.js'

/** @import { Run } from '../types.d.ts' */

/** The step after the year; the first one of an answer without a year. @param {Run} run */
export const monthStep = run => Math.max(0, Math.min(answerTokens(run).indexOf('년') + 1, answerTokens(run).length - 1))
/** @param {Run} run */
export const monthRow = run => run.decoding?.rows[monthStep(run)] ?? 0
