/** The runs that the worker retains: of each session the last one and its twin. */

/** @import { ModelRun } from '../types.d.ts' */

/** @typedef {'last' | 'twin'} Side */
/** @typedef {{ runs: Partial<Record<Side, ModelRun>>, work: AbortController }} Session */

/** The session of whoever does not name one: the page. */
export const PAGE = 'page'

export function createSessions() {
  /** @type {Map<string, Session>} */ const sessions = new Map()
  /** @param {string} id */
  function open(id) {
    const session = sessions.get(id) ?? { runs: {}, work: new AbortController() }
    sessions.set(id, session)
    return session
  }
  return {
    /** Begins a session, unless it exists. */
    open,
    /** @param {string | undefined} id @param {Side} side */
    get: (id = PAGE, side) => sessions.get(id)?.runs[side],
    /**
     * Frees a run and retains another; one whose session was dropped meanwhile is freed at once.
     * @param {string} id @param {Side} side @param {ModelRun} [modelRun] none only frees
     */
    replace(id, side, modelRun) {
      const session = sessions.get(id)
      if (!session) {
        modelRun?.run.dispose()
        throw Object.assign(new Error('no session'), { code: 'gone' })
      }
      session.runs[side]?.run.dispose()
      session.runs[side] = modelRun
    },
    /** Ends a session and frees its runs. @param {string} id */
    drop(id) {
      const session = sessions.get(id)
      sessions.delete(id)
      session?.work.abort()
      for (const modelRun of Object.values(session?.runs ?? {})) modelRun?.run.dispose()
    },
    /** A signal for long work, such as a patching, which stops the earlier one of its session. @param {string} id */
    startWork(id) {
      const session = open(id)
      session.work.abort()
      session.work = new AbortController()
      return session.work.signal
    },
    /** @param {string} [id] */
    stopWork: (id = PAGE) => sessions.get(id)?.work.abort()
  }
}
