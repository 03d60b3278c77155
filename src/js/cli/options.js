/** What the command understands: its options, what each must be, and which of them go with which command. */
import { parseArgs } from 'node:util'
import { findSimilar } from '../errors.js'
import { STAGES } from './stages.js'

/** A mistake in how the command was called: exit code 2. */
export class UsageError extends Error {}

/**
 * @typedef {object} Option
 * @property {string} [value] what stands behind it; nothing if not said
 * @property {readonly string[]} [words] that it may be
 * @property {[number, number]} [whole] least and most of a whole number
 * @property {[number, number]} [from] least and most of any number
 * @property {string} help
 */

const MOST = 2 ** 31 - 1, SEEDS = 2 ** 53 - 1

/** @type {Record<string, Option>} */
const STAGES_OF_A_BLOCK = {
  'stage': { value: 'NAME', words: STAGES, help: 'only this stage (may be given more than once)' },
  'json': { help: 'all numbers at full precision, for programs' },
  'tokenizer': { value: 'NAME', words: ['words', 'whitespace'], help: 'words (NLTK\'s rules, default) or whitespace' },
  'd-model': { value: 'N', whole: [1, 4096], help: 'width of every vector (16)' },
  'heads': { value: 'N', whole: [1, 4096], help: 'attention heads, a divisor of d-model (4)' },
  'positions': {
    value: 'NAME', words: ['interleaved', 'concatenated', 'learned'], help: 'interleaved (default), concatenated or learned'
  },
  'base': { value: 'N', from: [Number.MIN_VALUE, Number.MAX_VALUE], help: 'base of the sinusoidal positions (10000)' },
  'max-length': { value: 'N', whole: [1, 100_000], help: 'positions in the table (5000)' },
  'causal': { help: 'hide the tokens after each query' },
  'dropout': { value: 'P', from: [0, 1], help: 'probability to drop a value (0.1); only with --train' },
  'train': { help: 'training mode: dropout is active' },
  'seed': { value: 'N', whole: [0, SEEDS], help: 'torch.manual_seed (42)' }
}

/** @type {Record<string, Option>} */
const GENERATING = {
  'json': { help: 'ids and text, for programs' },
  'max-new-tokens': { value: 'N', whole: [0, MOST], help: 'most tokens that are added (20)' },
  'temperature': { value: 'T', from: [0, Number.MAX_VALUE], help: 'draw; above 1 more boldly, 0 takes the likeliest' },
  'top-k': { value: 'N', whole: [0, MOST], help: 'draw from the N likeliest' },
  'top-p': { value: 'P', from: [0, 1], help: 'draw from the likeliest that hold the share P' },
  'beams': { value: 'N', whole: [1, 1024], help: 'search with N beams for the likeliest answer as a whole' },
  'seed': { value: 'N', whole: [0, SEEDS], help: 'of the draws, torch.manual_seed' }
}

/** @type {Record<string, Option>} */
const TRAINING = {
  'steps': { value: 'N', whole: [1, 100_000], help: 'how many (1000 for a text)' },
  'until': { value: 'N', whole: [0, 100_000], help: 'stop after this step; the schedule stays that of --steps' },
  'seed': { value: 'N', whole: [0, 2 ** 32 - 1], help: 'of weights and batches (42)' },
  'rate': { value: 'R', from: [0, 1000], help: 'highest learning rate' },
  'batch': { value: 'N', whole: [1, 256], help: 'examples a step' },
  'layers': { value: 'N', whole: [1, 64], help: 'blocks' },
  'heads': { value: 'N', whole: [1, 64], help: 'attention heads, a divisor of d-model' },
  'd-model': { value: 'N', whole: [1, 4096], help: 'width of every vector' },
  'dim-feedforward': { value: 'N', whole: [1, 65536], help: 'width of the layer between' },
  'unit': { value: 'NAME', words: ['characters', 'pairs'], help: 'tokens of a text: characters (default) or pairs of bytes' },
  'size': { value: 'N', whole: [257, 2000], help: 'how many tokens there are with --unit pairs (512)' },
  'length': { value: 'N', whole: [4, 128], help: 'tokens that are read at a time (48)' },
  'text': { value: 'FILE', help: 'the text, where WHAT is a link of the training theatre' },
  'from': { value: 'FILE', help: 'go on where this file of a training stopped' },
  'start': { value: 'FILE', help: 'weights to begin with, where the link says that they were given' },
  'out': { value: 'FILE', help: 'weights and moments, as safetensors (WHAT.safetensors)' },
  'json': { help: 'a line of JSON each time it is looked at, for programs' }
}

