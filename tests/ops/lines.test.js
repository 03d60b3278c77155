// Lines of this library that are the same as lines of PyTorch: values, types, gradients, and every cell explained.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertClose, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'

const { rtol, cases } = loadGolden('lines')
const F = gf.functional

/** A golden tensor in the type that it has in PyTorch, but int32 for int64. */
const toTensor = ({ shape, data, dtype }, options) => gf.tensor(Float64Array.from(data),
  { shape, dtype: dtype === 'int64' ? 'int32' : dtype, ...options })

/** Runs the line of a case on its inputs. @param {any} item @param {Record<string, any>} inputs */
function runLine({ here, dtype }, inputs) {
  const names = Object.keys(inputs), run = new Function('gf', 'F', ...names, `return ${here}`)
  const y = run(gf, F, ...names.map(name => inputs[name]))
  return dtype === 'bool' && typeof y === 'boolean' ? gf.tensor(y) : y
}

const toInputs = ({ inputs, grads = {} }) => Object.fromEntries(Object.entries(inputs).map(
  ([name, t]) => [name, toTensor(t, { requiresGrad: name in grads })]))

for (const item of cases) {
  test(`lines ${item.id}, ${item.here}: PyTorch's values and gradients`, () => gf.tidy(() => {
    const inputs = toInputs(item), y = runLine(item, inputs)
    assert.equal(y.dtype, item.dtype)
    assertClose(plain(y), item.outputs.y, { tol: item.tol.out, rtol, name: 'y' })
    if (!item.grads) return
    y.backward(toTensor(item.cot.y))
    for (const [name, expected] of Object.entries(item.grads)) {
      // An input that no value comes from has no gradient.
      const grad = inputs[name].grad ?? gf.zerosLike(inputs[name])
      assertClose(plain(grad), expected, { tol: item.tol.grad, rtol, name: `gradient of ${name}` })
    }
  }))

  test(`lines ${item.id}, ${item.here}: explained`, () => gf.tidy(() => {
    const inputs = toInputs(item), { trace } = gf.trace(() => {
      const y = runLine(item, inputs)
      if (item.grads) y.backward(toTensor(item.cot.y))
      return y
    })
    for (const name of trace.names) {
      const tensor = trace.get(name), index = tensor.shape.map(side => Math.floor(side * 0.7))
      if (!tensor.numel() || (name in inputs && !trace.operation(name))) continue
      const { value, computed } = trace.explain(name, index)
      if (!Number.isFinite(value)) continue
      assert.ok(Math.abs(value - computed) <= 4e-6 * (1 + Math.abs(value)), `${name}[${index}]: ${value}, computed ${computed}`)
      if (!item.grads) continue
      let found
      try {
        found = trace.explainGradient(name, index)
      } catch (error) {
        assert.equal(error.code, 'state', error.stack)
      }
      if (!found || !Number.isFinite(found.value)) continue
      const size = found.terms.reduce((sum, term) => sum + Math.abs(term.value), 1)
      assert.ok(Math.abs(found.value - found.computed) <= 6e-6 * size, `d ${name}[${index}]: ${found.value}, computed ${found.computed}`)
    }
    trace.dispose()
  }))
}

test('what integers and bools cannot do is an error that says what to write', () => {
  const ids = gf.tensor(Int32Array.of(1, 2)), mask = gf.tensor([true, false]), x = gf.tensor([0.5, 1])
  assertRejects(() => ids.maskedFill(mask, 0.5), 'range', 'maskedFill', 'value', 'integer', '0.5', "to('float32')")
  assertRejects(() => ids.maskedFill(mask, -Infinity), 'range', 'maskedFill', '-Infinity')
  assertRejects(() => mask.neg(), 'type', 'neg', 'logicalNot()')
  assertRejects(() => mask.abs(), 'type', 'abs', 'bool')
  assertRejects(() => ids.silu(), 'type', 'silu', "to('float32')")
  assertRejects(() => ids.mean(), 'type', 'mean', "to('float32')")
  assertRejects(() => x.bitwiseAnd(1), 'type', 'bitwiseAnd', 'int32 or bool')
  assertRejects(() => ids.bitwiseOr(0.5), 'type', 'bitwiseOr', '0.5')
  assertRejects(() => gf.bitwiseXor(1, 2), 'type', 'bitwiseXor', 'must be a tensor')
  assertRejects(() => gf.tensor(Int32Array.of(2 ** 31 - 1, 1)).cumsum(0), 'range', 'cumsum', '2147483648')
  const most = gf.tensor(Int32Array.of(2 ** 31 - 1))
  assertRejects(() => most.scatterAdd(0, [0], gf.tensor(Int32Array.of(1))), 'range', 'scatterAdd', '2147483648')
  assertRejects(() => ids.scatter(0, [0], 0.5), 'range', 'scatter', 'integer')
  assertRejects(() => gf.tensor(Int32Array.of(2 ** 31 - 1, 1)).dot(gf.tensor(Int32Array.of(1, 1))), 'range', 'sum')
  assertRejects(() => gf.tensor(new Int32Array(0)).argmax(), 'shape', 'argmax')
})

test('typed arrays of integers are int32 tensors', () => {
  for (const Kind of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array]) {
    const x = gf.tensor(Kind.of(1, 100), { shape: [2, 1] })
    assert.equal(x.dtype, 'int32', Kind.name)
    assert.deepEqual(x.toArray(), [[1], [100]])
  }
  for (const Kind of [BigInt64Array, BigUint64Array]) {
    assert.deepEqual(gf.tensor(Kind.of(7n, 2n ** 31n - 1n)).toArray(), [7, 2 ** 31 - 1])
  }
  assert.equal(gf.tensor(Uint16Array.of(3), { dtype: 'float32' }).dtype, 'float32')
  assert.equal(gf.tensor(BigInt64Array.of(2n ** 40n), { dtype: 'float64' }).item(), 2 ** 40)
  assert.equal(gf.tensor(Float64Array.of(3)).dtype, 'float32')
  assertRejects(() => gf.tensor(Uint32Array.of(2 ** 32 - 1)), 'range', '4294967295', 'int32 holds', "dtype: 'float64'")
  assertRejects(() => gf.tensor(BigInt64Array.of(2n ** 40n)), 'range', '1099511627776', 'int32 holds')
})

test('ids are lists or typed arrays of integers, without a dtype', () => {
  const layer = new gf.nn.Embedding(5, 2), logits = gf.randn([2, 3])
  for (const ids of [[3, 1], Uint16Array.of(3, 1), BigInt64Array.of(3n, 1n), Uint8Array.of(3, 1)]) {
    assert.deepEqual(layer(ids).toArray(), layer.weight.indexSelect(0, [3, 1]).toArray())
    assert.deepEqual(logits.indexSelect(1, Uint8Array.of(2)).toArray(), logits.indexSelect(1, [2]).toArray())
  }
  assert.equal(F.crossEntropy(logits, Uint16Array.of(2, 0)).item(), F.crossEntropy(logits, [2, 0]).item())
})
