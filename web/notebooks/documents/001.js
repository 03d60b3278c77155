/** Notebook 001: all sines before all cosines, and what stays the same from place to place. */

/** @type {import('./index.js').Document} */
export default {
  id: '001',
  cells: [
    {
      js: `const pe = gf.positionalEncoding(5, 6, { layout: 'concatenated', method: 'direct', dtype: 'float64' })
print(pe, { precision: 3 })
const both = gf.positionalEncoding(5, 6).indexSelect(1, [0, 2, 4, 1, 3, 5])
print(both.sub(gf.positionalEncoding(5, 6, { layout: 'concatenated' })).abs().max())`,
      py: `import torch

def concatenated(length, d):
    i = torch.arange(d) // 2
    k = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    angles = k / 10000 ** (2 * i / d).double()
    return torch.cat([torch.sin(angles[:, 0::2]), torch.cos(angles[:, 1::2])], dim=1)

pe = concatenated(5, 6)
torch.set_printoptions(precision=3, sci_mode=False)
print(pe)
angles = torch.arange(5).double().unsqueeze(1) / 10000 ** (torch.arange(0, 6, 2).double() / 6)
interleaved = torch.stack([torch.sin(angles), torch.cos(angles)], dim=2).reshape(5, 6)
print((interleaved[:, [0, 2, 4, 1, 3, 5]] - pe).abs().max().float())`,
      prints: ['001.pe_5x6'], room: 'layouts', state: { dModel: 6 },
      carries: { dModel: [0, /positionalEncoding\(\d+, (\d+)/] }
    },
    {
      js: `const [here, next] = [0, 1].map(from => gf.tensor(pe.toArray().slice(from, from + 4)))
const distance = next.sub(here).square().sum({ dim: 1 }).sqrt()
const norm = here.square().sum({ dim: 1 }).sqrt()
const dot = here.mul(next).sum({ dim: 1 })
print(gf.functional.stack([distance, norm, dot], { dim: 1 }))`,
      py: `here, next_one = pe[:-1].float(), pe[1:].float()
distance = (next_one - here).norm(dim=1)
norm = here.norm(dim=1)
dot = (here * next_one).sum(dim=1)
torch.set_printoptions(profile='default')
print(torch.stack([distance, norm, dot], dim=1))`,
      prints: ['001.distance_norm_dot'], room: 'requirements', state: { dModel: 6 },
      carries: { dModel: [0, /positionalEncoding\(\d+, (\d+)/] }
    },
    {
      js: `const far = gf.positionalEncoding(9, 6, { layout: 'concatenated' })
print(far.narrow(0, 1, 8).sub(far.narrow(0, 0, 1)).square().sum({ dim: 1 }).sqrt())`,
      py: `far = concatenated(9, 6).float()
print((far[1:] - far[0]).norm(dim=1))`,
      prints: [], room: 'requirements', state: { dModel: 6 },
      carries: { dModel: [2, /positionalEncoding\(\d+, (\d+)/] }
    },
    {
      js: 'print(dot.div(norm.square()))',
      py: 'print(dot / norm ** 2)',
      prints: []
    },
    {
      js: 'plot(gf.positionalEncoding(32, 2, { layout: \'concatenated\' }))',
      py: `flat = concatenated(32, 2)
try:
    import matplotlib.pyplot as plt
    plt.plot(flat[:, 0], flat[:, 1], 'o-')
    plt.show()
except ImportError:
    print(flat.shape)`,
      prints: [], room: 'circle', state: { dModel: 2, maxLength: 32 },
      carries: { maxLength: [4, /positionalEncoding\((\d+)/], dModel: [4, /positionalEncoding\(\d+, (\d+)/] }
    },
    {
      js: `const odd = gf.positionalEncoding(500, 3, { layout: 'concatenated' })
plot(odd)
const norms = odd.square().sum({ dim: 1 }).sqrt()
print(norms.min())
print(norms.max())`,
      py: `odd = concatenated(500, 3)
try:
    import matplotlib.pyplot as plt
    plt.figure().add_subplot(projection='3d').plot(odd[:, 0], odd[:, 1], odd[:, 2])
    plt.show()
except ImportError:
    print(odd.shape)
norms = odd.float().norm(dim=1)
print(norms.min())
print(norms.max())`,
      prints: []
    }
  ]
}
