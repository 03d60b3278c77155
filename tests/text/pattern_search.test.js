// Detection of patterns on which JavaScript's own search may hang, and the linear search for them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInsideSurrogatePair, translatePattern } from '../../src/js/text/pattern.js'
import { LinearPattern } from '../../src/js/text/pattern_search.js'
import { isSafe, mayBeEmpty, parsePattern } from '../../src/js/text/pattern_tree.js'
import { assertRejects } from '../lib/engine.js'
import { gf, stream } from './text.js'

const CONTRACTIONS = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)`, SPACES = String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`
const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
const FRONT = String.raw`[^\r\n\p{L}\p{N}]?`, MARKS = String.raw` ?[^\s\p{L}\p{N}]+`

/** Patterns of known tokenizers. */
const KNOWN = {
  'GPT-2': String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|${MARKS}|\s+(?!\S)|\s+`,
  'cl100k, Llama 3': String.raw`${CONTRACTIONS}|${FRONT}\p{L}+|\p{N}{1,3}|${MARKS}[\r\n]*|${SPACES}`,
  'cl100k in tiktoken': String.raw`'(?i:[sdmt]|ll|ve|re)|${FRONT}+\p{L}++|\p{N}{1,3}+|${MARKS}+[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`,
  'Phi-4': String.raw`'(?i:[sdmt]|ll|ve|re)|${FRONT}+\p{L}+|\p{N}{1,3}|${MARKS}+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`,
  'o200k, gpt-oss, Llama 4': `${FRONT}${UPPER}*${LOWER}+${CONTRACTIONS}?|${FRONT}${UPPER}+${LOWER}*${CONTRACTIONS}?` +
    String.raw`|\p{N}{1,3}|${MARKS}[\r\n/]*|${SPACES}`,
  'Mistral Nemo': String.raw`${FRONT}${UPPER}*${LOWER}+|${FRONT}${UPPER}+${LOWER}*|\p{N}|${MARKS}[\r\n/]*|${SPACES}`,
  'Qwen2': String.raw`${CONTRACTIONS}|${FRONT}\p{L}+|\p{N}|${MARKS}[\r\n]*|${SPACES}`,
  'DeepSeek V3': String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_${'`'}{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|${SPACES}`,
  'DeepSeek, words': String.raw`\s?[A-Za-zµÀ-ÖØ-öø-ƺ]+|\s?\p{N}+|[一-龥ࠀ-一가-퟿]+`,
  'StarCoder, Falcon, digits': String.raw`\p{N}|\p{N}{1,3}|[0-9][0-9][0-9]`,
  'digits in threes from the right': String.raw`(?=(\d{3})+(?!\d))|\d{1,3}(?=(?:\d{3})*\b)`,
  'BLOOM': String.raw` ?[^(\s|[.,!?…。，、।۔،])]+`,
  'CLIP': String.raw`<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`,
  'lines': String.raw`\n+|(?:\r?\n)+| {2,}|\w+|[^\w\s]+`
}

for (const [name, pattern] of Object.entries(KNOWN)) {
  test(`uses JavaScript's own search for ${name}`, () => {
    assert.equal(translatePattern('x', pattern).constructor, RegExp)
  })
}

/** Patterns whose search takes exponential or high polynomial time. */
const DANGEROUS = ['(a+)+c', '(.|.|.|.)+\\u0001', '(.|.|.|.)+\\u0001|.', '(a|a)*b', '(\\w+\\s?)*$', '(x+x+)+y', '\\s*\\s*\\s*x',
  'a*a*b', '(([a-z])+.)+[A-Z]([a-z])+$', '(?<=(a+)+)c', '(?=(a|aa)+c)a', '(?!(a+)+c)a', '(a+a?)++c', `${'a?'.repeat(30)}${'a'.repeat(30)}c`,
  '(?:a{0,30}){2}c', 'a{1,70}a{1,70}a{1,70}b', '\\w+(?=\\w*x)', '(a|ab|b)*?c', '(?:a+){2,}c']

test('finds patterns on which JavaScript may hang, in linear time', () => {
  for (const pattern of DANGEROUS) {
    const translated = translatePattern('x', pattern)
    assert.ok(translated instanceof LinearPattern, pattern)
    for (const letter of ['a', 'x', ' ', 'ab', '😀']) {
      assert.ok((letter.repeat(50000).match(translated) ?? []).length <= 100000, pattern)
    }
  }
})

