/** Ids as lists, also where they are given as a tensor, as in exports. @param {any} ids @returns {number[][]} */
export const rowsOf = ids => (Array.isArray(ids) ? ids : ids.toArray())
