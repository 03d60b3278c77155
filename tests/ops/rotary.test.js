import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf, toTensor } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'
import { testOp } from '../lib/op_tests.js'
import { backward, forward } from '../../src/reference/rotary.js'
import { STEPS } from '../../web/check/steps.js'
import { graphOfRun } from '../../web/check/imported_graph.js'

const F = gf.functional

const run = ({ x }, params) => ({ y: F.rotary(x, params) })

/**
 * Two products and their sum: three roundings of numbers up to |a| + |b|, and one in each table entry, whose angle may
 * be the float32 beside the reference's where its own power rounds the other way.
 */
function bounds({ inputs: { x }, params, cot }) {
  const size = t => t.data.reduce((most, v) => Math.max(most, Math.abs(v)), 0)
  const far = Math.max(1, ...[params.positions ?? [x.shape[2]]].flat(2))
  const near = t => 5 * 2 ** -24 * 2 * size(t) + 2 * size(t) * far * 2 ** -23
  return { y: near(x), x: near(cot.y) }
}

testOp('rotary', { run, bounds, golden: { positions: ['rotary'] } })

test('rotary: heads of every width, forward and back, of both layouts, gradients added to what is there', () => {
  for (const D of [2, 6, 8, 10, 16, 22]) for (const layout of ['half', 'interleaved']) {
    const x = numbers([2, 1, 3, 2 * D], D), cot = numbers([2, 1, 3, 2 * D], D + 1)
    const params = { layout, heads: 2, positions: [[0, 3, 5], [2, 1, 9]] }, given = gf.tensor(Float32Array.from(x.data),
      { shape: x.shape, requiresGrad: true })
    for (const times of [1, 2]) {
      const y = F.rotary(given, params), name = `${D} ${layout}`
      y.backward(toTensor(cot))
      const bound = bounds({ inputs: { x }, params, cot: { y: cot } }), { x: dx } = backward({ x }, params, { y: cot })
      assertClose(y, forward({ x }, params).y, { tol: bound.y, name })
      assertClose(given.grad, { ...dx, data: dx.data.map(v => times * v) }, { tol: times * bound.x, name: `d${name}` })
    }
  }
})

test('rotary: the first dims channels of every head are rotated and scaled, the others copied, forward and back', () => {
  for (const [D, dims] of [[2, 0], [6, 2], [6, 4], [22, 10], [16, 16]]) for (const layout of ['half', 'interleaved']) {
    const x = numbers([2, 1, 3, 2 * D], D), cot = numbers([2, 1, 3, 2 * D], D + 1), given = toTensor(x)
    const params = { layout, heads: 2, dims, scale: 1.25, positions: [[0, 3, 5], [2, 1, 9]] }
    given.requiresGrad = true
    for (const times of [1, 2]) {
      const y = F.rotary(given, params), name = `${D} ${dims} ${layout}`
      y.backward(toTensor(cot))
      const bound = bounds({ inputs: { x }, params, cot: { y: cot } }), { x: dx } = backward({ x }, params, { y: cot })
      assertClose(y, forward({ x }, params).y, { tol: 1.25 * bound.y, name })
      assertClose(given.grad, { ...dx, data: dx.data.map(v => times * v) }, { tol: 1.25 * times * bound.x, name: `d${name}` })
    }
    const rest = t => plain(t.reshape(2, 3, 2, D).narrow(3, dims, D - dims))
    assertSame(rest(F.rotary(given, params)), rest(given))
  }
})

test('rotary: rotations keep norms, and q · k depends on the distance', () => {
  const [q, k] = [1, 2].map(seed => toTensor(numbers([1, 1, 1, 8], seed)))
  const dot = (i, j) => {
    const [a, b] = [F.rotary(q, { positions: [i] }), F.rotary(k, { positions: [j] })].map(t => plain(t).data)
    return a.reduce((sum, v, n) => sum + v * b[n], 0)
  }
  for (const [i, j] of [[3, 1], [11, 9], [102, 100]]) assertClose(dot(i, j), dot(2, 0), { tol: 1e-5 })
})

test('rotary: heads side by side are rotated like separate heads', () => {
  const x = toTensor(numbers([2, 5, 12], 3))
  const apart = F.rotary(x.reshape(2, 5, 3, 4).transpose(1, 2)).transpose(1, 2)
  assertSame(F.rotary(x, { heads: 3 }), { shape: [2, 5, 12], data: plain(apart).data })
})

test('rotary: custom frequencies replace the base', () => {
  const x = toTensor(numbers([1, 3, 4], 3))
  assertSame(F.rotary(x, { frequencies: [0, 0] }), plain(x))
  assertSame(F.rotary(x, { frequencies: [1, Math.fround(0.01)] }), plain(F.rotary(x)))
})

