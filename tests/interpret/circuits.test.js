// OV and QK circuits of heads and their composition against float64 products of the weights, and against the scores
// that models compute.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { pageRun } from '../lib/page.js'
import { assertClose } from '../lib/compare.js'
import { CASES, filesOf } from '../models/family_cases.js'
import { createFunction } from './decoders.js'
import { ownModels } from './models.js'
import { frobenius, headRows, multiply, norm, rowsOf, shift, transpose } from './matrices.js'

const { ovCircuit, qkCircuit, compositionScores } = gf.interpret
const toRows = (tensor, rows = tensor.toArray()) => tensor.dispose() ?? rows
const close = (actual, expected, name) => {
  const [found, wanted] = [actual, expected].map(list => ({ shape: [list.flat().length], data: list.flat() }))
  assertClose(found, wanted, { tol: 2e-5 * Math.max(1, ...wanted.data.map(Math.abs)), name })
}
const own = name => ownModels().find(model => model.name === name)
const load = async name => {
  const item = CASES.find(other => other.name === name), { model, config } = await gf.models.load(filesOf(item))
  return { model, config, run: gf.observe(() => model.forward(item.ids).logits, { modules: { model } }) }
}

/**
 * The circuits of a head by definition. qkvo: weights [D, C] and biases of q, k and v and [C, D] of the output; before:
 * the norm at the head's input; after: those that the output passes on its way to the logits.
 */
function circuitsOf({ embedding, before, q, k, v, o, biases, after, head, scale }) {
  const read = before ? norm(embedding, before) : embedding, zero = before?.bias ?? embedding[0].map(() => 0)
  const values = multiply(read, transpose(v)), constant = multiply([zero], transpose(v))[0].map(value => -value)
  const written = after.reduce((rows, { weight, isCentered }) => norm(rows, { weight, isCentered }),
    multiply(shift(values, [constant]), transpose(o)))
  const [queries, keys] = [[q, biases?.q], [k, biases?.k]].map(([w, b]) => {
    const rows = multiply(read, transpose(w))
    return b ? shift(rows, [b]) : rows
  })
  const qk = multiply(queries, transpose(keys)).map(row => row.map(x => x * scale))
  return { ov: multiply(written, transpose(head)), qk }
}

/** The parts of a layer of PyTorch, for circuitsOf. */
function layerParts(model, layer, head, heads) {
  const { self_attn: { in_proj_weight: all, in_proj_bias: bias, out_proj: out } } = layer
  const C = all.shape[1], D = C / heads
  const part = (rows, n) => headRows(rows.slice(n * C, (n + 1) * C), head, D), weights = rowsOf(all)
  const column = bias && bias.toArray().map(value => [value])
  const [q, k, v] = [0, 1, 2].map(n => part(weights, n))
  return {
    q, k, v, o: rowsOf(out.weight).map(row => row.slice(head * D, (head + 1) * D)), scale: 1 / Math.sqrt(D),
    biases: bias && { q: part(column, 0).flat(), k: part(column, 1).flat() }, embedding: rowsOf(model.embedding.weight),
    head: rowsOf(model.head.weight)
  }
}

const normOf = ({ weight, bias, eps }, more = {}) => ({ weight: weight.toArray(), bias: bias?.toArray(), eps, ...more })

