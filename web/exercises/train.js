/** Training the reader's own code. */

import { randomBlock, encoderLayer } from './weights.js'

const LR = 0.1

/** A text that repeats, and for every token the next one. @param {number[]} text */
const exampleOf = text => ({ ids: text.slice(0, -1), targets: text.slice(1) })

/** @param {(...shape: number[]) => any} random @param {number} V @param {number} d */
const createWeights = (random, V, d) => ({
  ...Object.fromEntries(Object.entries(randomBlock(random, d, 2 * d)).map(([name, tensor]) => [name, tensor.mul(0.5)])),
  table: random(V, d), vocab: random(V, d), vocabBias: random(V)
})

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'train',
  formula: 'w ← w - η frac{∂ L}{∂ w}',
  names: ['w[name].detach().requiresGrad_()', 'gf.grad(loss, tensors)', 'sgdStep(w, g, v, lr, mu)', 'loss.item()'],
  uses: ['embedding', 'softmax', 'attention', 'heads', 'norm', 'feed_forward', 'block', 'logits', 'cross_entropy', 'sgd'],
  starter: `// $signature
function train(w, examples, H) {
  const losses = [], names = Object.keys(w)
  for (const { ids, targets } of examples) {
    for (const name of names) w[name] = w[name].detach().requiresGrad_()
    const x = block(embed(ids, w.table), w, H)
    const loss = crossEntropy(logits(x, w.vocab, w.vocabBias), gf.tensor(targets, { dtype: 'int32' }))
    losses.push(loss.item())
    // $task
  }
  return losses
}`,
  solution: `// $signature
function train(w, examples, H) {
  const losses = [], names = Object.keys(w)
  for (const { ids, targets } of examples) {
    for (const name of names) w[name] = w[name].detach().requiresGrad_()
    const x = block(embed(ids, w.table), w, H)
    const loss = crossEntropy(logits(x, w.vocab, w.vocabBias), gf.tensor(targets, { dtype: 'int32' }))
    losses.push(loss.item())
    // $task
    const gradients = gf.grad(loss, names.map(name => w[name]))
    names.forEach((name, i) => {
      w[name] = sgdStep(w[name], gradients[i], gf.zerosLike(w[name]), 0.1, 0).w
    })
  }
  return losses
}`,
  torch: {
    starter: `# $signature
def train(w, examples, H):
    losses, names = [], list(w)
    for example in examples:
        for name in names:
            w[name] = w[name].detach().requires_grad_()
        x = block(embed(example['ids'], w['table']), w, H)
        loss = cross_entropy(logits(x, w['vocab'], w['vocabBias']), torch.tensor(example['targets']))
        losses.append(loss.item())
        # $task
    return losses`,
    solution: `# $signature
def train(w, examples, H):
    losses, names = [], list(w)
    for example in examples:
        for name in names:
            w[name] = w[name].detach().requires_grad_()
        x = block(embed(example['ids'], w['table']), w, H)
        loss = cross_entropy(logits(x, w['vocab'], w['vocabBias']), torch.tensor(example['targets']))
        losses.append(loss.item())
        # $task
        gradients = torch.autograd.grad(loss, [w[name] for name in names])
        for name, g in zip(names, gradients):
            w[name] = sgd_step(w[name], g, torch.zeros_like(g), 0.1, 0)['w']
    return losses`
  },
  tolerance: 1e-3,
  cases: ({ random }) => ({
    repeating: [createWeights(random, 4, 4), Array.from({ length: 60 }, () => exampleOf([0, 1, 2, 3, 0, 1, 2, 3])), 2],
    random: [createWeights(random, 5, 6), [[4, 0, 2, 2], [1, 3, 3], [0, 4]].map(exampleOf), 3]
  }),
  expected: (gf, weights, examples, H) => {
    const { table, vocab, vocabBias, ...own } = weights
    const layer = encoderLayer(gf, own, H)
    const others = [table, vocab, vocabBias].map(tensor => tensor.clone().requiresGrad_())
    const optimizer = new gf.optim.SGD([...layer.parameters(), ...others], { lr: LR })
    return examples.map((/** @type {{ ids: number[], targets: number[] }} */ { ids, targets }) => {
      optimizer.zeroGrad()
      const x = layer.forward(gf.functional.embedding([ids], others[0])).squeeze(0)
      const loss = gf.functional.crossEntropy(gf.functional.linear(x, others[1], others[2]), gf.tensor(targets, { dtype: 'int32' }))
      loss.backward()
      optimizer.step()
      return loss.item()
    })
  },
  show(compute, args) {
    const losses = compute(...args)
    return `${losses[0].toFixed(2)} → ${losses.at(-1).toFixed(2)}`
  },
  mistakes: {
    uphill: ['0.1, 0).w', '-0.1, 0).w'],
    onlyLast: ['names.forEach((name, i) => {\n', "names.forEach((name, i) => {\n      if (!['vocab', 'vocabBias'].includes(name)) return\n"],
    lossAfter: `function train(w, examples, H) {
  const losses = [], names = Object.keys(w)
  const lossOf = ({ ids, targets }) => crossEntropy(
    logits(block(embed(ids, w.table), w, H), w.vocab, w.vocabBias), gf.tensor(targets, { dtype: 'int32' }))
  for (const example of examples) {
    for (const name of names) w[name] = w[name].detach().requiresGrad_()
    const gradients = gf.grad(lossOf(example), names.map(name => w[name]))
    names.forEach((name, i) => {
      w[name] = sgdStep(w[name], gradients[i], gf.zerosLike(w[name]), 0.1, 0).w
    })
    losses.push(lossOf(example).item())
  }
  return losses
}`,
    accumulated: `function train(w, examples, H) {
  const losses = [], names = Object.keys(w)
  let sum = null
  for (const { ids, targets } of examples) {
    for (const name of names) w[name] = w[name].detach().requiresGrad_()
    const x = block(embed(ids, w.table), w, H)
    const loss = crossEntropy(logits(x, w.vocab, w.vocabBias), gf.tensor(targets, { dtype: 'int32' }))
    losses.push(loss.item())
    const gradients = gf.grad(loss, names.map(name => w[name]))
    sum = gradients.map((g, i) => (sum ? sum[i].add(g) : g))
    names.forEach((name, i) => {
      w[name] = sgdStep(w[name], sum[i], gf.zerosLike(w[name]), 0.1, 0).w
    })
  }
  return losses
}`
  }
}
