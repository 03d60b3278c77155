/** Thumbnails of tensors, each on its own color scale or several on a common one. */

import { signedDomain } from './color.js'
import { sliceMatrix, getTensor } from './run.js'
import { peak } from './slice.js'

/** @import { Run } from '../types.d.ts' */

/** The common color scale of some tensors. @param {Run} run @param {string[]} names */
export const commonDomain = (run, ...names) =>
  signedDomain(Math.max(0, ...names.map(name => peak(getTensor(run, name)))))

/** @param {Run} run @param {string} name @param {Parameters<typeof sliceMatrix>[2]} [view] */
export const createPicture = (run, name,
  view) => ({ part: sliceMatrix(run, name, view), domain: commonDomain(run, name) })
