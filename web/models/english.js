/** English nouns in both numbers. */

/** What a list writes as `key` or, where the plural is not made by rule, as `man/men`. @param {string} entry */
export function bothNumbers(entry) {
  const [one, many] = entry.split('/')
  if (many) return { one, many }
  return { one, many: /(s|x|ch|sh)$/.test(one) ? `${one}es` : `${one}s` }
}
