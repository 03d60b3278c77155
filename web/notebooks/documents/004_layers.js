/** The second half of notebook 004: feed-forward, layers and stacks, as classes, and what those of the source do. */

/** @type {import('./index.js').Cell[]} */
export const layers = [
  {
    ko: '노트북의 피드포워드 층이에요. 잔차를 정규화한 값에 더해서, 정규화하기 전의 입력은 사라져요. 흔히 하듯 원래 입력에 더하면 이만큼 다른 수가 나와요. 잔차 다음의 드롭아웃은 가지가 아니라 흐름 자체를 지워요.',
    en: 'The feed-forward of the notebook. The residual is added to the normalized value, so what came before the norm is lost; added to the input, as is usual, the numbers differ by this much. The dropout after the residual erases the stream itself and not the branch.',
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
    ko: '인코더 층은 정규화, 어텐션, 피드포워드 순서예요. 층을 복사해서 쌓아요. 그래서 모든 층이 같은 가중치에서 시작해요. 마지막 줄의 0이 그것이에요. PyTorch의 스택도 그래요. 노트북은 norm을 클래스 밖에서 가져와 담아 두기만 하고 쓰지 않아요.',
    en: 'An encoder layer is norm, attention and feed-forward. Layers are copies of one, so all begin with the same weights, which is the 0 of the last line; those of PyTorch do, too. The notebook takes a norm from outside the class, keeps it and never uses it.',
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
    ko: '디코더는 뒤를 보지 않아요. 1이 볼 수 있는 칸이에요. 노트북의 두 번째 compute_attention은 길이를 size(2)에서 읽어 3차원 입력에서는 틀려요.',
    en: 'A decoder does not look ahead: 1 marks what may be seen. The second compute_attention of the notebook reads the length from size(2), which is wrong for an input of three axes.',
    js: `print(gf.ones([5, 5]).tril().to('int32'))
const masked = attend(q, k, v, true)
print(masked.sub(attended).abs().max({ dim: 2 }).values)`,
    py: `print(torch.ones(5, 5, dtype=torch.int64).tril())
masked = attend(q, k, v, is_causal=True)
print((masked - attended).abs().amax(dim=2).detach())`,
    prints: ['004.causal_mask']
  },
  {
    ko: '디코더 층은 셀프 어텐션, 크로스 어텐션, 피드포워드 순서예요. 크로스 어텐션의 쿼리는 디코더에서, 키와 값은 인코더의 결과에서 와요. 노트북의 층은 받지 않는 is_causal을 넘겨 오류가 나고, 가리개 없이 만들어져서 그것만 지우면 뒤를 보게 돼요. 여기서는 만들 때 가려요. 그래서 마지막 낱말을 바꿔도 앞 네 낱말의 수는 그대로예요.',
    en: 'A decoder layer is self-attention, cross-attention and feed-forward. In cross-attention the query comes from the decoder, keys and values from what the encoder gave. The layer of the notebook passes an is_causal that nobody takes, which is an error; and it is built without a mask, so with that deleted it looks ahead. Here it is masked from the start: with another last word, the numbers of the four before it stay.',
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
    ko: '디코더는 층을 쌓은 것이에요. 노트북의 디코더는 층마다 처음의 tgt를 다시 넣어서 마지막 층만 남아요. 첫째 출력은 그대로 따라 한 것과 층 하나의 차, 둘째는 층에서 층으로 이은 것과의 차예요.',
    en: 'A decoder is a stack of such layers. That of the notebook gives every layer the first tgt again, so that only the last one counts. First its difference from a single layer, then from a stack whose layers hand on what they made.',
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
    ko: '주석에는 −∞가 소프트맥스를 지나 0에 가까워진다고 쓰여 있지만, 정확히 0이 돼요. 한 줄이 모두 −∞면 NaN이에요. 가리개는 늘 CPU에 만들어져서 다른 장치의 입력과는 맞지 않아요. 논문이나 PyTorch에 있는 어텐션 가중치의 드롭아웃, 채움 가리개, 마지막 norm, 임베딩의 √d는 노트북에 없어요.',
    en: 'The comment says that softmax takes −∞ close to 0. It is exactly 0, and a row of −∞ alone is NaN. The mask is always made on the CPU, which fails for an input elsewhere. What the paper or PyTorch has and the notebook has not: dropout on the weights of attention, a padding mask, a last norm, √d on the embeddings.',
    js: `const hidden = gf.tensor([[2, 1, -Infinity], [-Infinity, -Infinity, -Infinity]])
print(gf.functional.softmax(hidden))`,
    py: `hidden = torch.tensor([[2.0, 1.0, -torch.inf], [-torch.inf] * 3])
print(F.softmax(hidden, dim=-1))`,
    prints: []
  }
]
