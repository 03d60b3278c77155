// Every table of every room beside the run made in Node.
import assert from 'node:assert/strict'
import { parse } from '../../web/lib/number.js'
import { roomsOf } from '../../web/rooms/index.js'
import { dataIn } from '../lib/page.js'
import { share } from '../lib/long.js'
import { go, tablesOf } from './host.js'

/** Whatever a stage shows as a matrix. */
const matricesIn = data => Object.values(data ?? {}).flat().filter(value => value?.axis && value.values)

/**
 * Goes through all rooms and compares every number of their tables, to the bit.
 * @param {import('playwright-core').Page} page @param {object} run made in Node @param {object} state
 * @param {number} [i] and `tests`: several tests go through the rooms, in `npm test` the i-th of them through its share
 * @param {number} [tests]
 * @returns {Promise<number>} how many there were
 */
export async function compareTables(page, run, state, i = 0, tests = 1) {
  let count = 0
  for (const { id } of share(roomsOf(run).slice(1), i, tests)) {
    await go(page, id)
    await page.waitForSelector(`#house[data-room="${id}"]`)
    const parts = matricesIn(dataIn(run, id, state))
    if (parts.length === 0) continue
    for (const { name, cells } of await tablesOf(page)) {
      // A long table begins with the rows it has room for, below them a line that says so.
      const lines = cells.filter(({ length }) => length > 0), same = parts.filter(part => part.name === name)
      const isRight = part => lines.every((line, row) => line.length === part.cols && line.every((text, col) => (
        Object.is(Math.fround(parse(text)), part.values[row * part.cols + col]))))
      const isWhole = part => lines.length === part.rows || (lines.length < cells.length && lines.length < part.rows)
      assert.ok(same.some(part => isWhole(part) && isRight(part)), `${id}: ${name}`)
      count += lines.flat().length
    }
  }
  return count
}
