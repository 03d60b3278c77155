import { STORED } from './dtype.js'
import { Edits, cellsAt } from './edits.js'
import { expect, outside } from './errors.js'
import { sameShape } from './shape.js'

/**
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {import('./edits.js').Edit} Edit
 */

/** The edits of one trace, put into its tensors as they are made, and what they replaced. */
export class AppliedEdits extends Edits {
  #allowMissing
  /**
   * What they replaced in inputs, by name and cell.
   * @type {Map<string, { tensor: Tensor, at: number, value: number }>}
   */
  #replaced = new Map()
  /** What operations make on their way, by their later names. @type {Map<string, Tensor>} */ #passing = new Map()
  /** Those that found no cell to replace, where they may. @type {Edit[]} */
  idle = []

  /** @param {readonly Edit[]} edits @param {boolean} allowMissing whether what is not there is no error */
  constructor(edits, allowMissing) {
    super(edits)
    this.#allowMissing = allowMissing
  }

  /** An operation makes a tensor that will have a name. @param {string} name @param {Tensor} tensor */
  passes(name, tensor) {
    this.#passing.set(name, tensor)
  }

  /**
   * @param {string} name @param {Tensor} tensor @param {(name: string) => Tensor | undefined} tensorOf
   * @param {boolean} isGiven whether the trace has not made it
   */
  apply(name, tensor, tensorOf, isGiven) {
    for (const edit of this.of(name)) {
      const { index, value, from } = edit, cells = cellsAt(tensor.shape, index)
      const source = from === undefined ? null : this.#passing.get(from) ?? tensorOf(from)
      const isThere = from === undefined || Boolean(source && sameShape(source.shape, tensor.shape))
      if (this.#allowMissing && !(cells && isThere)) {
        if (!this.idle.includes(edit)) this.idle.push(edit)
        continue
      }
      expect(cells !== null, 'index', () => outside('trace', tensor.shape, name, index))
      expect(isThere, 'index', () =>
        `trace: ${name} can be taken from a tensor of its shape that was made before it, got ${from}`)
      expect(!STORED.includes(tensor.dtype), 'type',
        () => `trace: ${name} is stored as ${tensor.dtype} and cannot be edited; keep the weights in float32`)
      const { data } = tensor
      for (const at of cells) {
        const key = `${name}:${at}`
        if (isGiven && !this.#replaced.has(key)) this.#replaced.set(key, { tensor, at, value: data[at] })
        data[at] = source ? source.values[at] : /** @type {number} */ (value)
      }
    }
  }

  /** What was replaced in an input, or undefined. @param {string} name @param {number} at */
  before(name, at) {
    return this.#replaced.get(`${name}:${at}`)?.value
  }

  /** Puts inputs back as they were: of a run that failed nobody has the trace that could tell. */
  undo() {
    for (const { tensor, at, value } of this.#replaced.values()) if (!tensor.disposed) tensor.data[at] = value
    this.#replaced.clear()
  }

  /**
   * After everything was made.
   * @param {string[]} missed names of tensors that were not
   * @param {(name: string) => string} like what to write instead
   */
  settle(missed, like) {
    expect(this.#allowMissing || missed.length === 0, 'index',
      () => `trace: edits name tensors that were not made: ${missed.join(', ')}; ${like(missed[0])}`)
    this.idle = this.list.filter(edit => this.idle.includes(edit) || missed.includes(edit.name))
  }
}
