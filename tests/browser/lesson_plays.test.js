// Every lesson is played to its end in the page in eighteen ways: by mouse, keyboard and finger, in Korean, English and
// Chinese, with all answers right and all answers wrong. Targets are visible, and correct answers are the engine's. A
// long run plays all of them, or those that the environment selects: LESSON_WAYS=touch,zh,wrong LESSON_IDS=mask,heads
import { describe, test } from 'node:test'
import { LESSONS } from '../../web/lessons/index.js'
import { LANGUAGES } from '../../web/words/index.js'
import { isLong } from '../lib/long.js'
import { HANDS } from './hands.js'
import { useBrowser } from './host.js'
import { playLesson } from './play_lesson.js'

const { open } = useBrowser()
const WAYS = Object.keys(HANDS).flatMap(handName => Object.keys(LANGUAGES).flatMap(language => (
  [true, false].map(isRight => ({ handName, language, isRight })))))
/** @param {string} name of a variable that lists names, separated by commas */
const readNames = name => process.env[name]?.split(',').filter(Boolean) ?? []
const selected = { ways: readNames('LESSON_WAYS'), ids: readNames('LESSON_IDS') }
/** Whether the names select a way: of each kind one of its names, or none at all. */
const isSelected = ({ handName, language, isRight }) => (
  [Object.keys(HANDS), Object.keys(LANGUAGES), ['right', 'wrong']].every((kind, i) => {
    const names = selected.ways.filter(name => kind.includes(name))
    return names.length === 0 || names.includes([handName, language, isRight ? 'right' : 'wrong'][i])
  }))
const names = [...Object.keys(HANDS), ...Object.keys(LANGUAGES), 'right', 'wrong']
const unknown = [...selected.ways.filter(name => !names.includes(name)),
  ...selected.ids.filter(id => !LESSONS.some(lesson => lesson.id === id))]
if (unknown.length) throw new Error(`LESSON_WAYS and LESSON_IDS do not know ${unknown.join(', ')}`)
// `npm test` plays short lessons, each in one of the ways; between them they have all kinds of questions and controls.
const SHORT = ['query', 'mask', 'kinds', 'feed_forward', 'vectors', 'heads', 'large', 'inside', 'tokens', 'softmax', 'kinds', 'heads']
const isChosen = isLong || selected.ways.length > 0 || selected.ids.length > 0
const plays = isChosen ? LESSONS.map(({ id }) => id)
  .filter(id => selected.ids.length === 0 || selected.ids.includes(id))
  .flatMap(id => WAYS.filter(isSelected).map(way => ({ id, ...way })))
  : SHORT.map((id, i) => ({ id, ...WAYS.filter(({ language }) => language !== 'zh')[i] }))

// A player mostly waits, for scrolls and for the page.
describe('lessons', { concurrency: 3 }, () => {
  for (const { id, ...way } of plays) {
    const name = `${id}, ${way.language}, by ${way.handName}: to the end, all ${way.isRight ? 'right' : 'wrong'}`
    test(name, () => playLesson(open, { id, ...way }))
  }
})
