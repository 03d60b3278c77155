// A reader puts a number in place of a computed one: everything after it follows, nothing before it changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellsAt, Edits } from '../src/js/trace/edits.js'
import { load } from '../src/js/index.js'

const gf = await load()

function run(edits) {
  gf.manualSeed(5)
  const layer = new gf.nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 12 }).eval(), x = gf.randn([1, 4, 8])
  return gf.trace(() => layer.forward(x, { isCausal: true }), { edits }).trace
}

const plain = run([])
const values = (trace, name) => [...trace.get(name).values]
const order = plain.names

test('an edit with the existing value changes no bit', () => {
  const names = [
    'src', 'self_attn.in_proj_weight', 'self_attn.q', 'self_attn.dots', 'self_attn.scores',
    'self_attn.masked_scores', 'self_attn.weights', 'self_attn.heads', 'residual1', 'norm1.output', 'linear1.output',
    'activation'
  ]
  for (const name of names) {
    const index = plain.get(name).shape.map(side => side - 1)
    const same = run([{ name, index, value: plain.get(name).at(...index) }])
    for (const other of order) assert.deepEqual(values(same, other), values(plain, other), `${name} changed ${other}`)
  }
})

test('an edit changes later tensors and no earlier ones', () => {
  const stages = [
    'self_attn.q', 'self_attn.dots', 'self_attn.scores', 'self_attn.masked_scores', 'self_attn.weights',
    'self_attn.heads', 'self_attn.output', 'residual1', 'norm1.output', 'linear1.output', 'activation',
    'linear2.output', 'residual2',
    'output'
  ]
  stages.forEach((name, at) => {
    // The last query: the first sees one key only, whatever its score.
    const { shape } = plain.get(name), index = shape.map((side, axis) => (axis === shape.length - 2 ? side - 1 : 0))
    const edited = run([{ name, index, value: 3.25 }])
    assert.equal(edited.get(name).at(...index), 3.25)
    for (const before of stages.slice(0, at)) {
      assert.deepEqual(values(edited, before), values(plain, before), `${name} changed ${before}`)
    }
    if (name !== 'activation') {
      assert.notDeepEqual(values(edited, 'output'), values(plain, 'output'), `${name} did not reach the output`)
    }
    const found = edited.explain(name, index)
    assert.equal(found.edited, true)
    assert.equal(plain.explain(name, index).edited, false)
  })
})

test('an edited score affects the softmax exactly', () => {
  const edited = run([{ name: 'self_attn.scores', index: [0, 0, 3, 1], value: 2 }])
  const [row, weights] = ['masked_scores', 'weights'].map(name =>
    [0, 1, 2, 3].map(j => edited.get(`self_attn.${name}`).at(0, 0, 3, j)))
  const most = Math.max(...row), sum = row.reduce((total, v) => total + Math.exp(v - most), 0)
  row.forEach((v, j) => assert.ok(Math.abs(weights[j] - Math.exp(v - most) / sum) < 1e-7))
  for (let d = 0; d < 8; d++) assert.equal(edited.explain('self_attn.heads', [0, 3, d]).rounding, 0)
})

test('several edited steps of attention all take effect', () => {
  const at = [0, 1, 3, 2], dot = { name: 'self_attn.dots', index: at, value: 3 }
  const weight = { name: 'self_attn.weights', index: [0, 1, 2, 0], value: 0.75 }
  const [one, both] = [run([dot]), run([dot, weight])]
  assert.equal(both.get('self_attn.scores').at(...at), Math.fround(3 * Math.fround(0.5)))
  assert.equal(both.get('self_attn.weights').at(0, 1, 2, 0), 0.75)
  for (const name of ['dots', 'scores', 'masked_scores']) {
    assert.deepEqual(values(both, `self_attn.${name}`), values(one, `self_attn.${name}`))
  }
  assert.notDeepEqual(values(both, 'output'), values(one, 'output'))
})

