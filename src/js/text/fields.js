import { describe, expect, isPlain } from '../errors.js'

/**
 * Fields of the parts of a tokenizer.json, which somebody may have written by hand: what they are, or an error that
 * names them.
 */

/** Parts in parts, as Sequence has them, go no deeper. */
const MAX_DEPTH = 50

/**
 * What makes a part, by its type. @template K @param {string} where @param {any} json the part
 * @param {Record<string, K>} kinds
 * @returns {K}
 */
export function kindIn(where, json, kinds) {
  expect(isPlain(json), 'format', () => `${where} must be an object with a type, got ${describe(json)}`)
  const { type } = /** @type {{ type?: unknown }} */ (json), names = Object.keys(kinds).join(', ')
  expect(typeof type === 'string', 'format', () => `${where}: type must be one of ${names}, got ${describe(type)}`)
  expect(Object.hasOwn(kinds, type), 'format', () => `${where} ${JSON.stringify(type)} is not among ${names}`)
  return kinds[type]
}

/**
 * @param {string} where @param {unknown} json a part
 * @param {number} [depth] of which each part in a part takes two: an object and its list
 */
export function expectShallow(where, json, depth = 0) {
  expect(depth <= 2 * MAX_DEPTH, 'format', () => `${where} has parts in parts more than ${MAX_DEPTH} deep`)
  if (json instanceof Object) for (const part of Object.values(json)) expectShallow(where, part, depth + 1)
}

/**
 * @param {(one: any) => boolean} isOne @param {string} expected in words
 * @returns {(where: string, json: any, name: string) => any[]}
 */
const listOf = (isOne, expected) => (where, json, name) => listIn(where, json, name).map((one, i) => {
  expect(isOne(one), 'format', () => `${where}: ${name}[${i}] must be ${expected}, got ${describe(one)}`)
  return one
})

/** @type {(where: string, json: any, name: string) => number[]} */
export const idsIn = listOf(Number.isInteger, 'a whole number')
/** @type {(where: string, json: any, name: string) => string[]} */
export const textsIn = listOf(one => typeof one === 'string', 'text')

/** @param {string} where @param {any} json @param {string} name @returns {any[]} */
export function listIn(where, json, name) {
  expect(Array.isArray(json[name]), 'format', () => `${where}: ${name} must be a list, got ${describe(json[name])}`)
  return Array.from(json[name])
}

/**
 * @param {string} where @param {any} json @param {string} name @param {string} [usual] if it is not there
 * @returns {string}
 */
export function textIn(where, json, name, usual) {
  const value = json[name] ?? usual
  expect(typeof value === 'string', 'format', () => `${where}: ${name} must be text, got ${describe(value)}`)
  return value
}

/** @param {string} where @param {any} json @param {string} name @param {number} usual @returns {number} */
export function wholeIn(where, json, name, usual) {
  const value = json[name] ?? usual
  expect(Number.isInteger(value) && value >= 0, 'format',
    () => `${where}: ${name} must be a whole number from 0, got ${describe(value)}`)
  return value
}

/**
 * @template {string} C
 * @param {string} where @param {any} json @param {string} name @param {readonly C[]} choices
 * @param {C} [usual] if it is not there
 * @returns {C}
 */
export function choiceIn(where, json, name, choices, usual) {
  const value = json[name] ?? usual
  expect(choices.includes(value), 'format',
    () => `${where}: ${name} must be one of ${choices.join(', ')}, got ${describe(value)}`)
  return value
}

/** @param {string} where @param {any} json @param {string} name @param {boolean} usual @returns {boolean} */
export function flagIn(where, json, name, usual) {
  const value = json[name] ?? usual
  expect(typeof value === 'boolean', 'format', () => `${where}: ${name} must be true or false, got ${describe(value)}`)
  return value
}
