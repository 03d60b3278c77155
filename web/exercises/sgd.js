/** One step of gradient descent with momentum. */

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'sgdStep',
  formula: 'v ← μ v + g ; w ← w - η v',
  names: ['v.mul(mu)', 'x.add(y)', 'w.sub(x)'],
  starter: `// $signature
function sgdStep(w, g, v, lr, mu) {
  return { w, v }
}`,
  solution: `// $signature
function sgdStep(w, g, v, lr, mu) {
  const next = v.mul(mu).add(g)
  return { w: w.sub(next.mul(lr)), v: next }
}`,
  torch: {
    starter: `# $signature
def sgd_step(w, g, v, lr, mu):
    return {'w': w, 'v': v}`,
    solution: `# $signature
def sgd_step(w, g, v, lr, mu):
    v = mu * v + g
    return {'w': w - lr * v, 'v': v}`
  },
  tolerance: 1e-5,
  cases: ({ gf, random }) => ({
    first: [random(3, 2), random(3, 2), gf.zeros([3, 2]), 0.1, 0.9],
    later: [random(5), random(5), random(5), 0.01, 0.8],
    one: [random(1), random(1), random(1), 0.5, 0.5]
  }),
  expected: (gf, w, g, v, lr, mu) => {
    const weights = w.clone().requiresGrad_(), optimizer = new gf.optim.SGD([weights], { lr, momentum: mu })
    const state = optimizer.stateDict()
    optimizer.loadStateDict({ ...state, state: { 0: { momentumBuffer: v } } })
    weights.grad = g
    optimizer.step()
    return { w: weights.detach(), v: optimizer.stateDict().state[0].momentumBuffer }
  },
  mistakes: {
    uphill: ['w.sub(', 'w.add('],
    noMomentum: ['v.mul(mu).add(g)', 'g'],
    oldMomentum: ['w.sub(next.mul(lr))', 'w.sub(v.mul(lr))'],
    noRate: ['next.mul(lr)', 'next'],
    momentumOfGradient: ['v.mul(mu).add(g)', 'v.add(g.mul(mu))']
  }
}
