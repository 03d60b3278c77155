/** The rendering of a training, in one language. */

import { h, setText } from '../lib/dom.js'
import { createSlicedWorker } from '../lib/scheduling.js'
import { formatInteger } from '../lib/number.js'
import { renderProse } from '../lib/prose.js'
import { brokenText } from './broken_text.js'
import { mountAnswers } from './parts/answer.js'
import { mountStepBreakdown } from './parts/step_breakdown.js'
import { mountAttention } from './parts/attention.js'
import { mountCloserCurves, mountCurves } from './parts/curves.js'
import { mountEmbeddings } from './parts/embeddings.js'
import { mountGuide } from './parts/guide.js'
import { mountPinned } from './parts/pinned.js'
import { mountTextInput } from './parts/text.js'
import { mountSettings } from './parts/settings.js'
import { mountTransport } from './parts/transport.js'
import { mountRace } from './parts/race.js'
import { mountWaves } from './parts/waves.js'
import { TASKS, defaultsOf, write } from '../../src/training/settings.js'
import { TASK_INFO } from '../../src/training/tasks/task_info.js'

/** @import { Context, Translate } from '../types.d.ts' */
/** @import { News } from '../../src/training/training_record.js' */
/** @import { TrainingState } from '../../src/training/settings.js' */
/** @import { Training } from './training.js' */

/**
 * The training's settings, and actions.
 * @typedef {object} ViewContext
 * @property {Translate} t
 * @property {(text: string) => string} named a token or an answer, as the reader's language names it
 * @property {Context['theme']} theme
 * @property {() => TrainingState} get
 * @property {(patch: Partial<TrainingState>) => void} set
 * @property {() => void} leave
 * @property {() => void} inside
 * @property {(patch?: Partial<TrainingState>) => void} begin anew, from the displayed weights
 * @property {() => void} again
 * @property {(text: string) => void} give sets the reader's own text
 * @property {() => void} download
 * @property {(file: File) => void} upload
 * @property {Training['ask']} both sends a query to the training and to the other one of a race
 * @property {() => Training | null} other
 * @property {(link: string) => void} show
 * @property {import('./parts/guide.js').Progress} progress of the guide
 *
 * The state of the training.
 * @typedef {NonNullable<ReturnType<Training['facts']>>} Standing
 */

/** @param {Pick<ViewContext, 't' | 'get' | 'set'>} context */
function taskChoice({ t, get, set }) {
  const inputs = TASKS.map(task => h('label', {}, h('input', {
    type: 'radio', name: 'theatre-task', value: task, onchange: () => {
      if (get().task !== task) set(defaultsOf(task))
    }
  }), h('span', {}, t(`theatre.tasks.${task}`))))
  const element = h('fieldset', { 'className': 'control', 'data-control': 'task' },
    h('legend', { className: 'visually-hidden' }, t('theatre.task')), h('div', { className: 'segments' }, inputs))
  /** @param {string} task */
  const show = task => inputs.forEach(({ firstChild }) => {
    const input = /** @type {HTMLInputElement} */ (/** @type {Node} */ (firstChild))
    input.checked = input.value === task
  })
  return { element, show }
}

/** @param {Translate} t @param {(file: File) => void} upload */
function filePicker(t, upload) {
  /** @type {HTMLInputElement} */
  const input = h('input', { 'type': 'file', 'accept': '.safetensors', 'className': 'visually-hidden',
    'data-action': 'upload', 'onchange': () => input.files?.[0] && upload(input.files[0]) })
  return h('label', { className: 'theatre-file' }, input, h('span', {}, t('theatre.upload')))
}

/** The factor of the learning rate that is suggested after non-finite values. */
const TENTH = 10

/**
 * The command that repeats the training in Node; what no link contains is a file there.
 * @param {TrainingState} settings
 */
const commandOf = settings => ['npx glassformer train', write(settings), settings.mark && '--text FILE',
  settings.origin && '--start FILE'].filter(Boolean).join(' ')

/**
 * @param {HTMLElement} container
 * @param {ViewContext} context
 * @param {ReturnType<import('./training.js').createTraining>} training
 */