test('rejects patterns that may hang and are not supported by LinearPattern', () => {
  const cases = { '(a*)*b': 'repeats an item that may be empty', '(a|a)*\\1': 'it has a backreference', '(a|b|a?)+c': 'may be empty',
    [`(a|a)*${'a'.repeat(3000)}`]: 'more than 2000 steps' }
  for (const [pattern, problem] of Object.entries(cases)) {
    assertRejects(() => translatePattern('here', pattern), 'format', `here: the pattern ${JSON.stringify(pattern.slice(0, 200))} may backtrack without end: `)
    assertRejects(() => translatePattern('here', pattern), 'format', problem)
  }
  assertRejects(() => translatePattern('here', `${'('.repeat(300)}a${')'.repeat(300)}`), 'format', 'more than 200 deep')
  assertRejects(() => translatePattern('here', '(?<=a++)b'), 'format', 'a possessive quantifier in a lookbehind')
  assertRejects(() => 'a'.repeat(2 ** 23).match(translatePattern('x', '(a|a|a|a|a|a|a|a|a)*b')), 'memory', 'give it in parts')
})

test('a tokenizer encodes with such a pattern', () => {
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({
    normalizer: { type: 'Replace', pattern: { Regex: '(b|b)+c' }, content: '' },
    pre_tokenizer: { type: 'Split', pattern: { Regex: '(.|.|.|.)+\\u0001' }, behavior: 'Isolated' },
    decoder: { type: 'Replace', pattern: { Regex: '(a+)+b' }, content: '-' },
    model: { type: 'BPE', vocab: { 'a': 0, 'b': 1, '\u0001': 2 }, merges: [] }
  }) })
  assert.equal(tokenizer.encode('a'.repeat(50000)).ids.length, 50000)
  assert.equal(tokenizer.encode('b'.repeat(50000)).ids.length, 50000)
  assert.deepEqual(tokenizer.encode('abbca\u0001a').ids, [0, 0, 2, 0])
  assert.equal(tokenizer.decode([0, 1]), 'ab')
})

/** A random pattern in JavaScript's syntax. @param {(n: number) => number} below @param {number} depth */
function randomPattern(below, depth) {
  const atoms = ['a', 'b', '[ab]', '[^a]', '😀', '^', '$']
  if (!depth) return atoms[below(atoms.length)]
  const part = () => randomPattern(below, depth - 1), name = `atomic${below(1e6)}`
  return [part, () => `${part()}${part()}`, () => `(?:${part()}|${part()})`, () => `(?:${part()}|${part()}|${part()})`,
    () => `(?:${part()})${['*', '+', '?', '{2}', '{1,2}', '{0,2}', '{2,}'][below(7)]}${['', '', '?'][below(3)]}`,
    () => `(${part()})`, () => `(?=${part()})`, () => `(?!${part()})`, () => `(?<=${part()})`, () => `(?<!${part()})`,
    () => `(?:(?=(?<${name}>${part()}+))\\k<${name}>)`][below(11)]()
}

/** All matches, without the empty ones that V8 finds inside surrogate pairs. */
const foundIn = (text, pattern) => Array.from(text.matchAll(pattern), ({ index, 0: found }) => [index, found])
  .filter(([index, found]) => found || !isInsideSurrogatePair(text, index))

test('both searches find the same matches', () => {
  const below = stream(7), texts = ['', 'a', 'ab', 'aab', 'abab', 'baaab', 'a😀b', '😀😀a', 'aaaaaaab', 'abbabbab', 'bbba😀ab']
  let compared = 0
  for (let i = 0; i < 6000; i++) {
    const source = randomPattern(below, 1 + below(4))
    let native, linear
    try {
      native = new RegExp(source, 'gu')
      linear = new LinearPattern(source, 'gu', parsePattern(source))
    } catch (error) {
      assert.match(error.message, /may be empty|Invalid regular expression|more than 2000 steps|possessive/, source)
      continue
    }
    for (const text of texts) {
      assert.deepEqual(foundIn(text, linear), foundIn(text, native), `${source} in ${JSON.stringify(text)}`)
      if (!text.includes('😀')) assert.equal(text.replace(linear, () => '-'), text.replace(native, () => '-'), `${source} in ${JSON.stringify(text)}`)
    }
    compared++
  }
  assert.ok(compared > 3000, `${compared} patterns were compared`)
})

