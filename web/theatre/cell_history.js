/**
 * The history of one cell: a weight, read from the snapshots, or a cell of an activation, recomputed for the same input
 * at every snapshot.
 */

import { isInside } from './cells.js'

/** @import { Session } from './session.js' */
/** @import { Shelf } from './snapshots.js' */

/** @typedef {{ name: string, index: number[] }} Pin */

/**
 * The history of the pinned cell.
 * @typedef {Pin & { steps: number[], values: number[], missing: number, here: number, shape: number[],
 *   readAt: number | null }} Followed
 *   values at the snapshots, and how many are still to be read; here: the current value; readAt: the step whose answer
 *   is the input
 */

/** @param {Session} session @param {Shelf} shelf */
export function createFollower(session, shelf) {
  const { gf, model, named } = session
  /** @type {Pin | null} */ let pin = null
  /** @type {any[]} */ let inputs = []
  /** @type {number | null} */ let readAt = null
  /** @type {number[]} */ let shape = []
  /** @type {Map<number, number>} */ let known = new Map()
  const isWeight = () => named.some(([name]) => name === pin?.name)

  /**
   * Computes the model's activations; everything is freed afterwards.
   * @template T @param {any[]} read inputs of the model's forward @param {(trace: any) => T} use @returns {T}
   */
  const traced = (read, use) => gf.tidy(() => {
    model.eval()
    const { trace } = gf.trace(() => gf.noGrad(() => model.forward(...read)))
    model.train()
    const found = use(trace)
    trace.dispose()
    return found
  })

  /**
   * A tensor of the current model, or null.
   * @template T @param {string} name @param {(tensor: any) => T} use @returns {T}
   */
  function withTensor(name, use) {
    const own = named.find(([one]) => one === name)
    return own ? use(own[1]) : traced(inputs, trace => use(trace.names.includes(name) ? trace.get(name) : null))
  }
  /** @param {Pin} cell @returns {number} */
  const valueOf = ({ name, index }) => withTensor(name, tensor => tensor.at(...index))

  return {
    /**
     * What can be pinned: weights, and activations for a sentence, with their shapes.
     * @param {any[] | null} read inputs of the model's forward, if there are any
     */
    places(read) {
      const weights = named.map(([name, { shape: own }]) => ({ name, shape: [...own] }))
      if (!read) return { weights, computed: [] }
      const computed = traced(read, trace => trace.names
        .map((/** @type {string} */ name) => ({ name, shape: [...trace.get(name).shape], kind: trace.get(name).dtype }))
        .filter((/** @type {{ name: string, kind: string }} */ one) => (
          one.kind === 'float32' && !named.some(([name]) => name === one.name))))
      return { weights, computed }
    },
    /**
     * Starts to follow a cell; one that does not exist is not followed.
     * @param {Pin | null} cell @param {any[] | null} [read] inputs of the model's forward
     */
    pin(cell, read = null) {
      known = new Map()
      pin = cell
      if (!pin || (!read && !isWeight())) return void (pin = null)
      inputs = read ?? []
      readAt = isWeight() ? null : session.done
      shape = withTensor(pin.name, tensor => (tensor ? [...tensor.shape] : []))
      if (!isInside(shape, pin.index)) pin = null
    },
    /** Reads values at snapshots for a limited time in milliseconds. @param {number} time */
    read(time) {
      if (!pin) return
      const cell = pin, end = performance.now() + time
      const wanted = shelf.all().filter(({ step }) => !known.has(step))
      const now = wanted.length && !isWeight() ? session.snapshot() : null
      for (const snapshot of wanted) {
        if (now) session.restore(snapshot)
        known.set(snapshot.step, now ? valueOf(cell) : session.weightIn(snapshot, cell))
        if (performance.now() > end) break
      }
      if (now) session.restore(now)
    },
    /** @returns {Followed | null} */
    get facts() {
      if (!pin) return null
      const steps = shelf.all().map(({ step }) => step)
      const read = steps.filter(step => known.has(step))
      return {
        ...pin, shape, readAt, steps: read, values: read.map(step => /** @type {number} */ (known.get(step))),
        missing: steps.length - read.length, here: valueOf(pin)
      }
    }
  }
}
