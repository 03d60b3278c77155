#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { similar } from './errors.js'
import { GlassformerError, load } from './index.js'
import { runPipeline } from './pipeline.js'
import { COMMANDS } from './cli_models.js'
import { stagesOf, stageText } from './cli_stages.js'

const HELP = `usage: glassformer [options] [sentence ...]
       glassformer inspect PATH [--json]
       glassformer tokenize PATH [--json] [text ...]
       glassformer generate PATH [options] [text ...]

Prints every stage on the way through one attention block, with the numbers the kernels computed:
tokens, ids, embedding, positions, sum, dropout, q, k, v, scores, mask, weights, heads, output.
Without a sentence, standard input is read, one sentence a line. The weights are untrained and come from the seed.

  --stage NAME       only this stage (may be given more than once)
  --json             all numbers at full precision, for programs
  --tokenizer NAME   words (NLTK's rules, default) or whitespace
  --d-model N        width of every vector (16)
  --heads N          attention heads, a divisor of d-model (4)
  --positions NAME   interleaved (default), concatenated or learned
  --base N           base of the sinusoidal positions (10000)
  --max-length N     positions in the table (5000)
  --causal           hide the tokens after each query
  --dropout P        probability to drop a value (0.1); only with --train
  --train            training mode: dropout is active
  --seed N           torch.manual_seed (42)
  --help, --version

PATH is the folder of a model, or its file of weights. inspect says from the headers what it is and what is missing;
tokenize shows the pieces of a text, marks at its ends included; generate writes on, with
  --max-new-tokens N (20), --temperature T, --top-k N, --top-p P, --beams N, --seed N; greedily without them

examples:
  glassformer "I wonder what will come next" "Hello, what is a basic split?"
  glassformer generate ./stories260K.bin "Once upon a time"
  glassformer --tokenizer whitespace --stage weights "나는 최근 파리 여행을 다녀왔다"
  echo "one sentence" | glassformer --json --causal
`

const OPTIONS = /** @type {const} */ ({
  'stage': { type: 'string', multiple: true },
  'json': { type: 'boolean' },
  'tokenizer': { type: 'string' },
  'd-model': { type: 'string' },
  'heads': { type: 'string' },
  'positions': { type: 'string' },
  'base': { type: 'string' },
  'max-length': { type: 'string' },
  'causal': { type: 'boolean' },
  'dropout': { type: 'string' },
  'train': { type: 'boolean' },
  'seed': { type: 'string' },
  'max-new-tokens': { type: 'string' },
  'temperature': { type: 'string' },
  'top-k': { type: 'string' },
  'top-p': { type: 'string' },
  'beams': { type: 'string' },
  'help': { type: 'boolean', short: 'h' },
  'version': { type: 'boolean' }
})

/** A mistake in how the command was called: exit code 2. */
class UsageError extends Error {}

/** @param {string[]} args */
function readArguments(args) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    const [message] = /** @type {Error} */ (error).message.split('. To specify'), [, given] = /'--([\w-]+)/.exec(message) ?? []
    const meant = given && !(given in OPTIONS) && `; did you mean --${similar(given, Object.keys(OPTIONS), 1)}?`
    throw new UsageError(message + (meant || ''))
  }
}

/** A word in front of something that exists is a command, even misspelt. @param {string[]} positionals */
function checkCommand([word, path]) {
  const [meant] = similar(word, Object.keys(COMMANDS), 1), isOne = /^[a-z]+$/.test(word ?? '') && path && existsSync(path)
  if (isOne && !(word in COMMANDS)) throw new UsageError(`there is no command '${word}'; did you mean ${meant}?`)
}

/** @param {string} name @param {string | undefined} value @returns {number | undefined} */
function numberOption(name, value) {
  if (value === undefined) return undefined
  const number = value.trim() === '' ? NaN : Number(value)
  if (Number.isNaN(number)) throw new UsageError(`--${name} must be a number, got '${value}'`)
  return number
}

