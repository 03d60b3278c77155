/** Further experiments of the laboratory: first ideas, spellings, layouts, a wrong slice, rotation, schemes. */

/** Rows of the compared tables. */
const ROWS = 8

/** Sentences of the batch that a table is added to. */
const SENTENCES = 3

/** @param {any} gf */
export function moreExperiments(gf) {
  const { Module } = gf.nn
  const { softmax, stack } = gf.functional
  /** @param {number} from @param {number} to @param {number} [step] */
  const count = (from, to, step = 1) => gf.arange(from, to, step, { dtype: 'float32' })

  /** Adds the index of a word, or the index divided by the length, to the embeddings. */
  class FirstIdeas extends Module {
    /** @param {any} x [1, T, C] */
    forward(x) {
      const length = x.shape[1]
      const grown = this.tag('grown', x.add(count(0, length).reshape(length, 1)))
      const norm = (/** @type {any} */ item) => item.square().sum({ dim: 2 }).sqrt()
      this.tag('norms', gf.functional.cat([norm(x), norm(grown)], { dim: 0 }))
      const hops = this.tag('hops', count(1, 4).mul(length).sub(1).reciprocal())
      const shares = this.tag('shares', count(0, length).reshape(1, length).mul(hops.reshape(3, 1)))
      return { shares }
    }
  }

  /** Computes the rates in float32 as powers and with exp and log, and compares the angles. */
  class TwoSpellings extends Module {
    /** @param {number} length @param {number} dModel @param {number} base */
    forward(length, dModel, base) {
      const position = count(0, length).reshape(length, 1)
      const twice = this.tag('twice', count(0, dModel, 2).div(dModel))
      const power = this.tag('power', gf.full([dModel / 2], base).pow(twice))
      const exponent = this.tag('exponent', twice.mul(-Math.log(base)))
      const rate = this.tag('rate', exponent.exp())
      const byPower = this.tag('by_power', position.div(power))
      const byLog = this.tag('by_log', position.mul(rate))
      const apart = this.tag('apart', byLog.sub(byPower))
      this.tag('most', apart.abs().max())
      return { apart }
    }
  }

  /** Sines and cosines interleaved and concatenated: the same columns in another order. */
  class Layouts extends Module {
    /** @param {any} table @param {number} base */
    forward(table, base) {
      const dModel = table.shape[1]
      const interleaved = this.tag('interleaved', table.narrow(0, 0, ROWS).clone())
      const concatenated = this.tag('concatenated',
        gf.positionalEncoding(ROWS, dModel, { base, layout: 'concatenated' }))
      const order = Array.from({ length: dModel }, (_, i) => (i < dModel / 2 ? 2 * i : 2 * i - dModel + 1))
      const sorted = this.tag('sorted', interleaved.indexSelect(1, order))
      this.tag('most', sorted.sub(concatenated).abs().max())
      return { sorted }
    }
  }

  /** Adds a table to a batch, correctly sliced by tokens, and wrongly by sentences. */
  class Broadcasting extends Module {
    /** @param {any} x [1, T, C] @param {any} table */
    forward(x, table) {
      const [, length, dModel] = x.shape
      const batch = this.tag('batch', x.expand([SENTENCES, length, dModel]))
      const right = this.tag('right', batch.add(table.narrow(0, 0, length)).sub(batch))
      const cut = table.narrow(0, 0, SENTENCES).reshape(SENTENCES, 1, dModel)
      const wrong = this.tag('wrong', batch.add(cut).sub(batch))
      const spread = (/** @type {any} */ item) => (
        item.narrow(1, 1, length - 1).sub(item.narrow(1, 0, length - 1)).abs().max())
      this.tag('spread', stack([spread(right), spread(wrong)]))
      return { wrong }
    }
  }

  /** Shifts positions by a matrix, which rotates every pair by its own angle. */
  class Rotation extends Module {
    /** @param {any} table @param {any} rate @param {number} length @param {number} shift */
    forward(table, rate, length, shift) {
      const dModel = table.shape[1]
      const angle = this.tag('angle', rate.mul(shift))
      const both = (/** @type {any} */ item) => stack([item, item], { dim: 1 }).reshape(1, dModel)
      const [cosine, sine] = [this.tag('cosine', angle.cos()), this.tag('sine', angle.sin())]
      const signs = Array.from({ length: dModel }, (_, row) => (
        Array.from({ length: dModel }, (_, col) => (row === (col ^ 1) ? (row > col ? 1 : -1) : 0))))
      const matrix = this.tag('matrix', gf.eye(dModel).mul(both(cosine)).add(gf.tensor(signs, { dtype: 'float32' })
        .mul(both(sine))))
      const here = this.tag('here', table.narrow(0, 0, length).clone())
      const moved = this.tag('moved', here.matmul(matrix))
      const there = this.tag('there', table.narrow(0, shift, length).clone())
      const back = this.tag('back', matrix.matmul(matrix.transpose(0, 1)))
      const apart = stack([moved.sub(there).abs().max(), back.sub(gf.eye(dModel)).abs().max()])
      this.tag('most', apart)
      return { moved }
    }
  }

  /** Compares five positional encodings with the same sentence, query matrix and key matrix. */
  class Schemes extends Module {
    /** @param {number} dModel */
    constructor(dModel) {
      super()
      this.query = new gf.nn.Linear(dModel, dModel)
      this.key = new gf.nn.Linear(dModel, dModel)
    }

    /** @param {any} x [1, T, C] @param {any} table @param {any} learned @param {number} base */
    forward(x, table, learned, base) {
      const [, length, dModel] = x.shape
      const queryAndKey = (/** @type {any} */ item) => [this.query.forward(item), this.key.forward(item)]
      const rotated = (/** @type {string} */ layout) => (
        queryAndKey(x).map(item => gf.functional.rotary(item, { base, layout })))
      const distance = gf.alibi(1, length).reshape(1, length, length)
      const weights = (/** @type {any[]} */ [q, k], bias = null) => {
        const scores = q.matmul(k.transpose(1, 2)).div(Math.sqrt(dModel))
        return softmax(bias ? scores.add(bias) : scores, { dim: 2 })
      }
      const sinusoidal = this.tag('sinusoidal', weights(queryAndKey(x.add(table.narrow(0, 0, length)))))
      this.tag('none', weights(queryAndKey(x)))
      this.tag('random', weights(queryAndKey(x.add(learned.narrow(0, 0, length)))))
      this.tag('halves', weights(rotated('half')))
      this.tag('neighbours', weights(rotated('interleaved')))
      this.tag('biased', weights(queryAndKey(x), distance))
      return { sinusoidal }
    }
  }

  /** The sum of embeddings and positions with some cells dropped. */
  class Dropped extends Module {
    /** @param {number} p */
    constructor(p) {
      super()
      this.drop = new gf.nn.Dropout(p)
    }

    /** @param {any} x @param {any} table */
    forward(x, table) {
      const before = this.tag('before', x.add(table.narrow(0, 0, x.shape[1])))
      const after = this.drop.forward(before)
      // At a rate of 0 it is the same tensor, which can have only one of the names.
      return { after: this.tag('after', after === before ? before.clone() : after) }
    }
  }

  return { FirstIdeas, TwoSpellings, Layouts, Broadcasting, Rotation, Schemes, Dropped }
}