test('an edited score makes a key outside the window visible', () => {
  gf.manualSeed(5)
  const [q, k, v] = [1, 2, 3].map(() => gf.randn([1, 1, 99, 4])), index = [0, 0, 98, 0]
  const { trace } = gf.trace(() => gf.functional.scaledDotProductAttention(q, k, v, { window: 2, isCausal: true }),
    { edits: [{ name: 'masked_scores', index, value: 30 }] })
  assert.ok(trace.get('weights').at(...index) > 0.99)
  for (let d = 0; d < 4; d++) assert.ok(Math.abs(trace.get('attention').at(0, 0, 98, d) - v.at(0, 0, 0, d)) < 0.05)
})

test('ranges and whole axes edit the same cells as single indices', () => {
  const name = 'self_attn.heads', cells = [0, 1, 2, 3].flatMap(t => [4, 5, 6, 7].map(c => [0, t, c]))
  const [one, many] = [run([{ name, index: [0, null, [4, 8]], value: 0 }]),
    run(cells.map(index => ({ name, index, value: 0 })))]
  for (const other of order) assert.deepEqual(values(one, other), values(many, other), other)
  assert.notDeepEqual(values(one, 'output'), values(plain, 'output'))
  assert.equal(one.explain(name, [0, 2, 5]).edited, true)
  assert.equal(one.explain(name, [0, 2, 3]).edited, false)
})

test('an edit copies values from another tensor', () => {
  const edited = run([{ name: 'residual1', index: [null, null, null], from: 'src' }])
  assert.deepEqual(values(edited, 'residual1'), values(plain, 'src'))
  assert.deepEqual(values(edited, 'self_attn.output'), values(plain, 'self_attn.output'))
  assert.notDeepEqual(values(edited, 'output'), values(plain, 'output'))
  const open = run([{ name: 'self_attn.masked_scores', index: [null, null, 0, 3], from: 'self_attn.scores' }])
  for (const head of [0, 1]) {
    assert.equal(open.get('self_attn.masked_scores').at(0, head, 0, 3), plain.get('self_attn.scores').at(0, head, 0, 3))
    assert.ok(open.get('self_attn.weights').at(0, head, 0, 3) > 0)
    assert.equal(plain.get('self_attn.weights').at(0, head, 0, 3), 0)
  }
})

test('a failed run restores edited inputs, a successful one keeps the edits', () => {
  const layer = new gf.nn.Linear(2, 2), x = gf.ones([1, 2]), values = () => [layer.bias.toArray(), x.toArray()]
  const edits = [{ name: 'bias', index: [null], value: 7 }, { name: 'bias', index: [0], value: 8 },
    { name: 'input', index: [0, 1], value: 9 }]
  const before = values(), run = () => layer(x)
  assert.throws(() => gf.trace(() => { run(); throw new Error('enough') }, { edits }), /enough/)
  assert.deepEqual(values(), before)
  assert.throws(() => gf.trace(run, { edits: [...edits, { name: 'nowhere', index: [0], value: 1 }] }), /nowhere/)
  assert.deepEqual(values(), before)
  assert.throws(() => gf.trace(run, { edits: [...edits, { name: 'output', index: [0, 5], value: 1 }] }), /index/)
  assert.deepEqual(values(), before)
  assert.throws(() => gf.observe(() => { run(); return 3 }, { edits }), /fn must return a tensor/)
  assert.deepEqual(values(), before)
  gf.trace(run, { edits }).trace.dispose()
  assert.deepEqual(values(), [[8, 7], [[1, 9]]])
})

