// The rooms on how a text is cut into tokens: what they show is what the tokenizer does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RUNS } from '../../web/models/runs.js'
import { roomsOf } from '../../web/rooms/index.js'
import { stageOf } from '../../web/stages/index.js'
import { bertFiles, opened } from '../lib/brought.js'
import { gf } from '../lib/engine.js'
import { plainOf, viewOf } from '../lib/page.js'

const bert = await opened(bertFiles())

/** A run of a brought model as the page has it. */
function runOf(model, beginning) {
  const one = RUNS.own(gf, { model: 'own', beginning }, [], [model])
  const run = plainOf(gf, one)
  one.run.dispose()
  return run
}

/** What the room of a stage shows. */
function shown(run, stage) {
  const { id } = roomsOf(run).find(room => room.stage === stage)
  const view = viewOf(run, id)
  return { ...stageOf(stage).data(run, view), picture: stageOf(stage).picture(run, view) }
}

test('WordPiece has its room after the pieces; its words make the tokens of the run', () => {
  const run = runOf(bert, 'Julia went to the riverbank.')
  assert.deepEqual(roomsOf(run).slice(1, 4).map(({ stage }) => stage), ['pieces', 'longest', 'embedding'])
  const { words, vocabulary, picture } = shown(run, 'longest')
  const { tokens: [tokens] } = run.streams.text
  assert.deepEqual(words.flatMap(({ ids }) => ids.map(id => vocabulary[id])), tokens.slice(1, -1))
  assert.ok(words.some(({ ids }) => ids.length > 1) && words.every(({ tries }) => tries.length > 0))
  assert.equal(picture.part.cols, words.length)
})

test('only words of which something is read are searched; a text without words has none', () => {
  const run = runOf(bert, 'the river '.repeat(40))
  const { words } = shown(run, 'longest')
  assert.equal(run.streams.text.ids[0].length, 48)
  assert.ok(words.flatMap(({ ids }) => ids).length >= 47)
  assert.ok(words.flatMap(({ ids }) => ids).length < 60)
  assert.deepEqual(shown(runOf(bert, ''), 'longest').words, [])
})
