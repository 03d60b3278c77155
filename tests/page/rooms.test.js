// Rooms are derived from a run: those of the page's models, and of a model with an unknown architecture.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getTensor } from '../../web/lib/run.js'
import { cellIndexOf, valueAt } from '../../web/lib/slice.js'
import { computeWires } from '../../web/map/list.js'
import { isIdle } from '../../web/rooms/idle.js'
import { graphOf } from '../../web/rooms/graph.js'
import { roomOfTensor, outputOf, roomOf, roomsOf } from '../../web/rooms/index.js'
import { streamsOf } from '../../web/rooms/stream.js'
import { stageOf, stages } from '../../web/stages/index.js'
import { createSampling } from '../../web/models/sampling.js'
import { gf } from '../lib/engine.js'
import { withPositions } from '../lib/labels.js'
import { everyNth } from '../lib/long.js'
import { slicesIn, stageData, toPageRun, makeDetachedRun, createView } from '../lib/page.js'

const RUNS = {
  'dates': makeDetachedRun({}), 'dates, norm first': makeDetachedRun({ normFirst: true }),
  'dates in training': makeDetachedRun({ training: true, dropout: 0.25 }),
  'dates without positions': makeDetachedRun({ positional: false }),
  'dates, three layers': makeDetachedRun({ weights: 'untrained', layers: 3, target: '2026년' }),
  'particles': makeDetachedRun({ model: 'particles' }),
  'stories': makeDetachedRun({ model: 'stories' }),
  'stories, root mean squares': makeDetachedRun({ model: 'stories', norm: 'rms' }),
  'stories, turned': makeDetachedRun({ model: 'stories', positions: 'rotary' }),
  'stories, learned places': makeDetachedRun({ model: 'stories', positions: 'learned' }),
  'stories, no places': makeDetachedRun({ model: 'stories', positions: 'none' }),
  'stories, gated': makeDetachedRun({ model: 'stories', activation: 'swiglu' }),
  'stories, two heads of keys': makeDetachedRun({ model: 'stories', kvHeads: 2 }),
  'stories, one head of keys, in training': makeDetachedRun({ model: 'stories', kvHeads: 1, training: true, dropout: 0.2 }),
  'stories, like a Llama': makeDetachedRun({ model: 'stories', norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2 }),
  'stories in training': makeDetachedRun({ model: 'stories', training: true, target: '갔어요' }),
  'induction': makeDetachedRun({ model: 'induction' }),
  'particles in training': makeDetachedRun({ model: 'particles', training: true,
    gapped: 'the keys [?] here and the key [?] there' }),
  'sentences': makeDetachedRun({ model: 'sentences' }),
  'sentences in training': makeDetachedRun({ model: 'sentences', training: true, causal: true, dropout: 0.3 })
}
const idsOf = run => roomsOf(run).map(({ id }) => id)

test('every stage has the same interface', () => {
  for (const stage of stages) {
    for (const name of ['data', 'picture', 'mount']) assert.equal(typeof stage[name], 'function', `${stage.id}.${name}`)
    for (const name of ['controls', 'pickers']) assert.ok(Array.isArray(stage[name]), `${stage.id}.${name}`)
  }
})

test('two towers of two layers: every room once, found by id; runs of the same structure share one list', () => {
  const rooms = roomsOf(RUNS.dates)
  assert.equal(new Set(idsOf(RUNS.dates)).size, rooms.length)
  assert.equal(rooms.filter(({ tower, layer }) => tower === 'encoder' && layer === 1).length, 12)
  assert.equal(rooms.filter(({ tower, layer }) => tower === 'decoder' && layer === 0).length, 20)
  for (const room of rooms) assert.equal(roomOf(rooms, room.id), room)
  assert.equal(roomOf(rooms, 'nowhere').id, 'house')
  assert.equal(roomOf(rooms, 'encoder.0.self_attn.dropout').id, 'encoder.0.self_attn.qkv', 'a room only training has')
  assert.equal(roomsOf(RUNS['dates, three layers']).length, rooms.length + 32)
  assert.equal(roomsOf(makeDetachedRun({ source: 'may 3 1999' })), rooms)
  assert.deepEqual(roomsOf(null).map(({ id }) => id), ['house'])
})

test('in training every dropout has a room, and all other rooms are unchanged', () => {
  const [quiet, loud] = [RUNS.dates, RUNS['dates in training']].map(idsOf)
  assert.deepEqual(loud.filter(id => !quiet.includes(id)).length, 22)
  assert.deepEqual(loud.filter(id => quiet.includes(id)), quiet)
})

