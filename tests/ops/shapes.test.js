// Operations that move values about: PyTorch's numbers, every cell and gradient explained, the other types, the errors.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goldenCases, loadGolden } from '../golden/index.js'
import { assertSame } from '../lib/compare.js'
import { assertRejects, gf, toTensor } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'
import { range } from '../../src/js/tensor/shape.js'
import { checkGolden } from '../lib/op_tests.js'

const F = gf.functional
const weighted = parts => parts.map((part, i) => part.mul(i + 1))

/** The calls of tests/golden/shapes.py, by the same names and in the same order. */
const CALLS = {
  permute: [x => x.permute(2, 0, 1), x => x.permute(0), x => x.permute([2, 1, 0]), x => x.permute(4, 2, 0, -2, 1)],
  expand: [x => x.expand(3, 4, 2), x => x.expand([2, 2, 3]), x => x.expand(-1, -1), x => x.expand(2, 0, 3),
    x => x.expand(2, 3)],
  slice: [x => x.slice(0, 1, 4), x => x.slice(1, 0, undefined, 3), x => x.slice(0, -5, -1), x => x.slice(1, 5, 9),
    x => x.slice(1, 1, 6, 2)],
  narrow: [x => x.narrow(0, 1, 3), x => x.narrow(1, 2, 2), x => x.narrow(1, -2, 2), x => x.narrow(-1, 0, 0)],
  flip: [x => x.flip(0), x => x.flip(0, 2), x => x.flip(1)],
  repeat: [x => x.repeat(2, 3), x => x.repeat(2, 1, 2)],
  repeatInterleave: [x => x.repeatInterleave(2, { dim: 1 }), x => x.repeatInterleave(3)],
  roll: [x => x.roll(2, 1), x => x.roll(-3), x => x.roll([1, -1], [0, 1]), x => x.roll(4, 1)],
  unsqueeze: [x => x.unsqueeze(1), x => x.unsqueeze(-1), x => x.unsqueeze(0)],
  squeeze: [x => x.squeeze(), x => x.squeeze(-1), x => x.squeeze(1)],
  flatten: [x => x.flatten(), x => x.flatten(1), x => x.flatten(1, -2)],
  unflatten: [x => x.unflatten(1, [3, 4]), x => x.unflatten(0, [2, -1, 3])],
  split: [x => gf.cat(weighted(x.split(2))), x => gf.cat(weighted(x.split([1, 2, 3], { dim: 1 })), { dim: 1 })],
  chunk: [x => gf.cat(weighted(x.chunk(3))), x => gf.cat(weighted(x.chunk(4, { dim: 1 })), { dim: 1 })],
  cat: [x => gf.cat([x, x.mul(2), x.narrow(0, 0, 1)]), x => gf.cat([x, x.mul(2)], { dim: -1 })],
  stack: [x => gf.stack([x, x.mul(2)]), x => gf.stack([x, x.mul(2)], { dim: -1 })],
  indexSelect: [x => x.indexSelect(0, [2, 2, 0]), x => x.indexSelect(-2, gf.tensor([3, 1], { dtype: 'int32' }))],
  gather: [
    x => x.gather(1, [[0, 3], [1, 1], [2, 0]]), x => x.gather(0, [[0, 2], [1, 1]]),
    x => x.gather(1, [[[0, 2], [1, 1]], [[2, 2], [2, 0]]])
  ],
  scatter: [x => x.scatter(1, [[0, 3], [1, 2], [2, 0]], x.mul(3).narrow(1, 0, 2)),
    x => x.scatter(0, [[2, 1, 0, 1]], 7)],
  scatterAdd: [x => x.scatterAdd(1, [[0, 0], [1, 1], [2, 0]], x.mul(3).narrow(1, 0, 2))],
  maskedFill: [x => x.maskedFill(x.gt(Math.fround(0.3)), -2),
    x => x.maskedFill(x.slice(0, 0, 1).squeeze(0).slice(1, 0, 1).gt(0), -Infinity)],
  maskedSelect: [x => x.maskedSelect(x.gt(0)), x => x.maskedSelect(x.narrow(0, 0, 1).gt(0))],
  where: [x => gf.where(x.gt(0), x, x.mul(3)),
    x => gf.where(x.narrow(1, 0, 1).gt(0), x.narrow(0, 0, 1).squeeze(0), x.mul(3))],
  tril: [x => x.tril(), x => gf.tril(x, 1), x => x.tril(-1)],
  triu: [x => x.triu(), x => gf.triu(x, 2), x => x.triu(-1)],
  cumsum: [x => x.cumsum(0), x => x.cumsum(1), x => x.cumsum(0)],
  sort: [x => x.sort().values, x => x.sort({ dim: 0, descending: true })[0]],
  topk: [x => x.topk(2)[0], x => x.topk(66, { dim: 0 }).values, x => x.topk(2, { largest: false }).values],
  einsum: [
    x => gf.einsum('ij->ji', x), x => gf.einsum('ij->j', x), x => gf.einsum('ij,ij->', x, x),
    x => gf.einsum('ij,kj->ik', x, x),
    x => gf.einsum('bhid,bhjd->bhij', x, x.mul(2)),
    x => gf.einsum('bij,j,bkj->kib', x, x.flatten(0, 1).narrow(0, 0, 1).squeeze(0), x),
    x => gf.einsum('ii->i', x), x => gf.einsum('ii', x), x => gf.einsum('ij, kl -> ijkl', x, x),
    x => gf.einsum('ij,kl->jk', x, x),
    x => gf.einsum('ba,ca', x, x)
  ]
}

