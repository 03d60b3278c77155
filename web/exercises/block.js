/** A block of the encoder, with the norm after each sum. */

import { ENCODER, HEADS, tensorOf } from './run_values.js'
import { blockNames, blockOf, encoderLayer, randomBlock } from './weights.js'

const INPUT = 'positions.output'

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'block',
  formula: 'Y = "norm"_1(X + "attention"(X)) ; Z = "norm"_2(Y + "ffn"(Y))',
  names: ['x.matmul(w.qkv.t())', 'x.add(w.qkvBias)', 'x.chunk(3, -1)'],
  uses: ['softmax', 'attention', 'heads', 'norm', 'feed_forward'],
  starter: `// $signature
function block(x, w, H) {
  const [q, k, v] = x.matmul(w.qkv.t()).add(w.qkvBias).chunk(3, -1)
  const a = multiHead(q, k, v, w.out, H).add(w.outBias)
  return a
}`,
  solution: `// $signature
function block(x, w, H) {
  const [q, k, v] = x.matmul(w.qkv.t()).add(w.qkvBias).chunk(3, -1)
  const a = multiHead(q, k, v, w.out, H).add(w.outBias)
  const y = layerNorm(x.add(a), w.gamma1, w.beta1)
  const f = feedForward(y, w.w1, w.b1, w.w2, w.b2)
  return layerNorm(y.add(f), w.gamma2, w.beta2)
}`,
  torch: {
    starter: `# $signature
def block(x, w, H):
    q, k, v = (x @ w['qkv'].T + w['qkvBias']).chunk(3, -1)
    a = multi_head(q, k, v, w['out'], H) + w['outBias']
    return a`,
    solution: `# $signature
def block(x, w, H):
    q, k, v = (x @ w['qkv'].T + w['qkvBias']).chunk(3, -1)
    a = multi_head(q, k, v, w['out'], H) + w['outBias']
    y = layer_norm(x + a, w['gamma1'], w['beta1'])
    f = feed_forward(y, w['w1'], w['b1'], w['w2'], w['b2'])
    return layer_norm(y + f, w['gamma2'], w['beta2'])`
  },
  tolerance: 1e-4,
  values: [INPUT, ...blockNames(ENCODER)],
  cases: ({ gf, values, random }) => ({
    sentence: values && [tensorOf(gf, values, INPUT), blockOf(gf, values, ENCODER), HEADS],
    random: [random(3, 4), randomBlock(random, 4, 6), 2],
    one: [random(1, 2), randomBlock(random, 2, 3), 1]
  }),
  expected: (gf, x, w, H) => encoderLayer(gf, w, H).forward(x.unsqueeze(0)).squeeze(0),
  mistakes: {
    noResiduals: `function block(x, w, H) {
  const [q, k, v] = x.matmul(w.qkv.t()).add(w.qkvBias).chunk(3, -1)
  const y = layerNorm(multiHead(q, k, v, w.out, H).add(w.outBias), w.gamma1, w.beta1)
  return layerNorm(feedForward(y, w.w1, w.b1, w.w2, w.b2), w.gamma2, w.beta2)
}`,
    wrongResidual: ['layerNorm(y.add(f)', 'layerNorm(x.add(f)'],
    secondNormMissing: ['layerNorm(y.add(f), w.gamma2, w.beta2)', 'y.add(f)'],
    sumAfterNorm: ['layerNorm(x.add(a), w.gamma1, w.beta1)', 'x.add(layerNorm(a, w.gamma1, w.beta1))'],
    normFirst: `function block(x, w, H) {
  const [q, k, v] = layerNorm(x, w.gamma1, w.beta1).matmul(w.qkv.t()).add(w.qkvBias).chunk(3, -1)
  const y = x.add(multiHead(q, k, v, w.out, H).add(w.outBias))
  return y.add(feedForward(layerNorm(y, w.gamma2, w.beta2), w.w1, w.b1, w.w2, w.b2))
}`
  }
}
