#!/usr/bin/env node
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { GlassformerError, load } from '../js/index.js'
import { prepare } from '../js/pipeline.js'
import { sizeOf } from '../js/tensor/shape.js'
import { COMMANDS, UsageError, closestCommand, formatOptions, nameOptions, readArguments, toCamelCase } from './options.js'
import { exportRoom } from './export.js'
import { MODEL_COMMANDS } from './models.js'
import { expectReadable, readInput } from './paths.js'
import { asJson, asText } from './print.js'
import { serve } from './serve.js'
import { createStages } from './stages.js'
import { train } from './train.js'

const HELP = `usage: glassformer [options] [sentence ...]
       glassformer inspect PATH [--json]
       glassformer tokenize PATH [--json] [text ...]
       glassformer generate PATH [options] [text ...]
       glassformer explain PATH [options] [text ...]
       glassformer convert PATH --out FOLDER
       glassformer train WHAT [options]
       glassformer export --figure ROOM [options] --out FILE.svg
       glassformer serve [PATH] [--port N]

Prints every stage on the way through one attention block, with the numbers the kernels computed:
tokens, ids, embedding, positions, sum, dropout, q, k, v, scores, mask, weights, heads, output.
Without a sentence, standard input is read, one sentence a line. The weights are untrained and come from the seed.

${formatOptions('')}
PATH is the folder of a model or its file of weights, such as one that train saved. inspect describes the model and what
is missing, from the headers; tokenize prints the tokens of a text, including special tokens; convert saves the model with
Hugging Face's keys and config.json, whatever its format; generate continues a text, with

${formatOptions('generate')}
explain prints the next token of a text, which parts of the model made it, and what each token did, with

${formatOptions('explain')}
WHAT is a text file, or a task or link of the page's training theatre (dates, particles, stories, induction, sums, text):
the steps are the same, bit for bit. The file that train saves can be opened by generate and by the theatre.

${formatOptions('train')}
export draws a room of a model of the page as SVG, without a browser, with

${formatOptions('export')}
serve shows the page with the model of PATH at an address of this computer, until Ctrl-C, with

${formatOptions('serve')}
  --help, --version

exit codes: 0; 1 if a file is not valid; 2 if the arguments are not valid

examples:
  glassformer "I wonder what will come next" "Hello, what is a basic split?"
  glassformer --tokenizer whitespace --stage weights "나는 최근 파리 여행을 다녀왔다"
  echo "one sentence" | glassformer --json --causal
  glassformer generate ./stories260K.bin "Once upon a time"
  glassformer train poems.txt --steps 500 && glassformer generate poems.safetensors "The "
`

/** Stages with more numbers are printed only with --stage. */
const MAX_PRINTED = 1_000_000

/** The version in package.json. */
const version = () => JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

/** @param {string} text */
const printMessage = text => process.stderr.write(`glassformer: ${text}\n`)

/**
 * The input texts: the arguments, or the lines of standard input. @param {string[]} positionals
 * @param {string} description for the error if there is none
 */
async function readTexts(positionals, description) {
  if (positionals.length) return positionals
  const lines = process.stdin.isTTY ? [] : (await readInput(process.stdin)).split(/\r?\n/).filter(line => line.trim())
  if (!lines.length) throw new UsageError(`no ${description} given`)
  return lines
}

/** The width of the terminal; infinite if the output goes elsewhere. */
const terminalColumns = () => process.stdout.columns ?? (Number(process.env.COLUMNS) || Infinity)

/** Rethrows errors of the library as UsageErrors. @template T @param {() => T} fn */
function withUsageErrors(fn) {
  try {
    return fn()
  } catch (error) {
    if (error instanceof GlassformerError && error.code !== 'memory') throw new UsageError(nameOptions(error.message))
    throw error
  }
}

/** Prints the stages of a block. @param {string[]} positionals @param {Record<string, any>} values */
async function runStages(positionals, { stage, json, train: training, ...values }) {
  checkCommand(positionals)
  const texts = await readTexts(positionals, 'sentence'), gf = await load()
  const settings = { maxLength: 5000, ...camelKeys(values), ...(training && { training }), texts }
  const prepared = withUsageErrors(() => prepare(gf, settings))
  const chosen = createStages(gf, prepared).filter(({ name }) => stage?.includes(name) ?? true)
    .map(item => (stage || sizeOf(item.shape) <= MAX_PRINTED ? item
      : { name: item.name, shape: item.shape, values: null, isLeftOut: true }))
  for (const { name, shape, isLeftOut } of chosen) {
    if (isLeftOut) printMessage(`${name} has ${sizeOf(shape).toLocaleString('en')} numbers and is left out; --stage ${name} prints them`)
  }
  return json ? asJson(prepared, chosen) : asText(prepared, chosen, terminalColumns())
}

/** Throws if a word before an existing path looks like a misspelled command. @param {string[]} positionals */
function checkCommand([word, path]) {
  const looksLikeCommand = /^[a-z]+$/.test(word ?? '') && path && existsSync(path)
  if (looksLikeCommand) throw new UsageError(`there is no command '${word}'; did you mean ${closestCommand(word)}?`)
}

/** @param {Record<string, any>} values */
const camelKeys = values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [toCamelCase(name), value]))

/**
 * Runs a command for a model. @param {string} command @param {string[]} positionals
 * @param {Record<string, any>} values
 */
async function runModelCommand(command, [path, ...texts], { json, ...values }) {
  if (!path) throw new UsageError(`${command}: the folder of a model is missing`)
  expectReadable(path)
  const takesOnlyPath = COMMANDS[command].takes === 'PATH'
  if (takesOnlyPath && texts.length) throw new UsageError(`${command} takes one path, got also '${texts[0]}'`)
  const input = takesOnlyPath ? texts : await readTexts(texts, `text to ${command}`)
  const request = { gf: await load(), path, texts: input, options: camelKeys(values), isJson: Boolean(json),
    columns: terminalColumns() }
  return [await MODEL_COMMANDS[command](request)]
}

/** @param {string[]} args @returns {Promise<Iterable<string> | AsyncIterable<string>>} what to print, piece by piece */
async function main(args) {
  const { command, positionals, values } = readArguments(args)
  if (values.help) return [HELP]
  if (values.version) return [`${version()}\n`]
  if (command === 'train') return train(await load(), positionals, values)
  if (command === 'export') return exportRoom(await load(), positionals, values)
  if (command === 'serve') return serve(positionals, values)
  return command ? runModelCommand(command, positionals, values) : runStages(positionals, values)
}

/** The message of an unexpected error, without its stack. @param {unknown} error */
const firstLine = error => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).split('\n', 1)[0]

process.stdout.on('error', error => {
  if (error.code === 'EPIPE') process.exit(0)
  printMessage(`the output cannot be written: ${error.message}`)
  process.exit(1)
})

try {
  for await (const piece of await main(process.argv.slice(2))) {
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
  }
} catch (error) {
  if (error instanceof UsageError) {
    printMessage(`${error.message}\ntry 'glassformer --help'`)
    process.exitCode = 2
  } else {
    printMessage(error instanceof GlassformerError ? error.message.replace(/^\w+: /, '') : firstLine(error))
    process.exitCode = 1
  }
}
