import { GlassformerError, describe, isPlain } from '../errors.js'

/**
 * Reads fields of a tokenizer.json, which may be written by hand. Each function returns the value or throws an error
 * that names the field.
 */

/** @param {string} message */
export const formatError = message => new GlassformerError('format', message)

/**
 * Throws unless a file is well-formed.
 * @param {unknown} ok @param {() => string} message
 * @param {unknown[]} came the value that came instead, for the end of the message
 * @returns {asserts ok}
 */
export function expectFormat(ok, message, ...came) {
  if (!ok) throw formatError([message(), ...came.map(describe)].join(', got '))
}

/**
 * The same, for a part of a tokenizer.
 * @param {unknown} ok @param {() => string} message @param {unknown[]} came @returns {asserts ok}
 */
export function expectPart(ok, message, ...came) {
  expectFormat(ok, () => `tokenizer: ${message()}`, ...came)
}

/** Maximum nesting of parts, such as Sequence in Sequence. */
const MAX_DEPTH = 50

/**
 * Looks up the type of a part. @template K @param {string} where @param {any} json the part
 * @param {Record<string, K>} kinds by type
 * @returns {K}
 */
export function readType(where, json, kinds) {
  expectFormat(isPlain(json), () => `${where} must be an object with a type`, json)
  const { type } = /** @type {{ type?: unknown }} */ (json), names = Object.keys(kinds).join(', ')
  expectFormat(typeof type === 'string', () => `${where}: type must be one of ${names}`, type)
  expectFormat(Object.hasOwn(kinds, type), () => `${where} ${JSON.stringify(type)} is not among ${names}`)
  return kinds[type]
}

/**
 * Throws if parts are nested too deep.
 * @param {string} where @param {unknown} json a part
 * @param {number} [depth] grows by 2 with each part: an object and an array
 */
export function expectDepth(where, json, depth = 0) {
  expectFormat(depth <= 2 * MAX_DEPTH, () => `${where} has parts nested more than ${MAX_DEPTH} deep`)
  if (json instanceof Object) for (const part of Object.values(json)) expectDepth(where, part, depth + 1)
}

/**
 * A function that reads a field.
 * @template T @param {(value: any) => boolean} isValid
 * @param {string} expected in words
 * @returns {(where: string, json: any, name: string, fallback?: T) => T}
 */
const reader = (isValid, expected) => (where, json, name, fallback) => {
  const value = json[name] ?? fallback
  expectFormat(isValid(value), () => `${where}: ${name} must be ${expected}`, value)
  return value
}

export const isString = (/** @type {unknown} */ value) => typeof value === 'string'
export const readString = /** @type {typeof reader<string>} */ (reader)(isString, 'a string')
export const readInteger = /** @type {typeof reader<number>} */ (reader)(value => Number.isInteger(value) && value >= 0, 'an integer from 0')
export const readBoolean = /** @type {typeof reader<boolean>} */ (reader)(value => typeof value === 'boolean', 'true or false')
export const readArray = /** @type {typeof reader<any[]>} */ (reader)(Array.isArray, 'an array')

/**
 * @template {string} C
 * @param {string} where @param {any} json @param {string} name @param {readonly C[]} choices
 * @param {C} [fallback] if it is missing
 * @returns {C}
 */
export const readChoice = (where, json, name, choices, fallback) =>
  /** @type {typeof reader<C>} */ (reader)(value => choices.includes(value), `one of ${choices.join(', ')}`)(where, json, name, fallback)

/**
 * @template T @param {(item: any) => boolean} isValid @param {string} expected in words
 * @returns {(where: string, json: any, name: string) => T[]}
 */
const arrayOf = (isValid, expected) => (where, json, name) => {
  const list = Array.from(readArray(where, json, name))
  list.forEach((item, i) => expectFormat(isValid(item), () => `${where}: ${name}[${i}] must be ${expected}`, item))
  return list
}

export const readIntegers = /** @type {typeof arrayOf<number>} */ (arrayOf)(Number.isInteger, 'an integer')
export const readStrings = /** @type {typeof arrayOf<string>} */ (arrayOf)(isString, 'a string')
