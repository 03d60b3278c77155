// `npm run test:long` (LONG=1) runs in full the suites that `npm test` samples.
import { test } from 'node:test'

export const isLong = Boolean(process.env.LONG)

/**
 * A test that `npm test` skips: repetitions in other languages, themes or widths, and slow tests that repeat others.
 */
export const longTest = isLong ? test : name => test(name, { skip: 'npm run test:long' })

/** A whole list, or in `npm test` every `step`-th item and those that `isNeeded` selects. */
export const everyNth = (list, step, isNeeded = () => false) => (
  isLong ? list : list.filter((item, i) => i % step === 0 || isNeeded(item, i, list)))

/**
 * All rooms of a run, or in `npm test` the first of each kind, since every layer has the same rooms.
 * @template {{ id: string }} R @param {R[]} rooms
 */
export const firstOfEachKind = rooms => isLong ? rooms : rooms.filter(({ id }, i) => (
  rooms.findIndex(room => withoutNumbers(room.id) === withoutNumbers(id)) === i))
const withoutNumbers = id => id.replace(/\d+/g, '#')

/** The part of a list that test i of `count` covers in `npm test`; in test:long every test covers the whole list. */
export const partUnlessLong = (list, i, count) => isLong ? [...list] : list.filter((_, at) => at % count === i)
