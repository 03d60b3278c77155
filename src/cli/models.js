import { existsSync, openAsBlob } from 'node:fs'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readHeader } from '../js/files/header.js'
import { settle, openSource } from '../js/files/source.js'
import { sizeOf } from '../js/tensor/shape.js'
import { explainNext, formatExplanation } from './explain.js'
import { UsageError, nameOptions } from './options.js'
import { SMALL_FILES, openRemoteFolder } from '../js/files/remote.js'
import { expectFolderPath, isAddress, isFile, isFolder } from './paths.js'
import { table, width } from './table.js'
import { spelled } from '../training/models/token_text.js'

/**
 * The commands for a model in files: a folder as on Hugging Face's hub, or a single file.
 * @typedef {{ gf: any, path: string, texts: string[], options: Record<string, any>, isJson: boolean,
 *   columns: number }} Request
 */

const MODEL_FILE = /\.(json|txt|safetensors|gguf|GGUF|bin|model|spm)$/
const FOLDER_FILE = /^(config|tokenizer|vocab|merges)|\.(safetensors|gguf|GGUF|bin|model|spm)$/
const WEIGHT_FILE = /\.(safetensors|gguf|GGUF|bin)$/

/** Opens a file of weights as a Blob, reads any other file. @param {string} path */
const readContent = path => (FOLDER_FILE.test(basename(path)) && WEIGHT_FILE.test(path) && !/^tok/.test(basename(path)) ? openAsBlob(path) : readFile(path))

/**
 * The paths of the files of a model by name: those of a folder, or a single file and those beside it except other
 * weights.
 * @param {string} path @returns {Promise<Record<string, string>>}
 */
async function listFiles(path) {
  const isPathFolder = isFolder(path), folder = isPathFolder ? path : join(path, '..')
  if (!isPathFolder && !FOLDER_FILE.test(basename(path))) return { [basename(path)]: path }
  const isPart = (/** @type {string} */ name) => MODEL_FILE.test(name) && isFile(join(folder, name)) &&
    (isPathFolder || name === basename(path) || !WEIGHT_FILE.test(name) || /^tok/.test(name))
  const names = (await readdir(folder)).filter(isPart)
  if (!names.length) throw new UsageError(`the folder '${path}' has no files of a model, such as config.json, ` +
    'model.safetensors or tokenizer.json')
  return Object.fromEntries(names.map(name => [name, join(folder, name)]))
}

