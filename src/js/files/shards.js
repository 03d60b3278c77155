import { GlassformerError, describe, expect } from '../errors.js'
import { detectSourceFormat } from './format.js'
import { readHeader } from './header.js'
import { parseObject } from './json.js'
import { openSource, readText } from './source.js'

const INDEX = 'model.safetensors.index.json'

/** The last part of a path. @param {string} name */
export const baseName = name => name.slice(name.lastIndexOf('/') + 1)

/** @param {string} path */
const depthOf = path => path.split('/').length

/**
 * The path of a file by its name. Of several, the one in the outermost folder: inner folders contain other variants of
 * a model.
 * @param {Record<string, unknown>} files @param {string} name @returns {string | undefined}
 */
export const findFile = (files, name) => Object.keys(files).filter(path => baseName(path) === name)
  .reduce((/** @type {string | undefined} */ best, path) => (
    best === undefined || depthOf(path) < depthOf(best) ? path : best), undefined)

/**
 * Refuses a file in another format than its name says, such as a Git LFS pointer or a web page.
 * @param {string} where @param {string} path @param {import('./source.js').Source} source
 * @param {(head: Uint8Array, size: number) => string | null} [recognize] detects other formats
 */
export function* checkFormat(where, path, source, recognize) {
  const otherFormat = yield* detectSourceFormat(source, recognize)
  expect(!otherFormat, 'format', () => `${where}: ${path} ${otherFormat}`)
}

/**
 * Reads a JSON file, or returns undefined if there is none.
 * @param {string} where @param {Record<string, unknown>} files @param {string} name
 * @returns {Generator<any, Record<string, any> | undefined, any>}
 */
export function* readJson(where, files, name) {
  const path = findFile(files, name)
  if (path === undefined) return undefined
  const content = files[path], source = yield* openSource(where, path, content)
  yield* checkFormat(where, path, source)
  expect(typeof content !== 'string' || /[{[]/.test(content) || content.length > 1000, 'format',
    () => `${where}: ${path} must be the contents of the file, got ${describe(content)}, which looks like a path; ` +
      'read the file first, with await readFile(path) or fetch')
  return parseObject(`${where}: ${path}`, yield* readText(source))
}

/**
 * The paths of the shards that an index lists.
 * @param {Record<string, unknown>} files @param {Record<string, any>} index
 */
function findShards(files, index) {
  const map = index.weight_map, isMap = map !== null && typeof map === 'object'
  expect(isMap && Object.values(map).every(name => typeof name === 'string'), 'format',
    () => `${INDEX}: weight_map must be an object of file names, got ${describe(map)}`)
  return [...new Set(Object.values(map))].map(name => {
    const path = findFile(files, name)
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
 * The header of one file; errors mention its name.
 * @param {string} where @param {string} name @param {unknown} value
 * @returns {Generator<any, import('./header.js').Header, any>}
 */
function* readNamedHeader(where, name, value) {
  try {
    return yield* readHeader(yield* openSource(where, name, value))
  } catch (error) {
    if (!(error instanceof GlassformerError)) throw error
    throw new GlassformerError(error.code, error.message.replace(/^safetensors:/, `${where}: ${name}:`))
  }
}

/**
 * The merged headers of a model's safetensors files: a single file, or shards with their index.
 * @param {string} where @param {Record<string, unknown>} files
 * @returns {Generator<any, import('./header.js').Header, any>}
 * @throws {import('../errors.js').GlassformerError} 'format' if a tensor is in two files or not in the one of the index
 */
export function* openModelFiles(where, files) {
  const index = yield* readJson(where, files, INDEX)
  const names = index ? findShards(files, index) : Object.keys(files).filter(name => name.endsWith('.safetensors'))
  expect(names.length > 0, 'format',
    () => `${where}: none of the files is called *.safetensors: ${Object.keys(files).join(', ')}`)
  /** @type {import('./header.js').Header} */ const all = { entries: new Map(), metadata: {} }
  for (const name of names) {
    const { entries, metadata } = yield* readNamedHeader(where, name, files[name])
    Object.assign(all.metadata, metadata)
    for (const [key, entry] of entries) {
      const known = all.entries.get(key)
      expect(!known, 'format', () => `${where}: ${key} is in ${known?.source.name} and in ${name}`)
      all.entries.set(key, entry)
    }
  }
  if (index) checkIndex(all.entries, index.weight_map)
  return all
}
