// NLTK 3.8's word tokenizer by its definition: 31 regular expression substitutions, then str.split(). The names are
// those of `rule_hits` in golden/words.json. JavaScript's \w, \d, \s, \b, $ and the flag i differ from Python's, so
// character classes are explicit and case is folded by hand (Python matches U+0130 and U+0131 with i, U+017F with s).
import { digit, space, word } from './unicode.js'
import { whitespace } from './whitespace.js'

const edge = `(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`
const end = '(?=\\n?(?![\\s\\S]))'
const anyCase = letter => ({ i: '[iI\u0130\u0131]', s: '[sS\u017f]' })[letter] ?? `[${letter}${letter.toUpperCase()}]`
const fold = text => text.replace(/[a-z]/g, anyCase)
const rule = (name, pattern, replacement) => ({ name, pattern: new RegExp(pattern, 'gu'), replacement })
const split = (name, first, second, before = edge, after = edge) =>
  rule(name, `${before}(${fold(first)})(${fold(second)})${after}`, ' $1 $2 ')

const opening = [
  rule('start0', '[«“‘„]|`+', ' $& '),
  rule('start1', '(?<![\\s\\S])"', '``'),
  rule('start2', '``', ' $& '),
  rule('start3', '([ (\\[\\{<])(?:"|\'\')', '$1 `` '),
  rule('start4', `'(?!${['re', 've', 'll', 'm', 't', 's', 'd', 'n'].map(fold).join('|')})([${word}])${edge}`, "' $1")
]

const punctuation = [
  rule('punct0', `([^.])\\.([\\])\\}>"'»”’ ]*)[${space}]*${end}`, '$1 . $2 '),
  rule('punct1', `([:,])([^${digit}])`, ' $1 $2'),
  rule('punct2', `[:,]${end}`, ' $& '),
  rule('punct3', '\\.{2,}', ' $& '),
  rule('punct4', '[;@#$%&]', ' $& '),
  rule('punct5', `([^.])\\.([\\])\\}>"']*)[${space}]*${end}`, '$1 .$2 '),
  rule('punct6', '[?!]', ' $& '),
  rule('punct7', "([^'])' ", "$1 ' "),
  rule('punct8', '\\*', ' $& '),
  rule('paren0', '[\\]\\[()\\{\\}<>]', ' $& '),
  rule('dash0', '--', ' $& ')
]

const closing = [
  rule('end0', '[»”’]', ' $& '),
  rule('end1', "''", ' $& '),
  rule('end2', '"', " '' "),
  rule('end3', "([^' ])('[sSmMdD]?) ", '$1 $2 '),
  rule('end4', "([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", '$1 $2 ')
]

const contractions = [
  split('two0', 'can', 'not'),
  split('two1', 'd', "'ye"),
  split('two2', 'gim', 'me'),
  split('two3', 'gon', 'na'),
  split('two4', 'got', 'ta'),
  split('two5', 'lem', 'me'),
  split('two6', 'more', "'n"),
  split('two7', 'wan', 'na', edge, `(?=[${space}])`),
  split('three0', "'t", 'is', ' '),
  split('three1', "'t", 'was', ' ')
]

const apply = (rules, text) => rules.reduce((result, rule) => result.replace(rule.pattern, rule.replacement), text)

export function words(text) {
  const marked = apply(punctuation, apply(opening, text.toWellFormed()))
  return whitespace(apply(contractions, apply(closing, ` ${marked} `)))
}

/** The names of the rules that change a text, in order. */
export function rulesThatFire(text) {
  let current = text
  const fired = []
  for (const rules of [opening, punctuation, closing, contractions]) {
    if (rules === closing) current = ` ${current} `
    for (const item of rules) {
      const next = apply([item], current)
      if (next !== current) fired.push(item.name)
      current = next
    }
  }
  return fired
}
