/** The gradient of softmax with cross entropy, by hand. */

import { exercise as crossEntropy } from './cross_entropy.js'

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'lossGradient',
  formula: 'frac{∂ L}{∂ x_{t,j}} = frac{1}{T} (p_{t,j} - [j = y_t])',
  names: ['softmax(x)', 'gf.oneHot(targets, { numClasses: V })', "x.to('float32')", 'x.sub(y)', 'x.div(T)', 'x.shape'],
  uses: ['softmax'],
  shortcuts: ['gf.grad', '.backward('],
  starter: `// $signature
function lossGradient(x, targets) {
  const [T, V] = x.shape
  return x
}`,
  solution: `// $signature
function lossGradient(x, targets) {
  const [T, V] = x.shape
  const right = gf.oneHot(targets, { numClasses: V }).to('float32')
  return softmax(x).sub(right).div(T)
}`,
  torch: {
    starter: `# $signature
def loss_gradient(x, targets):
    T, V = x.shape
    return x`,
    solution: `# $signature
def loss_gradient(x, targets):
    T, V = x.shape
    right = F.one_hot(targets, V).float()
    return (softmax(x) - right) / T`
  },
  tolerance: 1e-5,
  values: crossEntropy.values,
  cases: crossEntropy.cases,
  expected: (gf, x, targets) => gf.grad(gf.functional.crossEntropy(x.requiresGrad_(), targets), x),
  mistakes: {
    noMean: ['.div(T)', ''],
    onlyProbabilities: ['.sub(right)', ''],
    opposite: ['softmax(x).sub(right)', 'right.sub(softmax(x))'],
    divisor: ['.div(T)', '.div(T * V)'],
    ofLogits: ['softmax(x)', 'x']
  }
}
