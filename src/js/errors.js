/**
 * The error that the library throws for wrong arguments, files and states.
 *
 * `code` is for programs: 'type' (not the kind of value expected), 'shape', 'range' (a number outside its limits),
 * 'index' (an id outside a table), 'memory', 'state' (called at the wrong time), 'text', 'format' (a malformed file).
 * The message is for people: it names the argument, what was expected and what came.
 */
export class GlassformerError extends Error {
  /**
   * @param {'type' | 'shape' | 'range' | 'index' | 'memory' | 'state' | 'text' | 'format'} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message)
    this.name = 'GlassformerError'
    this.code = code
  }
}

/** @param {number} bytes that could not be allocated */
export const outOfMemoryError = bytes => new GlassformerError('memory', `out of memory: ${bytes} bytes could not be ` +
  `allocated${hints.memory}`)

/** @param {readonly number[]} shape */
export const formatShape = shape => `[${shape.join(', ')}]`

/**
 * Describes a value in a few words, for the end of an error message.
 * @param {unknown} value
 * @returns {string}
 */
export function describe(value) {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'string') {
    return value.length > 40 ? `a string of ${value.length} characters` : JSON.stringify(value)
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return `${value}n`
  try {
    return describeObject(value)
  } catch {
    return 'an object that cannot be read'
  }
}

/** Cells of the page remove the global; callable modules are functions by typeof, but not of this class. */
const FunctionClass = Function

/** @param {object} value @returns {string} */
function describeObject(value) {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (value instanceof FunctionClass) return `the function ${value.name || '(anonymous)'}`
  const tensor = hints.tensor(value)
  if (tensor) return tensor
  if (isPlain(value)) return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'nothing in it'}`
  return `a value of type ${Object.getPrototypeOf(value)?.constructor?.name ?? typeof value}`
}

/**
 * @param {boolean} condition
 * @param {ConstructorParameters<typeof GlassformerError>[0]} code
 * @param {() => string} message built only when it is needed
 * @returns {asserts condition}
 */
export function expect(condition, code, message) {
  if (!condition) throw new GlassformerError(code, message())
}

/**
 * Throws a 'type' error that ends with what came, unless a value is as expected.
 * @param {unknown} isValid @param {string} expected such as 'words: text must be a string' @param {unknown} value
 * @returns {asserts isValid}
 */
export function expectType(isValid, expected, value) {
  if (!isValid) throw new GlassformerError('type', `${expected}, got ${describe(value)}`)
}

/** @param {string} where */
export const otherEngineError = where => new GlassformerError('state',
  `${where}: the tensors must belong to one engine, got one of another engine; load() once and make all there`)

/**
 * Throws unless all tensors belong to the engine: an address means nothing in another memory.
 * @param {string} where
 * @param {import('./engine/engine.js').Engine | undefined} engine
 * @param {readonly ({ engine: import('./engine/engine.js').Engine } | null | undefined)[]} tensors
 */
export function expectEngine(where, engine, tensors) {
  for (const tensor of tensors) if (tensor && tensor.engine !== engine) throw otherEngineError(where)
}

/**
 * A promise that throws an error when a property of its result is read, as happens where `await` was forgotten.
 * @template T
 * @param {Promise<T>} promise @param {readonly string[]} names of properties of the result
 * @param {string} example correct code, for the message
 */
export function guardPromise(promise, names, example) {
  const get = () => { throw new GlassformerError('state', `this is a promise, not yet its result; write ${example}`) }
  return Object.defineProperties(promise, Object.fromEntries(names.map(name => [name, { get }])))
}

/**
 * Calls a function that must not be async, and returns its result.
 * @template T
 * @param {string} where
 * @param {() => T} fn
 * @returns {T}
 */
export function runSync(where, fn) {
  expect(typeof fn === 'function', 'type', () => `${where}: fn must be a function, got ${describe(fn)}; write gf.${where}(() => …)`)
  const isAsync = /** @type {any} */ (fn)[Symbol.toStringTag] === 'AsyncFunction', result = isAsync ? null : fn()
  if (result instanceof Promise) result.catch(() => {}) // the error below is the one to see
  expect(!isAsync && !(result instanceof Promise), 'type',
    () => `${where}: fn must not be async; tensors made after its first await would be missed, so await before`)
  return /** @type {T} */ (result)
}

/**
 * The tensors of a list, or an error that names the first wrong value.
 * @param {string} where
 * @param {string} name
 * @param {Iterable<import('./tensor/tensor.js').Tensor>} values
 * @param {(value: unknown) => boolean} isValid
 * @param {string} expected in words, such as 'a tensor'
 * @returns {import('./tensor/tensor.js').Tensor[]}
 */
export function expectList(where, name, values, isValid, expected) {
  const isList = typeof values?.[Symbol.iterator] === 'function' && !('dtype' in Object(values))
  expect(isList, 'type', () => `${where}: ${name} must be a list of tensors, got ${describe(values)}`)
  const list = [...values]
  list.forEach((value, i) => expect(isValid(value), 'type',
    () => `${where}: ${name}[${i}] must be ${expected}, got ${describe(value)}`))
  return list
}

/**
 * An integer from `low` to `high`, or an error that names the argument.
 * @param {string} where the function or class it was given to
 * @param {string} name
 * @param {unknown} value
 * @param {number} [low]
 * @param {number} [high]
 * @returns {number}
 */
export function expectInteger(where, name, value, low = 0, high = 2 ** 31 - 1) {
  expect(
    typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high,
    typeof value === 'number' ? 'range' : 'type',
    () => `${where}: ${name} must be an integer from ${low} to ${high}, got ${describe(value)}${hints.positional(name, value)}`
  )
  return value
}

/**
 * A number that passes a check, or an error that names the argument.
 * @param {string} where
 * @param {string} name
 * @param {unknown} value
 * @param {string} expected in words, such as 'a number from 0 to 1'
 * @param {(value: number) => boolean} isValid
 * @returns {number}
 */
export function expectNumber(where, name, value, expected, isValid) {
  expect(
    typeof value === 'number' && isValid(value),
    typeof value === 'number' ? 'range' : 'type',
    () => `${where}: ${name} must be ${expected}, got ${describe(value)}${hints.positional(name, value)}`
  )
  return value
}

/** @param {string} where @param {string} name @param {unknown} p @returns {number} */
export const expectProbability = (where, name, p) =>
  expectNumber(where, name, p, 'a number from 0 to 1', v => v >= 0 && v <= 1)

/**
 * Whether a value is a plain object, of any realm.
 * @param {unknown} value @returns {value is object}
 */
export function isPlain(value) {
  if (value === null || typeof value !== 'object') return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * What errors say of tensors, options and positional arguments. option_hints.js of the tensor library fills it in;
 * tokenizers alone have none of them.
 */
export const hints = {
  /** @type {(value: object) => string} */ tensor: () => '',
  memory: '',
  /** @type {(order: string, surplus: unknown) => string} */ surplus: () => '',
  /** @type {(names: readonly string[], name: string) => string} */ synonym: () => '',
  /** @type {(name: string, value: unknown) => string} */ positional: () => '',
  /** @type {(names: readonly string[], given: unknown) => string} */ option: () => ''
}

/**
 * The options of a call: an object with no other names than these, empty when left out. Unknown names are errors, since
 * a misspelt option would otherwise be ignored.
 * @param {string} where @param {unknown} options @param {readonly string[]} names @returns {any}
 */
export function expectOptions(where, options, names) {
  if (options === undefined) return {}
  expect(isPlain(options), 'type', () => `${where}: options must be an object with ${names.join(', ')}, ` +
    `got ${describe(options)}${hints.option(names, options)}`)
  for (const name in options) {
    expect(names.includes(name), 'type', () => `${where}: there is no option ${describe(name)}, only ` +
      `${names.join(', ')}${hints.synonym(names, name)}`)
  }
  return options
}

/** A hint for a module that was given in place of its tensors. @param {unknown} given */
export const stateDictHint = given => (given instanceof Object && 'stateDict' in given ? '; write model.stateDict()' : '')

/** Hints for a tensor in place of a dim, by function. @type {Record<string, string>} */
const TENSOR_HINTS = {
  cat: '; write gf.cat([a, b])', stack: '; write gf.stack([a, b])', max: '; write gf.maximum(a, b)',
  min: '; write gf.minimum(a, b)'
}

/** What to write instead of a tensor in place of a dim. @param {string} name of the function */
export const tensorHint = name => TENSOR_HINTS[name] ?? ''

/** The Levenshtein distance of two strings. @param {string} a @param {string} b */
export function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1]))
    }
    row = next
  }
  return row[b.length]
}

/**
 * The names that are most similar to an unknown name, best first.
 * @param {unknown} name @param {readonly string[]} names @param {number} [count] the maximum number
 */
export function findSimilar(name, names, count = 5) {
  const wanted = String(name).slice(0, 80).toLowerCase()
  const score = (/** @type {string} */ candidate) => {
    const full = candidate.toLowerCase(), last = full.slice(full.lastIndexOf('.') + 1)
    const distance = Math.min(editDistance(wanted, full), editDistance(wanted, last) + 0.5)
    return distance - Number(full.includes(wanted)) * wanted.length
  }
  return names.map(candidate => ({ candidate, distance: score(candidate) }))
    .sort((a, b) => a.distance - b.distance).slice(0, count).map(({ candidate }) => candidate)
}

/** @param {string} where @param {string} name @param {unknown} value @returns {boolean} */
export function expectBoolean(where, name, value) {
  expect(typeof value === 'boolean', 'type', () => `${where}: ${name} must be true or false, got ${describe(value)}`)
  return value
}

/**
 * One of a few strings, or an error that lists them.
 * @template {string} T
 * @param {string} where
 * @param {string} name
 * @param {unknown} value
 * @param {readonly T[]} choices
 * @returns {T}
 */
export function expectOneOf(where, name, value, choices) {
  const choice = choices.find(candidate => candidate === value)
  expect(choice !== undefined, typeof value === 'string' ? 'range' : 'type',
    () => `${where}: ${name} must be one of ${choices.map(c => `'${c}'`).join(', ')}, got ${describe(value)}`)
  return choice
}

/**
 * The message for an index outside a tensor.
 * @param {string} where @param {readonly number[]} shape @param {string} name @param {unknown} index
 */
export const describeOutside = (where, shape, name, index) => {
  if (Array.isArray(index) && index.length !== shape.length) {
    return `${where}: index must have one entry for each of the ${shape.length} axes of ${name} ${formatShape(shape)}, ` +
      `got ${index.length}`
  }
  const isIndex = Array.isArray(index) && index.every(i => i === null || ['number', 'object'].includes(typeof i))
  return `${where}: index must be inside the shape ${formatShape(shape)} of ${name}, ` +
    `got ${isIndex ? JSON.stringify(index) : describe(index)}`
}
