// What can be set in a room, and which cell it opens with.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roomOf } from '../../web/building.js'
import { isUseful } from '../../web/controls.js'
import { openingCell } from '../../web/opening.js'
import { DEFAULTS } from '../../web/state.js'
import { translation } from '../lib/translation.js'

test('an answer of the reader\'s leaves nothing to choose: no beam, no draw', () => {
  const useful = (state) => ['beams', 'seed'].filter((name) => isUseful(name, { ...DEFAULTS, ...state }))
  assert.deepEqual(useful({ decoding: 'beam' }), ['beams'])
  assert.deepEqual(useful({ decoding: 'sample' }), ['seed'])
  for (const decoding of ['beam', 'sample']) assert.deepEqual(useful({ decoding, target: '1999년' }), [])
  assert.deepEqual(useful({ decoding: 'sample', target: ' ' }), ['seed'])
  assert.deepEqual(useful({ model: 'sentences', target: '1999년' }), ['seed'])
})

test('a room that shows one step opens with a cell of that step', () => {
  const run = translation({ model: 'trained' })
  const state = { ...DEFAULTS, stage: 'sampling' }
  for (const row of [0, 3, 11]) assert.equal(openingCell(roomOf(state), run, { ...state, row }).index[1], row)
  const walked = { ...DEFAULTS, stage: 'decoding' }
  const rows = [-1, 2].map((step) => openingCell(roomOf(walked), run, { ...walked, step }).index[1])
  assert.ok(rows[0] > 2 && rows[1] <= 2, `${rows}: a step that is not yet reached is not told of`)
})
