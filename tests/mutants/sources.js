// Mutants: places of src/c and src/js, changed one at a time in a copy, and whether a test of Node goes red.
//
//     node tests/mutants/sources.js [--seed 1] [--count 60] [--of src/c/ops] [--only 'src/js/optim/sgd.js:25:1']
//     node tests/mutants/sources.js --known     the faults of known.js, all of which were once not seen
//
// Draws its places from the seed, so that a report can be made again. Single-threaded; a mutant takes from one second
// to a minute, and a survivor the longest. Survivors that no test can kill are listed with a reason in equivalent.js.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { drawFrom } from '../../web/models/draw.js'
import { createCopy, filesBelow, ROOT } from './copies.js'
import { EQUIVALENT } from './equivalent.js'
import { KNOWN } from './known.js'

const { values: given } = parseArgs({ options: {
  seed: { type: 'string', default: '1' }, count: { type: 'string', default: '60' },
  of: { type: 'string', default: 'src' }, only: { type: 'string', default: '' },
  known: { type: 'boolean', default: false }
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
  .map(path => path.slice(ROOT.length)).filter(path => path.startsWith(given.of))
  // Read by nobody in Node's tests of the sources: the command and the bundle have their own.
  .filter(path => !/cli|wasm\/|kernels\.js/.test(path))

const all = sources.flatMap(file => placesIn(readFileSync(ROOT + file, 'utf8')).map((place, n) => ({ file, n, ...place })))
const draw = drawFrom(Number(given.seed))
const name = ({ file, row, n }) => `${file}:${row + 1}:${n}`

/** A fault of the list as a place. */
function placeOf([file, found, to]) {
  const [before, ...after] = readFileSync(ROOT + file, 'utf8').split(found), lines = before.split('\n')
  if (!after.length) throw new Error(`${file} has no ${found}`)
  return { file, n: 'known', row: lines.length - 1, index: lines.at(-1).length, found, to }
}
const drawn = () => Array.from({ length: Number(given.count) }, () => all.splice(draw.below(all.length), 1)[0])
  .filter(Boolean)
const chosen = given.known ? KNOWN.map(placeOf).filter(({ file }) => file.startsWith(given.of))
  : given.only ? all.filter(one => name(one) === given.only) : drawn()

/** Which tests look at a part of the sources, the nearest first. @type {[RegExp, string[]][]} */
const AREAS = [
  [/\/text\//, ['text', 'models']], [/src\/js\/(models|files)|safetensors/, ['models', '.', 'nn']],
  [/optim/, ['optim', 'nn', '.']], [/export/, ['export']], [/decoding/, ['decoding', 'models']],
  [/random|creation|init/, ['.', 'reference', 'nn', 'optim']], [/\/nn\//, ['nn', 'models', 'export', '.']],
  [/./, ['ops', '.', 'nn', 'optim', 'models', 'decoding', 'export']]
]
/** Not asked; threads compares two builds, of which only one has the change. */
const SKIPPED = /^(package|examples|cli|cli_models|imports|lib|threads)\.test/

/** @param {string} file @returns {string[][]} groups of test files, asked one after the other */
function testsFor(file) {
  const stem = file.replace(/.*\/|\.\w+$/g, '')
  const [, folders] = AREAS.find(([pattern]) => pattern.test(file))
  const groups = folders.map(folder => readdirSync(`${ROOT}tests/${folder}`)
    .filter(one => one.endsWith('.test.js') && !SKIPPED.test(one)).map(one => `tests/${folder}/${one}`))
  const near = groups.flat().filter(one => one.includes(`/${stem}`))
  return [near, ...groups].filter(group => group.length)
}

const { at, changed } = createCopy('sources', ['src', 'tests', 'web'])
const green = new Set()
/** Whether the native test of the elementary functions goes red: it asks for what no operation does. */
function isWrongMath() {
  const flags = ['-std=gnu11', '-O1', '-ffp-contract=off', 'tests/native/math_test.c', 'src/c/math.c', '-lm', '-o', 'math_test']
  execFileSync(process.env.CLANG ?? 'clang', flags, { cwd: at })
  return spawnSync(`${at}math_test`).status !== 0
}

/** What the native tests run under sanitizers: whether they find something that shows in no number. */
const isUnsafe = () => ['digest', 'text_test'].some(program => {
  const flags = ['-std=gnu11', '-O1', '-ffp-contract=off', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']
  const all = filesBelow(`${at}src/c`, '.c').map(path => path.slice(at.length))
  execFileSync(process.env.CLANG ?? 'clang', [...flags, ...all, `tests/native/${program}.c`, '-lm', '-o', program], { cwd: at })
  return spawnSync(`${at}${program}`).status !== 0
})

/** The first group that goes red, or null. @param {string} file */
function killer(file) {
  if (/src\/c\/math\./.test(file) && isWrongMath()) return 'tests/native/math_test.c'
  for (const group of testsFor(file)) {
    const there = group.filter(one => existsSync(at + one))
    const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=1', ...there],
      { cwd: at, timeout: 600000, killSignal: 'SIGKILL', stdio: 'ignore' })
    if (status !== 0) return `${group[0]} …`
  }
  return /\.[ch]$/.test(file) && isUnsafe() ? 'tests/native' : null
}

/** Whether the tests are green without a change; else nothing could be said. @param {string} file */
function expectGreen(file) {
  const key = JSON.stringify(testsFor(file).slice(1))
  if (green.has(key)) return
  const red = killer(file)
  if (red) throw new Error(`red without any change: ${red}`)
  green.add(key)
}

const survivors = []
let killed = 0, equal = 0
for (const mutant of chosen) {
  const { file, row, index, found, to } = mutant
  expectGreen(file)
  let line
  const by = changed(file, text => {
    const lines = text.split('\n')
    line = lines[row].trim()
    lines[row] = lines[row].slice(0, index) + to + lines[row].slice(index + found.length)
    return lines.join('\n')
  }, () => killer(file), () => 'the compiler')
  const reason = EQUIVALENT[`${file}: ${line} [${found.trim()} -> ${to.trim()}]`]
  if (by) killed += 1
  else if (reason) equal += 1
  else survivors.push(`${name(mutant)}  ${line}  [${found.trim()} -> ${to.trim()}]`)
  console.log(by ? `killed    ${by}` : reason ? `equal     ${reason}` : 'SURVIVED ', `${name(mutant)}  ${line}  [${found.trim()} -> ${to.trim()}]`)
}
const counted = killed + survivors.length
console.log(`${given.known ? 'known' : `seed ${given.seed}`}: ${chosen.length} mutants of ${all.length + chosen.length} places, ${equal} equivalent, ` +
  `${killed} of ${counted} killed (${(100 * killed / counted).toFixed(1)} %)`)
for (const one of survivors) console.log(`  ${one}`)
