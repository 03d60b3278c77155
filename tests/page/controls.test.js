// What can be set in a room, and which cell it opens with.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasSettingEffect } from '../../web/shell/controls.js'
import { getFirstCell } from '../../web/shell/first_cell.js'
import { defaults } from '../../web/models/state.js'
import { makeDetachedRun, createView } from '../lib/page.js'

const DEFAULTS = defaults()

test('a typed answer disables the decoding controls', () => {
  const useful = state => ['beams', 'seed'].filter(name => hasSettingEffect(name, { ...DEFAULTS, ...state }))
  assert.deepEqual(useful({ decoding: 'beam' }), ['beams'])
  assert.deepEqual(useful({ decoding: 'sample' }), ['seed'])
  for (const decoding of ['beam', 'sample']) assert.deepEqual(useful({ decoding, target: '1999년' }), [])
  assert.deepEqual(useful({ decoding: 'sample', target: ' ' }), ['seed'])
  assert.ok(hasSettingEffect('seed', defaults('sentences')))
})

test('the first cell of a room that displays one step belongs to that step', () => {
  const run = makeDetachedRun({})
  for (const row of [0, 3, 11]) assert.equal(getFirstCell(run, createView(run, 'sampling', { row })).index[1], row)
  const rows = [-1, 2].map(step => getFirstCell(run, createView(run, 'decoding', { step })).index[1])
  assert.ok(rows[0] > 2 && rows[1] <= 2, `${rows}: a step that is not yet reached is not told of`)
})
