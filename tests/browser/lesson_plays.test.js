// Every lesson is played to its end in the page in twelve ways: by mouse, keyboard and finger, in Korean and English,
// with all answers right and with all answers wrong. Targets are visible, and correct answers are the engine's.
import { describe, test } from 'node:test'
import { LESSONS } from '../../web/lessons/index.js'
import { isLong } from '../lib/long.js'
import { HANDS } from './hands.js'
import { useBrowser } from './host.js'
import { playLesson } from './play_lesson.js'

const { open } = useBrowser()
const WAYS = Object.keys(HANDS).flatMap(handName => ['ko', 'en'].flatMap(language => (
  [true, false].map(isRight => ({ handName, language, isRight })))))
// `npm test` plays short lessons, each in one of the ways; between them they have all kinds of questions and controls.
const SHORT = ['query', 'mask', 'cache', 'block', 'vectors', 'heads', 'large', 'cache', 'tokens', 'block', 'kinds', 'heads']

// A player mostly waits, for scrolls and for the page.
describe('lessons', { concurrency: 3 }, () => {
  for (const [i, id] of (isLong ? LESSONS.map(lesson => lesson.id) : SHORT).entries()) {
    for (const way of isLong ? WAYS : [WAYS[i]]) {
      const name = `${id}, ${way.language}, by ${way.handName}: to the end, all ${way.isRight ? 'right' : 'wrong'}`
      test(name, () => playLesson(open, { id, ...way }))
    }
  }
})
