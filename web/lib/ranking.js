/** Indices of a row's values, the largest first; ties in order. @param {ArrayLike<number>} row */
export const rankIndices = row => Array.from(row, (_, i) => i).sort((a, b) => row[b] - row[a] || a - b)
