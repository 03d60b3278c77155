/**
 * Whether dividing the calls of a kernel among threads gains, as measured while it is used: memory may have no
 * bandwidth left for a second core, or other programs may take that core. Calls of about the same work are computed
 * alone at first, and divided for a trial from time to time; they stay divided while that is faster.
 */

/** How many calls a trial takes. */
const TRIAL = 4
/** After how many calls the other way is tried, at first and at most: the number doubles while dividing loses. */
const FIRST_INTERVAL = 16, MAX_INTERVAL = 4096
/** After how many divided calls some are computed alone, to compare. */
const RECHECK = 256
/** Calls become divided if that takes at most this fraction of the time: the other core is free for others else. */
const GAIN = 0.95
/**
 * A trial ends early with a call that takes this many times as long as alone. No divided call counts as longer: a core
 * that was taken away once, for milliseconds, says nothing about the next calls.
 */
const LOSS = 2
/** A mean is that of all times at first, then of about this many. */
const MEAN_CALLS = 8

/** The mean time of the last calls. */
class Mean {
  value = 0
  #count = 0

  /** @param {number} time */
  add(time) {
    this.#count = Math.min(this.#count + 1, MEAN_CALLS)
    this.value += (time - this.value) / this.#count
  }
}

/** The mean times of calls of about the same work, in both ways. */
class Choice {
  #alone = new Mean()
  #divided = new Mean()
  #isDivided = false
  /** Whether the last call was divided: the first one after a call alone may wait for workers that sleep. */
  #wasDivided = false
  /** The remaining calls of a trial of the other way. */ #trial = 0
  /** Calls until the next trial. */ #left = TRIAL
  #interval = FIRST_INTERVAL

  /** Whether the next call is to be divided. */
  get isDivided() {
    return this.#trial > 0 !== this.#isDivided
  }

  /** @param {boolean} isDivided @param {number} time of a call, in milliseconds for each multiply-add */
  add(isDivided, time) {
    const mayHaveWoken = isDivided && !this.#wasDivided
    this.#wasDivided = isDivided
    if (mayHaveWoken) return
    const isLoss = isDivided && time > LOSS * this.#alone.value
    if (isDivided) this.#divided.add(isLoss ? LOSS * this.#alone.value : time)
    else this.#alone.add(time)
    if (this.#trial) {
      this.#trial = isLoss ? 0 : this.#trial - 1
      if (this.#trial === 0) this.#decide()
    } else if (this.#isDivided && this.#divided.value > this.#alone.value) this.#decide()
    else if (--this.#left <= 0) this.#startTrial()
  }

  #startTrial() {
    this.#trial = TRIAL
    if (this.#isDivided) this.#alone = new Mean()
    else this.#divided = new Mean()
  }

  #decide() {
    this.#isDivided = this.#divided.value < GAIN * this.#alone.value
    this.#interval = this.#isDivided ? FIRST_INTERVAL : Math.min(2 * this.#interval, MAX_INTERVAL)
    this.#left = this.#isDivided ? RECHECK : this.#interval
  }
}

/** The choices of one kernel, by the size of its calls. */
export class Gains {
  /** @type {Map<number, Choice>} */ #choices = new Map()

  /**
   * Runs a call divided or alone, whichever has been faster.
   * @param {number} work of the call @param {() => boolean} divide runs it divided, or returns false
   * @param {() => void} compute runs it alone
   */
  run(work, divide, compute) {
    const size = Math.round(2 * Math.log2(work)), choice = this.#choices.get(size) ?? new Choice()
    this.#choices.set(size, choice)
    const start = performance.now(), isDivided = choice.isDivided && divide()
    if (!isDivided) compute()
    // A call that could not be divided counts for neither way.
    if (isDivided === choice.isDivided) choice.add(isDivided, (performance.now() - start) / work)
  }
}
