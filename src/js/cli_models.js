import { openAsBlob } from 'node:fs'
import { readFile, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

/**
 * Commands about a model in files: a folder as Hugging Face's hub has it, or single files.
 * @typedef {{ gf: any, path: string, texts: string[], options: Record<string, any>, isJson: boolean }} Asked
 */

const OF_MODELS = /\.(json|txt|safetensors|bin|model|spm)$/
const OF_FOLDER = /^(config|tokenizer|vocab|merges)|\.(safetensors|bin|model|spm)$/
const WEIGHTS = /\.(safetensors|bin)$/

/** Weights are opened, the rest is read. @param {string} path */
const contentOf = path => (WEIGHTS.test(path) && !/^tok/.test(basename(path)) ? openAsBlob(path) : readFile(path))

/** The files at a path, by their names; of one file of a model those beside it count, too, but for other weights. */
async function filesAt(/** @type {string} */ path) {
  const isFolder = (await stat(path)).isDirectory(), folder = isFolder ? path : join(path, '..')
  if (!isFolder && !OF_FOLDER.test(basename(path))) return { [basename(path)]: await readFile(path) }
  const isPart = (/** @type {string} */ name) => OF_MODELS.test(name) &&
    (isFolder || name === basename(path) || !WEIGHTS.test(name) || /^tok/.test(name))
  const names = (await readdir(folder)).filter(isPart)
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

/** @param {Asked} asked */
async function inspect({ gf, path, isJson }) {
  const found = await gf.models.inspect(await filesAt(path))
  // What cannot be opened is a failure to whoever asks in a script.
  if (found.missing.length || found.problems.length) process.exitCode = 1
  if (isJson) return `${JSON.stringify(found)}\n`
  const { type, parameters, bytes, missing, unused, problems } = found
  const head = type ? `${type}: ${parameters.toLocaleString('en')} parameters, ${sizeText(bytes)} of memory\n` : ''
  return head + listed('problems', problems) + listed('missing', missing) + listed('unused', unused)
}

/** @param {Asked} asked */
async function tokenize({ gf, path, texts, isJson }) {
  const files = await filesAt(path), isText = (/** @type {string} */ name) => !WEIGHTS.test(name) || /^tok/.test(name)
  const read = Object.fromEntries(Object.entries(files).filter(([name]) => isText(name)).map(
    ([name, content]) => [name, /\.(json|txt)$/.test(name) ? String(content) : content]))
  const tokenizer = gf.text.tokenizer(read)
  const encodings = texts.map(text => tokenizer.encode(text, { special: true }))
  if (isJson) return `${JSON.stringify(encodings)}\n`
  return encodings.map(({ ids, tokens }) => `${tokens.join(' | ')}\n${ids.join(' ')}\n`).join('\n')
}

/** @param {Asked} asked */
async function generate({ gf, path, texts, options, isJson }) {
  const { model, tokenizer } = await gf.models.load(await filesAt(path))
  const answers = texts.map(text => {
    const ids = tokenizer ? tokenizer.encode(text, { special: true }).ids : text.split(/\s+/).map(Number)
    const added = model.generate(ids, options)
    if (!tokenizer) return { text, ids: added, answer: ` ${added.join(' ')}` }
    // A token's own space is only seen beside the one before it.
    const whole = tokenizer.decode([...ids, ...added])
    return { text, ids: added, answer: whole.startsWith(text) ? whole.slice(text.length) : tokenizer.decode(added) }
  })
  return isJson ? `${JSON.stringify(answers)}\n` : answers.map(({ text, answer }) => `${text}${answer}\n`).join('')
}

/** By name. @type {Record<string, (asked: Asked) => Promise<string>>} */
export const COMMANDS = { inspect, tokenize, generate }
