// A table for the reader and a CSV for the record.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { isMet } from './claims.js'

const results = new URL('../results/', import.meta.url)

const decimalsOf = size => (size >= 100 ? 0 : size >= 1 ? 2 : 4)
const digits = value => value.toFixed(decimalsOf(Math.abs(value)))
const figure = ({ value, unit }) => `${unit === 'ms' || unit === 'KB' ? digits(value) : value.toFixed(2)} ${unit}`
const goal = ({ target, atMost }) => (target === undefined ? '' : `${atMost ? '≤' : '≥'} ${target}`)
const verdict = claim => ({ true: 'yes', false: 'NO', undefined: '' })[isMet(claim)]

const WIDTHS = [48, 10, 10, 44, 10, 13, 8, 4]
const line = cells =>
  cells.map((cell, i) => (i === 0 || i === 3 ? cell.padEnd(WIDTHS[i]) : cell.padStart(WIDTHS[i]))).join(' ').trimEnd()

export const tableHead = () =>
  `${line(['work', 'min ms', 'median', 'against', 'min ms', 'result', 'target', 'met'])}\n${'-'.repeat(154)}`

/** The lines of one case; its name and our time stand on the first. */
export function tableRows(name, claims) {
  const rows = claims.map((claim, i) => line([
    i === 0 ? name : '',
    claim.ours ? digits(claim.ours.min) : '',
    claim.ours ? digits(claim.ours.median) : '',
    claim.against,
    claim.theirs ? digits(claim.theirs.min) : '',
    figure(claim),
    goal(claim),
    verdict(claim)
  ]))
  return rows.join('\n')
}

export const sideLines = stats =>
  Object.entries(stats).map(([name, { min, median, runs }]) =>
    `    ${name}: ${digits(min)} ms, median ${digits(median)}, ${runs} runs`).join('\n')

/** The commit measured, with a '+' when the library differs from it. */
function commit() {
  const options = { cwd: fileURLToPath(new URL('..', results)), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
  const git = (...args) => execFileSync('git', args, options).trim()
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '--', '../../src') ? '+' : '')
  } catch {
    return 'unknown'
  }
}

const HEAD = [
  'date', 'commit', 'cpu', 'cores', 'engine', 'variant', 'seconds', 'work', 'against',
  'min_ms', 'median_ms', 'their_min_ms', 'their_median_ms', 'result', 'unit', 'target', 'met'
]

const quoted = cell => (/[",]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell)
const csvLine = cells => `${cells.map(cell => quoted(cell ?? '')).join(',')}\n`
const short = value => (value === undefined ? '' : Number(value.toPrecision(4)))

/** Appends the claims of a case to the file of this processor and engine. */
export function save({ name, claims }, { variant, seconds, engine }) {
  const cpu = os.cpus()[0]?.model.trim() ?? os.arch()
  const slug = `${cpu}_${engine}`.toLowerCase().replace(/[^a-z0-9._-]+/g, '-')
  const file = new URL(`${slug}.csv`, results)
  mkdirSync(results, { recursive: true })
  if (!existsSync(file)) appendFileSync(file, csvLine(HEAD))
  const machine = [
    new Date().toISOString().slice(0, 16), commit(), cpu, os.cpus().length, engine, variant, seconds
  ]
  const rows = claims.map(claim => csvLine([
    ...machine, name, claim.against, short(claim.ours?.min), short(claim.ours?.median), short(claim.theirs?.min),
    short(claim.theirs?.median), short(claim.value), claim.unit, claim.target, isMet(claim)
  ]))
  appendFileSync(file, rows.join(''))
}
