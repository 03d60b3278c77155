/** Notebook 004: a transformer piece by piece, from words to the mask, and what its classes do unexpectedly. */

import { layers } from './004_layers.js'

/** @type {import('./index.js').Document} */
export default {
  id: '004',
  cells: [
    {
      js: `const words = gf.text.whitespace('나는 최근 파리 여행을 다녀왔다')
print(words)
const toId = Object.fromEntries(words.map((word, id) => [word, id]))
print(toId)
print(Object.fromEntries(words.map((word, id) => [id, word])))
const ids = words.map(word => toId[word])
print(ids)`,
      py: `import math
import torch
from torch import nn
import torch.nn.functional as F

words = '나는 최근 파리 여행을 다녀왔다'.split()
print(words)
to_id = {word: id for id, word in enumerate(words)}
print(to_id)
print({id: word for id, word in enumerate(words)})
ids = [to_id[word] for word in words]
print(ids)`,
      prints: ['004.tokens', '004.str2idx', '004.idx2str', '004.input_ids']
    },
    {
      js: `const token = new gf.nn.Embedding(5, 16)
const place = new gf.nn.Embedding(12, 16)
const sum = token.forward([ids]).add(place.forward([[0, 1, 2, 3, 4]]))
print([token.forward([ids]).shape, sum.shape])`,
      py: `token = nn.Embedding(5, 16)
place = nn.Embedding(12, 16)
total = token(torch.tensor([ids])) + place(torch.arange(5).unsqueeze(0))
print([list(token(torch.tensor([ids])).shape), list(total.shape)])`,
      prints: ['004.shapes_embedding'], room: 'schemes', state: { dModel: 16 },
      carries: { sequence: [0, /whitespace\('([^']*)'\)/], dModel: [1, /Embedding\(\d+, (\d+)\)/] }
    },
    {
      js: `const x = gf.tensor({{004.input_embeddings}})
print(x)`,
      py: `x = torch.tensor({{004.input_embeddings}})
print(x)`,
      prints: ['004.input_embeddings']
    },
    {
      js: `const attend = (q, k, v, isCausal = false) => {
  let scores = q.matmul(k.transpose(-2, -1)).div(Math.sqrt(q.shape.at(-1)))
  if (isCausal) {
    const hidden = gf.ones(scores.shape.slice(-2)).tril().eq(0)
    scores = scores.maskedFill(hidden, -Infinity)
  }
  return gf.functional.softmax(scores).matmul(v)
}
gf.manualSeed(42)
const [q, k, v] = [0, 1, 2].map(() => new gf.nn.Linear(16, 16).forward(x))
const attended = attend(q, k, v)
print([x.shape, attended.shape])`,
      py: `def attend(q, k, v, is_causal=False):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if is_causal:
        seen = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
        scores = scores.masked_fill(~seen, float('-inf'))
    return F.softmax(scores, dim=-1) @ v

torch.manual_seed(42)
q, k, v = (nn.Linear(16, 16)(x) for _ in range(3))
attended = attend(q, k, v)
print([list(x.shape), list(attended.shape)])`,
      prints: ['004.shapes_attention']
    },
    {
      js: `class AttentionHead extends gf.nn.Module {
  constructor(width, size, isCausal = false) {
    super()
    this.isCausal = isCausal
    this.query = new gf.nn.Linear(width, size)
    this.key = new gf.nn.Linear(width, size)
    this.value = new gf.nn.Linear(width, size)
  }

  forward(x, memory = x) {
    const q = this.query.forward(x)
    const [k, v] = [this.key.forward(memory), this.value.forward(memory)]
    return attend(q, k, v, this.isCausal)
  }
}
gf.manualSeed(42)
const head = new AttentionHead(16, 16)
print(head.forward(x).sub(attended).abs().max())`,
      py: `class AttentionHead(nn.Module):
    def __init__(self, width, size, is_causal=False):
        super().__init__()
        self.is_causal = is_causal
        self.query = nn.Linear(width, size)
        self.key = nn.Linear(width, size)
        self.value = nn.Linear(width, size)

    def forward(self, x, memory=None):
        memory = x if memory is None else memory
        q, k, v = self.query(x), self.key(memory), self.value(memory)
        return attend(q, k, v, self.is_causal)

torch.manual_seed(42)
head = AttentionHead(16, 16)
print((head(x) - attended).abs().max().detach())`,
      prints: []
    },
    {
      js: `class MultiHeadAttention extends gf.nn.Module {
  constructor(width, heads, isCausal = false) {
    super()
    this.heads = heads
    this.isCausal = isCausal
    this.query = new gf.nn.Linear(width, width)
    this.key = new gf.nn.Linear(width, width)
    this.value = new gf.nn.Linear(width, width)
    this.out = new gf.nn.Linear(width, width)
  }

  // [B, T, C] -> [B, heads, T, C / heads]
  split(t) {
    const [B, T, C] = t.shape
    return t.reshape(B, T, this.heads, C / this.heads).transpose(1, 2)
  }

  forward(x, memory = x) {
    const q = this.split(this.query.forward(x))
    const k = this.split(this.key.forward(memory))
    const v = this.split(this.value.forward(memory))
    const seen = attend(q, k, v, this.isCausal).transpose(1, 2)
    return this.out.forward(seen.reshape(...x.shape))
  }
}
gf.manualSeed(42)
const joined = new MultiHeadAttention(16, 4).forward(x)
print([joined.shape])
print(joined.narrow(2, 0, 4))`,
      py: `class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads, is_causal=False):
        super().__init__()
        self.heads = heads
        self.is_causal = is_causal
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def split(self, t):
        B, T, C = t.shape
        return t.view(B, T, self.heads, C // self.heads).transpose(1, 2)

    def forward(self, x, memory=None):
        memory = x if memory is None else memory
        q = self.split(self.query(x))
        k, v = self.split(self.key(memory)), self.split(self.value(memory))
        seen = attend(q, k, v, self.is_causal).transpose(1, 2)
        return self.out(seen.reshape(x.shape))

torch.manual_seed(42)
joined = MultiHeadAttention(16, 4)(x).detach()
print([list(joined.shape)])
print(joined[:, :, :4])`,
      prints: ['004.shape_multihead']
    },
    {
      js: `const normalised = new gf.nn.LayerNorm(16).forward(x)
print(normalised.mean({ dim: 2 }))
print(normalised.std({ dim: 2 }))
print(normalised.std({ dim: 2, correction: 0 }))`,
      py: `normalised = nn.LayerNorm(16)(x).detach()
print(normalised.mean(dim=-1))
print(normalised.std(dim=-1))
print(normalised.std(dim=-1, unbiased=False))`,
      prints: ['004.layer_norm_mean', '004.layer_norm_std']
    },
    ...layers
  ]
}
