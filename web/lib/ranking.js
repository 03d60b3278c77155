/** Places of a row's values, the largest first; equal ones in their order. @param {ArrayLike<number>} row */
export const ranking = row => Array.from(row, (_, i) => i).sort((a, b) => row[b] - row[a] || a - b)
