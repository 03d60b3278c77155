// `npm run test:long` (LONG=1) runs in full the suites that `npm test` samples.
import { test } from 'node:test'

export const isLong = Boolean(process.env.LONG)

/**
 * A test that `npm test` skips: repetitions in other languages, themes or widths, and slow tests that repeat others.
 */
export const longTest = isLong ? test : name => test(name, { skip: 'npm run test:long' })

/** A whole list, or in `npm test` every `step`-th item and those that `isNeeded` selects. */
export const sample = (list, step, isNeeded = () => false) => (
  isLong ? list : list.filter((item, i) => i % step === 0 || isNeeded(item, i, list)))

/**
 * All rooms, or in `npm test` the first of each kind: the rooms of further layers are alike.
 * @template {{ id: string }} R @param {R[]} rooms
 */
export const ofKinds = rooms => isLong ? rooms : rooms.filter(({ id }, at) => (
  rooms.findIndex(other => withoutNumbers(other.id) === withoutNumbers(id)) === at))
const withoutNumbers = id => id.replace(/\d+/g, '#')

/** Divides a list among several tests: all of it, or in `npm test` the i-th of `count` parts. */
export const share = (list, i, count) => isLong ? [...list] : list.filter((_, at) => at % count === i)
