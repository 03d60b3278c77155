// Decoders of any shape with random weights, whose inner values can be read and replaced by hand.
import { gf } from '../lib/engine.js'
import { randomize } from './models.js'

const { nn, functional: F } = gf

/** T: the maximum length; KV: heads of keys and values. */
export class RandomDecoder extends nn.Module {
  constructor({ C, H, KV = H, hidden, V, layers = 2, T = 7, ...options }) {
    super()
    const { isRms = false, normFirst = true, parallel = false, bias = true } = options
    const norm = () => (isRms ? new nn.RMSNorm(C) : new nn.LayerNorm(C)), D = C / H
    const linear = (from, to) => new nn.Linear(from, to, { bias })
    Object.assign(this, { sizes: { H, KV, D }, normFirst, parallel })
    this.embedding = new nn.Embedding(V, C)
    this.positions = new nn.Embedding(T, C)
    this.layers = new nn.ModuleList(Array.from({ length: layers }, () => new nn.ModuleDict({
      norm1: norm(), norm2: norm(), q: linear(C, H * D), k: linear(C, KV * D), v: linear(C, KV * D),
      o: linear(H * D, C), up: linear(C, hidden), down: linear(hidden, C)
    })))
    this.norm = norm()
    this.head = linear(C, V)
  }

  /**
   * Replaces what `change` names: q0, k0, v0, z0 (what the heads give), attention0, feedForward0 and so on; notes all
   * in `seen`.
   */
  forward(ids, change = {}, seen = {}) {
    const { sizes: { H, KV, D }, normFirst, parallel } = this, [{ length: T }] = ids
    const at = (name, tensor) => (seen[name] = change[name] ? change[name](tensor) : tensor)
    const split = (x, heads) => x.reshape(ids.length, T, heads, D).transpose(1, 2)
    const attend = (layer, n, y) => {
      const [q, k, v] = ['q', 'k', 'v'].map(name => at(name + n, layer.get(name)(y)))
      const heads = F.scaledDotProductAttention(split(q, H), split(k, KV), split(v, KV),
        { isCausal: true, enableGqa: KV < H })
      return at(`attention${n}`, layer.get('o')(at(`z${n}`, heads.transpose(1, 2).reshape(ids.length, T, H * D))))
    }
    const feed = (layer, n, y) => at(`feedForward${n}`, layer.get('down')(F.gelu(layer.get('up')(y))))
    let x = this.embedding(ids).add(this.positions(ids.map(row => [...row.keys()])))
    for (const [n, layer] of [...this.layers].entries()) {
      const norms = ['norm1', 'norm2'].map(name => layer.get(name))
      if (parallel) {
        const y = norms[0](x)
        x = x.add(attend(layer, n, y)).add(feed(layer, n, y))
      } else if (normFirst) {
        x = x.add(attend(layer, n, norms[0](x)))
        x = x.add(feed(layer, n, norms[1](x)))
      } else {
        x = norms[0](x.add(attend(layer, n, x)))
        x = norms[1](x.add(feed(layer, n, x)))
      }
    }
    return this.head(normFirst ? this.norm(x) : x)
  }
}

/** Shapes with odd sizes, grouped heads, parallel blocks, and norms after the sum. */
export const SHAPES = {
  'odd sizes': { C: 15, H: 3, hidden: 7, V: 13, layers: 3 },
  'three query heads for each of keys': { C: 18, H: 6, KV: 2, hidden: 11, V: 9 },
  'parallel blocks, one head of keys': { C: 15, H: 5, KV: 1, hidden: 13, V: 17, parallel: true },
  'norms after the sum': { C: 9, H: 3, hidden: 5, V: 11, normFirst: false },
  'RMS norms after the sum, grouped heads': { C: 20, H: 4, KV: 2, hidden: 9, V: 7, normFirst: false, isRms: true, layers: 3 },
  'RMS norms, parallel, no biases': { C: 21, H: 7, hidden: 15, V: 19, isRms: true, parallel: true, bias: false }
}

/** @param {keyof typeof SHAPES} name @param {number} [seed] */
export const createRandom = (name, seed = 1) => randomize(new RandomDecoder(SHAPES[name]), seed)
