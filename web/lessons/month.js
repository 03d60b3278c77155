/** The parts of a date in the answer of the date model, by their ids: their names depend on the reader's language. */

import { DAY, MONTH, YEAR, joinTarget } from '../../src/training/models/dates/data.js'
import { answerIds } from './run_values.js'

/** @import { Run } from '../types.d.ts' */

/** The step after the year, which chooses the month; the first one of an answer without a year. @param {Run} run */
export const monthStep = run => Math.max(0, Math.min(answerIds(run).indexOf(YEAR) + 1, answerIds(run).length - 1))
/** The row that chooses the first digit of the month. @param {Run} run */
export const monthRow = run => run.decoding?.rows[monthStep(run)] ?? 0
/** The names of year, month and day. @param {Run} run */
export const unitNames = run => [YEAR, MONTH, DAY].map(id => run.streams.target.vocabulary[id])
/** A date as the model writes it. @param {Run} run @param {number[]} date year, month, day */
export const dateText = (run, date) => joinTarget(unitNames(run).flatMap((unit, i) => [...String(date[i]), unit]))
