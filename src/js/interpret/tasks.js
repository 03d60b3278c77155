import { describe, expect } from '../errors.js'
import { nextTask } from '../next_task.js'

/** Long work in many tasks, which can be aborted and shows its progress. */
export class Tasks {
  /**
   * @param {string} where the function, for messages @param {import('../engine/engine.js').Engine} engine
   * @param {{ onProgress?: unknown, signal?: any }} options
   */
  constructor(where, engine, { onProgress, signal }) {
    this.where = where
    this.engine = engine
    expect(onProgress === undefined || typeof onProgress === 'function', 'type',
      () => `${where}: onProgress must be a function, got ${describe(onProgress)}`)
    expect(signal === undefined || signal === null || typeof signal.throwIfAborted === 'function', 'type',
      () => `${where}: signal must be an AbortSignal, got ${describe(signal)}`)
    this.onProgress = /** @type {((fraction: number) => void) | undefined} */ (onProgress)
    this.signal = signal
  }

  /**
   * Does one piece of work after the other, with other tasks in between.
   * @template S @template T @param {readonly S[]} pieces @param {(piece: S) => T} work @returns {Promise<T[]>}
   */
  async forEach(pieces, work) {
    /** @type {T[]} */ const values = []
    for (const piece of pieces) {
      this.signal?.throwIfAborted()
      values.push(work(piece))
      this.onProgress?.(values.length / pieces.length)
      await nextTask()
    }
    this.signal?.throwIfAborted()
    return values
  }
}
