// For teachers: answers as they are stored and added up, the plans, and the guides' tables.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAnswers } from '../../web/lessons/answers.js'
import { LESSONS, PATH, PLANS, findLesson, placeOfLesson } from '../../web/lessons/index.js'
import { defaults, toHash } from '../../web/models/state.js'
import { tabulate } from '../../web/teaching/tabulate.js'
import { loadLessonTexts } from '../../web/words/parts.js'
import { chinese, english, korean } from '../lib/texts.js'

const answers = (wrong, isRight = true) => ({ wrong, isRight })

test('answers of a class are added up by question', () => {
  const books = [
    { mask: { minus: answers([]), first: answers([0.5]) } },
    { mask: { minus: answers(['little', 'little', 'minus']), last: answers(['3'], false) } },
    { mask: { minus: answers(['little'], false) }, order: { gone: answers([]) } }, {}
  ]
  const questions = ['minus', 'first', 'last', 'without'].map(step => ({ lesson: 'mask', step }))
  assert.deepEqual(tabulate(books, questions), [
    { lesson: 'mask', step: 'minus', answered: 3, atOnce: 1, later: 1, wrong: [['little', 2], ['minus', 1]] },
    { lesson: 'mask', step: 'first', answered: 1, atOnce: 0, later: 1, wrong: [['0.5', 1]] },
    { lesson: 'mask', step: 'last', answered: 1, atOnce: 0, later: 0, wrong: [['3', 1]] }
  ])
  assert.deepEqual(tabulate([], questions), [])
})

test('of a file only what has the form of answers is read', () => {
  const good = { mask: { minus: answers(['little']) } }
  assert.deepEqual(parseAnswers(good), good)
  for (const bad of [null, undefined, 3, 'x', [], { mask: 3 }, { mask: { minus: 'x' } }, { mask: { minus: { wrong: 3, isRight: true } } }]) {
    assert.deepEqual(Object.values(parseAnswers(bad)).flatMap(steps => Object.keys(steps)), [], JSON.stringify(bad))
  }
  assert.deepEqual(parseAnswers({ a: { b: { wrong: [{}, 'x', 1], isRight: false } } }), { a: { b: answers(['x', 1], false) } })
})

test('the plans fit into their minutes', () => {
  for (const { minutes, lessons } of PLANS) {
    const total = lessons.reduce((sum, id) => sum + findLesson(id).minutes, 0)
    assert.ok(total <= minutes && total >= minutes * 0.6, `${total} of ${minutes}`)
  }
})

test('a plan leads through its lessons in its order, and its links name it', () => {
  for (const { minutes, lessons } of PLANS) {
    lessons.slice(0, -1).forEach((id, i) => assert.equal(placeOfLesson(id, minutes).next, lessons[i + 1], `${minutes}: ${id}`))
  }
  assert.deepEqual(placeOfLesson('attention', 50),
    { name: 'path', number: 6, count: 7, previous: 'softmax', next: 'mask', endsPlan: false })
  assert.equal(placeOfLesson('mask', 50).next, placeOfLesson('mask').next, 'then the path goes on')
  assert.deepEqual(placeOfLesson('loss', 50), placeOfLesson('loss'), 'a lesson outside the plan')
  for (const { minutes, lessons } of PLANS) {
    assert.deepEqual(lessons.filter(id => placeOfLesson(id, minutes).endsPlan), [lessons.at(-1)], `${minutes}`)
  }
  assert.equal(toHash({ ...defaults(), lesson: 'mask', at: 2, plan: 50 }), 'lesson=mask&step=3&plan=50')
})

test('the guides list every lesson in order, with its title and minutes', () => {
  for (const [file, { page }] of [['teaching', english], ['teaching-ko', korean]]) {
    const text = readFileSync(new URL(`../../web/docs/${file}.md`, import.meta.url), 'utf8')
    const rows = [...text.matchAll(/^\| (.*) \(`(\w+)`\) \| (\d+) \|/gm)].map(([, title, id, minutes]) => ({ title, id, minutes: Number(minutes) }))
    assert.deepEqual(rows, LESSONS.map(({ id, minutes }) => ({ title: page.opening.titles[id], id, minutes })))
    const total = PATH.reduce((sum, { minutes }) => sum + minutes, 0)
    assert.match(text, new RegExp(`${PATH.length} lessons that follow one another, ${total} minutes|수업 ${PATH.length}개가 있어요. 모두 ${total}분`))
  }
})

test('a lesson has the same title in the lists and above its steps', async () => {
  for (const [language, { page }] of Object.entries({ ko: korean, en: english, zh: chinese })) {
    for (const { id } of LESSONS) {
      assert.equal((await loadLessonTexts(language, id)).title, page.opening.titles[id], `${language}: ${id}`)
    }
  }
})
