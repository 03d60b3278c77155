/**
 * A figure: matrices and products that share handlers, theme and width, with a legend below and their numbers as
 * tables. A stage builds its picture from these and hands them slices.
 */

import { scale } from './color.js'
import { h } from './dom.js'
import { legend } from './legend.js'
import { matrix } from './matrix.js'
import { product } from './product.js'
import { tables } from './table.js'

/**
 * @typedef {object} Surroundings
 * @property {(cell: object) => void} look
 * @property {(cell: object) => void} press
 * @property {() => void} leave
 * @property {() => { mode: 'light' | 'dark', palette: object }} theme
 * @property {() => number} width
 */

/**
 * Mounts an empty figure.
 * @param {Element} container
 * @param {Surroundings} surroundings
 */
export function figure(container, { look, press, leave, theme, width }) {
  const body = h('div', { className: 'figure-body' })
  const foot = h('div', { className: 'figure-foot' })
  container.append(h('div', { className: 'figure' }, h('div', { className: 'frame' }, body), foot))
  const legends = []
  const numbers = tables(foot)
  const parts = []

  const view = ({ domain, ...rest }) => {
    const { mode, palette } = theme()
    return { ...rest, palette, scale: scale(domain, mode) }
  }
  const add = (part) => {
    parts.push(part)
    return part
  }

  return {
    body,
    /** A labelled matrix; its view gives `title` and `domain`. */
    matrix(parent = body) {
      const part = add(matrix(parent, { look, press, leave }))
      return {
        ...part,
        update: (piece, spec) => part.update(piece, { ...view(spec), width: width() })
      }
    },
    /** A product laid out by hand; `domains` and `groups` are given by part. */
    product(parent = body) {
      const part = add(product(parent, { look, press, leave }))
      return {
        ...part,
        update(pieces, { titles, domains, groups = {} }) {
          const views = {}
          for (const name of Object.keys(pieces)) views[name] = view({ domain: domains[name], group: groups[name] })
          part.update(pieces, { width: width(), titles, views })
        }
      }
    },
    /** Draws the legends: one per domain. @param {{ domain: object, text: string }[]} entries */
    legend(entries) {
      while (legends.length < entries.length) legends.push(legend(foot))
      entries.forEach(({ domain, text }, i) => legends[i].update(domain, theme().mode, text))
    },
    numbers: numbers.update,
    mark: (marks) => parts.forEach((part) => part.mark(marks))
  }
}
