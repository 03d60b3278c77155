// Edits and settings change exactly the tensors that are computed from them, by the graph of the run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexOf } from '../../src/js/tensor/shape.js'
import { groupEdits, isEditable, withEdit, withoutEdit } from '../../web/lib/edits.js'
import { settingsOf } from '../../web/models/index.js'
import { defaults, fromHash, toHash } from '../../web/models/state.js'
import { everyNth } from '../lib/long.js'
import { pageRun, makeDetachedRun } from '../lib/page.js'

const ANSWER = { target: '2026년 11월 20일' }
const SENTENCES = { model: 'sentences', text: 'one two three\nfour five', dModel: 8, heads: 2, maxLength: 6 }

const makeRun = (edits, settings = ANSWER) => makeDetachedRun(settings, edits)
const toBits = ({ data }) => new Int32Array(data.buffer, data.byteOffset, data.length)
function isSame(one, other, name) {
  const [a, b] = [one, other].map(({ tensors }) => tensors.get(name))
  return a.data.length === b.data.length && toBits(a).every((x, i) => x === toBits(b)[i])
}
const joinTokens = ({ decoding }) => decoding.steps.map(({ token }) => token).join('')
const listChanged = (a, b) => [...a.tensors.keys()].filter(name => !isSame(a, b, name))
const offsetOf = ({ shape }, index) => index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)

const sourcesOf = ({ tensors }, name) => {
  const { inputs, role } = tensors.get(name)
  return [...Object.values(inputs), ...(role === 'cut_mask' ? ['sampling.tempered'] : [])]
}

/** Every tensor that is computed, at whatever distance, from these; they themselves included. */
function listDependents(from, names) {
  const reached = new Set(names)
  const isNext = name => !reached.has(name) && sourcesOf(from, name).some(source => reached.has(source))
  for (let grew = true; grew;) {
    const more = [...from.tensors.keys()].filter(isNext)
    more.forEach(name => reached.add(name))
    grew = more.length > 0
  }
  return reached
}

/** The unit of a feed-forward with the largest activation; an edit of a unit that is always 0 would change nothing. */
function strongestUnit(makeRun, name) {
  const { data, shape } = makeRun.tensors.get(name.replace(/linear[12].*/, 'activation'))
  return data.indexOf(Math.max(...data)) % shape.at(-1)
}

/**
 * A cell that says something: the last query's first key, a key and a value that all queries meet, a word that is used,
 * a row of W_V, a unit that fires.
 */
function cellOf({ shape }, name, makeRun) {
  if (name === 'log_probs') return [0, makeRun.decoding.steps[0].id]
  if (name === 'target_embedding.weight') return [5, 1]
  if (name === 'source_embedding.weight') return [21, 16]
  if (/in_proj/.test(name)) return [shape[0] - 1, 1].slice(0, shape.length)
  if (name.endsWith('.pe')) return [1, 2]
  if (/linear1\.(weight|bias)/.test(name)) return [strongestUnit(makeRun, name), 16].slice(0, shape.length)
  if (name.endsWith('linear2.weight')) return [16, strongestUnit(makeRun, name)]
  const middle = shape.map(side => Math.floor(side / 2))
  if (shape.length < 3) return middle
  const last = shape.length === 4 ? 0 : middle.at(-1)
  return [0, ...shape.slice(1, -2).map(() => 0), /\.[kv]$/.test(name) ? 0 : shape.at(-2) - 1, last]
}

/** Dependents that do not change: an edit of W_V leaves queries, keys and weights as they are. */
function unaffected(first, name, changes) {
  if (!/in_proj/.test(name)) return []
  const stem = name.replace(/in_proj.*/, '')
  const candidates = ['q', 'k', 'dots', 'scores', 'masked_scores', 'weights', 'dropout.output'].map(part => stem + part)
  return candidates.filter(item => first.tensors.has(item) && !changes.includes(item))
}

