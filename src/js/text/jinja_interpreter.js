import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja'

/**
 * The interpreter of @huggingface/jinja with the results of Python's Jinja where the two differ without an error: how
 * values are printed and compared, what can be added, division, undefined objects, and loops that end early.
 */

/** A value of the interpreter. @typedef {{ type: string, value: any, __bool__: () => Value }} Value */
/** A node of a parsed template. @typedef {Record<string, any> & { type: string }} Node */

const NUMBERS = ['IntegerValue', 'FloatValue', 'BooleanValue']
/** What Python's repr escapes: everything that is not printable, except a space. */
const NOT_PRINTABLE = /[^\P{C} ]|[^\P{Z} ]/gu
/** @type {Record<string, string>} */
const ESCAPES = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Writes a character that is not printable. @param {string} character */
function escapeCharacter(character) {
  const code = /** @type {number} */ (character.codePointAt(0)), hex = code.toString(16)
  const [letter, length] = code < 0x100 ? ['x', 2] : code < 0x10000 ? ['u', 4] : ['U', 8]
  return ESCAPES[character] ?? `\\${letter}${hex.padStart(Number(length), '0')}`
}

/** Python's repr of a string. @param {string} text */
function reprString(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text.replaceAll('\\', '\\\\').replace(NOT_PRINTABLE, escapeCharacter)
  return quote + escaped.replaceAll(quote, `\\${quote}`) + quote
}

