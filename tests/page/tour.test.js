// The tour: no text is read twice, and a room that repeats another says so and leads there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { READY } from '../../web/models/index.js'
import { defaults } from '../../web/models/state.js'
import { roomsOf } from '../../web/rooms/index.js'
import { descriptionKey, findSameRoom } from '../../web/shell/frame.js'
import { makeDetachedRun } from '../lib/page.js'

test('on the tour of every model each text stands once; the other rooms lead to the first with it', () => {
  for (const { id: model } of READY) {
    const state = defaults(model), rooms = roomsOf(makeDetachedRun({ model })).filter(({ isOnTour }) => isOnTour)
    const described = rooms.filter(room => !findSameRoom(room, rooms, state)).map(room => `${room.words} ${descriptionKey(room, state)}`)
    assert.equal(new Set(described).size, described.length, model)
    for (const room of rooms) {
      const first = findSameRoom(room, rooms, state)
      if (first) assert.ok(rooms.indexOf(first) < rooms.indexOf(room) && first.words === room.words, `${model}: ${room.id}`)
    }
  }
})
