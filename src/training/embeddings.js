/** The embedding tables of a training in two dimensions. */

import { principalAxes, projectRows } from './pca.js'

/** @import { Session } from './session.js' */

/**
 * Projects the embedding tables of a session, which has its initial weights.
 * @param {Session} session
 */
export function createProjection(session) {
  const { gf, task, data, named } = session
  /** The tables with the tokens of their rows, and their initial coordinates. */
  const tables = Object.entries(task.tables(data)).map(([name, words]) => {
    const table = Object.fromEntries(named)[name], axes = principalAxes(gf, table)
    const { x, y } = projectRows(gf, table, axes)
    return { name, words, table, initialAxes: [x, y], axes }
  })
  let lastAxesStep = -1
  /**
   * The PCA of a table, the first one by default.
   * @param {string} [selectedName] @returns {import('./pca.js').Plane & { names: string[] }}
   */
  return selectedName => {
    if (session.done > lastAxesStep) {
      lastAxesStep = session.done
      for (const table of tables) table.axes = principalAxes(gf, table.table, table.initialAxes)
    }
    const { name, words, table, axes } = tables.find(table => table.name === selectedName) ?? tables[0]
    return {
      name, names: tables.map(table => table.name), words: [...words], from: lastAxesStep,
      ...projectRows(gf, table, axes)
    }
  }
}