test('before times mask is after, to the bit; a mask is 0 or 1 / (1 − p)', () => {
  const run = RUNS['dates in training']
  const drops = roomsOf(run).filter(({ stage }) => ['dropout', 'attention_dropout'].includes(stage))
  for (const { id } of drops) {
    const { before, mask, after, scale } = stageData(run, id, { head: 1 })
    assert.equal(scale, 1 / 0.75)
    assert.ok([...mask.values].every(x => x === 0 || x === Math.fround(1 / 0.75)), id)
    after.values.forEach((x, i) => assert.ok(x === Math.fround(before.values[i] * mask.values[i]), id))
  }
})

test('with pre-norm the room of the norm precedes its sub-layer, one floor below', () => {
  const at = (run, id) => idsOf(run).indexOf(id)
  for (const [norm, expectedInput] of [['encoder.0.norm1', 'encoder.0.self_attn.qkv'],
    ['decoder.1.norm3', 'decoder.1.linear1']]) {
    assert.ok(at(RUNS.dates, norm) > at(RUNS.dates, expectedInput))
    assert.ok(at(RUNS['dates, norm first'], norm) < at(RUNS['dates, norm first'], expectedInput))
  }
  const block = (run, id) => roomsOf(run).find(room => room.id === id).block
  for (const run of [RUNS.dates, RUNS['dates, norm first']]) {
    assert.deepEqual(['encoder.0.norm1', 'encoder.0.norm2', 'decoder.0.norm1', 'decoder.0.norm2', 'encoder.norm']
      .map(id => block(run, id)), ['self_attn', 'feed_forward', 'masked', 'multihead_attn', 'exit'])
  }
})

// The parts that the stories exchange share their rooms: `npm test` walks through some of them.
for (const [title, run] of everyNth(Object.entries(RUNS), 3, ([title]) => !title.startsWith('stories,'))) {
  test(`${title}: every displayed value is the tensor's at its index, with labeled rows and columns`,
    () => {
      for (const view of [{ head: 0, part: 'q', row: 0 }, { head: 1, part: 'k', row: 3 },
        { sentence: 1, part: 'v', row: 1 }]) {
        for (const { id } of roomsOf(run)) {
          for (const piece of slicesIn(stageData(run, id, view))) {
            const tensor = getTensor(run, piece.name)
            assert.deepEqual([piece.rowLabels.length, piece.colLabels.length], [piece.rows, piece.cols],
              `${id} ${piece.name}`)
            piece.values.forEach((value, i) => {
              const index = cellIndexOf(piece, Math.floor(i / piece.cols), i % piece.cols)
              assert.ok(Object.is(value, valueAt(tensor, index)), `${id} ${piece.name}[${index}]`)
            })
          }
        }
      }
    })

  test(`${title}: every tensor belongs to a room that displays it, and every room has a thumbnail`, () => {
    const rooms = roomsOf(run)
    for (const room of rooms) {
      const { part, domain } = stageOf(room.stage).picture(run, createView(run, room.id))
      assert.equal(part.values.length, part.rows * part.cols, room.id)
      assert.ok(domain.max > 0, room.id)
      if (outputOf(room)) assert.ok(getTensor(run, outputOf(room)), room.id)
      const displayed = ['q', 'k', 'v'].flatMap(item => slicesIn(stageData(run, room.id, { part: item }))).map(
        ({ name }) => name)
      const quiet = ['buffer', 'cut_mask', 'inverse_temperature']
      for (const name of room.tensors) {
        const isQuiet = quiet.includes(run.tensors.get(name).role) || name.endsWith('.cut')
        assert.ok(isQuiet || displayed.includes(name), `${name} in ${room.id}`)
      }
    }
    const homeless = [...run.tensors.values()].filter(({ name, role }) => !roomOfTensor(rooms, name, run) &&
      !['loss', 'log_probs'].includes(role))
    assert.deepEqual(homeless.map(({ name }) => name), [])
  })

  test(`${title}: the floors of the house are rooms with the values of their tensors`, () => {
    const { towers, input } = stageData(run, 'house')
    const floors = towers.flatMap(tower => tower.floors)
    assert.ok(floors.length > 5 && input.length > 5)
    assert.ok(floors.every(({ room }) => idsOf(run).includes(room)))
    assert.equal(new Set(floors.map(({ room }) => room)).size, floors.length)
  })
}

test('the factors of a product have matching shapes and give the product', () => {
  const run = RUNS['sentences in training']
  const at = roomsOf(run).filter(({ stage }) => ['qkv', 'scores', 'heads', 'output'].includes(stage)).map(
    ({ id }) => id)
  assert.equal(at.length, 4)
  for (const id of at) {
    const { left, right, product } = stageData(run, id, { sentence: 1, head: 1 })
    assert.deepEqual([left.rows, left.cols, right.cols].slice(0, 2), [product.rows, right.rows], id)
    if (right.cols !== product.cols) continue
    for (let r = 0; r < product.rows; r++) {
      for (let c = 0; c < product.cols; c++) {
        let sum = 0
        for (let i = 0; i < left.cols; i++) sum += left.values[r * left.cols + i] * right.values[i * right.cols + c]
        const value = product.values[r * product.cols + c]
        const isOwnHead = id !== 'self_attn.heads' || Math.floor(c / (product.cols / 4)) === 1
        if (isOwnHead) assert.ok(Math.abs(sum - value) < 1e-4, `${id} ${r},${c}`)
      }
    }
  }
})

