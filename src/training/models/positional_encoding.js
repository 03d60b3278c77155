/** Positional encodings: a table of sines and cosines, or a learned one. */

/**
 * Adds positions and applies dropout: sines and cosines in either layout, or a random table to be learned.
 * @param {any} gf
 * @param {{ positions: string, base: number, dModel: number, dropout: number, longest: number }} config
 */
export function createPositionalEncoding(gf, { positions, base, dModel, dropout, longest }) {
  if (positions !== 'learned') return new gf.nn.PositionalEncoding(dModel, dropout, longest,
    { base, layout: positions })

  class LearnedPositions extends gf.nn.LearnedPositionalEncoding {
    static inputNames = ['x']

    constructor() {
      super(longest, dModel)
      this.dropout = new gf.nn.Dropout(dropout)
    }

    /** @param {any} x [B, T, dModel] @param {{ start?: number }} [options] */
    forward(x, options) {
      return this.dropout.forward(this.tag('sum', super.forward(x, options)))
    }
  }
  return new LearnedPositions()
}
