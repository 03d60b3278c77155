// `npm run test:long` (LONG=1) runs in full the suites that `npm test` samples.
import { test } from 'node:test'

export const isLong = Boolean(process.env.LONG)

/**
 * A test that `npm test` skips: repetitions in other languages, themes or widths, and slow tests that repeat others.
 */
export const longTest = isLong ? test : name => test(name, { skip: 'npm run test:long' })

/** A whole list, or in `npm test` the items that `isNeeded` selects and every `each`-th of the rest. */
export const sample = (list, each, isNeeded = () => false) => (
  isLong ? list : list.filter((one, i) => i % each === 0 || isNeeded(one, i, list)))

/**
 * Rooms, or in `npm test` one of each kind: further layers repeat them.
 * @template {{ id: string }} R @param {R[]} rooms
 */
export const ofKinds = rooms => isLong ? rooms : rooms.filter(({ id }, at) => (
  rooms.findIndex(other => withoutNumbers(other.id) === withoutNumbers(id)) === at))
const withoutNumbers = id => id.replace(/\d+/g, '#')

/** A list that several tests go through: all of it, or in `npm test` the i-th part of `tests`. */
export const share = (list, i, tests) => isLong ? [...list] : list.filter((_, at) => at % tests === i)
