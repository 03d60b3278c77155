// Tests of the references without the engine: they equal PyTorch's numbers, and their gradients are derivatives.
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { blockCases } from '../lib/blocks.js'
import { casesOf, opsWithCases } from '../lib/cases.js'
import { assertClose } from '../lib/compare.js'
import { assertIsDerivative } from '../lib/finite_difference.js'
import { forward as adam, noam } from '../../src/reference/adam.js'
import { clipNorm, clipValue } from '../../src/reference/clip_grad.js'
import * as references from '../../src/reference/index.js'
import { forward as sgd } from '../../src/reference/sgd.js'
import { zeros } from '../../src/reference/tensor.js'

const { add, embedding, gelu } = references

/** References of golden operations that are composed of two references, or are one with a fixed option. */
const composed = {
  sdpa: references.attention,
  mha: references.multihead_attention,
  gelu_tanh: {
    forward: x => gelu.forward(x, { approximate: 'tanh' }),
    backward: (x, _, cot) => gelu.backward(x, { approximate: 'tanh' }, cot)
  },
  pe_add: {
    forward: ({ x, pe }, { slice }) => add.forward({ a: x, b: positions(pe, x, slice) }),
    backward: ({ x, pe }, { slice }, cot) => ({ x: add.backward({ a: x, b: positions(pe, x, slice) }, {}, cot).a })
  },
  pe_learned: {
    forward: inputs => add.forward(tokenAndPosition(inputs)),
    backward: (inputs, _, cot) => {
      const { a, b } = add.backward(tokenAndPosition(inputs), {}, cot)
      const ids = { idx: inputs.idx, weight: inputs.tok }
      return {
        tok: embedding.backward(ids, {}, { y: a }).weight,
        pos: embedding.backward(positionIds(inputs), {}, { y: b }).weight
      }
    }
  }
}

/** The first rows of the table: by the time axis, or, as one lesson does by mistake, by the batch axis. */
function positions(pe, x, slice) {
  const [batch, time, width] = x.shape
  const rows = slice === 'x.size(1)' ? time : batch
  const shape = slice === 'x.size(1)' ? [rows, width] : [rows, 1, width]
  return { shape, data: pe.data.slice(0, rows * width) }
}

const positionIds = ({ idx, pos }) => {
  const time = idx.shape[1]
  return { idx: { shape: [time], data: Array.from({ length: time }, (_, i) => i) }, weight: pos }
}

const tokenAndPosition = inputs => ({
  a: embedding.forward({ idx: inputs.idx, weight: inputs.tok }).y,
  b: embedding.forward(positionIds(inputs)).y
})

function compareAll(actual, expected, tol, rtol, label) {
  for (const [name, values] of Object.entries(expected)) {
    assertClose(actual[name], values, { tol, rtol, name: `${label} ${name}` })
  }
}

function checkCase(reference, { inputs, params = {}, cot, outputs, grads = {}, tol, exact }, rtol) {
  compareAll(reference.forward(inputs, params), outputs, tol.out, rtol, 'output')
  if (cot) compareAll(reference.backward(inputs, params, cot), grads, tol.grad, rtol, 'gradient of')
  if (!exact) return
  // `exact` is PyTorch's float64 result, rounded to float32: the tolerance is that rounding.
  compareAll(reference.forward(inputs, params), exact.outputs, 1e-12, 2 ** -24, 'exact output')
  compareAll(reference.backward(inputs, params, cot), exact.grads, 1e-12, 2 ** -24, 'exact gradient of')
}

for (const stem of ['ops', 'ops_attention', 'special_values', 'arithmetic']) {
  const { cases: items, rtol } = loadGolden(stem)
  for (const item of items) {
    test(`${stem} ${item.id}: the reference equals PyTorch's numbers`, () => {
      checkCase(composed[item.op] ?? references[item.op], item, rtol)
    })
  }
}

const blockReferences = {
  enc: { layer: references.encoderLayer, stack: references.encoder },
  dec: { layer: references.decoderLayer, stack: references.decoder }
}

for (const item of blockCases()) {
  test(`${item.id}: the reference equals PyTorch's numbers`, () => {
    const reference = blockReferences[item.kind][item.stack ? 'stack' : 'layer']
    const inputs = { ...item.inputs, ...item.masks, ...item.state }
    compareAll(reference.forward(inputs, item.params), item.outputs, item.tol.out, item.rtol, 'output')
    if (item.grads)
      compareAll(reference.backward(inputs, item.params, item.cot), item.grads, item.tol.grad, item.rtol, 'gradient of')
  })
}

const tables = loadGolden('ops')