for (const [name, layers] of Object.entries({
  'pre-norm': [0, 1], 'pre-norm without biases': [1], 'post-norm': [0, 1]
})) test(`${name}: both circuits equal products of the weights`, () => {
  const { model, forward } = own(name), run = gf.observe(() => forward(), { modules: { model } })
  for (const layer of layers) for (const head of [0, 2]) {
    const module = model.layers[layer], isPre = name !== 'post-norm'
    const later = [...model.layers].slice(layer).flatMap(({ norm1, norm2 }, i) => (i ? [norm1, norm2] : [norm1, norm2]))
    const { ov, qk } = circuitsOf({
      ...layerParts(model, module, head, 3), before: isPre ? normOf(module.norm1, { eps: 1e-5 }) : null,
      after: (isPre ? [model.norm] : later).map(item => normOf(item))
    })
    const found = ovCircuit(run, { layer, head, matrix: true, top: 5 })
    const scores = qkCircuit(run, { layer, head, matrix: true })
    close(toRows(found.matrix), ov, `${name} OV ${layer} ${head}`)
    close(toRows(scores.matrix), qk, `${name} QK ${layer} ${head}`)
    const cells = ov.flatMap((row, i) => row.map((value, j) => [i, j, value])).sort((a, b) => b[2] - a[2])
    assert.deepEqual(found.top.map(({ source, target }) => [source, target]), cells.slice(0, 5).map(([i, j]) => [i, j]))
    const copied = ov.filter((row, i) => row.every((value, j) => i === j || value < row[i]))
    assert.equal(found.copyingScore, copied.length / 11)
    close([...found.diagonal], ov.map((row, i) => row[i]), 'diagonal')
    assert.deepEqual([found.axes, scores.axes, scores.top.length], [['source', 'target'], ['query', 'key'], 10])
  }
  run.dispose()
})

test('heads with modules and with axes of their own', () => {
  const { model, forward } = own('heads written out'), run = gf.observe(() => forward(), { modules: { model } })
  const layer = model.layers[1], { key, query, value } = [...layer.get('heads')][2]
  const parts = { embedding: rowsOf(model.token.weight), head: rowsOf(model.token.weight), scale: 0.5 }
  const { ov, qk } = circuitsOf({
    ...parts, q: rowsOf(query.weight), k: rowsOf(key.weight), v: rowsOf(value.weight),
    o: rowsOf(layer.get('proj').weight).map(row => row.slice(8)),
    before: normOf(layer.get('norm1'), { eps: 1e-5 }), after: [normOf(model.norm)]
  })
  close(toRows(ovCircuit(run, { layer: 1, head: 2, matrix: true }).matrix), ov, 'OV')
  close(toRows(qkCircuit(run, { layer: 1, head: 2, matrix: true }).matrix), qk, 'QK')
  run.dispose()

  // Two heads of queries read each head of keys and values; the layer's sum is halved.
  const other = own('heads first'), second = gf.observe(() => other.forward(), { modules: { model: other.model } })
  const [first] = other.model.h, kv = first.get('kv')
  const rms = { weight: first.get('norm').weight.toArray(), isCentered: false }
  for (const head of [1, 2]) {
    const shared = head >> 1
    const bias = [[first.get('q'), head], [kv, shared]].map(([linear, n]) => linear.bias.toArray().slice(n * 3, n * 3 + 3))
    const expected = circuitsOf({
      embedding: rowsOf(other.model.wte.weight), head: rowsOf(other.model.wte.weight), after: [],
      scale: 1 / Math.sqrt(3),
      before: { ...rms, eps: 2 ** -23 }, q: headRows(rowsOf(first.get('q').weight), head, 3),
      k: headRows(rowsOf(kv.weight), shared, 3), v: headRows(rowsOf(kv.weight), 2 + shared, 3),
      biases: { q: bias[0], k: bias[1] },
      o: rowsOf(first.get('proj').weight).map(row => row.slice(head * 3, head * 3 + 3).map(value => value / 2))
    })
    close(toRows(ovCircuit(second, { layer: 0, head, matrix: true }).matrix), expected.ov, `OV ${head}`)
    close(toRows(qkCircuit(second, { layer: 0, head, matrix: true }).matrix), expected.qk, `QK ${head}`)
  }
  second.dispose()
})

// Models without a table of positions: in the first layer, the scores of a text are those of its tokens.
const RELATIVE = CASES.filter(({ config: { model_type: type, apply_rotary_pos_emb: isNeoX }, name }) => (
  !/gpt_neo$|gpt_bigcode|^opt|gpt2/.test(type) && isNeoX !== false && !name.includes('padded')))