test('the calls of the golden file and of this test are the same', () => {
  const counts = {}
  for (const { op } of loadGolden('shapes').cases) counts[op] = (counts[op] ?? 0) + 1
  assert.deepEqual(Object.fromEntries(Object.entries(CALLS).map(([op, calls]) => [op, calls.length])), counts)
})

for (const op of Object.keys(CALLS)) {
  for (const item of goldenCases('shapes', op)) {
    const call = CALLS[op][item.call]
    test(`${item.id}: PyTorch's numbers`, () => checkGolden(({ x }) => ({ y: call(x) }), item))

    test(`${item.id}: every cell and gradient explained`, () => {
      const x = toTensor(item.inputs.x, { requiresGrad: true })
      const { trace } = gf.trace(() => {
        const out = call(x)
        out.backward(toTensor(item.cot.y))
        return out
      })
      for (const name of trace.names) {
        const tensor = trace.get(name), index = tensor.shape.map(side => Math.floor(side * 0.7))
        if (!tensor.numel()) continue
        const { rounding } = trace.explain(name, index)
        assert.ok(Math.abs(rounding) <= 1e-6, `${name}: ${rounding}`)
        if (name !== 'input' && !trace.operation(name)) continue
        const found = (() => {
          try {
            return trace.explainGradient(name, index)
          } catch (error) {
            assert.equal(error.code, 'state', error.stack)
            return null
          }
        })()
        if (found) assert.ok(Math.abs(found.value - found.computed) <= 4e-6,
          `d ${name}: ${found.value}, ${found.computed}`)
      }
      trace.dispose()
    })
  }
}

test('int32 and bool tensors are rearranged', () => {
  const ids = gf.tensor([[1, 2, 3], [4, 5, 6]], { dtype: 'int32' }), mask = gf.tensor([[1, 0, 1], [0, 0, 1]]).to('bool')
  for (const [call, plainly] of [
    [x => x.permute(1, 0), rows => rows[0].map((_, j) => rows.map(row => row[j]))],
    [x => x.flip(1), rows => rows.map(row => [...row].reverse())],
    [x => x.slice(1, 1), rows => rows.map(row => row.slice(1))],
    [x => x.indexSelect(0, [1, 1]), rows => [rows[1], rows[1]]], [x => gf.cat([x, x]), rows => [...rows, ...rows]],
    [x => x.gather(1, [[2], [0]]), rows => [[rows[0][2]], [rows[1][0]]]]
  ]) {
    for (const given of [ids, mask]) {
      assert.deepEqual(call(given).toArray(), plainly(given.toArray()))
      assert.equal(call(given).dtype, given.dtype)
    }
  }
  assert.deepEqual(ids.maskedSelect(mask).toArray(), [1, 3, 6])
  assert.deepEqual(mask.nonzero().toArray(), [[0, 0], [0, 2], [1, 2]])
})

