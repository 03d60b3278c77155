/** A tensor on a scale of its own, as a room is seen on the map, or several on one. */

import { signed } from './color.js'
import { matrixOf, tensorOf } from './run.js'
import { peak } from './slice.js'

/** @import { Run } from '../types.d.ts' */

/** The scale that these tensors share. @param {Run} run @param {string[]} names */
export const domainOf = (run, ...names) => signed(Math.max(0, ...names.map(name => peak(tensorOf(run, name)))))

/** @param {Run} run @param {string} name @param {Parameters<typeof matrixOf>[2]} [view] */
export const pictureOf = (run, name, view) => ({ part: matrixOf(run, name, view), domain: domainOf(run, name) })
