/** The opening: an animated figure, and links to the lessons with their duration. */

import { handleInternalClick, h, setText } from '../lib/dom.js'
import { LESSONS } from '../lessons/index.js'
import { readProgress } from '../lessons/progress.js'
import { MODELS } from '../models/index.js'
import { HOUSE, roomsOf } from '../rooms/index.js'
import { defaults } from '../models/state.js'
import { data } from './data.js'
import { mountOpeningFigure } from './figure.js'

/** @import { Child, Context, Patch, Run } from '../types.d.ts' */

/** The number of lessons with large links; the others are listed below. */
const LESSON_DOORS = 2

/** A reader's progress: none, a step to resume at, or complete. @param {typeof LESSONS[number]} lesson */
function lessonProgress(lesson) {
  const at = readProgress()[lesson.id] ?? 0
  return { at: at >= lesson.stepCount - 1 ? 0 : at, isDone: at >= lesson.stepCount - 1 }
}

/**
 * @param {HTMLElement} container
 * @param {Context} context
 */
export function mountOpening(container, context) {
  const { t, set, get, link } = context
  const initialState = () => {
    const { language, theme, depth } = get()
    return { ...defaults(), language, theme, depth }
  }
  /** @type {(() => void)[]} */ const links = []
  /**
   * A link whose state is computed when it is followed.
   * @param {string} className @param {() => Patch} stateOf @param {...Child} children
   */
  function createLink(className, stateOf, ...children) {
    const element = h('a', { className, onclick: handleInternalClick(() => set(stateOf(), 'push')) }, ...children)
    links.push(() => element.setAttribute('href', link(stateOf())))
    return element
  }
  /** @param {typeof LESSONS[number]} lesson @param {string} className */
  function createLessonLink(lesson, className) {
    const place = h('small', {})
    links.push(() => {
      const { at, isDone } = lessonProgress(lesson)
      setText(place, at ? t('opening.resume', { number: at + 1, count: lesson.stepCount })
        : t(isDone ? 'opening.done' : 'opening.minutes', { minutes: lesson.minutes }))
    })
    return createLink(className, () => ({ ...initialState(), lesson: lesson.id, at: lessonProgress(lesson).at }),
      h('b', {}, t(`lesson.list.${lesson.id}.title`)), h('span', {}, t(`lesson.list.${lesson.id}.what`)), place)
  }
  /** @param {string} key @param {Patch} state */
  const createOtherLink = (key, state) => createLink('opening-more', () => {
    const { language, theme, depth } = get()
    return { ...initialState(), ...state, language, theme, depth }
  }, t(`opening.${key}`))

  const slot = h('section', { className: 'living-slot stage-figure' })
  const [model] = MODELS
  const examples = h('p', { className: 'opening-try' }, t('opening.try'), ' ', model.examples.map(({ text, patch }) => (
    h('button', { type: 'button', className: 'quiet', lang: 'en', onclick: () => set(patch) }, text))))
  const house = createLink('door', () => ({ ...get(), room: HOUSE.id }), h('b', {}, t('opening.house')),
    h('span', {}, t('opening.houseWhat')), h('small', {}, t('opening.houseTime')))
  const doors = h('nav', { 'className': 'doors', 'aria-label': t('opening.doors') },
    LESSONS.slice(0, LESSON_DOORS).map(lesson => createLessonLink(lesson, 'door')), house)
  const otherLessons = LESSONS.slice(LESSON_DOORS)
  const otherLinks = h('div', { className: 'opening-others' },
    otherLessons.length ? h('section', {}, h('h2', {}, t('opening.lessons')),
      h('div', { className: 'opening-list' }, otherLessons.map(lesson => createLessonLink(lesson, 'opening-lesson')))) : '',
    h('section', {}, h('h2', {}, t('opening.elsewhere')), h('div', { className: 'opening-list' },
      createOtherLink('exercises', { exercise: 'list' }), createOtherLink('theatre', { theatre: model.id }), createOtherLink('positions', defaults('positions')),
      createOtherLink('notebooks', { ...defaults('positions'), room: 'notebook.000' }),
      // A single-file page has no guides beside it.
      location.protocol === 'file:' ? '' : h('a', { className: 'opening-more', href: 'reference.html' }, t('opening.reference')))))
  container.replaceChildren(h('div', { className: 'opening' },
    h('header', { className: 'opening-head' }, h('h1', { tabindex: '-1' }, t('opening.title')),
      h('p', { className: 'lead' }, t('opening.what'))),
    slot, examples, doors, otherLinks))
  const figure = mountOpeningFigure(slot, context)
  return {
    /** @param {Run | null} run */
    update(run) {
      links.forEach(updateLink => updateLink())
      if (run?.decoding) figure.update(data(run, roomsOf(run)))
    },
    destroy: figure.destroy
  }
}
