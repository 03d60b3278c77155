/** The opening: an animated figure, doors, and the list of all lessons. */

import { fill, findElement, handleInternalClick, h, setText, uniqueId } from '../lib/dom.js'
import { LESSON_LISTS, PATH, PLANS } from '../lessons/index.js'
import { readProgress } from '../lessons/progress.js'
import { togglePresenting } from '../lib/present.js'
import { MODELS, modelOf } from '../models/index.js'
import { HOUSE } from '../rooms/house.js'
import { defaults, startOf } from '../models/state.js'
import { data } from './data.js'
import { mountOpeningFigure } from './figure.js'
import { showFirstWords } from './first_words.js'
import { createPicture } from './pictures.js'

/** @import { Child, Context, Patch, Run, State } from '../types.d.ts' */

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
  let progress = readProgress()
  /** A reader's progress: none, a step to resume at, or complete. @param {typeof PATH[number]} lesson */
  function lessonProgress(lesson) {
    const { at, isDone } = progress[lesson.id] ?? { at: 0, isDone: false }
    return { at: isDone ? 0 : at, isDone, isStarted: lesson.id in progress }
  }
  /** The lesson after the last complete one; behind the end, the first that is not, or the first of all. */
  function nextLesson() {
    const isDone = PATH.map(lesson => lessonProgress(lesson).isDone)
    return PATH[isDone.lastIndexOf(true) + 1] ?? PATH[isDone.indexOf(false)] ?? PATH[0]
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
  /** @param {typeof PATH[number]} lesson */
  const stateOfLesson = lesson => (
    { ...initialState(), source: get().source, lesson: lesson.id, at: lessonProgress(lesson).at })
  /** @param {typeof PATH[number]} lesson */
  function describeProgress(lesson) {
    const { at, isDone } = lessonProgress(lesson)
    return at ? t('opening.resume', { number: at + 1, count: lesson.stepCount })
      : t(isDone ? 'opening.done' : 'opening.minutes', { minutes: lesson.minutes })
  }
  /** @param {typeof PATH[number]} lesson */
  function createLessonLink(lesson) {
    const place = h('small', {}), title = t(`opening.titles.${lesson.id}`)
    const element = createLink('opening-lesson', () => stateOfLesson(lesson), h('b', {}, title), ' ', place)
    links.push(() => {
      setText(place, describeProgress(lesson))
      element.classList.toggle('is-done', lessonProgress(lesson).isDone)
    })
    return h('li', {}, element)
  }
  /** A short way for readers who know PyTorch. */
  const createEngineerLink = () => {
    const { minutes: plan, lessons } = /** @type {typeof PLANS[number]} */ (PLANS.find(({ audience }) => audience === 'engineers'))
    return createLink('opening-more', () => ({ ...initialState(), lesson: lessons[0], plan }),
      t('opening.engineers', { count: lessons.length, minutes: plan }))
  }
  /** @param {string} name of the picture and its texts @param {() => Patch} stateOf */
  function createDoor(name, stateOf) {
    const doorState = () => ({ ...initialState(), source: get().source, ...stateOf(), ...readerSettings() })
    return createLink('door', doorState, createPicture(name), h('b', {}, t(`opening.${name}`)), h('span', {}, t(`opening.${name}What`)))
  }
  /** The answer to the reader's text, at the character that the figure shows. */
  const whyState = () => ({ room: 'attribution', row: Math.max(Number(get().step), 0) })
  const readerSettings = () => {
    const { language, theme, depth } = get()
    return { language, theme, depth }
  }
  const bring = h('button', { type: 'button', className: 'door', onclick: () => findElement(document, '[data-action="bring"]').click() },
    createPicture('bring'), h('b', {}, t('opening.bring')), h('span', {}, t('opening.bringWhat')))

  const startName = h('b', {}), startWhat = h('span', {})
  const start = createLink('door is-start', () => stateOfLesson(nextLesson()), createPicture('start'), startName, startWhat)
  links.push(() => {
    const lesson = nextLesson(), isFirst = lesson === PATH[0] && !lessonProgress(lesson).isStarted
    setText(startName, t(isFirst ? 'opening.start' : 'opening.continue'))
    setText(startWhat, `${t(`opening.titles.${lesson.id}`)} · ${describeProgress(lesson)}`)
  })

  const openTeaching = () => import('../teaching/index.js').then(({ openTeaching: open }) => open(context)).catch(context.reportError)
  const slot = h('section', { className: 'living-slot stage-figure' })
  const [model] = MODELS
  const problem = h('p', { className: 'problem', role: 'alert', id: uniqueId('problem') })
  const input = h('input', { 'type': 'text', 'autocomplete': 'off', 'spellcheck': 'false', 'aria-label': t('opening.own'),
    'aria-describedby': problem.id, 'placeholder': t('opening.own'), 'oninput': ({ currentTarget }) => set({ source: currentTarget.value }) })
  const examples = h('div', { className: 'opening-try' }, input, model.examples.slice(1, 5).map(({ text, patch }) => (
    h('button', { type: 'button', className: 'quiet', lang: 'en', onclick: () => set(patch) }, text))))
  const gloss = h('p', { className: 'opening-gloss' })
  if (!container.firstChild) showFirstWords(container, context.language())
  findElement(container, '.opening-head').append(start)
  fill(findElement(container, '.opening'), {}, [examples, problem, slot, gloss,
    h('nav', { 'className': 'doors', 'aria-label': t('opening.doors') }, createDoor('house', () => ({ room: HOUSE.id })),
      createDoor('why', whyState), createDoor('exercises', () => ({ exercise: 'list' })), createDoor('theatre', () => ({ theatre: model.id })),
      bring, createDoor('positions', () => startOf('positions', context.language())),
      createDoor('notebooks', () => ({ ...startOf('positions', context.language()), room: 'notebook.000' }))),
    Object.entries(LESSON_LISTS).map(([name, lessons]) => h('section', { className: `opening-course is-${name}` },
      h('h2', {}, t(`opening.lists.${name}.title`)), h('p', { className: 'note' }, t(`opening.lists.${name}.note`, {
        count: lessons.length, minutes: lessons.reduce((sum, { minutes }) => sum + minutes, 0)
      }), name === 'path' ? [' ', createEngineerLink()] : ''), h('ol', { className: 'opening-list' }, lessons.map(createLessonLink)))),
    // A single-file page has no guides beside it, and is downloaded already.
    h('p', { className: 'opening-foot' },
      h('button', { type: 'button', className: 'quiet opening-present', onclick: () => togglePresenting() },
        h('span', { className: 'is-off' }, t('opening.present')), h('span', { className: 'is-on' }, t('opening.presentEnd'))),
      h('button', { type: 'button', className: 'quiet', onclick: openTeaching }, t('opening.teaching')),
      ...(location.protocol === 'file:' ? [] : [
        h('a', { className: 'opening-more', href: 'glassformer.html', download: '' }, t('opening.download')),
        h('a', { className: 'opening-more', href: 'reference.html' }, t('opening.reference'))]))])
  const figure = mountOpeningFigure(slot, context)
  /** @type {State | null} */ let linked = null
  function updateLinks() {
    if (linked === get()) return
    linked = get()
    progress = readProgress()
    links.forEach(updateLink => updateLink())
  }
  return {
    /** @param {string} text what is wrong with the reader's text */
    showProblem(text) {
      setText(problem, text)
      input.setAttribute('aria-invalid', String(Boolean(text)))
    },
    /** @param {Run | null} run */
    update(run) {
      updateLinks()
      const { kind } = modelOf(get().model)
      setText(gloss, kind(get()) === kind(defaults()) ? t('opening.gloss') : t(`app.models.${kind(get())}`))
      if (document.activeElement !== input) input.value = String(get().source ?? '')
      if (run?.decoding) figure.update(data(run))
    },
    destroy: figure.destroy
  }
}
