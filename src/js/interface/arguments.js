import { expectArgumentCount } from './arity.js'
import { describe, expect, expectBoolean, expectOptions, formatShape, isPlain, tensorHint } from '../errors.js'
import { FORWARDS, FUNCTIONS } from './signatures.js'

/**
 * Reads the arguments of calls: in PyTorch's order, by name in one object at the end, or both, as in Python. The
 * library's functions take some by position and the others as properties of one object; a call of that form is passed
 * on as it is.
 *
 * @typedef {(args: any[]) => any[]} Read the arguments as the function takes them
 *
 * @typedef {{ readonly max: number, read: Read }} Reader max: the number of arguments in PyTorch's order
 *
 * @typedef {object} Signature
 * @property {string[]} order the parameters that have a position, in PyTorch's order
 * @property {string[]} fixed those that the function takes by position
 * @property {string[]} options those that it takes as properties of its last argument
 * @property {string[]} byName those of them that have no position
 * @property {Set<string>} unsupported parameters that PyTorch has and the library has not
 * @property {Set<string>} ignored flags of PyTorch that change nothing here
 * @property {Set<string>} objectParameters parameters whose value may be a plain object
 * @property {boolean} isOpen whether the function reads any number of arguments itself
 * @property {boolean} takesAnyObject whether a plain object at the end is an argument, never options
 */

/** @param {string} text a signature as in signatures.js, which explains its signs @returns {Signature} */
export function parseSignature(text) {
  const [head, tail = ''] = text.split(/^\| | \| /), tokens = (/** @type {string} */ part) => part.split(' ').filter(Boolean)
  const nameOf = (/** @type {string} */ token) => token.replace(/^[-~+=&]|\?$/g, '').replace(/\?$/, '')
  const isPassed = (/** @type {string} */ token) => !/^[-~]/.test(token)
  const isOpen = head.startsWith('...'), takesAnyObject = head.startsWith('= ')
  const beforeBar = tokens(head).slice(isOpen || takesAnyObject ? 1 : 0), afterBar = tokens(tail)
  const starIndex = afterBar.indexOf('*')
  const placed = starIndex < 0 ? afterBar : afterBar.slice(0, starIndex)
  const unplaced = starIndex < 0 ? [] : afterBar.slice(starIndex + 1)
  return {
    order: [...beforeBar, ...placed].map(nameOf), fixed: beforeBar.filter(token => isPassed(token) && token[0] !== '&').map(nameOf),
    options: [...beforeBar.filter(token => token[0] === '&'), ...placed, ...unplaced].filter(isPassed).map(nameOf),
    byName: unplaced.map(nameOf),
    unsupported: new Set([...beforeBar, ...afterBar].filter(token => token.startsWith('-')).map(nameOf)),
    ignored: new Set([...beforeBar, ...afterBar].filter(token => /^~(?!normalizedShape)/.test(token)).map(nameOf)),
    objectParameters: new Set(beforeBar.filter(token => token.startsWith('=')).map(nameOf)), isOpen, takesAnyObject
  }
}

/** @param {unknown} value */
const isTensor = value => 'dtype' in Object(value)

/** @param {unknown} value */
const isShape = value => typeof value === 'number' || Array.isArray(value)

/**
 * PyTorch's norms take the normalized shape before the weight; here it may be left out. Inserts undefined in place of a
 * shape that was left out, and checks one that was given.
 * @param {string} where @param {any[]} args
 */
function alignNormalizedShape(where, args) {
  const [input, given] = args
  if (!isShape(given)) return given === undefined || isPlain(given) ? args : [input, undefined, ...args.slice(1)]
  const sides = [given].flat()
  if (where === 'layerNorm' && sides.length > 1) return args
  const last = (input?.shape ?? []).slice(-1)
  expect(sides.length === 1 && sides[0] === last[0], 'shape', () => `${where}: normalizedShape must be the last side of ` +
    `the input, ${formatShape(last)}, got ${formatShape(sides)}`)
  return args
}

