/** Direct logit attribution of one head. */

import { tensorOf } from './run_values.js'

const HEADS = 4, LAYER = 'decoder.layers.1'
const VALUES = {
  z: `${LAYER}.self_attn.heads`, out: `${LAYER}.self_attn.out_proj.weight`, x: `${LAYER}.output`,
  gamma: 'decoder.norm.weight', rows: 'output.weight', logits: 'output'
}
const EPS = 1e-5

/**
 * Head 3 of the last layer, at the last token, for the token with the largest logit.
 * @param {import('../types.d.ts').Library} gf @param {import('./index.js').RunValues} values
 */
function headOfRun(gf, values) {
  const [z, out, x, gamma, rows, logits] = Object.values(VALUES).map(name => tensorOf(gf, values, name))
  const width = z.shape[1] / HEADS, last = z.shape[0] - 1, [from, to] = [(HEADS - 1) * width, z.shape[1]]
  const token = logits.select(0, last).argmax().item()
  return [z.select(0, last).slice(0, from, to), out.slice(1, from, to), x.select(0, last), gamma, rows.select(0, token)]
}

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'headAttribution',
  formula: 'y = W_O z ; a = u · (γ ⊙ frac{y - "mean"(y)}{sqrt{"var"(x) + 10^{-5}}})',
  names: ['out.matmul(z)', 'y.sub(y.mean())', 'x.var(0, { correction: 0 })', 'v.add(1e-5).sqrt()', 'a.mul(b).sum()'],
  starter: `// $signature
function headAttribution(z, out, x, gamma, u) {
  return z.sum()
}`,
  solution: `// $signature
function headAttribution(z, out, x, gamma, u) {
  const y = out.matmul(z)
  const scale = x.var(0, { correction: 0 }).add(1e-5).sqrt()
  return y.sub(y.mean()).div(scale).mul(gamma).mul(u).sum()
}`,
  torch: {
    starter: `# $signature
def head_attribution(z, out, x, gamma, u):
    return z.sum()`,
    solution: `# $signature
def head_attribution(z, out, x, gamma, u):
    y = out @ z
    scale = (x.var(unbiased=False) + 1e-5).sqrt()
    return ((y - y.mean()) / scale * gamma * u).sum()`
  },
  tolerance: 1e-4,
  model: 'induction',
  values: Object.values(VALUES),
  cases: ({ gf, values, random }) => ({
    sentence: values && headOfRun(gf, values),
    random: [random(3), random(6, 3), random(6), random(6).add(1), random(6)],
    large: [random(2).mul(10), random(5, 2), random(5).mul(100), random(5).add(1), random(5)]
  }),
  // The engine's layer norm divides by the spread of what it is given, so that quotient is exchanged.
  expected: (gf, z, out, x, gamma, u) => {
    const y = out.matmul(z), { layerNorm } = gf.functional
    const spread = (/** @type {import('../types.d.ts').LibraryTensor} */ v) => (
      v.sub(v.mean()).square().mean().add(EPS).sqrt())
    return layerNorm(y, [y.shape[0]], { weight: gamma }).mul(spread(y)).div(spread(x)).matmul(u)
  },
  mistakes: {
    wholeStream: ['const y = out.matmul(z)', 'const y = x'],
    ownScale: ['scale = x.var', 'scale = y.var'],
    noScale: ['.div(scale)', ''],
    noMean: ['y.sub(y.mean())', 'y'],
    noGain: ['.mul(gamma)', '']
  }
}
