/** For teachers: plans, the guide, and the answers of a class from files. Loaded when it is opened. */

import { handleInternalClick, h } from '../lib/dom.js'
import { parseAnswerFile } from '../lessons/answer_file.js'
import { LESSONS, PLANS } from '../lessons/index.js'
import { loadLesson } from '../lessons/load.js'
import { defaults } from '../models/state.js'
import { loadTeachingTexts } from '../words/index.js'
import { loadLessonTexts } from '../words/parts.js'
import { tabulate } from './tabulate.js'

/** @import { Context } from '../types.d.ts' */

/** A question without the numbers of a run. @param {string} text */
const withoutPlaceholders = text => text.replace(/\{[^}]*\}/g, '…').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')

/**
 * Every question, and the texts of its options.
 * @param {import('../words/index.js').Language} language
 */
async function loadQuestions(language) {
  const lists = await Promise.all(LESSONS.map(async ({ id }) => {
    const [{ steps }, words] = await Promise.all([loadLesson(id), loadLessonTexts(language, id)])
    return steps.filter(({ question }) => question).map(({ id: step }) => (
      { lesson: id, step, ask: withoutPlaceholders(words.steps[step].ask), options: words.steps[step].options ?? {} }))
  }))
  return lists.flat()
}

/**
 * The files that hold answers, and the names of those that do not. The same file twice counts once.
 * @param {File[]} files
 */
async function readFiles(files) {
  const texts = await Promise.all(files.map(file => file.text()))
  /** @type {Map<string, import('../lessons/answer_file.js').AnswerFile>} */ const readers = new Map()
  /** @type {string[]} */ const unreadable = []
  texts.forEach((text, i) => {
    try {
      readers.set(text, parseAnswerFile(text))
    } catch {
      unreadable.push(files[i].name)
    }
  })
  return { readers: [...readers.values()], unreadable }
}

/** Opens the dialog. @param {Context} context */
export async function openTeaching({ t, get, set, link, language, reportError }) {
  const words = await loadTeachingTexts(language()), { language: chosen, theme, depth } = get()
  /** @param {string} lesson @param {number} plan */
  const stateOf = (lesson, plan) => ({ ...defaults(), language: chosen, theme, depth, lesson, plan })
  /** @param {string} lesson @param {number} plan */
  const lessonLink = (lesson, plan) => h('a', { href: link(stateOf(lesson, plan)), onclick: handleInternalClick(() => {
    dialog.close()
    set(stateOf(lesson, plan), 'push')
  }) }, t(`opening.titles.${lesson}`))
  const plans = PLANS.map(({ minutes, lessons, audience = 'plan' }) => h('section', {},
    h('h3', {}, words[audience].replace('{minutes}', String(minutes))), h('ol', {}, lessons.map(lesson => h('li', {}, lessonLink(lesson, minutes),
      h('small', {}, ` ${t('opening.minutes', { minutes: LESSONS.find(({ id }) => id === lesson)?.minutes ?? 0 })}`))))))
  const result = h('div', { 'className': 'teaching-result', 'aria-live': 'polite', 'tabindex': '0', 'role': 'group', 'aria-label': words.class })
  const files = h('input', { type: 'file', multiple: true, accept: '.json', onchange: ({ currentTarget }) => (
    showClass([...currentTarget.files ?? []]).catch(reportError)) })
  /** @param {string} name @param {(string | number | (string | Node)[])[][]} rows */
  const createTable = (name, rows) => h('table', {}, h('thead', {}, h('tr', {}, words.columns[name].map(
    (/** @type {string} */ column) => h('th', { scope: 'col' }, column)))), h('tbody', {}, rows.map(([first, ...others]) => (
    h('tr', {}, h('th', { scope: 'row' }, String(first)), others.map(cell => h('td', {}, Array.isArray(cell) ? cell : String(cell))))))))
  /** @param {File[]} list */
  async function showClass(list) {
    const { readers, unreadable } = await readFiles(list), questions = await loadQuestions(language())
    const rows = tabulate(readers.map(({ lessons }) => lessons), questions)
    const people = readers.map(({ name, lessons, exercises }) => {
      const answers = Object.values(lessons).flatMap(steps => Object.values(steps))
      return [name || '–', answers.length, answers.filter(({ isRight, wrong }) => isRight && !wrong.length).length,
        answers.filter(({ isRight }) => isRight).length, exercises.length]
    })
    result.replaceChildren(
      unreadable.length ? h('p', { className: 'note' }, `${words.unreadable} ${unreadable.join(', ')}`) : '',
      createTable('readers', people),
      rows.length ? createTable('questions', rows.map(({ lesson, step, answered, atOnce, later, wrong }) => {
        const { ask = step, options = {} } = questions.find(item => item.lesson === lesson && item.step === step) ?? {}
        // In quotes, since “6” given twice would read as a product.
        const mistakes = wrong.flatMap(([id, count], i) => [i ? ', ' : '', h('span', {}, h('q', {}, options[id] ?? id), ` × ${count}`)])
        return [`${t(`opening.titles.${lesson}`)}: ${ask}`, answered, atOnce, later, mistakes]
      })) : '')
    result.scrollIntoView({ block: 'nearest' })
  }
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', { 'className': 'settings teaching', 'aria-label': words.title },
    h('div', { className: 'dialog-head' }, h('h2', {}, words.title),
      h('button', { type: 'button', className: 'quiet', onclick: () => dialog.close() }, t('app.close'))),
    h('p', {}, words.what),
    location.protocol === 'file:' ? '' : h('p', {}, h('a', { href: words.guideHref }, words.guide)),
    h('div', { className: 'teaching-plans' }, plans),
    h('section', {}, h('h3', {}, words.class), h('p', {}, words.collect),
      h('label', { className: 'teaching-files' }, words.choose, ' ', files), result))
  dialog.addEventListener('click', event => event.target === dialog && dialog.close())
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}
