/**
 * Notebook 002: the PositionalEncoding of the PyTorch tutorial, batch second, used on a batch-first input. The seed of
 * the source's run reproduces its printed numbers, including the zeros of dropout.
 */

export const id = '002'

/** The seed with which PyTorch samples the table and the dropout mask that the notebook prints. */
export const SEED = 2421069391

/** @param {any} gf @param {number} maxLen @param {number} dModel */
const table = (gf, maxLen, dModel) => gf.positionalEncoding(maxLen, dModel, { method: 'log-float32' })

/**
 * The notebook's class with its quirk: the table is [maxLen, 1, dModel] and is sliced by x.size(0), the batch axis of
 * its input, so every token of sentence b gets position b.
 * @param {any} gf
 */
export const positionalEncodingClass = gf => class PositionalEncoding extends gf.nn.Module {
  /** @param {number} dModel @param {number} [dropout] @param {number} [maxLen] */
  constructor(dModel, dropout = 0.1, maxLen = 5000) {
    super()
    this.dropout = new gf.nn.Dropout(dropout)
    this.pe = gf.engine.keep(table(gf, maxLen, dModel).reshape(maxLen, 1, dModel))
  }

  /** @param {any} x [batch, seq, dModel] */
  forward(x) {
    return this.dropout.forward(gf.functional.add(x, gf.functional.narrow(this.pe, 0, 0, x.shape[0])))
  }
}

const IDS = [[2, 1819, 1547, 1698, 230, 3869, 2661, 3596, 3744, 1341, 3155, 3, ...Array(35).fill(1)]]

/** @type {{ id: string, run: (gf: any, s: any) => any }[]} */
export const cells = [
  { id: 'ids', run: (gf, s) => (s.ids = IDS) },
  { id: 'output', run: (gf, s) => {
    gf.manualSeed(SEED)
    s.embedding = new gf.nn.Embedding(4376, 512)
    s.encoding = new (positionalEncodingClass(gf))(512)
    s.embedded = s.embedding.forward(s.ids)
    return s.encoding.forward(s.embedded)
  } },
  { id: 'zeros', run: () => Array.from({ length: 5 }, () => Array(8).fill(0)) },
  { id: 'position', run: () => Array.from({ length: 5 }, (_, k) => [k]) },
  { id: 'div_term', run: () => Array.from({ length: 4 }, (_, i) => Math.exp((2 * i * -Math.log(10000)) / 8)) },
  { id: 'pe', run: (gf, s) => (s.pe = table(gf, 5, 8)) },
  { id: 'pe_unsqueezed', run: (gf, s) => s.pe.reshape(1, 5, 8) },
  { id: 'pe_transposed', run: (gf, s) => s.pe.reshape(5, 1, 8) }
]

export const quirks = ['sliced-by-batch', 'not-a-buffer', 'dropout-at-once']