for (const { name } of RELATIVE) test(`${name}: QK gives the scores of the first layer`, async () => {
  const { model, run } = await load(name), [ids] = CASES.find(item => item.name === name).ids
  const { nodes } = run.recording, node = nodes.find(({ op }) => op.name === 'attention' || op.name === 'softmax')
  const sum = run.recording.tracedProducerOf(node.inputs.x ?? node.outputs.out)
  const scores = node.op.name === 'attention' ? node.outputs.scores : sum.inputs.a
  const isRotary = nodes.some(({ op }) => op.name === 'rotary'), T = ids.length
  const H = scores.numel() / T / T, heads = scores.reshape(H, T, T).toArray()
  for (const head of [0, H - 1]) for (const distance of isRotary ? [0, 3] : [undefined]) {
    const { matrix } = qkCircuit(run, { layer: 0, head, distance, matrix: true }), rows = toRows(matrix)
    const isPair = (i, j) => i >= j && (distance ?? i - j) === i - j
    const pairs = ids.flatMap((_, i) => ids.flatMap((_, j) => (isPair(i, j) ? [[i, j]] : [])))
    const found = pairs.map(([i, j]) => rows[ids[i]][ids[j]])
    close(found, pairs.map(([i, j]) => heads[head][i][j]), `${name} ${head} ${distance}`)
  }
  run.dispose()
  model.dispose()
})

test('grouped queries: OV, and composition between all heads', async () => {
  const { model, run } = await load('llama: biases'), state = model.stateDict(), D = 4, group = 3
  const rows = key => rowsOf(state[key]), at = (layer, name) => rows(`layers.${layer}.${name}.weight`)
  const gain = key => ({ weight: state[key].toArray(), isCentered: false })
  const parts = (layer, head) => {
    const { weight } = gain(`layers.${layer}.input_layernorm.weight`)
    const folded = list => list.map(row => row.map((value, c) => value * weight[c]))
    const part = (name, own) => headRows(at(layer, `self_attn.${name}`), own, D), kv = Math.floor(head / group)
    return { v: part('v_proj', kv), q: folded(part('q_proj', head)), k: folded(part('k_proj', kv)),
      foldedV: folded(part('v_proj', kv)), o: at(layer, 'self_attn.o_proj').map(row => row.slice(head * D, (head + 1) * D)) }
  }
  for (const [layer, head] of [[0, 4], [1, 2]]) {
    const { v, o, q, k } = parts(layer, head), embedding = rows('embed_tokens.weight')
    const { ov } = circuitsOf({
      embedding, q, k, v, o, scale: 1, head: rows('lm_head.weight'), after: [gain('norm.weight')],
      before: { ...gain(`layers.${layer}.input_layernorm.weight`), eps: 1e-5 }
    })
    close(toRows(ovCircuit(run, { layer, head, matrix: true }).matrix), ov, `OV ${layer} ${head}`)
  }
  const found = compositionScores(run)
  assert.deepEqual(found.heads, [0, 1].flatMap(layer => [0, 1, 2, 3, 4, 5].map(head => ({ layer, head }))))
  for (const sender of [0, 5]) for (const receiver of [6, 9, 11]) {
    const a = parts(0, sender), b = parts(1, receiver - 6)
    // Columns are what a head reads: W_OV = O V, and W_QK = Qᵀ K, as in the paper.
    const ov = multiply(a.o, a.foldedV), qk = multiply(transpose(b.q), b.k), later = multiply(b.o, b.foldedV)
    const score = (product, first, second) => frobenius(product) / frobenius(first) / frobenius(second)
    close([found.q[sender][receiver], found.k[sender][receiver], found.v[sender][receiver]],
      [[transpose(qk), qk], [qk, qk], [later, later]].map(([w, own]) => score(multiply(w, ov), own, ov)), 'composition')
  }
  assert.ok(Number.isNaN(found.q[6][0]) && Number.isNaN(found.k[0][5]) && found.v[0][6] > 0)
  run.dispose()
  model.dispose()
})

