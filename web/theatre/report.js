/** The state of a training as plain data. */

/** @import { Session } from './session.js' */

/**
 * What is new since a report, and the current step.
 * @param {Session} session
 * @param {{ steps: number, looks: number }} since
 * @param {{ sentence?: string, wanted?: string, table?: string }} [asked] a reader's sentence, whose attention to it,
 *   and which embeddings
 */
export function report(session, since, { sentence, wanted, table } = {}) {
  const { history, done, task } = session
  /** @param {'loss' | 'rate' | 'norm'} name */
  const numbers = name => Float64Array.from(history[name].slice(since.steps))
  const isWhole = sentence !== undefined
  const problem = isWhole ? task.problem?.(sentence) ?? null : null
  return {
    done, from: since.steps, loss: numbers('loss'), rate: numbers('rate'), norm: numbers('norm'),
    norms: history.norms.slice(since.steps), looks: history.looks.slice(since.looks),
    isWhole, problem,
    answer: isWhole && !problem ? session.answer(sentence, wanted) : null, plane: isWhole ? session.plane(table) : null
  }
}
