/** The record of a training on the page. */

/** @import { Problem } from './types.d.ts' */
/** @import { Broken, Player } from './player.js' */
/** @import { Session } from './session.js' */
/** @import { Shelf } from './snapshots.js' */

/**
 * What is recorded: by step, by evaluation, and some answers.
 * @typedef {object} Seen
 * @property {number[]} loss
 * @property {number[]} rate
 * @property {number[]} norm
 * @property {number[][]} norms by step and group
 * @property {Evaluation[]} evaluations
 * @property {{ step: number, text: string }[]} answers
 * @property {number} done
 *
 * @typedef {{ step: number, loss: number, right: number, ratios: number[] | null,
 *   heads?: { previous: number, induction: number }, waves?: number[] }} Evaluation an evaluation of held-out examples;
 *   heads: the largest previous-token score and the largest induction score; waves: of the clock's embeddings, the
 *   fractions of the variance
 *
 * A report of the worker.
 * @typedef {Omit<Seen, 'answers'> & { isPlaying: boolean, isOver: boolean, isWhole: boolean, problem?: Problem | null,
 *   broken?: Broken | null, answer?: ReturnType<Session['answer']> | null,
 *   plane?: ReturnType<Player['projectEmbeddings']> | null,
 *   followed?: import('./cell_history.js').CellHistory | null, perStep: number | null,
 *   shelf: Shelf['facts'] }} News
 */

/** @returns {Seen} */
const empty = () => ({ loss: [], rate: [], norm: [], norms: [], evaluations: [], answers: [], done: 0 })

/** The maximum number of recorded answers. */
const MAX_ANSWERS = 8

/**
 * Removes a repeated answer, or one of different answers so that they stay at about logarithmically equal distances.
 * The first step of the latest answer stays: it is where the model learned it.
 * @param {Seen['answers']} answers @param {number} now
 */
function thinned(answers, now) {
  if (answers.length <= MAX_ANSWERS) return answers
  /** @param {number} i */
  const first = i => answers.findIndex(({ text }) => text === answers[i].text)
  /** @param {number} i */
  const gap = i => (first(i) < i ? 0 : Math.log1p(answers[i + 1].step) - Math.log1p(answers[i - 1].step))
  const learned = first(answers.length - 1)
  const inner = answers.map((_, i) => i).slice(1, -1).filter(i => answers[i].step !== now && i !== learned)
  const closest = inner.reduce((best, i) => (gap(i) < gap(best) ? i : best))
  return answers.filter((_, i) => i !== closest)
}

/** A record that grows by reports. */
export function createRecord() {
  let record = empty()
  return {
    get: () => record,
    clear: () => { record = empty() },
    /** Drops the answers to an earlier sentence. */
    clearAnswers: () => { record.answers = [] },
    /** @param {News} news */
    add(news) {
      for (const name of /** @type {const} */ (['loss', 'rate', 'norm'])) record[name].push(...news[name])
      record.norms.push(...news.norms)
      record.evaluations.push(...news.evaluations)
      record.done = news.done
      if (!news.answer) return
      const answers = record.answers.filter(({ step }) => step !== news.done)
      const all = [...answers, { step: news.done, text: news.answer.text }].sort((a, b) => a.step - b.step)
      record.answers = thinned(all, news.done)
    }
  }
}
