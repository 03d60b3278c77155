/** The lesson player: one step at a time, explained above the figure, while the page stays usable. */

import { h, setText } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'
import { readRun } from '../lib/run.js'
import { translator } from '../lib/text.js'
import { MODELS, settingsOf } from '../models/index.js'
import { HOUSE } from '../rooms/index.js'
import { OPENING, defaults, runKeys, toHash } from '../shell/state.js'
import { lessonOf } from './index.js'
import { pointers } from './pointer.js'
import { remember } from './progress.js'
import { question } from './question.js'
import { standingFor } from './run_values.js'
import { freeValues, isInStep, changedFields, stateOf, placeholderValues } from './steps.js'

/** @import { ModulePath } from '../rooms/graph.js' */
/** @import { Lesson } from './index.js' */
/** @import { Result } from './question.js' */
/** @import { Context, Language, Run, State } from '../types.d.ts' */

/**
 * The loaded lesson, in a language, and the reader's answers.
 * @typedef {object} Playing
 * @property {string | null} id
 * @property {Language} language
 * @property {Lesson} lesson
 * @property {{ title: string, steps: Record<string, any> }} words
 * @property {Bar} parts
 * @property {Map<string, Answered>} answers by step
 * @property {string | null} [wanted]
 * @property {boolean} [isMet] whether it was seen where its reader comes in
 *
 * @typedef {ReturnType<typeof bar> & { asked?: string, said?: string, taken?: string,
 *   question?: ReturnType<typeof question> | null }} Bar and what was written there last
 *
 * @typedef {object} Answered
 * @property {(string | number)[]} wrong
 * @property {string | number | null | undefined} right
 * @property {string | number | null} given
 * @property {boolean} isOver
 * @property {string} inputs what the reader had written by then
 * @property {Run | null} [before] the run of the question
 */

/** The texts that depend on the answer. */
const ANSWER_TEXTS = ['right', 'wrong']

/** Hides the model's answer in the top line while a question asks for it. @param {boolean} isCovered */
const cover = isCovered => document.documentElement.toggleAttribute('data-covered', isCovered)

/**
 * Whether a link only says which step it is and what the reader has typed, from wherever the page starts.
 * @param {State} state @param {Lesson} lesson
 */
function isBare(state, { keeps }) {
  const known = defaults()
  const own = { lesson: '', at: 0, language: 'auto', theme: 'auto', ...(state.room === HOUSE.id && { room: OPENING }),
    ...Object.fromEntries(keeps.map(name => [name, known[name]])) }
  return toHash(/** @type {State} */ ({ ...state, ...own })) === toHash(known)
}

/**
 * @param {Lesson['steps'][number]} step @param {Answered['given']} given @param {string | number | undefined} right
 */
const isRightFor = ({ ask }, given, right) => (ask?.tolerance === undefined ? given === right
  : given !== null && Math.abs(Number(given) - Number(right)) <= ask.tolerance)

/**
 * @param {Pick<Context, 't'>} context
 * @param {Record<'back' | 'next' | 'leave' | 'home' | 'sheet', () => void>} acts
 */
function bar({ t }, acts) {
  /** @param {string} name @param {() => void} act */
  const button = (name, act, words = t(`lesson.${name}`)) => (
    h('button', { type: 'button', className: `lesson-${name}`, onclick: act }, words))
  const parts = {
    name: h('span', { className: 'lesson-name' }), place: h('span', { className: 'lesson-place' }),
    progress: h('progress', { 'aria-label': t('lesson.progress') }), title: h('h1', {}),
    text: h('p', { className: 'lesson-text' }), ask: h('div', { className: 'lesson-asked' }),
    back: button('back', acts.back), next: button('next', acts.next), leave: button('leave', acts.leave),
    home: button('home', acts.home), sheet: button('sheet', acts.sheet, t('lesson.sheet.print'))
  }
  const { name, place, progress, title, text, ask, back, next, leave, home, sheet } = parts
  const root = h('div', { className: 'lesson-bar' },
    h('div', { className: 'lesson-line' }, name, place, progress,
      h('div', { className: 'lesson-ways' }, home, back, next, sheet, leave)),
    h('div', { 'className': 'lesson-words', 'aria-live': 'polite' }, title, text), ask)
  return { root, ...parts }
}

