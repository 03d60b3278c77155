/** Who writes the answer of a run, what is told of it meanwhile, and how it is ended early. */

/** @import { Progress } from '../types.d.ts' */
/** @import { Waiting } from '../models/imported/generation.js' */

export function pens() {
  /** @type {{ end: (isSuperseded: boolean) => void, ended: Promise<unknown> } | null} */ let writing = null

  /**
   * Writes an answer for somebody who waits; a run that another takes the place of is an error.
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
   * Ends what is being written.
   * @param {{ isSuperseded?: boolean }} how @returns {Promise<void>} until nothing is written any more
   */
  async function finish({ isSuperseded = false }) {
    writing?.end(isSuperseded)
    await writing?.ended
  }
  return { write, finish }
}
