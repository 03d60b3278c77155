import { Aligned } from './aligned.js'

/**
 * The words of a text as a tokenizer gets them.
 * @param {import('./normalizers.js').Normalize} rewrite @param {readonly import('./pretokenizers.js').Cut[]} cuts
 * @returns {(text: string) => Generator<string>}
 */
export const wordsOf = (rewrite, cuts) => function* (string) {
  const text = rewrite(new Aligned(string))
  const words = cuts.reduce((current, cut) => cut(current),
    { text, ends: text.string ? [text.string.length] : [], base: 0 })
  let start = 0
  for (const end of words.ends) {
    yield words.text.string.slice(start, end)
    start = end
  }
}
