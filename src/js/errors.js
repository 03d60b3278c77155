/**
 * Everything the library throws on purpose.
 *
 * `code` is for programs: 'type' (not the kind of value expected), 'shape', 'range' (a number outside its limits),
 * 'index' (an id outside a table), 'memory', 'state' (called at the wrong time), 'text', 'format' (a bad file).
 * The message is for people: it names the argument, says what was expected and what was given.
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

/** @param {number} bytes that could not be had */
export const outOfMemory = bytes => new GlassformerError('memory', `out of memory: ${bytes} bytes could not be ` +
  'allocated; what a loop makes is given back between tasks only, or at once by gf.tidy around its body')

/** @param {readonly number[]} shape */
export const shapeText = shape => `[${shape.join(', ')}]`

/**
 * What a value is, in a few words, for the end of an error message.
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
    return 'an object that cannot be read, such as a proxy of a tensor'
  }
}

/** @param {object} value @returns {string} */
function describeObject(value) {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (value instanceof Function) return `the function ${value.name || '(anonymous)'}`
  const { dtype, shape } = /** @type {{ dtype?: unknown, shape?: number[] }} */ (value)
  if (typeof dtype === 'string' && Array.isArray(shape)) return `${dtype.startsWith('int') ? 'an' : 'a'} ${dtype} tensor ${shapeText(shape)}`
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

/** @param {string} where */
export const otherEngineError = where => new GlassformerError('state',
  `${where}: the tensors must belong to one engine, got one of another engine; load() once and make all there`)

/**
 * Tensors of one operation must live in one memory: an address means nothing in another.
 * @param {string} where
 * @param {import('./engine.js').Engine | undefined} engine
 * @param {readonly ({ engine: import('./engine.js').Engine } | null | undefined)[]} tensors
 */
export function expectEngine(where, engine, tensors) {
  for (const tensor of tensors) if (tensor && tensor.engine !== engine) throw otherEngineError(where)
}

/**
 * A promise that says so when it is used as what it promises.
 * @template T
 * @param {Promise<T>} promise @param {readonly string[]} names that one would ask of the result
 * @param {string} example how it is written
 */
export function guardPromise(promise, names, example) {
  const get = () => { throw new GlassformerError('state', `this is a promise, not yet its result; write ${example}`) }
  return Object.defineProperties(promise, Object.fromEntries(names.map(name => [name, { get }])))
}

/**
 * What a function returns that has to be done by then.
 * @template T
 * @param {string} where
 * @param {() => T} fn
 * @returns {T}
 */
export function runSync(where, fn) {
  expect(typeof fn === 'function', 'type', () => `${where}: fn must be a function, got ${describe(fn)}; write gf.${where}(() => …)`)
  const result = fn()
  if (result instanceof Promise) result.catch(() => {}) // the error below is the one to see
  expect(!(result instanceof Promise), 'type',
    () => `${where}: fn must not be async; what it makes after its first await would be missed, so await before`)
  return result
}

/**
 * The tensors of a list, or an error that names the first value that is none.
 * @param {string} where
 * @param {string} name
 * @param {Iterable<import('./tensor.js').Tensor>} values
 * @param {(value: unknown) => boolean} isOne
 * @param {string} expected in words, such as 'a tensor'
 * @returns {import('./tensor.js').Tensor[]}
 */
export function expectList(where, name, values, isOne, expected) {
  const isList = typeof values?.[Symbol.iterator] === 'function' && !('dtype' in Object(values))
  expect(isList, 'type', () => `${where}: ${name} must be a list of tensors, got ${describe(values)}`)
  const list = [...values]
  list.forEach((value, i) => expect(isOne(value), 'type',
    () => `${where}: ${name}[${i}] must be ${expected}, got ${describe(value)}`))
  return list
}

/**
 * A whole number from `low` to `high`, or an error that names it.
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
    () => `${where}: ${name} must be a whole number from ${low} to ${high}, got ${describe(value)}${byPlace(name, value)}`
  )
  return value
}

/**
 * A number for which `ok` holds.
 * @param {string} where
 * @param {string} name
 * @param {unknown} value
 * @param {string} expected in words, such as 'a number from 0 to 1'
 * @param {(value: number) => boolean} ok
 * @returns {number}
 */
export function expectNumber(where, name, value, expected, ok) {
  expect(
    typeof value === 'number' && ok(value),
    typeof value === 'number' ? 'range' : 'type',
    () => `${where}: ${name} must be ${expected}, got ${describe(value)}${byPlace(name, value)}`
  )
  return value
}

/** @param {string} where @param {string} name @param {unknown} p @returns {number} */
export const expectProbability = (where, name, p) =>
  expectNumber(where, name, p, 'a number from 0 to 1', v => v >= 0 && v <= 1)

/**
 * Whether it is an object as literals make it, in whichever realm.
 * @param {unknown} value @returns {value is object}
 */
export function isPlain(value) {
  if (value === null || typeof value !== 'object') return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * What other libraries call options, with ours and how it is written.
 * @type {Record<string, [name: string, written: string]>}
 */
const MEANT = {
  axis: ['dim', '{ dim }'], axes: ['dim', '{ dim }'], keepdims: ['keepdim', '{ keepdim }'], keepDim: ['keepdim', '{ keepdim }'],
  unbiased: ['correction', '{ correction: 0 } for unbiased: false'], ord: ['p', '{ p }']
}

/**
 * The options of a call: none, or an object that has no others than these. A name that is not known would be ignored
 * without a word.
 * @param {string} where @param {unknown} given @param {readonly string[]} names @returns {any}
 */
export function optionsOf(where, given, names) {
  if (given === undefined) return {}
  expect(isPlain(given), 'type', () => `${where}: options must be an object with ${names.join(', ')}, ` +
    `got ${describe(given)}${'dtype' in Object(given) && OF_TENSORS[where] || positional(names, given)}`)
  for (const name in given) {
    expect(names.includes(name), 'type', () => `${where}: there is no option ${describe(name)}, only ` +
      `${names.join(', ')}${names.includes(MEANT[name]?.[0]) ? `; write ${MEANT[name][1]}` : ''}`)
  }
  return given
}

/** What to write instead of a module where its tensors are meant. @param {unknown} given */
export const stateOf = given => (given instanceof Object && 'stateDict' in given ? '; write model.stateDict()' : '')

/** What to write instead of an argument with its name. @param {string} name @param {unknown} given */
function byPlace(name, given) {
  const own = isPlain(given) ? /** @type {any} */ (given)[name] : undefined
  return own === undefined ? '' : `; it is given by its place, write ${describe(own)}`
}

/** Options that a value without a name may be meant for, by its type. @type {Record<string, string[]>} */
const MEANT_BY = {
  string: ['dtype', 'reduction', 'activation'], number: ['p', 'dim', 'alpha', 'lr', 'threads', 'mean', 'gain', 'a', 'maxNewTokens', 'batchSize'],
  boolean: ['isCausal', 'keepdim', 'bias', 'retainGraph', 'persistent'], object: ['dim']
}

/** What to write instead of a second tensor. @type {Record<string, string>} */
const OF_TENSORS = {
  cat: '; write gf.cat([a, b])', stack: '; write gf.stack([a, b])', max: '; write gf.maximum(a, b)',
  min: '; write gf.minimum(a, b)'
}

/** Masks that are given by their place in PyTorch. */
const MASKS = ['mask', 'srcMask', 'tgtMask']

/** What to write instead of an option without its name. @param {readonly string[]} names @param {unknown} given */
function positional(names, given) {
  if (Array.isArray(given) && names.includes('dtype')) return '; a shape is one array, such as [2, 3]'
  const one = MASKS.find(mask => names.includes(mask))
  if (one && (Array.isArray(given) || 'dtype' in Object(given))) return `; write { ${one} }`
  if (names.includes('norm') && 'stateDict' in Object(given)) return '; write { norm }'
  const isShort = Array.isArray(given) ? given.length < 5 && given.every(one => typeof one === 'number')
    : Object(given) !== given
  const name = isShort ? MEANT_BY[typeof given]?.find(one => names.includes(one)) : undefined
  return name ? `; write { ${name}: ${JSON.stringify(given)} }` : ''
}

/** How many letters have to change to make one word of another. @param {string} a @param {string} b */
export function distance(a, b) {
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
 * The names that are most like one that is not known, best first.
 * @param {unknown} name @param {readonly string[]} names @param {number} [most]
 */
export function findSimilar(name, names, most = 5) {
  const wanted = String(name).slice(0, 80).toLowerCase()
  const apart = (/** @type {string} */ one) => {
    const own = one.toLowerCase(), last = own.slice(own.lastIndexOf('.') + 1)
    return Math.min(distance(wanted, own), distance(wanted, last) + 0.5) - Number(own.includes(wanted)) * wanted.length
  }
  return names.map(one => ({ one, far: apart(one) })).sort((a, b) => a.far - b.far).slice(0, most).map(({ one }) => one)
}

/** @param {string} where @param {string} name @param {unknown} value @returns {boolean} */
export function expectBoolean(where, name, value) {
  expect(typeof value === 'boolean', 'type', () => `${where}: ${name} must be true or false, got ${describe(value)}`)
  return value
}

/**
 * One of a few words.
 * @template {string} T
 * @param {string} where
 * @param {string} name
 * @param {unknown} value
 * @param {readonly T[]} words
 * @returns {T}
 */
export function expectOneOf(where, name, value, words) {
  const word = words.find(one => one === value)
  expect(word !== undefined, typeof value === 'string' ? 'range' : 'type',
    () => `${where}: ${name} must be one of ${words.map(w => `'${w}'`).join(', ')}, got ${describe(value)}`)
  return word
}

/**
 * A place that is not inside a tensor, in words.
 * @param {string} where @param {readonly number[]} shape @param {string} name @param {unknown} index
 */
export const outside = (where, shape, name, index) => {
  const isPlaces = Array.isArray(index) && index.every(i => i === null || ['number', 'object'].includes(typeof i))
  return `${where}: index must be inside the shape ${shapeText(shape)} of ${name}, ` +
    `got ${isPlaces ? JSON.stringify(index) : describe(index)}`
}
