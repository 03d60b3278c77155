/**
 * A figure: matrices and products that share handlers, theme and width, with a legend below and their numbers as
 * tables. A stage builds its picture from these and hands them slices.
 */

import { scale } from './color.js'
import { h, setText } from './dom.js'
import { hasTick, lettering } from './heatmap.js'
import { legend } from './legend.js'
import { matrix } from './matrix.js'
import { menu } from './menu.js'
import { product } from './product.js'
import { snapshot } from './snapshot.js'
import { figureSvg } from './svg.js'
import { tables } from './table.js'

/**
 * @typedef {object} Surroundings
 * @property {(cell: object) => void} look
 * @property {(cell: object) => void} press
 * @property {(cell: object) => void} edit
 * @property {() => void} leave
 * @property {() => { mode: 'light' | 'dark', palette: object }} theme
 * @property {() => number} width
 * @property {() => { depth: string, edits: object[] }} get the state of the page
 * @property {(key: string) => string} t
 * @property {() => string} [heading] what the figure is called where it is taken to
 * @property {(named?: string) => string} [origin] where it is from, in a line
 * @property {() => string} [named] what else sets this figure apart
 * @property {string} [which] the same in a file's name
 * @property {string} [spoken] the same for screen readers
 * @property {(list: { title: string, part: object }[]) => void} [titled] is told what the matrices are called
 */

/** Whether cells show by a dash that they are negative, for want of room for their numbers. */
function isTicked({ part: { values }, view: { cell, plain } }) {
  return !lettering({ cell, plain, values }) && values.some(value => hasTick(value, cell))
}

/**
 * Mounts an empty figure.
 * @param {Element} container
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
  const legends = []
  const numbers = tables(actions)
  const parts = []
  let keys = []

  const view = ({ domain, ...rest }) => {
    const { mode, palette } = theme()
    return { ...rest, spoken, palette, scale: scale(domain, mode), plain: get().depth === 'story', edits: get().edits }
  }
  const add = part => {
    parts.push(part)
    return part
  }

  const drawings = () => parts.flatMap(part => part.drawings())
  menu(actions, {
    t, which, parts: () => drawings().map(({ part, view: { title } }) => ({ part, title })),
    picture() {
      const { mode, palette } = theme()
      const legends = keys.map(({ domain, text = '' }) => ({ domain, text, scale: scale(domain, mode) }))
      const around = [...container.children]
      const [above, below] = [around.slice(0, around.indexOf(root)), around.slice(around.indexOf(root) + 1)]
        .map(list => list.map(snapshot).filter(Boolean))
      const matrices = parts.filter(part => part.drawings().length)
        .flatMap(part => (part.sheet ? [part.sheet()] : part.drawings()))
      return figureSvg({
        title: heading?.() ?? '', subtitle: origin?.(named?.()) ?? '', matrices, legends, palette,
        note: dashes.textContent, above, below
      })
    }
  })

  return {
    body,
    /** A labelled matrix; its view gives `title` and `domain`. */
    matrix(parent = body) {
      const part = add(matrix(parent, handlers))
      return {
        ...part,
        update: (piece, spec) => part.update(piece, { ...view(spec), width: width() })
      }
    },
    /** A product laid out by hand; `domains` and `groups` are given by part. */
    product(parent = body) {
      const part = add(product(parent, handlers))
      return {
        ...part,
        update(pieces, { titles, domains, groups = {} }) {
          const views = {}
          for (const name of Object.keys(pieces)) views[name] = view({ domain: domains[name], group: groups[name] })
          part.update(pieces, { width: width(), titles, views })
        }
      }
    },
    /** Draws the legends: one per domain. @param {{ domain: object, text?: string }[]} entries */
    legend(entries) {
      keys = entries
      while (legends.length < entries.length) legends.push(legend(legendLine))
      entries.forEach(({ domain, text = '' }, i) => legends[i].update(domain, theme().mode, text))
      setText(dashes, drawings().some(isTicked) ? t('frame.signed') : '')
    },
    /** The matrices as tables. @param {string} text @param {{ title: string, part: object }[]} list */
    numbers(text, list) {
      numbers.update(text, list)
      titled?.(list)
    },
    mark: marks => parts.forEach(part => part.mark(marks))
  }
}
