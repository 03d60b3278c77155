import { GlassformerError, describe, isPlain } from '../errors.js'

/**
 * Reads fields of a tokenizer.json, which may be written by hand. Each function returns the value or throws an error
 * that names the field.
 */

/** @param {string} message */
export const formatError = message => new GlassformerError('format', message)

/** Throws unless a file is well-formed. @param {unknown} ok @param {() => string} message @returns {asserts ok} */
export function expectFormat(ok, message) {
  if (!ok) throw formatError(message())
}

/** The same, for a part of a tokenizer. @param {unknown} ok @param {() => string} message @returns {asserts ok} */
export function expectPart(ok, message) {
  expectFormat(ok, () => `tokenizer: ${message()}`)
}

/** Maximum nesting of parts, such as Sequence in Sequence. */
const MAX_DEPTH = 50

/**
 * Looks up the type of a part. @template K @param {string} where @param {any} json the part
 * @param {Record<string, K>} kinds by type
 * @returns {K}
 */
export function readType(where, json, kinds) {
  expectFormat(isPlain(json), () => `${where} must be an object with a type, got ${describe(json)}`)
  const { type } = /** @type {{ type?: unknown }} */ (json), names = Object.keys(kinds).join(', ')
  expectFormat(typeof type === 'string', () => `${where}: type must be one of ${names}, got ${describe(type)}`)
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
 * @param {(item: any) => boolean} isValid @param {string} expected in words
 * @returns {(where: string, json: any, name: string) => any[]}
 */
const arrayOf = (isValid, expected) => (where, json, name) => readArray(where, json, name).map((item, i) => {
  expectFormat(isValid(item), () => `${where}: ${name}[${i}] must be ${expected}, got ${describe(item)}`)
  return item
})

/** @type {(where: string, json: any, name: string) => number[]} */
export const readIntegers = arrayOf(Number.isInteger, 'an integer')
/** @type {(where: string, json: any, name: string) => string[]} */
export const readStrings = arrayOf(item => typeof item === 'string', 'a string')

/** @param {string} where @param {any} json @param {string} name @returns {any[]} */
export function readArray(where, json, name) {
  expectFormat(Array.isArray(json[name]), () => `${where}: ${name} must be an array, got ${describe(json[name])}`)
  return Array.from(json[name])
}

/**
 * @param {string} where @param {any} json @param {string} name @param {string} [fallback] if it is missing
 * @returns {string}
 */
export function readString(where, json, name, fallback) {
  const value = json[name] ?? fallback
  expectFormat(typeof value === 'string', () => `${where}: ${name} must be a string, got ${describe(value)}`)
  return value
}

/** @param {string} where @param {any} json @param {string} name @param {number} fallback @returns {number} */
export function readInteger(where, json, name, fallback) {
  const value = json[name] ?? fallback
  expectFormat(Number.isInteger(value) && value >= 0, () => `${where}: ${name} must be an integer from 0, got ${describe(value)}`)
  return value
}

/**
 * @template {string} C
 * @param {string} where @param {any} json @param {string} name @param {readonly C[]} choices
 * @param {C} [fallback] if it is missing
 * @returns {C}
 */
export function readChoice(where, json, name, choices, fallback) {
  const value = json[name] ?? fallback
  expectFormat(choices.includes(value), () => `${where}: ${name} must be one of ${choices.join(', ')}, got ${describe(value)}`)
  return value
}

/** @param {string} where @param {any} json @param {string} name @param {boolean} fallback @returns {boolean} */
export function readBoolean(where, json, name, fallback) {
  const value = json[name] ?? fallback
  expectFormat(typeof value === 'boolean', () => `${where}: ${name} must be true or false, got ${describe(value)}`)
  return value
}
