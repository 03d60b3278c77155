// The rooms on how a text is cut into tokens: what they show is what the tokenizer does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RUNS } from '../../web/models/runs.js'
import { roomsOf } from '../../web/rooms/index.js'
import { stageOf } from '../../web/stages/index.js'
import { bertFiles, opened, t5Files } from '../lib/brought.js'
import { gf } from '../lib/engine.js'
import { plainOf, viewOf } from '../lib/page.js'

const bert = await opened(bertFiles())
const t5 = await opened(t5Files())

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

test('a unigram model has its lattice: its path makes the tokens of the run, boxes do not overlap, totals are sums', () => {
  const run = runOf(t5, '나는 파리 여행을 다녀왔다. The weights 漢 are')
  assert.deepEqual(roomsOf(run).slice(1, 4).map(({ stage }) => stage), ['pieces', 'lattice', 'embedding'])
  const { stretches, picture } = shown(run, 'lattice')
  const boxes = stretches.flatMap(one => one.boxes), taken = boxes.filter(({ kind }) => kind === 'taken')
  const { tokens: [tokens], ids: [ids] } = run.streams.text
  assert.deepEqual(taken.map(({ id }) => id ?? t5.tokenizer.idOf('<unk>')), ids.slice(0, -1))
  assert.equal(taken.filter(({ id }) => id !== undefined).map(({ piece }) => piece).join('').replace('漢', ''),
    tokens.slice(0, -1).filter(token => token !== '<unk>').join(''))
  assert.equal(picture.part.cols, taken.length)
  assert.ok(stretches.length >= 6 && boxes.some(({ kind }) => kind === 'worse'))
  const sum = taken.reduce((total, { score }) => total + score, 0)
  assert.ok(Math.abs(sum - stretches.at(-1).totals.at(-1)) < 1e-3)
  for (const { letters, boxes: all, totals } of stretches) {
    const cells = all.flatMap(({ line, first, last }) => Array.from({ length: last - first }, (_, i) => `${line} ${first + i}`))
    assert.equal(new Set(cells).size, cells.length)
    assert.equal(totals.length, letters.length + 1)
    for (const { first, last, piece, before, score, total, winner } of all) {
      assert.equal(piece, letters.slice(first, last).join(''))
      assert.equal(before, totals[first])
      assert.equal(total, before + score)
      if (winner) assert.ok(winner.total > total - 1e-6 && winner.last === last)
      else assert.ok(Math.abs(totals[last] - total) < 1e-4)
    }
  }
  assert.deepEqual(shown(runOf(t5, ''), 'lattice').stretches, [])
})
