/** The options of each command, and parsing and checking of arguments. */
import { parseArgs } from 'node:util'
import { findSimilar } from '../js/errors.js'
import { STAGES } from './stages.js'

/** An error in the arguments: exit code 2. */
export class UsageError extends Error {}

/**
 * @typedef {object} Option
 * @property {string} [value] the name of its value; undefined for a flag
 * @property {readonly string[]} [choices] the allowed values
 * @property {[number, number]} [integer] minimum and maximum of an integer
 * @property {[number, number]} [range] minimum and maximum of a number
 * @property {string} help
 */

const MAX_INT = 2 ** 31 - 1, MAX_SEED = 2 ** 53 - 1

/** @type {Record<string, Option>} */
const STAGE_OPTIONS = {
  'stage': { value: 'NAME', choices: STAGES, help: 'only this stage (may be given more than once)' },
  'json': { help: 'all numbers at full precision, for programs' },
  'tokenizer': { value: 'NAME', choices: ['words', 'whitespace'], help: 'words (NLTK\'s rules, default) or whitespace' },
  'd-model': { value: 'N', integer: [1, 4096], help: 'width of every vector (16)' },
  'heads': { value: 'N', integer: [1, 4096], help: 'attention heads, a divisor of d-model (4)' },
  'positions': {
    value: 'NAME', choices: ['interleaved', 'concatenated', 'learned'], help: 'interleaved (default), concatenated or learned'
  },
  'base': { value: 'N', range: [Number.MIN_VALUE, Number.MAX_VALUE], help: 'base of the sinusoidal positions (10000)' },
  'max-length': { value: 'N', integer: [1, 100_000], help: 'positions in the table (5000)' },
  'causal': { help: 'hide the tokens after each query' },
  'dropout': { value: 'P', range: [0, 1], help: 'probability to drop a value (0.1); only with --train' },
  'train': { help: 'training mode: dropout is active' },
  'seed': { value: 'N', integer: [0, MAX_SEED], help: 'torch.manual_seed (42)' }
}

/** @type {Record<string, Option>} */
const GENERATE_OPTIONS = {
  'json': { help: 'ids and text, for programs' },
  'max-new-tokens': { value: 'N', integer: [0, MAX_INT], help: 'maximum number of new tokens (20)' },
  'temperature': { value: 'T', range: [0, Number.MAX_VALUE], help: 'sample; above 1 flattens the distribution, 0 is greedy' },
  'top-k': { value: 'N', integer: [0, MAX_INT], help: 'sample from the N most probable tokens' },
  'top-p': { value: 'P', range: [0, 1], help: 'sample from the most probable tokens up to P' },
  'beams': { value: 'N', integer: [1, 1024], help: 'beam search with N beams' },
  'seed': { value: 'N', integer: [0, MAX_SEED], help: 'torch.manual_seed of the sampling' }
}

/** @type {Record<string, Option>} */
const EXPLAIN_OPTIONS = {
  json: { help: 'all parts and tokens, for programs' },
  top: { value: 'N', integer: [1, 100_000], help: 'how many parts and tokens are printed (10)' },
  against: { value: 'ID', integer: [0, MAX_INT], help: 'explain the difference to the logit of this id' },
  method: {
    value: 'NAME', choices: ['integratedGradients', 'gradientTimesInput', 'occlusion'],
    help: 'integratedGradients (default), gradientTimesInput, occlusion'
  }
}

