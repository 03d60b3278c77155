/** The opening: one living figure, and the doors, each with its minutes. */

import { handleInternalClick, h, setText } from '../lib/dom.js'
import { LESSONS } from '../lessons/index.js'
import { progress } from '../lessons/progress.js'
import { MODELS } from '../models/index.js'
import { HOUSE, roomsOf } from '../rooms/index.js'
import { defaults } from '../shell/state.js'
import { data } from './data.js'
import { openingFigure } from './figure.js'

/** @import { Child, Context, Patch, Run } from '../types.d.ts' */

/** Lessons with a door of their own; the others are listed below. */
const DOORS = 2

/** A reader's progress: none, a step to resume at, or complete. @param {typeof LESSONS[number]} lesson */
function come(lesson) {
  const at = progress()[lesson.id] ?? 0
  return { at: at >= lesson.stepCount - 1 ? 0 : at, isDone: at >= lesson.stepCount - 1 }
}

/**
 * @param {HTMLElement} container
 * @param {Context} context
 */
export function opening(container, context) {
  const { t, set, get, link } = context
  const own = () => {
    const { language, theme, depth } = get()
    return { ...defaults(), language, theme, depth }
  }
  /** @type {(() => void)[]} */ const links = []
  /**
   * A link whose state is computed when it is followed.
   * @param {string} className @param {() => Patch} stateOf @param {...Child} children
   */
  function way(className, stateOf, ...children) {
    const element = h('a', { className, onclick: handleInternalClick(() => set(stateOf(), 'push')) }, ...children)
    links.push(() => element.setAttribute('href', link(stateOf())))
    return element
  }
  /** @param {typeof LESSONS[number]} lesson @param {string} className */
  function lessonWay(lesson, className) {
    const place = h('small', {})
    links.push(() => {
      const { at, isDone } = come(lesson)
      setText(place, at ? t('opening.goOn', { number: at + 1, count: lesson.stepCount })
        : t(isDone ? 'opening.done' : 'opening.minutes', { minutes: lesson.minutes }))
    })
    return way(className, () => ({ ...own(), lesson: lesson.id, at: come(lesson).at }),
      h('b', {}, t(`lesson.list.${lesson.id}.title`)), h('span', {}, t(`lesson.list.${lesson.id}.what`)), place)
  }
  /** @param {string} key @param {Patch} state */
  const elsewhere = (key, state) => way('opening-more', () => {
    const { language, theme, depth } = get()
    return { ...own(), ...state, language, theme, depth }
  }, t(`opening.${key}`))

  const slot = h('section', { className: 'living-slot stage-figure' })
  const [model] = MODELS
  const examples = h('p', { className: 'opening-try' }, t('opening.try'), ' ', model.examples.map(({ text, patch }) => (
    h('button', { type: 'button', className: 'quiet', lang: 'en', onclick: () => set(patch) }, text))))
  const house = way('door', () => ({ ...get(), room: HOUSE.id }), h('b', {}, t('opening.house')),
    h('span', {}, t('opening.houseWhat')), h('small', {}, t('opening.houseTime')))
  const doors = h('nav', { 'className': 'doors', 'aria-label': t('opening.doors') },
    LESSONS.slice(0, DOORS).map(lesson => lessonWay(lesson, 'door')), house)
  const rest = LESSONS.slice(DOORS)
  const more = h('div', { className: 'opening-others' },
    rest.length ? h('section', {}, h('h2', {}, t('opening.lessons')),
      h('div', { className: 'opening-list' }, rest.map(lesson => lessonWay(lesson, 'opening-lesson')))) : '',
    h('section', {}, h('h2', {}, t('opening.elsewhere')), h('div', { className: 'opening-list' },
      elsewhere('theatre', { theatre: model.id }), elsewhere('positions', defaults('positions')),
      elsewhere('notebooks', { ...defaults('positions'), room: 'notebook.000' }),
      // A single-file page has no guides beside it.
      location.protocol === 'file:' ? '' : h('a', { className: 'opening-more', href: 'reference.html' }, t('opening.reference')))))
  container.replaceChildren(h('div', { className: 'opening' },
    h('header', { className: 'opening-head' }, h('h1', { tabindex: '-1' }, t('opening.title')),
      h('p', { className: 'lead' }, t('opening.what'))),
    slot, examples, doors, more))
  const figure = openingFigure(slot, context)
  return {
    /** @param {Run | null} run */
    update(run) {
      links.forEach(show => show())
      if (run?.decoding) figure.update(data(run, roomsOf(run)))
    },
    destroy: figure.destroy
  }
}
