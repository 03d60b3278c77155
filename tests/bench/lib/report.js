// Prints the results as a table and appends them to a CSV file.
import { isMet } from './claims.js'
import { appendTo, fileOf, machine } from './record.js'

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

/** The lines of one case; the first has its name. */
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

const HEAD = [
  'date', 'commit', 'cpu', 'cores', 'engine', 'variant', 'seconds', 'work', 'against',
  'min_ms', 'median_ms', 'their_min_ms', 'their_median_ms', 'result', 'unit', 'target', 'met'
]

/** Appends the claims of a case to the file of this processor and engine. */
export function save({ name, claims }, { variant, seconds, engine }) {
  const where = [...machine(engine), variant, seconds]
  appendTo(fileOf(engine), HEAD, claims.map(claim => [
    ...where, name, claim.against, claim.ours?.min, claim.ours?.median, claim.theirs?.min, claim.theirs?.median,
    claim.value, claim.unit, claim.target, isMet(claim)
  ]))
}
