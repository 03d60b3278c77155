/** The training worker: plays, pauses, steps back, and posts reports at a limited rate. */

import { createPlayer } from '../../src/training/player.js'
import { TASKS } from '../../src/training/tasks/index.js'
import { answerCall } from '../lib/rpc.js'
import { createEngines } from '../worker/engines.js'
import { loadGelu, loadRestOfLibrary } from '../worker/rest_of_library.js'
import { loadOptimizer, loadTask } from './load_task.js'
import { createReport } from './report.js'

/** @import { Player } from '../../src/training/player.js' */
/** @import { TrainingState } from '../../src/training/settings.js' */
/** @import { Snapshot } from '../../src/training/session.js' */

/**
 * How a training is opened.
 * @typedef {object} Opening
 * @property {import('../worker/engines.js').Kernels} kernels where they are
 * @property {boolean} [hasDetails] whether reports have the embeddings and the history of a cell; true by default
 * @property {TrainingState} settings
 * @property {string} [text]
 * @property {string} sentence
 * @property {Snapshot} [kept]
 * @property {Uint8Array} [file]
 * @property {Uint8Array} [start] initial weights
 * @property {number} serial
 */

/** Milliseconds between two reports, between two answers, and of training between two messages. */
const PAUSE = 100, ANSWER = 300, SLICE = 30
/** Milliseconds that a report may spend on the history of a pinned cell. */
const READ_TIME = 20
/** Milliseconds of delay before a typed sentence is answered. */
const TYPING_DELAY = 20

const engines = createEngines()
/** The library. @type {any} */
let gf = null
/** The current training; null before the first, and after one that failed to start. */
let player = none()
let isPlaying = false
/** The minimum duration of a step in milliseconds, to watch it. */
let pace = 0
/** The step at which playing pauses. */
let until = Infinity
let sentence = ''
let wanted = ''
/** Which embedding table is displayed. */
let table = ''
/** Whether reports have what only the training page displays. */
let hasDetails = true
let looking = /** @type {ReturnType<typeof setTimeout> | number} */ (0)
/** Whether the sentence differs from the one that the pinned cell was computed for. */
let isOther = false
/** The number of the training, so that the page ignores reports of an earlier one. */
let serial = 0
let posted = { steps: 0, evaluations: 0, at: 0, answered: 0 }
/** Milliseconds of training, and the number of steps in it. */
let timing = { time: 0, steps: 0 }

function none() {
  return /** @type {Player} */ (/** @type {unknown} */ (null))
}

const nextTask = (wait = 0) => new Promise(resolve => { setTimeout(resolve, wait) })

/** Posts what is new since the last report. */
function post(isWhole = true) {
  const { session, shelf, broken, isOver } = player, follower = hasDetails && isWhole ? player.follower : null
  const news = createReport(player, posted, isWhole ? { sentence, wanted, table, hasDetails } : {})
  follower?.readFor(READ_TIME)
  const at = performance.now()
  posted = {
    steps: session.history.loss.length, evaluations: session.history.evaluations.length, at,
    answered: isWhole ? at : posted.answered
  }
  const perStep = timing.steps ? timing.time / timing.steps : null
  postMessage({ event: 'seen', serial, ...news, isPlaying, isOver, broken, perStep, shelf: shelf.facts,
    followed: follower?.facts ?? null })
}

/** Posts reports until the pinned cell has been read at every snapshot. */
async function readOn() {
  const own = player
  const isBehind = () => hasDetails && player === own && !isPlaying && (player.follower.facts?.missing ?? 0) > 0
  for (post(); isBehind(); post()) await nextTask()
}

/** The inputs for the current sentence; undefined where it is invalid. */
function readNow() {
  const { task, inputsOf } = player.session
  return task.problem?.(sentence) ? null : inputsOf(sentence)
}

/** Runs as many steps as fit into a time slice, or a single one where the reader watches. */
function train() {
  const started = performance.now(), before = player.session.done
  let isGoing = true
  do isGoing = player.step() && player.session.done < until
  while (isGoing && !pace && performance.now() - started < SLICE)
  timing = {
    time: timing.time + performance.now() - started, steps: timing.steps + player.session.done - before
  }
  return isGoing && !player.isOver
}

async function play() {
  const own = player
  while (isPlaying && player === own) {
    const started = performance.now()
    const isGoing = train()
    if (!isGoing) isPlaying = false
    const now = performance.now()
    const isWhole = !isGoing || pace > PAUSE || now - posted.answered > ANSWER
    if (isWhole || pace || now - posted.at > PAUSE) post(isWhole)
    await nextTask(Math.max(0, pace - (performance.now() - started)))
  }
}

/**
 * The cell that is followed until the reader pins another: one of the first feed-forward.
 * @param {Player['session']} session
 */
