// Direct logit attribution: the parts of a logit sum to it, and each is what a plain computation in double precision
// gives.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { loadGolden } from '../golden/index.js'
import { CASES, filesOf as familyFiles } from '../models/family_cases.js'
import { filesOf } from '../models/golden_models.js'
import { ownModels } from './models.js'

const { interpret } = gf
const sum = values => values.reduce((total, value) => total + value, 0)
const sizeOf = parts => sum(parts.map(({ value }) => Math.abs(value)))

/** The run's tensors are float32: rounding stays below 2⁻²⁰ of what the parts sum to in absolute value. */
const ROUNDING = 2 ** -20

/** A loaded model's logits, or hidden states, as a run. */
const observe = (model, { ids, mask, ...options }) => gf.observe(() => {
  const { logits, hidden } = model.forward(ids, { ...(mask && { attentionMask: mask }), ...options })
  return logits ?? hidden
}, { modules: { model } })

/** Cells of a run's tensor that a part reads, in order. */
function cellsOf(run, { name, index }) {
  const tensor = run.tensor(name)
  const walk = (axis, at) => {
    if (axis === index.length) return [tensor.at(...at)]
    const [from, to] = Array.isArray(index[axis]) ? index[axis] : [index[axis], index[axis] + 1]
    return Array.from({ length: to - from }, (_, i) => walk(axis + 1, [...at, from + i])).flat()
  }
  return walk(0, [])
}

/** Checks everything that must hold in any attribution. */
function checkIdentities(run, options, name) {
  const found = interpret.logitAttribution(run, { ...options, bySource: true, neurons: true })
  const { parts, total, rounding, row, position } = found
  const bound = ROUNDING * sizeOf(parts)
  assert.ok(Math.abs(total - sum(parts.map(({ value }) => value))) <= bound, `${name}: ${total} and parts ${rounding}`)
  const logits = run.tensor(found.logits), at = id => logits.at(...[row, position].slice(3 - logits.shape.length), id)
  assert.equal(total, at(found.token) - (found.against === null ? 0 : at(found.against)), name)
  for (const part of parts) {
    const cells = cellsOf(run, part)
    assert.equal(cells.length, part.direction.length, `${name}: ${part.name}`)
    const value = sum(cells.map((cell, i) => cell * part.direction[i]))
    assert.ok(Math.abs(value - part.value) <= 1e-12 * (1 + sizeOf(parts)), `${name}: ${part.name} from its cells`)
    if (part.sources) assert.ok(Math.abs(sum([...part.sources]) - part.value) <= bound, `${name}: sources of ${part.name}`)
    if (part.neurons) assert.ok(Math.abs(sum([...part.neurons.values]) + part.neurons.bias - part.value) <= bound,
      `${name}: neurons of ${part.name}`)
  }
  return found
}

const count = (parts, role) => parts.filter(part => part.role === role).length

for (const item of CASES) test(`${item.name}: parts sum to the logit`, async () => {
  const { model, config } = await gf.models.load(familyFiles(item)), { ids, mask } = item
  const run = observe(model, { ids, mask })
  const B = item.ids.length, layers = config.num_hidden_layers ?? config.n_layer ?? config.num_layers
  const heads = config.num_attention_heads ?? config.n_head ?? config.num_heads
  for (const options of [{}, { position: 2, token: 3 }, { token: 1, against: 5 }, { row: B - 1, position: -2 }]) {
    const { parts } = checkIdentities(run, options, item.name)
    const numbers = parts.filter(({ role }) => role === 'head').map(({ layer, head }) => `${layer} ${head}`)
    assert.equal(numbers.length, layers * heads, `${item.name}: heads`)
    assert.equal(new Set(numbers).size, numbers.length, `${item.name}: a number for each head`)
    assert.equal(count(parts, 'feed_forward'), layers, `${item.name}: feed-forward`)
    assert.equal(count(parts, 'embedding'), 1, `${item.name}: embedding`)
    assert.equal(count(parts, 'other') + count(parts, 'attention'), 0, `${item.name}: nothing is left over`)
  }
  run.dispose()
  model.dispose()
})

for (const item of loadGolden('models').cases) test(`${item.name}: parts sum to the output`, async () => {
  const { model } = await gf.models.load(filesOf(item)), run = observe(model, item.inputs)
  for (const options of [{}, { position: 0, token: 3 }, { token: 1, against: 5 }]) {
    const { parts } = checkIdentities(run, options, item.name)
    assert.equal(count(parts, 'other') + count(parts, 'attention') + count(parts, 'input'), 0, item.name)
    assert.ok(count(parts, 'embedding') === 1 && count(parts, 'head') > 0 && count(parts, 'feed_forward') > 0, item.name)
  }
  run.dispose()
  model.dispose()
})