const first = makeRun([])
const editable = item => [...item.tensors.keys()].filter(
  name => isEditable(item, { name, index: item.tensors.get(name).shape }))

const CASES = {
  'the translator': ANSWER, 'the translator, in training': { ...ANSWER, training: true, dropout: 0.2 },
  'the translator, its positions to be learned': { ...ANSWER, positions: 'learned' },
  'sentences': SENTENCES,
  'sentences, in training': { ...SENTENCES, training: true, dropout: 0.3, causal: true, positions: 'learned' }
}
for (const [title, settings] of Object.entries(CASES)) {
  test(`${title}: an edit of any tensor changes exactly what is computed from it`, () => {
    const plain = makeRun([], settings)
    const names = editable(plain)
    assert.ok(names.length > (settings.model ? 16 : 150), `${names.length}`)
    for (const name of everyNth(names, 3)) {
      const index = cellOf(plain.tensors.get(name), name, plain)
      const edited = makeRun([{ name, index, value: 7.5 }], settings)
      assert.equal(edited.tensors.get(name).data[offsetOf(edited.tensors.get(name), index)], 7.5, name)
      assert.deepEqual(edited.unusedEdits, [], name)
      const changes = listChanged(plain, edited)
      const dependents = listDependents(plain, [name])
      const wrong = changes.filter(change => !dependents.has(change))
      assert.deepEqual(wrong, [], `${name} changed`)
      if (settings.training) continue
      const missing = [...dependents].filter(item => !changes.includes(item) && item !== 'sampling.choice.mask')
      assert.deepEqual(new Set(missing), new Set(unaffected(plain, name, changes)), `${name} did not reach`)
    }
  })
}

test('each switch changes what is computed from it, and nothing else', () => {
  const all = pattern => [...first.tensors.keys()].filter(name => pattern.test(name))
  const cases = {
    'positional': [{ positional: false }, ['positions.output', 'positions.output:2']],
    'positions': [{ positions: 'concatenated' }, ['positions.pe']], 'base': [{ base: 100 }, ['positions.pe']],
    'positions, learned': [{ positions: 'learned' }, ['positions.output', 'positions.output:2']],
    'scale': [{ scale: false }, all(/attn\.scores$/)],
    'activation': [{ activation: 'gelu' }, all(/\.activation$/)],
    'normFirst': [{ normFirst: true },
      all(/layers\.\d\.((self|multihead)_attn\.[qkv]|linear1\.output|residual\d|norm\d\.output|output)$/)],
    'temperature': [{ temperature: 2 }, ['sampling.inverse_temperature']],
    'topK': [{ topK: 2 }, ['sampling.choice.mask']], 'topP': [{ topP: 0.5 }, ['sampling.choice.mask']],
    'fault, swapped': [{ fault: 'swapped' }, all(/attn\.[kv]$/)],
    'fault, norm': [{ fault: 'tokenNorm' }, all(/norm\d\.output$|layers\.\d\.output$|coder\.output$/)],
    'fault, positions': [{ fault: 'batchPositions' }, ['positions.output', 'positions.output:2']],
    'dropout': [{ training: true, dropout: 0.5 },
      ['positions.output', 'positions.output:2', ...all(/attn\.(heads|weights)$|residual\d$|linear2\.output$/)]]
  }
  for (const [name, [settings, roots]] of Object.entries(cases)) {
    const changedRun = makeRun([], { ...ANSWER, ...settings })
    const common = [...first.tensors.keys()].filter(tensor => changedRun.tensors.has(tensor))
    const changes = common.filter(item => !isSame(first, changedRun, item))
    assert.ok(changes.length > 0, name)
    const dependents = listDependents(first, roots)
    assert.deepEqual(changes.filter(change => !dependents.has(change)), [], name)
  }
  assert.deepEqual(listChanged(first, makeRun([])), [])
})

