/** Twin mode: the same input under one other setting, its figure below the first, and the difference of the two. */

import { alternatives, controlsOf } from './controls.js'
import { latest } from './engine.js'
import { signed } from './lib/color.js'
import { h, setText, uniqueId } from './lib/dom.js'
import { figure } from './lib/figure.js'
import { settingsOf } from './state.js'

/** What a link says: the name of a setting and its other value. @param {string} text @param {object} state */
export function readTwin(text, state) {
  const [, name, value] = /^(\w+):(.+)$/.exec(text) ?? []
  const other = name && controlsOf(state.model).includes(name)
    ? alternatives(name, state).find((one) => String(one.value) === value) : null
  return other ? { name, ...other } : null
}

/** The cell-by-cell difference of two slices of the same shape; the same infinity differs by nothing. */
export function difference(one, other) {
  const values = Float32Array.from(one.values, (value, i) => (
    Object.is(value, other.values[i]) ? 0 : other.values[i] - value))
  return { ...one, values }
}

/** Pairs of slices under the same key, as far as both are there in the same shape. */
export function pairs(one, other, names) {
  return Object.entries(one).flatMap(([key, part]) => {
    const twin = other[key]
    if (!part?.axis || !twin?.axis || part.rows !== twin.rows || part.cols !== twin.cols) return []
    return names.includes(part.name) ? [{ name: part.name, part: difference(part, twin) }] : []
  })
}

const isDomain = (part) => Boolean(part?.kind) && 'max' in part
const wider = (one, other) => ({ ...one, min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) })

/** A stage's data with every colour scale wide enough for another's, so that the two can be compared by eye. */
export function shared(one, other) {
  const join = ([key, part]) => {
    if (isDomain(part) && isDomain(other[key])) return [key, wider(part, other[key])]
    return [key, key === 'domains' && other.domains ? shared(part, other.domains) : part]
  }
  return Object.fromEntries(Object.entries(one).map(join))
}

const finite = (values) => values.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0)

/** One setting and its other value, in words. */
const words = ({ name, word, value }, t) => (
  `${t(`controls.${name}.label`)}: ${word ? t(`controls.${name}.${word}`) : value}`)

function picker({ t, get, set }) {
  const id = uniqueId('twin')
  const select = h('select', { id, onchange: () => set({ twin: select.value }) })
  const option = (name) => (one) => h('option', { value: `${name}:${one.value}` },
    one.word ? t(`controls.${name}.${one.word}`) : String(one.value))
  const fill = () => {
    const state = get()
    const groups = controlsOf(state.model).map((name) => [name, alternatives(name, state)])
      .filter(([, list]) => list.length)
    select.replaceChildren(h('option', { value: '' }, t('twin.none')), ...groups.map(([name, list]) => (
      h('optgroup', { label: t(`controls.${name}.label`) }, list.map(option(name))))))
    select.value = readTwin(state.twin, state) ? state.twin : ''
  }
  return { fill, element: h('div', { className: 'twin-choice' }, h('label', { for: id }, t('twin.label')), select) }
}

/**
 * Mounts the choice below a stage, and below that, once there is a twin, its figure and the difference.
 * @param {HTMLElement} container
 * @param {{ stage: object, tensors: string[] }} room
 * @param {object} context
 */
export function twin(container, { stage, tensors }, context) {
  const { t, ask, set } = context
  const choice = picker(context)
  const title = h('h2')
  const place = h('div', { className: 'stage-figure' })
  const note = h('p', { className: 'note' })
  const below = h('div', { className: 'stage-figure' })
  const body = h('div', { className: 'twin-body', hidden: true }, title, place,
    h('h2', {}, t('twin.difference')), note, below)
  const root = h('section', { className: 'twin', 'aria-label': t('twin.label') }, choice.element, body)
  container.querySelector('.asides').before(root)
  let view = null
  let fig = null
  let matrices = []
  let asked = {}
  let known = { run: null, key: null, other: null }

  /** As many empty matrices as there are differences to draw. */
  function prepare(count) {
    if (matrices.length === count) return
    below.replaceChildren()
    fig = count ? figure(below, context) : null
    matrices = Array.from({ length: count }, () => fig.matrix())
  }
  function drawDifference(all) {
    const list = all.filter(({ part }) => part.values.some((x) => x !== 0))
    const most = Math.max(0, ...list.map(({ part }) => finite(part.values)))
    prepare(list.length)
    below.hidden = list.length === 0
    setText(note, t(all.length === 0 ? 'twin.shape' : list.length === 0 ? 'twin.same' : 'twin.what'))
    const shown = list.map(({ name, part }) => ({ title: name.split('.').at(-1).replaceAll('_', ' '), part }))
    shown.forEach(({ title: text, part }, i) => matrices[i].update(part, { title: text, domain: signed(most) }))
    fig?.numbers(t('frame.numbers'), shown)
    fig?.legend([{ domain: signed(most), text: t('twin.difference') }])
  }
  /** What the stage shows of the twin, as far as it is known. */
  function seen(run, state) {
    if (known.run !== run || known.key !== asked.key) return null
    return stage.data(known.other, { ...state, head: Math.min(state.head, known.other.settings.heads - 1) })
  }
  function draw({ run, state, setting }) {
    const [one, two] = [stage.data(run, state), seen(run, state)]
    setText(title, words(setting, t))
    body.hidden = !one
    place.hidden = !two
    if (two) {
      view ??= stage.mount(place, context)
      view.update(one ? shared(two, one) : two)
    }
    const names = tensors.map((name) => run.aliases?.get(name) ?? name)
    drawDifference(one && two ? pairs(one, two, names) : [])
  }
  const compute = latest(({ settings }) => ask('twin', { settings }), (other, question) => {
    if (question.key !== asked.key || question.run !== asked.run) return
    known = { run: question.run, key: question.key, other }
    set({})
  }, (error) => {
    body.hidden = false
    setText(title, '')
    setText(note, error.message)
  })

  return {
    /** @param {object | null} run @param {object} state what is looked at */
    update(run, state) {
      choice.fill()
      const setting = readTwin(state.twin, state)
      if (!run || !setting) body.hidden = true
      if (!run || !setting) return
      const settings = settingsOf({ ...state, [setting.name]: setting.value })
      asked = { run, state, setting, settings, key: JSON.stringify(settings) }
      if (known.run === run && known.key === asked.key) draw(asked)
      else compute(asked)
    },
    /** The data of the first with the scales of both. @param {object} data @param {object} run @param {object} state */
    shared(data, run, state) {
      const two = readTwin(state.twin, state) && seen(run, state)
      return two ? shared(data, two) : data
    },
    destroy() {
      asked = {}
      view?.destroy()
    }
  }
}
