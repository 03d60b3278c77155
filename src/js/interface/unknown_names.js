import { GlassformerError, describe, editDistance } from '../errors.js'
import { toCamelCase } from './letter_case.js'

/**
 * Refuses names that tensors and modules do not have. JavaScript would read undefined, which fails later or not at all,
 * and PyTorch's subscripts (x[mask] = v), which JavaScript converts to names, would do nothing. The check stands at the
 * end of the prototype chain, so names that exist cost nothing.
 */

/**
 * What other programs ask of every value: promises and JSON, test runners and the frameworks of pages. By convention
 * names that begin with an underscore, a dollar or two at-signs are no part of an interface.
 */
const ASKED_OF_ALL = new Set([
  'then', 'toJSON', 'inspect', 'asymmetricMatch', 'toAsymmetricMatcher', 'nodeType', 'nodeName', 'tagName', 'hasAttribute',
  'ownerDocument', 'window', 'document', 'href', 'isSinonProxy'
])
/** What is asked of functions, which modules are. */
const ASKED_OF_FUNCTIONS = new Set(['name', 'length', 'prototype', 'caller', 'arguments'])
/** @param {string} key */
const isAskedOfAll = key => /^(_|\$|@@)/.test(key) || ASKED_OF_ALL.has(key)

/** Subscripts that are also valid identifiers. */
const WORDS = ['null', 'undefined', 'true', 'false', 'NaN', 'Infinity']
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u

/** Whether a key is a name rather than a subscript. @param {string} key */
const isName = key => IDENTIFIER.test(key) && !WORDS.includes(key)

/** A tensor as subscript is converted to its string. @param {string} key */
const isTensor = key => /tensor\b/.test(key)

/** What to write instead to read values. @param {string} key */
function readingHint(key) {
  if (/^-?\d+$/.test(key)) {
    return `x.select(0, ${key}) for x[${key}], x.narrow(0, from, length) for x[from:to], and x.at(...) for one number`
  }
  if (isTensor(key)) return 'x.maskedSelect(mask) for x[mask], x.indexSelect(0, ids) for x[ids]'
  if (key === 'null') return 'x.unsqueeze(0) for x[None]'
  if (/^-?\d+(,-?\d+)+$/.test(key)) return `x.indexSelect(0, [${key}]) for x[[${key}]], x.at(${key}) for one number`
  return 'x.slice(dim, start, end) for x[start:end], x.select(dim, i) for x[i], x.indexSelect(dim, list) for x[list]'
}

/** What to write instead to change values. @param {string} key */
const writingHint = key => (isTensor(key)
  ? 'x = x.maskedFill(mask, value) for x[mask] = value, x.scatter(dim, index, src) for x[ids] = src'
  : 'gf.where, x.scatter or x.maskedFill for a tensor with other values, or change single ones in x.data')

/** The prototypes of JavaScript; the page's exercises have no Function any more when a name is looked for. */
const ENDS = [Object.prototype, Function.prototype]

/** All names of an object and its classes, without internal ones. @param {object} object */
function namesOf(object) {
  /** @type {string[]} */ const names = []
  for (let at = object; at && !ENDS.includes(at); at = Object.getPrototypeOf(at)) {
    names.push(...Object.getOwnPropertyNames(at))
  }
  return [...new Set(names)].filter(name => name !== 'constructor')
}

/**
 * What an unknown name was meant to be: PyTorch's spelling of one, or the most similar.
 * @param {string} key @param {object} object
 */
