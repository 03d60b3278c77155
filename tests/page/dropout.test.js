// In training every dropout has a room; what stands there is what the kernels multiplied.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { homeOf, roomOf, roomsOf } from '../../web/building.js'
import { tensorOf } from '../../web/lib/run.js'
import { indexOf, valueAt } from '../../web/lib/slice.js'
import { DEFAULTS } from '../../web/state.js'
import { translation } from '../lib/translation.js'

const run = (settings) => translation({ model: 'trained', training: true, dropout: 0.25, ...settings })
const state = { ...DEFAULTS, training: true, dropout: 0.25, head: 1 }
const rooms = roomsOf(state)
const inside = rooms.filter(({ isOnlyInTraining }) => isOnlyInTraining)
const viewIn = (room, more) => ({ ...state, ...more, stage: room.id, place: room.place })

test('rooms inside the layers are there in training only, the others stay the same', () => {
  assert.equal(inside.length, 20)
  assert.deepEqual(roomsOf(DEFAULTS), rooms.filter((room) => !inside.includes(room)))
  assert.ok(roomsOf(DEFAULTS).every((room) => rooms.includes(room)))
})

test('before times mask is after, to the bit; a mask is 0 or 1 / (1 − p)', () => {
  for (const made of [run({}), run({ normFirst: true })]) for (const room of inside) {
    const { before, mask, after, scale } = room.stage.data(made, viewIn(room))
    assert.equal(scale, 1 / 0.75)
    assert.ok([...mask.values].every((x) => x === 0 || x === Math.fround(1 / 0.75)), room.id)
    if (mask.values.length > 100) assert.ok(mask.values.includes(0), room.id)
    after.values.forEach((x, i) => assert.ok(x === Math.fround(before.values[i] * mask.values[i]), room.id))
    for (const piece of [before, mask, after]) piece.values.forEach((value, i) => {
      const index = indexOf(piece, Math.floor(i / piece.cols), i % piece.cols)
      assert.ok(Object.is(value, valueAt(tensorOf(made, piece.name), index)), `${room.id} ${piece.name}`)
    })
  }
})

test('every mask and every dropped matrix of a run has its room', () => {
  const made = run({})
  const names = [...made.tensors.keys()].filter((name) => /dropout\d?\.(mask|output)/.test(name))
  assert.equal(names.length, 20 * 2 + 2)
  const mask = 'transformer.decoder.layers.0.self_attn.dropout.mask'
  assert.deepEqual(made.tensors.get(mask).along.slice(2), ['target', 'target'])
  for (const name of names) assert.ok(homeOf(rooms, name, made), name)
})

test('heads are mixed by the weights that dropout leaves', () => {
  const made = run({})
  const room = rooms.find(({ id }) => id === 'decoder.0.self_attn.heads')
  const { left, right, product } = room.stage.data(made, viewIn(room))
  const [i, d] = [5, 3]
  const term = (_, j) => left.values[i * left.cols + j] * right.values[j * right.cols + d]
  const sum = Array.from({ length: left.cols }, term)
    .reduce((total, x) => total + x, 0)
  assert.ok(Math.abs(sum - product.values[i * product.cols + d]) < 1e-5)
})

test('a room that vanishes leads to the one before it; nothing is dropped at p = 0', () => {
  assert.equal(roomOf({ ...DEFAULTS, stage: 'encoder.0.self_attn.dropout' }).id, 'encoder.0.self_attn.weights')
  assert.equal(roomOf({ ...DEFAULTS, stage: 'decoder.1.dropout3' }).id, 'decoder.1.linear2')
  assert.equal(roomOf({ ...DEFAULTS, stage: 'no.such' }).id, rooms[0].id)
  const none = run({ dropout: 0 })
  for (const room of inside) assert.equal(room.stage.data(none, viewIn(room)), null)
})
