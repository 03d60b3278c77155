/** The products of a figure as text. */

import { formatFixed } from '../lib/number.js'

/** The terms of a dot product as text, `1.0 × (−2.0) + 3.0 × 0.5`. @param {number[]} a @param {number[]} b */
export const formatProducts = (a, b) => (
  a.map((value, axis) => `${formatFixed(value, 1)} × ${formatFixed(b[axis], 1)}`).join(' + ')
    .replace(/([×+] )(−[\d.]+)/g, '$1($2)'))
