// Models of every shape for the tests of gf.interpret, with random weights: attention as an operation and written out,
// norms before and after, with and without biases, an encoder with a decoder.
import { gf } from '../lib/engine.js'

const { nn, functional: F } = gf
const V = 11, C = 12, HEADS = 3

/** Random values in every parameter, so that biases and norms count. */
export function randomize(model, seed) {
  gf.manualSeed(seed)
  gf.noGrad(() => {
    for (const [name, parameter] of model.namedParameters()) {
      const values = gf.randn(parameter.shape).mul(name.includes('norm') ? 0.3 : 0.4)
      parameter.copy_(name.includes('norm') && name.endsWith('weight') ? values.add(1) : values)
    }
  })
  return model.eval()
}

/** Layers of PyTorch between embeddings and a linear layer. */
class Decoder extends nn.Module {
  constructor({ bias = true, finalNorm = true, tagged = false, ...options } = {}) {
    super()
    this.tagged = tagged
    this.embedding = new nn.Embedding(V, C)
    this.position = new nn.Embedding(9, C)
    this.layers = new nn.ModuleList([1, 2].map(() => new nn.TransformerEncoderLayer(C, HEADS, {
      dimFeedforward: 20, dropout: 0, bias, ...options
    })))
    this.norm = finalNorm ? new nn.LayerNorm(C, { bias }) : null
    this.head = new nn.Linear(C, V, { bias })
  }

  forward(ids) {
    let x = this.embedding(ids).add(this.position(ids.map(row => row.map((_, t) => t))))
    for (const layer of this.layers) x = layer(x, { isCausal: true })
    return this.head(this.norm ? this.norm(x) : this.tagged ? this.tag('hidden', x) : x)
  }
}

/** Attention written out with one module for each head, as in lectures. */
class Head extends nn.Module {
  constructor() {
    super()
    for (const name of ['key', 'query', 'value']) this[name] = new nn.Linear(C, C / HEADS, { bias: false })
  }

  forward(x) {
    const scores = this.query(x).matmul(this.key(x).transpose(1, 2)).mul((C / HEADS) ** -0.5)
    return F.softmax(scores, -1).matmul(this.value(x))
  }
}

class Lecture extends nn.Module {
  constructor() {
    super()
    this.token = new nn.Embedding(V, C)
    this.pos = new nn.Parameter(gf.randn([4, C]))
    this.layers = new nn.ModuleList([0, 1].map(() => new nn.ModuleDict({
      norm1: new nn.LayerNorm(C), heads: new nn.ModuleList(Array.from({ length: HEADS }, () => new Head())),
      proj: new nn.Linear(C, C), norm2: new nn.LayerNorm(C), up: new nn.Linear(C, 2 * C), down: new nn.Linear(2 * C, C)
    })))
    this.norm = new nn.LayerNorm(C)
  }

  forward(ids) {
    let x = this.token(ids).add(this.pos)
    for (const layer of this.layers) {
      const a = layer.get('norm1')(x), heads = [...layer.get('heads')].map(head => head(a))
      x = x.add(layer.get('proj')(gf.cat(heads, -1)))
      x = x.add(layer.get('down')(F.gelu(layer.get('up')(layer.get('norm2')(x)))))
    }
    return this.norm(x).matmul(this.token.weight.transpose(0, 1))
  }
}

/** Heads on an axis of their own, two of q for each of k and v, and a sub-layer that computes both parts at once. */
class HeadsFirst extends nn.Module {
  constructor() {
    super()
    this.wte = new nn.Embedding(V, C)
    this.wpe = new nn.Embedding(9, C)
    this.h = new nn.ModuleList([0, 1].map(() => new nn.ModuleDict({
      norm: new nn.RMSNorm(C), q: new nn.Linear(C, 4 * HEADS), kv: new nn.Linear(C, 4 * HEADS),
      proj: new nn.Linear(4 * HEADS, C, { bias: false }), up: new nn.Linear(C, 2 * C), down: new nn.Linear(2 * C, C)
    })))
  }

  attend(layer, x) {
    const [B, T] = x.shape, [k, v] = layer.get('kv')(x).reshape(B, T, 4, 3).transpose(1, 2).chunk(2, 1)
    const q = layer.get('q')(x).reshape(B, T, 4, 3).transpose(1, 2)
    const heads = F.scaledDotProductAttention(q, k, v, { isCausal: true, enableGqa: true })
    return layer.get('proj')(heads.transpose(1, 2).reshape(B, T, 4 * HEADS))
  }

  forward(ids) {
    let x = this.wte(ids).add(this.wpe(ids.map(row => row.map((_, t) => t))))
    for (const layer of this.h) {
      const a = layer.get('norm')(x)
      x = x.add(this.attend(layer, a).add(layer.get('down')(F.relu(layer.get('up')(a)))).mul(0.5))
    }
    return F.linear(x, this.wte.weight)
  }
}

/** An encoder and a decoder. */
class Translator extends nn.Module {
  constructor(normFirst) {
    super()
    this.source = new nn.Embedding(V, C)
    this.target = new nn.Embedding(V, C)
    this.positions = new nn.PositionalEncoding(C, { dropout: 0 })
    this.transformer = new nn.Transformer({
      dModel: C, nhead: HEADS, numEncoderLayers: 1, numDecoderLayers: 2, dimFeedforward: 16, dropout: 0, normFirst
    })
    this.head = new nn.Linear(C, V)
  }

  forward(source, target) {
    const [a, b] = [this.source(source), this.target(target)].map(x => this.positions(x.mul(Math.sqrt(C))))
    return this.head(this.transformer(a, b, { tgtIsCausal: true }))
  }
}

const IDS = [[3, 1, 4, 1], [5, 9, 2, 6]]

/** @returns {{ name: string, model: any, forward: () => any }[]} */
export const ownModels = () => [
  ['pre-norm', new Decoder({ normFirst: true })], ['pre-norm without biases', new Decoder({ normFirst: true, bias: false })],
  ['post-norm', new Decoder({ finalNorm: false })], ['post-norm, gelu', new Decoder({ finalNorm: false, tagged: true, activation: 'gelu' })],
  ['heads written out', new Lecture()], ['heads first', new HeadsFirst()],
  ['translator', new Translator(false), [[7, 8, 2], [1, 2, 3]]], ['translator, norm first', new Translator(true), [[7, 8, 2], [1, 2, 3]]]
].map(([name, model, source], i) => {
  randomize(model, i + 1)
  return { name, model, forward: (ids = IDS) => (source ? model(source, ids) : model(ids)) }
})
