/** Notebook 000: from three sentences to embeddings with positions, with loops, without, and as a module. */

/** @type {import('./index.js').Document} */
export default {
  id: '000',
  title: { ko: '문장에서 위치를 더한 임베딩까지', en: 'From sentences to embeddings with positions' },
  source: {
    ko: '제목 없는 노트북. 세 문장을 토큰으로 자르는 것으로 시작해요',
    en: 'a notebook without a title, which begins by cutting three sentences into tokens'
  },
  cells: [
    {
      ko: '세 문장을 단어로 잘라요. 문장 부호는 버려요.',
      en: 'Three sentences are cut into words. Punctuation is dropped.',
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
      ko: '많이 나온 단어부터 번호를 매기고, 번호마다 숫자 4개짜리 벡터를 시드로 뽑아요. 노트북은 시드를 적지 않았지만, 출력된 숫자를 내는 시드는 하나뿐이었어요.',
      en: 'Frequent words get the first ids, and every id a vector of four numbers sampled from the seed. The notebook names no seed; exactly one gives the numbers it printed.',
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
      ko: '위치 k와 짝 i마다 각도 k / n^(2i/d)의 사인과 코사인을 적어요. 여기서 n은 1000이에요.',
      en: 'For every position k and pair i the sine and cosine of the angle k / n^(2i/d). Here n is 1000.',
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
      ko: '6 × 4 표 하나가 세 문장에 똑같이 더해져요(브로드캐스팅).',
      en: 'One table of 6 × 4 is added to all three sentences (broadcasting).',
      js: 'print(embeddings.add(gf.tensor(firstSix.toArray())), short)',
      py: `torch.set_printoptions(precision=2, sci_mode=False)
print(embeddings + first_six)`,
      prints: ['000.sum_n1000'], room: 'broadcasting',
      carries: { sequence: [0, /= \['([^']*)'/] }
    },
    {
      ko: '반복문 대신 빠르기를 한 번에 구해요. exp(−2i · ln n / d), 이번에는 n이 100이에요.',
      en: 'Without loops, all rates at once: exp(−2i · ln n / d), this time with n = 100.',
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
      ko: '0으로 채운 표의 짝수 열에 사인, 홀수 열에 코사인이 들어가고, 앞에 문장 축이 붙어요.',
      en: 'A table of zeros takes sines in its even columns and cosines in the odd ones; an axis of sentences goes in front.',
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
      ko: '노트북은 이 값이 반복문의 값과 같다고 적었어요. 밑이 같을 때만 그래요. 반복문은 n = 1000, 이것은 n = 100이라 둘째 짝이 0.5까지 달라요. 같은 n으로 비교하면 반올림만 남아요.',
      en: 'The notebook says these values equal those of the loops. They do for the same base; but the loops had n = 1000 and this has n = 100, so the second pair differs by up to 0.5. With the same n only rounding is left.',
      js: `const largest = base => gf.positionalEncoding(10, 4, { base }).sub(made.reshape(10, 4)).abs().max()
print(largest(1000))
print(largest(100))`,
      py: `torch.set_printoptions(profile='default')
print((encode(10, 4, 1000) - pe).abs().max())
print((encode(10, 4, 100) - pe).abs().max())`,
      prints: []
    },
    {
      ko: '모듈로 묶으면 표는 버퍼가 돼요. 학습하지 않지만 함께 저장돼요. 밑은 10000이에요. 앞의 합과 다른 까닭을 노트북은 100과 10000이라고 했지만, 앞의 합은 n = 1000이었어요.',
      en: 'As a module the table becomes a buffer: saved, not trained. The base is 10000. The notebook says the sum differs from the one before because of 100 against 10000; that one had n = 1000.',
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
      ko: '노트북의 주석은 0::2를 한 번은 홀수, 한 번은 짝수라고 불러요. 열을 1부터 셌는지 0부터 셌는지의 차이예요. 그리고 d가 홀수면 반복문은 마지막 열을 0으로 남겨요. PyTorch로 쓴 쪽은 오류가 나요.',
      en: 'The comments call 0::2 odd once and even once: columns counted from 1, then from 0. And with an odd d the loops leave the last column 0, while the PyTorch form raises an error.',
      js: 'print(gf.positionalEncoding(3, 5, { base: 1000 }))',
      py: `torch.set_printoptions(profile='default')
print(with_loops(3, 5, 1000).float())`,
      prints: []
    }
  ]
}
