/** A tensor on its own scale, as a thumbnail, or several on a common one. */

import { signed } from './color.js'
import { matrixOf, tensorOf } from './run.js'
import { peak } from './slice.js'

/** @import { Run } from '../types.d.ts' */

/** The common scale of some tensors. @param {Run} run @param {string[]} names */
export const domainOf = (run, ...names) => signed(Math.max(0, ...names.map(name => peak(tensorOf(run, name)))))

/** @param {Run} run @param {string} name @param {Parameters<typeof matrixOf>[2]} [view] */
export const pictureOf = (run, name, view) => ({ part: matrixOf(run, name, view), domain: domainOf(run, name) })
