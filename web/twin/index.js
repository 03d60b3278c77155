/** Twin mode: the same input under one other setting, its figure beside the first, the difference of both below. */

import { signed } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { figure } from '../lib/figure.js'
import { readRun } from '../lib/run.js'
import { firstRows } from '../lib/slice.js'
import { modelOf, settingsOf } from '../models/index.js'
import { roomsOf } from '../rooms/index.js'
import { latest } from '../shell/engine.js'
import { comparison } from '../shell/learned.js'
import { stageOf } from '../stages/index.js'
import { compareButtons, picker, readTwin, words } from './choice.js'
import { side } from './beside.js'

/** @import { Room } from '../types.d.ts' */

/** The cell-by-cell difference of two slices of the same shape; the same infinity differs by nothing. */
export function difference(one, other) {
  const values = Float32Array.from(one.values, (value, i) => (
    Object.is(value, other.values[i]) ? 0 : other.values[i] - value))
  return { ...one, values }
}

/**
 * Pairs of slices under the same key, as far as both are there in the same shape.
 * @param {object} one @param {object} other what a stage shows of two runs @param {string[]} names of tensors
 * @param {number | null} [most] rows that can be compared, if that is not all
 */
export function pairs(one, other, names, most = null) {
  return Object.entries(one).flatMap(([key, part]) => {
    if (!part?.axis || !other[key]?.axis || !names.includes(part.name)) return []
    const rows = Math.min(part.rows, other[key].rows, most ?? Infinity)
    const [here, there] = most === null ? [part, other[key]] : [part, other[key]].map(all => firstRows(all, rows))
    if (here.rows !== there.rows || here.cols !== there.cols) return []
    return [{ name: part.name, twin: other[key].name, part: difference(here, there) }]
  })
}

/** The tokens that an answer's steps were chosen after. */
function readBy({ decoding, streams }) {
  const { tokens } = Object.values(streams).findLast(stream => stream.isAnswer) ?? Object.values(streams)[0]
  return tokens[0].slice(decoding.rows[0])
}

/** How many rows of two decoders have read the same; what stands in later rows answers different questions. */
export function readAlike(one, other) {
  const [ids, others] = [readBy(one), readBy(other)]
  const apart = ids.findIndex((id, i) => id !== others[i])
  return apart < 0 ? ids.length : apart
}

const isDomain = part => Boolean(part?.kind) && 'max' in part
const wider = (one, other) => ({ ...one, min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) })

/** A stage's data with every colour scale wide enough for another's, so that the two can be compared by eye. */
export function onOneScale(one, other) {
  const join = ([key, part]) => {
    if (isDomain(part) && isDomain(other[key])) return [key, wider(part, other[key])]
    return [key, key === 'domains' && other.domains ? onOneScale(part, other.domains) : part]
  }
  return Object.fromEntries(Object.entries(one).map(join))
}

const SIZES = ['dModel', 'heads', 'layers', 'dimFeedforward']
const isKept = (name, run) => name === 'weights' && run.settings.weights !== undefined

/**
 * The settings of the second run. An untrained second gets the sizes of the first, so that its cells can be subtracted.
 * Both decoders read the first one's answer, except in the room where the answer is written.
 * @param {object} run the first @param {object} state @param {{ name: string, value: any }} setting
 * @param {{ id: string }} room
 */
export function twinSettings(run, state, { name, value }, room) {
  const sizes = isKept(name, run) ? Object.fromEntries(SIZES.map(size => [size, run.settings[size]])) : {}
  const settings = settingsOf({ ...state, ...sizes, [name]: value })
  if (!run.decoding || run.decoding.kind === 'given' || room.stage === 'decoding') return settings
  return { ...settings, target: run.decoding.steps.map(({ id }) => id) }
}

/** What is looked at, as far as another run has it. */
function within(view, { decoding }, room) {
  const steps = decoding?.steps.length ?? 1
  const [row, step] = [view.row, view.step].map(at => Math.min(at, steps - 1))
  return { ...view, room, head: Math.min(view.head, (room.parts.heads ?? view.head + 1) - 1), row, step }
}

