/**
 * Notebook 000: from three sentences to embeddings with sinusoidal positions, first with nested loops, then with the
 * logarithm, then as a module. The seed of the source's run reproduces its random table.
 */

export const id = '000'

/** The seed with which PyTorch samples the table that the notebook prints. */
export const SEED = 1828875196

/**
 * gen_pe with nested loops: angle k / n^(2i/d), in double as NumPy has it.
 * @param {any} gf @param {number} maxLength @param {number} dModel @param {number} n
 */
export const genPe = (gf, maxLength, dModel, n) =>
  gf.positionalEncoding(maxLength, dModel, { base: n, method: 'direct', dtype: 'float64' })

/**
 * gen_pe without loops: the rates exp(-2i ln(n) / d) at once, a sentence axis in front.
 * @param {any} gf @param {number} maxLength @param {number} dModel @param {number} n
 */
export const genPeLog = (gf, maxLength, dModel, n) =>
  gf.positionalEncoding(maxLength, dModel, { base: n, method: 'log' }).reshape(1, maxLength, dModel)

/** exp(-2i ln(n) / d): one rate for each pair of columns. @param {number} dModel @param {number} n */
export const divTerm = (dModel, n) =>
  Array.from({ length: dModel / 2 }, (_, i) => Math.exp(2 * i * -(Math.log(n) / dModel)))

/**
 * The notebook's PositionalEncoding: a buffer [1, maxLength, dModel] that is added and followed by dropout.
 * @param {any} gf
 */
export const positionalEncodingClass = gf => class PositionalEncoding extends gf.nn.Module {
  /** @param {number} dModel @param {number} [dropout] @param {number} [maxLength] */
  constructor(dModel, dropout = 0.1, maxLength = 5000) {
    super()
    this.dropout = new gf.nn.Dropout(dropout)
    this.registerBuffer('pe', genPeLog(gf, maxLength, dModel, 10000))
  }

  /** @param {any} x [batch, seq, dModel] */
  forward(x) {
    const [, maxLength, dModel] = this.pe.shape
    const rows = gf.functional.narrow(this.pe.reshape(maxLength, dModel), 0, 0, x.shape[1])
    return this.dropout.forward(gf.functional.add(x, rows))
  }
}

/**
 * Each cell gets the library and the variables of earlier cells, and returns what the notebook prints.
 * @type {{ id: string, run: (gf: any, s: any) => any }[]}
 */
export const cells = [
  {
    id: 'sequences',
    run: (gf, s) => (s.sequences = [
      'I wonder what will come next', 'This is a basic example paragraph', 'Hello, what is a basic split?'
    ])
  },
  { id: 'tokens', run: (gf, s) => (s.tokens = s.sequences.map((/** @type {string} */ seq) => gf.text.words(seq, { punctuation: false }))) },
  { id: 'indexed', run: (gf, s) => {
    s.vocab = new gf.text.Vocab(s.tokens)
    return (s.indexed = s.tokens.map((/** @type {string[]} */ list) => s.vocab.encode(list)))
  } },
  { id: 'embeddings', run: (gf, s) => {
    gf.manualSeed(SEED)
    s.lut = new gf.nn.Embedding(s.vocab.size, 4)
    return (s.embeddings = s.lut.forward(s.indexed))
  } },
  { id: 'encodings', run: (gf, s) => (s.encodings = genPe(gf, 10, 4, 1000)) },
  { id: 'encodings6', run: (gf, s) => s.encodings.toArray().slice(0, 6) },
  {
    id: 'sum_n1000',
    run: (gf, s) => gf.functional.add(s.embeddings, gf.functional.narrow(gf.tensor(s.encodings.toArray()), 0, 0, 6))
  },
  { id: 'div_term', run: (gf, s) => (s.divTerm = divTerm(4, 100)) },
  { id: 'k', run: (gf, s) => (s.k = Array.from({ length: 10 }, (_, k) => [k])) },
  { id: 'k_div_term', run: (gf, s) => (
    s.k.map((/** @type {number[]} */ [k]) => s.divTerm.map((/** @type {number} */ rate) => k * rate))) },
  { id: 'zeros', run: () => Array.from({ length: 10 }, () => [0, 0, 0, 0]) },
  { id: 'pe_n100', run: gf => genPeLog(gf, 10, 4, 100) },
  { id: 'gen_pe_n100', run: gf => genPeLog(gf, 10, 4, 100) },
  { id: 'embeddings_again', run: (gf, s) => s.embeddings },
  { id: 'pe_n10000', run: (gf, s) => {
    s.pe = new (positionalEncodingClass(gf))(4, 0, 10)
    return s.pe.stateDict().pe
  } },
  { id: 'sum_n10000', run: (gf, s) => s.pe.forward(s.embeddings) }
]

/** Surprising parts of the notebook, which the texts explain. */
export const quirks = ['base-differs', 'even-odd-comments']