/** @type {Record<string, Option>} */
const TRAIN_OPTIONS = {
  'steps': { value: 'N', integer: [1, 100_000], help: 'number of steps (1000 for a text)' },
  'until': { value: 'N', integer: [0, 100_000], help: 'stop after this step; the schedule stays that of --steps' },
  'seed': { value: 'N', integer: [0, 2 ** 32 - 1], help: 'of weights and batches (42)' },
  'rate': { value: 'R', range: [0, 1000], help: 'highest learning rate' },
  'batch': { value: 'N', integer: [1, 256], help: 'examples per step' },
  'layers': { value: 'N', integer: [1, 64], help: 'blocks' },
  'heads': { value: 'N', integer: [1, 64], help: 'attention heads, a divisor of d-model' },
  'd-model': { value: 'N', integer: [1, 4096], help: 'width of every vector' },
  'dim-feedforward': { value: 'N', integer: [1, 65536], help: 'width of the feed-forward layer' },
  'unit': { value: 'NAME', choices: ['characters', 'pairs'], help: 'tokens of a text: characters (default) or byte pairs (BPE)' },
  'size': { value: 'N', integer: [257, 2000], help: 'vocabulary size with --unit pairs (512)' },
  'length': { value: 'N', integer: [4, 128], help: 'context length in tokens (48)' },
  'text': { value: 'FILE', help: 'the text, if WHAT is a link from the training page' },
  'from': { value: 'FILE', help: 'resume from this file of a stopped training' },
  'start': { value: 'FILE', help: 'initial weights, if the training of the link started from given ones' },
  'out': { value: 'FILE', help: 'where weights and moments are saved (WHAT.safetensors)' },
  'json': { help: 'a line of JSON for each evaluation, for programs' }
}

/** @type {Record<string, Option>} */
const SERVE_OPTIONS = {
  port: { value: 'N', integer: [0, 65535], help: 'the port on 127.0.0.1 (8080); 0 takes one that is free' }
}

/** @type {Record<string, Option>} */
const EXPORT_OPTIONS = {
  figure: { value: 'ROOM', help: 'the id or the kind of a room, such as weights' },
  model: { value: 'NAME', help: 'a model of the page (dates)' },
  input: { value: 'TEXT', help: 'the text that the model reads' },
  head: { value: 'N', integer: [0, 4096], help: 'the number of a head, from 0 (0)' },
  settings: { value: 'LIST', help: 'settings as in a link of the page: causal=true&heads=2' },
  lang: { value: 'NAME', choices: ['en', 'ko', 'zh'], help: 'en (default), ko, zh' },
  theme: { value: 'NAME', choices: ['light', 'dark'], help: 'light (default) or dark' },
  out: { value: 'FILE', help: 'the .svg file to write; short: -o' }
}

/**
 * By command; '' prints the stages of a block.
 * @type {Record<string, { takes: string, options: Record<string, Option> }>}
 */
export const COMMANDS = {
  '': { takes: '[sentence ...]', options: STAGE_OPTIONS },
  'inspect': { takes: 'PATH', options: { json: { help: 'for programs' } } },
  'tokenize': { takes: 'PATH [text ...]', options: { json: { help: 'ids, tokens and offsets, for programs' } } },
  'generate': { takes: 'PATH [text ...]', options: GENERATE_OPTIONS },
  'explain': { takes: 'PATH [text ...]', options: EXPLAIN_OPTIONS },
  'convert': {
    takes: 'PATH',
    options: {
      out: { value: 'FOLDER', help: 'where config.json, model.safetensors and tokenizer.json are saved' },
      json: { help: 'the saved files, for programs' }
    }
  },
  'train': { takes: 'WHAT', options: TRAIN_OPTIONS },
  'export': { takes: '', options: EXPORT_OPTIONS },
  'serve': { takes: '[PATH]', options: SERVE_OPTIONS }
}

const GLOBAL_OPTIONS = { help: { help: 'show this help' }, version: { help: 'show the version' } }

/** @type {Record<string, Option>} */
const ALL_OPTIONS = Object.assign({ ...GLOBAL_OPTIONS }, ...Object.values(COMMANDS).map(({ options }) => options))

const COMMAND_NAMES = Object.keys(COMMANDS).filter(Boolean)

/** The command of a call: the first argument, if it is a command, else ''. @param {string[]} positionals */
export const findCommand = ([word]) => (COMMAND_NAMES.includes(word) ? word : '')

/** The command that is most similar to a word. @param {string} word */
export const closestCommand = word => findSimilar(word, COMMAND_NAMES, 1)[0]

