// Rooms of models that are not the page’s own: unknown modules, and imported models of five families.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRun, sliceMatrix } from '../../web/lib/run.js'
import { cellIndexOf } from '../../web/lib/slice.js'
import { roomOfTensor, roomsOf } from '../../web/rooms/index.js'
import { stageOf } from '../../web/stages/index.js'
import { RUNS as MODELS } from '../../web/models/runs.js'
import { messageOf } from '../../web/worker/serialize_run.js'
import { bertFiles, openModel } from '../lib/imported_models.js'
import { translator } from '../../web/lib/text.js'
import { descriptionKey } from '../../web/shell/frame.js'
import { defaults } from '../../web/models/state.js'
import { cases, filesOf } from '../models/golden_models.js'
import { gf } from '../lib/engine.js'
import { slicesIn, stageData, toPageRun, createView } from '../lib/page.js'
import { english, korean } from '../lib/texts.js'

/** A decoder with unusual names, gates, heads split without a module, and an operation that has no stage. */
function stranger(depth, heads) {
  const F = gf.functional
  class Look extends gf.nn.Module {
    constructor(C) {
      super()
      Object.assign(this, { ask: new gf.nn.Linear(C, C), answer: new gf.nn.Linear(C, C), tell: new gf.nn.Linear(C, C) })
      this.mix = new gf.nn.Linear(C, C, { bias: false })
    }

    forward(x) {
      const [B, T, C] = x.shape
      const split = y => y.reshape(B, T, heads, C / heads).transpose(1, 2)
      const [q, k, v] = [this.ask, this.answer, this.tell].map(item => split(item.forward(x)))
      const y = F.scaledDotProductAttention(q, k, v, { isCausal: true })
      return this.mix.forward(y.transpose(1, 2).reshape(B, T, C))
    }
  }
  class Floor extends gf.nn.Module {
    constructor(C) {
      super()
      Object.assign(this, { calm: new gf.nn.LayerNorm(C), look: new Look(C), still: new gf.nn.LayerNorm(C) })
      Object.assign(this, { wide: new gf.nn.Linear(C, 2 * C), narrow: new gf.nn.Linear(2 * C, C) })
    }

    forward(x) {
      const y = F.add(x, this.look.forward(this.calm.forward(x)))
      return F.add(y, this.narrow.forward(F.gelu(this.wide.forward(this.still.forward(y)))))
    }
  }
  class Stranger extends gf.nn.Module {
    constructor() {
      super()
      this.letters = new gf.nn.Embedding(5, 4 * heads)
      this.house = new gf.nn.ModuleList(Array.from({ length: depth }, () => new Floor(4 * heads)))
      this.say = new gf.nn.Linear(4 * heads, 5)
    }

    forward(ids) {
      let x = this.letters.forward(ids)
      for (const floor of this.house) x = floor.forward(x)
      return F.softmax(this.say.forward(F.mul(x, x)))
    }
  }
  gf.manualSeed(depth)
  return new Stranger()
}

