/**
 * Length extrapolation: five minimal models that predict the previous word. They are identical
 * except for their positional encoding, were trained on short texts and are tested on long ones.
 */

/** The positional encodings, in display order. */
export const SCHEMES = ['none', 'sinusoidal', 'learned', 'rotary', 'alibi']
/** The lengths of training and test texts. */
export const TRAINING_LENGTH = 16, TEST_LENGTH = 64

/** The vocabulary size: as many words as a sentence of the laboratory may have. */
export const WORDS = 24

const WIDTH = 32, HEADS = 4

/** @param {any} gf */
export function extrapolationModels(gf) {
  const { Module, Embedding, Linear } = gf.nn
  const { rotary, scaledDotProductAttention, softmax } = gf.functional

  /** A single attention head and layer. */
  class Before extends Module {
    /** @param {string} scheme */
    constructor(scheme) {
      super()
      this.scheme = scheme
      this.embedding = new Embedding(WORDS, WIDTH)
      Object.assign(this, Object.fromEntries(['query', 'key', 'value', 'out'].map(name => [name, new Linear(WIDTH, WIDTH)])))
      this.words = new Linear(WIDTH, WORDS)
      if (scheme === 'learned') this.positions = new Embedding(TEST_LENGTH, WIDTH)
    }

    /** @param {any} x [B, T, C] */
    addPositions(x) {
      const T = x.shape[1]
      if (this.scheme === 'sinusoidal') return x.add(gf.positionalEncoding(T, WIDTH))
      if (this.scheme === 'learned') return x.add(this.positions.forward(gf.arange(T)))
      return x
    }

    /** @param {any} x [B, T, C] as heads [B, H, T, D] */
    heads(x) {
      const [B, T] = x.shape
      return x.reshape(B, T, HEADS, WIDTH / HEADS).transpose(1, 2)
    }

    /** @param {number[][]} ids [B, T] @returns {any} logits [B, T, WORDS] */
    forward(ids) {
      const [B, T] = [ids.length, ids[0].length]
      const x = this.tag('placed', this.addPositions(this.embedding.forward(ids)))
      const [q, k, v] = [this.query, this.key, this.value].map(item => this.heads(item.forward(x)))
      const [rotatedQ, rotatedK] = this.scheme === 'rotary' ? [q, k].map(item => rotary(item)) : [q, k]
      const attnMask = this.scheme === 'alibi' ? gf.alibi(HEADS, T) : undefined
      const attended = scaledDotProductAttention(rotatedQ, rotatedK, v, { isCausal: true, attnMask })
      return this.words.forward(x.add(this.out.forward(attended.transpose(1, 2).reshape(B, T, WIDTH))))
    }
  }

  /** Runs all models on one text: the probability of the previous word at every position, 0 at the first. */
  class Extrapolation extends Module {
    constructor() {
      super()
      this.schemes = new gf.nn.ModuleDict(Object.fromEntries(SCHEMES.map(scheme => [scheme, new Before(scheme)])))
    }

    /** @param {number[]} ids of a text @returns {{ shares: any }} [schemes, T] */
    forward(ids) {
      const previous = [ids.map((_, place) => [ids[Math.max(0, place - 1)]])], last = ids.length - 1
      const shares = SCHEMES.map(scheme => {
        const probabilities = softmax(this.schemes.get(scheme).forward([ids]))
        return probabilities.gather(2, previous).narrow(1, 1, last).reshape(last)
      })
      const all = this.tag('shares', gf.cat([gf.zeros([SCHEMES.length, 1]), gf.stack(shares)], { dim: 1 }))
      const sides = [all.narrow(1, 1, TRAINING_LENGTH - 1),
        all.narrow(1, TRAINING_LENGTH, ids.length - TRAINING_LENGTH)]
      this.tag('means', gf.stack(sides.map(side => side.mean({ dim: 1 })), { dim: 1 }))
      return { shares: all }
    }
  }
  return { Before, Extrapolation }
}

/**
 * Loads weights that are stored in 16 bits.
 * @param {any} gf @param {any} model @param {Uint8Array} file safetensors
 */
export function loadWeights(gf, model, file) {
  gf.tidy(() => {
    const { tensors } = gf.loadSafetensors(file)
    const wide = Object.entries(tensors).map(([name, tensor]) => [name, tensor.to('float32')])
    model.loadStateDict(Object.fromEntries(wide))
  })
}
