// Compares every table of every room with the run made in Node.
import assert from 'node:assert/strict'
import { parseFormatted } from '../../web/lib/number.js'
import { roomsOf } from '../../web/rooms/index.js'
import { slicesIn, stageData } from '../lib/page.js'
import { partUnlessLong } from '../lib/long.js'
import { goToRoom, readTables } from './host.js'

/**
 * Compares every number of the tables of all rooms, to the bit.
 * @param {import('playwright-core').Page} page @param {object} run made in Node @param {object} state
 * @param {number} [i] the index of the test, when several tests share the rooms in `npm test`
 * @param {number} [tests] how many tests share them
 * @returns {Promise<number>} how many numbers were compared
 */
export async function compareTables(page, run, state, i = 0, tests = 1) {
  let count = 0
  for (const { id } of partUnlessLong(roomsOf(run).slice(1), i, tests)) {
    await goToRoom(page, id)
    await page.waitForSelector(`#house[data-room="${id}"]`)
    const parts = slicesIn(stageData(run, id, state))
    if (parts.length === 0) continue
    for (const { name, cells } of await readTables(page)) {
      // A long table has only its first rows, and below them a note without cells.
      const lines = cells.filter(({ length }) => length > 0), same = parts.filter(part => part.name === name)
      const isRight = part => lines.every((line, row) => line.length === part.cols && line.every((text, col) => (
        Object.is(Math.fround(parseFormatted(text)), part.values[row * part.cols + col]))))
      const isWhole = part => lines.length === part.rows || (lines.length < cells.length && lines.length < part.rows)
      assert.ok(same.some(part => isWhole(part) && isRight(part)), `${id}: ${name}`)
      count += lines.flat().length
    }
  }
  return count
}
