import { expectOptions, expectInteger } from '../errors.js'
import { embedding } from '../ops/embedding.js'
import { fillNormal } from '../tensor/random.js'
import { Module } from './module.js'

/**
 * A table of vectors, looked up by id: torch.nn.Embedding. weight [numEmbeddings, embeddingDim].
 * @example
 * new gf.nn.Embedding(100, 8).forward([[3, 1, 4]]).shape   // [1, 3, 8]
 */
export class Embedding extends Module {
  /** The row that gets no gradient, if any. @type {number | null} */ paddingIdx = null

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {number} numEmbeddings
   * @param {number} embeddingDim
   * @param {{ paddingIdx?: number }} [options] paddingIdx: a row that starts as zeros and gets no gradient
   */
  constructor(engine, numEmbeddings, embeddingDim, options) {
    super(engine)
    const paddingIdx = expectOptions('Embedding', options, ['paddingIdx']).paddingIdx ?? undefined
    this.numEmbeddings = expectInteger('Embedding', 'numEmbeddings', numEmbeddings)
    this.embeddingDim = expectInteger('Embedding', 'embeddingDim', embeddingDim)
    if (paddingIdx !== undefined) {
      expectInteger('Embedding', 'paddingIdx', paddingIdx, -numEmbeddings, numEmbeddings - 1)
      this.paddingIdx = paddingIdx < 0 ? paddingIdx + numEmbeddings : paddingIdx
    }
    this.weight = this.matrix(numEmbeddings, embeddingDim)
    this.resetParameters()
  }

  /** Standard normal values, zeros in the padding row. */
  resetParameters() {
    fillNormal(this.weight)
    const { paddingIdx: row, embeddingDim: C } = this
    if (row !== null && this.weight.dtype === 'float32') this.weight.values.fill(0, row * C, (row + 1) * C)
  }

  /**
   * Looks up the rows of some ids.
   * @param {import('../tensor/tensor.js').Tensor | number[] | number[][]} ids int32, any shape
   * @returns {import('../tensor/tensor.js').Tensor} [...ids.shape, embeddingDim]
   */
  forward(ids) {
    return embedding(ids, this.weight, { paddingIdx: this.paddingIdx ?? undefined })
  }

  /** @returns {string} */
  extraRepr() {
    const { numEmbeddings, embeddingDim, paddingIdx } = this
    return `${numEmbeddings}, ${embeddingDim}${paddingIdx === null ? '' : `, padding_idx=${paddingIdx}`}`
  }
}