test('rejects edits of unknown tensors and indices', () => {
  const all = [null, null, null]
  for (const [edit, code, message] of [
    [{ name: 'self_attn.q', index: [0, [2, 9], 0], value: 1 }, 'index', /inside the shape \[1, 4, 8\].*\[2,9\]/],
    [{ name: 'self_attn.q', index: [0, [2, 2], 0], value: 1 }, 'index', /inside the shape/],
    [{ name: 'self_attn.q', index: [0, '1', 0], value: 1 }, 'index', /null \(all\) or \[from, to\]/],
    [{ name: 'residual1', index: all, from: 'self_attn.scores' }, 'index', /of the same shape that was computed before it/],
    [{ name: 'residual1', index: all, from: 'residual2' }, 'index', /computed before it, got residual2/],
    [{ name: 'residual1', index: all, from: 3 }, 'type', /from must be the name of a tensor, got 3/]
  ]) assert.throws(() => run([edit]), { code, message })
  assert.throws(() => run([{ name: 'no.such', index: [0], value: 1 }]), { code: 'index', message: /no\.such/ })
  const outside = [{ name: 'self_attn.q', index: [0, 9, 0], value: 1 }]
  assert.throws(() => run(outside), { code: 'index', message: /\[1, 4, 8\]/ })
  assert.throws(() => run([{ name: 'self_attn.q', index: [0, 0, 0], value: 'x' }]), { code: 'type' })
})

test('a scale of 1 leaves the products unchanged', () => {
  gf.manualSeed(5)
  const mha = new gf.nn.MultiheadAttention(8, 2), x = gf.randn([1, 3, 8])
  const scores = () => gf.trace(() => mha.forward(x)).trace.get('scores').toArray().flat(3)
  const divided = scores()
  mha.scale = 1
  scores().forEach((v, i) => assert.ok(Math.abs(v / 2 - divided[i]) < 1e-6))
})

test('rejects invalid edits and modules', () => {
  for (const [options, message] of [
    [{ edits: 3 }, 'trace: edits must be an array, got 3'],
    [{ edits: [null] }, 'trace: edits[0] must be { name, index, value }, got null'],
    [{ edits: [{ name: 'x', index: [0], value: 'a' }] }, 'trace: edits[0].value must be a number, got "a"'],
    [{ modules: null }, 'trace: modules must be an object of modules by name, got null']
  ]) assert.throws(() => gf.trace(() => 1, options), { code: 'type', message })
})

test('exactly the cells of an edit count as edited', () => {
  const shape = [3, 4]
  for (const index of [[1, 2], [null, 0], [[0, 2], [1, 3]], [[2, 3], null], [[0, 3], [0, 4]]]) {
    const edits = new Edits([{ name: 'x', index, value: 1 }]), cells = cellsAt(shape, index)
    for (let i = 0; i < 3; i++) for (let j = 0; j < 4; j++) {
      assert.equal(edits.has('x', [i, j]), cells.includes(4 * i + j), `${JSON.stringify(index)}: [${i}, ${j}]`)
    }
    assert.equal(edits.has('y', [1, 2]) || edits.has('x', [1]), false)
  }
  for (const outside of [[3, 0], [0, [2, 5]], [[1, 1], 0], [-1, 0], [0]]) assert.equal(cellsAt(shape, outside), null)
})

// exp, tanh … go back by what they gave, and an edited value need not be one of theirs: tanh is never 7.
const DERIVATIVES = {
  exp: x => Math.exp(x), tanh: x => 1 - Math.tanh(x) ** 2, sigmoid: x => Math.exp(-x) / (1 + Math.exp(-x)) ** 2,
  reciprocal: x => -1 / x ** 2, sqrt: x => 0.5 / Math.sqrt(x), rsqrt: x => -0.5 * x ** -1.5, square: x => 2 * x,
  log: x => 1 / x, softplus: x => 1 / (1 + Math.exp(-x))
}

/** The gradient of the input of `fn` where its output is edited, and the same explained. */
function gradientAfterEdit(fn, name, index, value, values = [1, 2]) {
  const x = gf.tensor(values, { requiresGrad: true }), edits = [{ name, index, value }]
  const { output, trace } = gf.trace(() => fn(x).sum(), { edits })
  output.backward()
  const own = trace.nameOf(x), explained = values.map((_, i) => trace.explainGradient(own, [i]).computed)
  const [...gradient] = x.grad.values
  assert.equal(trace.get(name).at(...index), value)
  assert.ok(trace.explain(name, index).edited)
  trace.dispose()
  return { gradient, explained }
}