/**
 * Mounts the player, empty.
 * @param {HTMLElement} container @param {HTMLElement} stage
 * @param {Context} context
 */
export function player(container, stage, context) {
  const { t, get, set, language } = context
  const pointer = pointers(stage)
  /** @type {Playing} */
  let shown = /** @type {any} */ (
    { id: null, language: null, lesson: null, words: null, parts: null, answers: new Map() })

  const stepNow = () => shown.lesson.steps[Math.min(get().at, shown.lesson.steps.length - 1)]
  const now = () => ({ state: get(), before: answered()?.before ?? null })
  /**
   * The state of a step, or the one in which its answer is revealed.
   * @param {Lesson['steps'][number]} step @param {boolean} isOver @param {Run | null} [before] the run of the question
   */
  function wanted(step, isOver, before = shown.answers.get(step.id)?.before) {
    const text = isOver && step.then ? step.then : step.state
    const sentence = typeof text === 'function' ? text(/** @type {Run} */ (before), { state: get() })
      : typeof text === 'string' ? text : text[language()]
    return stateOf(shown.lesson, sentence, get(), language())
  }
  /** @param {Lesson['steps'][number]} step */
  const isSeen = step => Boolean(step.then && shown.answers.get(step.id)?.isOver)
  const answered = () => shown.answers.get(stepNow().id)
  const inputs = () => JSON.stringify(changedFields(shown.lesson, get()))
  const isAtEnd = () => get().at >= shown.lesson.steps.length - 1

  /**
   * Enters a step: its question, or, if answered already, the result.
   * @param {number} at @param {'push' | 'replace'} [history]
   */
  function enter(at, history = 'push') {
    const step = shown.lesson.steps[at]
    // Before rendering, which may scroll to the place already.
    scrollTo({ top: 0 })
    set({ ...wanted(step, isSeen(step)), at }, history)
  }
  const leave = () => {
    pointer.clear()
    set({ lesson: '', at: 0 }, 'push')
  }
  const home = () => enter(shown.lesson.steps.indexOf(stepNow()))
  function next() {
    if (!isAtEnd()) return enter(get().at + 1)
    const { next: following, theatre } = shown.lesson
    set({ ...defaults(), ...readers(), ...(following ? { lesson: following } : { theatre }) }, 'push')
  }
  /** All questions of the lesson on paper, with answers computed by the same engine. */
  async function sheet() {
    const { lesson, words, parts, id } = shown
    if (parts.sheet.ariaBusy === 'true') return
    parts.sheet.ariaBusy = 'true'
    /** @type {Map<string, Promise<Run>>} */ const runs = new Map()
    /** @param {State} state */
    function runOf(state) {
      const settings = settingsOf(state), key = JSON.stringify(settings)
      const known = runs.get(key) ?? context.runQuery('twin', { settings }).then(message => readRun(message))
      runs.set(key, known)
      return known
    }
    /** @param {State} state @param {string} tensor */
    async function gradientOf(state, tensor) {
      await context.runQuery('twin', { settings: settingsOf(state) })
      const found = await context.runQuery('gradients', { isTwin: true, names: [tensor] })
      return /** @type {Float32Array} */ (found.get(tensor))
    }
    try {
      const [{ worksheet }, { paper, print }] = await Promise.all([import('./worksheet.js'), import('./sheet.js')])
      const made = await worksheet(lesson, words, { state: get(), language: language(), runOf, gradientOf })
      if (shown.id === id) print(paper(made, t))
    } finally {
      parts.sheet.ariaBusy = null
    }
  }
  const readers = () => {
    const { language: spoken, theme, depth } = get()
    return { language: spoken, theme, depth }
  }

  /**
   * The correct answer: read from the current run, or from the run in which it will be revealed, computed separately.
   * @param {Lesson['steps'][number]} step @param {Run} run
   */
  async function rightOf(step, run) {
    const { ask, then } = step
    if (!then) return ask?.answer(run, now())
    const state = /** @type {State} */ (wanted(step, true, run)), here = get()
    const isSame = runKeys(state).every(key => JSON.stringify(state[key]) === JSON.stringify(here[key]))
    const seen = isSame ? run : readRun(await context.runQuery('twin', { settings: settingsOf(state) }))
    return ask?.answer(seen, { state, before: run })
  }
  /**
   * @param {Lesson['steps'][number]} step @param {Run} run @param {Answered['given']} given null where it is asked for
   */
  function finish(step, run, given) {
    const known = answered() ?? noAnswer()
    shown.answers.set(step.id, { ...known, given, isOver: true, ...(step.then && { before: run }) })
    if (step.then) set(wanted(step, true))
    else draw(run)
  }
  /** @returns {Answered} */
  const noAnswer = () => ({ wrong: [], right: null, given: null, isOver: false, inputs: inputs() })
  /**
   * A correct answer completes the question; a wrong one gives a hint and another try.
   * @param {string | number} given
   */
  async function answer(given) {
    const step = stepNow(), run = context.run(), before = inputs()
    if (!run || !step.ask || answered()?.isOver || !context.isCurrent()) return
    const right = await rightOf(step, run)
    if (step !== stepNow() || run !== context.run() || before !== inputs() || answered()?.isOver) return
    if (isRightFor(step, given, right)) return finish(step, run, given)
    const known = answered() ?? noAnswer()
    shown.answers.set(step.id, { ...known, wrong: [...known.wrong, given] })
    draw(run)
  }
  /** Reveals the answer on request. */
  function reveal() {
    const run = context.run()
    if (run && answered()) finish(stepNow(), run, null)
  }

  /**
   * The text after an answer: correct, a hint, or the correct answer.
   * @param {Lesson['steps'][number]} step @param {Run} run @param {(key: string) => string} speak @returns {Result}
   */
  function resultOf(step, run, speak) {
    const known = answered()
    if (!known || !step.ask) return { wrong: [], right: null, isOver: false, text: '' }
    if (!known.isOver) return { ...known, text: speak('hint') || t('lesson.again') }
    const right = step.ask.answer(run, now())
    const isRight = isRightFor(step, known.given, right)
    return { ...known, wrong: isRight || known.given === null ? known.wrong : [...known.wrong, known.given], right,
      text: speak(isRight ? 'right' : 'wrong') }
  }

  /** @param {Lesson['steps'][number]} step @param {Run} run @param {(key: string) => string} speak */
  function drawQuestion(step, run, speak) {
    const { parts, words } = shown
    const known = answered()
    const options = step.ask?.options?.(known?.before ?? run, now())
      .map(({ id, text }) => ({ id, text: text ?? words.steps[step.id].options[id] })) ?? null
    const key = JSON.stringify([step.id, options, speak('ask')])
    if (key !== parts.asked) {
      parts.question = step.ask ? question({ text: speak('ask'), options }, t, given => answer(given).catch(context.reportError), reveal) : null
      parts.ask.replaceChildren(...(parts.question ? [parts.question.element] : []))
      parts.asked = key
    }
    parts.question?.show(resultOf(step, run, speak))
  }

  /** @param {Run} run */
  function draw(run) {
    const { parts, words, lesson } = shown
    const step = stepNow()
    const known = answered()
    // The text about the question's run stays the same when the answer has produced another run.
    const asked = known?.before
      ? { run: known.before, now: { state: wanted(step, false), before: null } } : { run, now: now() }
    const say = translator(words.steps[step.id], { strict: false })
    const own = words.steps[step.id]
    const values = placeholderValues(step, own, run, now()), before = placeholderValues(step, own, asked.run, asked.now)
    /** @param {string} key */
    const speak = key => (words.steps[step.id][key] ? say(key, ANSWER_TEXTS.includes(key) ? values : before) : '')
    setText(parts.title, speak('title'))
    const text = speak('text')
    if (parts.said !== text) parts.text.replaceChildren(...renderProse(text))
    parts.said = text
    drawQuestion(step, run, speak)
    const isThen = Boolean(known?.isOver && step.then)
    const target = (isThen ? step.pointThen ?? step.point : step.point)?.(run, now()) ?? null
    const key = `${shown.id} ${step.id} ${Boolean(known?.isOver)} ${shown.language}`
    pointer.point(target, key, step.ask ? parts.ask : parts.title)
    const taken = JSON.stringify([key, inputs(), freeValues(step, get())])
    if (taken !== parts.taken) unfold(run, (isThen ? step.lookThen : step.look)?.(run, now()) ?? target)
    parts.taken = taken
    parts.root.dataset.step = step.id
    parts.root.dataset.language = shown.language
    remember(shown.id ?? '', lesson.steps.indexOf(step))
  }

  /**
   * Selects the cell that is pointed at, unless the inspector has one of its own.
   * @param {Run} run @param {import('./index.js').Place | null} target
   */
  function unfold(run, target) {
    const cell = target?.tensor === undefined ? null : standingFor(run, target)
    if (cell) context.selectCell(cell)
  }

  /** The label of the button that continues. @param {Lesson} lesson */
  function wayOn({ next: following }) {
    if (!isAtEnd()) return t('lesson.next')
    return following ? t('lesson.after', { name: t(`lesson.list.${following}.name`) })
      : t('lesson.toTheatre', { name: t('app.theatre') })
  }
  /** @param {boolean} isThere */
  function drawPlace(isThere) {
    const { parts, lesson, words } = shown
    const at = Math.min(get().at, lesson.steps.length - 1)
    setText(parts.name, t(`lesson.list.${shown.id}.name`))
    parts.name.title = words.title
    setText(parts.place, `${at + 1} / ${lesson.steps.length}`)
    parts.progress.max = lesson.steps.length
    parts.progress.value = at + 1
    parts.back.disabled = at === 0
    parts.home.hidden = isThere
    const next = wayOn(lesson)
    setText(parts.next, next)
    parts.next.title = next
    parts.root.classList.toggle('is-away', !isThere)
    cover(isThere && Boolean(stepNow().ask?.isOfAnswer) && !answered()?.isOver)
    if (!isThere) pointer.clear()
  }

  /** @param {string} id @param {Language} spoken */
  async function build(id, spoken) {
    const { load, words } = /** @type {typeof import('./index.js').LESSONS[number]} */ (lessonOf(id))
    const [{ lesson }, { default: texts }] = await Promise.all([load(), words[spoken]()])
    if (get().lesson !== id || language() !== spoken) return
    const isNew = shown.id !== id
    const parts = bar(context, {
      back: () => enter(Math.max(0, get().at - 1)), next, leave, home, sheet: () => sheet().catch(context.reportError)
    })
    shown = { id, language: spoken, lesson, words: texts, parts, answers: isNew ? new Map() : shown.answers }
    container.replaceChildren(parts.root)
    container.setAttribute('aria-label', texts.title)
    const at = Math.min(get().at, lesson.steps.length - 1)
    if (isBare(get(), lesson) || !isNew) enter(at, 'replace')
    else update(context.run())
  }

  /** @param {Run | null} run */
  function update(run) {
    const { lesson: id } = get()
    const spoken = language()
    if (shown.id !== id || shown.language !== spoken) {
      if (shown.wanted !== `${id} ${spoken}`) build(id, spoken).catch(context.reportError)
      shown.wanted = `${id} ${spoken}`
      return
    }
    if (get().room === OPENING) return enter(Math.min(get().at, shown.lesson.steps.length - 1), 'replace')
    const step = stepNow()
    const known = answered()
    if (known && known.inputs !== inputs()) {
      shown.answers.delete(step.id)
      if (known.isOver && step.then) return enter(get().at, 'replace')
    }
    const isThere = isInStep(shown.lesson, get(), wanted(step, isSeen(step)), step.free)
    if (run && context.isCurrent() && !shown.isMet) {
      shown.isMet = true
      // A reader who enters where an answer is revealed, as after a reload, has not answered here.
      if (!isThere && step.then && isInStep(shown.lesson, get(), wanted(step, true, run), ['edits'])) {
        return enter(get().at, 'replace')
      }
    }
    drawPlace(isThere)
    if (isThere && run && context.isCurrent()) draw(run)
  }
  return {
    update,
    /**
     * The state as a link: for an unchanged step only its number, so that the link reveals nothing.
     * @param {State} state @returns {State}
     */
    addressed(state) {
      const { lesson, id } = shown
      if (!lesson || id !== state.lesson || state.model !== MODELS[0].id) return state
      const step = lesson.steps[Math.min(state.at, lesson.steps.length - 1)]
      if (isSeen(step) || !isInStep(lesson, state, wanted(step, false))) return state
      const { lesson: name, at } = state
      return { ...defaults(lesson.model), ...changedFields(lesson, state), ...readers(), lesson: name, at }
    },
    leave() {
      pointer.clear()
      cover(false)
      container.replaceChildren()
      shown = { ...shown, id: null, wanted: null }
    }
  }
}
