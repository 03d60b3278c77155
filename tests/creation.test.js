import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'
import { loadGolden } from './golden/index.js'
import { assertClose } from './lib/compare.js'

const gf = await load()
const refused = (call, code, ...words) => assert.throws(call, error =>
  error.code === code && words.every(word => error.message.includes(word)))
const plain = t => [t.dtype, t.shape, t.toArray()]
const { made, draws } = loadGolden('arithmetic')

for (const [title, { shape, data, dtype }] of Object.entries(made)) {
  test(`${title}: PyTorch's numbers`, () => {
    const [name, list] = [title.split(' ')[0], JSON.parse(title.replace(/^\w+ /, '').replace('(', '[').replace(/,?\)/, ']'))]
    const out = gf[name](...list)
    const most = name === 'linspace' ? 4 * 2 ** -24 * Math.max(...list.slice(0, 2).map(Math.abs)) : 0
    assertClose(out, { shape, data }, { tol: most })
    assert.equal(out.dtype, dtype === 'int64' || list.every(Number.isInteger) && name === 'arange' ? 'int32' :
      'float32')
  })
}

test('NaN becomes 0 in int32', () => {
  for (const dtype of ['float64', 'float32', 'float16', 'bfloat16']) {
    assert.deepEqual(gf.tensor([NaN, 2], { dtype }).to('int32').toArray(), [0, 2], dtype)
  }
})

test('zeros, ones, full, eye and similar functions', () => {
  assert.deepEqual(plain(gf.zeros([2, 2])), ['float32', [2, 2], [[0, 0], [0, 0]]])
  assert.deepEqual(plain(gf.ones([3], { dtype: 'int32' })), ['int32', [3], [1, 1, 1]])
  assert.deepEqual(plain(gf.ones([2], { dtype: 'float16' })), ['float16', [2], [1, 1]])
  assert.deepEqual(plain(gf.full([2], true, { dtype: 'bool' })), ['bool', [2], [true, true]])
  assert.deepEqual(plain(gf.full([2], true)), ['bool', [2], [true, true]])
  assert.deepEqual(plain(gf.fullLike(gf.zeros([1]), true)), ['float32', [1], [1]])
  assert.deepEqual(plain(gf.full([], 2.5)), ['float32', [], 2.5])
  assert.deepEqual(plain(gf.eye(2, 3)), ['float32', [2, 3], [[1, 0, 0], [0, 1, 0]]])
  assert.deepEqual(plain(gf.eye(3, 1)), ['float32', [3, 1], [[1], [0], [0]]])
  assert.deepEqual(gf.nn.init.eye_(gf.ones([5, 2])).toArray(), [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0]])
  assert.deepEqual(plain(gf.eye(2, { dtype: 'bool' })), ['bool', [2, 2], [[true, false], [false, true]]])
  assert.deepEqual(plain(gf.zerosLike(gf.tensor([[1, 2]], { dtype: 'int32' }))), ['int32', [1, 2], [[0, 0]]])
  assert.deepEqual(plain(gf.onesLike(gf.tensor([1]), { dtype: 'bool' })), ['bool', [1], [true]])
  assert.deepEqual(plain(gf.arange(0)), ['int32', [0], []])
  assert.deepEqual(plain(gf.arange(3, { dtype: 'float32' })), ['float32', [3], [0, 1, 2]])
  assert.deepEqual(plain(gf.zeros([0, 3])), ['float32', [0, 3], []])
  assert.equal(gf.ones([2], { requiresGrad: true }).requiresGrad, true)
})