/**
 * Joins the sides at the start of the arguments into one shape. Undefined counts as a side, so that `zeros(n)` with an
 * undefined `n` is an error.
 * @param {any[]} args a shape as numbers, and options
 */
function gatherSize(args) {
  const firstOption = args.findIndex(arg => typeof arg !== 'number' && arg !== undefined), end = firstOption < 0 ? args.length : firstOption
  return end ? [args.slice(0, end), ...args.slice(end)] : args
}

/** @param {any} options */
const hasUnbiased = options => Object(options) === options && 'unbiased' in options

/**
 * Functions some of whose calls cannot be read by the signature alone. applies: whether a call is one of these; before:
 * changes its arguments before they are read; after: changes the values by name.
 * @typedef {{ applies: (args: any[]) => boolean, before?: (args: any[], skipped: number) => any[],
 *   after?: (values: Record<string, any>) => void }} SpecialCase
 * @type {Record<string, SpecialCase>}
 */
const SPECIAL_CASES = {
  norm: {
    applies: args => args.some(arg => arg === 'fro' || (isPlain(arg) && /** @type {any} */ (arg).p === 'fro')),
    after(values) {
      if (values.p === 'fro') values.p = 2
    }
  },
  randint: { applies: args => Array.isArray(args[1]), before: args => (Array.isArray(args[1]) ? [0, ...args] : args) },
  // meshgrid(x, y): only x is passed on, so that the function's own error says that it takes a list.
  meshgrid: { applies: args => isTensor(args[0]), before: args => (isTensor(args[0]) ? args.slice(0, 1) : args) }
}
// DataLoader's batchSize may be null (no batches); for all other options null by position means the default.
SPECIAL_CASES.DataLoader = {
  applies: args => args[1] === null,
  before([dataset, batchSize, ...rest]) {
    if (batchSize !== null) return [dataset, batchSize, ...rest]
    const named = isPlain(rest.at(-1)) ? rest.pop() : {}
    return [dataset, undefined, ...rest, { ...named, batchSize }]
  }
}
for (const name of ['zeros', 'ones', 'empty', 'rand', 'randn']) {
  SPECIAL_CASES[name] = { applies: args => typeof args[0] === 'number', before: gatherSize }
}
for (const name of ['layerNorm', 'rmsNorm']) {
  SPECIAL_CASES[name] = { applies: args => isShape(args[1]), before: args => alignNormalizedShape(name, args) }
}
for (const name of ['var', 'std']) SPECIAL_CASES[name] = {
  applies: args => hasUnbiased(args.at(-1)),
  before: (args, skipped) => (typeof args[1 - skipped] === 'boolean' ? args.toSpliced(1 - skipped, 0, undefined) : args),
  after: values => readUnbiased(name, values)
}

/** PyTorch's older name for correction 1 or 0. @param {string} name @param {Record<string, any>} values */
function readUnbiased(name, values) {
  const { unbiased } = values
  if (unbiased !== undefined && unbiased !== null) values.correction ??= Number(expectBoolean(name, 'unbiased', unbiased))
  delete values.unbiased
}

const WITHOUT_WORKERS = 'leave it out: there are no worker processes'

/** Accepted values of arguments that only PyTorch has, because they change nothing. @type {Record<string, unknown>} */
const NEUTRAL = { numWorkers: 0, timeout: 0, sizeAverage: null, reduce: null }

/** What to write instead of arguments that only PyTorch has. @type {Record<string, (name: string) => string>} */
const UNSUPPORTED_HINTS = {
  alpha: name => `write x.${name}(y.mul(alpha))`, device: () => 'leave it out: there is one memory',
  dtype: () => 'leave it out: modules compute in float32', numWorkers: () => WITHOUT_WORKERS, timeout: () => WITHOUT_WORKERS,
  workerInitFn: () => WITHOUT_WORKERS, multiprocessingContext: () => WITHOUT_WORKERS,
  pinMemory: () => 'leave it out: there is one memory', createGraph: () => 'leave it out: gradients have no gradients',
  inputs: () => 'write gf.grad(y, inputs), which changes no grad',
  sizeAverage: () => 'write { reduction: \'sum\' } for false', reduce: () => 'write { reduction: \'none\' } for false'
}

