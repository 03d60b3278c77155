import test from 'node:test'
import assert from 'node:assert/strict'
import { rulesThatFire, words as reference } from '../../src/reference/words.js'
import { everyCharacter, gf, golden, membership, nastyText, stream } from './text.js'

const { words } = gf.text
const show = JSON.stringify

test('splits every golden sentence', () => {
  for (const { text, tokens } of golden.word_tokenize) {
    assert.deepEqual(words(text), tokens, show(text))
    assert.deepEqual(reference(text), tokens, `reference: ${show(text)}`)
  }
})

test('every rule of NLTK changes as many golden sentences as in NLTK', () => {
  const hits = Object.fromEntries(Object.keys(golden.rule_hits).map(name => [name, 0]))
  for (const { text } of golden.word_tokenize) for (const name of rulesThatFire(text)) hits[name]++
  assert.equal(Object.keys(hits).length, 31)
  assert.deepEqual(hits, golden.rule_hits)
})

// Texts and tokens for each rule: texts to which it applies, and similar ones to which it does not.
const rules = {
  start0: [['a“b', 'a “ b'], ['a```b', 'a `` ` b']],
  start1: [['"a', '`` a'], [' "a', '`` a'], ['\t"a', "'' a"]],
  start2: [['a````b', 'a `` `` b']],
  start3: [["(''a", '( `` a'], ['a"', "a ''"], ["<'ab", "< 'ab"], ['a(\tb"', "a ( b ''"],
    ['“"a', '“ `` a'], ['("\'\'', "( `` ''"]],
  start4: [["b'x", "b ' x"], ["b'xy", "b'xy"], ["b's", "b 's"], ["b'ſ", "b'ſ"], ["b'é가", "b'é가"],
    ["b'e\u0301", "b ' e\u0301"]],
  punct0: [['a.', 'a .'], ['a.") \n', "a . '' )"], ['a. "', 'a. ``'], ['a..', 'a ..'], ['.', '.'], ['a. b', 'a. b'],
    ['a.\t)', 'a. )']],
  punct1: [['a:b', 'a : b'], ['a:5', 'a:5'], ['a,٣', 'a,٣'], ['a,²', 'a , ²'],
    ['a,,b', 'a , ,b'], ['a,,,b', 'a , , , b']],
  punct2: [['a,,', 'a , ,'], ['a,,\n', 'a , ,'], ['a,, ', 'a , ,'], ['a,,b,,', 'a , ,b , ,']],
  punct3: [['a...b', 'a ... b'], ['a.b', 'a.b']],
  punct4: [['a;b@c#d$e%f&g', 'a ; b @ c # d $ e % f & g']],
  punct6: [['a?b!c', 'a ? b ! c']],
  punct7: [["dog's' b", "dog 's ' b"], ["dog's', b", "dog 's ' , b"], ["dog's')", "dog's ' )"],
    ["dog's'\tb", "dog's' b"]],
  punct8: [['a*b**', 'a * b * *']],
  paren0: [['a[b](c){d}<e>', 'a [ b ] ( c ) { d } < e >']],
  dash0: [['a-b--c---d', 'a-b -- c -- -d']],
  end0: [['a»b”c’d', 'a » b ” c ’ d']],
  end1: [["a''b", "a '' b"], ["a'''b", "a '' ' b"]],
  end2: [['a"b', "a '' b"]],
  end3: [["a's b'M c'D d'", "a 's b 'M c 'D d '"], ["a's\tb", "a's b"], ["a's)", "a 's )"]],
  end4: [["a'll b'RE c'Ve dn't eN'T fn'T", "a 'll b 'RE c'Ve d n't e N'T fn'T"], ["'n't a", "'n't a"],
    ["an't've ", "an't 've"]],
  two0: [['cannot Cannot cannots', 'can not Can not cannots'], ["cannotn't ", "can not n't"]],
  two1: [["d'ye D'YE ad'ye", "d 'ye D 'YE ad'ye"], ["'d'ye", "' d 'ye"]],
  two2: [['gimme gİmme gımme GIMMEs', 'gim me gİm me gım me GIMMEs']],
  two3: [['gonna x-gonna-y', 'gon na x- gon na -y']],
  two4: [['gotta _gotta', 'got ta _gotta']],
  two5: [['lemme élemme', 'lem me élemme']],
  two6: [["more'n more'nx", "more 'n more'nx"]],
  two7: [['wanna', 'wan na'], ['wanna-', 'wanna-'], ["wanna'll ", "wan na 'll"], ["wannan't ", "wan na n't"],
    ['wanna\tx', 'wan na x']],
  three0: [["'tis x'tis", "'t is x'tis"], ["\t'tis", "'tis"], ["cannot'tis", "can not 't is"],
    ["'tıſn't ", "'t ıſ n't"]],
  three1: [["'twas", "'t was"], ["'tis'twas", "'t is 't was"], ["'twas'tis", "'t was 'tis"]]
}

test('applies each rule', () => {
  const names = Object.keys(golden.rule_hits).filter(name => name !== 'punct5') // punct5 never changes a token
  assert.deepEqual(Object.keys(rules), names)
  for (const [name, cases] of Object.entries(rules)) {
    for (const [text, tokens] of cases) assert.deepEqual(words(text), tokens.split(' '), `${name}: ${show(text)}`)
  }
})

