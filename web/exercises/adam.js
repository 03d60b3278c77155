/** One step of Adam. */

const SIZES = { lr: 0.01, beta1: 0.9, beta2: 0.99, eps: 1e-8 }

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'adamStep',
  formula: 'm ← β_1 m + (1 - β_1) g ; v ← β_2 v + (1 - β_2) g^2 ; w ← w - η frac{m / (1 - β_1^t)}{sqrt{v / (1 - β_2^t)} + ε}',
  names: ['g.square()', 'x.mul(beta1)', 'x.add(y)', 'x.div(1 - beta1 ** t)', 'x.sqrt()', 'x.add(eps)'],
  starter: `// $signature
function adamStep(w, g, m, v, t, { lr, beta1, beta2, eps }) {
  return { w, m, v }
}`,
  solution: `// $signature
function adamStep(w, g, m, v, t, { lr, beta1, beta2, eps }) {
  const m2 = m.mul(beta1).add(g.mul(1 - beta1))
  const v2 = v.mul(beta2).add(g.square().mul(1 - beta2))
  const mean = m2.div(1 - beta1 ** t)
  const size = v2.div(1 - beta2 ** t).sqrt()
  return { w: w.sub(mean.mul(lr).div(size.add(eps))), m: m2, v: v2 }
}`,
  torch: {
    starter: `# $signature
def adam_step(w, g, m, v, t, o):
    lr, beta1, beta2, eps = o['lr'], o['beta1'], o['beta2'], o['eps']
    return {'w': w, 'm': m, 'v': v}`,
    solution: `# $signature
def adam_step(w, g, m, v, t, o):
    lr, beta1, beta2, eps = o['lr'], o['beta1'], o['beta2'], o['eps']
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g ** 2
    size = (v / (1 - beta2 ** t)).sqrt() + eps
    return {'w': w - lr * m / (1 - beta1 ** t) / size, 'm': m, 'v': v}`
  },
  tolerance: 1e-5,
  cases: ({ gf, random }) => ({
    first: [random(3, 2), random(3, 2), gf.zeros([3, 2]), gf.zeros([3, 2]), 1, { ...SIZES }],
    later: [random(5), random(5), random(5), random(5).square(), 10, { ...SIZES, lr: 0.1 }],
    // A gradient so small that eps counts.
    small: [random(3), random(3).mul(1e-4), gf.zeros([3]), gf.zeros([3]), 2, { ...SIZES, lr: 1, eps: 1e-4 }]
  }),
  expected: (gf, w, g, m, v, t, { lr, beta1, beta2, eps }) => {
    const weights = w.clone().requiresGrad_()
    const optimizer = new gf.optim.Adam([weights], { lr, betas: [beta1, beta2], eps })
    optimizer.loadStateDict({ ...optimizer.stateDict(), state: { 0: { step: t - 1, expAvg: m, expAvgSq: v } } })
    weights.grad = g
    optimizer.step()
    const { expAvg, expAvgSq } = optimizer.stateDict().state[0]
    return { w: weights.detach(), m: expAvg, v: expAvgSq }
  },
  mistakes: {
    noCorrection: `function adamStep(w, g, m, v, t, { lr, beta1, beta2, eps }) {
  const m2 = m.mul(beta1).add(g.mul(1 - beta1))
  const v2 = v.mul(beta2).add(g.square().mul(1 - beta2))
  return { w: w.sub(m2.mul(lr).div(v2.sqrt().add(eps))), m: m2, v: v2 }
}`,
    noRoot: ['.sqrt()', ''],
    epsInRoot: `function adamStep(w, g, m, v, t, { lr, beta1, beta2, eps }) {
  const m2 = m.mul(beta1).add(g.mul(1 - beta1))
  const v2 = v.mul(beta2).add(g.square().mul(1 - beta2))
  const size = v2.div(1 - beta2 ** t).add(eps).sqrt()
  return { w: w.sub(m2.div(1 - beta1 ** t).mul(lr).div(size)), m: m2, v: v2 }
}`,
    notSquared: ['g.square()', 'g.abs()'],
    uphill: ['w.sub(', 'w.add('],
    stepFromZero: `function adamStep(w, g, m, v, t, { lr, beta1, beta2, eps }) {
  const m2 = m.mul(beta1).add(g.mul(1 - beta1))
  const v2 = v.mul(beta2).add(g.square().mul(1 - beta2))
  const size = v2.div(1 - beta2 ** (t - 1)).sqrt()
  return { w: w.sub(m2.div(1 - beta1 ** (t - 1)).mul(lr).div(size.add(eps))), m: m2, v: v2 }
}`
  }
}
