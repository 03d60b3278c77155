/** Dates for training and testing, and the accuracy of their translations. */

import { DAYS, FORMATS, dateOf, example, joinTarget, readings } from './data.js'

/** The batch size of the translation. */
const BATCH_SIZE = 200

/** @typedef {{ day: number, format: number } & ReturnType<typeof example>} Example */

/**
 * Examples sampled from the current random stream.
 * @param {any} gf @param {number} n @param {(day: number) => boolean} isWanted
 * @returns {Example[]}
 */
export function sampleExamples(gf, n, isWanted) {
  /** @type {Example[]} */ const examples = []
  while (examples.length < n) {
    const [day, format] = gf.tidy(() => [gf.randint(0, DAYS, [1]).item(), gf.randint(0, FORMATS.length, [1]).item()])
    if (isWanted(day)) examples.push({ day, format, ...example(day, format) })
  }
  return examples
}

/**
 * The fraction of dates that are translated exactly; one with two readings may be translated as either.
 * @param {any} model @param {Example[]} tests
 */
export function exactFraction(model, tests) {
  let right = 0
  for (let i = 0; i < tests.length; i += BATCH_SIZE) {
    const part = tests.slice(i, i + BATCH_SIZE)
    /** @type {string[]} */ const answers = model.translate(part.map(e => e.source)).map(joinTarget)
    right += answers.filter((answer, k) => (
      readings(part[k].format, dateOf(part[k].day)).includes(answer))).length
  }
  return right / tests.length
}
