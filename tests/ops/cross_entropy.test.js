import assert from 'node:assert/strict'
import { test } from 'node:test'
import { U } from '../lib/bounds.js'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { cross_entropy, log_softmax } from '../../src/reference/index.js'
import { rowsOf } from '../../src/reference/tensor.js'

const F = gf.functional

/** Largest error of a log probability in a row: from the difference to the maximum, the sum and its logarithm. */
function rowErrors({ logits }) {
  const { rows, width } = rowsOf(logits)
  const logP = log_softmax.forward({ x: logits }).y.data
  return Array.from({ length: rows }, (_, r) => {
    const row = Array.from(logits.data.slice(r * width, (r + 1) * width))
    const spread = Math.max(...row) - Math.min(...row)
    const most = Math.max(...Array.from(logP.slice(r * width, (r + 1) * width), Math.abs))
    return { error: U * (2 * spread + 5 * most + width + 12), most }
  })
}

function bounds({ inputs, params, cot: { loss: dloss } }) {
  const { reduction = 'mean', ignore_index: ignored = -100 } = params
  const { rows, width } = rowsOf(inputs.logits)
  const errors = rowErrors(inputs)
  const kept = inputs.target.data.filter(id => id !== ignored).length
  const divisor = reduction === 'mean' ? kept : 1
  // With smoothing a row's loss is a mean over the classes: width more roundings of terms up to the largest.
  const losses = errors.map(({ error, most }) => error + (width + 4) * U * most)
  const total = losses.reduce((a, b) => a + b, 0) + (rows + 2) * U * errors.reduce((sum, { most }) => sum + most, 0)
  return {
    loss: reduction === 'none' ? losses : total / divisor,
    // p - wanted, both up to 1 and p as good as its logarithm, times the row's share of the loss.
    logits: inputs.logits.data.map((_, i) => {
      const r = Math.floor(i / width)
      return ((errors[r].error + 8 * U) * Math.abs(dloss.data[reduction === 'none' ? r : 0])) / divisor
    })
  }
}

const run = ({ logits, target }, { ignore_index, label_smoothing, reduction }) => ({
  loss: F.crossEntropy(logits, target, { ignoreIndex: ignore_index, labelSmoothing: label_smoothing, reduction })
})

testOp('cross_entropy', { run, bounds, golden: { ops: ['cross_entropy'], special_values: ['cross_entropy'] } })

const logits = () =>
  gf.tensor([
    [1, 2, 3],
    [0, 0, 0]
  ])

test('crossEntropy: targets may be an array, and the defaults are those of the plain mean', () => {
  const plainMean = cross_entropy.forward({ logits: plain(logits()), target: { shape: [2], data: [2, 0] } }, {}).loss
  assertClose(F.crossEntropy(logits(), [2, 0]), plainMean, { rtol: 8 * U })
  assertSame(F.crossEntropy(logits(), [2, -100], { reduction: 'none' }).data[1], 0)
})

test('crossEntropy: rejects invalid arguments', () => {
  assertRejects(() => F.crossEntropy(logits(), [0, 3]), 'index', 'crossEntropy', 'target', '3')
  assertRejects(() => F.crossEntropy(logits(), [0, -1]), 'index', 'crossEntropy', 'target', '-1')
  assertRejects(() => F.crossEntropy(logits(), [0]), 'shape', 'crossEntropy', 'target', '[2]', '[1]')
  assertRejects(() => F.crossEntropy([[1, 2]], [0]), 'type', 'crossEntropy', 'logits', 'tensor')
  assertRejects(() => F.crossEntropy(logits(), gf.tensor([0, 1])), 'type', 'crossEntropy', 'target', 'float32')
  assertRejects(
    () => F.crossEntropy(logits(), [0, 1], { labelSmoothing: 1.5 }),
    'range',
    'crossEntropy',
    'labelSmoothing',
    '1.5'
  )
  assertRejects(
    () => F.crossEntropy(logits(), [0, 1], { reduction: 'average' }),
    'range',
    'crossEntropy',
    'reduction',
    'average'
  )
})

/** What PyTorch 1.13.1 gives: targets, options, loss, gradients. */
const WEIGHTS_OF_NOTHING = [
  [[2], { weight: [1, 1, 0], labelSmoothing: 0.1, reduction: 'sum' }, 0.12717, [[-0.02733, -0.01702, 0.04435]]],
  [[2, 1], { weight: [1, 1, -1], reduction: 'sum' }, 1, [[-0.09003, -0.24473, 0.33476], [0.09003, -0.75527, 0.66524]]],
  [[2], { weight: [1, 1, 0] }, NaN, [[NaN, NaN, NaN]]],
  [[2], { weight: [1, 1, 0], labelSmoothing: 0.1 }, NaN, [[NaN, NaN, NaN]]],
  [[-100, 2], { weight: [1, 1, 0] }, NaN, [[0, 0, 0], [NaN, NaN, NaN]]],
  [[-100], {}, NaN, [[0, 0, 0]]]
]

for (const [target, { weight, ...options }, loss, slopes] of WEIGHTS_OF_NOTHING) {
  test(`cross entropy whose weights sum to 0: ${target} with ${weight}, ${JSON.stringify(options)}`, () => {
    const x = gf.tensor(target.map(() => [1, 2, 3]), { requiresGrad: true })
    const made = gf.trace(() => F.crossEntropy(x.mul(1), target, { ...options, weight: weight && gf.tensor(weight) }))
    made.output.backward()
    const near = (a, b) => Object.is(a, b) || Math.abs(a - b) < 2e-5
    assert.ok(near(made.output.item(), loss), `${made.output.item()}`)
    const got = x.grad.toArray().flat()
    slopes.flat().forEach((slope, i) => assert.ok(near(got[i], slope), `${got}`))
    const logits = [...made.trace.names][0]
    slopes.flat().forEach((slope, i) => {
      const { value } = made.trace.explainGradient(logits, [Math.floor(i / 3), i % 3])
      assert.ok(near(value, slope), `explained: ${value}`)
    })
    made.trace.dispose()
  })
}
