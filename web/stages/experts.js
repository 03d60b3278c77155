/** A mixture of experts: the router's probabilities, and the experts that were chosen for each token. */

import { probabilityDomain } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { formatProbability } from '../lib/number.js'
import { commonDomain } from '../lib/picture.js'
import { sliceMatrix } from '../lib/run.js'

/** @import { Mount, Run, Slice, Stage, View } from '../types.d.ts' */

export const id = 'experts'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** The number of tokens whose experts are listed in words. */
const MAX_LISTED = 32

/**
 * The chosen experts of a token, with their weights.
 * @param {number[]} experts @param {Slice} weights @param {number} row
 */
const choicesOf = (experts, { values, cols }, row) => (
  experts.map((expert, i) => ({ expert, weight: values[row * cols + i] })))

/** Scores, probabilities, and the weights of the chosen experts. @param {Run} run @param {View<'experts'>} view */
export function data(run, view) {
  const { scores, router, weights, index } = view.room.parts
  const own = sliceMatrix(run, weights, view)
  return {
    scores: sliceMatrix(run, scores, view), router: sliceMatrix(run, router, view), weights: own,
    domain: commonDomain(run, scores),
    choices: own.rowLabels.slice(0, MAX_LISTED).map((token, row) => (
      { token, experts: choicesOf(index[row], own, row) }))
  }
}

/** @type {Stage<'experts'>['picture']} */
export const picture = (run, view) => (
  { part: sliceMatrix(run, view.room.parts.router, view), domain: probabilityDomain() })

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const heading = h('h2', {}, t('stages.experts.choices')), list = h('ul', { className: 'expert-choices' })
  container.append(h('section', {}, heading, list))
  const fig = mountFigure(container, context)
  fig.body.classList.add('is-pair')
  const [scores, router, weights] = [fig.matrix(), fig.matrix(), fig.matrix()]
  return {
    update(next) {
      const titles = { scores: t('stages.experts.scores'), router: t('stages.experts.probabilities'), weights: t('stages.experts.weights') }
      scores.update(next.scores, { title: titles.scores, domain: next.domain, pair: true })
      router.update(next.router, { title: titles.router, domain: probabilityDomain(), pair: true })
      weights.update(next.weights, { title: titles.weights, domain: probabilityDomain(), pair: true })
      list.replaceChildren(...next.choices.map(({ token, experts }) => h('li', {}, h('b', {}, token), ' ',
        experts.map(({ expert, weight }) => t('stages.experts.choice', { expert: String(expert), weight: formatProbability(weight) })).join(' + '))))
      fig.legend([{ domain: next.domain, text: titles.scores }, { domain: probabilityDomain(), text: titles.router }])
      fig.numbers(t('frame.numbers'), /** @type {const} */ (['scores', 'router', 'weights']).map(name => (
        { title: titles[name], part: next[name] })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
