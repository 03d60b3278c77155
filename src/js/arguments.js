import { expectArgumentCount } from './arity.js'
import { describe, expect, expectOptions, formatShape, isPlain, tensorHint } from './errors.js'
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
 * @property {Set<string>} missing what PyTorch has and the library has not
 * @property {Set<string>} objects what may be a plain object
 * @property {boolean} isOpen whether the function reads any number of arguments itself
 * @property {boolean} takesObjects whether a plain object may be an argument rather than options
 */

/** @param {string} text a line of the table @returns {Signature} */
export function parseSignature(text) {
  const [head, tail = ''] = text.split(/^\| | \| /), tokens = (/** @type {string} */ part) => part.split(' ').filter(Boolean)
  const nameOf = (/** @type {string} */ token) => token.replace(/^[-~+=&]|\?$/g, '').replace(/\?$/, '')
  const isPassed = (/** @type {string} */ token) => !/^[-~]/.test(token)
  const open = head.startsWith('...'), takesObjects = head.startsWith('= ')
  const first = tokens(head).slice(open || takesObjects ? 1 : 0), last = tokens(tail), star = last.indexOf('*')
  const placed = star < 0 ? last : last.slice(0, star), unplaced = star < 0 ? [] : last.slice(star + 1)
  return {
    order: [...first, ...placed].map(nameOf), fixed: first.filter(token => isPassed(token) && token[0] !== '&').map(nameOf),
    options: [...first.filter(token => token[0] === '&'), ...placed, ...unplaced].filter(isPassed).map(nameOf), byName: unplaced.map(nameOf),
    missing: new Set([...first, ...last].filter(token => token.startsWith('-')).map(nameOf)),
    objects: new Set(first.filter(token => token.startsWith('=')).map(nameOf)), isOpen: open, takesObjects
  }
}

/** @param {unknown} value */
const isTensor = value => 'dtype' in Object(value)

/** @param {unknown} value */
const isShape = value => typeof value === 'number' || Array.isArray(value)

/**
 * PyTorch's norms take the normalized shape before the weight; here it may be left out.
 * @param {string} where @param {any[]} args
 */