test('punctuation: false drops only , ? ! and .', () => {
  assert.deepEqual(words('Hello, what is a basic split?', { punctuation: false }),
    ['Hello', 'what', 'is', 'a', 'basic', 'split'])
  for (const { text, tokens } of golden.word_tokenize) {
    const expected = tokens.filter(token => !['?', '!', '.', ','].includes(token))
    assert.deepEqual(words(text, { punctuation: false }), expected, show(text))
  }
  assert.deepEqual(words('a ... ; "b" (c).', { punctuation: false }), ['a', '...', ';', '``', 'b', "''", '(', 'c', ')'])
})

test('splits Korean, emoji, combining marks and empty texts', () => {
  assert.deepEqual(words("할머니가 '어서 와'라고 하셨다."), ['할머니가', "'어서", "와'라고", '하셨다', '.'])
  assert.deepEqual(words('👩‍👩‍👧‍👦! 🇰🇷 👍🏽?'), ['👩‍👩‍👧‍👦', '!', '🇰🇷', '👍🏽', '?'])
  assert.deepEqual(words('한글 (ㅎㅏㄴㄱㅡㄹ)'), ['한글', '(', 'ㅎㅏㄴㄱㅡㄹ', ')'])
  assert.deepEqual(words("e\u0301's a\u0308."), ['e\u0301', "'s", 'a\u0308', '.'])
  for (const nothing of ['', ' ', '\n\u3000\u0085', new Uint8Array(0)]) assert.deepEqual(words(nothing), [])
})

test('splits 6000 texts of characters that the rules mention as the reference', () => {
  const next = stream(20)
  for (let i = 0; i < 6000; i++) {
    const text = nastyText(next)
    assert.deepEqual(words(text), reference(text), show(text))
  }
})

/** The tokens of many short texts, from one call. */
function wordsOfEach(texts) {
  const all = [[]]
  for (const token of words(texts.map(text => `${text} \u0001`).join(' '))) {
    if (token === '\u0001') all.push([])
    else all.at(-1).push(token)
  }
  return all.slice(0, -1)
}

// The neighbors show the class of a character: a comma is split from a character that is not a digit, and an apostrophe
// from a single letter.
test('classifies letters and digits among all code points', () => {
  const isDigit = membership('digit')
  const isWord = membership('word')
  // There are no letters and digits above U+33000, where one in 257 code points is tested.
  const characters = everyCharacter().filter((c, i) => c !== '\u0001' && (i < 0x33000 || i % 257 === 0))
  const afterComma = wordsOfEach(characters.map(c => `a,${c}`))
  assert.deepEqual(characters.filter((c, i) => (afterComma[i][0] !== 'a') !== isDigit(c)), [])

  const between = wordsOfEach(characters.map(c => `a${c}b`))
  const unsplit = characters.filter((c, i) => between[i].length === 1 && !"'mtsdnMTSDNſ".includes(c))
  const afterApostrophe = wordsOfEach(unsplit.map(c => `a'${c}\u0301`))
  assert.deepEqual(unsplit.filter((c, i) => (afterApostrophe[i].length === 3) !== isWord(c)), [])
  assert.ok(unsplit.length > characters.length - 80)
})

test('splits long texts independently of windows', () => {
  const next = stream(7)
  const text = Array.from({ length: 8000 }, () => nastyText(next)).join(' ')
  assert.ok(text.length > 65536)
  assert.deepEqual(words(text), reference(text))
  const bytes = new TextEncoder().encode(text)
  assert.deepEqual(words(bytes), reference(text))
})

test('handles punctuation at the end of a window that occurs again', () => {
  const marks = [...';?@#$%&!*()[]{}<>']
  for (let letters = 0; letters <= 2 * marks.length; letters++) {
    const before = `${'a '.repeat(16384 - marks.length)}${'x'.repeat(letters)}` // to the unit 32768, about
    const expected = [...before.trim().split(' '), ...marks, 'b', ...marks.flatMap(mark => [mark, 'c'])].filter(Boolean)
    assert.deepEqual(words(`${before}${marks.join('')}b ${marks.join(' c ')} c`), expected, `${letters}`)
  }
})

test('splits 10,000 words, a word of 100,000 letters, 100,000 punctuation marks and a full stop with a long tail', () => {
  const tenThousand = Array.from({ length: 10000 }, (_, i) => `낱말${i}`)
  assert.deepEqual(words(tenThousand.join(' ')), tenThousand)
  assert.deepEqual(words(`${'가'.repeat(100000)} b`), ['가'.repeat(100000), 'b'])
  assert.deepEqual(words(';'.repeat(100000)), Array(100000).fill(';'))
  assert.deepEqual(words(`a. b.${')'.repeat(70000)}${' '.repeat(70000)}`), ['a.', 'b', '.', ...Array(70000).fill(')')])
  assert.deepEqual(words(`a. b.${')'.repeat(70000)}c`), ['a.', 'b.', ...Array(70000).fill(')'), 'c'])
})

test('leaks no memory', () => {
  const text = 'It\'s a "small" sentence, 그리고 한국어. '.repeat(5000)
  words(text)
  const before = gf.engine.memory.size
  for (let i = 0; i < 50; i++) words(text)
  assert.equal(gf.engine.memory.size, before)
})

test('errors name the expected and the actual value', () => {
  const error = pattern => ({ name: 'GlassformerError', code: 'type', message: pattern })
  assert.throws(() => words(5), error(/text\.words: text must be a string or a Uint8Array, got 5/))
  assert.throws(() => words(), error(/text must be .* got undefined/))
  assert.throws(() => words(['a']), error(/got an array of 1/))
  assert.throws(() => words('a', { punctuation: 'no' }), error(/punctuation must be true or false, got "no"/))
})
