/** Notebook 002: the module of the PyTorch tutorial on an input whose axes it does not expect. */

/** @type {import('./index.js').Document} */
export default {
  id: '002',
  cells: [
    {
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
      js: `print(output.narrow(1, 44, 3).narrow(2, 0, 3))
const right = x.add(pe.narrow(0, 0, x.shape[1]).transpose(0, 1))
print(right.narrow(1, 44, 3).narrow(2, 0, 3).div(0.9))`,
      py: `print(output[:, 44:, :3])
right = x + pe[:x.size(1)].transpose(0, 1)
print(right[:, 44:, :3] / 0.9)`,
      prints: [], room: 'broadcasting'
    },
    {
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