const beginning = ({ named }) => (
  { name: named.find(([name]) => name.endsWith('linear1.weight'))?.[0] ?? '', index: [0, 0] })

/** Answers once, however fast a reader types. */
function lookSoon() {
  clearTimeout(looking)
  looking = setTimeout(() => {
    if (isOther && hasDetails) player.follower.pin(player.follower.facts, readNow())
    isOther = false
    readOn()
  }, TYPING_DELAY)
}

/**
 * The settings of models that call no more than the kernels of trainings and the parts of the library that each worker
 * has.
 * @type {Record<string, unknown[]>}
 */
const PLAIN = { activation: ['relu', 'gelu'], norm: ['layer'], kvHeads: [0], positions: ['interleaved', 'learned'], scale: [true] }
/** @param {TrainingState} settings */
const isPlain = settings => Object.entries(PLAIN).every(([name, values]) => values.includes(settings[name]))

/**
 * Starts the engine, unless it runs, and fetches what a training needs before its first step, of which the worker does
 * not have all yet.
 * @param {import('../worker/engines.js').Kernels} kernels @param {TrainingState} settings
 */
async function prepare(kernels, settings) {
  if (!gf) await engines.start(kernels)
  gf = await engines.get('page')
  const loaders = !isPlain(settings) ? [engines.completeAll(), loadRestOfLibrary()]
    : settings.activation === 'gelu' ? [engines.addTrainingKernels('gelu'), loadGelu()] : []
  await Promise.all([loadCode(settings), ...loaders])
}

/** Fetches what steps need besides. */
const prepareSteps = () => Promise.all([loadOptimizer(gf, player.session.settings), engines.addTrainingKernels('training')])

/** Fetches the task and what trains a tokenizer. @param {TrainingState} settings */
async function loadCode(settings) {
  await loadTask(gf, settings)
  if (TASKS[settings.task].needsText?.(settings)) await engines.addText(gf)
}

/** @type {Record<string, (details: any) => unknown>} */
const calls = {
  /** @param {Opening} details */
  async open({ kernels, settings, text, sentence: sample, kept, file, start, serial: own, ...more }) {
    isPlaying = false
    clearTimeout(looking)
    isOther = false
    await prepare(kernels, settings)
    player?.session.dispose()
    player = none()
    player = createPlayer(gf, settings, { text, kept, file, start })
    posted = { steps: 0, evaluations: 0, at: 0, answered: 0 }
    timing = { time: 0, steps: 0 }
    serial = own
    hasDetails = more.hasDetails ?? true
    sentence = sample
    wanted = ''
    table = ''
    const { session } = player
    if (hasDetails) player.follower.pin(beginning(session))
    post()
    return {
      groups: session.groups.map(({ name }) => name),
      parameters: session.named.reduce((sum, [, tensor]) => sum + tensor.numel(), 0)
    }
  },
  /** Plays to the end, or until a step. */
  async play({ pace: ms, until: step = Infinity }) {
    await prepareSteps()
    pace = ms
    until = step
    if (isPlaying || player.isOver || player.broken || player.session.done >= until) return
    isPlaying = true
    play()
  },
  pause() {
    isPlaying = false
    post()
  },
  pace({ pace: ms }) {
    pace = ms
  },
  async step() {
    await prepareSteps()
    isPlaying = false
    player.step()
    post()
  },
  seek({ step }) {
    isPlaying = false
    player.seek(step)
    post()
  },
  /** Everything needed to resume later. */
  keep: () => player.keep(),
  /** The current weights as a file. */
  file: ({ withMoments }) => player.session.file(withMoments),
  /** A breakdown of the next step at one weight; it changes nothing. */
  apart: async ({ name, index }) => (await import('./step_breakdown.js')).breakDown(player.session, name, index),
  nudge: async ({ name, index }) => (await import('./step_breakdown.js')).finiteDifference(player.session, name, index),
  look({ sentence: said, wanted: name, table: rows }) {
    if (said !== undefined) sentence = said
    isOther ||= said !== undefined
    if (name !== undefined) wanted = name
    if (rows !== undefined) table = rows
    lookSoon()
  },
  /** What can be pinned. */
  places: () => player.follower.places(readNow()),
  /** Follows a cell over the snapshots; null or a missing cell stops it. */
  pin({ cell }) {
    player.follower.pin(cell, readNow())
    readOn()
  }
}

/** @param {string} type @param {any} details */
function handle(type, details) {
  if (!player && type !== 'open') throw Object.assign(new Error('no training is open'), { code: 'none' })
  return calls[type](details)
}

/** Calls are handled one after the other: those during `open` belong to the new training. */
let answers = Promise.resolve()
/** @param {any} data a message of the page */
export function answer(data) {
  answers = answers.then(() => answerCall(handle, data))
}

self.onmessage = ({ data }) => answer(data)
