import { expectInteger, expectOneOf, expectOptions, isPlain } from '../errors.js'

/** The options that are names. @type {Record<string, string[]>} */
const CHOICES = { side: ['left', 'right'], strategy: ['longest_first', 'only_first', 'only_second'] }

/**
 * Reads an option of `encode` that is a length or an object.
 * @param {string} name @param {unknown} value @param {string} lengthName
 * @param {Record<string, any>} defaults @param {number} [least] that a length may be @returns {Record<string, any>}
 */
export function readLimits(name, value, lengthName, defaults, least = 0) {
  const where = `tokenizer.encode: ${name}`
  const options = isPlain(value) ? { ...defaults, ...expectOptions(where, value, Object.keys(defaults)) }
    : { ...defaults, ...value !== true && { [lengthName]: value } }
  for (const [key, setting] of Object.entries(options)) {
    if (CHOICES[key]) expectOneOf(where, key, setting, CHOICES[key])
    else if (key !== 'id') expectInteger(where, key, setting, least, MAX_LENGTH)
  }
  return options
}

/** The largest length that a text can be padded or truncated to. */
const MAX_LENGTH = 2 ** 24
