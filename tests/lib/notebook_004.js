/**
 * Notebook 004, a whole transformer piece by piece, with the options that PyTorch's numbers need: the classes are the
 * notebook's, built from the library's parts as it builds them from PyTorch's, with the same unusual parts.
 */

/**
 * The notebook's compute_attention. querys, keys, values: [B, T, D] or [B, H, T, D].
 * @param {any} gf @param {any} querys @param {any} keys @param {any} values @param {boolean} [isCausal]
 */
export function computeAttention(gf, querys, keys, values, isCausal = false) {
  const heads = [querys, keys, values].map(t =>
    (t.shape.length === 3 ? t.reshape(t.shape[0], 1, ...t.shape.slice(1)) : t))
  const out = gf.functional.scaledDotProductAttention(...heads, { isCausal })
  return querys.shape.length === 3 ? out.reshape(querys.shape[0], querys.shape[1], values.shape[2]) : out
}

/** The notebook's classes for one engine. @param {any} gf */
export function classes(gf) {
  const { Dropout, GELU, LayerNorm, Linear, Module, ModuleList } = gf.nn, { add } = gf.functional

  class AttentionHead extends Module {
    /** @param {number} tokenEmbedDim @param {number} headDim @param {boolean} [isCausal] */
    constructor(tokenEmbedDim, headDim, isCausal = false) {
      super()
      this.isCausal = isCausal
      this.weight_q = new Linear(tokenEmbedDim, headDim)
      this.weight_k = new Linear(tokenEmbedDim, headDim)
      this.weight_v = new Linear(tokenEmbedDim, headDim)
    }

    /** @param {any} querys @param {any} keys @param {any} values */
    forward(querys, keys, values) {
      const q = this.weight_q.forward(querys), k = this.weight_k.forward(keys), v = this.weight_v.forward(values)
      return computeAttention(gf, q, k, v, this.isCausal)
    }
  }

  class MultiheadAttention extends Module {
    /**
     * @param {number} tokenEmbedDim must equal dModel: the heads are cut from the input's width
     * @param {number} dModel @param {number} nHead @param {boolean} [isCausal]
     */
    constructor(tokenEmbedDim, dModel, nHead, isCausal = false) {
      super()
      this.nHead = nHead
      this.isCausal = isCausal
      this.weight_q = new Linear(tokenEmbedDim, dModel)
      this.weight_k = new Linear(tokenEmbedDim, dModel)
      this.weight_v = new Linear(tokenEmbedDim, dModel)
      this.concat_linear = new Linear(dModel, dModel)
    }

    /** @param {any} querys @param {any} keys @param {any} values @param {{ isCausal?: boolean }} [options] */
    forward(querys, keys, values, { isCausal = this.isCausal } = {}) {
      const [B, T, C] = querys.shape
      const heads = (/** @type {any} */ t) => t.reshape(B, t.shape[1], this.nHead, C / this.nHead).transpose(1, 2)
      const q = heads(this.weight_q.forward(querys)), k = heads(this.weight_k.forward(keys))
      const v = heads(this.weight_v.forward(values))
      return this.concat_linear.forward(computeAttention(gf, q, k, v, isCausal).transpose(1, 2).reshape(B, T, C))
    }
  }

  class PreLayerNormFeedForward extends Module {
    /** @param {number} dModel @param {number} dimFeedforward @param {number} dropout */
    constructor(dModel, dimFeedforward, dropout) {
      super()
      this.linear1 = new Linear(dModel, dimFeedforward)
      this.linear2 = new Linear(dimFeedforward, dModel)
      this.dropout1 = new Dropout(dropout)
      this.dropout2 = new Dropout(dropout)
      this.activation = new GELU()
      this.norm = new LayerNorm(dModel)
    }

    /** The residual starts from the normalized input, and the second dropout acts on the sum. @param {any} src */
    forward(src) {
      const x = this.norm.forward(src)
      const change = this.linear2.forward(this.dropout1.forward(this.activation.forward(this.linear1.forward(x))))
      return this.dropout2.forward(add(x, change))
    }
  }

  class TransformerEncoderLayer extends Module {
    /** @param {number} dModel @param {number} nhead @param {number} dimFeedforward @param {number} dropout */
    constructor(dModel, nhead, dimFeedforward, dropout) {
      super()
      this.attn = new MultiheadAttention(dModel, dModel, nhead)
      this.norm1 = new LayerNorm(dModel)
      this.dropout1 = new Dropout(dropout)
      this.feed_forward = new PreLayerNormFeedForward(dModel, dimFeedforward, dropout)
    }

    /** @param {any} src */
    forward(src) {
      const x = this.norm1.forward(src)
      return this.feed_forward.forward(add(src, this.dropout1.forward(this.attn.forward(x, x, x))))
    }
  }

  class TransformerEncoder extends Module {
    /**
     * The final norm is never applied.
     * @param {any} encoderLayer @param {number} numLayers @param {any} [norm]
     */
    constructor(encoderLayer, numLayers, norm = null) {
      super()
      this.layers = getClones(encoderLayer, numLayers)
      this.numLayers = numLayers
      this.norm = norm
    }

    /** @param {any} src */
    forward(src) {
      let output = src
      for (const layer of this.layers) output = layer.forward(output)
      return output
    }
  }

  class TransformerDecoderLayer extends Module {
    /** @param {number} dModel @param {number} nhead @param {number} [dimFeedforward] @param {number} [dropout] */
    constructor(dModel, nhead, dimFeedforward = 2048, dropout = 0.1) {
      super()
      this.self_attn = new MultiheadAttention(dModel, dModel, nhead)
      this.multihead_attn = new MultiheadAttention(dModel, dModel, nhead)
      this.feed_forward = new PreLayerNormFeedForward(dModel, dimFeedforward, dropout)
      this.norm1 = new LayerNorm(dModel)
      this.norm2 = new LayerNorm(dModel)
      this.dropout1 = new Dropout(dropout)
      this.dropout2 = new Dropout(dropout)
    }

    /**
     * Both residuals start from the normalized input.
     * @param {any} tgt @param {any} encoderOutput @param {{ isCausal?: boolean }} [options]
     */
    forward(tgt, encoderOutput, { isCausal = true } = {}) {
      let x = this.norm1.forward(tgt)
      x = add(x, this.dropout1.forward(this.self_attn.forward(x, x, x, { isCausal })))
      x = this.norm2.forward(x)
      x = add(x, this.dropout2.forward(this.multihead_attn.forward(x, encoderOutput, encoderOutput)))
      return this.feed_forward.forward(x)
    }
  }

  class TransformerDecoder extends Module {
    /** @param {any} decoderLayer @param {number} numLayers */
    constructor(decoderLayer, numLayers) {
      super()
      this.layers = getClones(decoderLayer, numLayers)
      this.numLayers = numLayers
    }

    /**
     * Every layer is given tgt, so only the last one counts; `chained` passes each layer's output on.
     * @param {any} tgt @param {any} src @param {{ chained?: boolean, isCausal?: boolean }} [options]
     */
    forward(tgt, src, { chained = false, isCausal = true } = {}) {
      let output = tgt
      for (const layer of this.layers) output = layer.forward(chained ? output : tgt, src, { isCausal })
      return output
    }
  }

  /** @param {any} module @param {number} n */
  function getClones(module, n) {
    return new ModuleList(Array.from({ length: n }, () => module.clone()))
  }

  return {
    AttentionHead, MultiheadAttention, PreLayerNormFeedForward, TransformerEncoderLayer, TransformerEncoder,
    TransformerDecoderLayer,
    TransformerDecoder, getClones
  }
}

