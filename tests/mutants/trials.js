// Which tests run for a changed source, in which order, and for how long.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { filesBelow, ROOT } from './copies.js'

const CLANG = process.env.CLANG ?? 'clang'
const FLAGS = ['-std=gnu11', '-O1', '-ffp-contract=off']
const EMCC = process.env.EMCC ?? 'emcc'
const WASM_FLAGS = ['-std=gnu11', '-O1', '-ffp-contract=off', '-msimd128', '--no-entry', '-sSTANDALONE_WASM',
  '-sALLOW_MEMORY_GROWTH']
const SANITIZERS = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all']
/** Objects under sanitizers, each by a hash of what it is made from, so that a change compiles what it changes. */
const OBJECTS = `${ROOT}build/mutants/objects/`

/** The folders of tests, those that look at a part of the sources first. @type {[RegExp, string[]][]} */
const AREAS = [
  [/\/text\//, ['text', 'models']], [/src\/js\/(models|files)|safetensors/, ['models', '.', 'nn']],
  [/optim/, ['optim', 'nn', '.']], [/export/, ['export']], [/decoding/, ['decoding', 'models']],
  [/random|creation|init/, ['.', 'reference', 'nn', 'optim']], [/\/nn\//, ['nn', 'models', 'export', '.']], [/./, ['ops', '.']]
]
const FOLDERS = ['ops', '.', 'nn', 'optim', 'models', 'decoding', 'export', 'reference', 'text', 'mistakes']
/** Not run: they look at what is built, or at imports. */
const SKIPPED = /^(package|examples|cli|cli_models|imports|lib)\.test/
/** Compares two builds of the kernels, of which only one has a change of C. */
const COMPARES = 'tests/threads.test.js'

const testsIn = (at, folder) => readdirSync(`${at}tests/${folder}`)
  .filter(one => one.endsWith('.test.js') && !SKIPPED.test(one))
  .map(one => (folder === '.' ? `tests/${one}` : `tests/${folder}/${one}`))

/**
 * What is run in a copy.
 * @typedef {{ name: string, isNode?: boolean, prepare?: (at: string) => void,
 *   command: (at: string) => string[] }} Trial
 */

/** @param {string} name @returns {Trial} */
const nodeTest = name => ({ name, command: () => [process.execPath, name], isNode: true })

const clang = (at, ...words) => execFileSync(CLANG, [...FLAGS, ...words], { cwd: at, stdio: 'pipe' })

/** A kernel source under sanitizers. @param {string} at @param {string} source @param {string} headers their texts */
function objectOf(at, source, headers) {
  const hash = createHash('sha256').update(readFileSync(source, 'utf8') + headers).digest('hex')
  const object = `${OBJECTS}${hash}.o`
  mkdirSync(OBJECTS, { recursive: true })
  if (!existsSync(object)) clang(at, ...SANITIZERS, '-c', source, '-o', object)
  return object
}

/** Asks for what no operation does; under sanitizers, which find what shows in no number. @type {Trial} */
const MATH = {
  name: 'tests/native/math_test.c',
  prepare: at => clang(at, ...SANITIZERS, 'tests/native/math_test.c', 'src/c/math.c', '-lm', '-o', 'math_test'),
  command: at => [`${at}math_test`]
}
/** What a program is linked with beside the kernels. @type {Record<string, string[]>} */
const WITH = { allocation_test: ['malloc', 'calloc', 'realloc', 'free'].map(name => `-Wl,--wrap=${name}`) }
/** Under sanitizers, too. @type {Trial[]} */
const UNSAFE = ['digest', 'text_test', 'allocation_test'].map(program => ({
  name: `tests/native/${program}.c`,
  prepare: at => {
    const headers = filesBelow(`${at}src/c`, '.h').map(path => readFileSync(path, 'utf8')).join('')
    const objects = filesBelow(`${at}src/c`, '.c').map(source => objectOf(at, source, headers))
    clang(at, ...SANITIZERS, ...WITH[program] ?? [], `tests/native/${program}.c`, ...objects, '-lm', '-o', program)
  },
  command: at => [`${at}${program}`]
}))
/** What native code has in the place of SIMD must give the bits of WebAssembly. @type {Trial} */
const SAME_BITS = {
  name: 'tests/native: the digests',
  prepare: at => {
    UNSAFE[0].prepare(at)
    const kernels = filesBelow(`${at}objects`, '.o')
    execFileSync(EMCC, [...WASM_FLAGS, 'tests/native/digest.c', ...kernels, '-o', 'digest.wasm'], { cwd: at, stdio: 'pipe' })
  },
  command: at => [process.execPath, `${at}tests/mutants/same_bits.js`, `${at}digest`, `${at}digest.wasm`]
}

/**
 * The tests of a file in groups, the nearest first; within a group the caller runs the cheapest first.
 * @param {string} file @param {string} at the copy they run in
 * @param {boolean} [onlyNear] leaves out what is of another area @returns {Trial[][]}
 */
export function trialsFor(file, at, onlyNear = false) {
  const stem = file.replace(/.*\/|\.\w+$/g, ''), isC = /\.[ch]$/.test(file)
  const [, near] = AREAS.find(([pattern]) => pattern.test(file))
  const groups = [...new Set([...near, ...onlyNear ? [] : FOLDERS])]
    .map(folder => testsIn(at, folder).filter(one => !(isC && one === COMPARES)))
  const isNear = one => one.includes(`/${stem}`) || file.includes(`/${one.replace(/.*\/|\.test\.js$/g, '')}/`)
  return [
    /src\/c\/math\./.test(file) ? [MATH] : [],
    groups.flat().filter(isNear).map(nodeTest),
    ...groups.map(group => group.filter(one => !isNear(one)).map(nodeTest)),
    isC && !onlyNear ? [...UNSAFE, SAME_BITS] : []
  ]
}

/**
 * Runs a trial in a copy.
 * @param {Trial} trial @param {string} at @param {number} limit of milliseconds
 * @param {Record<string, string>} [env] beside what is there
 */
export function run({ prepare, command }, at, limit, env) {
  prepare?.(at)
  const [program, ...words] = command(at), start = performance.now()
  const { status, error } = spawnSync(program, words,
    { cwd: at, timeout: limit, killSignal: 'SIGKILL', stdio: 'ignore', env: { ...process.env, ...env } })
  return { isRed: status !== 0, isLate: error?.code === 'ETIMEDOUT', time: performance.now() - start }
}
