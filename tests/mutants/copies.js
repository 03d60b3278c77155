// A copy of the sources in which one place can be changed, and the kernels built from it.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const EMCC = process.env.EMCC ?? 'emcc'
/** What build.sh refuses is refused here, too. */
const FLAGS = ['-std=gnu11', '-ffp-contract=off', '-Wall', '-Wextra', '-Werror', '-O1', '-msimd128']
const LINK = ['--no-entry', '-sSTANDALONE_WASM', '-sALLOW_MEMORY_GROWTH', '-sMAXIMUM_MEMORY=4GB']

/** All files below a folder with an ending. @param {string} folder @param {string} ending @returns {string[]} */
export const filesBelow = (folder, ending) => readdirSync(folder, { recursive: true })
  .map(name => `${folder}/${name}`).filter(name => name.endsWith(ending)).sort()

/**
 * A copy of the project in `build/mutants/<name>`, with its kernels built file by file so that a change costs one.
 * @param {string} name @param {string[]} folders @param {string[]} [more] flags for the compiler
 */
export function createCopy(name, folders, more = []) {
  const copyFolder = `${ROOT}build/mutants/${name}/`
  rmSync(copyFolder, { recursive: true, force: true })
  mkdirSync(`${copyFolder}objects`, { recursive: true })
  for (const folder of [...folders, 'package.json']) {
    cpSync(`${ROOT}${folder}`, `${copyFolder}${folder}`, { recursive: true, filter: path => !path.includes('node_modules') })
  }
  mkdirSync(`${copyFolder}dist`)
  if (!existsSync(`${copyFolder}node_modules`)) symlinkSync(`${ROOT}node_modules`, `${copyFolder}node_modules`)
  // The kernels for GGUF's blocks are a module of their own, which is not built again.
  const sources = filesBelow(`${copyFolder}src/c`, '.c').filter(path => !path.includes('/src/c/blocks/'))
  const objectOf = source => `${copyFolder}objects/${source.slice(copyFolder.length).replaceAll('/', '_')}.o`
  const wasm = `${copyFolder}dist/glassformer.wasm`
  const compile = source => (
    execFileSync(EMCC, [...FLAGS, ...more, '-MMD', '-c', source, '-o', objectOf(source)], { stdio: 'pipe' }))
  const link = () => execFileSync(EMCC, [...FLAGS, ...LINK, ...sources.map(objectOf), '-o', wasm], { stdio: 'pipe' })
  sources.forEach(compile)
  link()

  /** What each source is made from: itself and headers, as the compiler wrote down. */
  const parts = new Map(sources.map(source => [source,
    readFileSync(objectOf(source).replace(/o$/, 'd'), 'utf8').split(/[\s\\]+/).slice(1).map(path => resolve(path))]))

  /**
   * Builds what a changed file makes other than it was.
   * @param {string} file @returns {() => void} puts back what was built before
   */
  function build(file) {
    const made = madeFrom(file)
    const before = made.length ? [...made.map(objectOf), wasm].map(path => ({ path, bytes: readFileSync(path) })) : []
    const restore = () => before.forEach(({ path, bytes }) => writeFileSync(path, bytes))
    try {
      made.forEach(compile)
      if (made.length) link()
    } catch (error) {
      restore()
      throw error
    }
    return restore
  }
  /**
   * Changes a file, rebuilds what depends on it, calls `use` and restores everything.
   * @param {string} file @param {(text: string) => string} change @param {() => any} use
   * @param {() => any} [refused] called instead of `use` if the compiler rejects the change
   */
  function withChange(file, change, use, refused) {
    const path = `${copyFolder}${file}`, before = readFileSync(path, 'utf8')
    writeFileSync(path, change(before))
    let restore
    try {
      try {
        restore = build(file)
      } catch (error) {
        if (refused) return refused()
        throw error
      }
      return use()
    } finally {
      writeFileSync(path, before)
      restore?.()
    }
  }
  const objects = new Map(sources.map(source => [source, objectOf(source)]))
  /** The sources that a change of a file makes anew. @param {string} file */
  const madeFrom = file => sources.filter(source => parts.get(source).includes(`${copyFolder}${file}`))
  return { copyFolder, withChange, objects, madeFrom }
}