test('creation functions reject invalid arguments', () => {
  refused(() => gf.zeros('3'), 'type', 'zeros', 'shape')
  refused(() => gf.ones([-1]), 'range', 'ones', 'shape[0]')
  refused(() => gf.ones([1], { dtype: 'float8' }), 'range', 'ones', 'dtype', 'float8')
  refused(() => gf.full([1], 'x'), 'type', 'full', 'value')
  refused(() => gf.arange(), 'type', 'arange')
  refused(() => gf.arange(0, 5, -1), 'range', 'arange', 'step')
  refused(() => gf.arange(0, 5, 0), 'range', 'arange', 'step')
  refused(() => gf.linspace(0, 1, -2), 'range', 'linspace', 'steps')
  refused(() => gf.eye(2.5), 'range', 'eye', 'n')
  refused(() => gf.ones([1], { dtype: 'int32', requiresGrad: true }), 'type', 'requiresGrad')
  refused(() => gf.zerosLike([1]), 'type', 'zerosLike')
})

for (const { seed, p, rows, ...drawn } of draws) {
  test(`draws from ${p.data.length} weights under seed ${seed}: PyTorch's, bit for bit`, () => {
    const [one, two] = [p, rows].map(t => gf.tensor(Float32Array.from(t.data), { shape: t.shape })), n = p.data.length
    gf.manualSeed(seed)
    const made = {
      bernoulli: gf.bernoulli(one), normal: gf.normal([n], { mean: 2, std: 0.5 }), once: gf.multinomial(one, 2),
      one: gf.multinomial(two, 1), again: gf.multinomial(one, 9, { replacement: true }),
      both: gf.multinomial(two, 5, { replacement: true }), after: gf.rand([2])
    }
    for (const [name, out] of Object.entries(made)) {
      assert.deepEqual([out.shape, [...out.data]], [drawn[name].shape, drawn[name].data], name)
    }
  })
}

test('without replacement, classes of weight 0 come last, in order', () => {
  assert.deepEqual(gf.multinomial([1, 0, 0, 0], 3).toArray(), [0, 1, 2])
})

test('random functions reject invalid weights', () => {
  refused(() => gf.bernoulli([0.5, 1.5]), 'range', 'bernoulli', '1.5')
  refused(() => gf.bernoulli('x'), 'type', 'bernoulli')
  refused(() => gf.normal([2], { std: -1 }), 'range', 'normal', 'std')
  refused(() => gf.normal([2], { sd: 1 }), 'type', 'normal', 'sd')
  refused(() => gf.multinomial([1, 2], 3), 'range', 'multinomial', 'n')
  refused(() => gf.multinomial([1, -2], 1), 'range', 'multinomial', '-2')
  refused(() => gf.multinomial([[1, 2], [0, 0]], 1), 'range', 'multinomial', 'above 0')
  refused(() => gf.multinomial([[[1]]], 1), 'shape', 'multinomial', '[1, 1, 1]')
  refused(() => gf.multinomial([1, 2], 1, { replacement: 1 }), 'type', 'replacement')
})

test('linspace computes each half from its own end, as PyTorch does', () => {
  assert.deepEqual(gf.linspace(0, 1, 4, { dtype: 'float64' }).toArray(), [0, 1 / 3, 1 - 1 / 3, 1])
  assert.deepEqual(gf.linspace(0, 1, 6, { dtype: 'float64' }).toArray(), [0, 0.2, 0.4, 1 - 0.2 * 2, 0.8, 1])
})

test("PyTorch's constants", () => {
  assert.deepEqual([gf.inf, gf.nan, gf.pi, gf.e], [Infinity, NaN, Math.PI, Math.E])
  assert.deepEqual(gf.full([2], -gf.inf).toArray(), [-Infinity, -Infinity])
})

test('a side that is undefined is an error, last or not', () => {
  for (const name of ['zeros', 'ones', 'empty', 'rand', 'randn']) {
    refused(() => gf[name](2, undefined), 'type', `${name}: shape[1] must be an integer`, 'got undefined')
    refused(() => gf[name](undefined, 2), 'type', name, 'undefined')
    refused(() => gf[name](2, undefined, {}), 'type', `${name}: shape[1] must be an integer`, 'got undefined')
  }
})
