/** Texts of a language that is not complete. */

/**
 * The texts with the English ones wherever one is missing.
 * @param {any} texts of a file: lists and objects, nested
 * @param {any} english those of the same file in English
 * @returns {any}
 */
export function fillMissing(texts, english) {
  if (typeof texts !== typeof english) return english
  if (typeof english !== 'object') return texts
  const all = Object.entries(english).map(([key, text]) => [key, fillMissing(texts[key], text)])
  return Array.isArray(english) ? all.map(([, text]) => text) : Object.fromEntries(all)
}