const finite = values => values.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0)

/** The steps that are subtracted where each decoder reads its own words; null if they are all of them. */
function common(room, run, other, one, two) {
  if (room.stage !== 'decoding') return null
  const alike = readAlike(run, other)
  return alike < Math.max(one.shares.rows, two.shares.rows) ? alike : null
}

/** What to say where every cell is the same: how the cells were chosen from may differ all the same. */
function sameness({ stage }, one, two) {
  if (stage !== 'decoding' || !one) return 'twin.same'
  if (one.kind !== two.kind) return 'stages.decoding.sameChosen'
  return one.steps.some(({ draw }, i) => draw !== two.steps[i]?.draw) ? 'stages.decoding.sameDrawn' : 'twin.same'
}

/** What a decoder has written by itself, behind an arrow; nothing where it reads what the reader gave it. */
function answerOf(decoding, model) {
  if (!decoding || decoding.kind === 'given') return ''
  const tokens = decoding.steps.map(({ token }) => token)
  return ` → ${modelOf(model).written(tokens) || tokens.join(' ')}`
}

/** The differences, each a matrix on one scale for all. */
function differences(container, context) {
  const { t } = context
  const note = h('p', { className: 'note' })
  const learned = h('p', { className: 'note', hidden: true })
  const place = h('div', { className: 'stage-figure' })
  container.append(note, learned, place)
  let fig = null
  let matrices = []
  /** As many empty matrices as there are differences to draw. */
  function prepare(count) {
    if (matrices.length === count) return
    place.replaceChildren()
    fig = count ? figure(place, context) : null
    matrices = Array.from({ length: count }, () => fig.matrix())
  }
  return {
    /** How the trained weights of both sides do. @param {string} text */
    compare(text) {
      learned.hidden = text === ''
      setText(learned, text)
    },
    /** Words in place of numbers. @param {string} text */
    say(text) {
      place.hidden = true
      setText(note, text)
    },
    /**
     * @param {{ title: string, part: object }[]} all
     * @param {{ isSameInput: boolean, alike: number | null, same: string }} how alike: the steps that could be
     *   subtracted, if not all; same: what to say where nothing differs
     */
    update(all, { isSameInput, alike, same }) {
      const list = all.filter(({ part }) => part.values.some(x => x !== 0))
      const most = Math.max(0, ...list.map(({ part }) => finite(part.values)))
      prepare(list.length)
      place.hidden = list.length === 0
      const unlike = isSameInput ? 'twin.what' : 'twin.forced'
      const key = all.length === 0 ? 'twin.shape' : list.length === 0 ? same : unlike
      const until = list.length === 0 ? 'stages.decoding.untilSame' : 'stages.decoding.until'
      setText(note, alike === null ? t(key) : t(until, { step: alike - 1 }))
      list.forEach(({ title: text, part }, i) => matrices[i].update(part, { title: text, domain: signed(most) }))
      fig?.numbers(t('frame.numbers'), list)
      fig?.legend([{ domain: signed(most), text: t('twin.difference') }])
    },
    mark: marks => fig?.mark(marks)
  }
}

/** Two houses would not fit beside one another, and what differs is better seen in a room. */
const ALONE = { update() {}, onOneScale: data => data, run: () => null, mark() {}, destroy() {} }

/**
 * Mounts the choice among a stage's tools and, once there is a twin, its figure beside the first.
 * @param {HTMLElement} container
 * @param {Room} room
 * @param {object} context
 */
