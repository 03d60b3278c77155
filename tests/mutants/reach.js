// What a test reaches: a change elsewhere cannot make it red. V8 says which JavaScript was executed, range by range,
// and calls.js which kernels were called; what these call in turn is read from their objects.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'

const NM = (process.env.EMCC ?? 'emcc').replace(/emcc$/, 'emnm')
const CALLS = new URL('calls.js', import.meta.url).href
/** Workers are stopped before V8 has written what they executed. */
const IN_WORKERS = /^src\/js\/threads\//

/** @typedef {{ startOffset: number, endOffset: number, count: number }} Range */

/** Whether the innermost range around a place was executed. @param {Range[]} ranges */
function isExecuted(ranges, offset) {
  let inner = null
  for (const one of ranges) {
    if (one.startOffset > offset || offset >= one.endOffset) continue
    if (!inner || one.endOffset - one.startOffset <= inner.endOffset - inner.startOffset) inner = one
  }
  return inner !== null && inner.count > 0
}

/** Of the objects of a copy: which source has a function, and which functions a source calls. */
function objectsOf(objects) {
  const definedIn = new Map(), uses = new Map()
  for (const [source, object] of objects) {
    const lines = execFileSync(NM, [object], { encoding: 'utf8' }).split('\n')
    uses.set(source, lines.flatMap(line => line.match(/ U (\w+)$/)?.[1] ?? []))
    for (const line of lines) {
      const name = line.match(/ [TWDBV] (\w+)$/)?.[1]
      if (name) definedIn.set(name, source)
    }
  }
  return { definedIn, uses }
}

/**
 * @param {string} at the copy in which tests run
 * @param {Map<string, string>} objects of each source of the kernels
 * @param {(file: string) => string[]} madeFrom the sources that include a file, and itself
 */
export function watch(at, objects, madeFrom) {
  const { definedIn, uses } = objectsOf(objects)

  /** Every source that is reached from some functions. @param {Iterable<string>} names */
  function sourcesBehind(names) {
    const reached = new Set(), left = [...names]
    for (let name; (name = left.pop()) !== undefined;) {
      const source = definedIn.get(name)
      if (!source || reached.has(source)) continue
      reached.add(source)
      left.push(...uses.get(source))
    }
    return reached
  }

  /**
   * Calls `use` with the environment that makes a test of Node say what it reaches.
   * @template T @param {(env: Record<string, string>) => T} use
   * @returns {{ result: T, reaches: (file: string, offset: number, length: number) => boolean }}
   */
  return function reached(use) {
    const folder = mkdtempSync(`${tmpdir()}/reach-`)
    try {
      const result = use({ NODE_V8_COVERAGE: folder, NODE_OPTIONS: `--import=${CALLS}` })
      /** @type {Map<string, Range[][]>} ranges of a file, a list for each process */
      const executed = new Map(), called = new Set()
      for (const name of readdirSync(folder)) {
        const said = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))
        if (Array.isArray(said)) said.forEach(one => called.add(one))
        else for (const { url, functions } of said.result) {
          executed.set(url, [...executed.get(url) ?? [], functions.flatMap(({ ranges }) => ranges)])
        }
      }
      const behind = sourcesBehind(called)
      const reaches = (file, offset, length) => {
        if (/\.[ch]$/.test(file)) return madeFrom(file).some(source => behind.has(source))
        if (IN_WORKERS.test(file)) return true
        // The right side of && begins at the sign for V8: what stands before it decides whether it is evaluated.
        return (executed.get(`${pathToFileURL(at)}${file}`) ?? []).some(ranges => (
          [offset - 1, offset, offset + length].some(place => isExecuted(ranges, place))))
      }
      return { result, reaches }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
