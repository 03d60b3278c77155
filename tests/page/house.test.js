import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roomsOf } from '../../web/building.js'
import { tensorOf } from '../../web/lib/run.js'
import { indexOf, valueAt } from '../../web/lib/slice.js'
import * as house from '../../web/stages/house.js'
import { fakeRun } from './fake-run.js'
import { fakeTranslation } from './fake-translation.js'

const translation = fakeTranslation()
const turned = { ...translation, settings: { ...translation.settings, normFirst: true } }
const runs = { trained: translation, untrained: turned, sentences: fakeRun() }
const floorsOf = (run, sentence = 0) => house.data(run, { sentence }).towers.flatMap(({ floors }) => floors)

test('every floor of the house is the door of a room, and every kind of sub-layer has a floor', () => {
  for (const [model, run] of Object.entries(runs)) {
    const rooms = new Map(roomsOf({ model, layers: 2 }).map((room) => [room.id, room]))
    const floors = floorsOf(run)
    for (const { room, name } of floors) {
      assert.ok(rooms.has(room), `${model} ${room}`)
      const own = rooms.get(room).tensors.map((tensor) => run.aliases?.get(tensor) ?? tensor)
      const isAtHome = !name || own.length === 0 || own.includes(run.aliases?.get(name) ?? name)
      assert.ok(isAtHome, `${name} is not at home in ${room}`)
    }
    assert.equal(new Set(floors.map(({ room }) => room)).size, floors.length, model)
    if (model === 'sentences') continue
    const placesOf = (list) => new Set(list.map(({ tower, layer, block }) => `${tower} ${layer} ${block}`))
    const blocks = placesOf([...rooms.values()].slice(1))
    const shown = placesOf(floors.map(({ room }) => rooms.get(room)))
    assert.deepEqual([...shown].sort(), [...blocks].sort(), model)
  }
})

test('every picture of the house holds the tensor\'s values', () => {
  for (const run of Object.values(runs)) {
    for (const { parts = [], domain } of floorsOf(run)) {
      for (const part of parts) {
        const tensor = tensorOf(run, part.name)
        part.values.forEach((value, i) => {
          const index = indexOf(part, Math.floor(i / part.cols), i % part.cols)
          assert.ok(Object.is(value, valueAt(tensor, index)), `${part.name}[${index}]`)
          if (domain.kind === 'signed') assert.ok(Math.abs(value) <= domain.max)
        })
      }
    }
  }
})

test('a norm stands above its sub-layer, or below it where it comes first', () => {
  const at = (run, room) => floorsOf(run).findIndex((floor) => floor.room === room)
  const pairs = { 'encoder.0.norm1': 'encoder.0.self_attn.weights', 'decoder.1.norm3': 'decoder.1.activation' }
  for (const [norm, own] of Object.entries(pairs)) {
    assert.equal(at(translation, norm) - at(translation, own), 1, norm)
    assert.equal(at(turned, norm) - at(turned, own), -1, norm)
  }
})

test('the house tells what was read and what was written', () => {
  const { input, read, steps, isGiven } = house.data(translation, { sentence: 0 })
  assert.deepEqual([input, read, steps, isGiven], ['may 3', 2, 4, false])
  assert.deepEqual(floorsOf(translation).at(-1).tokens, ['5', '월', '3', '</s>'])
  assert.equal(floorsOf(runs.sentences, 1)[0].tokens.length, house.data(runs.sentences, { sentence: 1 }).read)
})
