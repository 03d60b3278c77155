// The glossary: every term is said in both languages and leads to a matrix that a run has; texts name only such terms.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLesson } from '../../web/lessons/index.js'
import { LESSON_TERMS, TERMS, stateOfTerm, tensorInRoom } from '../../web/glossary/terms.js'
import { splitProse } from '../../web/lib/prose.js'
import { MODELS, problemsOf, settingsOf } from '../../web/models/index.js'
import { roomsOf } from '../../web/rooms/index.js'
import { defaults, fromHash, patchFrom, toHash } from '../../web/models/state.js'
import { LANGUAGES, loadGlossary } from '../../web/words/index.js'
import { makeDetachedRun } from '../lib/page.js'
import { chinese, english, korean } from '../lib/texts.js'

const runs = new Map()
function runOf(state) {
  const { edits, ...settings } = settingsOf(state)
  const key = JSON.stringify([settings, edits])
  if (!runs.has(key)) runs.set(key, makeDetachedRun(settings, edits))
  return runs.get(key)
}

test('every term has a name and a definition in every language, and a group', async () => {
  assert.equal(new Set(TERMS.map(({ id }) => id)).size, TERMS.length)
  for (const language of Object.keys(LANGUAGES)) {
    const words = await loadGlossary(language)
    assert.deepEqual(Object.keys(words.names), Object.keys(words.terms))
    assert.ok(Object.values(words.names).every(name => name.trim()))
    assert.deepEqual(Object.keys(words.terms).sort(), [...LESSON_TERMS, ...TERMS].map(({ id }) => id).sort())
    assert.deepEqual(Object.keys(words.groups), ['basics', ...new Set(TERMS.map(({ group }) => group)), 'inside'])
    for (const [id, text] of Object.entries(words.terms)) assert.match(text, /^.{10,140}[.。]$/, id)
  }
  for (const { id, torch } of TERMS) assert.ok(torch === null || torch.trim(), id)
})

test('every term without a matrix leads to a step of a lesson', () => {
  for (const { id, lesson, step } of LESSON_TERMS) assert.ok(step < findLesson(lesson)?.stepCount, id)
})

test('every term leads to an existing matrix, from every model', () => {
  for (const { id: model, isImported } of MODELS) for (const term of TERMS) {
    const start = { ...defaults(model), room: 'house' }
    const patch = stateOfTerm(term, start, roomsOf(runOf(start)), 'en')
    const state = { ...start, ...patch }
    assert.deepEqual(problemsOf(state), {}, `${model}: ${term.id}`)
    const link = fromHash(toHash(state))
    // A brought model has what its file says; a link cannot.
    if (!isImported) for (const [key, value] of Object.entries(link)) assert.deepEqual(value, state[key], `${term.id}: ${key}`)
    const run = runOf(state)
    const room = roomsOf(run).find(({ id }) => id === state.room)
    assert.ok(room, `${model}: ${term.id} in ${state.room}`)
    assert.ok(run.tensors.has(tensorInRoom(term, room)), `${model}: ${term.id}, ${tensorInRoom(term, room)}`)
    assert.equal(state.lit, term.id)
  }
})

test('a term leads to its own room, and keeps the reader\'s text where that room is switched off', () => {
  for (const term of TERMS) {
    const state = { ...defaults('sentences'), room: 'house' }
    const patch = stateOfTerm(term, state, [], 'ko')
    assert.deepEqual([patch.model, patch.room], [term.model, term.room], term.id)
    const texts = Object.values(stateOfTerm(term, state, [], 'zh')).join()
    assert.doesNotMatch(texts, /\p{Script=Hangul}/u, `${term.id}: an example for the reader`)
  }
  const state = { ...defaults('dates'), source: '5/6/2026', positional: false }
  const patch = stateOfTerm(TERMS.find(({ id }) => id === 'positional'), state, roomsOf(runOf(state)), 'ko')
  assert.equal({ ...state, ...patch }.source, '5/6/2026')
  assert.equal(patch.positional, true)
})

test('texts of rooms link each term at most once, and the tour links most terms', () => {
  const named = new Set()
  const all = [korean, english, chinese].flatMap(({ page, models }) => [page, ...Object.values(models)])
  for (const { stages = {} } of all) for (const [room, texts] of Object.entries(stages)) {
    for (const [key, text] of Object.entries(texts)) {
      if (typeof text !== 'string') continue
      const terms = splitProse(text).flatMap(({ change }) => (change?.startsWith('glossary=') ? [change] : []))
      assert.equal(new Set(terms).size, terms.length, `${room}.${key}`)
      if (!key.startsWith('what')) assert.deepEqual(terms, [], `${room}.${key}`)
      for (const term of terms) {
        const { glossary } = patchFrom(term, 'dates')
        assert.ok(TERMS.some(({ id }) => id === glossary), term)
        named.add(glossary)
      }
    }
  }
  assert.deepEqual(TERMS.map(({ id }) => id).filter(id => !named.has(id)), [])
})
