/** The state of a training as plain data. */

/** @import { Session } from '../../src/training/session.js' */

/**
 * The changes since a report, and the current step.
 * @param {Session} session
 * @param {{ steps: number, evaluations: number }} since
 * @param {{ sentence?: string, wanted?: string, table?: string }} [requests] the reader's sentence, the module whose
 *   attention is displayed, and the displayed embedding table
 */
export function createReport(session, since, { sentence, wanted, table } = {}) {
  const { history, done, task } = session
  /** @param {'loss' | 'rate' | 'norm'} name */
  const numbers = name => Float64Array.from(history[name].slice(since.steps))
  const isComplete = sentence !== undefined
  const problem = isComplete ? task.problem?.(sentence) ?? null : null
  return {
    done, from: since.steps, loss: numbers('loss'), rate: numbers('rate'), norm: numbers('norm'),
    norms: history.norms.slice(since.steps), evaluations: history.evaluations.slice(since.evaluations),
    isWhole: isComplete, problem,
    answer: isComplete && !problem ? session.answer(sentence, wanted) : null,
    plane: isComplete ? session.projectEmbeddings(table) : null
  }
}
