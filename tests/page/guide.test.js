// The guides of the training page: the trainings give the answers that the guides expect, and their texts are true.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { translator } from '../../web/lib/text.js'
import { EXPERIMENTS, RACE, findExperiment, recordUntil } from '../../web/theatre/experiments.js'
import { createSession } from '../../src/training/session.js'
import { read, createRival } from '../../src/training/settings.js'
import { isLong } from '../lib/long.js'
import { english, korean } from '../lib/texts.js'

const en = english.training, ko = korean.training

const gf = await load()

/** The result that the texts state. */
const TOLD = {
  byHeart: 'rises', dropout: 'this', floor: 'floor', grokking: 'this', positions: 'this', scale: 'this', norm: 'other',
  warmUp: 'this', vanishing: 'first', exploding: 'grows', plain: 'this'
}
/** What takes a second or two; the others take half a minute each at worst. */
const SHORT = ['exploding']

function trained(settings, steps) {
  const session = createSession(gf, settings)
  while (session.done < steps && session.step().broken === undefined);
  const { history } = session
  session.dispose()
  return recordUntil({ ...history, answers: [], done: steps }, steps)
}

test('each guide links to another one, and all are reachable', () => {
  const names = Object.keys(EXPERIMENTS)
  assert.deepEqual(names.toSorted(), Object.keys(TOLD).toSorted())
  const reached = new Set(names.map(name => EXPERIMENTS[name].next))
  assert.deepEqual([...reached].toSorted(), names.toSorted())
  for (const name of names) assert.equal(findExperiment(EXPERIMENTS[name].link), name)
  assert.equal(findExperiment('dates'), undefined)
})

for (const [language, words] of Object.entries({ ko, en })) {
  test(`every guide has its texts, and its options can be answered: ${language}`, () => {
    const t = translator(words)
    for (const [name, { options }] of Object.entries(EXPERIMENTS)) {
      for (const key of ['name', 'words', 'ask', 'seen', 'why']) assert.ok(t(`theatre.experiments.${name}.${key}`), key)
      for (const option of options) {
        assert.ok(t(RACE.includes(option) ? `theatre.guide.options.${option}` : `theatre.experiments.${name}.options.${option}`))
      }
      assert.ok(options.includes(TOLD[name]), name)
    }
  })
}

for (const name of isLong ? Object.keys(EXPERIMENTS) : SHORT) {
  test(`${name}: the training gives the answer and the numbers in the text`, () => {
    const { link, until, answer, say } = EXPERIMENTS[name], settings = read(link), rival = createRival(settings)
    const record = trained(settings, until), rivalRecord = rival ? trained(rival, until) : record
    assert.equal(record.loss.length, until)
    assert.equal(record.evaluations.at(-1).step, until)
    assert.equal(answer(record, rivalRecord), TOLD[name])
    const values = { ...say(record, rivalRecord), step: until }
    const placeholders = [...`${ko.theatre.experiments[name].seen} ${en.theatre.experiments[name].seen}`.matchAll(/\{(\w+)/g)]
    for (const [, key] of placeholders) assert.ok(Number.isFinite(values[key]), key)
  })
}

test('later steps do not change the answer of a guide', () => {
  const settings = read(EXPERIMENTS.byHeart.link), session = createSession(gf, settings)
  for (let i = 0; i < 75; i++) session.step()
  const record = { ...session.history, answers: [], done: 75 }
  session.dispose()
  const earlyRecord = recordUntil(record, 50)
  assert.equal(earlyRecord.loss.length, 50)
  assert.equal(earlyRecord.evaluations.at(-1).step, 50)
  assert.deepEqual(earlyRecord.norms, record.norms.slice(0, 50))
})
