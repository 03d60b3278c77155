/** Several heads: split, attend, join, and the output projection. */

import { ENCODER, HEADS, tensorOf } from './run_values.js'

const VALUES = ['q', 'k', 'v', 'out_proj.weight'].map(name => `${ENCODER}.self_attn.${name}`)

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'multiHead',
  formula: 'Y = "concat"("head"_1 , … , "head"_H) W_O^T',
  names: ['x.chunk(H, -1)', 'qs[h]', 'gf.cat(list, -1)', 'x.matmul(wo.t())'],
  uses: ['softmax', 'attention'],
  starter: `// $signature
function multiHead(q, k, v, wo, H, attend = attention) {
  const heads = [attend(q, k, v)]
  return gf.cat(heads, -1)
}`,
  solution: `// $signature
function multiHead(q, k, v, wo, H, attend = attention) {
  const [qs, ks, vs] = [q, k, v].map(x => x.chunk(H, -1))
  const heads = qs.map((_, h) => attend(qs[h], ks[h], vs[h]))
  return gf.cat(heads, -1).matmul(wo.t())
}`,
  torch: {
    starter: `# $signature
def multi_head(q, k, v, wo, H, attend=None):
    heads = [(attend or attention)(q, k, v)]
    return torch.cat(heads, -1)`,
    solution: `# $signature
def multi_head(q, k, v, wo, H, attend=None):
    qs, ks, vs = [x.chunk(H, -1) for x in (q, k, v)]
    heads = [(attend or attention)(qs[h], ks[h], vs[h]) for h in range(H)]
    return torch.cat(heads, -1) @ wo.T`
  },
  tolerance: 1e-4,
  values: VALUES,
  cases: ({ gf, values, random }) => ({
    sentence: values && [...VALUES.map(name => tensorOf(gf, values, name)), HEADS],
    random: [random(3, 6), random(3, 6), random(3, 6), random(6, 6), 3],
    cross: [random(2, 4), random(5, 4), random(5, 4), random(4, 4), 2],
    one: [random(1, 4), random(1, 4), random(1, 4), random(4, 4), 2]
  }),
  expected: (gf, q, k, v, wo, H) => {
    /** @param {any} x */
    const split = x => x.reshape(1, x.shape[0], H, -1).transpose(1, 2)
    const heads = gf.functional.scaledDotProductAttention(split(q), split(k), split(v))
    return gf.functional.linear(heads.transpose(1, 2).reshape(q.shape[0], -1), wo)
  },
  mistakes: {
    noOutput: ['.matmul(wo.t())', ''],
    notTransposed: ['wo.t()', 'wo'],
    oneHead: ['[q, k, v].map(x => x.chunk(H, -1))', '[[q], [k], [v]]'],
    onlyReshaped: ['x.chunk(H, -1)', 'x.reshape(H, x.shape[0], -1).unbind(0)'],
    interleaved: ['x.chunk(H, -1)', 'x.reshape(x.shape[0], -1, H).unbind(-1)'],
    joinedBackwards: ['gf.cat(heads, -1)', 'gf.cat(heads.reverse(), -1)']
  }
}
