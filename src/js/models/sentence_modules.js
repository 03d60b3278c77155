import { describe, expect } from '../errors.js'
import { checkFormat, findFile, readJson } from '../files/shards.js'
import { openSource, readText } from '../files/source.js'
import { formatList } from './plan.js'
import { MODES } from './pooling.js'

/**
 * The modules of a folder of sentence-transformers: modules.json lists a model, a pooling and perhaps a normalization,
 * whose files are in folders of their own.
 *
 * @typedef {import('./index.js').Files} Files
 * @typedef {import('./pooling.js').Mode} Mode
 * @typedef {import('./pooling.js').Pooling} Pooling
 * @typedef {{ type: string, path: string }} Entry a module by the name of its class, and its folder
 */

const MODULES = 'modules.json'

/** The settings of a pooling by mode. @type {Record<Mode, string>} */
const SETTINGS = {
  cls: 'pooling_mode_cls_token', max: 'pooling_mode_max_tokens', mean: 'pooling_mode_mean_tokens',
  mean_sqrt_len_tokens: 'pooling_mode_mean_sqrt_len_tokens', lasttoken: 'pooling_mode_lasttoken'
}
const NAMES = /** @type {Mode[]} */ (Object.keys(MODES))

/**
 * The list of modules.
 * @param {string} json @returns {Entry[]}
 */
function parseModules(json) {
  /** @type {any} */ let list
  try {
    list = JSON.parse(json)
  } catch {
    list = undefined
  }
  const isModule = (/** @type {any} */ entry) => typeof entry?.type === 'string' && typeof (entry.path ?? '') === 'string'
  const isList = Array.isArray(list) && list.every(isModule)
  expect(isList, 'format', () => `${MODULES} must be a list of modules with a type and a path, got ${describe(list ?? json)}`)
  return list.map((/** @type {any} */ { type, path = '' }) => ({ type: type.slice(type.lastIndexOf('.') + 1), path }))
}

/**
 * The modes of a pooling.
 * @param {Record<string, any>} config @param {string} path for messages @returns {Mode[]}
 */
function readModes(config, path) {
  const { pooling_mode: named, include_prompt: hasPrompt = true } = config
  const others = Object.keys(config).filter(key => key.startsWith('pooling_mode_') && config[key] === true &&
    !Object.values(SETTINGS).includes(key))
  const isKnown = named === undefined || named === null || NAMES.includes(named)
  expect(isKnown && !others.length, 'format', () => `${path}: ${isKnown ? others.join(', ') : `pooling_mode ${describe(named)}`} ` +
    `is not supported; expected ${NAMES.join(', ')}`)
  expect(hasPrompt === true, 'format', () => `${path}: include_prompt = ${describe(hasPrompt)} is not supported; expected true`)
  // The mean is the class's default.
  const modes = named ? [named] : NAMES.filter(mode => config[SETTINGS[mode]] ?? mode === 'mean')
  expect(modes.length > 0, 'format', () => `${path}: no pooling mode is true`)
  return modes
}

/** @param {string} where @param {Files} files @param {string} path @returns {Generator<any, string, any>} */
function* readFile(where, files, path) {
  const source = yield* openSource(where, path, files[path])
  yield* checkFormat(where, path, source)
  return yield* readText(source)
}

/**
 * Reads the modules of a sentence embedding, if they are among the files; modules.json alone does not make one.
 * @param {Files} files @param {boolean} isIgnored whether the modules after the model are left out
 * @returns {Generator<any, { files: Files, pooling: Pooling | null }, any>} files: those of the model alone
 * @throws {import('../errors.js').GlassformerError} 'format' for modules that are not supported
 */
export function* readSentenceModules(files, isIgnored) {
  const found = findFile(files, MODULES)
  if (found === undefined) return { files, pooling: null }
  const root = found.slice(0, found.length - MODULES.length), json = yield* readFile('models', files, found)
  const entries = parseModules(json), rest = entries.filter(({ type }) => type !== 'Transformer')
  const isOfModule = (/** @type {string} */ path) => rest.some(({ path: folder }) => folder !== '' && path.startsWith(`${root}${folder}/`))
  const own = Object.fromEntries(Object.entries(files).filter(([path]) => !isOfModule(path)))
  if (isIgnored) return { files: own, pooling: null }
  const unsupported = rest.filter(({ type }) => type !== 'Pooling' && type !== 'Normalize').map(({ type }) => type)
  expect(!unsupported.length, 'format', () => `${MODULES}: ${formatList(unsupported)} ${unsupported.length > 1 ? 'are' : 'is'} not ` +
    'supported; expected Transformer, Pooling and Normalize; models.load(files, { ignoreHead: true }) loads the model alone')
  const types = entries.map(({ type }) => type).join(', ')
  expect(/^Transformer(, Pooling(, Normalize)?)?$/.test(types), 'format', () => `${MODULES}: a Transformer, a Pooling and perhaps a ` +
    `Normalize are expected in this order, got ${types || 'none'}`)
  const [pooling, normalize] = rest, path = `${pooling?.path}/config.json`
  if (!pooling || !Object.hasOwn(files, root + path)) return { files: own, pooling: null }
  const text = yield* readFile('models', files, root + path)
  const config = /** @type {Record<string, any>} */ (yield* readJson('models', { [path]: text }, 'config.json'))
  const saved = { [MODULES]: withModelAtRoot(json), [path]: text }
  const isNormalized = normalize !== undefined
  return { files: own, pooling: { modes: readModes(config, path), isNormalized, files: saved } }
}

/** modules.json with the model in the outermost folder, where it is saved. @param {string} json */
const withModelAtRoot = json => `${JSON.stringify(JSON.parse(json).map((/** @type {any} */ entry) => (
  entry.type.endsWith('.Transformer') || entry.type === 'Transformer' ? { ...entry, path: '' } : entry)), null, 2)}\n`
