// What the dates' model has learned is told from what it has not, wherever its answer stands.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAYS, FORMATS, dateOf, splitSource } from '../../web/models/dates/data.js'
import { familiarity } from '../../web/models/dates/familiar.js'

const of = text => familiarity(splitSource(text), splitSource)

test('every date it was trained on is known, in every form', () => {
  for (let day = 0; day < DAYS; day += 97) {
    for (const format of FORMATS) assert.equal(of(format(...dateOf(day))), 'known', format(...dateOf(day)))
  }
})

test('other forms people write, other centuries and what is no date are not', () => {
  const others = [
    'november 20, 2026', 'nov 20, 2026', 'november 20th, 2026', 'the 20th of november 2026', '2026/01/05', '20-11-2026',
    '5 november 2026', '05/06/2026', 'may', '1', 'november 20 1899', 'november 20 2100', 'the 20st of november, 2026',
    '2026-1-5', 'may may may', '1 2 3'
  ]
  for (const text of others) assert.equal(of(text), 'unlearned', text)
})

test('days that the calendar does not have are said to be so', () => {
  for (const text of ['february 30 2026', '2026-02-29', '13/13/2026', '31 apr 2000', '2026-13-01']) {
    assert.equal(of(text), 'impossible', text)
  }
  assert.equal(of('2024-02-29'), 'known', 'a leap year')
  assert.equal(of('31/4/2026'), 'impossible')
})