test('each switch of the sentences changes what is computed from it, and nothing else', () => {
  const plain = makeRun([], SENTENCES)
  const cases = {
    causal: [{ causal: true }, ['self_attn.masked_scores']], base: [{ base: 100 }, ['positions.pe']],
    positions: [{ positions: 'concatenated' }, ['positions.pe']], heads: [{ heads: 4 }, ['self_attn.dots']],
    dropout: [{ training: true, dropout: 0.5 }, ['self_attn.q', 'self_attn.k', 'self_attn.v']],
    seed: [{ seed: 43 }, ['embedding.weight', 'self_attn.in_proj_weight', 'self_attn.out_proj.weight']]
  }
  for (const [name, [settings, roots]] of Object.entries(cases)) {
    const changes = listChanged(plain, makeRun([], { ...SENTENCES, ...settings }))
    const dependents = listDependents(plain, roots)
    assert.deepEqual(new Set(changes), dependents, name)
  }
})

test('padding changes what reads the source, and nothing that only reads the target', () => {
  const changes = listChanged(first, makeRun([], { ...ANSWER, padding: true }))
  const dependents = listDependents(first, ['source_embedding.output'])
  assert.ok(changes.includes('transformer.decoder.layers.0.multihead_attn.weights'))
  assert.deepEqual(changes.filter(name => !dependents.has(name) && name !== 'positions.sum'), [])
})

test('decoding settings change nothing before sampling, as long as the same tokens are read', () => {
  const runSettings = {}
  const greedy = makeRun([], runSettings)
  const samples = [1, 2, 3, 4, 5, 6].map(seed => makeRun([], { ...runSettings, decoding: 'sample', seed }))
  const sameTokens = samples.filter(sample => joinTokens(sample) === joinTokens(greedy))
  const comparable = [...sameTokens, makeRun([], { ...runSettings, decoding: 'beam', beams: 2 })]
  assert.ok(comparable.length > 1)
  for (const item of comparable) assert.deepEqual(listChanged(greedy, item), [])
})

test('an edit before sampling changes the token chosen there, and no earlier one', () => {
  const runSettings = {}
  assert.equal(joinTokens(makeRun([], runSettings)), '2026년11월20일</s>')
  const seven = makeRun([], runSettings).streams.target.vocabulary.indexOf('7')
  for (const name of ['output', 'sampling.tempered', 'sampling.choice.cut', 'sampling.output']) {
    for (const decoding of ['greedy', 'sample']) {
      const edited = makeRun([{ name, index: [0, 3, seven], value: 50 }], { ...runSettings, decoding })
      assert.equal(joinTokens(edited).slice(0, 4), '2027', `${name} ${decoding}`)
      assert.deepEqual(edited.unusedEdits, [])
      assert.equal(edited.streams.target.tokens[0][4], '7', 'the decoder reads it')
    }
  }
  for (const name of ['sampling.probabilities', 'log_probs']) {
    const index = name === 'log_probs' ? [3, seven] : [0, 3, seven]
    const same = joinTokens(makeRun([{ name, index, value: 50 }], runSettings))
    assert.equal(same, '2026년11월20일</s>', `nothing is chosen from ${name}`)
  }
  const beam = makeRun([{ name: 'output', index: [0, 3, seven], value: 50 }], { ...runSettings, decoding: 'beam' })
  assert.equal(joinTokens(beam).slice(0, 4), '2027')
})

test('edits apply to every beam, not only the first', () => {
  const edits = [{ name: 'output', index: [0, 1, 7], value: 90 }]
  const { tree } = makeRun(edits, { decoding: 'beam', beams: 3 }).decoding
  const second = tree.filter(({ step }) => step === 1)
  assert.deepEqual(new Set(second.filter(({ logProbability }) => logProbability > -1e-6).map(({ parent }) => parent)),
    new Set(second.map(({ parent }) => parent)))
})