test('narrow on the first axis, and after axes of length 1, copies nothing', () => {
  const x = gf.tensor([[[1, 2], [3, 4], [5, 6]]]), rows = x.narrow(1, 1, 2)
  rows.data[0] = 9
  assert.equal(x.at(0, 1, 0), 9)
})

test('sort: NaN counts as the largest, equal values keep their order, and 0 equals -0', () => {
  const x = gf.tensor([2, NaN, 0, 2, -0, -Infinity])
  assert.deepEqual(x.argsort().toArray(), [5, 2, 4, 0, 3, 1])
  assert.deepEqual(x.argsort({ descending: true }).toArray(), [1, 0, 3, 2, 4, 5])
  assert.deepEqual(x.topk(3).indices.toArray(), [1, 0, 3])
  const many = gf.tensor(Float32Array.from(numbers([1000], 3).data, v => Math.round(v * 4)))
  const expected = Array.from(many.values.keys()).sort((a, b) => many.values[a] - many.values[b] || a - b)
  assert.deepEqual(many.argsort().toArray(), expected)
  for (const k of [1, 64, 65, 1000]) assert.deepEqual(many.topk(k, { largest: false }).indices.toArray(),
    expected.slice(0, k))
})

test('sort and topk: lines of every length up to 70, along each axis, with equal values and NaN among them', () => {
  const isBefore = (a, b) => (Number.isNaN(b) ? !Number.isNaN(a) : a < b)
  const order = (line, sign) => [...line.keys()].sort((i, j) => {
    const [a, b] = sign > 0 ? [line[i], line[j]] : [line[j], line[i]]
    return isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : i - j
  })
  const turned = lists => lists[0].map((_, i) => lists.map(list => list[i]))
  for (let n = 1; n <= 70; n++) {
    const rows = Array.from({ length: 3 }, (_, r) => Array.from({ length: n }, (_, i) => {
      const value = (i * 7 + r * 5 + n) * 37 % 11
      return value === 10 ? NaN : value === 9 ? -0 : value - 4
    }))
    const x = gf.tensor(rows), columns = gf.tensor(turned(rows)), few = Math.min(n, 1 + n % 9)
    for (const descending of [false, true]) {
      const expected = rows.map(row => order(row, descending ? -1 : 1)), message = `${n} ${descending}`
      assert.deepEqual(x.argsort({ descending }).toArray(), expected, message)
      assert.deepEqual(columns.argsort({ dim: 0, descending }).toArray(), turned(expected), message)
      const first = expected.map(places => places.slice(0, few))
      assert.deepEqual(x.topk(few, { largest: descending }).indices.toArray(), first, message)
      assert.deepEqual(columns.topk(few, { dim: 0, largest: descending }).indices.toArray(), turned(first), message)
    }
  }
})

test('a causal mask as in tutorials', () => {
  const mask = gf.tril(gf.tensor([[1, 1, 1], [1, 1, 1], [1, 1, 1]])).eq(0), scores = gf.rand([2, 3, 3])
  const weights = F.softmax(scores.maskedFill(mask, -Infinity))
  for (let i = 0; i < 3; i++) for (let j = i + 1; j < 3; j++) assert.equal(weights.at(1, i, j), 0)
})

test('empty and single-cell tensors', () => {
  const none = gf.tensor(new Float32Array(0), { shape: [0, 3] })
  assertSame(gf.cat([none, gf.tensor([[1, 2, 3]])]), { shape: [1, 3], data: [1, 2, 3] })
  assert.deepEqual(none.sort({ dim: 0 }).values.shape, [0, 3])
  assert.deepEqual(none.indexSelect(0, gf.tensor(new Int32Array(0))).shape, [0, 3])
  assert.deepEqual(gf.tensor(3).repeat(2).toArray(), [3, 3])
  assert.deepEqual(gf.tensor(3).flatten().toArray(), [3])
  assert.equal(gf.tensor(3).expand().clone().item(), 3)
  assert.deepEqual(none.split(2).map(part => part.shape), [[0, 3]])
})

