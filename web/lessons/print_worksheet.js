/** Prints the worksheet of a lesson, or its key, with the numbers of the reader's runs. */

import { readRun } from '../lib/run.js'
import { settingsOf } from '../models/index.js'
import { nameRun } from '../models/names.js'
import { printSheet, renderKey, renderQuestions } from './sheet.js'
import { createFigure } from './step_figure.js'
import { createWorksheet } from './worksheet.js'

/** @import { Context, Run, State } from '../types.d.ts' */
/** @import { Lesson } from './index.js' */

/**
 * @param {Pick<Context, 't' | 'get' | 'language' | 'runQuery'>} context
 * @param {object} request
 * @param {Lesson} request.lesson @param {{ title: string, steps: Record<string, any> }} request.words
 * @param {boolean} request.isKey @param {() => boolean} request.isCurrent whether the reader is still in this lesson
 */
export async function printWorksheet({ t, get, language: getLanguage, runQuery }, { lesson, words, isKey, isCurrent }) {
  const language = getLanguage()
  /** @type {Map<string, Promise<Run>>} */ const runs = new Map()
  /** @param {State} state */
  function runOf(state) {
    const settings = settingsOf(state), key = JSON.stringify(settings)
    const pendingRun = runs.get(key) ?? runQuery('twin', { settings }).then(message => nameRun(readRun(message), language))
    runs.set(key, pendingRun)
    return pendingRun
  }
  /** @param {State} state @param {string} tensor */
  async function gradientOf(state, tensor) {
    await runQuery('twin', { settings: settingsOf(state) })
    const gradients = await runQuery('gradients', { isTwin: true, names: [tensor] })
    return /** @type {Float32Array} */ (gradients.get(tensor))
  }
  /** @type {import('./worksheet.js').Page['figureOf']} */
  const figureOf = async (step, stepWords) => (step.figure ? createFigure(step.figure, language, stepWords) : null)
  const sheet = await createWorksheet(lesson, words, { state: get(), language, runOf, gradientOf, figureOf })
  if (isCurrent()) printSheet((isKey ? renderKey : renderQuestions)(sheet, t))
}
