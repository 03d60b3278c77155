/** A training on the page: its settings, its record, and its worker. */

import { createClient } from './client.js'
import { createRecord } from '../../src/training/training_record.js'

/** @import { News } from '../../src/training/training_record.js' */
/** @import { TrainingState } from '../../src/training/settings.js' */

/** @typedef {ReturnType<typeof createTraining>} Training */

/**
 * @param {{ onSeen(news: News): void, onError(error: unknown): void }} handlers
 * @param {import('./client.js').Place} place
 */
export function createTraining({ onSeen, onError }, place) {
  const record = createRecord()
  const client = createClient({
    onSeen({ serial: of, ...news }) {
      if (of !== serial) return
      record.add(news)
      last = { ...news, ...(news.isWhole ? {} : {
        answer: last?.answer, problem: last?.problem, plane: last?.plane, followed: last?.followed
      }) }
      onSeen(news)
    }, onError
  }, place)
  let settings = /** @type {TrainingState} */ (/** @type {unknown} */ (null))
  /** @type {News | null} */ let last = null
  let sentence = '', serial = 0
  /** @type {{ groups: string[], parameters: number }} */ let facts = { groups: [], parameters: 0 }
  /** Without a training the reason has been reported already. @param {string} type @param {object} [details] */
  const ask = (type, details) => client.ask(type, details).catch(error => { if (error.code !== 'none') onError(error) })
  return {
    ask,
    get settings() {
      return settings
    },
    get last() {
      return last
    },
    get sentence() {
      return sentence
    },
    seen: () => record.get(),
    keep: () => client.ask('keep'),
    end: client.end,
    /** The last report, or null before the first. */
    facts: () => last && {
      ...facts, total: settings.steps, known: record.get().loss.length, step: last.done
    },
    /** Sets another sentence. @param {string} text */
    say(text) {
      sentence = text
      record.clearAnswers()
      if (last) ask('look', { sentence })
    },
    /**
     * Starts a training.
     * @param {TrainingState} next @param {object} [from] text, kept, file: what it learns and resumes from
     */
    async open(next, from) {
      settings = next
      record.clear()
      last = null
      serial += 1
      facts = await client.open({ settings, sentence, serial, ...from })
    },
    /** The weights of a step, as a file; with moments, to resume from. @param {number} [step] */
    async file(step, withMoments = false) {
      if (step !== undefined) await client.ask('seek', { step })
      return client.ask('file', { withMoments })
    }
  }
}