test('an edit that lets a position look ahead has an effect only once that position is generated', () => {
  const edits = [{ name: 'transformer.decoder.layers.0.self_attn.weights', index: [0, 0, 2, 6], value: 9 }]
  const runs = [makeRun(edits, {}), makeRun(edits, {})]
  assert.equal(joinTokens(runs[0]), joinTokens(runs[1]), 'whatever was answered before')
})

test('an edit without a cell is kept, reported as idle, and harmless', () => {
  const idle = [
    [{ name: 'positions.dropout.mask', index: [0, 1, 2], value: 0 }, {}],
    [{ name: 'sampling.tempered', index: [0, 11, 3], value: 9 }, { target: '2026년' }],
    [{ name: 'transformer.encoder.layers.0.self_attn.weights', index: [0, 0, 9, 9], value: 1 }, {}],
    [{ name: 'transformer.decoder.layers.5.norm1.output', index: [0, 0, 0], value: 1 }, {}],
    [{ name: 'self_attn.q', index: [0, 0, 0], value: 1 }, {}]
  ]
  for (const [edit, settings] of idle) {
    for (const target of [ANSWER.target, '']) {
      const allSettings = { ...ANSWER, target, ...settings }
      const [plain, edited] = [makeRun([], allSettings), makeRun([edit], allSettings)]
      assert.deepEqual(edited.unusedEdits, [edit], edit.name)
      assert.deepEqual(listChanged(plain, edited), [], edit.name)
    }
  }
  const unusedEdits = [{ name: 'output', index: [0, 0, 0], value: 1 },
    { name: 'positions.output', index: [0, 9, 0], value: 1 }]
  assert.deepEqual(makeRun(unusedEdits, SENTENCES).unusedEdits, unusedEdits)
})

test('an edited product before the scale goes through it', () => {
  const name = 'transformer.encoder.layers.0.self_attn.dots'
  const edited = makeRun([{ name, index: [0, 1, 2, 3], value: 4 }])
  const score = edited.tensors.get(name.replace('dots', 'scores'))
  assert.equal(score.data[offsetOf(score, [0, 1, 2, 3])], Math.fround(4 * Math.fround(1 / Math.sqrt(8))))
})

test('undoing edits one by one restores the same bits', () => {
  const firstEdit = { name: 'transformer.decoder.layers.0.linear1.weight', index: [3, 1], value: -2 }
  const two = { name: 'transformer.encoder.layers.1.self_attn.weights', index: [0, 0, 1, 1], value: 1 }
  const twoEdits = withEdit(withEdit([], firstEdit), two)
  const [alone, together] = [makeRun([firstEdit]), makeRun(twoEdits)]
  for (const [edits, expected] of [[withoutEdit(twoEdits, two), alone], [[], first], [twoEdits, together]]) {
    assert.deepEqual(listChanged(expected, makeRun(edits)), [])
  }
})

test('a reopened link gives the same bits, including edits', () => {
  const edits = [
    { name: 'output', index: [0, 3, 9], value: 50 },
    { name: 'target_embedding.weight', index: [5, 1], value: Math.fround(-0.1) }
  ]
  const block = {
    model: 'sentences', text: 'one two three\nfour five', dModel: 8,
    edits: [{ name: 'positions.output', index: [0, 1, 2], value: 3 }]
  }
  for (const state of [{ ...defaults(), edits }, { ...defaults('sentences'), ...block }]) {
    const reopened = settingsOf(fromHash(toHash(state)))
    assert.deepEqual(reopened.edits, state.edits)
    assert.deepEqual(listChanged(makeRun(state.edits, settingsOf(state)), makeRun(reopened.edits, reopened)), [])
  }
})