export function mountView(container, context, training) {
  const { t, named, theme, get, set, leave, inside, begin, again, give, download, upload, both, other, show } = context
  const { ask } = training
  /** @param {number} step */
  const seek = step => both('seek', { step: Math.max(0, step) })
  let failure = '', isGone = false
  const choice = taskChoice({ t, get, set })
  const status = h('p', { className: 'problem theatre-problem', role: 'alert' })
  const [drive, charts, more, options, own, steps, against, plane, waves, curve] = Array.from({ length: 10 }, () => h('div'))
  const said = h('div', { className: 'theatre-said' })
  const looks = h('div', { className: 'theatre-looks' })
  const details = h('details', { className: 'theatre-closer' }, h('summary', {}, t('theatre.closer')), more)
  /** @param {string} action @param {() => void} act */
  const button = (action, act) => h('button', {
    'type': 'button', 'className': 'quiet', 'data-action': action, 'onclick': act }, t(`theatre.${action}`))
  const enter = button('inside', inside)
  enter.className = 'theatre-inside'
  const rescue = h('div', { className: 'theatre-files', hidden: true }, button('calmer', () => begin({ rate: get().rate / TENTH })))
  const lead = h('p', { className: 'lead' }), led = h('section', { className: 'theatre-guide', tabindex: '-1' })
  /** Starts a guide. @param {string} link */
  function enterGuide(link) {
    show(link)
    scrollTo({ top: 0 })
    led.focus({ preventScroll: true })
  }
  const count = h('p', { className: 'theatre-count' })
  const command = h('code', { className: 'theatre-command' })
  const note = h('p', { 'className': 'theatre-why', 'data-note': 'kept' })
  container.replaceChildren(
    h('div', { className: 'theatre-head' }, h('h1', { tabindex: '-1' }, t('theatre.title')), button('leave', leave)),
    h('div', { className: 'theatre-tasks' }, choice.element), lead, led, own, drive, status, rescue,
    h('div', { className: 'theatre-stage' }, said, charts), against,
    h('div', { className: 'theatre-pair' }, looks, h('div', { className: 'theatre-deeds' }, enter,
      h('p', { className: 'theatre-why' }, t('theatre.insideWhy')), count,
      h('div', { className: 'theatre-files' }, button('begin', () => begin()), button('download', download),
        filePicker(t, upload)), h('p', { className: 'theatre-why' }, t('theatre.keys')), note,
      h('p', { className: 'theatre-why' }, t('theatre.inNode')), command)),
    h('div', { className: 'theatre-pair' }, plane, waves, curve), steps, details, options)
  curve.className = 'theatre-followed'
  const parts = {
    drive: mountTransport(drive, {
      t, seek, again, play: pace => both('play', { pace }), pause: () => both('pause'), step: () => both('step'),
      layer: () => parts.apart.layer(), pace: pace => both('pace', { pace })
    }),
    curves: mountCurves(charts, { t, theme, seek }),
    answers: mountAnswers(said, { t, named, seek, ask: training.say }),
    attention: mountAttention(looks, {
      t, named, theme, look: wanted => ask('look', { wanted }), redraw: () => draw(['attention']),
      pin: ({ name, index }) => parts.pinned.pin({ name, index })
    }),
    embeddings: mountEmbeddings(plane, { t, named, theme, look: table => ask('look', { table }) }),
    waves: mountWaves(waves, { t, theme, seek }),
    pinned: mountPinned(curve, { t, theme, seek, ask }),
    apart: mountStepBreakdown(steps, { t, named, ask, step: () => both('step'), pin: cell => parts.pinned.pin(cell) }),
    race: mountRace(against, { t, set, open: enterGuide }),
    guide: mountGuide(led, {
      t, play: until => both('play', { pace: 0, until }), open: enterGuide, progress: context.progress
    }),
    closer: mountCloserCurves(more, { t, theme, seek }),
    settings: mountSettings(options, { t, get, set }), text: mountTextInput(own, { t, give })
  }
  details.addEventListener('toggle', () => draw(['closer']))
  /** @type {Record<string, (facts: Standing, last: News) => unknown>} */
  const shows = {
    drive: (facts, last) => parts.drive.update({ ...last, ...facts }),
    curves: facts => parts.curves.update(training.seen(), facts, other()?.seen() ?? null),
    race: () => parts.race.update(training.seen(), other()?.seen() ?? null),
    guide() {
      const isThis = write(training.settings) === write(get()), rival = other()
      if (isThis && (!rival || rival.last)) parts.guide.update(training.seen(), rival?.seen() ?? null)
    },
    answers: (facts, { problem }) => parts.answers.update(training.seen(), {
      ...facts, problem: problem ? t(problem.key, problem.values) : ''
    }),
    apart: (facts, last) => parts.apart.update({ ...last, ...facts }),
    attention: (_, { answer }) => parts.attention.update(answer),
    embeddings: (_, news) => parts.embeddings.update(news.plane),
    waves: facts => parts.waves.update(training.seen(), facts),
    pinned: (facts, { followed }) => parts.pinned.update(followed, facts),
    closer: facts => details.open && parts.closer.update(training.seen(), facts, other()?.seen() ?? null),
    status: (_, { broken }) => {
      setText(status, failure || (broken ? brokenText(t, broken) : ''))
      rescue.hidden = !broken
    },
    deeds: ({ parameters }) => {
      setText(command, commandOf({ ...get(), rival: '' }))
      setText(count, t('theatre.count', { parameters: formatInteger(parameters) }))
    },
    /** The latest report. */
    report: ({ step }, { isWhole }) => { if (isWhole) container.setAttribute('data-drawn', String(step)) }
  }
  /** Parts that are still to be rendered. @type {Set<string>} */
  const left = new Set()
  const slices = createSlicedWorker((/** @type {string} */ name) => {
    left.delete(name)
    const facts = training.facts(), { last } = training
    if (!isGone && facts && last) shows[name](facts, last)
  })
  function draw(names = Object.keys(shows)) {
    for (const name of names) left.add(name)
    slices(Object.keys(shows).filter(name => left.has(name)))
  }
  return {
    draw,
    /** Displays a note about saving. @param {string} text */
    says: text => setText(note, text),
    /** @param {string} message */
    fails(message) {
      failure = message
      setText(status, message)
    },
    /**
     * @param {TrainingState} settings @param {Record<string, string>} problems
     * @param {string} [text] the reader's own
     */
    controls(settings, problems, text) {
      choice.show(settings.task)
      lead.hidden = parts.guide.controls(settings)
      lead.replaceChildren(...renderProse(t(`theatre.leads.${settings.task}`)))
      parts.race.controls(settings, problems.rival)
      parts.answers.fill(training.sentence)
      parts.pinned.forget()
      parts.settings.update(settings, problems)
      parts.text.update({ isFor: Boolean(TASK_INFO[settings.task].takesText), problem: problems.text ?? '', text })
      const isRight = Object.keys(problems).length === 0
      container.classList.toggle('is-stale', !isRight)
      parts.drive.allow(isRight)
    },
    destroy() {
      isGone = true
      parts.curves.destroy()
      parts.closer.destroy()
      parts.pinned.destroy()
      parts.waves.destroy()
    }
  }
}
