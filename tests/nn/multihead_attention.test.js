import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goldenCases } from '../golden/index.js'
import { sensitivity } from '../lib/bounds.js'
import { casesOf } from '../lib/cases.js'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf, toBooleans, toTensor } from '../lib/engine.js'
import { evaluateModule, toState } from '../lib/modules.js'
import { numbers } from '../lib/numbers.js'
import { multihead_attention as reference } from '../../src/reference/index.js'
import { load } from '../../src/js/index.js'

const { MultiheadAttention } = gf.nn

const sources = ['query', 'key', 'value']
const masks = ['attn_mask', 'key_padding_mask']

const pick = (object, names) => Object.fromEntries(names.filter(name => object[name]).map(name => [name, object[name]]))

/** PyTorch's keys: the golden names with a dot in them. */
const stateName = name => name.replace('out_proj_', 'out_proj.')

/** The module with the parameters of an example. */
function build({ inputs, params }) {
  const { q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias } = inputs
  const sizes = q_proj_weight ? { kdim: k_proj_weight.shape[1], vdim: v_proj_weight.shape[1] } : {}
  const module = new MultiheadAttention(inputs.query.shape.at(-1), params.num_heads, {
    bias: Boolean(in_proj_bias),
    ...sizes
  })
  const parameters = Object.entries(inputs).filter(([name]) => !sources.includes(name) && !masks.includes(name))
  module.loadStateDict(toState(Object.fromEntries(parameters.map(([name, t]) => [stateName(name), t]))))
  return module
}

const mask = t => t && (t.dtype === 'bool' ? toBooleans(t) : toTensor(t))

function evaluate(example) {
  const { inputs, cot } = example
  const module = build(example)
  const run = ({ query, key = query, value = key }) => {
    const options = {
      attnMask: mask(inputs.attn_mask),
      keyPaddingMask: mask(inputs.key_padding_mask),
      averageAttnWeights: false
    }
    const [y, weights] = module.forward(query, key, value, options)
    return { y, weights }
  }
  return evaluateModule(module, run, pick(inputs, sources), cot.y)
}

function assertAll(actual, expected, options) {
  for (const [name, t] of Object.entries(expected.outputs))
    assertClose(actual.outputs[name], t, { ...options.out(name), name: `output ${name}` })
  for (const [name, t] of Object.entries(expected.grads)) {
    assertClose(actual.grads[stateName(name)], t, { ...options.grad(name), name: `gradient of ${name}` })
  }
}

for (const item of goldenCases('ops_attention', 'mha')) {
  test(`${item.id}: PyTorch's numbers`, () => {
    const tolerance = tol => () => ({ tol, rtol: item.rtol })
    assertAll(evaluate(item), item, { out: tolerance(item.tol.out), grad: tolerance(item.tol.grad) })
  })
}

for (const example of casesOf('multihead_attention')) {
  test(`multihead attention ${example.name}: the reference's numbers`, () => {
    const { inputs, params, cot } = example
    const expected = { outputs: reference.forward(inputs, params), grads: reference.backward(inputs, params, cot) }
    // Three projections of E terms, attention over the keys, one more projection; backward the same again.
    const [, time, width] = inputs.query.shape
    const keys = (inputs.key ?? inputs.query).shape[1]
    const tolerances = sensitivity(reference, 20 + 3 * Math.sqrt(2 * width + 2 * keys + time))(example)
    const tolerance = name => ({ tol: tolerances[name] })
    assertAll(evaluate(example), expected, { out: tolerance, grad: tolerance })
  })
}

const small = () => {
  gf.manualSeed(1)
  return new MultiheadAttention(6, 2)
}
const input = seed => toTensor(numbers([2, 3, 6], seed))

test('MultiheadAttention averages weights over the heads by default', () => {
  const [module, x] = [small(), input(1)]
  const [out, mean] = module.forward(x, x, x)
  const [, perHead] = module.forward(x, x, x, { averageAttnWeights: false })
  assert.deepEqual([...out.shape], [2, 3, 6])
  assert.deepEqual([...perHead.shape], [2, 2, 3, 3])
  const { data } = plain(perHead)
  const expected = Array.from({ length: 18 }, (_, i) => {
    const [b, rest] = [Math.floor(i / 9), i % 9]
    return (data[b * 18 + rest] + data[b * 18 + 9 + rest]) / 2
  })
  assertClose(mean, { shape: [2, 3, 3], data: expected }, { rtol: 2 ** -22 })
})

test('MultiheadAttention: needWeights: false returns no weights and the same output', () => {
  const [module, x] = [small(), input(1)]
  const expected = plain(module.forward(x, x, x)[0])
  const [out, weights] = module.forward(x, x, x, { needWeights: false })
  assertSame(out, expected)
  assert.ok(weights === null || weights === undefined, 'weights without needWeights')
})

test('MultiheadAttention: isCausal equals the causal mask', () => {
  const [module, x] = [small(), input(2)]
  const hidden = [
    [false, true, true],
    [false, false, true],
    [false, false, false]
  ]
  const expected = plain(module.forward(x, x, x, { attnMask: hidden })[0])
  assertSame(module.forward(x, x, x, { isCausal: true })[0], expected)
})

