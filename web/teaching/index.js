/** For teachers: plans, the guide, and the answers of a class from files. Loaded when it is opened. */

import { handleInternalClick, h } from '../lib/dom.js'
import { saveBlob } from '../lib/save.js'
import { parseAnswers, readAnswers } from '../lessons/answers.js'
import { LESSONS } from '../lessons/index.js'
import { loadLesson } from '../lessons/load.js'
import { defaults } from '../models/state.js'
import { loadLessonTexts, loadTeachingTexts } from '../words/index.js'
import { tabulate } from './tabulate.js'

/** @import { Context } from '../types.d.ts' */

/** Lessons for a class of so many minutes; what remains is for questions and worksheets. */
export const PLANS = [
  { minutes: 20, lessons: ['learning', 'query', 'attention'] },
  { minutes: 50, lessons: ['learning', 'tokens', 'vectors', 'query', 'softmax', 'attention', 'loss'] },
  { minutes: 90, lessons: ['learning', 'tokens', 'vectors', 'positions', 'query', 'softmax', 'attention', 'heads', 'mask',
    'feed_forward', 'block', 'loss', 'sampling', 'translation', 'kinds'] }
]

/**
 * Every question with its title, and the texts of its options.
 * @param {import('../words/index.js').Language} language
 */
async function loadQuestions(language) {
  const lists = await Promise.all(LESSONS.map(async ({ id }) => {
    const [{ steps }, words] = await Promise.all([loadLesson(id), loadLessonTexts(language, id)])
    return steps.filter(({ question }) => question).map(({ id: step }) => (
      { lesson: id, step, title: words.steps[step].title, options: words.steps[step].options ?? {} }))
  }))
  return lists.flat()
}

/** @param {File} file */
async function readBook(file) {
  const { glassformer, lessons } = JSON.parse(await file.text())
  if (glassformer !== 'answers') throw new Error(file.name)
  return parseAnswers(lessons)
}

/** Saves the reader's own answers as a file. */
export const saveAnswers = () => saveBlob(
  new Blob([JSON.stringify({ glassformer: 'answers', lessons: readAnswers() }, null, 1)], { type: 'application/json' }), 'glassformer-answers.json')

/** Opens the dialog. @param {Context} context */
export async function openTeaching({ t, get, set, link, language }) {
  const words = await loadTeachingTexts(language()), { language: chosen, theme, depth } = get()
  /** @param {string} lesson */
  const stateOf = lesson => ({ ...defaults(), language: chosen, theme, depth, lesson })
  /** @param {string} lesson */
  const lessonLink = lesson => h('a', { href: link(stateOf(lesson)), onclick: handleInternalClick(() => {
    dialog.close()
    set(stateOf(lesson), 'push')
  }) }, t(`opening.titles.${lesson}`))
  const plans = PLANS.map(({ minutes, lessons }) => h('section', {}, h('h3', {}, words.plan.replace('{minutes}', String(minutes))),
    h('ol', {}, lessons.map(lesson => h('li', {}, lessonLink(lesson),
      h('small', {}, ` ${t('opening.minutes', { minutes: LESSONS.find(({ id }) => id === lesson)?.minutes ?? 0 })}`))))))
  const result = h('div', { 'className': 'teaching-result', 'aria-live': 'polite' })
  const files = h('input', { type: 'file', multiple: true, accept: '.json', onchange: ({ currentTarget }) => (
    showClass([...currentTarget.files ?? []]).catch(error => result.replaceChildren(h('p', { className: 'note' }, `${words.unreadable} ${error.message}`)))) })
  /** @param {File[]} list */
  async function showClass(list) {
    const books = await Promise.all(list.map(readBook)), questions = await loadQuestions(language())
    const rows = tabulate(books, questions)
    result.replaceChildren(h('p', {}, words.readers.replace('{count}', String(books.length))), h('table', {},
      h('thead', {}, h('tr', {}, words.columns.map((/** @type {string} */ name) => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, rows.map(({ lesson, step, answered, atOnce, later, wrong }) => {
        const question = questions.find(item => item.lesson === lesson && item.step === step)
        return h('tr', {}, h('th', { scope: 'row' }, `${t(`opening.titles.${lesson}`)}: ${question?.title ?? step}`), h('td', {}, answered),
          h('td', {}, atOnce), h('td', {}, later), h('td', {}, wrong.map(([id, count]) => `${question?.options[id] ?? id} × ${count}`).join(', ')))
      }))))
  }
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', { 'className': 'settings teaching', 'aria-label': words.title },
    h('div', { className: 'dialog-head' }, h('h2', {}, words.title),
      h('button', { type: 'button', className: 'quiet', onclick: () => dialog.close() }, t('app.close'))),
    h('p', {}, words.what),
    location.protocol === 'file:' ? '' : h('p', {}, h('a', { href: words.guideHref }, words.guide)),
    h('div', { className: 'teaching-plans' }, plans),
    h('section', {}, h('h3', {}, words.class), h('p', {}, words.collect),
      h('p', { className: 'figure-buttons' }, h('button', { type: 'button', className: 'figure-button', onclick: saveAnswers }, words.save)),
      h('label', { className: 'teaching-files' }, words.choose, ' ', files), result))
  dialog.addEventListener('click', event => event.target === dialog && dialog.close())
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}
