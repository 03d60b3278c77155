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
 * @typedef {Pin & { steps: number[], values: number[], missing: number, currentValue: number, shape: number[],
 *   readAt: number | null }} CellHistory
 *   values at the snapshots, and how many are still to be read; readAt: the step whose answer is the input
 */

/** @param {Session} session @param {Shelf} shelf */
export function createFollower(session, shelf) {
  const { gf, model, named } = session
  /** @type {Pin | null} */ let pin = null
  /** @type {any[]} */ let inputs = []
  /** @type {number | null} */ let readAt = null
  /** @type {number[]} */ let shape = []
  /** @type {Map<number, number>} */ let valueByStep = new Map()
  const isWeight = () => named.some(([name]) => name === pin?.name)

  /**
   * Computes the model's activations; everything is freed afterwards.
   * @template T @param {any[]} forwardInputs inputs of the model's forward @param {(trace: any) => T} use @returns {T}
   */
  const withTrace = (forwardInputs, use) => gf.tidy(() => {
    model.eval()
    const { trace } = gf.trace(() => gf.noGrad(() => model.forward(...forwardInputs)))
    model.train()
    const result = use(trace)
    trace.dispose()
    return result
  })

  /**
   * A tensor of the current model, or null.
   * @template T @param {string} name @param {(tensor: any) => T} use @returns {T}
   */
  function useTensor(name, use) {
    const found = named.find(([one]) => one === name)
    return found ? use(found[1]) : withTrace(inputs, trace => use(trace.names.includes(name) ? trace.get(name) : null))
  }
  /** @param {Pin} cell @returns {number} */
  const readValue = ({ name, index }) => useTensor(name, tensor => tensor.at(...index))

  return {
    /**
     * What can be pinned: weights, and activations for a sentence, with their shapes.
     * @param {any[] | null} forwardInputs inputs of the model's forward, if there are any
     */
    places(forwardInputs) {
      const weights = named.map(([name, { shape: parameter }]) => ({ name, shape: [...parameter] }))
      if (!forwardInputs) return { weights, computed: [] }
      const computed = withTrace(forwardInputs, trace => trace.names
        .map((/** @type {string} */ name) => ({ name, shape: [...trace.get(name).shape], kind: trace.get(name).dtype }))
        .filter((/** @type {{ name: string, kind: string }} */ item) => (
          item.kind === 'float32' && !named.some(([name]) => name === item.name))))
      return { weights, computed }
    },
    /**
     * Starts to follow a cell; one that does not exist is not followed.
     * @param {Pin | null} cell @param {any[] | null} [forwardInputs] inputs of the model's forward
     */
    pin(cell, forwardInputs = null) {
      valueByStep = new Map()
      pin = cell
      if (!pin || (!forwardInputs && !isWeight())) return void (pin = null)
      inputs = forwardInputs ?? []
      readAt = isWeight() ? null : session.done
      shape = useTensor(pin.name, tensor => (tensor ? [...tensor.shape] : []))
      if (!isInside(shape, pin.index)) pin = null
    },
    /** Reads values at snapshots until all are read or the time is up. @param {number} milliseconds */
    readFor(milliseconds) {
      if (!pin) return
      const cell = pin, end = performance.now() + milliseconds
      const unreadSnapshots = shelf.all().filter(({ step }) => !valueByStep.has(step))
      const savedState = unreadSnapshots.length && !isWeight() ? session.snapshot() : null
      for (const snapshot of unreadSnapshots) {
        if (savedState) session.restore(snapshot)
        valueByStep.set(snapshot.step, savedState ? readValue(cell) : session.weightIn(snapshot, cell))
        if (performance.now() > end) break
      }
      if (savedState) session.restore(savedState)
    },
    /** @returns {CellHistory | null} */
    get facts() {
      if (!pin) return null
      const steps = shelf.all().map(({ step }) => step)
      const forwardInputs = steps.filter(step => valueByStep.has(step))
      return {
        ...pin, shape, readAt, steps: forwardInputs,
        values: forwardInputs.map(step => /** @type {number} */ (valueByStep.get(step))),
        missing: steps.length - forwardInputs.length, currentValue: readValue(pin)
      }
    }
  }
}
