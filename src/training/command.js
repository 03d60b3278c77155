/** The trainings of the training page for the command line: settings from text, and generation from a trained file. */

import { encode } from './models/stories/data.js'
import { decode } from './models/stories/decode.js'
import { LONGEST } from './models/stories/model.js'
import { vocabularyFrom } from './models/text/vocabulary.js'
import { parseTraining } from './training_file.js'
import { textProblem } from './custom_text.js'
import { withoutScaling } from './session.js'
import { TRAINING_SETTINGS, TASKS as NAMES, defaultsOf, problemsOf, read } from './settings.js'
import { TASKS } from './tasks/index.js'

export { hashText as markOf, decodeText as textOf } from './custom_text.js'
export { createPlayer } from './player.js'
export { write } from './settings.js'
export { pageWeightsFile as pageFile } from './tasks/task_info.js'
export { parseTraining as trainingIn }

/** @import { Problem } from './types.d.ts' */
/** @import { TrainingState } from './settings.js' */

/** The problems of settings and texts in English, for the command line. @type {Record<string, string>} */
const PROBLEMS = {
  'errors.integer': 'it has to be an integer from {low} to {high}',
  'errors.choice': 'there is no such value',
  'errors.divide': 'it has to divide d-model {dModel}, and {heads} does not',
  'errors.shareHeads': '{heads} heads of queries cannot share {kvHeads} of keys and values evenly',
  'theatre.errors.range': 'it has to be a number from {low} to {high}',
  'theatre.errors.memory': 'a step needs about {megabytes} MB; at most {most} MB are allowed, so make the batch or the model smaller',
  'theatre.errors.unfit': 'the model of this task has no such part',
  'theatre.errors.pairs': 'rotary positions rotate pairs of dimensions, and a head of {size} is odd',
  'theatre.errors.empty': 'it is empty',
  'theatre.errors.oneSign': 'it has only one kind of character, so there is nothing to learn',
  'theatre.errors.short': 'it is too short: {count} characters, and the length of a row needs {need}',
  'theatre.errors.large': '{megabytes} MB is too much; the limit is {most} MB',
  'theatre.errors.manySigns': 'it has {signs} different characters, and as characters it learns up to {most}; choose --unit pairs'
}

/** @param {Problem} problem */
const describeProblem = ({ key, values = {} }) => (PROBLEMS[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name]))

/** The invalid parts of a link: unknown settings or values. @param {string} link */
function invalidParts(link) {
  const [task, ...parts] = link.split('_')
  if (!NAMES.includes(task)) return [task]
  return parts.filter(part => {
    const [name, ...rest] = part.replace(/^vs-/, '').split('-'), text = rest.join('-')
    if (!Object.hasOwn(TRAINING_SETTINGS, name)) return true
    const { options, kind } = TRAINING_SETTINGS[name]
    if (kind === 'mark') return !/^[0-9a-z]{1,7}$/.test(text)
    return options ? !Object.hasOwn(options, text) : text === '' || !Number.isFinite(Number(text))
  })
}

/**
 * The settings of a training from its link and further options.
 * @param {string} link @param {Record<string, unknown>} overrides settings by name @param {string} [text] to learn from
 * @returns {{ settings: TrainingState, problems: string[] }} problems: reasons why it cannot start, in words
 */
export function settingsFrom(link, overrides, text) {
  const invalid = invalidParts(link)
  const settings = /** @type {TrainingState} */ ({ ...(invalid.length ? defaultsOf('text') : read(link)), ...overrides })
  const settingProblems = Object.entries(problemsOf(settings)).map(([name, problem]) => `${name}: ${describeProblem(problem)}`)
  const problemOfText = text !== undefined && settings.task === 'text' ? textProblem(text, settings) : null
  return { settings, problems: [
    ...invalid.map(part => `nothing is known of '${part}'; the tasks are ${NAMES.join(', ')}`), ...settingProblems,
    ...(problemOfText ? [`the text: ${describeProblem(problemOfText)}`] : [])
  ] }
}

/** Tasks whose models continue any text, with the ids of a prompt. */
const LANGUAGES = {
  text: {
    begin(/** @type {any} */ data, /** @type {string} */ prompt) {
      const { signs: characters } = data.serialized,
        unknownCharacter = [...prompt].find(sign => characters && !characters.includes(sign))
      if (unknownCharacter !== undefined) throw new Error(`the text that it learned had no '${unknownCharacter}'`)
      const ids = data.encode(prompt)
      return ids.length ? ids : [0]
    },
    say: (/** @type {any} */ data, /** @type {number[]} */ ids) => data.decode(ids)
  },
  stories: {
    begin: (/** @type {any} */ { tokenizer }, /** @type {string} */ prompt) => encode(tokenizer, prompt),
    say: (/** @type {any} */ { tokenizer }, /** @type {number[]} */ ids) => decode(tokenizer, ids)
  }
}

/**
 * The model in the file of a training, as a function: it continues a text, or answers it.
 * @param {any} gf the library @param {Uint8Array} file
 * @returns {(text: string, options: Record<string, any>) => { text: string, ids: number[], answer: string }}
 *   throws if it does not support the options
 */
export function createContinuation(gf, file) {
  const { tensors, metadata } = gf.loadSafetensors(file), settings = read(metadata.training)
  const task = TASKS[settings.task]
  const data = settings.task === 'text'
    ? { ...vocabularyFrom(gf, metadata.vocabulary), length: settings.length } : task.prepare(gf, settings)
  const model = withoutScaling(task.create(gf, settings, data).eval(), settings)
  model.loadStateDict(tensors, { strict: false })
  const { longest = LONGEST } = JSON.parse(metadata.shape), language = LANGUAGES[/** @type {'text'} */ (settings.task)]
  const forward = (/** @type {number[][]} */ rows) => model.forward(rows.map(row => row.slice(-longest)))
  return (text, options) => {
    if (language) {
      const ids = gf.decoding.generate(forward, language.begin(data, text), { ...options, cache: false })
      return { text, ids, answer: language.say(data, ids) }
    }
    if (Object.keys(options).length) throw new Error(`the model of ${settings.task} answers in one way, without options`)
    return { text, ids: [], answer: ` -> ${task.answer(gf, model, data, text).text}` }
  }
}
