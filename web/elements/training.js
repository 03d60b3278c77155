/** `<glass-training>`: a model that learns while it is looked at: its curves, an answer, and where one head looks. */

import { h } from '../lib/dom.js'
import { createSlicedWorker } from '../lib/scheduling.js'
import { PALETTES } from '../shell/theme.js'
import { brokenText } from '../theatre/broken_text.js'
import { sampleFor } from '../theatre/page_settings.js'
import { mountAnswers } from '../theatre/parts/answer.js'
import { mountAttention } from '../theatre/parts/attention.js'
import { mountCurves } from '../theatre/parts/curves.js'
import { mountTransport } from '../theatre/parts/transport.js'
import { createTraining } from '../theatre/training.js'
import { loadTexts } from '../theatre/words.js'
import { TASKS, TRAINING_SETTINGS, problemsOf, read, rivalText, write } from '../../src/training/settings.js'
import { houseOf } from '../../src/training/tasks/task_info.js'
import { nameText } from '../models/names.js'
import { defaults } from '../models/state.js'
import trainingStyles from '../style/training.css'
import elementStyles from '../style/element_training.css'
import { AttributeError, expectOne, readAppearance } from './attributes.js'
import { placeTraining } from './engine.js'
import { modeOf } from './start.js'

/** @import { GlassElement } from './base.js' */
/** @import { Part } from './start.js' */
/** @import { Language, Mode, Translate } from '../types.d.ts' */
/** @import { News } from '../../src/training/training_record.js' */
/** @import { TrainingState } from '../../src/training/settings.js' */

/** Settings that only the training page can have: the reader's own text and weights. */
const OF_THE_PAGE = ['mark', 'origin']

/**
 * The training that the attributes describe: `settings="rate=0.01&steps=300"`.
 * @param {GlassElement} host @param {Translate} t
 */
function readTraining(host, t) {
  const task = host.getAttribute('task') ?? TASKS[0]
  if (!TASKS.includes(task)) throw expectOne('task', task, TASKS)
  const given = [...new URLSearchParams(host.getAttribute('settings') ?? '')]
  const known = Object.keys(TRAINING_SETTINGS).filter(name => !OF_THE_PAGE.includes(name))
  for (const [name] of given) if (!known.includes(name)) throw expectOne('settings', name, known)
  const settings = read([task, ...given.map(pair => pair.join('-'))].join('_'))
  for (const [name, value] of given) {
    const { options, range } = TRAINING_SETTINGS[name]
    const isRead = rivalText(name, settings[name]) === `${name}-${value}` || settings[name] === Number(value)
    if (!isRead) throw expectOne('settings', `${name}=${value}`, options ? Object.keys(options) : range?.join(' … ') ?? '')
  }
  const [problem] = Object.values(problemsOf(settings))
  if (problem) throw new AttributeError('settings', problem, t)
  return settings
}

/**
 * @typedef {object} Surroundings
 * @property {HTMLElement} element @property {Translate} t @property {Language} language @property {() => Mode} mode
 * @property {(type: string, detail: object) => void} emit @property {(error: unknown) => void} fail
 * @property {() => void} clearError
 */

/**
 * @param {TrainingState} settings @param {string} sentence @param {Surroundings} surroundings
 * @returns {Promise<Part>}
 */
async function mountTraining(settings, sentence, { element, t, language, mode, emit, fail, clearError }) {
  let isPrinting = false, isGone = false, lastAnswer = ''
  const training = createTraining({ onSeen: onReport, onError: showError }, placeTraining()), { ask } = training
  const theme = () => ({ mode: isPrinting ? 'light' : mode(), palette: PALETTES[isPrinting ? 'light' : mode()], isPaper: isPrinting })
  const [drive, charts] = [h('div'), h('div')], looks = h('div', { className: 'theatre-looks' })
  const said = h('div', { className: 'theatre-said' })
  const named = (/** @type {string} */ text) => nameText(text, houseOf(settings.task), language)
  const seek = (/** @type {number} */ step) => ask('seek', { step: Math.max(0, step) })
  const play = (pace = 0) => ask('play', { pace }), pause = () => ask('pause'), step = () => ask('step')
  element.append(h('div', { className: 'theatre glass-body' }, drive, h('div', { className: 'theatre-stage' }, said, charts), looks))
  element.setAttribute('aria-label', t('theatre.title'))
  const parts = {
    drive: mountTransport(drive, { t, seek, again: () => open().catch(showError), play, pause, step, pace: pace => ask('pace', { pace }) }),
    curves: mountCurves(charts, { t, theme, seek }), answers: mountAnswers(said, { t, named, seek, ask: training.say }),
    attention: mountAttention(looks, { t, named, theme, look: wanted => ask('look', { wanted }), redraw: () => draw() })
  }
  /** @typedef {NonNullable<ReturnType<typeof training.facts>>} Facts */
  /** @type {((facts: Facts, last: News) => void)[]} */
  const shows = [
    (facts, last) => parts.drive.update({ ...last, ...facts }),
    facts => parts.curves.update(training.seen(), facts, null),
    (facts, { problem }) => parts.answers.update(training.seen(), { ...facts, problem: problem ? t(problem.key, problem.values) : '' }),
    (_, { answer }) => parts.attention.update(answer),
    ({ step: done }) => element.setAttribute('data-room', `step ${done}`)
  ]
  const slices = createSlicedWorker((/** @type {typeof shows[number]} */ show) => {
    const facts = training.facts(), { last } = training
    if (!isGone && facts && last) show(facts, last)
  })
  const draw = () => slices(shows)

  /** @param {unknown} error */
  function showError(error) {
    fail(new Error(t('theatre.failed', { message: error instanceof Error ? error.message : String(error) })))
  }
  /** @param {News} news */
  function onReport({ done, isPlaying, broken }) {
    if (isGone) return
    const { loss, answers } = training.seen(), answer = answers.findLast(item => item.step <= done)
    emit('step', { task: settings.task, step: done, total: settings.steps, loss: loss[done - 1] ?? null, isPlaying })
    if (answer && answer.text !== lastAnswer) {
      emit('answer', { sentence: training.sentence, answer: named(answer.text), step: answer.step })
    }
    lastAnswer = answer?.text ?? lastAnswer
    if (broken) fail(new Error(brokenText(t, broken)))
    else clearError()
    draw()
  }
  async function open() {
    const weights = settings.start === 'page' ? await import('../theatre/page_weights.js') : null
    await training.open(settings, { start: await weights?.fetchPageWeights(settings) })
    draw()
  }
  parts.answers.fill(sentence)
  training.say(sentence)
  await open()
  return {
    act: { play, pause, step }, show: draw, link: () => `theatre=${write(settings)}`,
    update() {},
    print(isOn) {
      isPrinting = isOn
      draw()
    },
    destroy() {
      isGone = true
      training.end()
      parts.curves.destroy()
    }
  }
}

/** @type {import('./start.js').Planner} */
export async function planTraining(host, root, emit) {
  const t = await loadTexts({ t: root.t, language: () => root.language })
  const settings = readTraining(host, t), model = houseOf(settings.task)
  const sentence = host.getAttribute('input') ?? sampleFor(settings.task, root.language)
  return {
    key: JSON.stringify([root.language, write(settings), sentence]),
    state: { ...defaults(model), ...readAppearance(host) }, styles: [trainingStyles, elementStyles],
    mount: fail => mountTraining(settings, sentence, {
      element: root.element, t, language: root.language, mode: () => modeOf(host), emit, fail,
      clearError: () => host.clearError()
    })
  }
}
