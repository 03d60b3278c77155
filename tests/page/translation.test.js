import assert from 'node:assert/strict'
import { test } from 'node:test'
import { homeOf, outputOf, roomOf, roomsOf } from '../../web/building.js'
import { indexOf, valueAt } from '../../web/lib/slice.js'
import { tensorOf } from '../../web/lib/run.js'
import { DEFAULTS } from '../../web/state.js'
import { fakeTranslation } from './fake-translation.js'

const run = fakeTranslation()
const rooms = roomsOf(DEFAULTS)
const view = (room, changes) => ({ ...DEFAULTS, ...changes, stage: room.id, place: room.place })
const slicesIn = (data) => Object.values(data ?? {}).filter((value) => value?.axis && value.values)

test('the building: two towers of two floors, every room once, all found again by its name', () => {
  assert.equal(new Set(rooms.map(({ id }) => id)).size, rooms.length)
  assert.equal(rooms.filter(({ tower, layer }) => tower === 'encoder' && layer === 1).length, 12)
  assert.equal(rooms.filter(({ tower, layer }) => tower === 'decoder' && layer === 0).length, 20)
  for (const room of rooms) assert.equal(roomOf({ ...DEFAULTS, stage: room.id }), room)
  assert.equal(roomOf({ ...DEFAULTS, stage: 'nowhere' }).id, 'house')
  assert.equal(roomsOf({ model: 'untrained', layers: 3 }).length, rooms.length + 32)
})

test('the tour visits every kind of room, and each part of the first layers', () => {
  const tour = rooms.filter(({ isOnTour }) => isOnTour)
  assert.deepEqual(new Set(tour.map(({ words }) => words)), new Set(rooms.map(({ words }) => words)))
  assert.ok(tour.length < rooms.length - 25)
})

test('every value shown is the tensor\'s value at the index it claims, with a name on every row and column', () => {
  for (const [head, part, row] of [[0, 'q', 0], [1, 'k', 3], [0, 'v', 1]]) {
    for (const room of rooms) {
      for (const piece of slicesIn(room.stage.data(run, view(room, { head, part, row })))) {
        const tensor = tensorOf(run, piece.name)
        const labels = [piece.rowLabels.length, piece.colLabels.length]
        assert.deepEqual(labels, [piece.rows, piece.cols], `${room.id} ${piece.name}`)
        piece.values.forEach((value, i) => {
          const index = indexOf(piece, Math.floor(i / piece.cols), i % piece.cols)
          assert.ok(Object.is(value, valueAt(tensor, index)), `${room.id} ${piece.name}[${index}]`)
        })
      }
    }
  }
})

test('every room has a stamp, and what it passes on is a tensor of the run', () => {
  for (const room of rooms) {
    const { part, domain } = room.stage.picture(run, view(room, {}))
    assert.equal(part.values.length, part.rows * part.cols, room.id)
    assert.ok(domain.max > 0, room.id)
    if (outputOf(room)) assert.ok(tensorOf(run, outputOf(room)), room.id)
  }
})

test('every tensor that a room calls its own is shown there', () => {
  for (const room of rooms) {
    const pieces = ['q', 'k', 'v'].flatMap((part) => slicesIn(room.stage.data(run, view(room, { part }))))
    const shown = pieces.map(({ name }) => name)
    for (const name of room.tensors) {
      const tensor = tensorOf(run, name)
      const isQuiet = !tensor || /inverse_temperature$|choice\.(cut|mask)$|^positions\.output/.test(name)
      if (!isQuiet) assert.ok(shown.includes(tensor.name), `${name} in ${room.id}`)
    }
  }
  const home = homeOf(rooms, 'transformer.decoder.layers.1.multihead_attn.weights', run)
  assert.equal(home.id, 'decoder.1.multihead_attn.weights')
})

test('cross-attention reads the source from the target', () => {
  const { weights, next } = rooms.find(({ id }) => id === 'decoder.0.multihead_attn.weights').stage
    .data(run, { ...DEFAULTS, place: 'transformer.decoder.layers.0.multihead_attn' })
  assert.deepEqual(weights.rowLabels, run.target.tokens)
  assert.deepEqual(weights.colLabels, run.source.tokens)
  assert.equal(next.length, weights.rows)
})

test('words of a step are ranked, shares lie side by side up to 1', () => {
  const stage = (id) => rooms.find((room) => room.id === id).stage
  const { words } = stage('sampling').data(run, { ...DEFAULTS, row: 1 })
  assert.ok(words.every(({ share }, i) => i === 0 || share <= words[i - 1].share))
  const { steps } = stage('decoding').data(run, DEFAULTS)
  for (const { pieces } of steps) {
    pieces.forEach(({ start, share }, i) => assert.ok(Math.abs((pieces[i + 1]?.start ?? 1) - start - share) < 1e-6))
  }
})