test('gradients after an edit use the computed values, as explained', () => {
  for (const [name, derivative] of Object.entries(DERIVATIVES)) {
    const { gradient, explained } = gradientAfterEdit(x => x[name](), name, [0], 7)
    for (const found of [gradient, explained]) found.forEach((value, i) =>
      assert.ok(Math.abs(value - derivative(i + 1)) < 1e-5, `${name}[${i}]: ${value}, not ${derivative(i + 1)}`))
  }
  const one = gf.tensor([3, 3])
  for (const [fn, name, expected] of [
    [x => one.div(x), 'div', [-3, -0.75]], [x => x.pow(3), 'pow', [3, 12]],
    [x => gf.pow(2, x), 'pow', [2 * Math.LN2, 4 * Math.LN2]]
  ]) {
    const { gradient, explained } = gradientAfterEdit(fn, name, [0], 7)
    for (const found of [gradient, explained]) found.forEach((value, i) =>
      assert.ok(Math.abs(value - expected[i]) < 1e-5, name))
  }
})

test('gradients of edited maxima, minima, norms and deviations go where those of the computed ones would', () => {
  for (const [name, options, expected] of [
    ['max', {}, [0, 0.5, 0.5]], ['min', {}, [1, 0, 0]], ['amax', {}, [0, 0.5, 0.5]], ['amin', {}, [1, 0, 0]],
    ['max', { dim: 0 }, [0, 1, 0]], ['norm', { p: Infinity }, [0, 0.5, 0.5]], ['norm', { p: 2 }, [1 / 3, 2 / 3, 2 / 3]],
    ['logsumexp', {}, [1, Math.E, Math.E].map(v => v / (1 + 2 * Math.E))], ['sum', {}, [1, 1, 1]],
    ['prod', {}, [4, 2, 2]]
  ]) {
    const run = x => (options.dim === undefined ? x[name](options) : x[name](options).values)
    const { gradient, explained } = gradientAfterEdit(run, name, [], 9, [1, 2, 2])
    for (const found of [gradient, explained]) found.forEach((value, i) =>
      assert.ok(Math.abs(value - expected[i]) < 1e-6, `${name} ${JSON.stringify(options)}: ${found}, not ${expected}`))
  }
})

test('an edited view changes neither its base nor other results of the base', () => {
  for (const [view, index, total, gradients] of [
    [y => y.reshape(2, 1), [0, 0], 136, [22, 22]], [y => y.unsqueeze(0), [0, 0], 136, [22, 22]],
    [y => y.narrow(0, 0, 1), [0], 96, [22, 2]]
  ]) {
    const x = gf.tensor([1, 2], { requiresGrad: true }), before = gf.memory().tensors
    const run = edits => gf.trace(() => {
      const y = x.mul(2), seen = view(y)
      return { seen, sum: seen.mul(10).sum().add(y.sum()) }
    }, { edits })
    const plain = run([]), viewed = plain.trace.nameOf(plain.output.seen)
    plain.trace.dispose()
    const { output, trace } = run([{ name: viewed, index, value: 9 }])
    const explained = (name, at) => {
      const { value, computed, edited } = trace.explain(name, at)
      return [value, computed, edited]
    }
    assert.deepEqual(explained('mul', [0]), [2, 2, false], viewed)
    assert.deepEqual(explained(viewed, index), [9, 2, true], viewed)
    assert.deepEqual(explained('mul:2', index), [90, 90, false], viewed)
    assert.equal(trace.explain('mul:2', index).sources[0].name, viewed)
    assert.equal(output.sum.item(), total)
    output.sum.backward()
    assert.deepEqual([...x.grad.values], gradients)
    assert.equal(trace.explainGradient('input', [0]).computed, 22)
    trace.dispose()
    assert.equal(gf.memory().tensors, before + 1, 'the gradient of x is left')
  }
})