test('composition in a model whose norms subtract the mean, and whose heads have modules', () => {
  for (const name of ['pre-norm', 'heads written out']) {
    const { model, forward } = own(name), run = gf.observe(() => forward(), { modules: { model } })
    const parts = (layer, head) => {
      const module = model.layers[layer], isOwn = name === 'heads written out'
      const norm1 = (isOwn ? module.get('norm1') : module.norm1).weight.toArray()
      const modules = isOwn && [...module.get('heads')][head]
      const raw = isOwn ? {
        q: rowsOf(modules.query.weight), k: rowsOf(modules.key.weight), v: rowsOf(modules.value.weight),
        o: rowsOf(module.get('proj').weight).map(row => row.slice(head * 4, head * 4 + 4))
      } : layerParts(model, module, head, 3)
      const read = rows => rows.map(row => {
        const gained = row.map((value, c) => value * norm1[c]), mean = gained.reduce((a, b) => a + b, 0) / 12
        return gained.map(value => value - mean)
      })
      return { q: read(raw.q), k: read(raw.k), v: read(raw.v), o: raw.o }
    }
    const { k } = compositionScores(run), a = parts(0, 1), b = parts(1, 2)
    const ov = multiply(a.o, a.v), qk = multiply(transpose(b.q), b.k)
    close([k[1][5]], [frobenius(multiply(qk, ov)) / frobenius(qk) / frobenius(ov)], name)
    run.dispose()
  }
})

test('some tokens; attention of single operations; a large vocabulary in blocks', () => {
  const { model, forward } = own('pre-norm'), run = gf.observe(() => forward(), { modules: { model } }), tokens = [7, 2, 5]
  const all = toRows(ovCircuit(run, { layer: 0, head: 1, matrix: true }).matrix)
  const some = ovCircuit(run, { layer: 0, head: 1, matrix: true, tokens, top: 1 }), rows = toRows(some.matrix)
  close(rows, tokens.map(source => tokens.map(target => all[source][target])), 'tokens')
  const best = Math.max(...rows.flat()), at = rows.flat().indexOf(best)
  assert.deepEqual(some.top, [{ source: tokens[Math.floor(at / 3)], target: tokens[at % 3], value: best }])
  assert.equal(ovCircuit(run, { layer: 0, head: 1 }).matrix, undefined)
  run.dispose()

  const fn = createFunction(), single = gf.observe(() => fn([[3, 1, 4, 1]]))
  // Of the only token at the first position, every head of the first layer writes the value itself.
  const difference = [0, 5].map(id => gf.tidy(() => gf.trace(() => fn([[id, 1]])).trace)).map(trace => {
    const product = trace.nodes.filter(({ op }) => op.name === 'matmul')[4]
    return { head: product.outputs.out.index(0, 2, 0).toArray(), trace }
  })
  const nodes = single.recording.nodes.filter(({ op }) => op.name === 'matmul'), [, , , , , out] = nodes
  const written = rowsOf(out.inputs.b).slice(8, 12), [a, b] = difference.map(({ head }) => head)
  const [row] = multiply([a.map((value, i) => value - b[i])], written, rowsOf(nodes.at(-1).inputs.b))
  const ov = toRows(ovCircuit(single, { layer: 0, head: 2, matrix: true }).matrix)
  close(ov[0].map((value, j) => value - ov[5][j]), row, 'single operations')
  for (const { trace } of difference) trace.dispose()
  single.dispose()

  gf.manualSeed(2)
  const V = 3000, table = new gf.nn.Embedding(V, 4)
  const layer = new gf.nn.TransformerEncoderLayer(4, 1, { dimFeedforward: 4, normFirst: true }).eval()
  const compute = () => gf.functional.linear(layer(table([[3, 1, 4, 1]])), table.weight)
  const large = gf.observe(compute, { modules: { table, layer } })
  const { top, matrix, copyingScore } = ovCircuit(large, { layer: 0, head: 0, matrix: true, top: 4 })
  const { values } = matrix
  const expected = Array.from(values, (value, i) => i).sort((a, b) => values[b] - values[a]).slice(0, 4)
  assert.deepEqual(top, expected.map(i => ({ source: Math.floor(i / V), target: i % V, value: values[i] })))
  assert.ok(copyingScore >= 0 && copyingScore < 1)
  matrix.dispose()
  large.dispose()
})

