import { STORAGE_DTYPES } from '../tensor/dtype.js'
import { Edits, TensorSource, cellsAt, shapeAt } from './edits.js'
import { describeOutside, expect, formatShape, otherEngineError } from '../errors.js'
import { sameShape } from '../tensor/shape.js'

/**
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./edits.js').Edit} Edit
 */

/**
 * The values that an edit takes from another run, in the order of the edit's cells.
 * @param {{ name: string, index: import('./edits.js').EditIndex, from: TensorSource, fromName?: string,
 *   fromIndex?: import('./edits.js').EditIndex }} edit
 * @param {readonly number[]} shape of the edited tensor
 * @returns {{ values: ArrayLike<number>, cells: number[] }}
 */
function readSource({ name, index, from, fromName = name, fromIndex = index }, shape) {
  const tensor = from.recording.get(fromName), cells = cellsAt(tensor.shape, fromIndex)
  expect(!tensor.isLeftOut, 'state', () => `trace: ${fromName} was left out of the other run, so ${name} cannot be ` +
    'copied from it; keepAttention keeps the matrices of the attentions that it names')
  expect(cells !== null, fromIndex === index ? 'shape' : 'index',
    () => `${describeOutside('trace: fromIndex', tensor.shape, fromName, fromIndex)} (of the other run)`)
  const selected = shapeAt(shape, index), given = shapeAt(tensor.shape, fromIndex)
  expect(sameShape(given, selected), 'shape', () => `trace: ${fromName} of the other run, ${formatShape(tensor.shape)}, gives ` +
    `cells of shape ${formatShape(given)}, but those of ${name} that are edited have ${formatShape(selected)}`)
  expectReadable(fromName, tensor)
  return { values: tensor.values, cells }
}

/** Throws for values that are stored in fewer bits. @param {string} name @param {Tensor} tensor */
const expectReadable = (name, tensor) => expect(!STORAGE_DTYPES.includes(tensor.dtype), 'type',
  () => `trace: ${name} is stored as ${tensor.dtype} and cannot be copied from; keep the weights in float32`)

/** The edits of one trace: applied to tensors as they are computed; replaced values of inputs can be restored. */
export class AppliedEdits extends Edits {
  #allowMissing
  /**
   * Replaced values of inputs, by name and cell.
   * @type {Map<string, { tensor: Tensor, at: number, value: number }>}
   */
  #replaced = new Map()
  /** Intermediate tensors of a running operation, by the names they will get. @type {Map<string, Tensor>} */
  #intermediates = new Map()
  /** Edits that matched no cell, where that is allowed. @type {Edit[]} */
  unused = []

  /**
   * @param {import('../engine/engine.js').Engine} engine @param {readonly Edit[]} edits
   * @param {boolean} allowMissing whether an edit may match no cell
   */
  constructor(engine, edits, allowMissing) {
    super(edits)
    for (const { from } of edits) {
      if (from instanceof TensorSource && from.recording.engine !== engine) throw otherEngineError('trace: edits')
    }
    this.#allowMissing = allowMissing
  }

  /**
   * Registers an operation's intermediate tensor under the name it will get.
   * @param {string} name @param {Tensor} tensor
   */
  registerIntermediate(name, tensor) {
    this.#intermediates.set(name, tensor)
  }

  /** The edits of a tensor that match its cells. @param {string} name @returns {Edit[]} */
  of(name) {
    return super.of(name).filter(edit => !this.unused?.includes(edit))
  }

  /**
   * Applies the edits of a tensor.
   * @param {string} name @param {Tensor} tensor @param {(name: string) => Tensor | undefined} tensorOf
   * @param {boolean} isInput whether it is an input of the trace
   * @param {string} [reader] the operation that has already read it, whose result an edit would not change
   */
  apply(name, tensor, tensorOf, isInput, reader) {
    for (const edit of this.of(name)) {
      if (reader !== undefined) {
        expect(this.#allowMissing, 'index', () => `trace: edits of ${name} come too late, ${reader} has read it already; ` +
          'change the tensor before the trace, or pass it to a module')
        this.unused.push(edit)
        continue
      }
      const { index, value, from } = edit, cells = cellsAt(tensor.shape, index)
      const source = typeof from === 'string' ? this.#intermediates.get(from) ?? tensorOf(from) : null
      const hasSource = typeof from !== 'string' || Boolean(source && sameShape(source.shape, tensor.shape))
      if (this.#allowMissing && !(cells && hasSource)) {
        if (!this.unused.includes(edit)) this.unused.push(edit)
        continue
      }
      expect(cells !== null, 'index', () => describeOutside('trace', tensor.shape, name, index))
      expect(hasSource, 'index', () =>
        `trace: ${name} can be copied from a tensor of the same shape that was computed before it, got ${from}`)
      expect(!STORAGE_DTYPES.includes(tensor.dtype), 'type',
        () => `trace: ${name} is stored as ${tensor.dtype} and cannot be edited; keep the weights in float32`)
      if (source) expectReadable(/** @type {string} */ (from), source)
      const given = source ? { values: source.values, cells }
        : from instanceof TensorSource ? readSource({ ...edit, from }, tensor.shape) : null
      const { data } = tensor
      if (isInput) cells.forEach(at => this.#saveReplaced(name, tensor, at))
      cells.forEach((at, i) => { data[at] = given ? given.values[given.cells[i]] : /** @type {number} */ (value) })
    }
  }

  /**
   * Notes the value of an input's cell before its first edit.
   * @param {string} name @param {Tensor} tensor @param {number} at
   */
  #saveReplaced(name, tensor, at) {
    const key = `${name}:${at}`
    if (!this.#replaced.has(key)) this.#replaced.set(key, { tensor, at, value: tensor.data[at] })
  }

  /** The replaced value of an input's cell, or undefined. @param {string} name @param {number} at */
  before(name, at) {
    return this.#replaced.get(`${name}:${at}`)?.value
  }

  /** Restores the replaced values of inputs after a failed run. */
  undo() {
    for (const { tensor, at, value } of this.#replaced.values()) if (!tensor.disposed) tensor.data[at] = value
    this.#replaced.clear()
  }

  /**
   * Called at the end of the run.
   * @param {string[]} missing names of tensors that were not computed
   * @param {(name: string) => string} describeSimilar suggests other names
   */
  finish(missing, describeSimilar) {
    expect(this.#allowMissing || missing.length === 0, 'index',
      () => `trace: edits name tensors that were not computed: ${missing.join(', ')}; ${describeSimilar(missing[0])}`)
    this.unused = this.list.filter(edit => this.unused.includes(edit) || missing.includes(edit.name))
  }
}