function spellingHint(key, object) {
  const camel = toCamelCase(key)
  if (camel !== key && camel in object) return `${key} is spelled ${camel} here`
  const limit = /\d/.test(key) ? 0 : key.length < 5 ? 1 : 2, wanted = key.toLowerCase()
  const similar = namesOf(object).map(name => ({ name, distance: editDistance(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit).sort((a, b) => a.distance - b.distance)
  return similar.length ? `did you mean ${similar[0].name}?` : ''
}

/**
 * Hints for names that exist elsewhere, by name; a name in snake_case has the hint in camelCase, too.
 * @param {Record<string, string>} hints @param {string} key
 */
const findHint = (hints, key) => {
  const known = Object.keys(hints).find(name => name === key || toCamelCase(name) === key)
  return known === undefined ? undefined : hints[known]
}

/** @typedef {(key: string, object: any) => GlassformerError | null} Explain null allows the name */

/**
 * The end of a prototype chain, which refuses names that are not found before it.
 * @param {object} end what would be the end
 * @param {Explain} explain the error for a name that is read @param {Explain} [explainWriting] for one that is written
 * @returns {object}
 */
function createEnd(end, explain, explainWriting) {
  return new Proxy(Object.create(end), {
    get(target, key, object) {
      const error = typeof key === 'symbol' || key in target || isAskedOfAll(key) ? null : explain(key, object)
      if (error) throw error
      return Reflect.get(target, key, object)
    },
    ...(explainWriting && {
      /** @param {object} target @param {string | symbol} key @param {unknown} value @param {object} object */
      set(target, key, value, object) {
        const error = typeof key === 'symbol' || key in target || /^(_|\$|@@)/.test(key) ? null : explainWriting(key, object)
        if (error) throw error
        return Reflect.set(target, key, value, object)
      }
    })
  })
}

/** @param {string} message */
const error = message => new GlassformerError('type', message)

/**
 * The end of the prototype chain of tensors.
 * @param {Record<string, string>} hints for names that tensors do not have
 */
export const createTensorEnd = hints => createEnd(Object.prototype, (key, tensor) => {
  if (!isName(key)) return error(`${describe(tensor)} cannot be indexed with [ ]; write ${readingHint(key)}`)
  const hint = findHint(hints, key)
  if (hint !== undefined) return error(`a tensor has no ${key} here; ${hint}`)
  const spelling = spellingHint(key, tensor)
  return error(/ is spelled /.test(spelling) ? spelling : `a tensor has no ${key}${spelling && `; ${spelling}`}`)
}, (key, tensor) => {
  if (!isName(key)) return error(`${describe(tensor)} cannot be assigned with [ ]; write ${writingHint(key)}`)
  const spelling = spellingHint(key, tensor)
  return error(/ is spelled /.test(spelling) ? spelling
    : `a tensor cannot get the property ${key}${spelling ? `; ${spelling}` : '; keep it in a Map, or in an object beside the tensor'}`)
})

/**
 * The end of the prototype chain of other objects.
 * @param {object} end @param {string} noun what one is called
 * @param {Record<string, string>} hints for names that it does not have; an empty one allows a name that some have
 * @param {string} [reader] the method that takes what stands between brackets
 */
export const createObjectEnd = (end, noun, hints, reader) => createEnd(end, (key, object) => {
  if (hints[key] === '') return null
  const hint = findHint(hints, key) ?? (reader && !isName(key) ? `write ${noun}.${reader}('${key}')` : spellingHint(key, object))
  return error(/ is spelled /.test(hint) ? hint : `a ${noun} has no ${key}${hint && `; ${hint}`}`)
})

/** The end of the prototype chain of what max and min give along one axis. */
export const createExtremesEnd = () => createEnd(Object.prototype, key => error('x.max({ dim }) gives { values, indices }, ' +
  `which have no ${key}; write x.max({ dim }).values.${key}`))

/**
 * The end of the prototype chain of modules, which may get any property.
 * @param {object} end @param {Record<string, string>} hints for names that modules do not have
 * @param {(module: any) => Record<string, string>} moreHints of some classes
 */
export const createModuleEnd = (end, hints, moreHints) => createEnd(end, (key, module) => {
  if (ASKED_OF_FUNCTIONS.has(key)) return null
  const more = findHint(moreHints(module), key)
  if (more !== undefined) return error(more)
  const hint = findHint(hints, key)
  if (hint !== undefined) return error(`a module has no ${key} here; ${hint}`)
  const spelling = spellingHint(key, module), { name } = module.constructor
  return error(/ is spelled /.test(spelling) ? spelling : `${name} has no ${key}${spelling ? `; ${spelling}` : ''}`)
})
