// The lesson on patching: the numbers that its texts state are those of the map, computed anew.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATE_PAIR } from '../../src/training/models/dates/data.js'
import { MONTH_HEAD } from '../../web/lessons/patching/index.js'
import { answerText } from '../../web/lessons/run_values.js'
import { listDifferences, restoredShare } from '../../web/lib/patching.js'
import { roomsOf } from '../../web/rooms/index.js'
import { loadLessonTexts } from '../../web/words/parts.js'
import { patchTexts } from '../../web/worker/patching.js'
import { gf } from '../lib/engine.js'
import { makeDetachedRun, pageRun } from '../lib/page.js'

const CROSS = 'transformer.decoder.layers.1.multihead_attn', [SOURCE, OTHER] = DATE_PAIR
const [here, there] = DATE_PAIR.map(source => pageRun({ source }))
const [ids, otherIds] = [here, there].map(({ decoding }) => decoding.steps.map(({ id }) => id))
const { parts: { rows } } = roomsOf(here).find(({ id }) => id === 'patching')
const [month, day] = listDifferences(here.decoding, there.decoding).map(({ step }) => step)

/** The shares of the way from this answer to the other one, by tensor. */
async function sharesOf(targets, step) {
  const found = await patchTexts(gf, here.workerRun, there.workerRun, { ids, otherIds, step, targets }, {})
  return new Map(found.rows.map(({ name, values }) => [name, [...values].map(restoredShare(found))]))
}
const rounded = values => values.map(value => Number(value.toFixed(2)) || 0)
const encoderRows = rows.residual.filter(({ tower }) => tower === 'encoder').map(({ name }) => name)

test('month and day sit in their own tokens at every layer of the encoder', async () => {
  assert.equal(encoderRows.length, 3)
  for (const [step, at] of [[month, 0], [day, 1]]) {
    for (const [name, shares] of await sharesOf(encoderRows, step)) shares.forEach((share, i) => (
      assert.ok(Math.abs(share - Number(i === at)) < 0.015, `${name} ${i}: ${share}`)))
  }
})

test('only the decoder\'s last layer carries the month, in the row that writes it', async () => {
  const names = rows.residual.filter(({ tower }) => tower === 'decoder').map(({ name }) => name)
  for (const [name, shares] of await sharesOf(names, month)) {
    const expected = shares.map((_, i) => Number(name === names.at(-1) && i === here.decoding.rows[month]))
    assert.deepEqual(rounded(shares), expected, name)
  }
})

test('the stated shares of the heads add up to less than half; all heads together carry all of it', async () => {
  const heads = await sharesOf('heads', month), own = heads.get(`${CROSS}.heads`)
  assert.equal(String(own.indexOf(Math.max(...own))), MONTH_HEAD)
  for (const [name, shares] of heads) {
    if (name !== `${CROSS}.heads`) assert.ok(shares.every(share => Math.abs(share) < 0.015), name)
  }
  const together = (await sharesOf([`${CROSS}.output`], month)).get(`${CROSS}.output`)[here.decoding.rows[month]]
  assert.ok(own.reduce((sum, share) => sum + share, 0) < 0.5)
  const texts = { en: await loadLessonTexts('en', 'patching'), ko: await loadLessonTexts('ko', 'patching') }
  for (const { steps: { heads: { paper, right, wrong } } } of Object.values(texts)) {
    const numbersIn = text => text.replaceAll('−', '-').match(/-?\d\.\d\d/g).map(Number)
    assert.deepEqual(numbersIn(paper), rounded(own))
    for (const text of [right, wrong]) assert.deepEqual(numbersIn(text), rounded([Math.max(...own), together]))
  }
})

test('one head leaves the answer, the three others together turn it', () => {
  const editsOf = head => here.decoding.rows.map(t => (
    { name: `${CROSS}.heads`, index: [0, t, [8 * head, 8 * head + 8]], fromText: OTHER }))
  const take = heads => answerText(makeDetachedRun({ source: SOURCE }, heads.flatMap(editsOf)))
  assert.equal(take([Number(MONTH_HEAD)]), answerText(here))
  assert.equal(take([0, 1, 2]), answerText(there))
})
