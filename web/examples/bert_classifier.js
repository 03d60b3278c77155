// A classifier in the shape of BERT: a [CLS] token, an encoder that sees both ways, padding hidden, a pooled vector.
import { load } from 'glassformer'

const gf = await load(), { nn, functional: F, optim } = gf
gf.manualSeed(2)

const CLS = 0, PAD = 1, NOT = 2, GOOD = 3, BAD = 4, WORDS = 12, LENGTH = 8

class Classifier extends nn.Module {
  constructor() {
    super()
    this.words = new nn.Embedding(WORDS, 32, { paddingIdx: PAD })
    this.positions = new nn.LearnedPositionalEncoding(LENGTH, 32)
    this.encoder = new nn.TransformerEncoder(
      new nn.TransformerEncoderLayer(32, 4, { dimFeedforward: 64, dropout: 0, activation: 'gelu' }), 2)
    this.pooler = new nn.Linear(32, 32)
    this.classifier = new nn.Linear(32, 2)
  }

  forward(ids) {
    const hidden = gf.tensor(ids.map(row => row.map(id => id === PAD)))
    const x = this.encoder.forward(
      this.positions.forward(this.words.forward(ids)), { srcKeyPaddingMask: hidden })
    const cls = x.narrow(1, 0, 1).squeeze(1)
    return this.classifier.forward(this.pooler.forward(cls).tanh())
  }
}

/** Praise, unless "not" stands somewhere before the word that counts. */
function example() {
  const random = n => gf.randint(0, n, [1]).item()
  const length = 3 + random(LENGTH - 4), row = Array.from({ length }, () => 5 + random(WORDS - 5))
  const at = random(length), isGood = random(2) === 1, isDenied = at > 0 && random(2) === 1
  row[at] = isGood ? GOOD : BAD
  if (isDenied) row[random(at)] = NOT
  const ids = [CLS, ...row, ...Array(LENGTH - 1 - length).fill(PAD)]
  return { ids, label: Number(isGood !== isDenied) }
}

const batch = n => gf.tidy(() => Array.from({ length: n }, example))
const model = new Classifier(), optimizer = new optim.AdamW(model.parameters(), { lr: 2e-3 })
for (let step = 0; step < 250; step++) {
  const examples = batch(32)
  gf.tidy(() => {
    const loss = F.crossEntropy(model.forward(examples.map(({ ids }) => ids)), examples.map(({ label }) => label))
    optimizer.zeroGrad()
    loss.backward()
    optimizer.step()
  })
}

model.eval()
const unseen = batch(500)
const answers = gf.tidy(() => gf.noGrad(() => model.forward(unseen.map(({ ids }) => ids)).argmax({ dim: 1 }).toArray()))
const right = answers.filter((answer, i) => answer === unseen[i].label).length
console.log(`${(100 * right / unseen.length).toFixed(1)} % of ${unseen.length} new sentences`)