test('exchanged parts have rooms of their own, and all others keep their order', () => {
  const usual = idsOf(RUNS.stories)
  const wordsOf = title => Object.fromEntries(roomsOf(RUNS[title]).map(({ id, words }) => [id, words]))
  const gained = title => idsOf(RUNS[title]).filter(id => !usual.includes(id))
  const missingRooms = title => usual.filter(id => !idsOf(RUNS[title]).includes(id))
  const layers = list => [0, 1].flatMap(layer => list.map(name => `decoder.${layer}.${name}`))
  assert.deepEqual([gained('stories, root mean squares'), missingRooms('stories, root mean squares')], [[], []])
  assert.deepEqual(['decoder.0.norm1', 'decoder.1.norm2', 'decoder.norm']
    .map(id => wordsOf('stories, root mean squares')[id]), ['rmsnorm', 'rmsnorm', 'finalrms'])
  assert.deepEqual(gained('stories, turned'), layers(['self_attn.rotary']))
  assert.deepEqual(missingRooms('stories, turned'), ['text.positions', 'text.sum'])
  assert.deepEqual(missingRooms('stories, no places'), ['text.positions', 'text.sum'])
  assert.deepEqual(gained('stories, gated'), layers(['linear3', 'mul']))
  const gate = wordsOf('stories, gated')
  assert.deepEqual(['linear1', 'activation', 'linear3', 'mul', 'linear2'].map(name => gate[`decoder.1.${name}`]),
    ['gateLinear', 'gateActivation', 'gatedLinear', 'gate', 'linear2'])
  for (const title of ['stories, two heads of keys', 'stories, learned places']) {
    assert.deepEqual([gained(title), missingRooms(title)], [[], []], title)
  }
})

test('with shared keys and values the factors of a product are those of the selected head', () => {
  const run = RUNS['stories, two heads of keys']
  for (const [head, expectedInput] of [[0, 0], [1, 0], [2, 1], [3, 1]]) {
    for (const room of ['scores', 'heads']) {
      const { left, right, product } = stageData(run, `decoder.0.self_attn.${room}`, { head })
      assert.deepEqual([left.cols, right.cols], [right.rows, product.cols], `${room} ${head}`)
      product.values.forEach((value, i) => {
        const [r, c] = [Math.floor(i / product.cols), i % product.cols]
        let sum = 0
        for (let k = 0; k < left.cols; k++) sum += left.values[r * left.cols + k] * right.values[k * right.cols + c]
        assert.ok(Math.abs(sum - value) < 1e-4, `${room} ${head}: ${r},${c}`)
      })
      assert.equal(Math.floor(cellIndexOf(right, 0, 0)[2] / 10), expectedInput, `${room} ${head}`)
    }
  }
})

test('cross-attention reads the source from the target; words of a step are ranked', () => {
  const run = RUNS.dates
  const { weights, next } = stageData(run, 'decoder.0.multihead_attn.weights')
  const tokens = ['target', 'source'].map(stream => withPositions(run.streams[stream].tokens[0]))
  assert.deepEqual([weights.rowLabels, weights.colLabels], tokens)
  assert.deepEqual(weights.colLabels.slice(0, 4), ['november', '2 (1)', '0 (2)', '2 (3)'])
  assert.equal(next.length, weights.rows)
  const { words } = stageData(run, 'sampling', { row: 1 })
  assert.ok(words.every(({ share }, i) => i === 0 || share <= words[i - 1].share))
})

test('tokens and ids: every sentence with its tokens, padding, and marks on used entries', () => {
  const run = RUNS.sentences
  const { sentences } = stageData(run, 'text.tokens', { sentence: 3 })
  assert.deepEqual(sentences[3], {
    text: '나는 최근 파리 여행을 다녀왔다', tokens: ['나는', '최근', '파리', '여행을', '다녀왔다'], chosen: true
  })
  const { vocabulary, sentences: rows } = stageData(run, 'text.ids')
  assert.equal(rows[3].tokens.at(-1), '<pad>')
  const used = vocabulary.filter(({ isUsed }) => isUsed).map(({ id }) => id)
  assert.deepEqual(used, [...new Set(run.streams.text.ids.flat())].sort((a, b) => a - b))
})