test('MultiheadAttention: dropout acts on the weights, only in training mode', () => {
  gf.manualSeed(1)
  const module = new MultiheadAttention(6, 2, { dropout: 0.5 })
  const x = input(3)
  const weights = () => plain(module.forward(x, x, x, { averageAttnWeights: false })[1]).data
  module.train()
  assert.ok(
    weights().some(value => value === 0),
    'no weight was dropped'
  )
  module.eval()
  assert.ok(
    weights().every(value => value > 0),
    'a weight was dropped in eval mode'
  )
})

test('MultiheadAttention: rejects invalid arguments', () => {
  const name = 'MultiheadAttention'
  assertRejects(() => new MultiheadAttention(10, 3), 'range', name, '10', '3')
  assertRejects(() => new MultiheadAttention(6, 0), 'range', name, 'numHeads', '0')
  assertRejects(() => new MultiheadAttention(6, 2, { dropout: 2 }), 'range', name, 'dropout', '2')
  const [module, x] = [small(), input(1)]
  const short = toTensor(numbers([2, 2, 6], 5))
  assertRejects(() => module.forward(toTensor(numbers([2, 3, 5], 4)), x, x), 'shape', name, 'query', '6', '[2, 3, 5]')
  assertRejects(() => module.forward(x, x, short), 'shape', name, 'value', '[2, 2, 6]')
  assertRejects(() => module.forward(x, toTensor(numbers([1, 3, 6], 6)), x), 'shape', name, 'key', '[1, 3, 6]')
  assertRejects(
    () => module.forward(x, short, short, { attnMask: [[false, true, true]] }),
    'shape',
    name,
    'attnMask',
    '[3, 2]',
    '[1, 3]'
  )
  assertRejects(
    () => module.forward(x, x, x, { keyPaddingMask: [[false, true]] }),
    'shape',
    name,
    'keyPaddingMask',
    '[2, 3]',
    '[1, 2]'
  )
  assertRejects(() => module.forward([[[1]]], x, x), 'type', name, 'query', 'tensor')
})

test('a bool tensor masks like nested booleans: true hides in modules, false in the function', () => {
  gf.manualSeed(1)
  const later = gf.triu(gf.ones([3, 3]), 1).gt(0), x = gf.randn([1, 3, 8])
  const attention = new gf.nn.MultiheadAttention(8, 2)
  const causal = attention.forward(x, x, x, { isCausal: true })
  const masked = attention.forward(x, x, x, { attnMask: later })
  assert.deepEqual(masked.map(part => part.toArray()), causal.map(part => part.toArray()))
  const heads = gf.randn([1, 2, 3, 4]), F = gf.functional
  const wanted = F.scaledDotProductAttention(heads, heads, heads, { isCausal: true }).toArray()
  const kept = F.scaledDotProductAttention(heads, heads, heads, { attnMask: later.logicalNot() })
  assert.deepEqual(kept.toArray(), wanted)
  const layer = new gf.nn.TransformerEncoderLayer(8, 2, 16, 0)
  assert.deepEqual(layer.forward(x, { srcMask: later }).toArray(), layer.forward(x, { isCausal: true }).toArray())
})

test('rejects mixed masks and flags that are not booleans', async () => {
  const module = new MultiheadAttention(8, 2), x = gf.ones([1, 3, 8]), other = await load()
  const gone = gf.zeros([3, 3]).to('bool')
  gone.dispose()
  const refused = (options, ...words) => assertRejects(() => module.forward(x, x, x, options), ...words)
  // eslint-disable-next-line no-sparse-arrays
  refused({ keyPaddingMask: [[false, , true]] }, 'type', 'keyPaddingMask', 'undefined')
  refused({ keyPaddingMask: [[false, true, true], [true]] }, 'shape', '[1, 3]', 'got rows of 3, 1')
  refused({ keyPaddingMask: other.zeros([1, 3]).to('bool') }, 'state', 'keyPaddingMask', 'engine')
  refused({ attnMask: gone }, 'state', 'MultiheadAttention: attnMask was disposed')
  refused({ needWeights: 'false' }, 'type', 'needWeights must be true or false')
  refused({ averageAttnWeights: NaN }, 'type', 'averageAttnWeights must be true or false')
})

test('replaced projections must have the right shape', () => {
  const x = gf.randn([1, 3, 8]), put = what => Object.assign(new MultiheadAttention(8, 2), what)
  const parameter = shape => new gf.nn.Parameter(gf.ones(shape)), run = what => put(what).forward(x)
  assertRejects(() => run({ in_proj_weight: parameter([8, 8]), in_proj_bias: null }), 'shape', 'in_proj_weight', '[24, 8]', '[8, 8]')
  assertRejects(() => run({ in_proj_weight: parameter([32, 8]) }), 'shape', 'in_proj_weight', '[24, 8]')
  assertRejects(() => run({ in_proj_bias: parameter([8]) }), 'shape', 'in_proj_bias', '[24]')
  assertRejects(() => run({ in_proj_weight: null }), 'type', 'q_proj_weight', 'null')
  for (const numHeads of [3, 0, NaN, 1.5, '2']) assertRejects(() => run({ numHeads }), 'range', 'heads', '8 channels')
  assertRejects(() => run({ dropout: 2 }), 'range', 'dropoutP')
  assertRejects(() => run({ scale: '1' }), 'type', 'scale')
  assert.deepEqual(run({ in_proj_bias: null })[0].shape, [1, 3, 8])
})