const EMBEDDING_DIM = 16, MAX_POSITION = 12, HEADS = 4, FEED_FORWARD = 32

/** In the order in which they sample random numbers. @type {{ id: string, run: (gf: any, s: any) => any }[]} */
const STAGES = [
  { id: 'tokens', run: (gf, s) => (s.tokens = gf.text.whitespace('나는 최근 파리 여행을 다녀왔다')) },
  { id: 'str2idx', run: (gf, s) => {
    s.vocab = new gf.text.Vocab([s.tokens], { order: 'first-seen' })
    return Object.fromEntries(s.vocab.stoi)
  } },
  { id: 'idx2str', run: (gf, s) => Object.fromEntries(s.vocab.itos.entries()) },
  { id: 'input_ids', run: (gf, s) => (s.ids = s.vocab.encode(s.tokens)) },
  { id: 'shapes_embedding', run: (gf, s) => {
    s.embed = new gf.nn.Embedding(s.vocab.size, EMBEDDING_DIM)
    return s.embed.forward([s.ids]).shape
  } },
  { id: 'input_embeddings', run: (gf, s) => {
    s.embed = new gf.nn.Embedding(s.vocab.size, EMBEDDING_DIM)
    s.positions = new gf.nn.LearnedPositionalEncoding(MAX_POSITION, EMBEDDING_DIM)
    return (s.x = s.positions.forward(s.embed.forward([s.ids])))
  } },
  { id: 'qkv', run: (gf, s) => {
    s.weights = [0, 1, 2].map(() => new gf.nn.Linear(EMBEDDING_DIM, EMBEDDING_DIM))
    return (s.qkv = s.weights.map((/** @type {any} */ w) => w.forward(s.x)))
  } },
  { id: 'attention', run: (gf, s) => (s.attended = computeAttention(gf, s.qkv[0], s.qkv[1], s.qkv[2])) },
  { id: 'shapes_attention', run: (gf, s) => [s.x.shape, s.attended.shape] },
  { id: 'attention_head', run: (gf, s) => {
    s.classes = classes(gf)
    s.head = new s.classes.AttentionHead(EMBEDDING_DIM, EMBEDDING_DIM)
    return s.head.forward(s.x, s.x, s.x)
  } },
  { id: 'multihead', run: (gf, s) => {
    s.attention = new s.classes.MultiheadAttention(EMBEDDING_DIM, EMBEDDING_DIM, HEADS)
    return (s.joined = s.attention.forward(s.x, s.x, s.x))
  } },
  { id: 'shape_multihead', run: (gf, s) => s.joined.shape },
  { id: 'layer_norm', run: (gf, s) => {
    s.norm = new gf.nn.LayerNorm(EMBEDDING_DIM)
    return (s.normalized = s.norm.forward(s.x))
  } },
  { id: 'layer_norm_mean', run: (gf, s) => statistics(s.normalized).map(row => row.mean) },
  { id: 'layer_norm_std', run: (gf, s) => statistics(s.normalized).map(row => row.std) },
  { id: 'feed_forward', run: (gf, s) => {
    s.encoderLayer = new s.classes.TransformerEncoderLayer(EMBEDDING_DIM, HEADS, FEED_FORWARD, 0.1).eval()
    return s.encoderLayer.feed_forward.forward(s.x)
  } },
  { id: 'encoder_layer', run: (gf, s) => s.encoderLayer.forward(s.x) },
  {
    id: 'encoder',
    run: (gf, s) => (s.memory = new s.classes.TransformerEncoder(s.encoderLayer, 2, s.norm).eval().forward(s.x))
  },
  {
    id: 'attention_causal',
    run: (gf, s) => {
      const [q, k, v] = s.qkv.map((/** @type {any} */ t) => t.reshape(1, 1, ...t.shape.slice(1)))
      return computeAttention(gf, q, k, v, true)
    }
  },
  {
    id: 'causal_mask',
    run: () => Array.from({ length: 5 }, (_, i) => Array.from({ length: 5 }, (_, j) => (j <= i ? 1 : 0)))
  },
  { id: 'decoder_layer', run: (gf, s) => {
    s.decoderLayer = new s.classes.TransformerDecoderLayer(EMBEDDING_DIM, HEADS, FEED_FORWARD, 0.1).eval()
    return s.decoderLayer.forward(s.x, s.memory)
  } },
  { id: 'decoder', run: (gf, s) => new s.classes.TransformerDecoder(s.decoderLayer, 2).eval().forward(s.x, s.memory) },
  { id: 'encoder_layer_train', run: (gf, s) => s.encoderLayer.train().forward(s.x) }
]

/** Mean and (n - 1) standard deviation of every row. @param {any} t @returns {{ mean: number, std: number }[]} */
function statistics(t) {
  return t.toArray().flat().map((/** @type {number[]} */ row) => {
    const mean = row.reduce((sum, v) => sum + v, 0) / row.length
    return { mean, std: Math.sqrt(row.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (row.length - 1)) }
  })
}

/** The value of every stage, by id. @param {any} gf @returns {Record<string, any>} */
export function runStages(gf) {
  /** @type {Record<string, any>} */ const state = {}
  return Object.fromEntries(STAGES.map(({ id, run }) => [id, run(gf, state)]))
}
