import { GlassformerError, describe, expect } from '../errors.js'
import { foreignSource } from './foreign.js'
import { readHeader } from './header.js'
import { parseObject } from './json.js'
import { sourceOf, textOf } from './source.js'

const INDEX = 'model.safetensors.index.json'

/** The last part of a path. @param {string} name */
export const baseName = name => name.slice(name.lastIndexOf('/') + 1)

/** @param {string} path */
const depthOf = path => path.split('/').length

/**
 * The file of a name, wherever it lies; of several the one that lies highest: folders within hold other forms of a
 * model.
 * @param {Record<string, unknown>} files @param {string} name @returns {string | undefined}
 */
export const fileCalled = (files, name) => Object.keys(files).filter(path => baseName(path) === name)
  .reduce((/** @type {string | undefined} */ best, path) => (
    best === undefined || depthOf(path) < depthOf(best) ? path : best), undefined)

/**
 * Refuses what is something else than its name says, such as a pointer of Git LFS or a web page.
 * @param {string} where @param {string} path @param {import('./source.js').Source} source
 * @param {(head: Uint8Array, size: number) => string | null} [recognize] what else it may be
 */
export function* expectOwn(where, path, source, recognize) {
  const foreign = yield* foreignSource(source, recognize)
  expect(!foreign, 'format', () => `${where}: ${path} ${foreign}`)
}

/**
 * A file of JSON, or undefined where there is none.
 * @param {string} where @param {Record<string, unknown>} files @param {string} name
 * @returns {Generator<any, Record<string, any> | undefined, any>}
 */
export function* readJson(where, files, name) {
  const path = fileCalled(files, name)
  if (path === undefined) return undefined
  const content = files[path], source = yield* sourceOf(where, path, content)
  yield* expectOwn(where, path, source)
  expect(typeof content !== 'string' || /[{[]/.test(content) || content.length > 1000, 'format',
    () => `${where}: ${path} must be the contents of the file, got ${describe(content)}, which looks like a path; ` +
      'read the file first, with await readFile(path) or fetch')
  return parseObject(`${where}: ${path}`, yield* textOf(source))
}

/**
 * The files that an index names, and those that hold every tensor by it.
 * @param {Record<string, unknown>} files @param {Record<string, any>} index
 */
function shardsOf(files, index) {
  const map = index.weight_map, isMap = map !== null && typeof map === 'object'
  expect(isMap && Object.values(map).every(name => typeof name === 'string'), 'format',
    () => `${INDEX}: weight_map must be an object of file names, got ${describe(map)}`)
  return [...new Set(Object.values(map))].map(name => {
    const path = fileCalled(files, name)
    expect(path !== undefined, 'format', () => `${INDEX}: ${name} is not among the files`)
    return path
  })
}

/** @param {Map<string, import('./header.js').Entry>} entries @param {Record<string, string>} map */
function checkIndex(entries, map) {
  for (const [name, file] of Object.entries(map)) {
    const found = entries.get(name)?.source.name
    expect(found !== undefined && baseName(found) === file, 'format',
      () => `${INDEX}: ${name} should be in ${file}, but is ${found === undefined ? 'missing' : `in ${found}`}`)
  }
}

/**
 * The header of one file, whose name stands in what is wrong with it.
 * @param {string} where @param {string} name @param {unknown} value
 * @returns {Generator<any, import('./header.js').Header, any>}
 */
function* headerOf(where, name, value) {
  try {
    return yield* readHeader(yield* sourceOf(where, name, value))
  } catch (error) {
    if (!(error instanceof GlassformerError)) throw error
    throw new GlassformerError(error.code, error.message.replace(/^safetensors:/, `${where}: ${name}:`))
  }
}

/**
 * The headers of a model's safetensors files as one: a single file, or shards with their index.
 * @param {string} where @param {Record<string, unknown>} files
 * @returns {Generator<any, import('./header.js').Header, any>}
 * @throws {import('../errors.js').GlassformerError} 'format' when a tensor is in two files or not where the index says
 */
export function* openModelFiles(where, files) {
  const index = yield* readJson(where, files, INDEX)
  const names = index ? shardsOf(files, index) : Object.keys(files).filter(name => name.endsWith('.safetensors'))
  expect(names.length > 0, 'format',
    () => `${where}: none of the files is called *.safetensors: ${Object.keys(files).join(', ')}`)
  /** @type {import('./header.js').Header} */ const all = { entries: new Map(), metadata: {} }
  for (const name of names) {
    const { entries, metadata } = yield* headerOf(where, name, files[name])
    Object.assign(all.metadata, metadata)
    for (const [key, entry] of entries) {
      const held = all.entries.get(key)
      expect(!held, 'format', () => `${where}: ${key} is in ${held?.source.name} and in ${name}`)
      all.entries.set(key, entry)
    }
  }
  if (index) checkIndex(all.entries, index.weight_map)
  return all
}
