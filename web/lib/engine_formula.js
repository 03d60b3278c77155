/**
 * The engine writes its formulas as text: `y = b + Σₖ x[k] × W[o, k]`. Here they are converted to the page's formula
 * language, which `formula` renders as MathML: fractions as fractions, indices as subscripts, `dx` as the derivative of
 * the loss by x, and every word in the language of the page.
 */

const TOKEN = /\s*(Σ[ₐ-ₜᵢⱼₖᵥ]?|[\p{L}][\p{L}\p{M}]*³?|\d+(?:\.\d+)?(?:e[-−]?\d+)?|\S)/gu
/** @type {Record<string, string>} */ const SUBSCRIPTS = { ᵢ: 'i', ⱼ: 'j', ₖ: 'k', ₒ: 'o', ᵥ: 'v', ₙ: 'n' }
const FUNCTIONS = ['exp', 'log', 'sin', 'cos', 'tanh', 'erf', 'max']
const DERIVATIVE = /^d(?=[\p{L}])/u
const PLAIN_WORDS = ['dropout', 'drawn', 'draws', 'dots']
const CLOSING = [')', ']', ',', '=', '<', '>', undefined]

/** @param {string} name */
const isLetter = name => [...name.replace(/\p{M}/gu, '')].length === 1
/** @param {string} group @returns {string} */
const stripBrackets = group => (group.startsWith('( ') && group.endsWith(' )') && isBracketed(group) ? group.slice(2, -2) : group)

/** Whether the first bracket closes only at the end. @param {string} group */
function isBracketed(group) {
  let open = 0
  const parts = group.split(' ')
  return parts.every((part, i) => {
    open += Number(part === '(') - Number(part === ')')
    return open > 0 || i === parts.length - 1
  })
}

/** @param {string[]} tokens @param {(name: string) => string} translate */
function createConverter(tokens, translate) {
  let position = 0
  const peek = () => tokens[position]
  const next = () => tokens[position++]

  /** @param {string} name @returns {string} */
  const convertName = name => {
    if (name.endsWith('³')) return `${convertName(name.slice(0, -1))}^{3}`
    if (isLetter(name) || FUNCTIONS.includes(name)) return name
    if (DERIVATIVE.test(name) && !PLAIN_WORDS.includes(name)) return `∂ ${convertName(name.slice(1))}`
    return `"${translate(name)}"`
  }
  const index = () => {
    if (peek() !== '[') return ''
    next()
    /** @type {string[][]} */ const indices = [[]]
    while (peek() !== ']') {
      const token = next()
      if (token === ',') indices.push([])
      else indices[indices.length - 1].push(/^\p{L}{2,}$/u.test(token) ? `"${translate(token)}"` : token)
    }
    next()
    return `_{${indices.map(convertIndex => convertIndex.join(' ')).join(' , ')}}`
  }
  /** @returns {string} */
  const convertNamed = () => {
    const token = next()
    const isDerivative = DERIVATIVE.test(token) && !PLAIN_WORDS.includes(token) && !isLetter(token)
    if (token === 'exp' && peek() === '(') return `e^{${stripBrackets(convertFactor())}}`
    if (token === 'dlog') return `frac{∂ L}{∂ log ${convertNamed()}}`
    const symbol = convertName(token) + index()
    return isDerivative ? `frac{∂ L}{${symbol}}` : symbol
  }
  /** @returns {string} */
  const convertGroup = () => {
    next()
    const content = convertRow()
    next()
    return `( ${content} )`
  }
  /** @returns {string} */
  const convertSum = () => {
    const subscript = next().slice(1)
    const rest = CLOSING.includes(peek()) ? '' : convertTerm()
    return `sum${subscript ? `_{${SUBSCRIPTS[subscript]}}` : ''} ${rest}`
  }
  /** @returns {string} */
  const convertAtom = () => {
    const token = peek()
    if (token === '(') return convertGroup()
    if (token === '√') return next() && `sqrt{${stripBrackets(convertFactor())}}`
    if (token.startsWith('Σ')) return convertSum()
    return /^\p{L}/u.test(token) ? convertNamed() : next()
  }
  /** @returns {string} */
  const convertFactor = () => {
    const base = convertAtom()
    if (peek() !== '^') return base
    next()
    return `${base}^{${stripBrackets(convertFactor())}}`
  }
  const convertTerm = () => {
    let result = convertFactor()
    while (![...CLOSING, '+', '−', '-'].includes(peek())) {
      const sign = peek()
      if (sign === '/') result = next() && `frac{${stripBrackets(result)}}{${stripBrackets(convertFactor())}}`
      else if (sign === '×' || sign === '·') result += ` ${next()} ${convertFactor()}`
      else result += ` ${convertFactor()}`
    }
    return result
  }
  const OPERATORS = ['+', '−', '-', '÷', '×']
  const convertExpression = () => {
    let result = OPERATORS.includes(peek()) ? `${next()} ` : ''
    result += CLOSING.includes(peek()) ? '' : convertTerm()
    while (OPERATORS.includes(peek())) result += ` ${next()} ${convertTerm()}`
    return result
  }
  const convertRow = () => {
    let result = convertExpression()
    while (peek() !== undefined && peek() !== ')' && peek() !== ']') result += ` ${next()} ${convertExpression()}`
    return result
  }
  return () => {
    let result = ''
    while (peek() !== undefined) result += peek() === '[' || peek() === ']' ? ` ${next()} ` : convertRow()
    return result
  }
}

/**
 * Converts an engine formula to the page's formula language.
 * @param {string} text
 * @param {(name: string) => string} translate translates a word of a formula
 */
export function convertFormula(text, translate) {
  const tokens = [...text.matchAll(TOKEN)].map(match => match[1])
  return createConverter(tokens, translate)()
}

const WORD = /\p{L}[\p{L}\p{M}]+/gu
const START = /^d\((.+)\)\/d\(\1\)$/

/**
 * An engine's label with translated words, as plain text.
 * @param {string} text
 * @param {(name: string) => string} translate
 */
export const convertLabel = (text, translate) => text.replace(START, '∂L/∂L').replace(WORD, name => {
  if (FUNCTIONS.includes(name) || isLetter(name) || /^Σ/.test(name)) return name
  if (!DERIVATIVE.test(name) || PLAIN_WORDS.includes(name)) return translate(name)
  return `∂${isLetter(name.slice(1)) || FUNCTIONS.includes(name.slice(1)) ? name.slice(1) : translate(name.slice(1))}`
})
