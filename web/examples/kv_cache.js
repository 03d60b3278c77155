// Decoding with a key-value cache: each step computes one token's queries, keys and values, with the same bits.
import { load } from 'glassformer'

const gf = await load(), { nn } = gf
gf.manualSeed(11)

class Decoder extends nn.Module {
  constructor(size, channels, room) {
    super()
    this.table = new nn.Embedding(size, channels)
    this.positions = new nn.PositionalEncoding(channels, 0, room)
    this.layers = new nn.TransformerEncoder(
      new nn.TransformerEncoderLayer(channels, 4, { dimFeedforward: 128, dropout: 0 }), 4)
    this.head = new nn.Linear(channels, size)
  }

  /** @param {any} ids int32 [B, T] @param {{ cache?: any }} [options] */
  forward(ids, { cache } = {}) {
    const x = this.positions.forward(this.table.forward(ids), { start: cache?.length ?? 0 })
    return this.head.forward(this.layers.forward(x, { isCausal: true, cache }))
  }
}

const model = new Decoder(100, 64, 128).eval()
const timed = cache => {
  const start = performance.now()
  const ids = gf.noGrad(() => gf.decoding.generate(model, [1, 2, 3], { maxNewTokens: 100, cache }))
  return { ids, ms: performance.now() - start }
}
timed(true)
const [without, with_] = [timed(false), timed(true)]
console.log(`the same ${with_.ids.length} ids: ${String(with_.ids) === String(without.ids)}`)
console.log(`without ${without.ms.toFixed(0)} ms, with ${with_.ms.toFixed(0)} ms`)