for (const [depth, heads] of [[1, 1], [2, 2], [3, 3]]) {
  test(`an unknown model with ${depth} layers and ${heads} heads has all its rooms with correct numbers`, () => {
    const model = stranger(depth, heads)
    const run = gf.observe(() => model.forward([[1, 2, 3]]))
    const strangerRun = toPageRun(gf, { run, settings: { model: 'stranger' } })
    const rooms = roomsOf(strangerRun)
    const stagesSeen = new Set(rooms.map(({ stage }) => stage))
    for (const stage of ['embedding', 'scores', 'scale', 'mask', 'weights', 'heads', 'norm', 'linear', 'activation',
      'operation']) {
      assert.ok(stagesSeen.has(stage), `${stage}: ${[...stagesSeen]}`)
    }
    assert.equal(rooms.filter(({ stage }) => stage === 'weights').length, depth)
    assert.deepEqual([...new Set(rooms.slice(1).map(({ tower }) => tower))], ['model'])
    const homeless = [...strangerRun.tensors.keys()].filter(name => !roomOfTensor(rooms, name, strangerRun))
    assert.deepEqual(homeless, [])
    for (const room of rooms) {
      const pieces = slicesIn(stageData(strangerRun, room.id, { head: heads - 1 }))
      for (const piece of pieces) piece.values.forEach((value, i) => {
        const index = cellIndexOf(piece, Math.floor(i / piece.cols), i % piece.cols)
        assert.ok(Object.is(value, run.tensor(piece.name).at(...index)), `${room.id} ${piece.name}`)
      })
      assert.ok(stageOf(room.stage).picture(strangerRun, createView(strangerRun, room.id)).part.values.length > 0,
        room.id)
    }
    assert.deepEqual(sliceMatrix(strangerRun, 'letters.output').rows, 3)
    run.dispose()
    model.dispose()
  })
}
test('imported models: rooms before the first layer are the entry, those after the last one the exit', async () => {
  for (const item of ['gpt2', 'bert', 'marian', 't5', 'llama'].flatMap(cases)) {
    const importedRun = MODELS.own(gf, { beginning: '3 1 4' }, [], [await openModel(filesOf(item))]), rooms = roomsOf(toPageRun(gf, importedRun))
    importedRun.run.dispose()
    for (const tower of new Set(rooms.flatMap(room => room.tower ?? []))) {
      const towerRooms = rooms.filter(room => room.tower === tower),
        first = towerRooms.findIndex(({ layer }) => layer !== undefined)
      assert.ok(first > 0, item.name)
      for (const [i, { id, layer, block }] of towerRooms.entries()) {
        if (layer === undefined) assert.equal(block, i < first ? 'entry' : 'exit', `${item.name}: ${id}`)
      }
    }
  }
})

/** Rooms that only imported models have, by stage and texts. */
const BROUGHT = {
  gpt2: ['text.positions embedding places', 'add operation placed'],
  bert: ['text.type embedding types', 'embeddings.add operation typed', 'text.positions embedding places',
    'embeddings.add.2 operation placed', 'embeddings.LayerNorm norm entryNorm'],
  marian: ['encoder.mul operation scaledUp', 'text.positions embedding places', 'encoder.add operation placed',
    'decoder.mul operation scaledUp', 'target.positions embedding places', 'decoder.add operation placed'],
  t5: ['encoder.relative_attention_bias relative relative', 'decoder.relative_attention_bias relative relative',
    'encoder.0.SelfAttention.mask mask relativeMask', 'decoder.0.SelfAttention.mask mask relativeCausal'],
  llama: ['0.self_attn.rotary rotary rotary', '0.mlp.mul operation gate']
}

/** Words that are true only of the page's models: their dates, their settings, the positions of their modules. */
const OF_DATES = /source=|normFirst|padding=|tgtIsCausal|scale:|transformer\.|\bdates?\b|날짜|\bcharacter|다음 글자|쓸 글자|뒤의 글자/

test('imported models: positions, token types, distances, pooling and tied weights have rooms and texts of their own', async () => {
  const allTexts = [[korean.page, korean.models.own], [english.page, english.models.own]]
    .map(([page, modelWords]) => translator(page, { own: () => modelWords }))
  for (const item of Object.keys(BROUGHT).flatMap(cases)) {
    const importedRun = MODELS.own(gf, { beginning: '3 1 4' }, [], [await openModel(filesOf(item))]), run = toPageRun(gf, importedRun)
    importedRun.run.dispose()
    const [type] = item.name.split(':'), rooms = roomsOf(run), all = rooms.map(({ id, stage, words }) => `${id} ${stage} ${words}`)
    const isScaled = item.config.scale_embedding !== false
    for (const room of BROUGHT[type].filter(text => isScaled || !/scaledUp/.test(text))) assert.ok(all.includes(room), `${item.name}: ${room}`)
    const rest = rooms.filter(({ words }) => words === 'operation' || words === 'projection').map(({ id }) => id)
    assert.deepEqual(rest, [], `${item.name}: an operation without words`)
    const texts = allTexts.flatMap(t => rooms.flatMap(room => (
      ['name', 'title', descriptionKey(room, defaults('own')), 'try', room.aside ?? 'without'].map(part => (
        [`${room.words}.${part}`, t(`stages.${room.words}.${part}`)])))))
    assert.deepEqual(texts.filter(([, text]) => OF_DATES.test(text)), [], `${item.name}: words of the page's own model`)
    const logits = rooms.find(({ words }) => words === 'logits')
    const isTied = !item.tensors.some(([key]) => /lm_head/.test(key))
    if (logits) assert.equal(logits.parts.isTied, isTied, item.name)
    if (/pooler/.test(item.name)) {
      assert.deepEqual(all.filter(text => /pooler/.test(text)), ['pooler linear pooler', 'activation activation poolerActivation'])
    }
  }
})