test('an edit of a tensor that was read already is rejected or unused', () => {
  const x = gf.tensor([0.1, 0.5]), edits = [{ name: 'input', index: [0], value: 7 }]
  assert.throws(() => gf.trace(() => x.exp(), { edits }), { code: 'index', message: /edits of input come too late, exp has read it/ })
  const run = gf.observe(() => x.exp(), { edits })
  assert.deepEqual(run.unusedEdits, edits)
  const { value, computed, edited } = run.explain('exp', [0])
  assert.ok(Math.abs(value - computed) < 1e-6 && !edited)
  assert.equal(run.explain('input', [0]).edited, false)
  run.dispose()
  assert.equal(x.at(0), Math.fround(0.1))
  assert.equal(gf.trace(() => x.reshape(2, 1).exp(), { edits }).output.at(0, 0), Math.fround(Math.exp(7)), 'a view is read later')
})

/** A causal layer on a text of `length` tokens, with the same weights every time. */
function runOf(length, seed, edits, how = 'trace') {
  gf.manualSeed(5)
  const layer = new gf.nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 12 }).eval()
  gf.manualSeed(seed)
  const x = gf.randn([1, length, 8]), fn = () => layer.forward(x, { isCausal: true })
  return how === 'trace' ? gf.trace(fn, { edits }).trace : gf.observe(fn, { edits, modules: { layer } })
}

test('an edit takes the values of a tensor from another run', () => {
  const clean = runOf(4, 1), corrupted = runOf(4, 2), all = [null, null, null]
  const whole = runOf(4, 2, [{ name: 'src', index: all, from: clean }])
  for (const name of clean.names) assert.deepEqual(values(whole, name), values(clean, name), name)
  const cells = [[2, 4], [2, 5], [2, 6], [2, 7]]
  const patched = runOf(4, 2, [{ name: 'self_attn.heads', index: [0, 2, [4, 8]], from: clean }])
  const byHand = runOf(4, 2, cells.map(([t, c]) => (
    { name: 'self_attn.heads', index: [0, t, c], value: clean.get('self_attn.heads').at(0, t, c) })))
  for (const name of clean.names) assert.deepEqual(values(patched, name), values(byHand, name), name)
  assert.notDeepEqual(values(patched, 'output'), values(corrupted, 'output'))
  const weights = runOf(4, 2, [{ name: 'self_attn.weights', index: [0, 1, null, null], from: clean }])
  assert.deepEqual(values(weights, 'self_attn.weights').slice(16), values(clean, 'self_attn.weights').slice(16))
  assert.deepEqual(values(weights, 'self_attn.weights').slice(0, 16), values(corrupted, 'self_attn.weights').slice(0, 16))
})

test('an edit from another run may read another name or position, of a longer text too', () => {
  const long = runOf(6, 1), name = 'residual1'
  const moved = runOf(4, 2, [{ name, index: [0, 1, null], from: long, fromIndex: [0, 5, null] }])
  assert.deepEqual(values(moved, name).slice(8, 16), values(long, name).slice(40, 48))
  const source = { from: long, fromName: 'self_attn.output', fromIndex: [null, [2, 4], null] }
  const other = runOf(4, 2, [{ name, index: [null, [1, 3], null], ...source }])
  assert.deepEqual(values(other, name).slice(8, 24), values(long, 'self_attn.output').slice(16, 32))
})

test('gf.observe takes values from a run or a trace', () => {
  const clean = runOf(4, 1, [], 'observe'), index = [null, null, null]
  for (const from of [clean, runOf(4, 1, [])]) {
    const name = 'layer.residual1', fromName = from === clean ? name : 'residual1'
    const patched = runOf(4, 2, [{ name, index, from, fromName }], 'observe')
    assert.deepEqual(patched.read('layer.output'), clean.read('layer.output'))
    assert.equal(patched.explain(name, [0, 1, 2]).edited, true)
    assert.deepEqual(patched.unusedEdits, [])
    patched.dispose()
  }
})

