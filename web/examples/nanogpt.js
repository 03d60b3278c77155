// A GPT in the shape of nanoGPT: tied weights, norms first, causal attention; learns a rhyme letter by letter.
import { load } from 'glassformer'

const gf = await load(), { nn, functional: F, optim } = gf
gf.manualSeed(1337)

class Block extends nn.Module {
  constructor(channels, heads) {
    super()
    this.ln_1 = new nn.LayerNorm(channels)
    this.attn = new nn.MultiheadAttention(channels, heads)
    this.ln_2 = new nn.LayerNorm(channels)
    this.mlp = new nn.Sequential(
      new nn.Linear(channels, 4 * channels), new nn.GELU(), new nn.Linear(4 * channels, channels))
  }

  forward(x) {
    const y = this.ln_1.forward(x)
    const [seen] = this.attn.forward(y, y, y, { isCausal: true, needWeights: false })
    const sum = x.add(seen)
    return sum.add(this.mlp.forward(this.ln_2.forward(sum)))
  }
}

class GPT extends nn.Module {
  constructor({ size, blockSize, channels, heads, layers }) {
    super()
    this.blockSize = blockSize
    this.wte = new nn.Embedding(size, channels)
    this.wpe = new nn.Embedding(blockSize, channels)
    this.h = new nn.ModuleList(Array.from({ length: layers }, () => new Block(channels, heads)))
    this.ln_f = new nn.LayerNorm(channels)
    nn.init.normal_(this.wte.weight, { std: 0.02 })
    nn.init.normal_(this.wpe.weight, { std: 0.02 })
  }

  /** ids [B, T] -> logits [B, T, V]; the same table reads and writes. */
  forward(ids) {
    const places = gf.arange(ids[0].length, { dtype: 'int32' })
    let x = this.wte.forward(ids).add(this.wpe.forward(places))
    for (const block of this.h) x = block.forward(x)
    return F.linear(this.ln_f.forward(x), this.wte.weight)
  }
}

const text = 'the cat sat on the mat. the rat sat on the cat. '
const letters = [...new Set(text)].sort()
const ids = Array.from(text, letter => letters.indexOf(letter))
const blockSize = 16
const model = new GPT({ size: letters.length, blockSize, channels: 32, heads: 4, layers: 2 })
const optimizer = new optim.AdamW(model.parameters(), { lr: 3e-3 })

let last = 0
for (let step = 0; step < 120; step++) gf.tidy(() => {
  const starts = Array.from({ length: 8 }, (_, i) => (step * 8 + i * 5) % (ids.length - blockSize - 1))
  const logits = model.forward(starts.map(at => ids.slice(at, at + blockSize)))
  const next = starts.flatMap(at => ids.slice(at + 1, at + blockSize + 1))
  const loss = F.crossEntropy(logits.view(-1, letters.length), next)
  optimizer.zeroGrad()
  loss.backward()
  optim.clipGradNorm(model.parameters(), 1)
  optimizer.step()
  if (step % 40 === 0) console.log(`step ${step}: loss ${loss.item().toFixed(3)}`)
  last = loss.item()
})
console.log(`loss ${last.toFixed(3)}`)

const answer = gf.noGrad(() => gf.decoding.generate(
  rows => model.forward(rows.map(row => row.slice(-blockSize))), ids.slice(0, 8), { maxNewTokens: 16, cache: false }))
console.log(text.slice(0, 8) + answer.map(id => letters[id]).join(''))
