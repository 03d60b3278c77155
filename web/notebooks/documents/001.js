/** Notebook 001: all sines before all cosines, and what stays the same from place to place. */

/** @type {import('./index.js').Document} */
export default {
  id: '001',
  title: { ko: '이어 붙인 인코딩과 변하지 않는 것', en: 'The concatenated encoding and what stays the same' },
  source: {
    ko: '글 ‘[NLP] Transformer_2.Positional Encoding’ (2020-08-14)',
    en: 'the post “[NLP] Transformer_2.Positional Encoding” (2020-08-14)'
  },
  cells: [
    {
      ko: '이 글은 사인을 모두 앞에, 코사인을 모두 뒤에 놓아요. 식은 번갈아 적지만 열의 순서만 달라요. 한 방식으로 학습한 모델은 다른 방식을 쓸 수 없어요.',
      en: 'This post puts all sines first and all cosines after them. Its formula interleaves them: the same columns in another order. A model trained with one cannot use the other.',
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
      ko: '이웃한 두 위치의 거리, 노름, 내적이에요. 줄마다 같아요.',
      en: 'Distance to the next position, norm, and dot product with the next. Every row is the same.',
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
      prints: ['001.distance_norm_dot'], room: 'asks', state: { dModel: 6 },
      carries: { dModel: [0, /positionalEncoding\(\d+, (\d+)/] }
    },
    {
      ko: '글은 모든 거리가 같다고 했어요. 이웃끼리만 그래요. 1칸부터 8칸까지 떨어진 거리는 이렇게 달라요. 거리는 어디서 재느냐가 아니라 몇 칸이냐로 정해져요. 짝마다 한 칸에 같은 각을 돌기 때문이고, i가 고르게 커져서가 아니에요.',
      en: 'The post calls all distances equal. They are for neighbors. From 1 to 8 positions apart they differ as below; what counts is the offset, not the position. The reason is that each pair rotates by the same angle per position, not that i grows evenly.',
      js: `const far = gf.positionalEncoding(9, 6, { layout: 'concatenated' })
print(far.narrow(0, 1, 8).sub(far.narrow(0, 0, 1)).square().sum({ dim: 1 }).sqrt())`,
      py: `far = concatenated(9, 6).float()
print((far[1:] - far[0]).norm(dim=1))`,
      prints: [], room: 'asks', state: { dModel: 6 },
      carries: { dModel: [2, /positionalEncoding\(\d+, (\d+)/] }
    },
    {
      ko: '내적이 같다고 서로 독립인 것은 아니에요. 이웃의 코사인 유사도는 0.85쯤으로 거의 나란해요. 또 128차원이면 식의 i는 0부터 63까지예요. 코드의 i는 열 번호라서 2로 나눠요.',
      en: 'Equal dot products do not make vectors independent: neighbors have a cosine similarity of about 0.85, close to parallel. And for 128 dimensions the i of the formula runs from 0 to 63; in the code i is the column, hence the division by 2.',
      js: 'print(dot.div(norm.square()))',
      py: 'print(dot / norm ** 2)',
      prints: []
    },
    {
      ko: '2차원에서는 위치가 원을 따라 돌아요.',
      en: 'In two dimensions the positions walk around a circle.',
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
      ko: '3차원은 사인 둘에 코사인 하나예요. 둘째 각에 짝이 없어서 노름도 거리도 더는 같지 않아요.',
      en: 'Three dimensions are two sines and one cosine. The second angle has no partner, so norms and distances are no longer equal.',
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