test('the dropout mask of attention can be edited in both directions, and gradients follow', () => {
  const attention = 'transformer.decoder.layers.0.multihead_attn'
  const settings = { ...ANSWER, training: true, dropout: 0.5 }
  const plain = makeRun([], settings)
  const mask = plain.tensors.get(`${attention}.dropout.mask`)
  for (const factor of [0, 2]) {
    const flat = mask.data.findIndex(value => value === 2 - factor)
    const index = indexOf(mask.shape, flat)
    const edits = [{ name: mask.name, index, value: factor }]
    const editedRun = pageRun(settings, edits)
    assert.deepEqual(editedRun.unusedEdits, [])
    assert.equal(editedRun.tensors.get(`${attention}.dropout.output`).data[flat],
      Math.fround(factor * plain.tensors.get(`${attention}.weights`).data[flat]))
    const names = listChanged(plain, editedRun)
    assert.ok(names.includes(`${attention}.heads`) && names.includes('output'))
    const allowed = listDependents(plain, [mask.name, `${attention}.dropout.output`, `${attention}.heads`])
    assert.deepEqual(names.filter(name => !allowed.has(name)), [])
    const { edited, value, computed } = editedRun.explain(mask.name, index)
    assert.deepEqual([edited, value, computed], [true, factor, 2 - factor])
    const weight = editedRun.explainGradient(`${attention}.weights`, index).value
    assert.ok(factor === 0 ? weight === 0 : weight !== 0, 'a dropped weight has no gradient')
    editedRun.dispose()
  }
})

test('an edit that takes a place from another text survives a link, and its text is written once', () => {
  const fromText = '날씨; 50% ~ 좋다 = @a', state = { ...defaults('induction'), edits: [0, 1, 2].map(t => (
    { name: 'decoder.layers.0.self_attn.heads', index: [0, t, [16, 32]], fromText })) }
  const hash = toHash(state)
  assert.deepEqual(fromHash(hash).edits, state.edits)
  assert.equal(hash.split(encodeURIComponent(encodeURIComponent('날씨'))).length, 2)
  const mixed = [{ name: 'a', index: [0], value: 1 }, { name: 'b', index: [null], fromText: 'x' }, { name: 'c', index: [0], from: 'd' },
    { name: 'e', index: [0], fromText: 'x' }]
  assert.deepEqual(fromHash(toHash({ ...state, edits: mixed })).edits, mixed)
  // No text before it, and no valid text.
  assert.deepEqual(fromHash(`model=dates&edits=${encodeURIComponent('a:0=~;b:0=~%E0%A4;c:0=1')}`).edits, [{ name: 'c', index: [0], value: 1 }])
})

test('what was taken from another text at successive positions is one change; nothing else is', () => {
  const name = 'decoder.layers.0.self_attn.heads', fromText = 'A B', other = { name: 'ids', index: [0, 1], value: 2 }
  const take = (t, range = [16, 32], more) => ({ name, index: [0, t, range], fromText, ...more })
  const groups = list => groupEdits(list).map(({ edits, target }) => [edits.length, String(target.index)])
  assert.deepEqual(groups([0, 1, 2].map(t => take(t))), [[3, '0,0,3,16,32']])
  assert.deepEqual(groups([other, take(0), take(1), other]), [[1, '0,1'], [2, '0,0,2,16,32'], [1, '0,1']])
  assert.deepEqual(groups([take(0), take(2)]), [[1, '0,0,16,32'], [1, '0,2,16,32']])
  assert.deepEqual(groups([take(0), take(1, [0, 16])]), [[1, '0,0,16,32'], [1, '0,1,0,16']])
  assert.deepEqual(groups([take(0), take(1, [16, 32], { fromText: 'B A' })]), [[1, '0,0,16,32'], [1, '0,1,16,32']])
  const cells = [[0, 0, 0], [0, 0, 1], [0, 1, 1]].map(index => ({ name, index, fromText }))
  assert.deepEqual(groups(cells), [[2, '0,0,0,2'], [1, '0,1,1']])
  assert.deepEqual(groups([{ ...other, index: [0, 0] }, other]), [[1, '0,0'], [1, '0,1']])
  assert.deepEqual(groups([]), [])
})
