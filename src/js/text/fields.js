import { describe, expect } from '../errors.js'

/**
 * Fields of the parts of a tokenizer.json, which somebody may have written by hand: what they are, or an error that
 * names them.
 */

/** @param {string} where @param {any} json @param {string} name @returns {any[]} */
export function listIn(where, json, name) {
  expect(Array.isArray(json[name]), 'format', () => `${where}: ${name} must be a list, got ${describe(json[name])}`)
  return Array.from(json[name])
}

/** @param {string} where @param {any} json @param {string} name @returns {string} */
export function textIn(where, json, name) {
  expect(typeof json[name] === 'string', 'format', () => `${where}: ${name} must be text, got ${describe(json[name])}`)
  return json[name]
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