function insertNormalizedShape(where, args) {
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
 * Undefined is taken for a side, so that a name without a value is an error.
 * @param {any[]} args a shape as numbers, and options
 */
function gatherSize(args) {
  const count = args.findIndex(arg => typeof arg !== 'number' && arg !== undefined), end = count < 0 ? args.length : count
  return end ? [args.slice(0, end), ...args.slice(end)] : args
}

/** @param {any} options */
const hasUnbiased = options => Object(options) === options && 'unbiased' in options

/**
 * Functions of which a call needs more than its order: whether this one does, what is done with its arguments before
 * they are read, and with their values by name afterwards.
 * @typedef {{ applies: (args: any[]) => boolean, before?: (args: any[], first: number) => any[],
 *   after?: (values: Record<string, any>) => void }} Exception
 * @type {Record<string, Exception>}
 */
const EXCEPTIONS = {
  norm: {
    applies: args => args.some(arg => arg === 'fro' || (isPlain(arg) && /** @type {any} */ (arg).p === 'fro')),
    after(values) {
      if (values.p === 'fro') values.p = 2
    }
  },
  randint: { applies: args => Array.isArray(args[1]), before: args => (Array.isArray(args[1]) ? [0, ...args] : args) },
  // For tensors one by one, the function says that it takes a list.
  meshgrid: { applies: args => isTensor(args[0]), before: args => (isTensor(args[0]) ? args.slice(0, 1) : args) }
}
// Null by position is the default elsewhere.
EXCEPTIONS.DataLoader = {
  applies: args => args[1] === null,
  before([dataset, batchSize, ...rest]) {
    if (batchSize !== null) return [dataset, batchSize, ...rest]
    const named = isPlain(rest.at(-1)) ? rest.pop() : {}
    return [dataset, undefined, ...rest, { ...named, batchSize }]
  }
}
for (const name of ['zeros', 'ones', 'empty', 'rand', 'randn']) {
  EXCEPTIONS[name] = { applies: args => typeof args[0] === 'number', before: gatherSize }
}
for (const name of ['layerNorm', 'rmsNorm']) {
  EXCEPTIONS[name] = { applies: args => isShape(args[1]), before: args => insertNormalizedShape(name, args) }
}
for (const name of ['var', 'std']) EXCEPTIONS[name] = {
  applies: args => hasUnbiased(args.at(-1)),
  before: (args, first) => (typeof args[1 - first] === 'boolean' ? args.toSpliced(1 - first, 0, undefined) : args),
  after: readUnbiased
}

/** PyTorch's older name for correction 1 or 0. @param {Record<string, any>} values */
function readUnbiased(values) {
  if (typeof values.unbiased === 'boolean') values.correction ??= Number(values.unbiased)
  delete values.unbiased
}

const WITHOUT_WORKERS = 'leave it out: there are no worker processes'

/** Values of such arguments that change nothing. @type {Record<string, unknown>} */
const NEUTRAL = { numWorkers: 0, timeout: 0 }

/** What to write instead of arguments that only PyTorch has. @type {Record<string, (name: string) => string>} */
const MISSING_HINTS = {
  alpha: name => `write x.${name}(y.mul(alpha))`, device: () => 'leave it out: there is one memory',
  dtype: () => 'leave it out: modules compute in float32', numWorkers: () => WITHOUT_WORKERS, timeout: () => WITHOUT_WORKERS,
  workerInitFn: () => WITHOUT_WORKERS, multiprocessingContext: () => WITHOUT_WORKERS,
  pinMemory: () => 'leave it out: there is one memory', createGraph: () => 'leave it out: gradients have no gradients',
  inputs: () => 'write gf.grad(y, inputs), which changes no grad'
}

/** The parameters of a signature in words. @param {Signature} signature @param {number} first */
function describeOrder({ order, byName }, first) {
  const placed = order.slice(first), names = placed.length > 1 ? `${placed.join(', ')} in this order` : placed.join()
  return `${names}${byName.length ? `${names && ' and '}{ ${byName.join(', ')} }` : ''}`
}

/** A copy without what is undefined at the end. @param {any[]} args */
const dropUndefined = args => args.slice(0, args.findLastIndex(arg => arg !== undefined) + 1)

/**
 * The values of a call by the names of the parameters.
 * @param {string} name @param {Signature} signature @param {any[]} args @param {number} first the index in the order of
 *   the first argument
 */
function readValues(name, signature, args, first) {
  const { order, byName, missing, objects } = signature, names = order.slice(first)
  const list = dropUndefined(args), given = list.length
  const isValue = (/** @type {any} */ value, /** @type {number} */ i) => objects.has(names[i]) && !(names[i] in value)
  const named = list.length > 0 && isPlain(list.at(-1)) && !isValue(list.at(-1), list.length - 1) ? list.pop() : {}
  if (list.length > names.length) expectArgumentCount(name, names.length, list, describeOrder(signature, first))
  const early = list.findIndex((value, i) => isPlain(value) && !isValue(value, i))
  expect(early < 0, 'type', () => `${name}: options go into one object at the end, after ${describeOrder(signature, first)}; ` +
    `got ${describe(list[early])} in place of ${names[early]}`)
  const known = [...names, ...byName].filter(key => !missing.has(key) || key in named)
  if (list.length === known.length && Object.keys(named).some(key => !known.includes(key))) {
    expectArgumentCount(name, known.length, [...list, named], describeOrder(signature, first))
  }
  if (list.length < given) expectOptions(name, named, known)
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
  for (const key of missing) {
    expect([undefined, null, false, NEUTRAL[key]].includes(values[key]), 'type',
      () => `${name}: there is no ${key} here, got ${describe(values[key])}; ${MISSING_HINTS[key]?.(name) ?? 'leave it out'}`)
  }
  return values
}

/**
 * The function that brings a call into the form in which the library's function takes it.
 * @param {string} name @param {string | undefined} text the signature, undefined where there is none
 * @param {number} count how many arguments a function without a signature takes
 * @param {number} [first] the index of the first argument in the order: 1 for methods
 * @returns {Reader}
 */
export function createReader(name, text, count, first = 0) {
  if (text === undefined) {
    const max = count - first
    return { max, read: args => (expectArgumentCount(name, max, args), args) }
  }
  if (text.startsWith('...')) return { max: Infinity, read: args => args }
  // Parsing all signatures takes 4 ms, and most programs call few of the functions.
  /** @type {Reader | undefined} */ let reader
  const parse = () => (reader ??= createParsedReader(name, parseSignature(text), first))
  return { get max() { return parse().max }, read: args => parse().read(args) }
}

/** @param {string} name @param {Signature} signature @param {number} first @returns {Reader} */
function createParsedReader(name, signature, first) {
  const { order, options, takesObjects } = signature, max = order.length - first
  if (takesObjects) {
    return { max, read: args => (expectArgumentCount(name, max, args, describeOrder(signature, first)), args) }
  }
  const fixed = signature.fixed.slice(first), direct = fixed.length + (options.length ? 1 : 0)
  const { applies, before, after } = EXCEPTIONS[name] ?? {}
  /** @type {Read} */ const readAll = args => {
    const values = readValues(name, signature, before ? before(args, first) : args, first)
    after?.(values)
    const list = fixed.map(key => values[key]), given = options.filter(key => values[key] !== undefined)
    if (given.length) list.push(Object.fromEntries(given.map(key => [key, values[key]])))
    else while (list.length && list.at(-1) === undefined) list.pop()
    return list
  }
  return {
    max,
    read(args) {
      const n = args.length
      if (n === 0) return args
      if (n > direct || applies?.(args)) return readAll(args)
      const last = args[n - 1], isOptions = n > fixed.length
      if (typeof last !== 'object' || last === null) return isOptions && last !== undefined ? readAll(args) : args
      return isPlain(last) === isOptions ? args : readAll(args)
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
 * The reader and the form without it of the library's forwards.
 * @type {WeakMap<Function, { forward: Function, read: Read }>}
 */
const forwards = new WeakMap()

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
    forwards.set(reading, { forward, read })
  }
}

/**
 * A forward of the library without the reading of its arguments, and their reader; a user's forward as it is.
 * @param {Function} forward @returns {{ forward: Function, read?: Read }}
 */
export const readerOf = forward => forwards.get(forward) ?? { forward }
