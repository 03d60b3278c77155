import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roomOf, roomsOf } from '../../web/building.js'
import { fromHash } from '../../web/state.js'

const roomAt = (hash) => roomOf(fromHash(hash)).id

test('the name of a stage alone leads to the first room that shows it', () => {
  assert.equal(roomAt('#model=trained&stage=scores'), 'encoder.0.self_attn.scores')
  assert.equal(roomAt('#model=trained&stage=embedding'), 'source.embedding')
  assert.equal(roomAt('#model=trained&stage=cross'), 'decoder.0.multihead_attn.weights')
  assert.equal(roomAt('#model=trained&stage=causal'), 'decoder.0.self_attn.mask')
  assert.equal(roomAt('#model=untrained&layers=1&stage=norm'), 'encoder.0.norm1')
  assert.equal(roomAt('#model=untrained&stage=linear2'), 'encoder.0.linear2')
})

test('a room by its own name, in any model; a name nobody has leads to the first room', () => {
  for (const model of ['trained', 'untrained', 'sentences']) {
    for (const { id } of roomsOf({ model, layers: 2 })) assert.equal(roomAt(`#model=${model}&stage=${id}`), id)
    assert.equal(roomAt(`#model=${model}&stage=nowhere`), 'house')
  }
})
