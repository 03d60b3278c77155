/** Whether a forward takes a cache: read from its parameters, as Hugging Face's generate inspects a signature. */

/** Names of a parameter with options that a forward passes on as a whole. */
const OPTION_NAMES = /^(options|opts|config|settings|kwargs)$/

/**
 * Splits a list of parameters at its outermost commas.
 * @param {string} text source of a function, from its first parenthesis
 */
function splitParameters(text) {
  const parameters = ['']
  let depth = 0
  for (const character of text) {
    if (')]}'.includes(character) && --depth === 0) break
    if (character === ',' && depth === 1) parameters.push('')
    else if (depth > 0) parameters[parameters.length - 1] += character
    if ('([{'.includes(character)) depth++
  }
  return parameters.map(parameter => parameter.trim())
}

/**
 * Whether the second parameter of a forward holds a cache: it is { cache }, ...args, or an object whose cache the
 * forward reads. Another one, such as nanoGPT's targets, must not get an object it does not expect.
 * @param {Function} forward
 */
export function takesCache(forward) {
  const text = Function.prototype.toString.call(forward).replace(/\/\*[^]*?\*\/|\/\/.*/g, '')
  const isBareArrow = /^(async\s*)?[\w$]+\s*=>/.test(text)
  const [first = '', second = ''] = isBareArrow ? [] : splitParameters(text.slice(text.indexOf('(')))
  if (first.startsWith('...') || second.startsWith('...')) return true
  if (second.startsWith('{')) return /\bcache\b|\.\.\./.test(second)
  const [name = ''] = second.match(/^[\w$]+/) ?? [], pattern = name.replaceAll('$', '\\$')
  if (name === '' || OPTION_NAMES.test(name)) return name !== ''
  // options.cache, { cache } = options, or { cache } = check(options)
  return new RegExp(`(?<![\\w$.])${pattern}\\??\\.cache\\b`).test(text) ||
    new RegExp(`\\{[^{}]*\\bcache\\b[^{}]*\\}\\s*=\\s*([\\w$.]+\\([^()=;]*)?(?<![\\w$.])${pattern}(?![\\w$])`).test(text)
}
