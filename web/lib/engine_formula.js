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
const withoutBrackets = group => (group.startsWith('( ') && group.endsWith(' )') && isBracketed(group) ? group.slice(2, -2) : group)

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
function reader(tokens, translate) {
  let at = 0
  const peek = () => tokens[at]
  const next = () => tokens[at++]

  /** @param {string} name @returns {string} */
  const nameOf = name => {
    if (name.endsWith('³')) return `${nameOf(name.slice(0, -1))}^{3}`
    if (isLetter(name) || FUNCTIONS.includes(name)) return name
    if (DERIVATIVE.test(name) && !PLAIN_WORDS.includes(name)) return `∂ ${nameOf(name.slice(1))}`
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
    return `_{${indices.map(place => place.join(' ')).join(' , ')}}`
  }
  /** @returns {string} */
  const name = () => {
    const token = next()
    const isDerivative = DERIVATIVE.test(token) && !PLAIN_WORDS.includes(token) && !isLetter(token)
    if (token === 'exp' && peek() === '(') return `e^{${withoutBrackets(factor())}}`
    if (token === 'dlog') return `frac{∂ L}{∂ log ${name()}}`
    const symbol = nameOf(token) + index()
    return isDerivative ? `frac{∂ L}{${symbol}}` : symbol
  }
  /** @returns {string} */
  const group = () => {
    next()
    const inside = row()
    next()
    return `( ${inside} )`
  }
  /** @returns {string} */
  const sum = () => {
    const subscript = next().slice(1)
    const rest = CLOSING.includes(peek()) ? '' : term()
    return `sum${subscript ? `_{${SUBSCRIPTS[subscript]}}` : ''} ${rest}`
  }
  /** @returns {string} */
  const atom = () => {
    const token = peek()
    if (token === '(') return group()
    if (token === '√') return next() && `sqrt{${withoutBrackets(factor())}}`
    if (token.startsWith('Σ')) return sum()
    return /^\p{L}/u.test(token) ? name() : next()
  }
  /** @returns {string} */
  const factor = () => {
    const base = atom()
    if (peek() !== '^') return base
    next()
    return `${base}^{${withoutBrackets(factor())}}`
  }
  const term = () => {
    let result = factor()
    while (![...CLOSING, '+', '−', '-'].includes(peek())) {
      const sign = peek()
      if (sign === '/') result = next() && `frac{${withoutBrackets(result)}}{${withoutBrackets(factor())}}`
      else if (sign === '×' || sign === '·') result += ` ${next()} ${factor()}`
      else result += ` ${factor()}`
    }
    return result
  }
  const OPERATORS = ['+', '−', '-', '÷', '×']
  const expression = () => {
    let result = OPERATORS.includes(peek()) ? `${next()} ` : ''
    result += CLOSING.includes(peek()) ? '' : term()
    while (OPERATORS.includes(peek())) result += ` ${next()} ${term()}`
    return result
  }
  const row = () => {
    let result = expression()
    while (peek() !== undefined && peek() !== ')' && peek() !== ']') result += ` ${next()} ${expression()}`
    return result
  }
  return () => {
    let result = ''
    while (peek() !== undefined) result += peek() === '[' || peek() === ']' ? ` ${next()} ` : row()
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
  return reader(tokens, translate)()
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