test('an edit from another run works with a cache', () => {
  gf.manualSeed(7)
  const layer = new gf.nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 12 }).eval()
  const [clean, x] = [1, 2].map(() => gf.randn([1, 5, 8])), all = { isCausal: true }
  const from = gf.trace(() => layer(clean, all)).trace, name = 'self_attn.heads', heads = [4, 8]
  const full = gf.trace(() => layer(x, all), { edits: [{ name, index: [0, 4, heads], from }] })
  const cache = new gf.decoding.Cache(8)
  gf.tidy(() => gf.noGrad(() => layer(x.narrow(1, 0, 4), { isCausal: true, cache })))
  const step = gf.trace(() => gf.noGrad(() => layer(x.narrow(1, 4, 1), { isCausal: true, cache })),
    { edits: [{ name, index: [0, 0, heads], from, fromIndex: [0, 4, heads] }] })
  assert.deepEqual(step.output.toArray()[0][0], full.output.toArray()[0][4])
})

test('rejects edits whose run cannot give the values', async () => {
  const clean = runOf(4, 1), long = runOf(6, 1), gone = runOf(4, 1), name = 'residual1', index = [null, null, null]
  gone.dispose()
  const observed = runOf(4, 1, [], 'observe')
  observed.dispose()
  const other = await load(), far = other.trace(() => other.ones([1, 4, 8]).add(1)).trace
  const mha = new gf.nn.MultiheadAttention(8, 2), x = gf.randn([1, 4, 8])
  const partly = gf.trace(() => mha(x, x, x, { needWeights: false }), { keepAttention: [] }).trace
  for (const how of ['trace', 'observe']) {
    const target = how === 'trace' ? name : `layer.${name}`
    for (const [edit, code, message] of [
      [{ from: long }, 'shape', /residual1 of the other run.*\[1, 6, 8\].*\[1, 4, 8\]/],
      [{ from: clean, fromIndex: [0, [0, 2], null] }, 'shape', /\[1, 2, 8\].*\[1, 4, 8\]/],
      [{ from: clean, fromIndex: [0, 9, null] }, 'index', /fromIndex.*inside the shape \[1, 4, 8\]/],
      [{ from: clean, fromName: 'residul1' }, 'index', /no tensor is called "residul1".*residual1/],
      [{ from: gone }, 'state', /edits\[0\]\.from was disposed/],
      [{ from: observed }, 'state', /edits\[0\]\.from was disposed/],
      [{ from: far, fromName: 'add' }, 'state', /another engine/],
      [{ from: partly, fromName: 'weights' }, 'state', /weights was left out/],
      [{ from: 'src', fromName: 'x' }, 'type', /fromName and fromIndex.*another run/],
      [{ value: 1, fromIndex: index }, 'type', /fromName and fromIndex.*another run/],
      [{ from: clean, fromName: 3 }, 'type', /fromName must be the name of a tensor, got 3/],
      [{ from: clean, fromIndex: 3 }, 'index', /fromIndex must be an array/],
      [{ from: clean, value: 3 }, 'type', /either value or from/],
      [{ from: new Map() }, 'type', /from must be the name of a tensor, got .*; it may also be a run or a trace/]
    ]) {
      const full = { name: target, index, ...(how === 'observe' && edit.fromName === undefined && { fromName: name }), ...edit }
      if (how === 'observe' && ('value' in edit || edit.from === 'src')) delete full.fromName
      if (how === 'observe' && edit.from === 'src') full.fromName = 'x'
      assert.throws(() => runOf(4, 2, [full], how), { code, message }, `${how}: ${message}`)
    }
  }
})

test('an edit of a module\'s output that was read before it was returned is rejected', () => {
  class Early extends gf.nn.Module {
    forward(x) {
      const y = x.mul(2)
      this.read = y.sum()
      return y
    }
  }
  const module = new Early(), edits = [{ name: 'module.output', index: [0], value: 9 }]
  assert.throws(() => gf.trace(() => module(gf.ones([2])), { edits, modules: { module } }),
    { code: 'index', message: /edits of module\.output come too late, sum has read it/ })
})

test('a number stored in 16 bits cannot be copied from', () => {
  const half = gf.ones([2]).to('float16')
  const { trace } = gf.trace(() => half.to('float32'))
  const name = trace.nameOf(half)
  const edits = [{ name: 'mul', index: [null], from: trace, fromName: name }]
  assert.throws(() => gf.trace(() => gf.ones([2]).mul(3), { edits }),
    { code: 'type', message: /stored as float16/ })
})
