import { existsSync, openAsBlob } from 'node:fs'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readHeader } from '../files/header.js'
import { settle, openSource } from '../files/source.js'
import { sizeOf } from '../shape.js'
import { UsageError, inOptions } from './options.js'
import { expectFolderPath, isFile, isFolder } from './paths.js'
import { table, width } from './table.js'
import { spelled } from '../../../web/models/token_text.js'

/**
 * Commands about a model in files: a folder as Hugging Face's hub has it, or single files.
 * @typedef {{ gf: any, path: string, texts: string[], options: Record<string, any>, isJson: boolean,
 *   columns: number }} Asked
 */

const OF_MODELS = /\.(json|txt|safetensors|bin|model|spm)$/
const OF_FOLDER = /^(config|tokenizer|vocab|merges)|\.(safetensors|bin|model|spm)$/
const WEIGHTS = /\.(safetensors|bin)$/

/** Weights are opened, the rest is read. @param {string} path */
const contentOf = path => (WEIGHTS.test(path) && !/^tok/.test(basename(path)) ? openAsBlob(path) : readFile(path))

/** The files at a path, by their names; of one file of a model those beside it count, too, but for other weights. */
async function filesAt(/** @type {string} */ path) {
  const isWhole = isFolder(path), folder = isWhole ? path : join(path, '..')
  if (!isWhole && !OF_FOLDER.test(basename(path))) return { [basename(path)]: await readFile(path) }
  const isPart = (/** @type {string} */ name) => OF_MODELS.test(name) && isFile(join(folder, name)) &&
    (isWhole || name === basename(path) || !WEIGHTS.test(name) || /^tok/.test(name))
  const names = (await readdir(folder)).filter(isPart)
  if (!names.length) throw new UsageError(`the folder '${path}' has no files of a model, such as config.json, ` +
    'model.safetensors or tokenizer.json')
  return Object.fromEntries(await Promise.all(names.map(async name => [name, await contentOf(join(folder, name))])))
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

/** Bytes as people say them. @param {number} bytes */
export function sizeText(bytes) {
  const at = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${at ? (bytes / 1000 ** at).toPrecision(3) : bytes} ${UNITS[at]}`
}

/** @param {string} title @param {readonly string[]} names */
const listed = (title, names) => (names.length ? `${title}\n${names.map(name => `  ${name}\n`).join('')}` : '')

/** What a safetensors file says of itself. @param {string} path */
async function headerOf(path) {
  const blob = await openAsBlob(path)
  return settle((function* () { return yield* readHeader(yield* openSource('inspect', 'file', blob)) })())
}

/** Whether a file was written by `train` or the page's theatre. @param {string} path */
async function isTraining(path) {
  return path.endsWith('.safetensors') && isFile(path) && 'training' in (await headerOf(path)).metadata
}

/** A file of weights that lies alone: its tensors. @param {Asked} asked */
async function inspectTensors({ path, isJson, columns }) {
  const { entries, metadata } = /** @type {import('../files/header.js').Header} */ (await headerOf(path))
  const tensors = [...entries].map(([name, { dtype, shape, from, to }]) => ({ name, dtype, shape, bytes: to - from }))
  const parameters = tensors.reduce((sum, { shape }) => sum + sizeOf(shape), 0)
  const bytes = tensors.reduce((sum, one) => sum + one.bytes, 0)
  if (isJson) return `${JSON.stringify({ parameters, bytes, metadata, tensors })}\n`
  const rows = tensors.map(({ dtype, shape, bytes: own }) => [dtype, `[${shape.join(', ')}]`, sizeText(own)])
  const lines = table({
    rowNames: tensors.map(({ name }) => name), columnNames: ['dtype', 'shape', 'size'], cell: (i, j) => rows[i][j],
    widthOf: j => rows.reduce((n, row) => Math.max(n, width(row[j])), 0)
  }, columns)
  const about = Object.entries(metadata).map(([name, value]) => `${name}: ${value.length > 60 ? `${value.slice(0, 60)}…` : value}`)
  return `${tensors.length} tensors, ${parameters.toLocaleString('en')} numbers, ${sizeText(bytes)}\n` +
    listed('metadata', about) + [...lines].map(line => `${line}\n`).join('')
}

/** @param {Asked} asked */
async function inspect(asked) {
  const { gf, path, isJson } = asked, files = await filesAt(path)
  if (path.endsWith('.safetensors') && isFile(path) && (!('config.json' in files) || await isTraining(path))) return inspectTensors(asked)
  const found = await gf.models.inspect(files)
  // What cannot be opened is a failure to whoever asks in a script.
  if (found.missing.length || found.problems.length) process.exitCode = 1
  if (isJson) return `${JSON.stringify(found)}\n`
  const { type, parameters, bytes, missing, unused, problems } = found
  const head = type ? `${type}: ${parameters.toLocaleString('en')} parameters, ${sizeText(bytes)} of memory\n` : ''
  return head + listed('problems', problems) + listed('missing', missing) + listed('unused', unused)
}

/**
 * Pieces for people: letters that stand for bytes are shown as what they stand for. @param {any} tokenizer
 * @param {any} encoding
 */
const piecesOf = (tokenizer, { ids, tokens }) => Array.from(ids, (id, i) =>
  (tokens[i].startsWith('##') ? tokens[i] : spelled(tokenizer.bytesOf(id))))

/** @param {Asked} asked */
async function tokenize({ gf, path, texts, isJson }) {
  const files = await filesAt(path), isText = (/** @type {string} */ name) => !WEIGHTS.test(name) || /^tok/.test(name)
  const read = Object.fromEntries(Object.entries(files).filter(([name]) => isText(name)).map(
    ([name, content]) => [name, /\.(json|txt)$/.test(name) ? String(content) : content]))
  const tokenizer = tokenizerOf(gf, path, read)
  const encodings = texts.map(text => tokenizer.encode(text, { special: true }))
  if (isJson) {
    const shown = encodings.map(one => ({ ...one, pieces: piecesOf(tokenizer, one) }))
    return `${JSON.stringify(shown)}\n`
  }
  return encodings.map(one => `${piecesOf(tokenizer, one).join(' | ')}\n${one.ids.join(' ')}\n`).join('\n')
}

const LACKING = 'tokenizer.json, vocab.json and merges.txt, vocab.txt or a .model'

/** @param {any} gf @param {string} path @param {Record<string, any>} files */
function tokenizerOf(gf, path, files) {
  try {
    return gf.text.tokenizer(files)
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'type') throw error // its files are there
    throw new UsageError(`there is no tokenizer in '${path}' (${LACKING})`)
  }
}

/** The ids that a text is where there is no tokenizer. @param {string} path @param {string} text */
function idsIn(path, text) {
  const words = text.trim().split(/\s+/)
  if (words.every(word => /^\d+$/.test(word))) return words.map(Number)
  throw new UsageError(`there is no tokenizer in '${path}' (${LACKING}); add it, or give ids, such as "1 2 3", ` +
    `got '${text}'`)
}

/** What cannot be done with these options or this text is a mistake of the call. @template T @param {() => T} fn */
function asked(fn) {
  try {
    return fn()
  } catch (error) {
    const { message, code = 'range' } = /** @type {any} */ (error)
    throw code === 'range' ? new UsageError(inOptions(message)) : error
  }
}

/** @param {Asked} asked */
async function generate({ gf, path, texts, options, isJson }) {
  if (await isTraining(path)) {
    const { goOnFrom } = await import('../../../web/theatre/command.js'), goOn = goOnFrom(gf, await readFile(path))
    return shownAnswers(texts.map(text => asked(() => goOn(text, options))), isJson)
  }
  const files = await filesAt(path)
  const { model, tokenizer } = await gf.models.load(files)
  return shownAnswers(texts.map(text => {
    const ids = tokenizer ? tokenizer.encode(text, { special: true }).ids : idsIn(path, text)
    const added = asked(() => model.generate(ids, options))
    if (!tokenizer) return { text, ids: added, answer: ` ${added.join(' ')}` }
    // A token's own space is only seen beside the one before it.
    const whole = tokenizer.decode([...ids, ...added])
    return { text, ids: added, answer: whole.startsWith(text) ? whole.slice(text.length) : tokenizer.decode(added) }
  }), isJson)
}

/** @param {{ text: string, answer: string }[]} answers @param {boolean} isJson */
const shownAnswers = (answers, isJson) => (isJson
  ? `${JSON.stringify(answers)}\n` : answers.map(({ text, answer }) => `${text}${answer}\n`).join(''))

/** The same model in a folder that Hugging Face's classes read. @param {Asked} asked */
async function convert({ gf, path, options, isJson }) {
  const { out } = options
  if (!out) throw new UsageError('convert: --out must name the folder to write')
  expectFolderPath(out)
  const { model, tokenizer } = await gf.models.load(await filesAt(path))
  const saved = Object.entries(gf.models.save(model, { tokenizer }))
  const files = saved.map(([name, content]) => [join(out, name), content])
  const there = files.find(([name]) => existsSync(name))
  if (there) throw new UsageError(`'${there[0]}' is there already; say by --out where the model goes`)
  await mkdir(out, { recursive: true })
  for (const [name, content] of files) await writeFile(name, content)
  const written = files.map(([name, content]) => ({ name, bytes: Buffer.byteLength(content) }))
  if (isJson) return `${JSON.stringify(written)}\n`
  return written.map(({ name, bytes }) => `${name}  ${sizeText(bytes)}\n`).join('')
}

/** By name. @type {Record<string, (asked: Asked) => Promise<string>>} */
export const ABOUT_MODELS = { inspect, tokenize, generate, convert }
