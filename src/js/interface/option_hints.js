import { describe, formatShape, hints, isPlain } from '../errors.js'
import { toCamelCase } from './letter_case.js'

/** Hints in errors about options, for readers who come from other libraries. */

/**
 * Names that other libraries use for options, in camel case, with the option here and how to write it.
 * @type {Record<string, [name: string, written: string]>}
 */
const OPTION_SYNONYMS = {
  axis: ['dim', '{ dim }'], axes: ['dim', '{ dim }'], keepdims: ['keepdim', '{ keepdim }'], keepDim: ['keepdim', '{ keepdim }'],
  unbiased: ['correction', '{ correction: 0 } for unbiased: false'], ord: ['p', '{ p }'], numBeams: ['beams', '{ beams }'],
  doSample: ['temperature', '{ temperature: 1 }'], maxLength: ['maxNewTokens', '{ maxNewTokens }'], eosTokenId: ['end', '{ end }'],
  streamer: ['onToken', '{ onToken }']
}

/**
 * A hint for an option of another library, or in PyTorch's spelling.
 * @param {readonly string[]} names @param {string} name
 */
const synonymHint = (names, name) => {
  const spelling = toCamelCase(name), [own, written] = OPTION_SYNONYMS[spelling] ?? []
  return names.includes(own) ? `; write ${written}` : names.includes(spelling) ? `; ${name} is spelled ${spelling} here` : ''
}

/** A hint for a positional argument that was given in an object. @param {string} name @param {unknown} value */
function positionalHint(name, value) {
  const own = isPlain(value) ? /** @type {any} */ (value)[name] : undefined
  return own === undefined ? '' : `; it is a positional argument, write ${describe(own)}`
}

/** Options that a value without a name may stand for, by its type. @type {Record<string, string[]>} */
const OPTIONS_BY_TYPE = {
  string: ['dtype', 'reduction', 'activation'], number: ['p', 'dim', 'alpha', 'lr', 'threads', 'mean', 'gain', 'a', 'maxNewTokens', 'batchSize'],
  boolean: ['isCausal', 'keepdim', 'bias', 'retainGraph', 'persistent'], object: ['dim']
}

/** A hint for an option that was given without its name. @param {readonly string[]} names @param {unknown} given */
function optionHint(names, given) {
  if (Array.isArray(given) && names.includes('dtype')) return SHAPE_HINT
  const isShort = Array.isArray(given) ? given.length < 5 && given.every(side => typeof side === 'number')
    : Object(given) !== given
  const name = isShort ? OPTIONS_BY_TYPE[typeof given]?.find(option => names.includes(option)) : undefined
  return name ? `; write { ${name}: ${JSON.stringify(given)} }` : ''
}

/** Describes a tensor; '' for other values. @param {object} value */
function describeTensor(value) {
  const { dtype, shape } = /** @type {{ dtype?: unknown, shape?: number[] }} */ ('dtype' in value ? value : {})
  if (typeof dtype !== 'string' || !Array.isArray(shape)) return ''
  return `${dtype.startsWith('int') ? 'an' : 'a'} ${dtype} tensor ${formatShape(shape)}`
}

const MEMORY_HINT = '; tensors made in a loop are freed only between tasks, or at once by gf.tidy around its body'
const SHAPE_HINT = '; a shape is one array, such as [2, 3]'

/** A hint for a shape after other arguments. @param {string} order the arguments in words @param {unknown} surplus */
const surplusHint = (order, surplus) => (Array.isArray(surplus) && order.startsWith('size') ? SHAPE_HINT : '')

/** Adds the hints to the errors of the library. */
export function addOptionHints() {
  Object.assign(hints, {
    memory: MEMORY_HINT, surplus: surplusHint, tensor: describeTensor, synonym: synonymHint, positional: positionalHint,
    option: optionHint
  })
}
