// Records of measurements with commit and machine: CSV files in tests/bench/results, one for each processor and engine.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'

const results = new URL('../results/', import.meta.url)

/** The output of a git command; '' if it fails, as without a repository. @param {string[]} args */
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

/** The first cells of every line: date, commit, processor, cores, engine. @param {string} engine */
export const machine = engine => [new Date().toISOString().slice(0, 16), commit(), cpu(), os.cpus().length, engine]

/** The file of this processor. @param {string} name the engine, with a prefix for other kinds of records */
export const fileOf = name => new URL(`${`${cpu()}_${name}`.toLowerCase().replace(/[^a-z0-9._-]+/g, '-')}.csv`, results)

const quote = cell => (/[",]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell)
const roundNumber = cell => (typeof cell === 'number' ? Number(cell.toPrecision(4)) : cell ?? '')
const csvLine = cells => `${cells.map(cell => quote(roundNumber(cell))).join(',')}\n`

/** @param {URL} file @param {string[]} head its columns @param {(string | number | boolean | undefined)[][]} rows */
export function appendTo(file, head, rows) {
  mkdirSync(results, { recursive: true })
  if (!existsSync(file)) appendFileSync(file, csvLine(head))
  appendFileSync(file, rows.map(csvLine).join(''))
}

/** The cells of a line of CSV. @param {string} text */
const cellsOf = text => Array.from(text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) => (
  quoted?.replaceAll('""', '"') ?? plain))

/**
 * The rows of a file in the last commit, by column names; empty if it was never committed.
 * @param {URL} file
 * @returns {Record<string, string>[]}
 */
export function lastCommitted(file) {
  const [head, ...lines] = git('show', `HEAD:./results/${file.pathname.split('/').at(-1)}`).split('\n').map(cellsOf)
  return lines.map(cells => Object.fromEntries(head.map((column, i) => [column, cells[i]])))
}