/**
 * The parameters of a signature in words, without the first ones.
 * @param {Signature} signature @param {number} skipped the number of those
 */
function describeOrder({ order, byName }, skipped) {
  const placed = order.slice(skipped), names = placed.length > 1 ? `${placed.join(', ')} in this order` : placed.join()
  return `${names}${byName.length ? `${names && ' and '}{ ${byName.join(', ')} }` : ''}`
}

/** A copy without what is undefined at the end. @param {any[]} args */
const dropUndefined = args => args.slice(0, args.findLastIndex(arg => arg !== undefined) + 1)

/**
 * The values of a call by the names of the parameters.
 * @param {string} name @param {Signature} signature @param {any[]} args
 * @param {number} skipped the number of parameters before the first argument: 1 for methods, whose tensor is `this`
 */
function readValues(name, signature, args, skipped) {
  const { order, byName, unsupported, ignored, objectParameters } = signature, names = order.slice(skipped)
  const list = dropUndefined(args)
  // An object that has the parameter's own name as a key is options.
  const isObjectArgument = (/** @type {any} */ value, /** @type {number} */ i) => (
    objectParameters.has(names[i]) && !(names[i] in value))
  const hasOptions = list.length > 0 && isPlain(list.at(-1)) && !isObjectArgument(list.at(-1), list.length - 1)
  const named = hasOptions ? list.pop() : {}
  if (list.length > names.length) expectArgumentCount(name, names.length, list, describeOrder(signature, skipped))
  const early = list.findIndex((value, i) => isPlain(value) && !isObjectArgument(value, i))
  expect(early < 0, 'type', () => `${name}: options go into one object at the end, after ${describeOrder(signature, skipped)}; ` +
    `got ${describe(list[early])} in place of ${names[early]}`)
  const known = [...names, ...byName].filter(key => !unsupported.has(key) || key in named)
  if (list.length === known.length && Object.keys(named).some(key => !known.includes(key))) {
    expectArgumentCount(name, known.length, [...list, named], describeOrder(signature, skipped))
  }
  if (hasOptions) expectOptions(name, named, known)
  /** @type {Record<string, any>} */ const values = { ...named }
  list.forEach((value, i) => {
    const key = names[i]
    if (value === undefined || (value === null && signature.options.includes(key))) return
    expect(!(key in named), 'type', () => `${name}: ${key} is given twice, as ${describe(value)} by position and as ` +
      `${describe(named[key])} by name`)
    expect(key !== 'dim' || !('dtype' in Object(value)), 'type',
      () => `${name}: dim must be a number, got ${describe(value)}${tensorHint(name)}`)
    values[key] = value
  })
  for (const key of unsupported) {
    expect([undefined, null, key in NEUTRAL ? NEUTRAL[key] : false].includes(values[key]), 'type',
      () => `${name}: there is no ${key} here, got ${describe(values[key])}; ${UNSUPPORTED_HINTS[key]?.(name) ?? 'leave it out'}`)
  }
  for (const key of ignored) if ((values[key] ?? undefined) !== undefined) expectBoolean(name, key, values[key])
  return values
}

/**
 * The function that brings a call into the form in which the library's function takes it.
 * @param {string} name @param {string | undefined} text the signature, undefined where there is none
 * @param {number} count how many arguments a function without a signature takes
 * @param {number} [skipped] the number of parameters before the first argument: 1 for methods, whose tensor is `this`
 * @returns {Reader}
 */
export function createReader(name, text, count, skipped = 0) {
  if (text === undefined) {
    const max = count - skipped
    return { max, read: args => (expectArgumentCount(name, max, args), args) }
  }
  if (text.startsWith('...')) return { max: Infinity, read: args => args }
  // Parsing all signatures takes 4 ms, and most programs call few of the functions.
  /** @type {Reader | undefined} */ let reader
  const parse = () => (reader ??= createParsedReader(name, parseSignature(text), skipped))
  return { get max() { return parse().max }, read: args => parse().read(args) }
}