/** The files of a model by name, here or on a server. */
async function readFiles(/** @type {string} */ path) {
  if (isAddress(path)) return openRemoteFolder(path, {})
  const files = Object.entries(await listFiles(path))
  return Object.fromEntries(await Promise.all(files.map(async ([name, file]) => [name, await readContent(file)])))
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

/** Formats a size, such as '1.23 MB'. @param {number} bytes */
export function formatBytes(bytes) {
  const at = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${at ? (bytes / 1000 ** at).toPrecision(3) : bytes} ${UNITS[at]}`
}

/** @param {string} title @param {readonly string[]} names */
const formatList = (title, names) => (names.length ? `${title}\n${names.map(name => `  ${name}\n`).join('')}` : '')

/** Reads the header of a safetensors file. @param {string} path */
async function readFileHeader(path) {
  const blob = await openAsBlob(path)
  return settle((function* () { return yield* readHeader(yield* openSource('inspect', 'file', blob)) })())
}

/** Whether a file was saved by `train` or by the page's training theatre. @param {string} path */
async function isTrainingFile(path) {
  return path.endsWith('.safetensors') && isFile(path) && 'training' in (await readFileHeader(path)).metadata
}

/**
 * The files of a model that are not merely beside it, by name: a folder may also hold texts and settings of its owner.
 * @param {string} path @returns {Promise<Record<string, string>>} their paths
 */
export async function listModelFiles(path) {
  if (await isTrainingFile(path)) return { [basename(path)]: path }
  const isOfModel = (/** @type {string} */ name) => SMALL_FILES.includes(name) || name.endsWith('.index.json') || FOLDER_FILE.test(name)
  const files = Object.entries(await listFiles(path)).filter(([name]) => isOfModel(name))
  if (!files.length) throw new UsageError(`'${path}' is no model: expected its folder, or a .safetensors, .gguf or .bin file`)
  return Object.fromEntries(files)
}

/** Lists the tensors of a file of weights without a config.json. @param {Request} request */
async function inspectTensors({ path, isJson, columns }) {
  const { entries, metadata } = /** @type {import('../js/files/header.js').Header} */ (await readFileHeader(path))
  const tensors = [...entries].map(([name, { dtype, shape, from, to }]) => ({ name, dtype, shape, bytes: to - from }))
  const parameters = tensors.reduce((sum, { shape }) => sum + sizeOf(shape), 0)
  const bytes = tensors.reduce((sum, tensor) => sum + tensor.bytes, 0)
  if (isJson) return `${JSON.stringify({ parameters, bytes, metadata, tensors })}\n`
  const rows = tensors.map(({ dtype, shape, bytes: own }) => [dtype, `[${shape.join(', ')}]`, formatBytes(own)])
  const lines = table({
    rowNames: tensors.map(({ name }) => name), columnNames: ['dtype', 'shape', 'size'], cell: (i, j) => rows[i][j],
    cellWidth: j => rows.reduce((n, row) => Math.max(n, width(row[j])), 0)
  }, columns)
  const about = Object.entries(metadata).map(([name, value]) => `${name}: ${value.length > 60 ? `${value.slice(0, 60)}…` : value}`)
  return `${tensors.length} tensors, ${parameters.toLocaleString('en')} numbers, ${formatBytes(bytes)}\n` +
    formatList('metadata', about) + [...lines].map(line => `${line}\n`).join('')
}

/** Describes a model and its problems. @param {Request} request */
async function inspect(request) {
  const { gf, path, isJson } = request, files = await readFiles(path)
  const isTensorFile = path.endsWith('.safetensors') && isFile(path)
  if (isTensorFile && (!('config.json' in files) || await isTrainingFile(path))) return inspectTensors(request)
  const inspection = await gf.models.inspect(files)
  // A script can tell from the exit code that the model cannot be loaded.
  if (inspection.missing.length || inspection.problems.length) process.exitCode = 1
  if (isJson) return `${JSON.stringify(inspection)}\n`
  const { type, parameters, bytes, missing, unused, problems } = inspection
  const head = type ? `${type}: ${parameters.toLocaleString('en')} parameters, ${formatBytes(bytes)} of memory\n` : ''
  return head + formatList('problems', problems) + formatList('missing', missing) + formatList('unused', unused)
}

/**
 * Formats tokens; byte-level tokens are decoded. @param {any} tokenizer
 * @param {any} encoding
 */
const formatPieces = (tokenizer, { ids, tokens }) => Array.from(ids, (id, i) =>
  (tokens[i].startsWith('##') ? tokens[i] : spelled(tokenizer.bytesOf(id))))

/** Encodes texts and prints tokens and ids. @param {Request} request */
async function tokenize({ gf, path, texts, isJson }) {
  const files = await readFiles(path), isText = (/** @type {string} */ name) => !WEIGHT_FILE.test(name) || /^tok/.test(name)
  const textFiles = Object.fromEntries(Object.entries(files).filter(([name]) => isText(name)).map(
    ([name, content]) => [name, /\.(json|txt)$/.test(name) ? String(content) : content]))
  const tokenizer = loadTokenizer(gf, path, textFiles)
  const encodings = texts.map(text => tokenizer.encode(text, { special: true }))
  if (isJson) {
    const withPieces = encodings.map(encoding => ({ ...encoding, pieces: formatPieces(tokenizer, encoding) }))
    return `${JSON.stringify(withPieces)}\n`
  }
  return encodings.map(encoding => `${formatPieces(tokenizer, encoding).join(' | ')}\n${encoding.ids.join(' ')}\n`).join('\n')
}

const TOKENIZER_FILES = 'tokenizer.json, vocab.json and merges.txt, vocab.txt or a .model'

/** @param {any} gf @param {string} path @param {Record<string, any>} files */
function loadTokenizer(gf, path, files) {
  try {
    return gf.text.tokenizer(files)
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'type') throw error // a file is there but malformed
    throw new UsageError(`there is no tokenizer in '${path}' (${TOKENIZER_FILES})`)
  }
}

/** Parses ids from a text, for a model without a tokenizer. @param {string} path @param {string} text */
function parseIds(path, text) {
  const words = text.trim().split(/\s+/)
  if (words.every(word => /^\d+$/.test(word))) return words.map(Number)
  throw new UsageError(`there is no tokenizer in '${path}' (${TOKENIZER_FILES}); add it, or give ids, such as "1 2 3", ` +
    `got '${text}'`)
}

/** Rethrows range errors of options or text as UsageErrors. @template T @param {() => T} fn */
function withUsageErrors(fn) {
  try {
    return fn()
  } catch (error) {
    const { message, code = 'range' } = /** @type {any} */ (error)
    throw code === 'range' ? new UsageError(nameOptions(message)) : error
  }
}

/** Continues texts. @param {Request} request */
async function generate({ gf, path, texts, options, isJson }) {
  if (await isTrainingFile(path)) {
    const { createContinuation } = await import('../training/command.js')
    const continueText = createContinuation(gf, await readFile(path))
    return formatAnswers(texts.map(text => withUsageErrors(() => continueText(text, options))), isJson)
  }
  const files = await readFiles(path)
  const { model, tokenizer } = await gf.models.load(files)
  return formatAnswers(texts.map(text => {
    const ids = tokenizer ? tokenizer.encode(text, { special: true }).ids : parseIds(path, text)
    const added = withUsageErrors(() => model.generate(ids, options))
    if (!tokenizer) return { text, ids: added, answer: ` ${added.join(' ')}` }
    // Decoding drops a space at the start, so the continuation is decoded together with the text.
    if ('target' in tokenizer) return { text, ids: added, answer: ` ${tokenizer.decode(added)}` }
    const decoded = tokenizer.decode([...ids, ...added])
    return { text, ids: added, answer: decoded.startsWith(text) ? decoded.slice(text.length) : tokenizer.decode(added) }
  }), isJson)
}

/** Prints the next token of texts, and what made it. @param {Request} request */
async function explain({ gf, path, texts, options, isJson, columns }) {
  if (await isTrainingFile(path)) throw new UsageError(`explain: '${path}' was saved by train; only generate opens it`)
  const { model, tokenizer } = await gf.models.load(await readFiles(path))
  const spell = (/** @type {number} */ id) => (tokenizer ? spelled(tokenizer.bytesOf(id)) : String(id))
  const answers = texts.map(text => {
    const encoding = tokenizer?.encode(text, { special: true }), ids = encoding?.ids ?? parseIds(path, text)
    const tokens = encoding ? formatPieces(tokenizer, encoding) : ids.map(String)
    return withUsageErrors(() => explainNext(gf, model, { text, ids: [...ids], tokens }, spell, options))
  })
  if (isJson) return `${JSON.stringify(answers)}\n`
  const against = options.against === undefined ? undefined : spell(options.against)
  return answers.map(answer => formatExplanation(answer, { ...options, against }, columns)).join('\n')
}

/** @param {{ text: string, answer: string }[]} answers @param {boolean} isJson */
const formatAnswers = (answers, isJson) => (isJson
  ? `${JSON.stringify(answers)}\n` : answers.map(({ text, answer }) => `${text}${answer}\n`).join(''))

/** Saves a model in a folder that Hugging Face's classes load. @param {Request} request */
async function convert({ gf, path, options, isJson }) {
  const { out } = options
  if (!out) throw new UsageError('convert: --out must name the folder to write')
  expectFolderPath(out)
  const { model, tokenizer } = await gf.models.load(await readFiles(path))
  const saved = Object.entries(gf.models.save(model, { tokenizer }))
  const files = saved.map(([name, content]) => [join(out, name), content])
  const existing = files.find(([name]) => existsSync(name))
  if (existing) throw new UsageError(`'${existing[0]}' exists already; name another folder by --out`)
  await mkdir(out, { recursive: true })
  for (const [name, content] of files) await writeFile(name, content)
  const written = files.map(([name, content]) => ({ name, bytes: Buffer.byteLength(content) }))
  if (isJson) return `${JSON.stringify(written)}\n`
  return written.map(({ name, bytes }) => `${name}  ${formatBytes(bytes)}\n`).join('')
}

/** @type {Record<string, (request: Request) => Promise<string>>} */
export const MODEL_COMMANDS = { inspect, tokenize, generate, explain, convert }