test('rows of position and token type embeddings are labeled with their tokens', async () => {
  const importedRun = MODELS.own(gf, { beginning: '3 1 4' }, [], [await openModel(filesOf(cases('bert')[0]))]), run = toPageRun(gf, importedRun)
  const places = stageData(run, 'text.positions'), types = stageData(run, 'text.type')
  assert.deepEqual([places.ids, types.ids], [[0, 1, 2], [0, 0, 0]])
  assert.deepEqual([places.result.rowLabels, types.result.rowLabels], [['3', '1', '4'], ['3', '1', '4']])
  assert.deepEqual(places.result.values, places.table.values.subarray(0, places.result.values.length))
  assert.deepEqual(places.table.rowLabels.slice(1, 4), ['1 (1)', '4 (2)', '3'])
  assert.deepEqual(types.table.rowLabels, ['0', '1'])
  importedRun.run.dispose()
})

test('the relative bias of a score is that of its bucket and head', async () => {
  const importedRun = MODELS.own(gf, { beginning: '3 1 4 1 5 9' }, [], [await openModel(filesOf(cases('t5')[0]))]), run = toPageRun(gf, importedRun)
  for (const head of [0, 2]) {
    const { bias, table } = stageData(run, 'encoder.relative_attention_bias', { head })
    const buckets = gf.functional.relativePositionBuckets ?? gf.relativePositionBuckets
    const { maxDistance } = importedRun.exportable.model.encoder.settings
    const ids = buckets(6, 6, { numBuckets: table.rows, maxDistance })
    assert.deepEqual([...bias.values], [...ids.data].map(id => table.values[id * table.cols + head]))
    assert.deepEqual(bias.rowLabels, ['3', '1 (1)', '4', '1 (3)', '5', '9'])
  }
  importedRun.run.dispose()
})

test('rooms depend on the tokenizer, even for the same modules', async () => {
  const { 'tokenizer.json': pieces, ...model } = bertFiles()
  const merged = gf.text.trainBPE('the bird and the boat and the bird', { vocabSize: 270, minFrequency: 2 })
  const tokenizers = { WordPiece: pieces, none: null, BPE: JSON.stringify(merged) }
  const inputTexts = {
    WordPiece: ['tokens', 'wordpiece', 'syllables'], none: ['tokens'], BPE: ['tokens', 'bpe_merges', 'bpe_training', 'syllables']
  }
  /** As many tokens as the others read. */
  const texts = { WordPiece: 'the bird', none: '1 2 3 4 5', BPE: 'the birds a' }
  let last = null
  for (const name of ['WordPiece', 'none', 'BPE', 'WordPiece']) {
    const modelFiles = tokenizers[name] ? { ...model, 'tokenizer.json': tokenizers[name] } : model
    const importedRun = MODELS.own(gf, { beginning: texts[name] }, [], [await openModel(modelFiles)])
    const message = messageOf(gf, importedRun, { signature: last?.signature })
    assert.equal(message.structure === null, last !== null, `${name}: ${importedRun.run.streams.text.tokens}`)
    last = readRun(message, last)
    const stages = roomsOf(last).filter(({ parts }) => parts.stream === 'text').map(({ stage }) => stage)
    assert.deepEqual(stages.filter(stage => stage !== 'embedding').map(stage => (stage === 'pieces' ? 'tokens' : stage)),
      inputTexts[name], name)
    importedRun.run.dispose()
  }
})
