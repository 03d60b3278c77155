import { GlassformerError, runSync } from '../errors.js'
import {
  ARGUMENTS, ASLEEP, CALL, DONE, FAILED, INTS, KERNEL, LAST, LEFT, MAILBOX_BYTES, MOST_ARGUMENTS, MOST_PARTS, PARTS,
  ROOM, ROOMS, ROOM_BYTES, TAKEN
} from './mailbox.js'

/** How often the calling thread looks whether the others are done before it sleeps, too. */
const SPINS = 50_000
/** How long the calling thread sleeps before it looks again. */
const LOOK_MS = 100
/** How many times as much work it takes to wake the others: that takes up to 0.1 ms. */
const TO_WAKE = 4

/** May this thread sleep? That of a page may not. @param {Int32Array} ints */
function maySleep(ints) {
  try {
    Atomics.wait(ints, CALL, ints[CALL] + 1, 0)
    return true
  } catch {
    return false
  }
}

/** The calling thread's side of the mailbox. */
export class Team {
  /** Workers that are there. */ others = 0
  /** While the calling thread does all. */ isPaused = false
  /** One that finishes nothing for so many milliseconds while it is waited for has gone. */ patience = 60_000
  #c
  #lose
  #workers
  #names
  #memory
  #ints
  #given
  #sleeps
  #rooms = { address: 0, bytes: 0 }
  /** Work that was done alone because the others sleep. */ #alone = 0

  /**
   * @param {import('../platform.d.ts').Exports} c the kernels @param {WebAssembly.Memory} memory
   * @param {string[]} names of kernels, as workers number them @param {number} workers
   * @param {(reason: string) => void} [lose] is told when a worker does not answer any more
   */
  constructor(c, memory, names, workers, lose = () => {}) {
    this.#c = c
    this.#lose = lose
    this.#workers = workers
    this.#names = names
    this.#memory = memory
    this.mailbox = c.gf_alloc(MAILBOX_BYTES + 8) + 7 >>> 3 << 3
    this.#ints = new Int32Array(memory.buffer, this.mailbox, INTS).fill(0)
    this.#given = new Float64Array(memory.buffer, this.mailbox + 4 * INTS, MOST_PARTS * MOST_ARGUMENTS)
    this.#sleeps = maySleep(this.#ints)
  }

  /** @template T @param {() => T} fn */
  alone(fn) {
    this.isPaused = true
    try {
      return runSync('threads.alone', fn)
    } finally {
      this.isPaused = false
    }
  }

  /**
   * Whether some work is enough to be divided. To wake the others it takes more of it, in one call or in several.
   * @param {number} work @param {number} least that is divided
   */
  isWorth(work, least) {
    if (!this.others || this.isPaused || work < least) return false
    if (Atomics.load(this.#ints, ASLEEP) < this.others) return true
    this.#alone += work
    if (this.#alone < TO_WAKE * least) return false
    this.#alone = 0
    return true
  }

  /** How many parts workers have done. */
  get taken() {
    return this.#ints[TAKEN]
  }

  /** Where integers lie that a kernel is given. @param {number} address @param {number} count */
  ints(address, count) {
    return new Int32Array(this.#memory.buffer, address, count)
  }

  /** Workspaces for workers. @param {number} bytes of each @returns {boolean} whether there is memory for them */
  #makeRooms(bytes) {
    if (this.#rooms.bytes >= bytes * this.#workers) return true
    this.#c.gf_free(this.#rooms.address)
    const address = this.#c.gf_alloc(bytes * this.#workers) >>> 0
    this.#rooms = { address, bytes: address && bytes * this.#workers }
    return address > 0
  }

  /**
   * Does all parts of a call, with the others.
   * @param {string} name of the kernel
   * @param {number[][]} parts its arguments, for each
   * @param {number} [room] which of them is a workspace @param {number} [floats] that one of these needs
   * @returns {boolean} false where there is no memory for workspaces: nothing was done
   * @throws {GlassformerError} 'state' when a worker could not do its part
   */
  run(name, parts, room = -1, floats = 0) {
    const ints = this.#ints, bytes = 4 * Math.ceil(floats)
    if (!this.#makeRooms(bytes)) return false
    parts.forEach((list, i) => this.#given.set(list, i * list.length))
    ints[KERNEL] = this.#names.indexOf(name)
    ints[ARGUMENTS] = parts[0].length
    ints[ROOM] = room
    ints[ROOMS] = this.#rooms.address
    ints[ROOM_BYTES] = bytes
    ints[PARTS] = parts.length
    ints[FAILED] = 0
    ints[LAST] = parts.length
    Atomics.store(ints, DONE, 0)
    Atomics.store(ints, LEFT, parts.length)
    Atomics.add(ints, CALL, 1)
    Atomics.notify(ints, CALL)
    const failure = this.#takePart(this.#c[name], parts)
    this.#await(name, parts.length)
    if (failure) throw failure
    if (ints[FAILED]) throw new GlassformerError('state', `${name}: a worker could not do its part`)
    return true
  }

  /** @param {Function} kernel @param {number[][]} parts @returns {unknown} what went wrong */
  #takePart(kernel, parts) {
    let failure
    for (let part = 0; Atomics.sub(this.#ints, LEFT, 1) > 0; part++) {
      try {
        kernel(...parts[part])
      } catch (error) {
        failure = error
      }
      Atomics.add(this.#ints, DONE, 1)
    }
    return failure
  }

  /** Until all are done: at first awake, as that is about to be. @param {string} name @param {number} count */
  #await(name, count) {
    for (let n = 0; n < SPINS; n++) if (Atomics.load(this.#ints, DONE) === count) return
    let before = performance.now()
    for (let done, last = -1, waited = 0; (done = Atomics.load(this.#ints, DONE)) < count;) {
      const now = performance.now()
      // A machine that was asleep meanwhile has waited no longer than one look takes.
      waited = done === last ? waited + Math.min(now - before, 2 * LOOK_MS) : 0
      last = done
      before = now
      if (waited > this.patience) {
        this.others = 0
        const reason = `a worker has not answered for ${this.patience / 1000} seconds`
        this.#lose(reason)
        throw new GlassformerError('state', `${name}: ${reason}; one thread goes on alone`)
      }
      if (this.#sleeps) Atomics.wait(this.#ints, DONE, done, LOOK_MS)
    }
  }
}