for (const { name, model, forward } of ownModels()) test(`${name}: parts sum to the logit, in any row and at T = 1`, () => {
  const run = gf.observe(() => forward(), { modules: { model } })
  for (const options of [{}, { row: 1, position: 1, token: 2 }, { token: 0, against: 4, row: 1 }]) {
    const { parts } = checkIdentities(run, options, name)
    assert.equal(count(parts, 'other') + count(parts, 'attention'), 0, name)
    assert.deepEqual([count(parts, 'embedding'), count(parts, 'position'), count(parts, 'feed_forward')], [1, 1, 2], name)
    assert.equal(count(parts, 'head'), name.startsWith('translator') ? 12 : name === 'heads first' ? 8 : 6, name)
  }
  run.dispose()
  if (name === 'heads written out') return
  const short = gf.observe(() => forward([[3], [5]]), { modules: { model } })
  checkIdentities(short, {}, `${name}, T = 1`)
  short.dispose()
})

/* Each part against a plain computation ---------------------------------------------------------------------------- */

/** A tensor of a run as nested arrays of doubles. */
const nested = (run, name) => run.tensor(name).to('float32').toArray()

/** A norm of a vector with the divisor that it has for x. */
function heldNorm(v, x, { weight, eps, isCentered }) {
  const mean = isCentered ? sum(x) / x.length : 0, own = isCentered ? sum(v) / v.length : 0
  const rstd = 1 / Math.sqrt(sum(x.map(value => (value - mean) ** 2)) / x.length + eps)
  return v.map((value, c) => (value - own) * rstd * (weight ? weight[c] : 1))
}

/** matrix [out, in] times vector, some of the matrix's columns. */
const times = (matrix, v, from = 0) => matrix.map(row => sum(v.map((value, i) => value * row[from + i])))

/** What a vector that is added to the residual stream does to a logit, through the norms that follow it. */
function push(run, vector, norms, unembedding, { row, position }) {
  const v = norms.reduce((at, { x, weight, ...norm }) => heldNorm(at, nested(run, x)[row][position],
    { ...norm, weight: weight && nested(run, weight) }), vector)
  return sum(v.map((value, c) => value * unembedding[c]))
}

/** What a head adds to the residual stream, and from each source position, computed from weights and values. */
function headVectors(run, { path, output, head, heads, kvHeads = heads }, { row, position }) {
  const weights = nested(run, `${path}.weights`)[row][head][position], matrix = nested(run, output)
  const values = nested(run, `${path}.v`)[row], D = values[0].length / kvHeads, kv = Math.floor(head / (heads / kvHeads))
  const own = values.map(row => row.slice(kv * D, (kv + 1) * D))
  return weights.map((weight, k) => times(matrix, own[k].map(value => value * weight), head * D))
}

/** Compares the parts of a run with the plain computation. */
function checkParts(run, parts, { headsOf, norms, unembedding, name }, at) {
  const size = sizeOf(parts)
  const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 2e-6 * size, `${name}: ${what}: ${a} and ${b}`)
  for (const part of parts) {
    const after = norms(part)
    if (part.role === 'head') {
      const vectors = headVectors(run, { ...headsOf(part.layer, part.name), head: part.head }, at)
      const sources = vectors.map(vector => push(run, vector, after, unembedding, at))
      near(part.value, sum(sources), `head ${part.layer} ${part.head}`)
      sources.forEach((value, k) => near(part.sources[k], value, `head ${part.layer} ${part.head} from ${k}`))
    } else if (['bias', 'norm'].includes(part.role)) {
      near(part.value, push(run, nested(run, part.name), after, unembedding, at), part.name)
    } else {
      const vector = nested(run, part.name)[at.row][at.position]
      near(part.value, push(run, vector, after, unembedding, at), part.name)
    }
  }
}

test('GPT-2: every part equals the plain computation', async () => {
  const item = loadGolden('models').cases.find(({ name }) => name === 'gpt2: linear, prefix')
  const { model, config } = await gf.models.load(filesOf(item)), run = observe(model, item.inputs)
  const at = { row: 1, position: 2 }, { parts } = checkIdentities(run, { ...at, token: 4 }, item.name)
  const last = { x: 'model.h.1.output', weight: 'model.ln_f.weight', eps: config.layer_norm_epsilon ?? 1e-5, isCentered: true }
  checkParts(run, parts, {
    name: item.name, unembedding: nested(run, 'model.wte.weight')[4], norms: ({ role }) => (role === 'norm' ? [] : [last]),
    headsOf: layer => ({
      path: `model.h.${layer}.self_attn`, output: `model.h.${layer}.self_attn.out_proj.weight`, heads: config.n_head
    })
  }, at)
  run.dispose()
  model.dispose()
})

