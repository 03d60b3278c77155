/** Runs cells away from the page, with a time limit: a worker that takes too long is ended, and another one started. */

/** How long a cell may take, in milliseconds. */
export const LIMIT = 10000

/** What could not be run, and why: 'time', 'refused' where the page's policy forbids it, 'broken'. */
export class Stopped extends Error {
  /** @param {'time' | 'refused' | 'broken' | 'stopped'} why @param {string} [message] */
  constructor(why, message = why) {
    super(message)
    this.why = why
  }
}

/**
 * What a cell has put out: what it printed, and points it drew.
 * @typedef {{ kind: 'text', text: string, numbers: number[], value?: unknown }
 *   | { kind: 'plot', points: number[][] }} Output
 * @typedef {{ name: string, message: string, line: number | null }} CellError
 * @typedef {{ output: Output[], error?: CellError, milliseconds?: number }} Outcome
 *
 * @typedef {{ resolve: (made: Outcome) => void, reject: (error: Error) => void,
 *   timer: ReturnType<typeof setTimeout> }} Waiting for a cell
 */

/**
 * @param {object} options
 * @param {() => Worker} options.start a worker for cells
 * @param {() => Promise<ArrayBuffer>} options.kernels
 * @param {number} [options.limit]
 */
export function runner({ start, kernels, limit = LIMIT }) {
  /** @type {Worker | null} */ let worker = null
  /** @type {Promise<void> | null} */ let ready = null
  /** @type {Waiting | null} */ let waiting = null

  /** @param {(waiting: Waiting) => void} act */
  function settle(act) {
    const [waited] = [waiting]
    waiting = null
    clearTimeout(waited?.timer)
    if (waited) act(waited)
  }
  function end() {
    worker?.terminate()
    worker = null
    ready = null
  }
  /** @param {'time' | 'broken' | 'stopped'} why */
  function stop(why) {
    end()
    settle(({ reject }) => reject(new Stopped(why)))
  }
  async function begin() {
    const wasm = await kernels()
    const own = start()
    worker = own
    await new Promise((resolve, reject) => {
      own.onmessage = ({ data }) => {
        if (data.isReady) resolve(undefined)
        else reject(new Stopped(data.isRefused ? 'refused' : 'broken', data.failure))
      }
      own.onerror = event => {
        event.preventDefault()
        reject(new Stopped('broken', event.message))
      }
      own.postMessage({ wasm })
    })
    own.onmessage = ({ data }) => settle(({ resolve }) => resolve(data))
    own.onerror = event => {
      event.preventDefault()
      stop('broken')
    }
  }
  return {
    /** Whether cells that ran before are still remembered. */
    get isAlive() {
      return ready !== null
    },
    /**
     * @param {string} code
     * @returns {Promise<Outcome>}
     * @throws {Stopped}
     */
    async run(code) {
      ready ??= begin()
      try {
        await ready
      } catch (error) {
        end()
        throw error
      }
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject, timer: setTimeout(() => stop('time'), limit) }
        worker?.postMessage({ code })
      })
    },
    stop: () => stop('stopped'),
    end
  }
}
