// What was measured, where and of which commit: CSV files in tests/bench/results, one for each processor and engine.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'

const results = new URL('../results/', import.meta.url)

/** What git says here; '' where there is no repository, or nothing to say. @param {string[]} args */
function git(...args) {
  try {
    return execFileSync('git', args, {
      cwd: fileURLToPath(new URL('..', results)), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']
    }).trim()
  } catch {
    return ''
  }
}

/** The commit measured, with a '+' when the library differs from it. */
const commit = () => (git('rev-parse', '--short', 'HEAD') || 'unknown') + (git('status', '--porcelain', '--', '../../src') ? '+' : '')

const cpu = () => os.cpus()[0]?.model.trim() ?? os.arch()

/** Where and when: the first cells of every line. @param {string} engine */
export const machine = engine => [new Date().toISOString().slice(0, 16), commit(), cpu(), os.cpus().length, engine]

/** The file of this processor. @param {string} what an engine, or what was measured in it */
export const fileOf = what => new URL(`${`${cpu()}_${what}`.toLowerCase().replace(/[^a-z0-9._-]+/g, '-')}.csv`, results)

const quoted = cell => (/[",]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell)
const short = cell => (typeof cell === 'number' ? Number(cell.toPrecision(4)) : cell ?? '')
const csvLine = cells => `${cells.map(cell => quoted(short(cell))).join(',')}\n`

/** @param {URL} file @param {string[]} head its columns @param {(string | number | boolean | undefined)[][]} rows */
export function appendTo(file, head, rows) {
  mkdirSync(results, { recursive: true })
  if (!existsSync(file)) appendFileSync(file, csvLine(head))
  appendFileSync(file, rows.map(csvLine).join(''))
}

/** The cells of a line of CSV. @param {string} text */
const cellsOf = text => Array.from(text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quote, plain]) => (
  quote?.replaceAll('""', '"') ?? plain))

/**
 * The lines of a file as it is in the last commit, each by its columns; none where it was never committed.
 * @param {URL} file
 * @returns {Record<string, string>[]}
 */
export function lastCommitted(file) {
  const [head, ...lines] = git('show', `HEAD:./results/${file.pathname.split('/').at(-1)}`).split('\n').map(cellsOf)
  return lines.map(cells => Object.fromEntries(head.map((column, i) => [column, cells[i]])))
}
