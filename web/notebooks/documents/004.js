/** Notebook 004: a transformer piece by piece, from words to the mask, and what its classes do unexpectedly. */

/** @type {import('./index.js').Document} */
export default {
  id: '004',
  title: { ko: '조각조각 만드는 트랜스포머', en: 'A transformer, piece by piece' },
  cells: [
    {
      ko: '문장을 띄어쓰기로 자르고 낱말마다 번호를 매겨요. 같은 낱말이 두 번 나오면 뒤의 번호만 남는 코드예요.',
      en: 'A sentence is cut at white space and every word numbered. Of a word that comes twice this code keeps the later number.',
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
      ko: '번호마다 수 16개, 위치마다 수 16개예요. 둘 다 학습하는 표이고, 더하면 입력이 돼요.',
      en: 'Sixteen numbers for every id and sixteen for every position. Both tables are learned; their sum is the input.',
      js: `const token = new gf.nn.Embedding(5, 16)
const place = new gf.nn.Embedding(12, 16)
const sum = token.forward([ids]).add(place.forward([[0, 1, 2, 3, 4]]))
print([token.forward([ids]).shape, sum.shape])`,
      py: `token = nn.Embedding(5, 16)
place = nn.Embedding(12, 16)
total = token(torch.tensor([ids])) + place(torch.arange(5).unsqueeze(0))
print([list(token(torch.tensor([ids])).shape), list(total.shape)])`,
      prints: ['004.shapes_embedding'], room: 'compare'
    },
    {
      ko: '노트북이 찍은 수의 시드는 찾지 못했어요. 그래서 찍힌 수를 그대로 입력으로 써요.',
      en: 'No seed was found for the numbers that the notebook printed, so they serve as they stand.',
      js: `const x = gf.tensor({{004.input_embeddings}})
print(x)`,
      py: `x = torch.tensor({{004.input_embeddings}})
print(x)`,
      prints: ['004.input_embeddings']
    },
    {
      ko: '쿼리, 키, 값을 만들어 어텐션을 계산해요. 들어간 모양 그대로 나와요. 노트북의 첫 compute_attention은 is_causal을 받기만 하고 읽지 않아요.',
      en: 'Query, key and value, then attention: the shape that goes in comes out. The first compute_attention of the notebook takes is_causal and never reads it.',
      js: `gf.manualSeed(42)
const [q, k, v] = [0, 1, 2].map(() => new gf.nn.Linear(16, 16).forward(x).reshape(1, 1, 5, 16))
const attended = gf.functional.scaledDotProductAttention(q, k, v).reshape(1, 5, 16)
print([x.shape, attended.shape])`,
      py: `torch.manual_seed(42)
q, k, v = (nn.Linear(16, 16)(x) for _ in range(3))

def attend(q, k, v, is_causal=False):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if is_causal:
        seen = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
        scores = scores.masked_fill(~seen, float('-inf'))
    return F.softmax(scores, dim=-1) @ v

attended = attend(q, k, v)
print([list(x.shape), list(attended.shape)])`,
      prints: ['004.shapes_attention']
    },
    {
      ko: '헤드 4개로 나눠도 모양은 같아요. 노트북은 나눌 너비를 입력에서 읽어서 두 너비가 같을 때만 되고, 키와 값도 쿼리의 길이로 잘라서 길이가 다르면 멈춰요.',
      en: 'With four heads the shape stays. The notebook reads the width to split from the input, so both widths must be equal; and it cuts keys and values by the length of the query, so another length stops it.',
      js: `const heads = new gf.nn.MultiheadAttention(16, 4)
print([heads.forward(x)[0].shape])`,
      py: `heads = nn.MultiheadAttention(16, 4, batch_first=True)
print([list(heads(x, x, x)[0].shape)])`,
      prints: ['004.shape_multihead']
    },
    {
      ko: '층 정규화 뒤의 평균은 0이에요. 찍힌 수는 반올림의 찌꺼기라서 누구도 다시 낼 수 없어요. 표준편차 1.0328도 오류가 아니에요. LayerNorm은 16으로, torch.std는 15로 나눠요. √(16/15) = 1.0328이에요.',
      en: 'After layer norm the mean is 0; the digits printed are rounding that nobody can reproduce. Nor is the deviation 1.0328 a mistake: LayerNorm divides by 16, torch.std by 15, and √(16/15) = 1.0328.',
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
    {
      ko: '디코더는 뒤를 보지 않아요. 1이 볼 수 있는 칸이에요. 노트북의 두 번째 compute_attention은 길이를 size(2)에서 읽어 3차원 입력에서는 틀려요.',
      en: 'A decoder does not look ahead: 1 marks what may be seen. The second compute_attention of the notebook reads the length from size(2), which is wrong for an input of three axes.',
      js: `print(gf.ones([5, 5]).tril().to('int32'))
const masked = gf.functional.scaledDotProductAttention(q, k, v, { isCausal: true }).reshape(1, 5, 16)
print(masked.sub(attended).abs().max({ dim: 2 }))`,
      py: `print(torch.ones(5, 5, dtype=torch.int64).tril())
masked = attend(q, k, v, is_causal=True)
print((masked - attended).abs().amax(dim=2).detach())`,
      prints: ['004.causal_mask']
    },
    {
      ko: '마지막으로 노트북의 앞먹임 층이에요. 잔차를 정규화한 값에 더해서, 정규화하기 전의 입력은 사라져요. 디코더도 그래요. 인코더의 norm은 만들기만 하고 쓰지 않고, 디코더는 층마다 tgt를 다시 넣어 마지막 층만 남아요. 디코더 층은 받지 않는 is_causal을 넘겨 오류가 나요.',
      en: 'Last, its feed-forward. The residual is added to the normalised value, so what came before the norm is lost; the decoder does the same. The norm of the encoder is made and never used, the decoder gives every layer tgt so that only the last one counts, and its layer passes an is_causal that nobody takes, which is an error.',
      js: `gf.manualSeed(42)
const [wide, narrow] = [new gf.nn.Linear(16, 64), new gf.nn.Linear(64, 16)]
const change = narrow.forward(gf.functional.gelu(wide.forward(normalised)))
const written = normalised.add(change)
const usual = x.add(change)
print(written.sub(usual).abs().max())`,
      py: `torch.manual_seed(42)
wide, narrow = nn.Linear(16, 64), nn.Linear(64, 16)
change = narrow(F.gelu(wide(normalised)))
written = normalised + change
usual = x + change
print((written - usual).abs().max().detach())`,
      prints: []
    },
    {
      ko: '주석에는 −∞가 소프트맥스를 지나 0에 가까워진다고 쓰여 있지만, 정확히 0이 돼요. 한 줄이 모두 −∞면 NaN이에요. 디코더는 가리개 없이 만들어져서, is_causal을 그냥 지우면 뒤를 보게 돼요. 가리개는 늘 CPU에 만들어져서 다른 장치의 입력과는 맞지 않아요.',
      en: 'The comment says that softmax takes −∞ close to 0. It is exactly 0, and a row of −∞ alone is NaN. The decoder is built without a mask, so once is_causal is deleted it looks ahead. And the mask is always made on the CPU, which fails for an input elsewhere.',
      js: `const hidden = gf.tensor([[2, 1, -Infinity], [-Infinity, -Infinity, -Infinity]])
print(gf.functional.softmax(hidden))`,
      py: `hidden = torch.tensor([[2.0, 1.0, -torch.inf], [-torch.inf] * 3])
print(F.softmax(hidden, dim=-1))`,
      prints: []
    },
    {
      ko: 'get_clones는 한 층을 복사해요. 그래서 모든 층이 같은 가중치에서 시작해요. PyTorch의 스택도 그래요. 잔차 다음의 드롭아웃은 가지가 아니라 흐름 자체를 지워요. 논문이나 PyTorch에 있는 어텐션 가중치의 드롭아웃, 채움 가리개, 마지막 norm, 임베딩의 √d는 없어요.',
      en: 'get_clones copies one layer, so all layers begin with the same weights; those of PyTorch do, too. The dropout after the residual erases the stream itself and not the branch. What the paper or PyTorch has and this has not: dropout on the weights of attention, a padding mask, a last norm, √d on the embeddings.',
      js: `const layer = new gf.nn.TransformerEncoderLayer(16, 4, { dimFeedforward: 64 })
const [first, second] = new gf.nn.TransformerEncoder(layer, 2).layers
print(first.linear1.weight.sub(second.linear1.weight).abs().max())`,
      py: `layer = nn.TransformerEncoderLayer(16, 4, dim_feedforward=64, batch_first=True)
first, second = nn.TransformerEncoder(layer, 2).layers
print((first.linear1.weight - second.linear1.weight).abs().max().detach())`,
      prints: []
    }
  ]
}
