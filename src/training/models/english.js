/** English nouns in both numbers. */

/** The singular and plural of an entry: `key`, or `man/men` where the plural is irregular. @param {string} entry */
export function bothNumbers(entry) {
  const [singular, many] = entry.split('/')
  if (many) return { one: singular, many }
  return { one: singular, many: /(s|x|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s` }
}