/** The number of character tests of a backtracking search for a tree, from every position of a text. */
function stepsOf(tree, text) {
  let steps = 0
  const characters = [...text]
  /** Whether a node matches at a position and `next` succeeds after it. */
  const visit = (node, at, next) => {
    switch (node.kind) {
      case 'character': {
        if (++steps > 1e6) throw new Error('many steps')
        return at < characters.length && new RegExp(`^${node.source}$`, 'u').test(characters[at]) && next(at + 1)
      }
      case 'anchor': return at === (node.atEnd ? characters.length : 0) && next(at)
      case 'sequence': return node.items.reduceRight((after, item) => from => visit(item, from, after), next)(at)
      case 'alternation': return node.items.some(item => visit(item, at, next))
      case 'repeat': {
        const mayEnd = count => count >= node.low
        const again = count => from =>
          (count < node.high && visit(node.item, from, to => (to > from || !mayEnd(count)) && again(count + 1)(to))) ||
          (mayEnd(count) && next(from))
        return again(0)(at)
      }
      case 'lookaround': return visit(node.item, at, () => true) !== node.isNegative && next(at)
      default: throw new Error(node.kind)
    }
  }
  for (let at = 0; at <= characters.length; at++) visit(tree, at, () => true)
  return steps
}

test('safe patterns take at most quadratic time', () => {
  const below = stream(11)
  let safe = 0
  for (let i = 0; i < 4000; i++) {
    const source = randomPattern(below, 1 + below(4))
    if (/\(\?<|atomic/.test(source)) continue
    const tree = parsePattern(source)
    if (!isSafe(tree) || mayBeEmpty(tree)) continue
    for (const text of ['a'.repeat(60), 'ab'.repeat(30), `${'a'.repeat(30)}${'b'.repeat(30)}`]) {
      assert.ok(stepsOf(tree, text) <= 200 * 61 * 61, `${source} in ${text}`)
    }
    safe++
  }
  assert.ok(safe > 300, `${safe} patterns are safe`)
  for (const source of ['(?:a+)+c', '(?:a|a)*c', 'a*a*a*a*c']) {
    assert.ok(!isSafe(parsePattern(source)), source)
    assert.throws(() => stepsOf(parsePattern(source), 'a'.repeat(80)), /many steps/)
  }
})

test('normalizers search a whole text in linear time', () => {
  // Each of these patterns reads a long run again from each of its characters, and none of them matches.
  const texts = [`${' '.repeat(1e5)}y`, 'a'.repeat(1e5), '('.repeat(1e5), 'ab'.repeat(5e4), `"${'a'.repeat(1e5)}`]
  for (const pattern of [String.raw`^\s+|\s+$`, 'a+c', String.raw`\(.*\)`, '(?:ab)+c', '"[^"]*"', '(?<!a.*)c', String.raw`\s*\n`]) {
    const normalizer = { type: 'Replace', pattern: { Regex: pattern }, content: '' }
    const json = { model: { type: 'WordPiece', vocab: { '[UNK]': 0 } }, normalizer }
    const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) }), start = performance.now()
    for (const text of texts) tokenizer.encode(text)
    assert.ok(performance.now() - start < 10_000, pattern)
    const [whole, native] = [true, false].map(isWhole => translatePattern('x', pattern, isWhole))
    assert.ok(whole.constructor !== RegExp && native.constructor === RegExp, pattern)
    for (const text of ['', ' a ', 'aab aac (x) "a" \n ()', '  \n\n c', 'ababc ab']) {
      const find = each => Array.from(text.matchAll(each), ({ index, 0: match }) => [index, match])
      assert.deepEqual(find(whole), find(native), pattern)
    }
  }
  assert.equal(translatePattern('x', ' {2,}', true).constructor, RegExp, 'a pattern that cannot fail late')
  assert.equal(translatePattern('x', String.raw`(a)\1`, true).constructor, RegExp, 'a backreference')
})