/** @param {string} name @param {Signature} signature @param {number} skipped @returns {Reader} */
function createParsedReader(name, signature, skipped) {
  const { order, options, ignored, takesAnyObject } = signature, max = order.length - skipped
  if (takesAnyObject) {
    return { max, read: args => (expectArgumentCount(name, max, args, describeOrder(signature, skipped)), args) }
  }
  const fixed = signature.fixed.slice(skipped), maxOwnForm = fixed.length + (options.length ? 1 : 0)
  const { applies, before, after } = SPECIAL_CASES[name] ?? {}
  /** @type {Read} */ const readAll = args => {
    const valuesByName = readValues(name, signature, before ? before(args, skipped) : args, skipped)
    after?.(valuesByName)
    const list = fixed.map(key => valuesByName[key]), given = options.filter(key => valuesByName[key] !== undefined)
    if (given.length) list.push(Object.fromEntries(given.map(key => [key, valuesByName[key]])))
    else while (list.length && list.at(-1) === undefined) list.pop()
    return list
  }
  return {
    max,
    read(args) {
      const n = args.length
      if (n === 0) return args
      if (n > maxOwnForm || applies?.(args)) return readAll(args)
      const last = args[n - 1], isInOptionsPlace = n > fixed.length
      if (typeof last !== 'object' || last === null) return isInOptionsPlace && last !== undefined ? readAll(args) : args
      const isOwnForm = isPlain(last) === isInOptionsPlace && !Object.keys(last).some(key => ignored.has(key))
      return isOwnForm ? args : readAll(args)
    }
  }
}

/**
 * Wraps a function so that it takes its arguments in PyTorch's order and by name, and surplus ones are an error.
 * @template {(...args: any[]) => any} F @param {string} name @param {F} fn
 * @param {string | undefined} text its signature @returns {F}
 */
export function withSignature(name, fn, text) {
  if (text?.startsWith('...')) return fn
  const reader = createReader(name, text, fn.length), { read } = reader
  const reading = (/** @type {any[]} */ ...args) => fn(...read(args))
  const properties = { name: { value: name }, length: { get: () => reader.max } }
  return /** @type {any} */ (Object.defineProperties(reading, properties))
}

/**
 * Wraps every function of an object by the signature of its name.
 * @template {Record<string, any>} T @param {T} functions
 * @param {Record<string, string>} [signatures] default: those of the functions
 * @returns {import('./argument_types.js').AllWithOrder<T>}
 */
export const withSignatures = (functions, signatures = FUNCTIONS) => /** @type {any} */ (Object.fromEntries(
  Object.entries(functions).map(([name, value]) => [name, typeof value === 'function'
    ? withSignature(name, value, signatures[name]) : value])))

/**
 * The library's original forwards and the readers of their arguments, by wrapped forward.
 * @type {WeakMap<Function, { forward: Function, read: Read }>}
 */
const originalForwards = new WeakMap()

/**
 * Lets the forwards of the library's modules read their arguments, so that those of subclasses can call them in
 * PyTorch's order, too.
 * @param {Record<string, any>} classes of modules
 */
export function wrapForwards(classes) {
  for (const [name, { prototype }] of Object.entries(classes)) {
    const text = /** @type {Record<string, string>} */ (FORWARDS)[name], own = Object.hasOwn(prototype, 'forward')
    if (!own || (!text && prototype.forward.length === 0)) continue
    const { forward } = prototype, { read } = createReader(text ? name : `${name}.forward`, text, forward.length)
    const { forward: reading } = {
      /** @this {object} @param {any[]} args */
      forward(...args) {
        return forward.apply(this, read(args))
      }
    }
    Object.defineProperty(reading, 'length', { value: forward.length })
    Object.defineProperty(prototype, 'forward', { value: reading })
    originalForwards.set(reading, { forward, read })
  }
}

/**
 * The original of a forward that wrapForwards has wrapped, and the reader of its arguments; a user's forward as it is.
 * @param {Function} forward @returns {{ forward: Function, read?: Read }}
 */
export const readerOf = forward => originalForwards.get(forward) ?? { forward }
