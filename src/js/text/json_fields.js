import { describe, expect, isPlain } from '../errors.js'

/**
 * Reads fields of a tokenizer.json, which may be written by hand. Each function returns the value or throws an error
 * that names the field.
 */

/** Maximum nesting of parts, such as Sequence in Sequence. */
const MAX_DEPTH = 50

/**
 * Looks up the type of a part. @template K @param {string} where @param {any} json the part
 * @param {Record<string, K>} kinds by type
 * @returns {K}
 */
export function readType(where, json, kinds) {
  expect(isPlain(json), 'format', () => `${where} must be an object with a type, got ${describe(json)}`)
  const { type } = /** @type {{ type?: unknown }} */ (json), names = Object.keys(kinds).join(', ')
  expect(typeof type === 'string', 'format', () => `${where}: type must be one of ${names}, got ${describe(type)}`)
  expect(Object.hasOwn(kinds, type), 'format', () => `${where} ${JSON.stringify(type)} is not among ${names}`)
  return kinds[type]
}

/**
 * Throws if parts are nested too deep.
 * @param {string} where @param {unknown} json a part
 * @param {number} [depth] grows by 2 with each part: an object and an array
 */
export function expectDepth(where, json, depth = 0) {
  expect(depth <= 2 * MAX_DEPTH, 'format', () => `${where} has parts nested more than ${MAX_DEPTH} deep`)
  if (json instanceof Object) for (const part of Object.values(json)) expectDepth(where, part, depth + 1)
}

/**
 * @param {(item: any) => boolean} isValid @param {string} expected in words
 * @returns {(where: string, json: any, name: string) => any[]}
 */
const arrayOf = (isValid, expected) => (where, json, name) => readArray(where, json, name).map((item, i) => {
  expect(isValid(item), 'format', () => `${where}: ${name}[${i}] must be ${expected}, got ${describe(item)}`)
  return item
})

/** @type {(where: string, json: any, name: string) => number[]} */
export const readIntegers = arrayOf(Number.isInteger, 'an integer')
/** @type {(where: string, json: any, name: string) => string[]} */
export const readStrings = arrayOf(item => typeof item === 'string', 'a string')

/** @param {string} where @param {any} json @param {string} name @returns {any[]} */
export function readArray(where, json, name) {
  expect(Array.isArray(json[name]), 'format', () => `${where}: ${name} must be an array, got ${describe(json[name])}`)
  return Array.from(json[name])
}

/**
 * @param {string} where @param {any} json @param {string} name @param {string} [fallback] if it is missing
 * @returns {string}
 */
export function readString(where, json, name, fallback) {
  const value = json[name] ?? fallback
  expect(typeof value === 'string', 'format', () => `${where}: ${name} must be a string, got ${describe(value)}`)
  return value
}

/** @param {string} where @param {any} json @param {string} name @param {number} fallback @returns {number} */
export function readInteger(where, json, name, fallback) {
  const value = json[name] ?? fallback
  expect(Number.isInteger(value) && value >= 0, 'format',
    () => `${where}: ${name} must be an integer from 0, got ${describe(value)}`)
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
  expect(choices.includes(value), 'format',
    () => `${where}: ${name} must be one of ${choices.join(', ')}, got ${describe(value)}`)
  return value
}

/** @param {string} where @param {any} json @param {string} name @param {boolean} fallback @returns {boolean} */
export function readBoolean(where, json, name, fallback) {
  const value = json[name] ?? fallback
  expect(typeof value === 'boolean', 'format', () => `${where}: ${name} must be true or false, got ${describe(value)}`)
  return value
}
