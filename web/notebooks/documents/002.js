/** Notebook 002: the module of the PyTorch tutorial on an input whose axes it does not expect. */

/** @type {import('./index.js').Document} */
export default {
  id: '002',
  title: { ko: '모듈과 축이 어긋난 한 줄', en: 'The module, and one line on the wrong axis' },
  source: {
    ko: '노트북 ‘Positional Encoding’',
    en: 'the notebook “Positional Encoding”'
  },
  cells: [
    {
      ko: '한 문장, 토큰 47개예요. 1은 패딩 토큰이에요.',
      en: 'One sentence of 47 tokens. 1 is the token that fills it up.',
      js: `const ids = [2, 1819, 1547, 1698, 230, 3869, 2661, 3596, 3744, 1341, 3155, 3, ...Array(35).fill(1)]
print(ids)`,
      py: `import math
import torch
from torch import nn
import torch.nn.functional as F

ids = [2, 1819, 1547, 1698, 230, 3869, 2661, 3596, 3744, 1341, 3155, 3] + [1] * 35
print(ids)`,
      prints: ['002.ids']
    },
    {
      ko: '임베딩에 위치를 더하고 드롭아웃을 해요. 노트북의 수는 드롭아웃의 0까지 이 시드에서 나와요. 학습 모드라 남은 값은 0.9로 나뉘었어요.',
      en: 'An embedding, positions added, dropout. The numbers of the notebook come from this seed, down to the zeros of the dropout. In training mode what is kept is divided by 0.9.',
      js: `gf.manualSeed(2421069391)
const embedding = new gf.nn.Embedding(4376, 512)
const pe = gf.positionalEncoding(5000, 512, { method: 'log-float32' }).reshape(5000, 1, 512)
const dropout = new gf.nn.Dropout(0.1)
const x = embedding.forward([ids])
const output = dropout.forward(x.add(pe.narrow(0, 0, x.shape[0])))
print(output)`,
      py: `def encode(length, d_model):
    rates = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    angles = torch.arange(length).float().unsqueeze(1) * rates
    pe = torch.zeros(length, d_model)
    pe[:, 0::2], pe[:, 1::2] = torch.sin(angles), torch.cos(angles)
    return pe

torch.manual_seed(2421069391)
embedding = nn.Embedding(4376, 512)
pe = encode(5000, 512).unsqueeze(0).transpose(0, 1)
x = embedding(torch.tensor([ids])).detach()
output = F.dropout(x + pe[:x.size(0), :], 0.1)
print(output)`,
      prints: ['002.output'], room: 'dropout', state: { dropout: 0.1 },
      carries: { dropout: [1, /Dropout\(([\d.]+)\)/], seed: [1, /manualSeed\((\d+)\)/] }
    },
    {
      ko: '`pe[:x.size(0)]`는 배치가 둘째 축일 때의 코드예요. 여기서는 x.size(0)이 1이라 47개 토큰이 모두 위치 0을 받아요. 증거는 마지막 세 줄이에요. 같은 토큰이라 지워지지 않은 칸은 값이 같아요. 위치가 맞다면 달라야 해요.',
      en: '`pe[:x.size(0)]` is written for a batch on the second axis. Here x.size(0) is 1, and all 47 tokens get position 0. The last three rows show it: one token, equal wherever nothing was dropped. With positions of their own they would differ.',
      js: `print(output.narrow(1, 44, 3).narrow(2, 0, 3))
const right = x.add(pe.narrow(0, 0, x.shape[1]).transpose(0, 1))
print(right.narrow(1, 44, 3).narrow(2, 0, 3).div(0.9))`,
      py: `print(output[:, 44:, :3])
right = x + pe[:x.size(1)].transpose(0, 1)
print(right[:, 44:, :3] / 0.9)`,
      prints: [], room: 'broadcasting'
    },
    {
      ko: '작은 크기로 한 줄씩 따라가요. 0으로 채운 표, 위치, 빠르기예요.',
      en: 'In a small size, line by line: zeros, positions, rates.',
      js: `print(gf.zeros([5, 8]))
const position = gf.arange(5).to('float32').reshape(5, 1)
print(position)
const rates = gf.arange(0, 8, 2, { dtype: 'float32' }).mul(-Math.log(10000) / 8).exp()
print(rates)`,
      py: `print(torch.zeros(5, 8))
position = torch.arange(5).float().unsqueeze(1)
print(position)
rates = torch.exp(torch.arange(0, 8, 2).float() * (-math.log(10000.0) / 8))
print(rates)`,
      prints: ['002.zeros', '002.position', '002.div_term'], room: 'waves', state: { dModel: 8 },
      carries: { base: [3, /Math\.log\((\d+)\)/], dModel: [3, /Math\.log\(\d+\) \/ (\d+)/] }
    },
    {
      ko: '표를 채우고, 앞에 축을 하나 붙이고, 처음 두 축을 바꿔요.',
      en: 'The table, an axis in front of it, and the first two axes exchanged.',
      js: `const small = gf.positionalEncoding(5, 8, { method: 'log-float32' })
print(small)
print(small.unsqueeze(0))
print(small.unsqueeze(0).transpose(0, 1))`,
      py: `small = encode(5, 8)
print(small)
print(small.unsqueeze(0))
print(small.unsqueeze(0).transpose(0, 1))`,
      prints: ['002.pe', '002.pe_unsqueezed', '002.pe_transposed'], room: 'waves', state: { dModel: 8 },
      carries: { dModel: [4, /positionalEncoding\(\d+, (\d+)/] }
    },
    {
      ko: '`self.pe = …`는 버퍼가 아니라서 state_dict에 없고 `.to(device)`를 따라가지 않아요. 000처럼 버퍼로 등록하면 돼요.',
      en: '`self.pe = …` is no buffer: it is not in the state dict and does not follow `.to(device)`. Registered as a buffer, as in 000, it is and does.',
      js: `class Encoding extends gf.nn.Module {
  constructor() {
    super()
    this.plain = small
    this.registerBuffer('pe', small)
  }
}
print(Object.keys(new Encoding().stateDict()))`,
      py: `class Encoding(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = small
        self.register_buffer('pe', small)

print(list(Encoding().state_dict()))`,
      prints: []
    }
  ]
}
