import { expect, expectOptions, formatShape, expectInteger } from '../errors.js'
import { add } from '../ops/binary.js'
import { expectRank, expectFloatTensor } from '../ops/checks.js'
import { narrow } from '../ops/narrow.js'
import { originOf, positionalEncoding } from '../ops/positional_encoding.js'
import { fillNormal } from '../tensor/random.js'
import { Dropout } from './dropout.js'
import { Module } from './module.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * The rows of a table for the positions of x [B, T, C].
 * @param {string} where @param {Tensor} table @param {Tensor} x @param {unknown} options
 */
function selectRows(where, table, x, options) {
  expectRank(where, 'x', expectFloatTensor(where, 'x', x), 3, '[B, T, C]')
  const [, T, C] = x.shape, [maxLength, dModel] = table.shape
  expect(C === dModel, 'shape', () => `${where}: x must have ${dModel} channels, got ${formatShape(x.shape)}`)
  const { start = 0 } = expectOptions(where, options, ['start']), end = expectInteger(where, 'start', start) + T
  expect(end <= maxLength, 'range',
    () => `${where}: start + T is ${end}, but the table has only ${maxLength} positions; create it with a larger maxLength`)
  return narrow(table, 0, start, T)
}

/**
 * Adds sinusoidal positional encodings, then applies dropout: the PositionalEncoding of the PyTorch tutorial, batch
 * first. pe [maxLength, dModel] is a buffer, which is saved but not trained.
 */
export class PositionalEncoding extends Module {
  static axes = { pe: [{ name: 'position' }, { name: 'channel' }] }

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {number} dModel
   * @param {number} [dropout] 0.1
   * @param {number} [maxLength] 5000
   * @param {Parameters<typeof positionalEncoding>[3]} [options] base: 10000, layout: 'interleaved', method: 'log'
   */
  constructor(engine, dModel, dropout = 0.1, maxLength = 5000, options) {
    super(engine)
    this.options = expectOptions('PositionalEncoding', options, ['base', 'layout', 'method'])
    this.dropout = new Dropout(engine, dropout)
    this.registerBuffer('pe', positionalEncoding(engine, maxLength, dModel, options))
  }

  /** @type {Tensor} */ pe = /** @type {any} */ (null)

  /**
   * @param {Tensor} x [B, T, dModel]
   * @param {{ start?: number }} [options] the position of x's first token, default 0; when decoding with a cache, the
   *   number of tokens already in it
   * @returns {Tensor} the same shape
   */
  forward(x, options) {
    // The table was computed before the trace, which otherwise could not explain its values.
    this.engine.trace?.addOrigin(originOf(this.pe, this.options))
    return this.dropout.forward(this.tag('sum', add(x, selectRows('PositionalEncoding', this.pe, x, options))))
  }
}

/**
 * Adds a learned vector for each position, like a second torch.nn.Embedding. weight [maxLength, dModel].
 */
export class LearnedPositionalEncoding extends Module {
  static axes = { weight: [{ name: 'position' }, { name: 'channel' }] }

  /** @param {import('../engine/engine.js').Engine} engine @param {number} maxLength @param {number} dModel */
  constructor(engine, maxLength, dModel) {
    super(engine)
    expectInteger('LearnedPositionalEncoding', 'maxLength', maxLength)
    expectInteger('LearnedPositionalEncoding', 'dModel', dModel)
    this.weight = this.parameter(maxLength, dModel)
    fillNormal(this.weight)
  }

  /**
   * @param {Tensor} x [B, T, dModel]
   * @param {{ start?: number }} [options] the position of x's first token, default 0; when decoding with a cache, the
   *   number of tokens already in it
   * @returns {Tensor} the same shape
   */
  forward(x, options) {
    return add(x, selectRows('LearnedPositionalEncoding', this.weight, x, options))
  }
}
