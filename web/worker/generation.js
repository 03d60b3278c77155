/** The generation in progress: reports progress, and can be stopped early. */

/** @import { Progress } from '../types.d.ts' */
/** @import { Waiting } from '../models/imported/generation.js' */

export function pens() {
  /** @type {{ end: (isSuperseded: boolean) => void, ended: Promise<unknown> } | null} */ let writing = null

  /**
   * Generates an answer and reports progress. Throws `superseded` when a newer run replaces it.
   * @template T
   * @param {(progress: Progress) => void} tell @param {(waiting: Waiting) => Promise<T>} work @returns {Promise<T>}
   */
  async function write(tell, work) {
    const stop = new AbortController()
    let written = 0, isOver = false
    tell({ written })
    const made = work({ signal: stop.signal, onWritten: count => tell({ written: written = count }) })
    const own = writing = { ended: made.catch(() => {}), end(/** @type {boolean} */ isSuperseded) {
      isOver ||= isSuperseded
      stop.abort()
    } }
    try {
      const answer = await made
      if (isOver) throw Object.assign(new Error('superseded'), { code: 'superseded' })
      tell({ written, isDone: true })
      return answer
    } finally {
      if (writing === own) writing = null
    }
  }

  /**
   * Stops the generation in progress.
   * @param {{ isSuperseded?: boolean }} how @returns {Promise<void>} resolves when nothing is being generated
   *   any more
   */
  async function finish({ isSuperseded = false }) {
    writing?.end(isSuperseded)
    await writing?.ended
  }
  return { write, finish }
}