test('rejects invalid arguments', () => {
  const x = gf.rand([2, 3]), functions = ['cat', 'stack', 'where', 'einsum'], reject = (name, args, code, ...rest) =>
    assertRejects(() => (functions.includes(name) ? gf : x)[name](...args), code, name, ...rest)
  reject('permute', [0], 'range', '2 axes')
  reject('permute', [0, 0], 'range', '[0, 0]')
  reject('expand', [2, 4], 'shape', '[2, 4]')
  reject('expand', [3], 'shape')
  reject('slice', [2], 'range', 'dim')
  reject('slice', [0, 0, 1, 0], 'range', 'step')
  reject('narrow', [0, 1, 2], 'range', 'length')
  reject('narrow', [0, 3, 0], 'range', 'start')
  reject('select', [0, 2], 'range', 'index', '2')
  reject('select', [2, 0], 'range', 'dim')
  reject('gather', [1, [[0, 3], [0, 0]]], 'index', '0 to 2', '3')
  reject('gather', [1, [0, 1]], 'shape', '[2]')
  reject('indexSelect', [0, [-1]], 'index', '-1')
  reject('scatter', [1, [[0]], x], 'shape')
  reject('maskedFill', [x, 0], 'type', 'bool')
  reject('maskedFill', [x.gt(0), x], 'type', 'value')
  reject('split', [[1, 3]], 'shape', '2', '4')
  reject('unflatten', [1, [2, 2]], 'shape', '3')
  reject('topk', [4], 'range', 'k')
  reject('sort', [{ axis: 1 }], 'type', 'axis')
  reject('cat', [[x, gf.rand([3, 2])]], 'shape', 'tensors[1]', '[3, 2]')
  reject('cat', [[]], 'shape', 'empty')
  reject('stack', [[x, gf.rand([3])]], 'shape', 'tensors[1]')
  reject('where', [x, x, x], 'type', 'bool')
  reject('where', [x.gt(0), gf.rand([5]), x], 'shape', '[5]')
  reject('einsum', ['ij,jk', x], 'shape', '2 tensors')
  reject('einsum', ['ij->ik', x], 'range', 'ik')
  reject('einsum', ['ij,jk->ik', x, x], 'shape', "'j'")
  reject('roll', [[1, 2], 0], 'shape')
  assertRejects(() => gf.rand([2, 3]).to('float16').permute(1, 0), 'type', 'permute', 'float16')
})

test('select: x[i] along any axis, with its gradient', () => {
  const x = gf.arange(24).to('float32').reshape(2, 3, 4).clone().requiresGrad_()
  assert.deepEqual(x.select(0, 1).toArray(), x.toArray()[1])
  assert.deepEqual(x.select(-2, -1).toArray(), x.toArray().map(rows => rows[2]))
  assert.deepEqual(x.select(2, 0).toArray(), x.toArray().map(rows => rows.map(([first]) => first)))
  assert.equal(gf.arange(3).select(0, 2).item(), 2)
  x.select(1, 1).mul(3).sum().backward()
  assert.deepEqual(x.grad.toArray(), x.toArray().map(rows => rows.map((row, j) => row.map(() => (j === 1 ? 3 : 0)))))
  assert.deepEqual(x.select(0, 0).T.toArray(), x.select(0, 0).t().toArray())
  assertRejects(() => x.T, 'shape', 't', '[2, 3, 4]')
})

test('transposing an axis with itself copies and writes nothing else', () => {
  const x = gf.tensor([[1, 2, 3], [4, 5, 6]])
  for (const axis of [0, 1, -1]) {
    const [room, behind] = [gf.full([2, 3], 7), gf.full([2, 3], 7)]
    room.dispose()
    const y = x.transpose(axis, axis)
    assert.deepEqual(y.toArray(), x.toArray())
    assert.notEqual(y.dataPtr(), x.dataPtr())
    assert.deepEqual(behind.toArray(), [[7, 7, 7], [7, 7, 7]])
  }
})