/**
 * By command; '' prints the stages of a block.
 * @type {Record<string, { takes: string, options: Record<string, Option> }>}
 */
export const COMMANDS = {
  '': { takes: '[sentence ...]', options: STAGES_OF_A_BLOCK },
  'inspect': { takes: 'PATH', options: { json: { help: 'for programs' } } },
  'tokenize': { takes: 'PATH [text ...]', options: { json: { help: 'ids, tokens and offsets, for programs' } } },
  'generate': { takes: 'PATH [text ...]', options: GENERATING },
  'convert': {
    takes: 'PATH',
    options: {
      out: { value: 'FOLDER', help: 'where config.json, model.safetensors and tokenizer.json are written' },
      json: { help: 'what was written, for programs' }
    }
  },
  'train': { takes: 'WHAT', options: TRAINING }
}

const GLOBAL = { help: { help: 'this' }, version: { help: 'of glassformer' } }

/** @type {Record<string, Option>} */
const ALL = Object.assign({ ...GLOBAL }, ...Object.values(COMMANDS).map(({ options }) => options))

const NAMES = Object.keys(COMMANDS).filter(Boolean)

/** The command of a call: its first word, if that is one. @param {string[]} positionals */
export const commandOf = ([word]) => (NAMES.includes(word) ? word : '')

/** A word that is nearly a command, with something behind it that exists. @param {string} word */
export const meantBy = word => findSimilar(word, NAMES, 1)[0]

/** Options of a command as help shows them. @param {string} command */
export const optionLines = command => Object.entries(COMMANDS[command].options)
  .map(([name, { value = '', help }]) => `  ${`--${name} ${value}`.padEnd(22)} ${help}\n`).join('')

/** @param {number} low @param {number} high */
function limitsText(low, high) {
  if (low === Number.MIN_VALUE) return 'more than 0'
  return high >= SEEDS || high === MOST ? `${low} or more` : `from ${low} to ${high}`
}

/** @param {string} name @param {string} text @returns {string | number} */
function valueOf(name, text, { words, whole, from } = /** @type {Option} */ (ALL[name])) {
  const wrong = (/** @type {string} */ wanted) => new UsageError(`--${name} must be ${wanted}, got '${text}'`)
  if (words && !words.includes(text)) throw wrong(`one of ${words.join(', ')}`)
  const limits = whole ?? from
  if (!limits) return text
  const number = text.trim() === '' ? NaN : Number(text), [low, high] = limits
  const isOne = number >= low && number <= high && (!whole || Number.isInteger(number))
  if (!isOne) throw wrong(`a ${whole ? 'whole ' : ''}number ${limitsText(low, high)}`)
  return number
}

/** @param {string[]} args */
function parse(args) {
  const options = Object.fromEntries(Object.entries(ALL).map(([name, { value }]) => [name, {
    type: value ? /** @type {const} */ ('string') : /** @type {const} */ ('boolean'), multiple: true,
    ...(name === 'help' && { short: 'h' })
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
 * The words and options of a call, each of them checked.
 * @param {string[]} args
 * @returns {{ command: string, words: string[], values: Record<string, any> }} values by the names of the options
 */
export function readArguments(args) {
  const { values: given, positionals } = parse(args), command = commandOf(positionals)
  const { options } = COMMANDS[command], words = command ? positionals.slice(1) : positionals
  const values = Object.entries(given).map(([name, list]) => {
    const all = /** @type {(string | boolean)[]} */ (list)
    if (!(name in options) && !(name in GLOBAL)) {
      const owner = NAMES.filter(one => name in COMMANDS[one].options).join(' and ') || 'the stages of a sentence'
      throw new UsageError(`--${name} belongs to ${owner}, not to ${command || 'the stages of a sentence'}`)
    }
    const read = all.map(value => (typeof value === 'string' ? valueOf(name, value, options[name]) : value))
    if (name === 'stage') return [name, read]
    if (read.length > 1) throw new UsageError(`--${name} is given ${read.length} times`)
    return [name, read[0]]
  })
  return { command, words, values: Object.fromEntries(values) }
}

/** A name as the library has it: 'top-k' as topK. @param {string} name */
export const camel = name => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())

/** Settings as the library's messages name them. */
const SETTINGS = /\b(maxNewTokens|temperature|topK|topP|beams|dModel|maxLength|heads|base|dropout|positions|tokenizer|seed)\b/g

/** The command's words for the library's, in its messages. @param {string} message */
export const inOptions = message => message.replace(/^\w+: /, '')
  .replace(SETTINGS, name => `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`)
