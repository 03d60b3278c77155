import { GlassformerError, describe, expect } from '../errors.js'

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g

/**
 * The first key that an object of a JSON text has twice; JSON.parse keeps the last without a word.
 * @param {string} json known to be well-formed
 */
function repeatedKey(json) {
  /** The keys of every object around; null for an array. @type {(Set<string> | null)[]} */ const open = []
  let string = ''
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(null)
    else if (token === '}' || token === ']') open.pop()
    else if (token !== ':') string = token
    else {
      const keys = /** @type {Set<string>} */ (open.at(-1)), key = JSON.parse(string)
      if (keys.has(key)) return key
      keys.add(key)
    }
  }
  return undefined
}

/**
 * An object from JSON in which no key stands twice.
 * @param {string} name of the file or its part, for messages @param {string} json
 * @returns {Record<string, any>}
 * @throws {GlassformerError} 'format' for anything else
 */
export function parseObject(name, json) {
  let value
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw new GlassformerError('format', `${name} is not JSON: ${/** @type {Error} */ (error).message}`)
  }
  expect(value !== null && typeof value === 'object' && !Array.isArray(value), 'format',
    () => `${name} must be an object, got ${describe(value)}`)
  const repeated = repeatedKey(json)
  expect(repeated === undefined, 'format', () => `${name} has the key ${describe(repeated)} twice`)
  return value
}
