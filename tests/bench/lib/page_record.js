// Prints the page's times beside those of the last committed run on this machine and browser, and appends them to a CSV
// file.
import { appendTo, fileOf, lastCommitted, machine } from './record.js'

const HEAD = ['date', 'commit', 'cpu', 'cores', 'engine', 'part', 'work', 'min_ms', 'median_ms']

const minOf = times => Math.min(...times)
const median = times => times.toSorted((a, b) => a - b)[times.length >> 1]
const digits = value => (value >= 100 ? value.toFixed(0) : value.toFixed(2))

const line = cells => cells.map((cell, i) => (i === 0 ? cell.padEnd(60) : cell.padStart(12))).join(' ').trimEnd()

/**
 * @param {string} name
 * @param {number[]} times milliseconds
 * @param {{ min: number, median: number } | undefined} before
 */
export const pageLine = (name, times, before) => line([
  name, ...[minOf(times), median(times), ...before ? [before.min, before.median] : []].map(digits)
])

/** @param {string} engine the browser and its version */
export function pageRecord(engine) {
  const file = fileOf(`page_${engine}`), last = lastCommitted(file)
  const [comparison] = last.map(({ date, commit }) => `, beside ${commit} of ${date}`).slice(-1)
  return {
    head: `${engine}${comparison ?? ''}\n${line(['', 'min ms', 'median', 'min before', 'median'])}`,
    /** @param {string} name */
    before(name) {
      const row = last.findLast(({ work }) => work === name)
      return row && { min: Number(row.min_ms), median: Number(row.median_ms) }
    },
    save: (part, name, times) => appendTo(file, HEAD, [
      [...machine(engine), part, name, minOf(times), median(times)]])
  }
}
