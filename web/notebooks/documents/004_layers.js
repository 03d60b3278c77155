/** The second half of notebook 004: feed-forward, layers and stacks, as classes, and what those of the source do. */

/** @type {import('./index.js').Cell[]} */
export const layers = [
  {
    js: `class FeedForward extends gf.nn.Module {
  constructor(width, hidden, dropout) {
    super()
    this.norm = new gf.nn.LayerNorm(width)
    this.linear1 = new gf.nn.Linear(width, hidden)
    this.linear2 = new gf.nn.Linear(hidden, width)
    this.activation = new gf.nn.GELU()
    this.dropout1 = new gf.nn.Dropout(dropout)
    this.dropout2 = new gf.nn.Dropout(dropout)
  }

  branch(x) {
    const wide = this.activation.forward(this.linear1.forward(x))
    return this.linear2.forward(this.dropout1.forward(wide))
  }

  forward(x) {
    const normed = this.norm.forward(x)
    return this.dropout2.forward(normed.add(this.branch(normed)))
  }
}
gf.manualSeed(42)
const feed = new FeedForward(16, 64, 0.1).eval()
const written = feed.forward(x)
const usual = x.add(feed.branch(feed.norm.forward(x)))
print(written.sub(usual).abs().max())`,
    py: `class FeedForward(nn.Module):
    def __init__(self, width, hidden, dropout):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear1 = nn.Linear(width, hidden)
        self.linear2 = nn.Linear(hidden, width)
        self.activation = nn.GELU()
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def branch(self, x):
        return self.linear2(self.dropout1(self.activation(self.linear1(x))))

    def forward(self, x):
        normed = self.norm(x)
        return self.dropout2(normed + self.branch(normed))

torch.manual_seed(42)
feed = FeedForward(16, 64, 0.1).eval()
written = feed(x)
usual = x + feed.branch(feed.norm(x))
print((written - usual).abs().max().detach())`,
    prints: []
  },
  {
    js: `class EncoderLayer extends gf.nn.Module {
  constructor(width, heads, hidden, dropout) {
    super()
    this.attention = new MultiHeadAttention(width, heads)
    this.norm = new gf.nn.LayerNorm(width)
    this.dropout = new gf.nn.Dropout(dropout)
    this.feed = new FeedForward(width, hidden, dropout)
  }

  forward(x) {
    const seen = this.attention.forward(this.norm.forward(x))
    return this.feed.forward(x.add(this.dropout.forward(seen)))
  }
}
class Encoder extends gf.nn.Module {
  constructor(layer, count) {
    super()
    const copies = Array.from({ length: count }, () => layer.clone())
    this.layers = new gf.nn.ModuleList(copies)
  }

  forward(x) {
    for (const layer of this.layers) x = layer.forward(x)
    return x
  }
}
gf.manualSeed(42)
const encoder = new Encoder(new EncoderLayer(16, 4, 32, 0.1), 2).eval()
const memory = encoder.forward(x)
print(memory.narrow(2, 0, 4))
const [first, second] = [...encoder.layers].map(layer => layer.feed.linear1)
print(first.weight.sub(second.weight).abs().max())`,
    py: `import copy

class EncoderLayer(nn.Module):
    def __init__(self, width, heads, hidden, dropout):
        super().__init__()
        self.attention = MultiHeadAttention(width, heads)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.feed = FeedForward(width, hidden, dropout)

    def forward(self, x):
        seen = self.attention(self.norm(x))
        return self.feed(x + self.dropout(seen))

class Encoder(nn.Module):
    def __init__(self, layer, count):
        super().__init__()
        copies = [copy.deepcopy(layer) for _ in range(count)]
        self.layers = nn.ModuleList(copies)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

torch.manual_seed(42)
encoder = Encoder(EncoderLayer(16, 4, 32, 0.1), 2).eval()
memory = encoder(x)
print(memory[:, :, :4].detach())
first, second = (layer.feed.linear1 for layer in encoder.layers)
print((first.weight - second.weight).abs().max().detach())`,
    prints: []
  },
  {
    js: `print(gf.ones([5, 5]).tril().to('int32'))
const masked = attend(q, k, v, true)
print(masked.sub(attended).abs().max({ dim: 2 }).values)`,
    py: `print(torch.ones(5, 5, dtype=torch.int64).tril())
masked = attend(q, k, v, is_causal=True)
print((masked - attended).abs().amax(dim=2).detach())`,
    prints: ['004.causal_mask']
  },
  {
    js: `class DecoderLayer extends gf.nn.Module {
  constructor(width, heads, hidden, dropout) {
    super()
    this.selfAttention = new MultiHeadAttention(width, heads, true)
    this.crossAttention = new MultiHeadAttention(width, heads)
    this.feed = new FeedForward(width, hidden, dropout)
    this.norm1 = new gf.nn.LayerNorm(width)
    this.norm2 = new gf.nn.LayerNorm(width)
    this.dropout1 = new gf.nn.Dropout(dropout)
    this.dropout2 = new gf.nn.Dropout(dropout)
  }

  forward(x, memory) {
    const own = this.norm1.forward(x)
    const seen = this.selfAttention.forward(own)
    const asked = this.norm2.forward(own.add(this.dropout1.forward(seen)))
    const cross = this.crossAttention.forward(asked, memory)
    return this.feed.forward(asked.add(this.dropout2.forward(cross)))
  }
}
gf.manualSeed(42)
const decoderLayer = new DecoderLayer(16, 4, 32, 0.1).eval()
const decoded = decoderLayer.forward(x, memory)
print(decoded.narrow(2, 0, 4))
const other = gf.cat([x.narrow(1, 0, 4), x.narrow(1, 0, 1)], { dim: 1 })
const moved = decoderLayer.forward(other, memory).sub(decoded)
print(moved.abs().max({ dim: 2 }).values)`,
    py: `class DecoderLayer(nn.Module):
    def __init__(self, width, heads, hidden, dropout):
        super().__init__()
        self.self_attention = MultiHeadAttention(width, heads, True)
        self.cross_attention = MultiHeadAttention(width, heads)
        self.feed = FeedForward(width, hidden, dropout)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, memory):
        own = self.norm1(x)
        seen = self.self_attention(own)
        asked = self.norm2(own + self.dropout1(seen))
        cross = self.cross_attention(asked, memory)
        return self.feed(asked + self.dropout2(cross))

torch.manual_seed(42)
decoder_layer = DecoderLayer(16, 4, 32, 0.1).eval()
decoded = decoder_layer(x, memory).detach()
print(decoded[:, :, :4])
other = torch.cat([x[:, :4], x[:, :1]], dim=1)
moved = decoder_layer(other, memory).detach() - decoded
print(moved.abs().amax(dim=2))`,
    prints: []
  },
  {
    js: `class Decoder extends gf.nn.Module {
  constructor(layer, count, isChained) {
    super()
    const copies = Array.from({ length: count }, () => layer.clone())
    this.layers = new gf.nn.ModuleList(copies)
    this.isChained = isChained
  }

  forward(x, memory) {
    let output = x
    for (const layer of this.layers) {
      output = layer.forward(this.isChained ? output : x, memory)
    }
    return output
  }
}
const repeated = new Decoder(decoderLayer, 2, false).eval().forward(x, memory)
print(repeated.sub(decoded).abs().max())
const chained = new Decoder(decoderLayer, 2, true).eval().forward(x, memory)
print(chained.sub(decoded).abs().max())`,
    py: `class Decoder(nn.Module):
    def __init__(self, layer, count, is_chained):
        super().__init__()
        copies = [copy.deepcopy(layer) for _ in range(count)]
        self.layers = nn.ModuleList(copies)
        self.is_chained = is_chained

    def forward(self, x, memory):
        output = x
        for layer in self.layers:
            output = layer(output if self.is_chained else x, memory)
        return output

repeated = Decoder(decoder_layer, 2, False).eval()(x, memory)
print((repeated - decoded).abs().max().detach())
chained = Decoder(decoder_layer, 2, True).eval()(x, memory)
print((chained - decoded).abs().max().detach())`,
    prints: []
  },
  {
    js: `const hidden = gf.tensor([[2, 1, -Infinity], [-Infinity, -Infinity, -Infinity]])
print(gf.functional.softmax(hidden))`,
    py: `hidden = torch.tensor([[2.0, 1.0, -torch.inf], [-torch.inf] * 3])
print(F.softmax(hidden, dim=-1))`,
    prints: []
  }
]
