/*! Contains @huggingface/jinja, Copyright (c) 2023 Hugging Face, under the MIT License, whose text is in LICENSE. */
import { GlassformerError, describe, expect, expectBoolean, expectOptions, expectType, isPlain } from '../errors.js'
import { compileTemplate } from './jinja_interpreter.js'
import { decodeUtf8 } from './utf8.js'

/**
 * Chat templates: programs in Jinja that write a conversation as the text that a model was trained on. This file and
 * the interpreter are loaded when `applyChatTemplate` is called for the first time.
 */

/** @typedef {import('./tokenizer.js').Encoding} Encoding */
/**
 * A message; templates may read other fields too.
 * @typedef {{ role: string, content?: any, [field: string]: any }} Message
 */
/**
 * @typedef {object} ChatOptions
 * @property {boolean} [addGenerationPrompt] whether the text ends with the beginning of an answer; default false
 * @property {boolean} [continueFinalMessage] whether the text ends inside the last message, which the model continues;
 *   default false
 * @property {Record<string, any>[] | null} [tools] JSON schemas of functions that the model may call
 * @property {Record<string, any>[] | null} [documents] documents that the model may cite
 * @property {string | null} [chatTemplate] another template, or the name of one of the tokenizer's; by default
 *   'tool_use' if there are tools and such a template, else 'default'
 * @property {Record<string, any>} [chatTemplateKwargs] further variables of the template, such as
 *   { enable_thinking: false }
 * @property {boolean} [tokenize] false gives the text instead of its tokens; default true
 * @property {import('./tokenizer.js').EncodeOptions['truncation']} [truncation] as for `encode`
 * @property {import('./tokenizer.js').EncodeOptions['padding']} [padding] as for `encode`
 */

const WHERE = 'tokenizer.applyChatTemplate'
const OPTIONS = ['addGenerationPrompt', 'continueFinalMessage', 'tools', 'documents', 'chatTemplate', 'chatTemplateKwargs',
  'tokenize', 'truncation', 'padding']

/** @param {unknown} error */
const messageOf = error => (error instanceof Error ? error.message : String(error))

/** @param {import('./files.js').Files} files @param {string} name @returns {Record<string, any>} */
function readObject(files, name) {
  if (files[name] === undefined) return {}
  const json = parseJson(name, readText(files[name]))
  expect(isPlain(json), 'format', () => `${WHERE}: ${name} must be an object, got ${describe(json)}`)
  return json
}

/** @param {string | Uint8Array | ArrayBuffer} content */
const readText = content => (typeof content === 'string' ? content : decodeUtf8(content)).replace(/^\ufeff/, '')

/** @param {string} name @param {string} text */
function parseJson(name, text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new GlassformerError('format', `${WHERE}: ${name} is not JSON: ${messageOf(error)}`)
  }
}

/**
 * The templates of the files by name, and the special tokens by role, such as bos_token.
 * @param {import('./files.js').Files} files
 */
function readFiles(files) {
  const config = readObject(files, 'tokenizer_config.json'), jinja = files['chat_template.jinja']
  const given = (jinja === undefined ? undefined : readText(jinja)) ?? config.chat_template ??
    readObject(files, 'chat_template.json').chat_template
  const list = Array.isArray(given) ? given : given == null ? [] : [{ name: 'default', template: given }]
  const templates = new Map(list.map((entry, i) => {
    expect(typeof entry?.name === 'string' && typeof entry.template === 'string', 'format', () => `${WHERE}: chat_template` +
      `${Array.isArray(given) ? `[${i}] must have a name and a template` : ' must be a string or a list'}, got ${describe(
        Array.isArray(given) ? entry : given)}`)
    return [entry.name, entry.template]
  }))
  const contentOf = (/** @type {any} */ token) => token?.content ?? token
  const roles = Object.entries({ ...readObject(files, 'special_tokens_map.json'), ...config }).flatMap(([role, value]) => (
    role === 'additional_special_tokens' && Array.isArray(value) ? [[role, value.map(contentOf)]]
      : role.endsWith('_token') && typeof contentOf(value) === 'string' ? [[role, contentOf(value)]] : []))
  return { templates, specialTokens: Object.fromEntries(roles) }
}

/**
 * @param {Map<string, string>} templates @param {unknown} given the option @param {boolean} hasTools
 * @returns {string}
 */
function chooseTemplate(templates, given, hasTools) {
  const names = [...templates.keys()]
  if (given != null) {
    expectType(typeof given === 'string', `${WHERE}: chatTemplate must be a template or the name of one`, given)
    return templates.get(given) ?? given
  }
  const template = (hasTools ? templates.get('tool_use') : undefined) ?? templates.get('default')
  if (template !== undefined) return template
  throw new GlassformerError('state', names.length
    ? `${WHERE}: no template is called 'default'; set chatTemplate to one of ${names.join(', ')}`
    : `${WHERE}: the tokenizer has no chat template; load it with the tokenizer_config.json or chat_template.jinja of a chat ` +
      'model, or pass { chatTemplate }')
}

