/** The generation in progress: reports progress, and can be stopped early. */

/** @import { Progress } from '../types.d.ts' */
/** @import { Waiting } from '../models/imported/generation.js' */

export function createGeneration() {
  /** @type {{ end: (isSuperseded: boolean) => void, ended: Promise<unknown> } | null} */ let current = null

  /**
   * Generates an answer and reports progress. Throws `superseded` when a newer run replaces it.
   * @template T
   * @param {(progress: Progress) => void} report @param {(waiting: Waiting) => Promise<T>} work @returns {Promise<T>}
   */
  async function generate(report, work) {
    const stop = new AbortController()
    let written = 0, isOver = false
    report({ written })
    const pending = work({ signal: stop.signal, onWritten: count => report({ written: written = count }) })
    const own = current = { ended: pending.catch(() => {}), end(/** @type {boolean} */ isSuperseded) {
      isOver ||= isSuperseded
      stop.abort()
    } }
    try {
      const answer = await pending
      if (isOver) throw Object.assign(new Error('superseded'), { code: 'superseded' })
      report({ written, isDone: true })
      return answer
    } finally {
      if (current === own) current = null
    }
  }

  /**
   * Stops the generation in progress.
   * @param {{ isSuperseded?: boolean }} how @returns {Promise<void>} resolves when nothing is being generated
   *   any more
   */
  async function finish({ isSuperseded = false }) {
    current?.end(isSuperseded)
    await current?.ended
  }
  return { generate, finish }
}
