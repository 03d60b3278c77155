/** Notebook 000: from three sentences to embeddings with positions, with loops, without, and as a module. */

/** @type {import('./index.js').Document} */
export default {
  id: '000',
  cells: [
    {
      js: `const sequences = ['I wonder what will come next', 'This is a basic example paragraph',
  'Hello, what is a basic split?']
print(sequences)
const tokens = sequences.map(text => gf.text.words(text, { punctuation: false }))
print(tokens)`,
      py: `import collections, math, re
import torch
from torch import nn

sequences = ['I wonder what will come next', 'This is a basic example paragraph',
             'Hello, what is a basic split?']
print(sequences)
tokens = [re.findall(r'\\w+', text) for text in sequences]
print(tokens)`,
      prints: ['000.sequences', '000.tokens']
    },
    {
      js: `const vocab = new gf.text.Vocab(tokens)
const ids = tokens.map(list => vocab.encode(list))
gf.manualSeed(1828875196)
const table = new gf.nn.Embedding(vocab.size, 4)
const embeddings = table.forward(ids)
const short = { precision: 2, sciMode: false }
print(embeddings, short)`,
      py: `counts = collections.Counter(word for words in tokens for word in words)
order = sorted(counts, key=lambda word: (-counts[word], word))
ids = torch.tensor([[order.index(word) for word in words] for words in tokens])
torch.manual_seed(1828875196)
torch.set_printoptions(precision=2, sci_mode=False)
table = nn.Embedding(len(order), 4)
embeddings = table(ids).detach()
print(embeddings)`,
      prints: ['000.embeddings']
    },
    {
      js: `const encodings = gf.positionalEncoding(10, 4, { base: 1000, method: 'direct', dtype: 'float64' })
print(encodings, { precision: 8 })
const firstSix = gf.tensor(encodings.toArray().slice(0, 6), { dtype: 'float64' })
print(firstSix, { precision: 8 })`,
      py: `def with_loops(length, d_model, n):
    pe = torch.zeros(length, d_model, dtype=torch.float64)
    for k in range(length):
        for i in range(d_model // 2):
            angle = k / n ** (2 * i / d_model)
            pe[k, 2 * i], pe[k, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return pe

encodings = with_loops(10, 4, 1000)
torch.set_printoptions(precision=8, sci_mode=False)
print(encodings)
first_six = encodings[:6]
print(first_six)`,
      prints: ['000.encodings', '000.encodings6'], room: 'waves', state: { dModel: 4, base: 1000 },
      carries: {
        maxLength: [2, /positionalEncoding\((\d+)/], dModel: [2, /positionalEncoding\(\d+, (\d+)/],
        base: [2, /base: (\d+)/], sequence: [0, /= \['([^']*)'/]
      }
    },
    {
      js: 'print(embeddings.add(gf.tensor(firstSix.toArray())), short)',
      py: `torch.set_printoptions(precision=2, sci_mode=False)
print(embeddings + first_six)`,
      prints: ['000.sum_n1000'], room: 'broadcasting',
      carries: { sequence: [0, /= \['([^']*)'/] }
    },
    {
      js: `const rates = gf.arange(0, 4, 2, { dtype: 'float32' }).mul(-Math.log(100) / 4).exp()
print(rates, short)
const k = gf.arange(10).reshape(10, 1)
print(k)
const angles = k.to('float32').mul(rates)
print(angles, short)`,
      py: `rates = torch.exp(torch.arange(0, 4, 2) * -(math.log(100) / 4))
print(rates)
k = torch.arange(10).unsqueeze(1)
print(k)
angles = k * rates
print(angles)`,
      prints: ['000.div_term', '000.k', '000.k_div_term'], room: 'two_spellings', state: { base: 100, dModel: 4 },
      carries: { base: [4, /Math\.log\((\d+)\)/], dModel: [4, /Math\.log\(\d+\) \/ (\d+)/] }
    },
    {
      js: `print(gf.zeros([10, 4]), short)
const made = gf.functional.stack([angles.sin(), angles.cos()], { dim: 2 }).reshape(1, 10, 4)
print(made, short)
const encode = (length, dModel, base) => gf.positionalEncoding(length, dModel, { base }).unsqueeze(0)
print(encode(10, 4, 100), short)`,
      py: `pe = torch.zeros(10, 4)
print(pe)
pe[:, 0::2], pe[:, 1::2] = torch.sin(angles), torch.cos(angles)
print(pe.unsqueeze(0))

def encode(length, d_model, n):
    rates = torch.exp(torch.arange(0, d_model, 2) * -(math.log(n) / d_model))
    angles = torch.arange(length).unsqueeze(1) * rates
    return torch.stack([torch.sin(angles), torch.cos(angles)], dim=2).reshape(1, length, d_model)

print(encode(10, 4, 100))`,
      prints: ['000.zeros', '000.pe_n100', '000.gen_pe_n100'], room: 'waves',
      state: { dModel: 4, base: 100 },
      carries: { base: [5, /encode\(\d+, \d+, (\d+)\)/], dModel: [5, /encode\(\d+, (\d+), \d+\)/] }
    },
    {
      js: `const largest = base => gf.positionalEncoding(10, 4, { base }).sub(made.reshape(10, 4)).abs().max()
print(largest(1000))
print(largest(100))`,
      py: `torch.set_printoptions(profile='default')
print((encode(10, 4, 1000) - pe).abs().max())
print((encode(10, 4, 100) - pe).abs().max())`,
      prints: []
    },
    {
      js: `print(embeddings, short)
class PositionalEncoding extends gf.nn.Module {
  constructor(dModel, dropout, length) {
    super()
    this.dropout = new gf.nn.Dropout(dropout)
    this.registerBuffer('pe', gf.positionalEncoding(length, dModel).reshape(1, length, dModel))
  }

  forward(x) {
    return this.dropout.forward(x.add(this.pe.narrow(1, 0, x.shape[1])))
  }
}
const encoding = new PositionalEncoding(4, 0, 10)
print(encoding.pe, short)
print(encoding.forward(embeddings), short)`,
      py: `torch.set_printoptions(precision=2, sci_mode=False)
print(embeddings)

class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout, length):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer('pe', encode(length, d_model, 10000))

    def forward(self, x):
        return self.dropout(x + self.pe[:, :x.size(1)])

encoding = PositionalEncoding(4, 0.0, 10)
print(encoding.pe)
print(encoding(embeddings))`,
      prints: ['000.embeddings_again', '000.pe_n10000', '000.sum_n10000'], room: 'waves',
      state: { dModel: 4 }, carries: { dModel: [7, /new PositionalEncoding\((\d+)/] }
    },
    {
      js: 'print(gf.positionalEncoding(3, 5, { base: 1000 }))',
      py: `torch.set_printoptions(profile='default')
print(with_loops(3, 5, 1000).float())`,
      prints: []
    }
  ]
}
