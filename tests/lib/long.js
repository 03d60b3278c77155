// What `npm test` does with a part, `npm run test:long` does whole: the same tests, with LONG=1.
import { test } from 'node:test'

export const isLong = Boolean(process.env.LONG)

/**
 * A test that `npm test` passes over by name: of what is seen in several languages, themes or widths, all but one, and
 * what takes long and repeats what others hold.
 */
export const longTest = isLong ? test : name => test(name, { skip: 'npm run test:long' })

/** A whole list, or in `npm test` what `isNeeded` and every so many of the rest. */
export const sample = (list, each, isNeeded = () => false) => (
  isLong ? list : list.filter((one, i) => i % each === 0 || isNeeded(one, i, list)))

/**
 * Rooms, or in `npm test` one of each kind: further layers repeat them.
 * @template {{ id: string }} R @param {R[]} rooms
 */
export const ofKinds = rooms => isLong ? rooms : rooms.filter(({ id }, at) => (
  rooms.findIndex(other => withoutNumbers(other.id) === withoutNumbers(id)) === at))
const withoutNumbers = id => id.replace(/\d+/g, '#')

/** A list that several tests go through: each whole, or in `npm test` each its share, the i-th of so many. */
export const share = (list, i, tests) => isLong ? [...list] : list.filter((_, at) => at % tests === i)