for (const { L, d, n, loop64, torch32, concat64 } of tables.pe_tables) {
  test(`positional encoding ${L} x ${d}, base ${n}: all three formulas agree`, () => {
    const size = { max_length: L, d_model: d, base: n }
    for (const method of ['direct', 'log']) {
      const interleaved = references.positional_encoding.forward({}, { ...size, method }).y
      assertClose(interleaved, loop64, { tol: 1e-15 * L, name: `${method}, interleaved` })
      assertClose(interleaved, torch32, { tol: 4e-7 * L, name: `${method}, against float32` })
      const concatenated = references.positional_encoding.forward({}, { ...size, method, layout: 'concatenated' }).y
      assertClose(concatenated, concat64, { tol: 1e-15 * L, name: `${method}, concatenated` })
    }
  })
}

test('positional encoding of an odd width: one more sine in each layout', () => {
  const { L, d, n, loop64, concat64 } = tables.pe_odd
  const size = { max_length: L, d_model: d, base: n, method: 'direct' }
  const table = layout => references.positional_encoding.forward({}, { ...size, layout }).y
  assertClose(table('concatenated'), concat64, { tol: 1e-15 * L })
  // The loops of the lessons leave out the last sine, which is the last of those that come first.
  const data = loop64.data.map((value, i) => (i % d < d - 1 ? value : concat64.data[i - i % d + (d - 1) / 2]))
  assertClose(table('interleaved'), { shape: loop64.shape, data }, { tol: 1e-15 * L })
})

test('positional encoding 5000 x 512: far positions', () => {
  const { L, d, n, rows, cols, loop64, loop64_sum } = tables.pe_big
  const { y } = references.positional_encoding.forward({}, { max_length: L, d_model: d, base: n, method: 'direct' })
  const picked = rows.flatMap(row => cols.map(col => y.data[row * d + col]))
  const tol = rows.flatMap(row => cols.map(() => 1e-15 * Math.max(1, row)))
  assertClose({ shape: loop64.shape, data: picked }, loop64, { tol })
  assertClose(
    y.data.reduce((a, b) => a + b, 0),
    loop64_sum,
    { rtol: 1e-12 }
  )
})

/** Steps of the optimizers: from a parameter `p` with its optimizer state to the next. */
const steps = {
  sgd: (state, params) => sgd(state, params),
  adam: (state, params) => adam(state, params),
  adamw: (state, params) => adam(state, { ...params, decoupled: true })
}

for (const item of [...tables.optimizers, ...loadGolden('optimizers').cases]) {
  test(`${item.id}: the reference follows PyTorch's steps`, () => {
    const method = item.id.split('.')[0]
    const initialState = p => (method === 'sgd' ? {} : { m: zeros(p.shape), v: zeros(p.shape) })
    let states = item.p0.map(p => ({ p, ...initialState(p) }))
    item.grads.forEach((grads, index) => {
      const params = { ...item.params, t: index + 1, ...(item.lr ? { lr: item.lr[index] } : {}) }
      states = states.map((state, i) => steps[method]({ ...state, g: grads[i] }, params))
      item.after_each_step[index].forEach((p, i) => {
        const name = `parameter ${i} after step ${index + 1}`
        assertClose(states[i].p, p, { tol: item.tol, rtol: tables.rtol, name })
      })
    })
    if (!item.exp_avg) return
    states.forEach(({ m, v }, i) => {
      assertClose(m, item.exp_avg[i], { tol: 1e-7, rtol: 1e-6, name: `mean ${i}` })
      assertClose(v, item.exp_avg_sq[i], { tol: 1e-7, rtol: 1e-6, name: `mean square ${i}` })
    })
  })
}

test('noam: the learning rates of the golden trajectory', () => {
  const {
    params: { d_model, warmup, factor },
    lr
  } = tables.optimizers.find(item => item.id === 'adam.noam')
  assertClose(
    lr.map((_, i) => noam(d_model, warmup, factor)(i + 1)),
    lr,
    { rtol: 1e-15 }
  )
})

for (const item of tables.clipping) {
  test(`${item.id}: the reference clips as PyTorch does`, () => {
    const clip = 'clip_value' in item ? clipValue : clipNorm
    const { clipped, total_norm } = clip(item, { ...item, norm_type: Number(item.norm_type) })
    clipped.forEach((g, i) => assertClose(g, item.clipped[i], { tol: item.tol, name: `gradient ${i}` }))
    if (item.total_norm)
      assertClose({ shape: [], data: [total_norm] }, item.total_norm, { tol: item.tol, rtol: tables.rtol })
  })
}

const inputSize = ({ inputs }) => Object.values(inputs).reduce((sum, t) => sum + t.data.length, 0)

for (const op of opsWithCases) {
  test(`${op}: the reference's gradients are derivatives`, () => {
    // Only small examples, since each element costs two forward passes. The gradient of a padding row is 0 instead of
    // its derivative, which a golden case checks.
    const examples = casesOf(op).filter(item => inputSize(item) < 1500 && item.params.padding_idx === undefined)
    for (const item of examples) assertIsDerivative(references[op], item, `${op} ${item.name}`)
  })
}
