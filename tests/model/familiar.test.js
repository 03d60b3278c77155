// Classification of inputs of the dates model: known, unlearned, or not in the calendar.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAYS, FORMATS, dateOf, readings, splitSource } from '../../src/training/models/dates/data.js'
import { familiarity, rightAnswers } from '../../web/models/dates/familiarity.js'

const of = text => familiarity(splitSource(text), splitSource)

test('every date of the training is known in every format', () => {
  for (let day = 0; day < DAYS; day += 97) {
    for (const format of FORMATS) assert.equal(of(format(...dateOf(day))), 'known', format(...dateOf(day)))
  }
})

test('other formats, other centuries and texts without a date are unlearned', () => {
  const others = [
    '20 november, 2026', '2026 november 20', '5-6-2026', '5/06/2026', 'november 020 2026', '20/11', '2026 5 6', 'may', '1',
    'november 20 1899', 'november 20 2200', 'the 20st of november, 2026', 'of november 20 2026', 'may may may', '1 2 3',
    '20262026', 'november 20 20 2026', ''
  ]
  for (const text of others) assert.equal(of(text), 'unlearned', text)
})

test('days that the calendar does not have are impossible', () => {
  for (const text of ['february 30 2026', '2026-02-29', '13/13/2026', '31 apr 2000', '2026-13-01', 'nov 31, 2026', '0/0/2026', '30.2.2028']) {
    assert.equal(of(text), 'impossible', text)
  }
  assert.equal(of('2024-02-29'), 'known', 'a leap year')
  assert.equal(of('31/4/2026'), 'impossible')
})

test('a known date has the right answers of its format; other texts have none', () => {
  const answers = text => rightAnswers(splitSource(text), splitSource)
  for (let day = 0; day < DAYS; day += 97) {
    FORMATS.forEach((format, i) => {
      const date = dateOf(day), text = format(...date)
      assert.deepEqual([...new Set(answers(text))].sort(), [...new Set(readings(i, date))].sort(), text)
    })
  }
  for (const text of ['november', '2026-02-29', 'november 20 1899', '']) assert.deepEqual(answers(text), [], text)
})