/** Python's repr of a float: exponents from 16 on and below -4, of two digits at least. @param {number} number */
function reprFloat(number) {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'nan' : number > 0 ? 'inf' : '-inf'
  const [digits, exponent] = number.toExponential().split('e')
  if (Number(exponent) < -4 || Number(exponent) >= 16) {
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`
  }
  const [integer, fraction = '0'] = (Object.is(number, -0) ? '-0' : String(number)).split('.')
  return /e/.test(fraction) ? number.toFixed(-Number(exponent) + digits.replace(/\D/g, '').length - 1) : `${integer}.${fraction}`
}

/** Python's repr of a value. @param {Value} value @returns {string} */
function repr({ type, value }) {
  switch (type) {
    case 'NullValue': return 'None'
    case 'UndefinedValue': return 'Undefined'
    case 'BooleanValue': return value ? 'True' : 'False'
    case 'IntegerValue': return String(value)
    case 'FloatValue': return reprFloat(value)
    case 'StringValue': return reprString(value)
    case 'ArrayValue': return `[${value.map(repr).join(', ')}]`
    case 'TupleValue': return `(${value.map(repr).join(', ')}${value.length === 1 ? ',' : ''})`
    case 'ObjectValue': case 'KeywordArgumentsValue':
      return `{${Array.from(value, ([key, item]) => `${reprString(key)}: ${repr(item)}`).join(', ')}}`
    case 'NamespaceValue': return `<Namespace ${repr({ ...NOTHING, type: 'ObjectValue', value })}>`
    default: throw new Error('a function is printed; it must be called')
  }
}
/** @type {Value} */
const NOTHING = { type: 'UndefinedValue', value: undefined, __bool__: () => NOTHING }

/** Python's str of a value. @param {Value} value @returns {string} */
const toText = value => (value.type === 'StringValue' ? value.value : value.type === 'UndefinedValue' ? '' : repr(value))

/** Whether two values are equal in Python. @param {Value} left @param {Value} right @returns {boolean} */
function areEqual(left, right) {
  if (NUMBERS.includes(left.type) && NUMBERS.includes(right.type)) return Number(left.value) === Number(right.value)
  if (left.type !== right.type) return false
  const [a, b] = [left.value, right.value]
  if (Array.isArray(a)) return a.length === b.length && a.every((item, i) => areEqual(item, b[i]))
  if (a instanceof Map) {
    return a.size === b.size && [...a].every(([key, item]) => b.has(key) && areEqual(item, b.get(key)))
  }
  return a === b
}

/** Ends an iteration of a loop, or the loop. `text` is what the iteration has printed. */
class LoopControl extends Error {
  text = ''
  /** @param {boolean} isBreak */
  constructor(isBreak) {
    super('break and continue belong into a loop')
    this.isBreak = isBreak
  }
}

class PythonInterpreter extends Interpreter {
  /**
   * The loops that are running, by their bodies: whether one has ended by break, and whether an iteration of it has
   * come to its end; if none has, the loop's else runs.
   * @type {Map<Node[], { isOver: boolean, isComplete: boolean }>}
   */
  #loops = new Map()

  /** @param {Node} node @param {Environment} environment @returns {Value} */
  evaluate(node, environment) {
    if (node?.type === 'Evaluated') return node.value
    if (node?.type === 'Break' || node?.type === 'Continue') throw new LoopControl(node.type === 'Break')
    return super.evaluate(node, environment)
  }

  /** Makes a value. @param {'String' | 'Integer' | 'Array'} type @param {unknown} value an array has nodes */
  #value(type, value) {
    return super.evaluate({ type: `${type}Literal`, value }, this.global)
  }

  /** @param {boolean} value */
  #boolean(value) {
    return Object.assign(this.#value('String', '').__bool__(), { value })
  }

  /** Prints statements. @param {Node[]} statements @param {Environment} environment */
  evaluateBlock(statements, environment) {
    const loop = this.#loops.get(statements)
    if (loop?.isOver) return this.#value('String', '')
    let text = ''
    for (const statement of statements) {
      try {
        const value = this.evaluate(statement, environment)
        if (!STATEMENTS.includes(statement.type)) text += toText(value)
      } catch (error) {
        if (!(error instanceof LoopControl)) throw error
        text += error.text
        if (!loop) throw Object.assign(error, { text })
        loop.isOver = error.isBreak
        return this.#value('String', text)
      }
    }
    if (loop) loop.isComplete = true
    return this.#value('String', text)
  }

  /** @param {Node} node @param {Environment} environment */
  evaluateFor(node, environment) {
    const { iterable, body } = node, isFiltered = iterable.type === 'SelectExpression', outer = this.#loops.get(body)
    const loop = { isOver: false, isComplete: false }
    const given = this.evaluate(isFiltered ? iterable.lhs : iterable, environment)
    const items = given.type === 'UndefinedValue' ? [] : given.type === 'StringValue' ? [...given.value] : undefined
    const value = items ? this.#value('Array', items.map(item => ({ type: 'StringLiteral', value: item }))) : given
    const evaluated = { type: 'Evaluated', value }
    this.#loops.set(body, loop)
    try {
      const result = super.evaluateFor({ ...node, defaultBlock: [],
        iterable: isFiltered ? { ...iterable, lhs: evaluated } : evaluated }, environment)
      if (!loop.isComplete) result.value += this.evaluateBlock(node.defaultBlock, environment).value
      return result
    } finally {
      if (outer) this.#loops.set(body, outer)
      else this.#loops.delete(body)
    }
  }

  /** @param {Node} node @param {Environment} environment @returns {Value} */
  evaluateBinaryExpression(node, environment) {
    const operator = node.operator.value
    if (operator === 'and' || operator === 'or') return super.evaluateBinaryExpression(node, environment)
    const [left, right] = [node.left, node.right].map(side => this.evaluate(side, environment))
    const isText = [left, right].some(({ type }) => type === 'StringValue')
    if (operator === '==') return this.#boolean(areEqual(left, right))
    if (operator === '!=') return this.#boolean(!areEqual(left, right))
    if (operator === '~') return this.#value('String', toText(left) + toText(right))
    if (/^(not )?in$/.test(operator) && Array.isArray(right.value)) {
      const isIn = right.value.some((/** @type {Value} */ item) => areEqual(left, item))
      return this.#boolean(isIn === (operator === 'in'))
    }
    if (operator === '+' && left.type !== right.type && [left, right].some(({ value }) => value?.concat)) {
      throw new Error(`+ cannot join ${repr(left)} and ${repr(right)}; ~ joins the texts of both`)
    }
    if (/^(\/\/?|%)$/.test(operator) && !isText && Number(right.value) === 0) {
      throw new Error(`division by zero in ${repr(left)} ${operator} ${repr(right)}`)
    }
    const sides = { left: { type: 'Evaluated', value: left }, right: { type: 'Evaluated', value: right } }
    const result = super.evaluateBinaryExpression({ ...node, ...sides }, environment)
    // The remainder has the sign of the divisor.
    if (operator === '%' && result.value * right.value < 0) result.value += right.value
    return result
  }

  /** @param {Node} node @param {Environment} environment @returns {Value} */
  evaluateMemberExpression(node, environment) {
    const object = this.evaluate(node.object, environment), { property, computed } = node
    if (object.type === 'UndefinedValue') throw new Error(`${nameOf(node.object)} is undefined`)
    const index = computed && property.type !== 'SliceExpression' ? this.evaluate(property, environment) : undefined
    if (object.type === 'StringValue' && index?.type === 'IntegerValue') {
      const character = [...object.value].at(index.value)
      return character === undefined ? super.evaluate(null, environment) : this.#value('String', character)
    }
    return super.evaluateMemberExpression({ ...node, object: { type: 'Evaluated', value: object },
      ...index && { property: { type: 'Evaluated', value: index } } }, environment)
  }

  /** @param {Value} object @param {Node} node @param {Environment} environment @returns {Value} */
  evaluateSliceExpression(object, node, environment) {
    const slice = super.evaluateSliceExpression(object, node, environment)
    return Object.assign(slice, { type: object.type })
  }

  /** @param {Node} node @param {Environment} environment @returns {Value} */
  evaluateTestExpression(node, environment) {
    const operand = this.evaluate(node.operand, environment), test = TESTS.get(node.test.value)
    if (test) return this.#boolean(test(operand) !== node.negate)
    return super.evaluateTestExpression({ ...node, operand: { type: 'Evaluated', value: operand } }, environment)
  }

  /** @param {Node} node @param {Environment} environment @returns {Value} */
  evaluateCallExpression(node, environment) {
    const { callee } = node, isMethod = callee.type === 'MemberExpression' && !callee.computed
    const method = isMethod && TEXT_METHODS.get(callee.property.value)
    if (!method) return super.evaluateCallExpression(node, environment)
    const object = this.evaluate(callee.object, environment)
    if (object.type === 'StringValue') return this.#value('String', method(object.value))
    return super.evaluateCallExpression(
      { ...node, callee: { ...callee, object: { type: 'Evaluated', value: object } } }, environment)
  }

  /** @param {Value} operand @param {Node} filter @param {Environment} environment @returns {Value} */
  applyFilter(operand, filter, environment) {
    const name = filter.callee?.value ?? filter.value
    const convert = operand.type === 'StringValue' && TEXT_FILTERS.get(name)
    if (convert) return this.#value('String', convert(operand.value))
    if (name === 'list' && operand.type === 'TupleValue') {
      return this.#value('Array', operand.value.map((/** @type {Value} */ value) => ({ type: 'Evaluated', value })))
    }
    if (name === 'string' || name === 'safe') return this.#value('String', toText(operand))
    if (name === 'length' && operand.type === 'StringValue') return this.#value('Integer', [...operand.value].length)
    if (name === 'int' && operand.type === 'FloatValue') return this.#value('Integer', Math.trunc(operand.value))
    if (name === 'tojson' && operand.type === 'UndefinedValue') throw new Error('the filter tojson gets an undefined value')
    if (name === 'join' && Array.isArray(operand.value)) {
      const texts = operand.value.map((/** @type {Value} */ item) => ({ type: 'StringLiteral', value: toText(item) }))
      return super.applyFilter(this.#value('Array', texts), filter, environment)
    }
    // The first item of an empty list is undefined.
    return super.applyFilter(operand, filter, environment) ?? super.evaluate(null, environment)
  }
}

const CONTAINERS = ['StringValue', 'ArrayValue', 'TupleValue', 'ObjectValue', 'UndefinedValue']
/**
 * Tests whose results differ in the library.
 * @type {Map<string, (value: Value) => boolean>}
 */
const TESTS = new Map(Object.entries({
  number: ({ type }) => NUMBERS.includes(type),
  iterable: ({ type }) => CONTAINERS.includes(type),
  sequence: ({ type }) => CONTAINERS.includes(type),
  upper: value => /\p{Lu}/u.test(toText(value)) && !/\p{Ll}/u.test(toText(value)),
  lower: value => /\p{Ll}/u.test(toText(value)) && !/\p{Lu}/u.test(toText(value))
}))

/** @param {string} text */
function capitalize(text) {
  const [first = '', ...rest] = text
  return first.toUpperCase() + rest.join('').toLowerCase()
}
/** Capitalizes words: those between spaces, hyphens and opening brackets. @param {string} text */
const capitalizeWords = text => text.replace(/[^-\s({[<]+/g, capitalize)
/** Capitalizes every run of letters, also after an apostrophe. @param {string} text */
const capitalizeLetters = text => text.replace(/\p{L}+/gu, capitalize)

/** Filters and methods of strings whose results differ in the library. */
const TEXT_FILTERS = new Map([['capitalize', capitalize], ['title', capitalizeWords]])
const TEXT_METHODS = new Map([['capitalize', capitalize], ['title', capitalizeLetters]])

/** Statements that print nothing themselves. */
const STATEMENTS = ['Set', 'Macro', 'Comment']

/** The name of a variable, or of a part of one. @param {Node} node @returns {string} */
function nameOf({ type, value, property, object, computed }) {
  if (type === 'Identifier') return value
  if (type !== 'MemberExpression') return 'a value'
  return nameOf(object) + (computed ? `[${JSON.stringify(property.value) ?? '…'}]` : `.${property.value}`)
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
  'November', 'December']
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** The time as Python's strftime writes it, in English. @param {string} format */
function formatNow(format) {
  const now = new Date(), pad = (/** @type {number} */ number) => String(number).padStart(2, '0')
  const month = MONTHS[now.getMonth()], day = DAYS[now.getDay()], hours = now.getHours()
  const parts = new Map([['Y', `${now.getFullYear()}`], ['y', pad(now.getFullYear() % 100)], ['m', pad(now.getMonth() + 1)],
    ['B', month], ['b', month.slice(0, 3)], ['d', pad(now.getDate())], ['A', day], ['a', day.slice(0, 3)], ['H', pad(hours)],
    ['I', pad(hours % 12 || 12)], ['p', hours < 12 ? 'AM' : 'PM'], ['M', pad(now.getMinutes())], ['S', pad(now.getSeconds())],
    ['%', '%']])
  return String(format).replace(/%(.?)/gu, (directive, letter) => {
    const part = parts.get(letter)
    if (part === undefined) throw new Error(`strftime_now does not know ${directive}`)
    return part
  })
}

/** @param {unknown} message */
function raiseException(message) {
  throw new Error(String(message))
}

const GLOBALS = { true: true, True: true, false: false, False: false, none: null, None: null,
  raise_exception: raiseException, strftime_now: formatNow }

/**
 * Parses a template as Hugging Face does.
 * @param {string} source @returns {(variables: Record<string, unknown>) => string} renders it
 * @throws {Error} if it is malformed
 */
export function compileTemplate(source) {
  const program = parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }))
  return variables => {
    const environment = new Environment()
    for (const [name, value] of Object.entries({ ...GLOBALS, ...variables })) environment.set(name, value)
    return new PythonInterpreter(environment).run(program).value
  }
}
