/** Ids as lists; in exports they are passed as a tensor. @param {any} ids @returns {number[][]} */
export const rowsOf = ids => (Array.isArray(ids) ? ids : ids.toArray())
