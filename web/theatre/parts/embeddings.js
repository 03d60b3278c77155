/** A PCA plot of embeddings: every token a dot, and the values of the selected one. */

import { h, measureWidth, setText } from '../../lib/dom.js'
import { formatExact, formatFixed } from '../../lib/number.js'
import { mountScatter } from '../../lib/scatter.js'
import { largest } from '../../../src/training/tasks/model_options.js'
import { createChoice } from './choice.js'

/** @import { Context, Translate } from '../../types.d.ts' */
/** @import { News } from '../../../src/training/training_record.js' */

const MAX_HEIGHT = 380

/** @param {number} fraction */
const percent = fraction => `${formatFixed(100 * fraction, 1)} %`

/**
 * @param {HTMLElement} container
 * @param {{ t: Translate, named(text: string): string, theme: Context['theme'], look(table: string): void }} context
 */
export function mountEmbeddings(container, { t, named, theme, look: requestTable }) {
  /** @type {NonNullable<News['plane']>} */ let latest
  /** By default the token furthest from the center. */
  let chosen = -1
  const tables = createChoice(t('theatre.table'), table => {
    chosen = -1
    requestTable(table)
  })
  const tokens = createChoice(t('theatre.token'), value => choose(Number(value)))
  tokens.select.setAttribute('data-action', 'token')
  const slot = h('div', { className: 'theatre-plane' })
  const output = h('output', { className: 'theatre-token' })
  const explanation = h('p', { className: 'theatre-why' })
  container.append(h('h2', {}, t('theatre.plane')), h('div', { className: 'theatre-choices' }, tables.element, tokens.element),
    slot, output, explanation)
  const picture = mountScatter(slot, choose)

  /** @param {number} i */
  function choose(i) {
    chosen = i
    draw()
  }
  function draw() {
    const { x, y, words, names, name, variances, from } = latest
    if (chosen < 0 || chosen >= words.length) chosen = largest(x.map((value, i) => Math.hypot(value, y[i])))
    tables.element.hidden = names.length < 2
    tables.fill(names, name)
    tokens.fill(words.map((_, i) => i), chosen, i => words[i])
    const width = measureWidth(slot) || 320
    const at = t('theatre.tokenAt', { token: words[chosen], x: formatExact(x[chosen]), y: formatExact(y[chosen]) })
    setText(output, at)
    setText(explanation, t('theatre.planeWhy', { from, first: percent(variances[0]), second: percent(variances[1]) }))
    picture.update({
      x, y, words, chosen, width, height: Math.min(MAX_HEIGHT, width), palette: theme().palette,
      label: `${t('theatre.plane')}. ${at}`
    })
  }
  return {
    /** @param {News['plane']} plane of the worker's last report */
    update(plane) {
      container.hidden = !plane
      if (!plane) return
      latest = { ...plane, words: plane.words.map(named) }
      draw()
    }
  }
}
