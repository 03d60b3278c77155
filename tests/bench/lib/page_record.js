// The page's times: a line for the reader, a CSV for the record, and the last run of this machine and browser that was
// committed.
import { appendTo, fileOf, lastCommitted, machine } from './record.js'

const HEAD = ['date', 'commit', 'cpu', 'cores', 'engine', 'part', 'work', 'min_ms', 'median_ms']

const least = times => Math.min(...times)
const median = times => times.toSorted((a, b) => a - b)[times.length >> 1]
const digits = value => (value >= 100 ? value.toFixed(0) : value.toFixed(2))

const line = cells => cells.map((cell, i) => (i === 0 ? cell.padEnd(60) : cell.padStart(12))).join(' ').trimEnd()

/**
 * @param {string} name
 * @param {number[]} times milliseconds
 * @param {{ min: number, median: number } | undefined} before
 */
export const pageLine = (name, times, before) => line([
  name, ...[least(times), median(times), ...before ? [before.min, before.median] : []].map(digits)
])

/** @param {string} engine the browser and its version */
export function pageRecord(engine) {
  const file = fileOf(`page_${engine}`), last = lastCommitted(file)
  const [when] = last.map(({ date, commit }) => `, beside ${commit} of ${date}`).slice(-1)
  return {
    head: `${engine}${when ?? ''}\n${line(['', 'min ms', 'median', 'then', 'median'])}`,
    /** @param {string} name */
    before(name) {
      const found = last.findLast(({ work }) => work === name)
      return found && { min: Number(found.min_ms), median: Number(found.median_ms) }
    },
    save: (part, name, times) => appendTo(file, HEAD, [
      [...machine(engine), part, name, least(times), median(times)]])
  }
}