test('a Llama with grouped heads and a parallel GPT-NeoX: every part equals the plain computation', async () => {
  for (const [name, isCentered] of [['llama: biases', false], ['gpt_neox: parallel', true]]) {
    const item = CASES.find(candidate => candidate.name === name), at = { row: 0, position: 5 }
    const { model, config } = await gf.models.load(familyFiles(item)), run = observe(model, { ids: item.ids })
    const { parts } = checkIdentities(run, { ...at, token: 4 }, name)
    const final = run.steps.find(({ outputs }) => outputs.out === 'model.norm.output'), unembed = run.steps.at(-1)
    const last = { x: final.inputs.x, weight: 'model.norm.weight', eps: final.parameters.eps, isCentered }
    checkParts(run, parts, {
      name, unembedding: nested(run, unembed.inputs.weight)[4], norms: ({ role }) => (role === 'norm' ? [] : [last]),
      headsOf: layer => ({
        path: `model.layers.${layer}.self_attn`, output: `model.layers.${layer}.self_attn.o_proj.weight`,
        heads: config.num_attention_heads, kvHeads: config.num_key_value_heads ?? config.num_attention_heads
      })
    }, at)
    run.dispose()
    model.dispose()
  }
})

test('norms after the sum: every part equals the plain computation through all of them', () => {
  const { model, forward } = ownModels().find(({ name }) => name === 'post-norm')
  const run = gf.observe(() => forward(), { modules: { model } }), at = { row: 1, position: 2 }
  const { parts } = checkIdentities(run, { ...at, token: 4 }, 'post-norm')
  const all = [0, 1].flatMap(layer => [1, 2].map(n => ({
    x: `model.layers.${layer}.residual${n}`, weight: `model.layers.${layer}.norm${n}.weight`, eps: 1e-5, isCentered: true
  })))
  /** How many norms come before a part is added. */
  const before = ({ name, layer, role }) => {
    if (layer === null) return 0
    const n = 2 * layer + Number(/linear2|norm/.test(name)) + Number(/norm2/.test(name))
    return role === 'norm' && n === 0 ? 1 : n
  }
  const head = parts.find(({ name }) => name === 'model.head.bias')
  assert.equal(head.value, run.tensor('model.head.bias').at(4))
  checkParts(run, parts.filter(part => part !== head), {
    name: 'post-norm', unembedding: nested(run, 'model.head.weight')[4], norms: part => all.slice(before(part)),
    headsOf: layer => ({
      path: `model.layers.${layer}.self_attn`, output: `model.layers.${layer}.self_attn.out_proj.weight`, heads: 3
    })
  }, at)
  run.dispose()
})

test('what an edit sets is a part of its own, and a head that was switched off is one of value 0', () => {
  const { model, forward } = ownModels()[0]
  const off = gf.observe(() => forward(), {
    modules: { model }, edits: [{ name: 'model.layers.0.self_attn.heads', index: [null, null, [4, 8]], value: 0 }]
  })
  const { parts } = checkIdentities(off, {}, 'a head off')
  const [head] = parts.filter(({ layer, head: number }) => layer === 0 && number === 1)
  assert.deepEqual([head.value, head.role], [0, 'head'])
  off.dispose()
  const set = gf.observe(() => forward(), {
    modules: { model }, edits: [{ name: 'model.layers.0.output', index: [null, 3, null], value: 0.5 }]
  })
  const roles = checkIdentities(set, {}, 'a layer set').parts.map(({ role, layer }) => `${layer} ${role}`)
  assert.ok(roles.includes('0 edit') && !roles.includes('0 head') && !roles.some(role => role.endsWith('embedding')))
  set.dispose()
})

test('attentions whose matrices were left out have the same sources', () => {
  const { model, forward } = ownModels()[0]
  const [all, none] = [undefined, []].map(keepAttention => {
    const run = gf.observe(() => gf.noGrad(() => forward()), { modules: { model }, keepAttention })
    const { parts } = interpret.logitAttribution(run, { bySource: true })
    run.dispose()
    return parts
  })
  assert.deepEqual(none, all)
})

test('says what is wrong with its arguments', () => {
  const { model, forward } = ownModels()[0], run = gf.observe(() => forward(), { modules: { model } })
  const throws = (options, code, message) => (
    assert.throws(() => interpret.logitAttribution(run, options), { code, message }))
  throws({ position: 4 }, 'range', /position must be an integer from -4 to 3, got 4/)
  throws({ token: 11 }, 'range', /token must be an integer from 0 to 10/)
  throws({ against: 1.5 }, 'range', /against must be an integer/)
  throws({ token: 3, against: 3 }, 'range', /against must be another token than 3/)
  throws({ row: 2 }, 'range', /row must be an integer from 0 to 1/)
  throws({ heads: true }, 'type', /there is no option "heads"/)
  throws({ neurons: 1 }, 'type', /neurons must be true or false/)
  throws({ logits: 'model.layers.0.self_attn.weights' }, 'shape', /must be logits \[B, T, V\]/)
  throws({ logits: 'model.head.weight' }, 'state', /was not computed in the run/)
  assert.throws(() => interpret.logitAttribution({}), { code: 'type', message: /run must be a Run, as gf.observe returns it/ })
  run.dispose()
  throws({}, 'state', /logitAttribution: the run was disposed/)
})
