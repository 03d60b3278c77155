// Mutants: places of src/c and src/js, changed one at a time in a copy, and whether a test of Node goes red.
//
//     node tests/mutants/sources.js [--seed 1] [--count 60] [--of src/c/ops] [--only src/js/optim/sgd.js:25]
//     … --only, once or more, selects a line, or one place in it: src/js/optim/sgd.js:25:1
//     node tests/mutants/sources.js --known     the faults of known.js, all of which were once not seen
//     … --near   runs only the tests of the same area: a quick look for places worth a test, whose rate says little
//
// Draws its places from the seed, so that a report can be made again. Tests run one file at a time, the nearest
// first, of those that reach the place (reach.js); the first red one ends it, mostly after a second. Where a test takes
// several times as long as without the change, that is said: killed by time. A survivor either lacks a test or computes
// the same, such as x <= 0 for x < 0 in a ReLU.
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createRandom } from '../../src/training/models/random.js'
import { createCopy, filesBelow, ROOT } from './copies.js'
import { KNOWN } from './known.js'
import { watch } from './reach.js'
import { run, trialsFor } from './trials.js'

const { values: given } = parseArgs({ options: {
  seed: { type: 'string', default: '1' }, count: { type: 'string', default: '60' },
  of: { type: 'string', multiple: true, default: ['src'] }, only: { type: 'string', multiple: true, default: [] },
  known: { type: 'boolean', default: false }, near: { type: 'boolean', default: false }
} })