test('the strided copy takes steps of any size', () => {
  const { engine } = gf, from = gf.tensor([1, 2, 3, 4, 5, 6])
  const moves = [
    [[1, 3, 1, 1], [1, 2, 3, 0, 0, 0]], [[1, 3, 2, 1], [1, 0, 2, 0, 3, 0]], [[1, 3, 1, 2], [1, 3, 5, 0, 0, 0]],
    [[1, 3, 2, 2], [1, 0, 3, 0, 5, 0]], [[1, 4, 1, 0], [1, 1, 1, 1, 0, 0]], [[2, 2, 3, 3, 1, 1, 2], [1, 3, 5, 2, 4, 6]]
  ]
  for (const [axes, moved] of moves) for (const accumulate of [0, 1]) {
    const to = gf.full([6], accumulate && 10)
    engine.c.gf_strided_copy(to.dataPtr(), from.dataPtr(), engine.pass(axes), accumulate)
    assert.deepEqual(to.toArray(), moved.map(value => value + (accumulate && 10)), `${axes}`)
  }
})

test('one side of a reshape may be -1, not two', () => {
  const x = gf.ones([2, 3, 4])
  assert.deepEqual([x.reshape(-1).shape, x.reshape(4, -1).shape, x.reshape(2, -1, 4).shape], [[24], [4, 6], [2, 3, 4]])
  for (const sides of [[-1, -1], [-1, 24, -1], [-1, -1, 24]]) assertRejects(() => x.reshape(...sides), 'shape', 'reshape', '-1')
})

test('transposes runs of every length', () => {
  const { memory, c } = gf.engine, A = 9, B = 13, room = 2 * A * B
  for (const inner of [0, 1, 2]) memory.borrow(2 * 4 * room, from => {
    const size = A * B * inner, to = from + 4 * room, x = memory.floats(from, size).map((_, i) => i + 1)
    memory.floats(from, size).set(x)
    memory.floats(to, room).fill(-1)
    c.gf_transpose_forward(to, from, 1, A, 1, B, inner)
    const expected = Array.from({ length: size }, (_, i) => (
      x[((Math.floor(i / inner) % A) * B + Math.floor(i / inner / A)) * inner + i % inner]))
    assert.deepEqual([...memory.floats(to, room)], [...expected, ...Array(room - size).fill(-1)], `${inner}`)
  })
})

test('a scalar is sorted and accumulated like a row of one, as in PyTorch', () => {
  const x = gf.tensor(3, { requiresGrad: true }), { values, indices } = x.sort()
  assert.deepEqual([values, indices, x.argsort(), x.cumsum(0), x.cumsum(-1)].map(one => [one.shape, one.item()]),
    [[[], 3], [[], 0], [[], 0], [[], 3], [[], 3]])
  assert.deepEqual(x.topk(1).map(one => [one.shape, one.item()]), [[[], 3], [[], 0]])
  values.mul(2).backward()
  assert.equal(x.grad.item(), 2)
  assertRejects(() => x.sort({ dim: 1 }), 'range', 'from -1 to 0')
})

test('up to 64 axes work if at most 16 remain after merging', () => {
  const values = Float32Array.from({ length: 2 ** 18 }, (_, i) => i)
  const x = gf.tensor(values, { shape: Array(18).fill(2) }), order = [...range(9).map(i => i + 9), ...range(9)]
  assert.deepEqual(x.permute(order).data, x.reshape(512, 512).transpose(0, 1).data)
  assertRejects(() => x.permute(range(18).reverse()), 'shape', 'permute: at most 16 axes can be rearranged, got 18')
  const one = gf.tensor([3], { shape: Array(64).fill(1), requiresGrad: true })
  for (const run of [
    () => one.permute(range(64).reverse()), () => one.expand(...Array(64).fill(1)), () => one.flip(0),
    () => one.slice(5, 0, 1), () => gf.cat([one, one], { dim: 63 }), () => gf.where(one.gt(0), one, one)
  ]) {
    const out = run()
    assert.equal(out.shape.length, 64)
    assert.ok(out.data.every(value => value === 3))
    out.sum().backward()
  }
  const tooMany = [() => gf.zeros(Array(65).fill(1)), () => gf.stack([one]), () => one.reshape(Array(20000).fill(1))]
  for (const make of tooMany) {
    assertRejects(make, 'shape', 'a tensor has at most 64 axes')
  }
})

test('cat takes as many tensors as memory holds', () => {
  const list = Array.from({ length: 130000 }, (_, i) => gf.tensor([i]))
  const out = gf.cat(list)
  assert.deepEqual([out.shape[0], out.at(0), out.at(77777), out.at(-1)], [130000, 0, 77777, 129999])
  for (const t of list) t.dispose()
})