test('induction: the keys of induction heads are composed with the previous-token head, and they copy', () => {
  const { run } = pageRun({ model: 'induction' }).workerRun, { heads, q, k, v } = compositionScores(run)
  const { nodes } = run.recording, { ids } = nodes.find(({ op }) => op.name === 'embedding').saved
  const { previous: [first], induction: [, second] } = gf.interpret.headScores(run, { ids: [...ids.values] })
  const previous = first.indexOf(Math.max(...first))
  assert.ok(first[previous] > 0.9)
  second.forEach((score, head) => {
    assert.ok(score > 0.9)
    const receiver = heads.findIndex(item => item.layer === 1 && item.head === head)
    const column = matrix => first.map((_, sender) => matrix[sender][receiver])
    assert.equal(column(k).indexOf(Math.max(...column(k))), previous, `head ${head}`)
    assert.ok(k[previous][receiver] > 3 * Math.max(q[previous][receiver], v[previous][receiver]))
    assert.ok(ovCircuit(run, { layer: 1, head, logits: 'output' }).copyingScore > 0.95)
  })
})

test('says what is wrong', async () => {
  const { model, forward } = own('pre-norm'), run = gf.observe(() => forward(), { modules: { model } })
  for (const [options, code, message] of [
    [{ layer: 2, head: 0 }, 'range', /ovCircuit: layer must be an integer from 0 to 1, got 2/],
    [{ layer: 0, head: 3 }, 'range', /ovCircuit: head must be an integer from 0 to 2, got 3/],
    [{ layer: 0, head: 0, top: -1 }, 'range', /top must be/], [{ layer: 0, head: 0, tokens: [11] }, 'range', /tokens\[0\] must be/],
    [{ layer: 0, head: 0, tokens: 3 }, 'type', /tokens must be an array of ids, got 3/], [{ layer: 0, head: 0, matrix: 1 }, 'type', /matrix/],
    [{ layer: 0, head: 0, distance: 1 }, 'type', /there is no option "distance"/],
    [{ layer: 0, head: 0, logits: 'model.embedding.output' }, 'state', /was not computed from/]
  ]) assert.throws(() => ovCircuit(run, options), { code, message }, String(message))
  assert.throws(() => qkCircuit(run, { layer: 0, head: 0, distance: 1 }), { code: 'type', message: /distance must be left out/ })
  assert.throws(() => ovCircuit({}, {}), { code: 'type', message: /run must be a Run/ })
  assert.throws(() => compositionScores({}), { code: 'type', message: /run must be a Run/ })
  run.dispose()
  assert.throws(() => ovCircuit(run, { layer: 0, head: 0 }), { code: 'state', message: /the run was disposed/ })
  const llama = await load('llama: biases')
  assert.throws(() => qkCircuit(llama.run, { layer: 0, head: 0 }), { code: 'type', message: /distance must be given, since the head rotates/ })
  llama.run.dispose()
  const capped = await load('gemma2: caps')
  assert.throws(() => ovCircuit(capped.run, { layer: 0, head: 0 }), { code: 'state', message: /tanh, which computes model.tanh, is not linear/ })
  const name = capped.run.names.findLast(other => /linear|lm_head/.test(other))
  assert.equal(ovCircuit(capped.run, { layer: 0, head: 0, logits: name }).top.length, 10)
  capped.run.dispose()
  const table = new gf.nn.Embedding(5, 4), single = gf.observe(() => table([[1, 2]]).add(1), { modules: { table } })
  assert.throws(() => compositionScores(single), { code: 'state', message: /two layers of self-attention or more, got 0/ })
  assert.throws(() => ovCircuit(single, { layer: 0, head: 0 }), { code: 'range', message: /layer must be/ })
  single.dispose()
})