/**
 * Cuts the text after the last message, so that a model continues it.
 * @param {string} text @param {Message} message
 */
function cutAfter(text, { content }) {
  const last = Array.isArray(content) ? content.findLast(part => part?.text !== undefined)?.text : content
  const trimmed = String(last ?? '').trim(), at = text.lastIndexOf(trimmed)
  expect(typeof last === 'string' && at >= 0, 'text', () => `${WHERE}: continueFinalMessage needs the content of the last message ` +
    'in the text of the template, which leaves it out or changes it')
  const withoutStart = last.trimStart()
  return text.slice(0, at + (text.startsWith(withoutStart, at) ? withoutStart : trimmed).length)
}

/** @param {any} messages @param {string} name */
function expectMessages(messages, name) {
  expect(Array.isArray(messages), 'type', () => `${WHERE}: ${name} must be a list of messages, such as ` +
    `[{ role: 'user', content: 'Hello' }], got ${describe(messages)}`)
  messages.forEach((/** @type {any} */ message, /** @type {number} */ i) => expectType(isPlain(message) && 'role' in message && typeof message.role === 'string', `${WHERE}: ${name}[${i}] must be an object with a role and a content`, message))
}

/**
 * See `Tokenizer.applyChatTemplate`.
 * @param {import('./tokenizer.js').Tokenizer} tokenizer @param {import('./files.js').Files} files
 * @param {Message[] | Message[][]} messages @param {ChatOptions} [options]
 */
export function applyChatTemplate(tokenizer, files, messages, options) {
  const { addGenerationPrompt = false, continueFinalMessage = false, tools = null, documents = null, chatTemplate,
    chatTemplateKwargs = {}, tokenize = true, ...encodeOptions } =
    /** @type {ChatOptions} */ (expectOptions(WHERE, options, OPTIONS))
  for (const [name, value] of Object.entries({ addGenerationPrompt, continueFinalMessage, tokenize })) {
    expectBoolean(WHERE, name, value)
  }
  for (const [name, value] of Object.entries({ tools, documents })) {
    expectType(value === null || (Array.isArray(value) && value.every(isPlain)), `${WHERE}: ${name} must be a list of objects`, value)
  }
  expectType(isPlain(chatTemplateKwargs), `${WHERE}: chatTemplateKwargs must be an object`, chatTemplateKwargs)
  expect(!addGenerationPrompt || !continueFinalMessage, 'type',
    () => `${WHERE}: addGenerationPrompt begins a new message, continueFinalMessage goes on with the last one; set one of them`)
  const isList = Array.isArray(messages) && messages.length > 0 && messages.every(Array.isArray)
  const chats = /** @type {Message[][]} */ (isList ? messages : [messages])
  chats.forEach((chat, i) => expectMessages(chat, isList ? `messages[${i}]` : 'messages'))
  const { templates, specialTokens } = readFiles(files)
  const source = chooseTemplate(templates, chatTemplate, tools !== null)
  const texts = chats.map(chat => {
    const text = render(source, { ...specialTokens, ...chatTemplateKwargs, messages: chat, tools, documents,
      add_generation_prompt: addGenerationPrompt })
    const last = chat.at(-1)
    return continueFinalMessage && last ? cutAfter(text, last) : text
  })
  const result = tokenize ? tokenizer.encode(texts, encodeOptions) : texts
  return isList ? result : result[0]
}

/**
 * Jinja's sandbox, in which Hugging Face renders templates, refuses longer ranges; all of a template may have ten times
 * that.
 */
const MAX_RANGE = 100_000, MAX_RANGES = 1_000_000

/** Python's `range`, with limits, so that no template runs without end. */
function createRange() {
  let total = 0
  return (/** @type {number} */ first, /** @type {number | undefined} */ second, step = 1) => {
    const [start, stop] = second === undefined ? [0, first] : [first, second]
    if (![start, stop, step].every(Number.isInteger) || step === 0) {
      throw new Error('range takes integers and a step that is not 0')
    }
    const length = Math.max(0, Math.ceil((stop - start) / step))
    total += length
    if (length > MAX_RANGE) throw new Error(`a range has more than ${MAX_RANGE} numbers`)
    if (total > MAX_RANGES) throw new Error(`all ranges have more than ${MAX_RANGES} numbers`)
    return Array.from({ length }, (_, i) => start + i * step)
  }
}

/** @param {string} source of the template @param {Record<string, any>} variables */
function render(source, variables) {
  let template
  try {
    template = compileTemplate(source)
  } catch (error) {
    throw new GlassformerError('format', `${WHERE}: the chat template cannot be read: ${messageOf(error)}`)
  }
  try {
    return template({ ...variables, range: createRange() })
  } catch (error) {
    throw new GlassformerError('text', `${WHERE}: the chat template fails: ${messageOf(error)}`)
  }
}
