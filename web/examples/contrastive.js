// InfoNCE (van den Oord et al. 2018): pairs that belong together are pulled together, all others of the batch apart; in
// small batches whose gradients add up, with the encoder's inside computed again in the backward pass. Here the other
// half of a row is the row read backwards.
import { load } from 'glassformer'

const gf = await load(), { nn, functional: F, optim } = gf
gf.manualSeed(3)

const encoder = new nn.Sequential(new nn.Linear(8, 32), new nn.Tanh(), new nn.Linear(32, 16))
const temperature = 0.1

/** a, b [B, C]: row i of one belongs to row i of the other. -log softmax of the right pair, written with logsumexp. */
function infoNCE(a, b) {
  const scores = F.normalize(a).matmul(F.normalize(b).t()).div(temperature)
  const right = gf.einsum('ii->i', scores)
  return scores.logsumexp({ dim: 1 }).sub(right).mean()
}

const optimizer = new optim.Adam(encoder.parameters(), { lr: 1e-2 })
const STEPS = 150, PARTS = 2
let first = 0, last = 0
for (let step = 0; step < STEPS; step++) gf.tidy(() => {
  optimizer.zeroGrad()
  let sum = 0
  for (let part = 0; part < PARTS; part++) {
    const x = gf.randn([16, 8], { requiresGrad: true }), other = x.flip(1).add(gf.randn([16, 8]).mul(0.2))
    const run = y => gf.checkpoint(z => encoder.forward(z), y)
    const loss = infoNCE(run(x), run(other)).div(PARTS)
    loss.backward()
    sum += loss.item()
  }
  optimizer.step()
  if (step === 0) first = sum
  last = sum
})
console.log(`loss ${first.toFixed(2)} -> ${last.toFixed(2)}, chance ${Math.log(16).toFixed(2)}`)

gf.tidy(() => {
  const x = gf.randn([16, 8]), other = x.flip(1).add(gf.randn([16, 8]).mul(0.2))
  const scores = F.normalize(encoder.forward(x)).matmul(F.normalize(encoder.forward(other)).t()).div(temperature)
  const own = infoNCE(encoder.forward(x), encoder.forward(other)).item()
  const named = F.crossEntropy(scores, Array.from({ length: 16 }, (_, i) => i)).item()
  console.log(`the same as a cross-entropy: ${Math.abs(own - named) < 1e-5}`)
  const found = scores.argmax({ dim: 1 }).toArray().filter((j, i) => i === j).length
  console.log(`${found} of 16 find their other half`)
})
