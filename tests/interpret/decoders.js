// Small models for the tests of gf.interpret, with weights of the random stream.
import { gf } from '../lib/engine.js'

const { nn } = gf

/** A decoder of two layers with 4 heads: ids [B, T] to logits [B, T, 11]. */
export class Decoder extends nn.Module {
  constructor(normFirst = true) {
    super()
    this.embedding = new nn.Embedding(11, 16)
    this.positions = new nn.Embedding(12, 16)
    const layer = () => new nn.TransformerEncoderLayer(16, 4, { dimFeedforward: 24, dropout: 0.1, normFirst })
    this.layers = new nn.ModuleList([layer(), layer()])
    this.head = new nn.Linear(16, 11)
  }

  forward(ids) {
    const [{ length }] = ids
    let x = this.embedding(ids).add(this.positions([Array.from({ length }, (_, i) => i)]))
    for (const layer of this.layers) x = layer(x, { isCausal: true })
    return this.head(x)
  }
}

/** @param {boolean} [normFirst] */
export function createDecoder(normFirst) {
  gf.manualSeed(3)
  return new Decoder(normFirst)
}

/** The same kind of model as a function without modules: attention is made of single operations. */
export function createFunction() {
  gf.manualSeed(4)
  const random = (...shape) => gf.randn(shape).mul(0.3), C = 16, H = 4
  const table = random(11, C), out = random(C, 11)
  const layers = [0, 1].map(() => ({ qkvo: [0, 1, 2, 3].map(() => random(C, C)), ff: [random(C, 24), random(24, C)] }))
  return ids => {
    const T = ids[0].length, split = x => x.reshape(1, T, H, C / H).transpose(1, 2)
    const mask = gf.tensor(Array.from({ length: T }, (_, i) => Array.from({ length: T }, (_, j) => (j > i ? -1e9 : 0))))
    let x = gf.functional.embedding(ids, table)
    for (const { qkvo: [q, k, v, o], ff: [up, down] } of layers) {
      const scores = split(x.matmul(q)).matmul(split(x.matmul(k)).transpose(2, 3)).add(mask)
      const heads = scores.softmax(-1).matmul(split(x.matmul(v)))
      x = x.add(heads.transpose(1, 2).reshape(1, T, C).matmul(o))
      x = x.add(x.matmul(up).relu().matmul(down))
    }
    return x.matmul(out)
  }
}
