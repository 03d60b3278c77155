/** The causal mask: no position sees a later one. */

import { DECODER, tensorOf } from './run_values.js'

const SCORES = `${DECODER}.self_attn.scores`

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'causalMask',
  formula: 'S_{ij} ← - ∞ "  "("j > i")',
  names: ['gf.ones([T, T])', 'x.triu(1)', "x.to('bool')", 'scores.maskedFill(hidden, -gf.inf)', 'scores.shape.at(-1)'],
  starter: `// scores: [..., T, T]  →  [..., T, T]
function causalMask(scores) {
  return scores
}`,
  solution: `// scores: [..., T, T]  →  [..., T, T]
function causalMask(scores) {
  const T = scores.shape.at(-1)
  const hidden = gf.ones([T, T]).triu(1).to('bool')
  return scores.maskedFill(hidden, -gf.inf)
}`,
  torch: {
    starter: `# scores: [..., T, T]  ->  [..., T, T]
def causal_mask(scores):
    return scores`,
    solution: `# scores: [..., T, T]  ->  [..., T, T]
def causal_mask(scores):
    T = scores.shape[-1]
    hidden = torch.ones(T, T).triu(1).bool()
    return scores.masked_fill(hidden, float('-inf'))`
  },
  tolerance: 1e-6,
  values: [SCORES],
  cases: ({ gf, values, random }) => ({
    sentence: values && [tensorOf(gf, values, SCORES)],
    random: [random(2, 5, 5)],
    one: [random(1, 1)]
  }),
  expected: (gf, scores) => {
    // The library's own mask is what scores are added to.
    const [T] = scores.shape.slice(-1)
    return scores.add(gf.tensor(gf.nn.Transformer.generateSquareSubsequentMask(T)))
  },
  mistakes: {
    wrongSide: ['triu(1)', 'tril(-1)'],
    withItself: ['triu(1)', 'triu(0)'],
    large: ['-gf.inf', '-1e9'],
    zero: ['-gf.inf', '0'],
    inverted: ['triu(1)', 'tril()']
  }
}
