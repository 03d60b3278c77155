/** The experiments of the laboratory as modules, so that the library computes every number of their figures. */

/** Samples per position, so that waves look continuous. */
export const SAMPLES_PER_POSITION = 8

/** How many positions are compared with each other. */
export const COMPARED_POSITIONS = 12

/** @param {any} gf */
export function experiments(gf) {
  const { Module } = gf.nn
  /** @param {number} from @param {number} to @param {number} [step] */
  const count = (from, to, step = 1) => gf.arange(from, to, step, { dtype: 'float32' })

  /** Sine and cosine: the table, and the intermediate values of one of its cells. */
  class Waves extends Module {
    /** @param {number} length @param {number} dModel @param {number} base */
    forward(length, dModel, base) {
      const rate = this.tag('rate', count(0, dModel, 2).mul(-Math.log(base) / dModel).exp())
      const position = this.tag('position', count(0, length).reshape(length, 1))
      this.tag('angle', position.mul(rate))
      const points = (length - 1) * SAMPLES_PER_POSITION + 1
      const between = this.tag('between', count(0, points).reshape(points, 1).div(SAMPLES_PER_POSITION))
      const angles = this.tag('turned', between.mul(rate))
      this.tag('wave', gf.functional.stack([angles.sin(), angles.cos()], { dim: 2 }))
      return { rate, table: this.tag('table', gf.positionalEncoding(length, dModel, { base })) }
    }
  }

  /** Every pair of channels as a point that moves around a circle. */
  class Circle extends Module {
    /** @param {any} table */
    forward(table) {
      const [length, dModel] = table.shape
      const pairs = this.tag('pairs', table.reshape(length, dModel / 2, 2).transpose(0, 1))
      this.tag('radius', pairs.square().sum({ dim: 2 }).sqrt())
      return { pairs }
    }
  }

  /** Four encodings and the requirements on them: distinct positions, bounded values, equal steps. */
  class Requirements extends Module {
    /** @param {any} table @param {any} learned */
    forward(table, learned) {
      const [length, dModel] = table.shape
      const index = count(0, length).reshape(length, 1).expand([length, dModel])
      const fractions = index.div(length - 1)
      const encodings = this.tag('encodings', gf.functional.stack([index, fractions, table, learned.narrow(0, 0, length)]))
      const products = this.tag('products', encodings.matmul(encodings.transpose(1, 2)))
      const differences = encodings.unsqueeze(2).sub(encodings.unsqueeze(1))
      const distances = this.tag('distances', differences.square().sum({ dim: 3 }).sqrt())
      const norms = this.tag('norms', encodings.square().sum({ dim: 2 }).sqrt())
      const steps = encodings.narrow(1, 1, length - 1).sub(encodings.narrow(1, 0, length - 1))
      const stepSizes = this.tag('neighbours', steps.square().sum({ dim: 2 }).sqrt())
      const diagonal = gf.eye(length).mul(1e9)
      const minDistances = distances.add(diagonal).flatten(1, 2).min({ dim: 1 }).values
      const extremes = [stepSizes, norms].flatMap(item => [item.min({ dim: 1 }).values, item.max({ dim: 1 }).values])
      this.tag('measures', gf.functional.stack([encodings.abs().flatten(1, 2).max({ dim: 1 }).values, minDistances, ...extremes], { dim: 1 }))
      return { products }
    }
  }

  /** The same words in another order, through the same attention: without positions and with them. */
  class Shuffle extends Module {
    /** @param {number} dModel */
    constructor(dModel) {
      super()
      this.attention = new gf.nn.MultiheadAttention(dModel, 1)
      /** @type {number[]} */ this.order = []
      /** @type {number[]} */ this.inverseOrder = []
    }

    /** @param {number[]} order the new order of the words */
    shuffleBy(order) {
      this.order = order
      this.inverseOrder = order.map((_, word) => order.indexOf(word))
    }

    /** @param {any} x [1, T, C] */
    attend(x) {
      return this.attention.forward(x)[0]
    }

    /** @param {any} x [1, T, C] @param {any} table */
    forward(x, table) {
      const positions = table.narrow(0, 0, x.shape[1])
      const permuted = this.tag('moved', x.indexSelect(1, this.order))
      const withoutPositions = this.compare('bare', x, permuted)
      const withPositions = this.compare('placed', this.tag('sum', x.add(positions)), this.tag('moved_sum', permuted.add(positions)))
      this.tag('most', gf.functional.stack([withoutPositions, withPositions].map(item => item.abs().max())))
      return { withPositions }
    }

    /**
     * The difference of the attention outputs of both orders, word by word.
     * @param {string} name @param {any} x @param {any} moved
     */
    compare(name, x, moved) {
      const here = this.tag(`${name}_here`, this.attend(x))
      const there = this.tag(`${name}_there`, this.attend(moved).indexSelect(1, this.inverseOrder))
      return this.tag(`${name}_apart`, there.sub(here))
    }
  }

  /** The exportable model: words with their positions through the attention of the shuffle. */
  class Placed extends Module {
    static inputNames = ['ids']

    /** @param {any} embedding @param {any} attention @param {{ dModel: number, base: number, length: number }} sizes */
    constructor(embedding, attention, { dModel, base, length }) {
      super()
      this.embedding = embedding
      this.positions = new gf.nn.PositionalEncoding(dModel, 0, length, { base })
      this.attention = attention
    }

    /** @param {number[][]} ids [B, T] */
    forward(ids) {
      return this.attention.forward(this.positions.forward(this.embedding.forward(ids)))[0]
    }
  }

  return { Waves, Circle, Requirements, Shuffle, Placed }
}
