import { GlassformerError, runSync } from '../errors.js'
import {
  ARGUMENTS, ASLEEP, CALL, CLAIMED, DONE, FAILED, INTS, KERNEL, LAST, MAILBOX_BYTES, MAX_ARGUMENTS, MAX_PARTS, PARTS,
  STOP, UNCLAIMED, WORKSPACE, WORKSPACES, WORKSPACE_BYTES
} from './mailbox.js'

/** How often the calling thread checks whether the workers are done before it sleeps. */
const SPINS = 50_000
/** How long the calling thread sleeps before it checks again. */
const SLEEP_MS = 100
/** How many times more work is needed if workers have to be woken, which takes up to 0.1 ms. */
const WAKE_FACTOR = 4

/** Whether this thread may sleep; the main thread of a page may not. @param {Int32Array} ints */
function canSleep(ints) {
  try {
    Atomics.wait(ints, CALL, ints[CALL] + 1, 0)
    return true
  } catch {
    return false
  }
}

/** The calling thread's side of the mailbox. */
export class Team {
  /** The number of running workers. */ workers = 0
  /** Whether the calling thread computes alone for now. */ isPaused = false
  /** Milliseconds without progress after which a worker is given up. */ patience = 60_000
  #c
  #onLost
  #maxWorkers
  #names
  #memory
  #ints
  #arguments
  #canSleep
  #workspaces = { address: 0, bytes: 0 }
  /** Work that was computed alone because the workers sleep. */ #workAlone = 0

  /**
   * @param {import('../platform.d.ts').Exports} c the kernels @param {WebAssembly.Memory} memory
   * @param {string[]} names of kernels, in the workers' order @param {number} maxWorkers
   * @param {(reason: string) => void} [onLost] is called when a worker no longer responds
   */
  constructor(c, memory, names, maxWorkers, onLost = () => {}) {
    this.#c = c
    this.#onLost = onLost
    this.#maxWorkers = maxWorkers
    this.#names = names
    this.#memory = memory
    this.mailbox = c.gf_alloc(MAILBOX_BYTES + 8) + 7 >>> 3 << 3
    this.#ints = new Int32Array(memory.buffer, this.mailbox, INTS).fill(0)
    this.#arguments = new Float64Array(memory.buffer, this.mailbox + 4 * INTS, MAX_PARTS * MAX_ARGUMENTS)
    this.#canSleep = canSleep(this.#ints)
  }

  /** Runs fn in the calling thread alone. @template T @param {() => T} fn */
  alone(fn) {
    this.isPaused = true
    try {
      return runSync('threads.alone', fn)
    } finally {
      this.isPaused = false
    }
  }

  /**
   * Whether a call has enough work to be split. If the workers sleep, it takes more work, in one call or in several.
   * @param {number} work @param {number} minWork
   */
  isWorthSplitting(work, minWork) {
    if (!this.workers || this.isPaused || work < minWork) return false
    if (Atomics.load(this.#ints, ASLEEP) < this.workers) return true
    this.#workAlone += work
    if (this.#workAlone < WAKE_FACTOR * minWork) return false
    this.#workAlone = 0
    return true
  }

  /** Makes the workers leave the mailbox; until they are back, the calling thread computes alone. */
  dismiss() {
    this.workers = 0
    this.#ints[KERNEL] = STOP
    Atomics.add(this.#ints, CALL, 1)
    Atomics.notify(this.#ints, CALL)
  }

  /** The number of parts that workers have computed. */
  get taken() {
    return this.#ints[CLAIMED]
  }

  /** Integers that were passed to a kernel by address. @param {number} address @param {number} count */
  ints(address, count) {
    return new Int32Array(this.#memory.buffer, address, count)
  }

  /** Allocates workspaces for the workers; whether there is memory for them. @param {number} bytes of each */
  #ensureWorkspaces(bytes) {
    if (this.#workspaces.bytes >= bytes * this.#maxWorkers) return true
    this.#c.gf_free(this.#workspaces.address)
    const address = this.#c.gf_alloc(bytes * this.#maxWorkers) >>> 0
    this.#workspaces = { address, bytes: address && bytes * this.#maxWorkers }
    return address > 0
  }

  /**
   * Computes all parts of a call together with the workers.
   * @param {string} name of the kernel
   * @param {number[][]} parts the arguments of each
   * @param {number} [workspace] the index of the argument that is a workspace @param {number} [floats] its size
   * @returns {boolean} false if there is no memory for workspaces; then nothing was computed
   * @throws {GlassformerError} 'state' when a worker failed
   */
  run(name, parts, workspace = -1, floats = 0) {
    const ints = this.#ints, bytes = 4 * Math.ceil(floats)
    if (!this.#ensureWorkspaces(bytes)) return false
    parts.forEach((list, i) => this.#arguments.set(list, i * list.length))
    ints[KERNEL] = this.#names.indexOf(name)
    ints[ARGUMENTS] = parts[0].length
    ints[WORKSPACE] = workspace
    ints[WORKSPACES] = this.#workspaces.address
    ints[WORKSPACE_BYTES] = bytes
    ints[PARTS] = parts.length
    ints[FAILED] = 0
    ints[LAST] = parts.length
    Atomics.store(ints, DONE, 0)
    Atomics.store(ints, UNCLAIMED, parts.length)
    Atomics.add(ints, CALL, 1)
    Atomics.notify(ints, CALL)
    const failure = this.#computeParts(this.#c[name], parts)
    this.#waitForWorkers(name, parts.length)
    if (failure) throw failure
    if (ints[FAILED]) throw new GlassformerError('state', `${name}: a worker could not do its part`)
    return true
  }

  /** Computes unclaimed parts; returns an error, if any. @param {Function} kernel @param {number[][]} parts */
  #computeParts(kernel, parts) {
    /** @type {unknown} */ let failure
    for (let part = 0; Atomics.sub(this.#ints, UNCLAIMED, 1) > 0; part++) {
      try {
        kernel(...parts[part])
      } catch (error) {
        failure = error
      }
      Atomics.add(this.#ints, DONE, 1)
    }
    return failure
  }

  /** Waits until all parts are done, at first without sleeping. @param {string} name @param {number} count */
  #waitForWorkers(name, count) {
    for (let n = 0; n < SPINS; n++) if (Atomics.load(this.#ints, DONE) === count) return
    let before = performance.now()
    for (let done, last = -1, waited = 0; (done = Atomics.load(this.#ints, DONE)) < count;) {
      const now = performance.now()
      // The time that the machine itself was asleep does not count.
      waited = done === last ? waited + Math.min(now - before, 2 * SLEEP_MS) : 0
      last = done
      before = now
      if (waited > this.patience) {
        this.workers = 0
        const reason = `a worker has not responded for ${this.patience / 1000} seconds`
        this.#onLost(reason)
        throw new GlassformerError('state', `${name}: ${reason}; one thread continues alone`)
      }
      if (this.#canSleep) Atomics.wait(this.#ints, DONE, done, SLEEP_MS)
    }
  }
}
