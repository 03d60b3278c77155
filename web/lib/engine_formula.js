/**
 * The engine writes its formulas as text: `y = b + Σₖ x[k] × W[o, k]`. Here they are converted to the page's formula
 * language, which `formula` renders as MathML: fractions as fractions, indices as subscripts, `dx` as the derivative of
 * the loss by x, and every word in the language of the page.
 */

const TOKEN = /\s*(Σ[ₐ-ₜᵢⱼₖᵥ]?|[\p{L}][\p{L}\p{M}]*³?|\d+(?:\.\d+)?(?:e[-−]?\d+)?|\S)/gu
/** @type {Record<string, string>} */ const LOWERED = { ᵢ: 'i', ⱼ: 'j', ₖ: 'k', ₒ: 'o', ᵥ: 'v', ₙ: 'n' }
const FUNCTIONS = ['exp', 'log', 'sin', 'cos', 'tanh', 'erf', 'max']
const DERIVATIVE = /^d(?=[\p{L}])/u
const PLAIN_WORDS = ['dropout', 'drawn', 'draws', 'dots']
const CLOSING = [')', ']', ',', '=', '<', '>', undefined]

/** @param {string} name */
const isLetter = name => [...name.replace(/\p{M}/gu, '')].length === 1
/** @param {string} group @returns {string} */
const bare = group => (group.startsWith('( ') && group.endsWith(' )') && balanced(group) ? group.slice(2, -2) : group)

/** Whether the first bracket closes only at the end. @param {string} group */
function balanced(group) {
  let open = 0
  const parts = group.split(' ')
  return parts.every((part, i) => {
    open += Number(part === '(') - Number(part === ')')
    return open > 0 || i === parts.length - 1
  })
}

/** @param {string[]} tokens @param {(name: string) => string} word */
function reader(tokens, word) {
  let at = 0
  const peek = () => tokens[at]
  const next = () => tokens[at++]

  /** @param {string} name @returns {string} */
  const nameOf = name => {
    if (name.endsWith('³')) return `${nameOf(name.slice(0, -1))}^{3}`
    if (isLetter(name) || FUNCTIONS.includes(name)) return name
    if (DERIVATIVE.test(name) && !PLAIN_WORDS.includes(name)) return `∂ ${nameOf(name.slice(1))}`
    return `"${word(name)}"`
  }
  const index = () => {
    if (peek() !== '[') return ''
    next()
    /** @type {string[][]} */ const places = [[]]
    while (peek() !== ']') {
      const token = next()
      if (token === ',') places.push([])
      else places[places.length - 1].push(/^\p{L}{2,}$/u.test(token) ? `"${word(token)}"` : token)
    }
    next()
    return `_{${places.map(place => place.join(' ')).join(' , ')}}`
  }
  /** @returns {string} */
  const name = () => {
    const token = next()
    const isDerivative = DERIVATIVE.test(token) && !PLAIN_WORDS.includes(token) && !isLetter(token)
    if (token === 'exp' && peek() === '(') return `e^{${bare(factor())}}`
    if (token === 'dlog') return `frac{∂ L}{∂ log ${name()}}`
    const whole = nameOf(token) + index()
    return isDerivative ? `frac{∂ L}{${whole}}` : whole
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
    const mark = next().slice(1)
    const rest = CLOSING.includes(peek()) ? '' : term()
    return `sum${mark ? `_{${LOWERED[mark]}}` : ''} ${rest}`
  }
  /** @returns {string} */
  const atom = () => {
    const token = peek()
    if (token === '(') return group()
    if (token === '√') return next() && `sqrt{${bare(factor())}}`
    if (token.startsWith('Σ')) return sum()
    return /^\p{L}/u.test(token) ? name() : next()
  }
  /** @returns {string} */
  const factor = () => {
    const base = atom()
    if (peek() !== '^') return base
    next()
    return `${base}^{${bare(factor())}}`
  }
  const term = () => {
    let so = factor()
    while (![...CLOSING, '+', '−', '-'].includes(peek())) {
      const sign = peek()
      if (sign === '/') so = next() && `frac{${bare(so)}}{${bare(factor())}}`
      else if (sign === '×' || sign === '·') so += ` ${next()} ${factor()}`
      else so += ` ${factor()}`
    }
    return so
  }
  const OPERATORS = ['+', '−', '-', '÷', '×']
  const expression = () => {
    let so = OPERATORS.includes(peek()) ? `${next()} ` : ''
    so += CLOSING.includes(peek()) ? '' : term()
    while (OPERATORS.includes(peek())) so += ` ${next()} ${term()}`
    return so
  }
  const row = () => {
    let so = expression()
    while (peek() !== undefined && peek() !== ')' && peek() !== ']') so += ` ${next()} ${expression()}`
    return so
  }
  return () => {
    let so = ''
    while (peek() !== undefined) so += peek() === '[' || peek() === ']' ? ` ${next()} ` : row()
    return so
  }
}

/**
 * Converts an engine formula to the page's formula language.
 * @param {string} text
 * @param {(name: string) => string} word translates a word of a formula
 */
export function convertFormula(text, word) {
  const tokens = [...text.matchAll(TOKEN)].map(match => match[1])
  return reader(tokens, word)()
}

const WORD = /\p{L}[\p{L}\p{M}]+/gu
const START = /^d\((.+)\)\/d\(\1\)$/

/**
 * An engine's label with translated words, as plain text.
 * @param {string} text
 * @param {(name: string) => string} word
 */
export const convertLabel = (text, word) => text.replace(START, '∂L/∂L').replace(WORD, name => {
  if (FUNCTIONS.includes(name) || isLetter(name) || /^Σ/.test(name)) return name
  if (!DERIVATIVE.test(name) || PLAIN_WORDS.includes(name)) return word(name)
  return `∂${isLetter(name.slice(1)) || FUNCTIONS.includes(name.slice(1)) ? name.slice(1) : word(name.slice(1))}`
})
