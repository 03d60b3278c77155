/** Scaled dot-product attention of one head. */

import { ENCODER, headOf } from './run_values.js'

const VALUES = ['q', 'k', 'v'].map(name => `${ENCODER}.self_attn.${name}`)

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'attention',
  formula: '"attention"(Q, K, V) = "softmax"(frac{Q K^T}{sqrt{d}}) V',
  names: ['q.matmul(k)', 'k.transpose(-2, -1)', 'q.shape.at(-1)', 'x.div(Math.sqrt(d))', 'softmax(x)'],
  uses: ['softmax'],
  starter: `// q: [T, d], k: [S, d], v: [S, e]  →  [T, e]
function attention(q, k, v) {
  return v
}`,
  solution: `// q: [T, d], k: [S, d], v: [S, e]  →  [T, e]
function attention(q, k, v) {
  const scores = q.matmul(k.transpose(-2, -1)).div(Math.sqrt(q.shape.at(-1)))
  return softmax(scores).matmul(v)
}`,
  torch: {
    starter: `# q: [T, d], k: [S, d], v: [S, e]  ->  [T, e]
def attention(q, k, v):
    return v`,
    solution: `# q: [T, d], k: [S, d], v: [S, e]  ->  [T, e]
def attention(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return softmax(scores) @ v`
  },
  tolerance: 1e-5,
  values: VALUES,
  cases: ({ gf, values, random }) => ({
    sentence: values && VALUES.map(name => headOf(gf, values, name)),
    random: [random(3, 6), random(5, 6), random(5, 4)],
    one: [random(1, 4), random(1, 4), random(1, 3)],
    large: [random(2, 4).mul(100), random(3, 4).mul(100), random(3, 2)]
  }),
  expected: (gf, ...args) => {
    const [q, k, v] = args.map(x => x.unsqueeze(0))
    return gf.functional.scaledDotProductAttention(q, k, v).squeeze(0)
  },
  mistakes: {
    noScale: ['.div(Math.sqrt(q.shape.at(-1)))', ''],
    scaleWithoutRoot: ['Math.sqrt(q.shape.at(-1))', 'q.shape.at(-1)'],
    scaleByPositions: ['q.shape.at(-1)', 'q.shape.at(0)'],
    wrongAxis: ['softmax(scores)', 'softmax(scores.t()).t()'],
    noSoftmax: ['softmax(scores)', 'scores'],
    scaleAfter: `function attention(q, k, v) {
  return softmax(q.matmul(k.transpose(-2, -1))).div(Math.sqrt(q.shape.at(-1))).matmul(v)
}`
  }
}
