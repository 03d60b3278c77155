/**
 * A figure: matrices and products that share handlers, theme and width, with a legend and tables of their numbers
 * below. A stage builds its figure from them and passes slices.
 */

import { createScale } from './color.js'
import { h, setText } from './dom.js'
import { hasTick, numberFormat } from './heatmap_paint.js'
import { mountLegend } from './legend.js'
import { mountMatrix } from './matrix.js'
import { mountFigureMenu } from './figure_menu.js'
import { mountNonzeroList } from './nonzero.js'
import { mountProduct } from './product.js'
import { findSquare } from './slice.js'
import { tables } from './table.js'

/** @import { Cell, Domain, Marks, Slice, State, Theme, Translate } from '../types.d.ts' */
/** @import { Parts } from './product.js' */
/** @import { Drawing, ProductDrawing } from './svg.js' */
/** @import { MatrixLook } from './matrix.js' */

/** @typedef {{ title: string, part: Slice }} Entry one table of numbers */

/**
 * @typedef {object} FigureContext
 * @property {(cell: Cell) => void} selectCell
 * @property {(cell: Cell) => void} pinCell
 * @property {(cell: Cell) => void} editCell
 * @property {() => void} endHover
 * @property {() => Theme} theme
 * @property {() => number} width
 * @property {() => Pick<State, 'depth' | 'edits'>} get
 * @property {Translate} t
 * @property {() => string} [heading] the figure's title in exports
 * @property {(named?: string) => string} [origin] the origin of an exported picture, in one line
 * @property {() => string} [named] the setting of the second run, in its figure
 * @property {string} [fileSuffix] the suffix of file names for figures of the second run and of the differences
 * @property {string} [spoken] the name of the second run for screen readers
 * @property {(list: Entry[]) => void} [onTitles] receives the titles of the matrices
 */

/** @typedef {ReturnType<typeof mountMatrix>} Matrix */
/** @typedef {ReturnType<typeof mountProduct>} Product */
/** @typedef {MatrixLook & { domain: Domain }} Look */

/** Whether negative cells have a dash, since they are too small for numbers. @param {Drawing} drawing */
function hasDashes({ part: { values }, view: { cell, plain, isInteger } }) {
  return hasTick(-1, cell) && !numberFormat({ cell, plain, isInteger, values }) &&
    values.some(value => hasTick(value, cell))
}

/**
 * Mounts an empty figure.
 * @param {HTMLElement} container
 * @param {FigureContext} surroundings
 */
export function mountFigure(container, {
  selectCell, pinCell, editCell, endHover, theme, width, get, t, onTitles, named, fileSuffix, spoken, heading, origin
}) {
  const handlers = { selectCell, pinCell, editCell, endHover }
  const body = h('div', { className: 'figure-body' })
  const legendLine = h('div', { className: 'figure-legends' })
  const dashNote = h('span', { className: 'legend-note' })
  const actions = h('div', { className: 'figure-actions' })
  const legendAndNote = h('div', { className: 'figure-legends' }, legendLine, dashNote)
  const foot = h('div', { className: 'figure-foot' }, legendAndNote, actions)
  const root = h('div', { className: 'figure' }, h('div', { className: 'frame' }, body), foot)
  container.append(root)
  /** @type {ReturnType<typeof mountLegend>[]} */ const legends = []
  const numbers = tables(actions)
  /** @type {(Matrix | Product)[]} */ const parts = []
  /** @type {{ domain: Domain, text?: string }[]} */ let keys = []
  /** @type {Cell | null} */ let currentCell = null

  /**
   * @template Look
   * @param {Look & { domain: Domain }} look
   */
  const view = ({ domain, ...rest }) => {
    const { mode, palette, isPaper } = theme(), plain = get().depth === 'story'
    return { ...rest, spoken, palette, isPaper, scale: createScale(domain, mode), plain, edits: get().edits }
  }
  /**
   * @template {Matrix | Product} Part
   * @param {Part} part
   */
  const register = part => {
    parts.push(part)
    return part
  }

  const drawings = () => parts.flatMap(part => part.drawings())
  /** The index of the matrix with the current cell, or of the last one, which is computed from the others. */
  const mainIndex = () => {
    const at = drawings().findIndex(({ part }) => currentCell && findSquare(part, currentCell))
    return at < 0 ? drawings().length - 1 : at
  }
  mountFigureMenu(actions, {
    t, fileSuffix, main: mainIndex, parts: () => drawings().map(({ part, view: { title } }) => ({ part, title })),
    async picture() {
      const { drawPicture } = await import('./figure_picture.js')
      return drawPicture(container, root, {
        title: heading?.() ?? '', subtitle: origin?.(named?.()) ?? '', theme: theme(), keys, note: dashNote.textContent ?? '',
        matrices: parts.filter(part => part.drawings().length)
          .flatMap(part => /** @type {(Drawing | ProductDrawing)[]} */ ('sheet' in part ? [part.sheet()] : part.drawings()))
      })
    }
  })

  return {
    body,
    /** A labelled matrix; its view gives `title` and `domain`. */
    matrix(parent = body) {
      const part = register(mountMatrix(parent, handlers))
      const exceptions = mountNonzeroList(part.element, { t, press: pinCell })
      return {
        ...part,
        /** @param {Slice} piece @param {Look} spec */
        update(piece, spec) {
          part.update(piece, { ...view(spec), width: width() })
          exceptions.update(piece)
        }
      }
    },
    /** A matrix product in the layout of `product.js`; its `domains` and `groups` are by part. */
    product(parent = body) {
      const part = register(mountProduct(parent, handlers))
      return {
        ...part,
        /**
         * @param {Parts<Slice>} pieces
         * @param {{ titles: Parts<string>, domains: Parts<Domain>, groups?: Partial<Parts<number>> }} spec
         */
        update(pieces, { titles, domains, groups = {} }) {
          /** @param {keyof Parts<Slice>} name */
          const partView = name => view({ domain: /** @type {Domain} */ (domains[name]), group: groups[name] })
          const views = { left: partView('left'), right: partView('right'), product: partView('product') }
          const all = pieces.bias ? { ...views, bias: partView('bias') } : views
          part.update(pieces, { width: width(), titles, views: all })
        }
      }
    },
    /** Draws the legends: one per domain. @param {{ domain: Domain, text?: string }[]} entries */
    legend(entries) {
      keys = entries
      while (legends.length < entries.length) legends.push(mountLegend(legendLine))
      entries.forEach(({ domain, text = '' }, i) => legends[i].update(domain, theme().mode, text))
      setText(dashNote, drawings().some(hasDashes) ? t('frame.signed') : '')
    },
    /** The matrices as tables. @param {string} text @param {Entry[]} list */
    numbers(text, list) {
      numbers.update(text, list)
      onTitles?.(list)
    },
    mark(/** @type {Marks} */ marks) {
      currentCell = marks.current
      parts.forEach(part => part.mark(marks))
    }
  }
}
