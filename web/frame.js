/** What every stage has around its figure: the question, the words, its controls, the way on. */

import { control, picker } from './controls.js'
import { h, prose, setText } from './lib/dom.js'
import { dimensions } from './lib/number.js'
import { tensorOf } from './lib/run.js'
import { outputOf, stages } from './stages/index.js'
import { toHash } from './state.js'

const PARTS = ['q', 'k', 'v']

/** The alternatives of a picker, as far as this run has them. */
function options(name, run, t) {
  if (name === 'part') return PARTS.map((value) => ({ value, text: t(`frame.parts.${value}`) }))
  if (name === 'head') return Array.from({ length: run.settings.heads }, (_, value) => ({ value, text: String(value) }))
  return run.texts.map((title, value) => ({ value, text: String(value), title }))
}

function wayTo(stage, direction, { t, set }) {
  if (!stage) return { element: h('span'), update() {} }
  const flow = h('span', { className: 'shape' })
  const element = h('a', { className: `way-${direction}`, rel: direction, onclick: (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    set({ stage: stage.id }, 'push')
  } }, h('small', {}, t(direction === 'next' ? 'frame.next' : 'frame.previous')), t(`stages.${stage.id}.name`), flow)
  const update = (state) => element.setAttribute('href', `#${toHash({ ...state, stage: stage.id, cell: null })}`)
  return { element, flow, update }
}

function aside(title, text) {
  return h('section', {}, h('h2', {}, title), h('p', {}, prose(text)))
}

/**
 * Mounts one stage in its frame.
 * @param {Element} container
 * @param {typeof stages[number]} stage
 * @param {object} context
 */
export function frame(container, stage, context) {
  const { t } = context
  const at = stages.indexOf(stage)
  const words = (part) => t(`stages.${stage.id}.${part}`)
  const controls = stage.controls.map((name) => control(name, context))
  const pickers = stage.pickers.map((name) => ({ name, ...picker(name, context) }))
  const quote = h('p', { className: 'quote' })
  const figure = h('div', { className: 'stage-figure' })
  const ways = [wayTo(stages[at - 1], 'prev', context), wayTo(stages[at + 1], 'next', context)]
  const tools = [...pickers, ...controls].map(({ element }) => element)
  if (stage.pickers.includes('sentence')) tools.push(quote)
  container.replaceChildren(
    h('p', { className: 'eyebrow' }, h('b', { 'aria-hidden': 'true' }, String(at + 1)), words('name'),
      h('span', { className: 'visually-hidden' }, ' ', t('frame.step', { total: stages.length, number: at + 1 }))),
    h('h1', {}, words('title')),
    h('p', { className: 'lead' }, prose(words('what'))),
    tools.length ? h('div', { className: 'tools' }, tools) : '',
    figure,
    h('div', { className: 'asides' }, aside(t('frame.try'), words('try')), aside(t('frame.without'), words('without'))),
    h('nav', { className: 'ways', 'aria-label': t('frame.next') }, ways.map(({ element }) => element)),
    h('p', { className: 'note untrained' }, t('app.untrained')))
  const output = outputOf(stage)
  const view = stage.mount(figure, context)

  return {
    figure,
    /** @param {object | null} run @param {object} state */
    update(run, state) {
      ways.forEach((way) => way.update(state))
      if (!run) return
      if (output && ways[1].flow) setText(ways[1].flow, `${output} ${dimensions(tensorOf(run, output).shape)}`)
      pickers.forEach((one) => one.update(options(one.name, run, t), state[one.name]))
      setText(quote, run.texts[state.sentence])
      view.update(stage.data(run, state))
    },
    /** @param {object} state @param {Record<string, string>} problems texts by control */
    controls: (state, problems) => controls.forEach((one) => one.update(state, problems)),
    mark: (marks) => view.mark(marks),
    destroy: () => view.destroy()
  }
}