test('connectors lead from existing, earlier rooms', () => {
  const rooms = roomsOf(RUNS.sentences).slice(1)
  const { wires, lanes } = computeWires(rooms)
  assert.ok(wires.every(([from, to]) => from >= 0 && from < to), wires.join(' '))
  assert.equal(lanes.filter(lane => lane === 1).length, 1)
  assert.deepEqual(rooms.find(({ id }) => id === 'self_attn.heads').from.sort(), ['self_attn.qkv', 'self_attn.weights'])
})

test('a room is skipped exactly while its input equals its output', () => {
  const idle = settings => {
    const run = makeDetachedRun(settings)
    return roomsOf(run).filter(room => isIdle(run, room)).map(({ id }) => id.replace(/\.\d\./, '.'))
  }
  const masks = ['encoder.self_attn.mask', 'decoder.multihead_attn.mask']
  assert.deepEqual(new Set(idle({})), new Set(masks), 'nothing is filled up')
  assert.deepEqual(idle({ padding: true }), [])
  assert.deepEqual(new Set(idle({ tgtIsCausal: false })), new Set([...masks, 'decoder.self_attn.mask']))
  assert.deepEqual(idle({ padding: true, scale: false }).filter(id => !id.endsWith('.scale')), [])
  assert.equal(idle({ padding: true, scale: false }).length, 6)
  const dropped = idle({ training: true, dropout: 0 }).filter(id => id.includes('dropout'))
  assert.deepEqual(idle({ training: true, dropout: 0.5 }).filter(id => id.includes('dropout')), [])
  const run = makeDetachedRun({ training: true, dropout: 0 })
  assert.equal(dropped.length, roomsOf(run).filter(({ stage }) => stage.includes('dropout')).length)
  const name = 'transformer.encoder.layers.0.self_attn.masked_scores'
  const edited = makeDetachedRun({}, [{ name, index: [0, 0, 0, 0], value: 3 }])
  assert.equal(isIdle(edited, roomsOf(edited).find(({ id }) => id === 'encoder.0.self_attn.mask')), false)
})

test('the output of a room is the first tensor that it computes, not one that it reads', () => {
  const rooms = roomsOf(RUNS.dates)
  const of = id => outputOf(rooms.find(room => room.id === id))
  assert.equal(of('source.embedding'), 'source_embedding.output')
  assert.equal(of('encoder.0.linear1'), 'transformer.encoder.layers.0.linear1.output')
  assert.equal(of('output'), 'output')
  assert.equal(outputOf(rooms[0]), undefined)
})

test('recently used lists of rooms are cached, others are evicted', () => {
  /** The same building met anew, so that only its list can be known. */
  const withNewStructure = run => roomsOf({ ...run, structure: { ...run.structure } })
  const otherRuns = Object.entries(RUNS).filter(([name]) => /^(stories|sentences|particles)/.test(name)).map(([, run]) => run)
  const [mine, first] = ['dates', 'dates, three layers'].map(name => RUNS[name])
  const [list, disposedRooms] = [withNewStructure(mine), withNewStructure(first)]
  assert.equal(new Set(otherRuns.map(withNewStructure)).size > 8, true)
  assert.notEqual(withNewStructure(first), disposedRooms, 'not asked for since')
  const rebuilt = withNewStructure(mine)
  assert.notEqual(rebuilt, list)
  for (const item of otherRuns) {
    withNewStructure(item)
    assert.equal(withNewStructure(mine), rebuilt)
  }
})

test('residual sums add two streams, not tables or scores computed from each other', () => {
  const { add, relu } = gf.functional
  const [table, stream] = [[[1, 2], [3, 4]], [[[1, 2], [3, 4]]]].map(values => gf.tensor(values))
  const run = gf.observe(() => {
    add(table, relu(table))
    return add(stream, relu(stream))
  })
  const strangerRun = toPageRun(gf, { run, settings: { model: 'stranger' } })
  const [{ subs }, ...otherStreams] = streamsOf(graphOf(strangerRun), { towerOf: () => 'model', blockOf: () => 'block' })
  assert.deepEqual(otherStreams, [])
  assert.deepEqual(subs.map(({ sum }) => strangerRun.tensors.get(sum).shape), [[1, 2, 2]])
  run.dispose()
})

test('sampling has one room, even where it is the first module that is called', () => {
  const sampling = createSampling(gf, { temperature: 1, topK: 0, topP: 1 })
  const weight = gf.tensor([[1, 2], [3, 4], [5, 6]])
  const logits = () => gf.functional.linear(gf.tensor([[[1, 2]]]), weight)
  const run = gf.observe(() => sampling.forward(logits()), { modules: { sampling } })
  const rooms = roomsOf(toPageRun(gf, { run, settings: { model: 'stranger' } }))
  assert.deepEqual(rooms.map(({ stage }) => stage), ['house', 'linear', 'sampling', 'decoding'])
  run.dispose()
})
