/** Attention weights times values: what each head reads. */

import { isSameCell } from '../lib/cell.js'
import { probabilityDomain } from '../lib/color.js'
import { mountFigure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { listEntries } from '../lib/product.js'
import { sliceHead, sliceMatrix, kvHeadIndex } from '../lib/run.js'
import { findSquare } from '../lib/slice.js'

/** @import { Cell, Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'heads'
export const controls = ['heads', 'kvHeads']
export const pickers = ['sentence', 'head']

/**
 * Weights (in training after dropout), values and their product: for all heads side by side, or, where some share their
 * values, for one head, since only then the columns line up.
 * @param {Run} run @param {View<'heads'>} view
 */
export function data(run, view) {
  const { weights, dropped, v, out, heads, kvHeads = heads } = view.room.parts
  const isShared = kvHeads < heads
  const [right, product] = isShared
    ? [sliceHead(run, v, kvHeads, { ...view, head: kvHeadIndex(view) }), sliceHead(run, out, heads, view)]
    : [sliceMatrix(run, v, view), sliceMatrix(run, out, view)]
  /** @param {number} head */
  const weightsOf = head => sliceMatrix(run, dropped ?? weights, { ...view, head })
  const head = Math.min(view.head, heads - 1)
  const size = product.cols / heads
  return {
    heads, head, left: weightsOf(head), weightsOf, right, product, isShared, domain: commonDomain(run, v, out),
    ...(!isShared && { headColumns: /** @type {[number, number]} */ ([head * size, (head + 1) * size]) })
  }
}

/**
 * The head of a cell: of a weight, or of a value or result where those of all heads stand side by side; else null.
 * @param {ReturnType<typeof data>} parts @param {Cell | null} cell
 */
function headOfCell({ heads, left, right, product, isShared }, cell) {
  if (cell?.name === left.name && left.shape.length === 4) return cell.index[1]
  const part = isShared ? null : [right, product].find(part => cell && findSquare(part, cell))
  return cell && part ? Math.floor(/** @type {number} */ (cell.index.at(-1)) * heads / part.cols) : null
}

/** @type {Stage<'heads'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.out, view)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = mountFigure(container, context)
  const sheet = fig.product()
  /** @type {ReturnType<typeof data>} */ let latest
  /** The cell that is explained. @type {Cell | null} */ let current = null
  /** The head whose weights are displayed. */ let head = 0

  /** @param {number} of a head */
  const titlesFor = of => ({
    left: `${t('stages.heads.weights')} · ${t('frame.head')}\u00a0${of}`,
    right: t('stages.heads.values'), product: t(`stages.heads.${latest.isShared ? 'result' : 'results'}`)
  })
  function draw() {
    const { weightsOf, right, product, domain } = latest
    sheet.update({ left: weightsOf(head), right, product },
      { titles: titlesFor(head), domains: { left: probabilityDomain(), right: domain, product: domain } })
  }
  return {
    update(next) {
      // A head that the reader selects is displayed, whichever cell is explained.
      if (!latest || latest.head !== next.head) head = next.head
      latest = next
      setFormula(sheet.corner, 'H = A V')
      draw()
      const titles = titlesFor(next.head), { domain } = next
      fig.legend([{ domain: probabilityDomain(), text: t('frame.share') }, { domain, text: titles.product }])
      fig.numbers(t('frame.numbers'), listEntries(titles, next))
    },
    /** A cell is explained beside the weights that it was computed with, also where it is another head's. */
    mark(marks) {
      if (!latest) return
      const own = headOfCell(latest, marks.current), next = own ?? latest.head
      if (next !== head && !isSameCell(current, marks.current)) {
        head = next
        draw()
      }
      current = marks.current
      fig.mark(own === null || own === head ? marks : { ...marks, current: null })
    },
    destroy() {}
  }
}