test('rotary: a trace has the custom frequencies, and the check uses them', () => {
  // Of no base: base^0 is 1, and the first frequency is always 1.
  const frequencies = [0.7, 0.1], x = toTensor(numbers([1, 3, 4], 3))
  const { trace } = gf.trace(() => F.rotary(x, { frequencies }))
  assert.deepEqual(trace.explain('rotary', [0, 2, 1]).parameters,
    { pair: 1, position: 2, layout: 'half', heads: 1, frequencies, frequency: 0.1 })
  const run = gf.observe(() => ({ output: F.rotary(x, { frequencies }) }))
  const [step] = run.steps.filter(({ op }) => op === 'rotary'), shapeOf = name => run.tensor(name).shape
  assert.deepEqual(step.parameters, { frequencies, layout: 'half', heads: 1 })
  const plan = graphOfRun({ tensors: new Map(), steps: [step], settings: {} }, shapeOf)
    .filter(({ op }) => op === 'angles')
  assert.equal(plan.length, 2)
  for (const { parameters } of plan) {
    const { data } = STEPS.angles.forward({}, parameters), { values } = run.tensor(step.inputs[parameters.key])
    values.forEach((value, at) => assert.ok(Math.abs(value - data[at]) < 1e-6, `${parameters.key} ${at}`))
  }
  run.dispose()
  trace.dispose()
})

test('rotary: in a trace every cell and gradient is explained to the bit', () => {
  const x = gf.tensor(Float32Array.from(numbers([1, 2, 3, 8], 5).data), { shape: [1, 2, 3, 8], requiresGrad: true })
  for (const layout of ['half', 'interleaved']) for (const dims of [8, 4]) {
    const { trace } = gf.trace(() => {
      const out = F.rotary(x, { layout, dims, scale: 1.5, positions: [4, 5, 9] })
      out.backward(toTensor(numbers([1, 2, 3, 8], 6)))
      return out
    })
    assert.deepEqual(trace.names.filter(name => name.startsWith('rotary')), ['rotary.cos', 'rotary.sin', 'rotary'])
    for (let c = 0; c < 8; c++) {
      const found = trace.explain('rotary', [0, 1, 2, c])
      assert.equal(found.rounding, 0)
      assert.equal(found.parameters.position, c < dims ? 9 : undefined)
      assert.equal(found.sources.length, c < dims ? 4 : 1)
      const { value, computed } = trace.explainGradient('input', [0, 1, 2, c])
      assert.ok(Math.abs(value - computed) < 1e-6)
    }
    x.grad = null
    trace.dispose()
  }
})

test('rotary: an edit of a table that was read already changes no table', () => {
  const x = toTensor(numbers([1, 2, 4], 3)), before = plain(F.rotary(x))
  const edits = [{ name: 'rotary.cos', index: [0, 0], value: 7 }], run = gf.observe(() => F.rotary(x), { edits })
  assert.deepEqual(run.unusedEdits, edits)
  run.dispose()
  assertRejects(() => gf.trace(() => F.rotary(x), { edits }), 'index', 'edits of rotary.cos come too late')
  assertSame(F.rotary(x), before)
})

test('rotary: rejects invalid arguments', () => {
  const reject = (code, args, ...rest) => assertRejects(() => F.rotary(...args), code, 'rotary', ...rest)
  const x = gf.rand([2, 3, 4])
  reject('type', [[1, 2]], 'x')
  reject('shape', [gf.rand([4])], 'x', '[4]')
  reject('shape', [gf.rand([2, 3])], 'even', '[2, 3]')
  reject('shape', [x, { heads: 3 }], 'even')
  reject('range', [x, { base: 0 }], 'base')
  reject('range', [x, { layout: 'pairs' }], 'layout', 'interleaved')
  reject('shape', [x, { positions: [1, 2] }], 'positions', '[3]', '[2]')
  // As many rows as numbers in one, or one number in each: neither is a row for each sentence.
  reject('shape', [gf.rand([3, 2, 4]), { positions: [[0, 1], [1, 2]] }], '[3, 2]', '[2, 2]')
  reject('shape', [gf.rand([3, 1, 4]), { positions: [[0], [1]] }], '[3, 1]', '[2, 1]')
  reject('range', [x, { positions: [0, 1, 0.5] }], 'positions')
  reject('shape', [x, { frequencies: [1] }], 'frequencies', '2')
  for (const dims of [6, 3, -2]) reject('range', [x, { dims }], 'dims', '4')
  reject('range', [x, { scale: NaN }], 'scale')
  reject('type', [x, { theta: 1 }], 'theta')
})
