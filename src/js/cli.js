#!/usr/bin/env node
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { GlassformerError, load } from './index.js'
import { prepare } from './pipeline.js'
import { sizeOf } from './shape.js'
import { COMMANDS, UsageError, camel, inOptions, meantBy, optionLines, readArguments } from './cli/options.js'
import { ABOUT_MODELS } from './cli/models.js'
import { expectReadable, readInput } from './cli/paths.js'
import { asJson, asText } from './cli/print.js'
import { stagesOf } from './cli/stages.js'
import { train } from './cli/train.js'

const HELP = `usage: glassformer [options] [sentence ...]
       glassformer inspect PATH [--json]
       glassformer tokenize PATH [--json] [text ...]
       glassformer generate PATH [options] [text ...]
       glassformer convert PATH --out FOLDER
       glassformer train WHAT [options]

Prints every stage on the way through one attention block, with the numbers the kernels computed:
tokens, ids, embedding, positions, sum, dropout, q, k, v, scores, mask, weights, heads, output.
Without a sentence, standard input is read, one sentence a line. The weights are untrained and come from the seed.

${optionLines('')}
PATH is the folder of a model, or its file of weights, also one that train wrote. inspect says from the headers what it
is and what is missing; tokenize shows the pieces of a text, marks at its ends included; convert writes the model with
Hugging Face's keys and config.json, whatever files it came in; generate writes on, with

${optionLines('generate')}
WHAT is a text file, or a task or link of the page's training theatre (dates, particles, stories, sums, text): the same
steps, to the bit. What train writes goes into generate, and into the theatre.

${optionLines('train')}
  --help, --version

exit codes: 0, 1 when a file does not hold what it should, 2 when the command was called wrongly

examples:
  glassformer "I wonder what will come next" "Hello, what is a basic split?"
  glassformer --tokenizer whitespace --stage weights "나는 최근 파리 여행을 다녀왔다"
  echo "one sentence" | glassformer --json --causal
  glassformer generate ./stories260K.bin "Once upon a time"
  glassformer train poems.txt --steps 500 && glassformer generate poems.safetensors "The "
`

/** More numbers than this are only printed when their stage is asked for. */
const UNASKED = 1_000_000

/** The version in package.json. */
const version = () => JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

/** @param {string} text */
const say = text => process.stderr.write(`glassformer: ${text}\n`)

/**
 * What is to be derived on: the words of the call, or the lines of standard input. @param {string[]} words
 * @param {string} what
 */
async function textsOf(words, what) {
  if (words.length) return words
  const lines = process.stdin.isTTY ? [] : (await readInput(process.stdin)).split(/\r?\n/).filter(line => line.trim())
  if (!lines.length) throw new UsageError(`no ${what} given`)
  return lines
}

/** Columns of the terminal; what goes elsewhere is not broken into lines. */
const columnsOf = () => process.stdout.columns ?? (Number(process.env.COLUMNS) || Infinity)

/** Sizes and choices that do not fit each other are mistakes in the call. @template T @param {() => T} fn */
function called(fn) {
  try {
    return fn()
  } catch (error) {
    if (error instanceof GlassformerError && error.code !== 'memory') throw new UsageError(inOptions(error.message))
    throw error
  }
}

/** @param {string[]} words @param {Record<string, any>} values */
async function stages(words, { stage, json, train: training, ...values }) {
  checkCommand(words)
  const texts = await textsOf(words, 'sentence'), gf = await load()
  const settings = { maxLength: 5000, ...inCamel(values), ...(training && { training }), texts }
  const prepared = called(() => prepare(gf, settings))
  const chosen = stagesOf(gf, prepared).filter(({ name }) => stage?.includes(name) ?? true)
    .map(one => (stage || sizeOf(one.shape) <= UNASKED ? one
      : { name: one.name, shape: one.shape, values: null, isLeftOut: true }))
  for (const { name, shape, isLeftOut } of chosen) {
    if (isLeftOut) say(`${name} has ${sizeOf(shape).toLocaleString('en')} numbers and is left out; --stage ${name} prints them`)
  }
  return json ? asJson(prepared, chosen) : asText(prepared, chosen, columnsOf())
}

/** A word in front of something that exists is a command, even misspelt. @param {string[]} words */
function checkCommand([word, path]) {
  const isOne = /^[a-z]+$/.test(word ?? '') && path && existsSync(path)
  if (isOne) throw new UsageError(`there is no command '${word}'; did you mean ${meantBy(word)}?`)
}

/** @param {Record<string, any>} values */
const inCamel = values => Object.fromEntries(Object.entries(values).map(([name, value]) => [camel(name), value]))

/**
 * What stands after a command's name. @param {string} command @param {string[]} words
 * @param {Record<string, any>} values
 */
async function aboutModel(command, [path, ...texts], { json, ...values }) {
  if (!path) throw new UsageError(`${command}: the folder of a model is missing`)
  expectReadable(path)
  const isAlone = COMMANDS[command].takes === 'PATH'
  if (isAlone && texts.length) throw new UsageError(`${command} takes one path, got also '${texts[0]}'`)
  const given = isAlone ? texts : await textsOf(texts, `text to ${command}`)
  const asked = { gf: await load(), path, texts: given, options: inCamel(values), isJson: Boolean(json),
    columns: columnsOf() }
  return [await ABOUT_MODELS[command](asked)]
}

/** @param {string[]} args @returns {Promise<Iterable<string> | AsyncIterable<string>>} what to print, piece by piece */
async function main(args) {
  const { command, words, values } = readArguments(args)
  if (values.help) return [HELP]
  if (values.version) return [`${version()}\n`]
  if (command === 'train') return train(await load(), words, values)
  return command ? aboutModel(command, words, values) : stages(words, values)
}

/** What went wrong where nobody expected it, without the program's own lines. @param {unknown} error */
const firstLine = error => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).split('\n', 1)[0]

process.stdout.on('error', error => {
  if (error.code === 'EPIPE') process.exit(0)
  say(`the output cannot be written: ${error.message}`)
  process.exit(1)
})

try {
  for await (const piece of await main(process.argv.slice(2))) {
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
  }
} catch (error) {
  if (error instanceof UsageError) {
    say(`${error.message}\ntry 'glassformer --help'`)
    process.exitCode = 2
  } else {
    say(error instanceof GlassformerError ? error.message.replace(/^\w+: /, '') : firstLine(error))
    process.exitCode = 1
  }
}
