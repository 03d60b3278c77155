/** What a lesson shows of a step without a run: its place, its model, the label of the button that continues. */

import { setText } from '../lib/dom.js'
import { createHiddenParts } from './hidden_parts.js'
import { placeOfLesson } from './index.js'

/** @import { Played } from './played_lesson.js' */
/** @import { Context } from '../types.d.ts' */

/** Rooms whose settings come before their figure and change what most steps are about. */
const PLAIN_ROOMS = ['decoding', 'source.tokens', 'text.tokens']

/**
 * @param {Played} played @param {Context} context @param {import('./player.js').Surroundings} surroundings
 */
export function createStepHeader(played, { t, get }, { root, extras }) {
  const hideParts = createHiddenParts(root)
  /** The label of the button that continues. */
  function nextLabel() {
    if (!played.isLastStep()) return t('player.next')
    if (!extras) return t('elements.restart')
    const { next: following } = placeOfLesson(String(played.current.id), get().plan)
    return following ? t('player.after', { name: t(`player.names.${following}`) })
      : t('player.toTheatre', { name: t('app.theatre') })
  }
  /** The name of the model where a lesson first shows it, and where another model follows. */
  function describeModel() {
    const { steps, model: lessonModel } = played.current.lesson, at = played.at()
    const before = steps.slice(0, at).findLast(step => !step.figure)
    const { figure, model = lessonModel } = steps[at]
    const isKnown = before && (before.model ?? lessonModel) === model
    return figure || isKnown ? '' : t('player.model', { name: t(`controls.model.${model}`) })
  }
  /** The parts of the room that the step does not need. @param {boolean} isAnswered */
  function partsToHide(isAnswered) {
    const { hides, answerHides } = played.step()
    if (isAnswered && answerHides) return answerHides
    // The answer may be in another room.
    return played.wantedState(played.step(), false).room === get().room ? hides : ''
  }
  /** Hides the model's answer in the top line while a question is about it. @param {boolean} isCovered */
  const hideAnswer = isCovered => root.toggleAttribute('data-covered', isCovered)
  return {
    /** @param {boolean} isInPlace whether the page is in the state of the step */
    draw(isInPlace) {
      const { parts, lesson, words, id } = played.current, at = played.at()
      const { name, number, count, previous } = placeOfLesson(String(id), get().plan), label = nextLabel()
      setText(parts.name, t(`player.names.${id}`))
      parts.name.title = words.title
      setText(parts.place, t(`player.places.${name}`, { number, count }))
      parts.showPlace(at)
      Object.assign(parts.progress, { max: lesson.steps.length, value: at + 1 })
      parts.back.disabled = at === 0 && !(extras && previous)
      parts.home.hidden = isInPlace
      setText(parts.next, label)
      parts.next.title = label
      parts.root.classList.toggle('is-away', !isInPlace)
      setText(parts.model, describeModel())
      const { question, hidesAnswer, asksForInput, freeSettings } = played.step()
      const isAnswered = Boolean(played.answer()?.isAnswered)
      hideParts(isInPlace ? partsToHide(isAnswered) : '')
      root.toggleAttribute('data-asks-input', isInPlace && Boolean(asksForInput))
      root.toggleAttribute('data-first-figure', isInPlace && !freeSettings && PLAIN_ROOMS.includes(get().room))
      hideAnswer(isInPlace && Boolean(hidesAnswer || (question?.isOfAnswer && !isAnswered)))
    },
    clear() {
      hideAnswer(false)
      hideParts()
      for (const name of ['data-asks-input', 'data-first-figure']) root.removeAttribute(name)
    }
  }
}
