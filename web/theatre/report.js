/** The state of a training as plain data. */

/** @import { Player } from '../../src/training/player.js' */

/**
 * The changes since a report, and the current step.
 * @param {Pick<Player, 'session' | 'projectEmbeddings'>} player
 * @param {{ steps: number, evaluations: number }} since
 * @param {{ sentence?: string, wanted?: string, table?: string, hasDetails?: boolean }} [requests] the reader's
 *   sentence, the module whose attention is displayed, the displayed embedding table, and whether there is one
 */
export function createReport({ session, projectEmbeddings }, since, requests = {}) {
  const { sentence, wanted, table, hasDetails = true } = requests, { history, done, task } = session
  /** @param {'loss' | 'rate' | 'norm'} name */
  const numbers = name => Float64Array.from(history[name].slice(since.steps))
  const isComplete = sentence !== undefined
  const problem = isComplete ? task.problem?.(sentence) ?? null : null
  return {
    done, from: since.steps, loss: numbers('loss'), rate: numbers('rate'), norm: numbers('norm'),
    norms: history.norms.slice(since.steps), evaluations: history.evaluations.slice(since.evaluations),
    isWhole: isComplete, problem,
    answer: isComplete && !problem ? session.answer(sentence, wanted) : null,
    plane: isComplete && hasDetails ? projectEmbeddings(table) : null
  }
}
