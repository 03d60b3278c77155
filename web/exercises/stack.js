/** Blocks one after the other. */

import { HEADS, tensorOf } from './run_values.js'
import { blockNames, blockOf, encoderLayer, randomBlock } from './weights.js'

const INPUT = 'positions.output', LAYERS = [0, 1].map(i => `transformer.encoder.layers.${i}`)

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'stack',
  formula: 'X_{l+1} = "block"_l(X_l)',
  names: ['for (const w of layers)', 'block(x, w, H)'],
  uses: ['softmax', 'attention', 'heads', 'norm', 'feed_forward', 'block'],
  starter: `// $signature
function stack(x, layers, H) {
  return x
}`,
  solution: `// $signature
function stack(x, layers, H) {
  for (const w of layers) x = block(x, w, H)
  return x
}`,
  torch: {
    starter: `# $signature
def stack(x, layers, H):
    return x`,
    solution: `# $signature
def stack(x, layers, H):
    for w in layers:
        x = block(x, w, H)
    return x`
  },
  tolerance: 1e-4,
  values: [INPUT, ...LAYERS.flatMap(blockNames)],
  cases: ({ gf, values, random }) => ({
    sentence: values && [tensorOf(gf, values, INPUT), LAYERS.map(prefix => blockOf(gf, values, prefix)), HEADS],
    random: [random(3, 4), [0, 1, 2].map(() => randomBlock(random, 4, 5)), 2],
    one: [random(1, 2), [0, 1].map(() => randomBlock(random, 2, 3)), 1]
  }),
  expected: (gf, x, layers, H) => layers.reduce((/** @type {any} */ y, /** @type {any} */ w) => (
    encoderLayer(gf, w, H).forward(y)), x.unsqueeze(0)).squeeze(0),
  mistakes: {
    firstWeights: ['block(x, w, H)', 'block(x, layers[0], H)'],
    sameInput: `function stack(x, layers, H) {
  let y
  for (const w of layers) y = block(x, w, H)
  return y
}`,
    backwards: ['of layers', 'of [...layers].reverse()'],
    onlyFirst: ['of layers', 'of layers.slice(0, 1)'],
    added: ['x = block(x, w, H)', 'x = x.add(block(x, w, H))']
  }
}
