/** Layer normalization. */

import { ENCODER, tensorOf } from './run_values.js'

const VALUES = ['residual1', 'norm1.weight', 'norm1.bias'].map(name => `${ENCODER}.${name}`)

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'layerNorm',
  formula: 'y = γ frac{x - μ}{sqrt{σ^2 + ε}} + β',
  names: ['x.mean(-1, { keepdim: true })', 'x.sub(y)', 'x.square()', 'x.add(eps)', 'x.sqrt()', 'x.div(y)', 'x.mul(gamma)'],
  starter: `// x: [..., d], gamma, beta: [d]  →  [..., d]
function layerNorm(x, gamma, beta, eps = 1e-5) {
  return x
}`,
  solution: `// x: [..., d], gamma, beta: [d]  →  [..., d]
function layerNorm(x, gamma, beta, eps = 1e-5) {
  const centered = x.sub(x.mean(-1, { keepdim: true }))
  const variance = centered.square().mean(-1, { keepdim: true })
  return centered.div(variance.add(eps).sqrt()).mul(gamma).add(beta)
}`,
  torch: {
    starter: `# x: [..., d], gamma, beta: [d]  ->  [..., d]
def layer_norm(x, gamma, beta, eps=1e-5):
    return x`,
    solution: `# x: [..., d], gamma, beta: [d]  ->  [..., d]
def layer_norm(x, gamma, beta, eps=1e-5):
    centered = x - x.mean(-1, keepdim=True)
    variance = centered.square().mean(-1, keepdim=True)
    return centered / (variance + eps).sqrt() * gamma + beta`
  },
  tolerance: 1e-4,
  values: VALUES,
  cases: ({ gf, values, random }) => ({
    sentence: values && VALUES.map(name => tensorOf(gf, values, name)),
    random: [random(3, 5).add(2), random(5), random(5)],
    one: [random(1, 6), random(6), random(6)],
    constant: [gf.tensor([[2, 2, 2, 2], [0.001, 0.003, 0.001, 0.003]]), random(4), random(4)]
  }),
  expected: (gf, x, gamma, beta) => gf.functional.layerNorm(x, gamma.shape, gamma, beta),
  mistakes: {
    dividedByOneLess: ['centered.square().mean(-1, { keepdim: true })', 'x.var(-1, { keepdim: true })'],
    overTokens: `function layerNorm(x, gamma, beta, eps = 1e-5) {
  const centered = x.sub(x.mean(0, { keepdim: true }))
  const variance = centered.square().mean(0, { keepdim: true })
  return centered.div(variance.add(eps).sqrt()).mul(gamma).add(beta)
}`,
    noEps: ['.add(eps)', ''],
    epsOutside: ['.add(eps).sqrt()', '.sqrt().add(eps)'],
    noRoot: ['.sqrt()', ''],
    noMean: ['x.sub(x.mean(-1, { keepdim: true }))', 'x'],
    noScale: ['.mul(gamma).add(beta)', '']
  }
}
