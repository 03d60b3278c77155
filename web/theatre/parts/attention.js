/** The attention of one head for the reader's sentence. */

import { probabilityDomain, createScale } from '../../lib/color.js'
import { h, measureWidth } from '../../lib/dom.js'
import { mountMatrix } from '../../lib/matrix.js'
import { mountLegend } from '../../lib/legend.js'
import { slice } from '../../lib/slice.js'
import { createChoice } from './choice.js'

/** @import { Cell, Context, Translate } from '../../types.d.ts' */
/** @import { News } from '../../../src/training/training_record.js' */

/**
 * @param {HTMLElement} container
 * @param {{ t: Translate, named(text: string): string, theme: Context['theme'], look(name: string): void,
 *   redraw(): void, pin?(cell: Cell): void }} context pin: follows a cell
 */
export function mountAttention(container, { t, named, theme, look: requestModule, redraw, pin }) {
  let head = 0
  const modules = createChoice(t('theatre.module'), requestModule)
  const heads = createChoice(t('theatre.head'), value => {
    head = Number(value)
    redraw()
  })
  const slot = h('div', { className: 'theatre-heat' })
  container.append(h('div', { className: 'theatre-choices' }, modules.element, heads.element), slot,
    ...(pin ? [h('p', { className: 'theatre-why' }, t('theatre.pinWhy'))] : []))
  /** @param {Cell | null} current */
  const markCell = current => picture.mark({ current, pinned: false, sources: [] })
  const picture = mountMatrix(slot,
    { selectCell: markCell, pinCell: pin ?? (() => {}), editCell() {}, endHover: () => markCell(null) })
  const legend = mountLegend(container)
  return {
    /** @param {News['answer']} answer the worker's last one */
    update(answer) {
      container.hidden = !answer
      if (!answer) return
      const { attention: { names, name, heads: count, rows, cols, values }, rowTokens, colTokens } = answer
      head = Math.min(head, count - 1)
      modules.fill(names, name, text => text.replace(/\.weights$/, ''))
      heads.fill(Array.from({ length: count }, (_, i) => i), head)
      const tensor = { name, shape: [1, count, rows, cols], data: values, values, size: values.length }
      const part = slice(tensor, { row: 2, col: 3, fixed: [0, head, 0, 0],
        rowLabels: rowTokens.map(named), colLabels: colTokens.map(named) })
      const { mode, palette } = theme()
      picture.update(part, {
        title: `A[${head}]`, width: measureWidth(slot) || 320, dense: true,
        scale: createScale(probabilityDomain(), mode), palette, spoken: name
      })
      legend.update(probabilityDomain(), mode, t('theatre.share'))
    }
  }
}
