/** The answers of a class, added up by question. */

/** @import { AnswerBook } from '../lessons/answers.js' */

/**
 * @typedef {object} Row a question
 * @property {string} lesson @property {string} step
 * @property {number} answered how many readers answered it at all
 * @property {number} atOnce how many were right the first time
 * @property {number} later how many found it after a wrong answer
 * @property {[string, number][]} wrong wrong answers with the number of readers who gave them, most frequent first
 */

/**
 * @param {AnswerBook[]} books one of each reader @param {{ lesson: string, step: string }[]} questions @returns {Row[]}
 */
export function tabulate(books, questions) {
  return questions.map(({ lesson, step }) => {
    const answers = books.flatMap(book => book[lesson]?.[step] ?? [])
    /** @type {Map<string, number>} */ const wrong = new Map()
    const mistakes = answers.flatMap(answer => [...new Set(answer.wrong.map(String))])
    for (const given of mistakes) wrong.set(given, (wrong.get(given) ?? 0) + 1)
    return {
      lesson, step, answered: answers.length,
      atOnce: answers.filter(({ isRight, wrong: { length } }) => isRight && length === 0).length,
      later: answers.filter(({ isRight, wrong: { length } }) => isRight && length > 0).length,
      wrong: [...wrong].sort(([, a], [, b]) => b - a)
    }
  }).filter(({ answered }) => answered > 0)
}