/** The options of a command, formatted for --help. @param {string} command */
export const formatOptions = command => Object.entries(COMMANDS[command].options)
  .map(([name, { value = '', help }]) => `  ${`--${name} ${value}`.padEnd(22)} ${help}\n`).join('')

/** @param {number} low @param {number} high */
function formatRange(low, high) {
  if (low === Number.MIN_VALUE) return 'more than 0'
  return high >= MAX_SEED || high === MAX_INT ? `${low} or more` : `from ${low} to ${high}`
}

/** @param {string} name @param {string} text @returns {string | number} */
function parseValue(name, text, { choices, integer, range } = /** @type {Option} */ (ALL_OPTIONS[name])) {
  const usageError = (/** @type {string} */ expected) => new UsageError(`--${name} must be ${expected}, got '${text}'`)
  if (choices && !choices.includes(text)) throw usageError(`one of ${choices.join(', ')}`)
  const limits = integer ?? range
  if (!limits) return text
  const number = text.trim() === '' ? NaN : Number(text), [low, high] = limits
  const isValid = number >= low && number <= high && (!integer || Number.isInteger(number))
  if (!isValid) throw usageError(`${integer ? 'an integer' : 'a number'} ${formatRange(low, high)}`)
  return number
}

/** @type {Record<string, string>} */
const SHORT_NAMES = { help: 'h', out: 'o' }

/** @param {string[]} args */
function parse(args) {
  const options = Object.fromEntries(Object.entries(ALL_OPTIONS).map(([name, { value }]) => [name, {
    type: value ? /** @type {const} */ ('string') : /** @type {const} */ ('boolean'), multiple: true,
    ...(name in SHORT_NAMES && { short: SHORT_NAMES[name] })
  }]))
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    const [message] = /** @type {Error} */ (error).message.split('. To specify'), [, given] = /'--([\w-]+)/.exec(message) ?? []
    const meant = given && !(given in options) && `; did you mean --${findSimilar(given, Object.keys(options), 1)}?`
    throw new UsageError(message.split('\n')[0] + (meant || ''))
  }
}

/**
 * Parses and checks the arguments of a call.
 * @param {string[]} args
 * @returns {{ command: string, positionals: string[], values: Record<string, any> }} values: by option
 * @throws {UsageError}
 */
export function readArguments(args) {
  const parsed = parse(args), command = findCommand(parsed.positionals)
  const { options } = COMMANDS[command], positionals = parsed.positionals.slice(command ? 1 : 0)
  const values = Object.entries(parsed.values).map(([name, list]) => {
    const all = /** @type {(string | boolean)[]} */ (list)
    if (!(name in options) && !(name in GLOBAL_OPTIONS)) {
      const owners = COMMAND_NAMES.filter(owner => name in COMMANDS[owner].options).join(' and ') || 'the stages of a sentence'
      throw new UsageError(`--${name} belongs to ${owners}, not to ${command || 'the stages of a sentence'}`)
    }
    const read = all.map(value => (typeof value === 'string' ? parseValue(name, value, options[name]) : value))
    if (name === 'stage') return [name, read]
    if (read.length > 1) throw new UsageError(`--${name} is given ${read.length} times`)
    return [name, read[0]]
  })
  return { command, positionals, values: Object.fromEntries(values) }
}

/** Converts the name of an option to that of the library: 'top-k' to 'topK'. @param {string} name */
export const toCamelCase = name => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())

/** The options with values, as settings of the library. */
const SETTING_NAMES = new RegExp(`\\b(${[STAGE_OPTIONS, GENERATE_OPTIONS].flatMap(options => (
  Object.entries(options).filter(([, { value }]) => value).map(([name]) => toCamelCase(name)))).join('|')})\\b`, 'g')

/** Replaces the names of settings in a message of the library by those of options. @param {string} message */
export const nameOptions = message => message.replace(/^\w+: /, '')
  .replace(SETTING_NAMES, name => `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`)
