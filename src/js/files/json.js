import { GlassformerError, describe, expect } from '../errors.js'

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g

/**
 * The first key that appears twice in an object of a JSON text; JSON.parse silently keeps the last value.
 * @param {string} json known to be well-formed
 */
function findDuplicateKey(json) {
  /** The keys of every enclosing object; null for an array. @type {(Set<string> | null)[]} */ const open = []
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
 * Parses a JSON object and refuses duplicate keys.
 * @param {string} name of the file or its part, for error messages @param {string} json
 * @returns {Record<string, any>}
 * @throws {GlassformerError} 'format' for any other text
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
  const duplicate = findDuplicateKey(json)
  expect(duplicate === undefined, 'format', () => `${name} has the key ${describe(duplicate)} twice`)
  return value
}
