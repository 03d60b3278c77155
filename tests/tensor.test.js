import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { readFile } from 'node:fs/promises'
import { inspect } from 'node:util'
import { load, Tensor } from '../src/js/index.js'

const gf = await load(), otherEngine = await load()

test('creates tensors from nested arrays, numbers and typed arrays', () => {
  assert.deepEqual(gf.tensor([[1, 2], [3, 4]]).toArray(), [[1, 2], [3, 4]])
  assert.deepEqual([...gf.tensor(3).shape], [])
  assert.equal(gf.tensor(3).item(), 3)
  assert.deepEqual([...gf.tensor([]).shape], [0])
  assert.deepEqual([...gf.tensor([[], []]).shape], [2, 0])
  assert.deepEqual(gf.tensor([[], []]).toArray(), [[], []])
  const ids = gf.tensor(new Int32Array([1, 2, 3, 4, 5, 6]), { shape: [2, 3] })
  assert.equal(ids.dtype, 'int32')
  assert.deepEqual(ids.toArray(), [[1, 2, 3], [4, 5, 6]])
  assert.deepEqual(gf.tensor([true, false]).toArray(), [true, false])
  assert.equal(gf.tensor(new Float64Array([0.1]), { dtype: 'float64' }).item(), 0.1)
  assert.equal(gf.tensor([0.1]).item(), Math.fround(0.1))
})

test('at, size, shape, data', () => {
  const x = gf.tensor([[1, 2, 3], [4, 5, 6]])
  assert.ok(x instanceof Tensor)
  assert.equal(x.numel(), 6)
  assert.equal(x.at(1, 0), 4)
  assert.equal(x.at(-1, -1), 6)
  x.data[0] = 9
  assert.equal(x.at(0, 0), 9)
  assert.throws(() => x.at(2, 0), { code: 'index', message: /axis 0/ })
  assert.throws(() => x.at(0), { code: 'shape', message: /2 indices/ })
  assert.throws(() => x.item(), { code: 'shape' })
  assert.throws(() => { x.shape[0] = 1 }, TypeError)
})

test("rejects values that are not a tensor's", () => {
  const refuse = (values, options, code, ...words) => assert.throws(() => gf.tensor(values, options), error =>
    error.code === code && words.every(w => error.message.includes(w)))
  refuse([[1, 2], [3]], {}, 'shape', 'array of 2', 'array of 1')
  refuse([[1], 2], {}, 'shape')
  refuse([1, 'x'], {}, 'type', '"x"')
  refuse('abc', {}, 'type', 'values', '"abc"')
  for (const Big of [BigInt64Array, BigUint64Array]) refuse(Big.of(2n ** 31n), {}, 'range', 'values', '2147483648')
  refuse(undefined, {}, 'type', 'undefined')
  refuse([1, 2, 3], { shape: [2, 2] }, 'shape', '[2, 2]', '4', '3')
  refuse([1.5], { dtype: 'int32' }, 'range', '1.5')
  refuse([2 ** 31], { dtype: 'int32' }, 'range')
  refuse([1], { dtype: 'float8' }, 'type', 'float8')
  refuse([1], { shape: [-1] }, 'range', 'shape[0]')
})

test('load accepts bytes, a module and a URL, and rejects other values', async () => {
  const url = new URL('../dist/glassformer.wasm', import.meta.url), bytes = await readFile(url)
  for (const wasm of [url, bytes, await WebAssembly.compile(bytes)]) {
    assert.equal((await load({ wasm })).variant, 'simd128')
  }
  await assert.rejects(load({ wasm: 3 }), { code: 'type' })
  await assert.rejects(load({ wasm: 'kernels.wasm' }), { code: 'type', message: /absolute URL .* got "kernels.wasm"/ })
  const empty = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))
  await assert.rejects(load({ wasm: empty }), { code: 'format' })
  await assert.rejects(load({ wasm: new Uint8Array([1, 2, 3]) }), { code: 'format' })
})

test('load reports why the kernels are missing or cannot run', async t => {
  const server = createServer((_, response) => response.writeHead(404).end())
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const none = `http://127.0.0.1:${server.address().port}/glassformer.wasm`
  await assert.rejects(load({ wasm: none }), { code: 'format', message: /responded with status 404; give load\(\{ wasm \}\)/ })
  server.close()
  await assert.rejects(load({ wasm: 'http://127.0.0.1:1/' }), { code: 'format', message: /could not be fetched .*; give/ })
  await assert.rejects(load({ wasm: new URL('none.wasm', import.meta.url) }), { code: 'format', message: /ENOENT.*; give/ })
  const refuse = message => t.mock.method(WebAssembly, 'instantiate', async () => {
    throw new WebAssembly.CompileError(message)
  })
  refuse("Refused to compile because 'unsafe-eval' is not allowed")
  await assert.rejects(load(), { code: 'format', message: /add 'wasm-unsafe-eval' to its script-src/ })
  refuse('call to WebAssembly.instantiate() blocked by CSP')
  await assert.rejects(load(), { message: /add 'wasm-unsafe-eval'/ })
  refuse('invalid value type')
  await assert.rejects(load(), { message: /wasm is not a build of the kernels: invalid value type/ })
  t.mock.method(WebAssembly, 'validate', () => false)
  await assert.rejects(load(), { message: /this engine has no WebAssembly SIMD/ })
})

