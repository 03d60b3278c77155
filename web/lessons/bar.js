/** The words of a step with the ways out of it: back, next, a list of steps and lessons, the worksheet and its key. */

import { h, setText } from '../lib/dom.js'
import { createMenu } from '../lib/menu.js'
import { LESSON_LISTS } from './index.js'

/** @import { Child, Context } from '../types.d.ts' */

/**
 * A menu of the steps of this lesson and of all lessons.
 * @param {Pick<Context, 't' | 'get'>} context @param {string[]} titles of the steps
 * @param {{ jump: (at: number) => void, open: (id: string) => void }} actions
 * @param {boolean} isAlone whether there are no other lessons
 */
function createSteps({ t, get }, titles, { jump, open }, isAlone) {
  const close = () => /** @type {HTMLElement} */ (menu.querySelector('.menu-body')).hidePopover()
  /** @param {string} text @param {() => void} action */
  const item = (text, action) => h('li', {}, h('button', { type: 'button', className: 'quiet', onclick: () => {
    close()
    action()
  } }, text))
  const steps = titles.map((title, at) => item(title, () => jump(at)))
  const lists = Object.entries(LESSON_LISTS).map(([name, lessons]) => ({ name, lessons,
    items: lessons.map(({ id }) => item(t(`player.names.${id}`), () => open(id))) }))
  /** @param {Element[]} list @param {number} current */
  const mark = (list, current) => list.forEach((element, i) => (
    i === current ? element.setAttribute('aria-current', 'step') : element.removeAttribute('aria-current')))
  const menu = createMenu({ className: 'lesson-menu', label: '', onopen() {
    mark(steps, Math.min(get().at, steps.length - 1))
    for (const { lessons, items } of lists) mark(items, lessons.findIndex(({ id }) => id === get().lesson))
  } }, h('h2', {}, t('player.steps')), h('ol', {}, steps),
  isAlone ? null : lists.map(({ name, items }) => [h('h2', {}, t(`opening.lists.${name}.title`)), h('ol', {}, items)]))
  const opener = /** @type {HTMLElement} */ (menu.querySelector('.menu-opener'))
  /** @param {number} at */
  function showPlace(at) {
    setText(opener, `${at + 1} / ${titles.length}`)
    opener.setAttribute('aria-label', `${at + 1} / ${titles.length} · ${t(isAlone ? 'player.steps' : 'player.all')}`)
  }
  return { menu, showPlace }
}

/**
 * Creates a button of a lesson; its text is that of its name by default.
 * @typedef {(name: string, action: () => void, words?: Child) => HTMLButtonElement} CreateButton
 */

/**
 * @param {Pick<Context, 't' | 'get' | 'reportError'>} context @param {string[]} titles of the steps
 * @param {Record<'back' | 'next' | 'leave' | 'home', () => void> &
 *   { print: (name: 'sheet' | 'key') => void, jump: (at: number) => void, open: (id: string) => void }} actions
 * @param {import('./player.js').Extras} [extras] missing where nothing leads out of the lesson, in an element
 */
export function createBar(context, titles, actions, extras) {
  const { t } = context, isAlone = !extras
  /** @type {CreateButton} */
  const button = (name, action, words = t(`player.${name}`)) => (
    h('button', { type: 'button', className: `lesson-${name}`, onclick: action }, words))
  const { menu, showPlace } = createSteps(context, titles, actions, isAlone)
  const parts = {
    name: h('span', { className: 'lesson-name' }), place: h('span', { className: 'lesson-place', hidden: isAlone }), progress: h('progress', { 'aria-label': t('player.progress') }), title: h(isAlone ? 'h2' : 'h1', { className: 'lesson-title' }), model: h('p', { className: 'note lesson-model' }),
    text: h('p', { className: 'lesson-text' }), end: h('p', { className: 'lesson-end', hidden: true }), open: h('p', { className: 'note lesson-open', hidden: true }), ask: h('div', { className: 'lesson-asked' }),
    back: button('back', actions.back), next: button('next', actions.next), leave: button('leave', actions.leave),
    home: button('home', actions.home), sheet: button('sheet', () => actions.print('sheet'), t('player.sheet.print')),
    handIn: extras?.createHandIn(button, context) ?? [], key: button('key', () => actions.print('key'), t('player.sheet.answers'))
  }
  const { name, place, progress, title, text, ask, end, open, back, next, leave, home, sheet, key, handIn } = parts
  const root = h('div', { className: 'lesson-bar' },
    h('div', { className: 'lesson-line' }, name, place, menu, progress),
    h('div', { 'className': 'lesson-words', 'aria-live': 'polite' }, title, parts.model, text),
    h('div', { className: 'lesson-answer' }, ask, isAlone ? null : open, end, isAlone ? null : handIn),
    h('div', { className: 'lesson-ways' }, home, back, next),
    extras ? h('div', { className: 'lesson-extras' }, extras.createViewButtons(button, t), sheet, key, leave) : null)
  return { root, showPlace, ...parts }
}
