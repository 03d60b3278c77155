/** Activation patching: one position's residual stream from another text. */

/**
 * A function from a residual stream to a number, such as the difference of two logits; and the same in Python.
 * @param {import('../types.d.ts').Library} gf @param {number} T
 */
function createMetric(gf, T) {
  /** @param {any} x [T, D] */
  const metric = x => x.matmul(x.t()).softmax(-1).matmul(x).tanh().matmul(gf.arange(x.shape[1]).to('float32')).at(T - 1)
  return Object.assign(metric, {
    python: `lambda x: (torch.tanh(torch.softmax(x @ x.T, -1) @ x) @ torch.arange(float(x.shape[1])))[${T - 1}].item()`
  })
}

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'patchPositions',
  formula: 's_t = frac{m(X "with" x_t ← x\'_t) - m(X)}{m(X\') - m(X)}',
  names: ['x.clone()', 'y.indexPut_([t], other.select(0, t))', 'x.shape[0]', 'metric(x)'],
  starter: `// $signature
function patchPositions(x, other, metric) {
  const shares = []
  for (let t = 0; t < x.shape[0]; t++) {
    // $task
    shares.push(0)
  }
  return shares
}`,
  solution: `// $signature
function patchPositions(x, other, metric) {
  const shares = []
  for (let t = 0; t < x.shape[0]; t++) {
    // $task
    const patched = x.clone()
    patched.indexPut_([t], other.select(0, t))
    shares.push((metric(patched) - metric(x)) / (metric(other) - metric(x)))
  }
  return shares
}`,
  torch: {
    starter: `# $signature
def patch_positions(x, other, metric):
    shares = []
    for t in range(x.shape[0]):
        # $task
        shares.append(0.0)
    return shares`,
    solution: `# $signature
def patch_positions(x, other, metric):
    shares = []
    for t in range(x.shape[0]):
        # $task
        patched = x.clone()
        patched[t] = other[t]
        shares.append((metric(patched) - metric(x)) / (metric(other) - metric(x)))
    return shares`
  },
  tolerance: 1e-4,
  cases: ({ gf, random }) => ({
    random: [random(4, 5), random(4, 5), createMetric(gf, 4)],
    one: [random(1, 3), random(1, 3), createMetric(gf, 1)],
    longer: [random(7, 6), random(7, 6), createMetric(gf, 7)]
  }),
  expected: (gf, x, other, metric) => {
    const rows = gf.arange(x.shape[0]).unsqueeze(1), [from, to] = [metric(x), metric(other)]
    return Array.from({ length: x.shape[0] }, (_, t) => (
      (metric(gf.where(rows.eq(t), other, x)) - from) / (to - from)))
  },
  mistakes: {
    notCopied: ['const patched = x.clone()', 'const patched = x'],
    otherRun: ['const patched = x.clone()\n    patched.indexPut_([t], other.select(0, t))',
      'const patched = other.clone()\n    patched.indexPut_([t], x.select(0, t))'],
    added: ['other.select(0, t))', 'other.select(0, t).add(x.select(0, t)))'],
    onward: ['patched.indexPut_([t], other.select(0, t))', 'for (let i = t; i < x.shape[0]; i++) patched.indexPut_([i], other.select(0, i))'],
    notNormalized: [' / (metric(other) - metric(x))', ''],
    notFromStart: ['(metric(patched) - metric(x))', 'metric(patched)']
  }
}