export function twin(container, room, context) {
  const { tensors } = room
  if (room.stage === 'house') return ALONE
  const stage = stageOf(room.stage)
  const { t, ask, set } = context
  const choice = picker(container, context)
  const buttons = compareButtons(container, context)
  const ofTwin = act => cell => act(cell && { ...cell, isTwin: true })
  const titles = new Map()
  /** The differences are called what the figure calls the matrices they are of. */
  const titled = list => list.forEach(({ title, part }) => titles.set(part.name, title))
  const named = () => heads[1].textContent
  const there = {
    ...context, titled, named, which: 'twin', spoken: t('twin.there'), look: ofTwin(context.look),
    press: ofTwin(context.press), edit() {}
  }
  const { heads, place, below, show, settle } = side(container.querySelector('.stage-figure'), t)
  const apart = differences(below, {
    ...context, named: () => `${t('twin.difference')} · ${heads[1].textContent}`, which: 'difference',
    spoken: t('twin.difference')
  })
  let view = null
  let asked = {}
  let known = { run: null, key: null, other: null }

  /** The second run, once it is there. */
  const second = run => (known.run === run && known.key === asked.key ? known.other : null)
  /** What the stage shows of the second run, as far as it has this room. */
  function seen(run, state) {
    const other = second(run)
    const same = other && roomsOf(other).find(({ id }) => id === room.id)
    return same ? stage.data(other, within(state, other, same)) : null
  }
  /** The setting of each, and what it has written. */
  function head(run, state, setting) {
    const now = { ...setting, value: state[setting.name], word: setting.now }
    const answers = [run.decoding, second(run).own].map(one => answerOf(one, state.model))
    const texts = [now, setting].map((one, i) => words(one, t) + answers[i])
    heads.forEach((element, i) => setText(element.lastChild, texts[i]))
  }
  function subtract(run, one, two, names, settings) {
    const alike = one ? common(room, run, second(run), one, two) : null
    const list = (one ? pairs(one, two, names, alike) : [])
      .map(({ name, twin: own, part }) => ({ title: titles.get(own) ?? name, part }))
    const isSameInput = !Array.isArray(settings.target) || room.tower !== 'decoder'
    apart.update(list, { isSameInput, alike, same: sameness(room, one, two) })
  }
  function draw({ run, state, setting, settings }) {
    const [one, two] = [stage.data(run, state), seen(run, state)]
    head(run, state, setting)
    const { key } = asked
    comparison(run.settings, { ...run.settings, [setting.name]: setting.value }, t)
      .then(text => key === asked.key && apart.compare(text), context.fails)
    show(true)
    place.hidden = !two
    if (two) {
      view ??= stage.mount(place, there)
      view.update(one ? onOneScale(two, one) : two)
      place.setAttribute('data-twin', state.twin)
    }
    const shownNames = Object.values(one ?? {}).filter(part => part?.axis).map(({ name }) => name)
    const names = tensors.length ? tensors : shownNames
    if (!two) return apart.say(t('twin.absent'))
    if (shownNames.length === 0) return apart.say(t('twin.what'))
    subtract(run, one, two, names, settings)
    return settle(context.width())
  }
  const compute = latest(({ settings }) => ask('twin', { settings }), (message, question) => {
    const other = readRun(message)
    if (question.key !== asked.key || question.run !== asked.run) return
    known = { run: question.run, key: question.key, other }
    set({})
  }, error => {
    show(true)
    place.hidden = true
    apart.say(error.message)
  })

  return {
    /** @param {object | null} run @param {object} state what is looked at */
    update(run, state) {
      choice()
      buttons(state)
      const setting = readTwin(state.twin, state)
      if (!run || !setting) {
        asked = {}
        show(false)
        return
      }
      const settings = twinSettings(run, state, setting, room)
      asked = { run, state, setting, settings, key: JSON.stringify(settings) }
      if (second(run)) draw(asked)
      else compute(asked)
    },
    /** The data of the first with the scales of both. @param {object} data @param {object} run @param {object} state */
    onOneScale(data, run, state) {
      const two = readTwin(state.twin, state) && seen(run, state)
      return two ? onOneScale(data, two) : data
    },
    /** The second run, if it is shown. @param {object | null} run the first */
    run: run => run && second(run),
    mark(marks) {
      view?.mark(marks)
      apart.mark(marks)
    },
    destroy() {
      asked = {}
      view?.destroy()
    }
  }
}
