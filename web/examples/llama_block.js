// One block of a Llama: RMSNorm, rotary positions, grouped queries, SwiGLU, in their natural form.
import { load } from 'glassformer'

const gf = await load(), { nn, functional: F } = gf
gf.manualSeed(7)

class LlamaBlock extends nn.Module {
  constructor(channels, heads, groups, hidden) {
    super()
    this.heads = heads
    this.groups = groups
    this.side = channels / heads
    const projection = (from, to) => new nn.Linear(from, to, { bias: false })
    this.q_proj = projection(channels, channels)
    this.k_proj = projection(channels, groups * this.side)
    this.v_proj = projection(channels, groups * this.side)
    this.o_proj = projection(channels, channels)
    this.gate_proj = projection(channels, hidden)
    this.up_proj = projection(channels, hidden)
    this.down_proj = projection(hidden, channels)
    this.input_layernorm = new nn.RMSNorm(channels, { eps: 1e-6 })
    this.post_attention_layernorm = new nn.RMSNorm(channels, { eps: 1e-6 })
  }

  attend(x) {
    const [B, T, C] = x.shape
    const split = (y, heads) => y.view(B, T, heads, this.side).transpose(1, 2)
    const q = F.rotary(split(this.q_proj.forward(x), this.heads), { layout: 'half' })
    const k = F.rotary(split(this.k_proj.forward(x), this.groups), { layout: 'half' })
    const v = split(this.v_proj.forward(x), this.groups)
    const out = F.scaledDotProductAttention(q, k, v, { isCausal: true, enableGqa: true })
    return this.o_proj.forward(out.transpose(1, 2).reshape(B, T, C))
  }

  forward(x) {
    const sum = x.add(this.attend(this.input_layernorm.forward(x)))
    const y = this.post_attention_layernorm.forward(sum)
    return sum.add(this.down_proj.forward(F.silu(this.gate_proj.forward(y)).mul(this.up_proj.forward(y))))
  }
}

const block = new LlamaBlock(32, 4, 2, 64), x = gf.randn([1, 6, 32])
const whole = block.forward(x), beginning = block.forward(x.slice(1, 0, 3))
const apart = whole.slice(1, 0, 3).sub(beginning).abs().max().item()
console.log(`[${whole.shape}], ${block.parameters().reduce((sum, p) => sum + p.numel(), 0)} parameters`)
console.log(`what comes later changes nothing before: ${apart === 0}`)
whole.square().mean().backward()
console.log(`a gradient for each of ${block.parameters().filter(p => p.grad).length} tensors`)
