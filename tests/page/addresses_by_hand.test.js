// Addresses that people write by hand: `#model=stories&room=embedding`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaults, fromHash, startOf, toHash } from '../../web/models/state.js'
import { READY, textField } from '../../web/models/index.js'
import { findRoomNamed, roomOf, roomsOf } from '../../web/rooms/index.js'
import { pageRun } from '../lib/page.js'

test('an address without a version begins with an example of the reader\'s language', () => {
  for (const language of ['ko', 'en', 'zh']) for (const model of READY) {
    const field = textField(model), state = fromHash(`#model=${model.id}&room=house`, () => language)
    assert.equal(state[field], startOf(model.id, language)[field])
    const written = toHash({ ...defaults(model.id), head: 1 })
    assert.equal(fromHash(written, () => language)[field], defaults(model.id)[field], 'links of the page keep their meaning')
    assert.equal(fromHash(`#model=${model.id}&${field}=a`, () => language)[field], 'a')
  }
  assert.doesNotMatch(fromHash('#model=stories', () => 'en')[textField(READY.find(({ id }) => id === 'stories'))], /\p{Script=Hangul}/u)
})

test('a room is found by its id or its kind, on the page as in an element', () => {
  const rooms = roomsOf(pageRun({ model: 'stories' }))
  for (const { stage } of rooms) assert.equal(roomOf(rooms, stage), findRoomNamed(rooms, stage))
  assert.equal(roomOf(rooms, 'embedding').stage, 'embedding')
  for (const room of rooms) assert.equal(roomOf(rooms, room.id), room)
})