test('printing a tensor shows its values', () => {
  const x = gf.tensor([[1, 2.5], [NaN, -Infinity]])
  assert.equal(inspect(x), 'tensor([[1.0000, 2.5000],\n        [   nan,   -inf]])')
  assert.equal(inspect(new gf.nn.Linear(2, 3)), 'Linear(in_features=2, out_features=3, bias=True)')
  assert.equal(JSON.stringify({ x: gf.tensor([[1], [2]]) }), '{"x":[[1],[2]]}')
  x.dispose()
  assert.equal(inspect(x), 'a disposed tensor')
})

test('rejects unknown dtypes', () => {
  for (const dtype of ['toString', 'float8', 3]) assert.throws(() => gf.tensor([1], { dtype }), { code: 'type' })
  for (const dtype of ['int32', 'foo', 3]) assert.throws(() => gf.rand([3], { dtype }), { message: /rand: dtype must be one/ })
  assert.throws(() => gf.tensor([1n]), { code: 'type', message: /values must be numbers/ })
})

test('subscripts in brackets are errors with a hint', () => {
  const x = gf.tensor([[1, 2], [3, 4]]), mask = x.gt(1), ids = gf.tensor([0, 1], { dtype: 'int32' }), gone = gf.ones([1])
  gone.dispose()
  const cases = [
    [-1, 'x.select(0, -1) for x[-1]'], [0, 'x.select(0, 0)'], [7, 'x.select(0, 7)'], [mask, 'x.maskedSelect(mask)'],
    [ids, 'x.indexSelect(0, ids)'], [gone, 'x.maskedSelect'], [null, 'x.unsqueeze(0)'], [undefined, 'x.slice(dim'], [true, 'x.slice'],
    ['0:2', 'x.slice(dim, start, end) for x[start:end]'], [':', 'x.slice'], ['...', 'x.slice'], [[0, 1], 'x.indexSelect(0, [0,1])'],
    [[[0, 1]], 'x.indexSelect'], [[], 'x.slice'], [1.5, 'x.slice'], [NaN, 'x.slice'], [{}, 'x.slice'], [() => 0, 'x.slice']
  ]
  for (const [key, hint] of cases) {
    const message = error => error.name === 'GlassformerError' && error.code === 'type' && error.message.includes(hint)
    assert.throws(() => x[key], message, String(key))
    assert.throws(() => { x[key] = 1 }, { name: 'GlassformerError', code: 'type', message: /cannot be assigned with \[ \]/ })
  }
  assert.throws(() => { x[mask] = 0 }, { message: /x = x\.maskedFill\(mask, value\)/ })
  assert.deepEqual(x.toArray(), [[1, 2], [3, 4]])
})

test('names that other programs ask for read as on any object', async () => {
  const x = gf.tensor([[1, 2], [3, 4]])
  assert.throws(() => x.foo, { code: 'type', message: 'a tensor has no foo' })
  assert.equal(x['@@__IMMUTABLE_ITERABLE__@@'], undefined)
  assert.equal(await x, x)
  assert.ok(x instanceof Object && x instanceof Tensor && !('foo' in x))
  x._note = 'mine'
  assert.equal(x._note, 'mine')
  assert.equal(JSON.stringify({ x }), '{"x":[[1,2],[3,4]]}')
  assert.equal(inspect(x), 'tensor([[1., 2.],\n        [3., 4.]])')
})

test('slice requires a start', () => {
  const x = gf.tensor([[1, 2], [3, 4]])
  assert.throws(() => x.slice(1), { code: 'type', message: /^slice: start must be .* x\.slice\(0, 1\) for x\[1:\]$/ })
  assert.deepEqual(x.slice(0, 1).toArray(), [[3, 4]])
})

test('copyFrom rejects tensors that do not fit', () => {
  const [a, b, c] = [[1, 2, 3], [4, 5, 6], [7, 8, 9]].map(row => gf.tensor(row))
  for (const [wrong, code] of [
    [gf.full([40], 666), 'shape'], [gf.full([2], 666), 'shape'], [gf.full([3, 1], 666), 'shape'],
    [gf.tensor([true, true, true]), 'type'], [gf.tensor([1, 2, 3], { dtype: 'float64' }), 'type'],
    [otherEngine.tensor([1, 2, 3]), 'type'], [[1, 2, 3], 'type'], [null, 'type']
  ]) assert.throws(() => a.copyFrom(wrong), { name: 'GlassformerError', code, message: /^copyFrom: other must / })
  assert.deepEqual([a, b, c].map(t => t.toArray()), [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
  a.copyFrom(b)
  assert.deepEqual(a.toArray(), [4, 5, 6])
})