/** @param {ReturnType<typeof readArguments>['values']} values */
function settingsFrom(values) {
  const settings = {
    tokenizer: values.tokenizer, positions: values.positions, causal: values.causal, training: values.train,
    dModel: numberOption('d-model', values['d-model']), heads: numberOption('heads', values.heads),
    base: numberOption('base', values.base), maxLength: numberOption('max-length', values['max-length']),
    dropout: numberOption('dropout', values.dropout), seed: numberOption('seed', values.seed)
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

/** Settings as the library's messages name them. */
const SETTINGS = /\b(maxNewTokens|temperature|topK|topP|beams|dModel|maxLength|heads|base|dropout|positions|tokenizer|seed)\b/g

/** The command's words for the library's, in its messages. @param {string} message */
const inOptions = message => message.replace(/^\w+: /, '')
  .replace(SETTINGS, name => `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`)

/** The version in package.json. */
const version = () => JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

/** The sentences of standard input, one a line. */
const readLines = async () => (await readAll(process.stdin)).split(/\r?\n/).filter(line => line.trim())

/**
 * Stage by stage: all in one may be longer than a string can be.
 * @param {ReturnType<typeof runPipeline>} made @param {any[]} stages
 */
function* pagesOf({ text }, stages) {
  for (const [i, stage] of stages.entries()) yield (i ? '\n' : '') + stageText(text, stage)
}

const GENERATING = ['max-new-tokens', 'temperature', 'top-k', 'top-p', 'beams', 'seed']
const camel = (/** @type {string} */ name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())

/** @param {any} values as they were written @param {readonly string[]} names */
const numbersIn = (values, names) => Object.fromEntries(
  names.filter(name => values[name] !== undefined).map(name => [camel(name), numberOption(name, values[name])]))

/** What stands after a command's name. @param {any} values @param {string[]} positionals */
async function aboutModel(values, [command, path, ...texts]) {
  const needsText = command !== 'inspect'
  if (needsText && !texts.length && process.stdin.isTTY) throw new UsageError(`no text to ${command} given`)
  const given = texts.length || !needsText ? texts : await readLines()
  try {
    const options = numbersIn(values, GENERATING)
    return [await COMMANDS[command]({ gf: await load(), path, texts: given, options, isJson: Boolean(values.json) })]
  } catch (error) {
    const { code } = /** @type {any} */ (error)
    if (code === 'ENOENT') throw new UsageError(`there is no file or folder '${path}'`)
    throw error
  }
}

/** @param {string[]} args @returns {Promise<Iterable<string>>} what to print, piece by piece */
async function main(args) {
  const { values, positionals } = readArguments(args)
  if (values.help) return [HELP]
  if (values.version) return [`${version()}\n`]
  checkCommand(positionals)
  if (positionals[0] in COMMANDS) {
    if (positionals.length < 2) throw new UsageError(`${positionals[0]}: the folder of a model is missing`)
    return aboutModel(values, positionals)
  }
  if (!positionals.length && process.stdin.isTTY) throw new UsageError('no sentence given')
  const texts = positionals.length ? positionals : await readLines()
  const settings = settingsFrom(values)
  const made = runPipeline(await load(), { maxLength: 5000, ...settings, texts })
  const stages = stagesOf(made), wanted = values.stage ?? stages.map(stage => stage.name)
  const unknown = wanted.find(name => !stages.some(stage => stage.name === name))
  if (unknown) throw new UsageError(`--stage must be one of ${stages.map(s => s.name).join(', ')}, got '${unknown}'`)
  const chosen = stages.filter(stage => wanted.includes(stage.name))
  return values.json ? [toJson(made, chosen)] : pagesOf(made, chosen)
}

/**
 * −Infinity and NaN as strings: JSON has no words for them.
 * @param {ReturnType<typeof runPipeline>} made @param {any[]} stages
 */
function toJson({ settings, text: { texts, lengths } }, stages) {
  const spelt = (/** @type {string} */ _, /** @type {unknown} */ v) => {
    return typeof v === 'number' && !Number.isFinite(v) ? String(v) : v
  }
  return `${JSON.stringify({ settings, texts, lengths, stages }, spelt)}\n`
}

process.stdout.on('error', error => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

try {
  for (const piece of await main(process.argv.slice(2))) process.stdout.write(piece)
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`glassformer: ${error.message}\ntry 'glassformer --help'\n`)
    process.exitCode = 2
  } else if (error instanceof GlassformerError) {
    process.stderr.write(`glassformer: ${inOptions(error.message)}\n`)
    process.exitCode = 1
  } else if (error instanceof RangeError) {
    process.stderr.write(`glassformer: too much to print at once (${error.message}); choose with --stage\n`)
    process.exitCode = 1
  } else {
    throw error
  }
}
