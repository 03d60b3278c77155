/**
 * A figure: matrices and products that share handlers, theme and width, with a legend below and their numbers as
 * tables. A stage builds its figure from these and passes them slices.
 */

import { scale } from './color.js'
import { h, exists, setText } from './dom.js'
import { hasTick, lettering } from './heatmap_paint.js'
import { legend } from './legend.js'
import { matrix } from './matrix.js'
import { menu } from './menu.js'
import { nonZero } from './nonzero.js'
import { product } from './product.js'
import { cellOf } from './slice.js'
import { snapshot } from './snapshot.js'
import { figureSvg } from './svg.js'
import { tables } from './table.js'

/** @import { Cell, Domain, Marks, Slice, State, Theme, Translate } from '../types.d.ts' */
/** @import { Parts } from './product.js' */
/** @import { Drawing, Sheet } from './svg.js' */
/** @import { MatrixLook } from './matrix.js' */

/** @typedef {{ title: string, part: Slice }} Entry of the tables */

/**
 * @typedef {object} Surroundings
 * @property {(cell: Cell) => void} look
 * @property {(cell: Cell) => void} press
 * @property {(cell: Cell) => void} edit
 * @property {() => void} leave
 * @property {() => Theme} theme
 * @property {() => number} width
 * @property {() => Pick<State, 'depth' | 'edits'>} get
 * @property {Translate} t
 * @property {() => string} [heading] the figure's title in exports
 * @property {(named?: string) => string} [origin] its origin, in one line
 * @property {() => string} [named] what else distinguishes this figure
 * @property {string} [which] the same for file names
 * @property {string} [spoken] the same for screen readers
 * @property {(list: Entry[]) => void} [titled] receives the titles of the matrices
 */

/** @typedef {ReturnType<typeof matrix>} Matrix */
/** @typedef {ReturnType<typeof product>} Product */
/** @typedef {MatrixLook & { domain: Domain }} Look */

/** Whether cells mark negative values with a dash, since there is no room for numbers. @param {Drawing} drawing */
function isTicked({ part: { values }, view: { cell, plain } }) {
  return hasTick(-1, cell) && !lettering({ cell, plain, values }) && values.some(value => hasTick(value, cell))
}

/**
 * Mounts an empty figure.
 * @param {HTMLElement} container
 * @param {Surroundings} surroundings
 */
export function figure(container, {
  look, press, edit, leave, theme, width, get, t, titled, named, which, spoken, heading, origin
}) {
  const handlers = { look, press, edit, leave }
  const body = h('div', { className: 'figure-body' })
  const legendLine = h('div', { className: 'figure-legends' })
  const dashes = h('span', { className: 'legend-note' })
  const actions = h('div', { className: 'figure-actions' })
  const key = h('div', { className: 'figure-legends' }, legendLine, dashes)
  const foot = h('div', { className: 'figure-foot' }, key, actions)
  const root = h('div', { className: 'figure' }, h('div', { className: 'frame' }, body), foot)
  container.append(root)
  /** @type {ReturnType<typeof legend>[]} */ const legends = []
  const numbers = tables(actions)
  /** @type {(Matrix | Product)[]} */ const parts = []
  /** @type {{ domain: Domain, text?: string }[]} */ let keys = []
  /** @type {Cell | null} */ let looked = null

  /**
   * @template Look
   * @param {Look & { domain: Domain }} look
   */
  const view = ({ domain, ...rest }) => {
    const { mode, palette, isPaper } = theme(), plain = get().depth === 'story'
    return { ...rest, spoken, palette, isPaper, scale: scale(domain, mode), plain, edits: get().edits }
  }
  /**
   * @template {Matrix | Product} Part
   * @param {Part} part
   */
  const add = part => {
    parts.push(part)
    return part
  }

  const drawings = () => parts.flatMap(part => part.drawings())
  /** The matrix that contains the current cell, or the last one, which is the result of the others. */
  const main = () => {
    const at = drawings().findIndex(({ part }) => looked && cellOf(part, looked))
    return at < 0 ? drawings().length - 1 : at
  }
  menu(actions, {
    t, which, main, parts: () => drawings().map(({ part, view: { title } }) => ({ part, title })),
    picture() {
      const { mode, palette } = theme()
      const legends = keys.map(({ domain, text = '' }) => ({ domain, text, scale: scale(domain, mode) }))
      const around = [...container.children]
      const [above, below] = [around.slice(0, around.indexOf(root)), around.slice(around.indexOf(root) + 1)]
        .map(list => list.map(snapshot).filter(exists))
      const matrices = parts.filter(part => part.drawings().length)
        .flatMap(part => /** @type {(Drawing | Sheet)[]} */ ('sheet' in part ? [part.sheet()] : part.drawings()))
      return figureSvg({
        title: heading?.() ?? '', subtitle: origin?.(named?.()) ?? '', matrices, legends, palette,
        note: dashes.textContent ?? '', above, below
      })
    }
  })

  return {
    body,
    /** A labelled matrix; its view gives `title` and `domain`. */
    matrix(parent = body) {
      const part = add(matrix(parent, handlers))
      const rest = nonZero(part.element, { t, press })
      return {
        ...part,
        /** @param {Slice} piece @param {Look} spec */
        update(piece, spec) {
          part.update(piece, { ...view(spec), width: width() })
          rest.update(piece)
        }
      }
    },
    /** A product laid out by hand; `domains` and `groups` are given by part. */
    product(parent = body) {
      const part = add(product(parent, handlers))
      return {
        ...part,
        /**
         * @param {Parts<Slice>} pieces
         * @param {{ titles: Parts<string>, domains: Parts<Domain>, groups?: Partial<Parts<number>> }} spec
         */
        update(pieces, { titles, domains, groups = {} }) {
          /** @param {keyof Parts<Slice>} name */
          const viewOf = name => view({ domain: /** @type {Domain} */ (domains[name]), group: groups[name] })
          const views = { left: viewOf('left'), right: viewOf('right'), product: viewOf('product') }
          const all = pieces.bias ? { ...views, bias: viewOf('bias') } : views
          part.update(pieces, { width: width(), titles, views: all })
        }
      }
    },
    /** Draws the legends: one per domain. @param {{ domain: Domain, text?: string }[]} entries */
    legend(entries) {
      keys = entries
      while (legends.length < entries.length) legends.push(legend(legendLine))
      entries.forEach(({ domain, text = '' }, i) => legends[i].update(domain, theme().mode, text))
      setText(dashes, drawings().some(isTicked) ? t('frame.signed') : '')
    },
    /** The matrices as tables. @param {string} text @param {Entry[]} list */
    numbers(text, list) {
      numbers.update(text, list)
      titled?.(list)
    },
    mark(/** @type {Marks} */ marks) {
      looked = marks.current
      parts.forEach(part => part.mark(marks))
    }
  }
}
