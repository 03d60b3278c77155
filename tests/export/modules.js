// Modules for the tests of exports.
import { gf } from '../lib/engine.js'

const { nn, functional: F } = gf

/** A module whose forward is a function. */
export class FunctionModule extends nn.Module {
  constructor(fn) {
    super()
    this.fn = fn
  }

  forward(...inputs) {
    return this.fn(...inputs)
  }
}

/** A block with a custom forward of PyTorch's modules. */
class Block extends nn.Module {
  constructor(channels) {
    super()
    this.norm = new nn.RMSNorm(channels)
    this.attn = new nn.MultiheadAttention(channels, 2)
    this.up = new nn.Linear(channels, 2 * channels)
    this.down = new nn.Linear(2 * channels, channels)
    this.drop = new nn.Dropout(0.1)
  }

  forward(x) {
    const normed = this.norm.forward(x)
    const [attended] = this.attn.forward(normed, normed, normed, { isCausal: true, needWeights: false })
    const y = x.add(this.drop.forward(attended))
    return y.add(this.drop.forward(this.down.forward(F.silu(this.up.forward(y)))))
  }
}

/** A GPT with tied weights, a parameter, a ModuleDict and a module that is never called. */
export class SmallGPT extends nn.Module {
  constructor() {
    super()
    this.wte = new nn.Embedding(7, 4)
    this.blocks = new nn.ModuleList([new Block(4), new Block(4), new Block(4)])
    this.norms = new nn.ModuleDict({ last: new nn.LayerNorm(4, { eps: 1e-3 }) })
    this.head = new nn.Linear(4, 7, { bias: false })
    this.head.weight = this.wte.weight
    this.gain = new nn.Parameter([1.5])
    this.unused = new nn.Linear(4, 2)
  }

  forward(ids) {
    let x = this.wte.forward(ids).mul(this.gain)
    for (const block of this.blocks) x = block.forward(x)
    return this.head.forward(this.norms.get('last').forward(x))
  }
}
