/** Steps through a training, forwards and backwards: earlier states are restored or recomputed, bit for bit. */

import { readState } from './training_file.js'
import { createFollower } from './cell_history.js'
import { createProjection } from './embeddings.js'
import { createSession } from './session.js'
import { createSnapshots } from './snapshots.js'

/** @import { TrainingState } from './settings.js' */

/**
 * @typedef {ReturnType<typeof createPlayer>} Player
 *
 * A training that stopped because of non-finite values.
 * @typedef {{ step: number, loss: number, where?: ReturnType<typeof import('./non_finite.js').findNonFinite> }} Broken
 */

/** The memory limit for snapshots. */
export const LIMIT = 64 * 2 ** 20

/**
 * @param {any} gf the library
 * @param {TrainingState} settings
 * @param {{ text?: string, limit?: number, kept?: import('./session.js').Snapshot, file?: Uint8Array,
 *   start?: Uint8Array }} [options] kept, file: the state to resume from; start: initial weights
 */
export function createPlayer(gf, settings, { text, limit = LIMIT, kept, file, start } = {}) {
  const session = createSession(gf, settings, text, start)
  const shelf = createSnapshots(limit)
  shelf.add(session.snapshot())
  /** @type {Broken | null} */
  let broken = null
  /** @type {ReturnType<typeof createFollower> | undefined} */ let follower
  /** @type {ReturnType<typeof createProjection> | undefined} */ let project
  const state = file ? readState(gf, session, file) : kept
  if (state) {
    session.resume(state)
    shelf.add(session.snapshot())
  }

  /** One step forward, if there is any. @returns {boolean} whether there was */
  function step() {
    if (session.done >= settings.steps || broken) return false
    const seen = session.step()
    broken = seen.broken === undefined ? null : { step: seen.step, loss: seen.loss, where: seen.broken }
    if (!broken && shelf.shouldAdd(session.done)) shelf.add(session.snapshot())
    return !broken
  }

  /** The projection of the initial weights. */
  function createInitialProjection() {
    const current = session.snapshot()
    session.restore(shelf.before(0))
    const projection = createProjection(session)
    session.restore(current)
    return projection
  }

  return {
    session, shelf, step,
    get follower() {
      return follower ??= createFollower(session, shelf)
    },
    /** The PCA of an embedding table. @param {string} [name] the first one by default */
    projectEmbeddings: name => (project ??= createInitialProjection())(name),
    /** Goes to an earlier step, or as far as the training has come. @param {number} to */
    seek(to) {
      const targetStep = Math.max(0, Math.min(to, session.history.loss.length))
      if (targetStep < session.done ||
        shelf.before(targetStep).step > session.done) session.restore(shelf.before(targetStep))
      if (targetStep < session.history.loss.length) broken = null
      while (session.done < targetStep && step());
    },
    /** Everything needed to resume later. */
    keep: () => ({ ...session.snapshot(), history: session.history }),
    get broken() {
      return broken
    },
    get isOver() {
      return session.done >= settings.steps
    }
  }
}