/** What is exchanged: a pattern, and what is put there. @type {[RegExp, string][]} */
const RULES = [
  [/(?<=[\w)\]] )\+(?= [\w(])/g, '-'], [/(?<=[\w)\]] )-(?= [\w(])/g, '+'], [/(?<=[\w)\]] )\*(?= [\w(])/g, '/'],
  [/(?<=[\w)\]] )\/(?= [\w(])/g, '*'], [/ < /g, ' <= '], [/ > /g, ' >= '], [/ <= /g, ' < '], [/ >= /g, ' > '],
  [/ ===? /g, ' != '], [/ !==? /g, ' == '], [/ && /g, ' || '], [/ \|\| /g, ' && '], [/ \+= /g, ' = '], [/ -= /g, ' += '],
  [/(?<![\w.])0(?![\w.])/g, '1'], [/(?<![\w.])1(?![\w.])/g, '2'], [/\btrue\b/g, 'false'], [/\bfalse\b/g, 'true'],
  [/\bMath\.max\b/g, 'Math.min'], [/\bMath\.min\b/g, 'Math.max'], [/ % /g, ' * '], [/ \?\? (?=\w)/g, ' && ']
]
/** Code that only speaks: comments, and lines that make a message. @param {string} line */
const isSilent = line => /^\s*(\/?\*|\/\/|#|import|export \{)|@|`|formula|label|throw/.test(line) || /'[^']*'/.test(line)

/** A line without the comment at its end. @param {string} line */
const codeOf = line => line.replace(/\s(\/\/ |\/\*).*|^[^/]*\*\/\s*$/, '')

/** All places of a file that can be changed: [line, column, length, replacement]. @param {string} text */
const placesIn = text => text.split('\n').flatMap((line, row) => (isSilent(line) ? [] : RULES.flatMap(([pattern, to]) => (
  Array.from(codeOf(line).matchAll(pattern), ({ index, 0: found }) => ({ row, index, found, to }))))))

const sources = [...filesBelow(`${ROOT}src/c`, '.c'), ...filesBelow(`${ROOT}src/c`, '.h'), ...filesBelow(`${ROOT}src/js`, '.js')]
  .filter(path => !path.includes('/src/c/blocks/'))
  .map(path => path.slice(ROOT.length)).filter(path => given.of.some(one => path.startsWith(one)))
  // Read by nobody in Node's tests of the sources: the bundle has its own.
  .filter(path => !/wasm\/|kernels\.js/.test(path))

const all = sources.flatMap(file => placesIn(readFileSync(ROOT + file, 'utf8')).map((place, n) => ({ file, n, ...place })))
const draw = createRandom(Number(given.seed))
const name = ({ file, row, n }) => `${file}:${row + 1}:${n}`
const isRequested = one => given.only.some(part => `${name(one)}:`.startsWith(`${part}:`))

/** A fault of the list as a place. */
function placeOf([file, found, to]) {
  const [before, ...after] = readFileSync(ROOT + file, 'utf8').split(found), lines = before.split('\n')
  if (!after.length) throw new Error(`${file} has no ${found}`)
  return { file, n: 'known', row: lines.length - 1, index: lines.at(-1).length, found, to }
}
const drawn = () => Array.from({ length: Number(given.count) }, () => all.splice(draw.below(all.length), 1)[0])
  .filter(Boolean)
const chosen = given.known ? KNOWN.map(placeOf).filter(({ file }) => given.of.some(one => file.startsWith(one)))
  : given.only.length ? all.filter(isRequested) : drawn()

const { copyFolder, withChange, objects, madeFrom } = createCopy('sources', ['src', 'tests', 'web'])
for (const name of ['threads', 'blocks', 'blocks.threads']) {
  cpSync(`${ROOT}dist/glassformer.${name}.wasm`, `${copyFolder}dist/glassformer.${name}.wasm`)
}
/** A copy that stays unchanged: here each test has to pass, and its duration is measured. */
const baselineFolder = copyFolder.replace(/sources\/$/, 'baseline/')
rmSync(baselineFolder, { recursive: true, force: true })
cpSync(copyFolder, baselineFolder, { recursive: true })

const reached = watch(baselineFolder, objects, madeFrom)
/** @type {Map<string, { time: number, reaches: (file: string, offset: number, length: number) => boolean }>} the
 * milliseconds of each test without a change, and what it reaches */
const baselines = new Map()
/** @param {import('./trials.js').Trial} trial */
function baselineOf(trial) {
  if (!baselines.has(trial.name)) {
    const { result, reaches } = trial.isNode ? reached(env => run(trial, baselineFolder, 600000, env))
      : { result: run(trial, baselineFolder, 600000), reaches: () => true }
    if (result.isRed) throw new Error(`red without any change: ${trial.name}`)
    baselines.set(trial.name, { time: result.time, reaches })
  }
  return baselines.get(trial.name)
}

/** How long a test may take: five times of what it takes without a change, and a breath more on a busy machine. */
const limitOf = trial => Math.ceil(5 * baselineOf(trial).time + 3000)
const seconds = time => `${(time / 1000).toFixed(1)} s`

/** The first test that goes red, or that the change makes endless; null where none does. */
function killer({ file, offset, found }) {
  const known = trial => baselines.get(trial.name)?.time ?? 0
  for (const group of trialsFor(file, copyFolder, given.near)) {
    for (const trial of group.sort((one, other) => known(one) - known(other))) {
      if (!baselineOf(trial).reaches(file, offset, found.length)) continue
      const { isRed, isLate, time } = run(trial, copyFolder, limitOf(trial))
      if (isLate) return `by time: ${trial.name} stopped after ${seconds(time)}, green in ${seconds(known(trial))}`
      if (isRed) return trial.name
    }
  }
  return null
}

const survivors = [], begin = performance.now()
let killed = 0, late = 0
for (const mutant of chosen) {
  const { file, row, index, found, to } = mutant, start = performance.now()
  let line, offset
  const by = withChange(file, text => {
    const lines = text.split('\n')
    line = lines[row].trim()
    offset = lines.slice(0, row).join('\n').length + (row && 1) + index
    lines[row] = lines[row].slice(0, index) + to + lines[row].slice(index + found.length)
    return lines.join('\n')
  }, () => killer({ file, offset, found }), () => 'the compiler')
  const what = `${line} [${found.trim()} -> ${to.trim()}]`
  if (by) killed += 1
  else survivors.push(`${name(mutant)}  ${what}`)
  if (by?.startsWith('by time')) late += 1
  const verdict = by ? `killed    ${by}` : 'SURVIVED '
  console.log(`${verdict}  ${name(mutant)}  ${what}  ${seconds(performance.now() - start)}`)
}
console.log(`${given.known ? 'known' : `seed ${given.seed}`}: ${chosen.length} mutants of ${all.length + chosen.length} places, ` +
  `${killed} killed (${(100 * killed / chosen.length).toFixed(1)} %), ${late} of them by time; ` +
  `${seconds((performance.now() - begin) / chosen.length)} each`)
for (const one of survivors) console.log(`  ${one}`)
