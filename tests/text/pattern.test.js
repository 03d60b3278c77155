// Translation of regular expressions of a tokenizer.json to JavaScript.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeRegExp, readPattern, translatePattern } from '../../src/js/text/pattern.js'
import { assertRejects } from '../lib/engine.js'

const found = (pattern, text) => text.match(translatePattern('x', pattern)) ?? []

/** A pattern, a text, and all matches. */
const CASES = {
  'case counts': [['aB', 'aB ab AB Ab', ['aB']], ['k', 'kK\u212a', ['k']]],
  'case does not count from a mark on': [['(?i)ab', 'aB ab AB', ['aB', 'ab', 'AB']], ['a(?i)b', 'ab aB AB', ['ab', 'aB']],
    ['(?i)k', 'kK\u212a', ['k', 'K', '\u212a']], ['(?i)s5', 'S5 ſ5', ['S5', 'ſ5']]],
  'case does not count within a group': [['(?i:ab)c', 'ABc abC aBc', ['ABc', 'aBc']],
    ['(?i:a(b)c)d', 'ABCd ABCD', ['ABCd']], ['(?:a(?i)b)c', 'aBc aBC ABc', ['aBc']], ['(?i:a(?i)b)c', 'ABc ABC', ['ABc']],
    ['(?i:a)|b', 'A B b', ['A', 'b']], ['(?i:a[)]b)c', 'A)Bc A)BC', ['A)Bc']], ['x(?i:a[(]b)c', 'xA(Bc xA(BC', ['xA(Bc']]],
  'classes and case': [['(?i)[a]b', 'aB AB', ['aB', 'AB']], ["'(?i:[sdmt]|ll)", "I'S 'LL 'x", ["'S", "'LL"]],
    ['(?i)[a-f]+', 'xABx', ['AB']], ['(?i)[^a]', 'aAb', ['b']], ['[a](?i)b', 'aB AB', ['aB']], ['(?i)[α-ω]', 'Σ', ['Σ']]],
  'a class in a class adds its own': [['[^(\\s|[.,!])]+', 'a b.c(d|e', ['a', 'b', 'c', 'd', 'e']], ['[a[bc]d]+', 'abcde', ['abcd']],
    ['[[a]b]', 'abc]', ['a', 'b']], ['[^[a]b]', 'abc]', ['c', ']']], ['[[]a]b]', 'a]b[', ['a', ']', 'b']], ['[\\[a]', 'a[', ['a', '[']]],
  'braces and brackets that are none': [['a{', 'a{', ['a{']], ['[]a]+', 'a]b', ['a]']], ['a}]', 'a}]', ['a}]']]],
  'in a class a sign is a letter': [['[*+]', 'a+b*c', ['+', '*']], ['[?+]x', '+x', ['+x']], ['[{1}+]', '+', ['+']],
    ['[$^.]', 'a^.$', ['^', '.', '$']], ['[(?:)]', '(?', ['(', '?']]],
  'lines end with a line feed and nothing else': [['^a', 'b\na', ['a']], ['b$', 'ab\nc b', ['b', 'b']], ['^', 'a\rb\n', ['', '']],
    ['.+', 'a\rb\u2028\nc', ['a\rb\u2028', 'c']], ['$', '😀a😀', ['']], ['^', '😀a😀', ['']], ['(?i)\\x41|\\u00c9', 'aé', ['a', 'é']], ['(?i:σ)', 'ςσΣ', ['ς', 'σ', 'Σ']]],
  'where words begin and end': [['한\\b', '한 한가', ['한']], ['\\bé', 'éé é', ['é', 'é']], ['\\B가', '한가 가', ['가']]],
  'white space is Unicode\'s': [['\\s', ' \u0085\ufeff\u3000', [' ', '\u0085', '\u3000']], ['\\S+', 'a\u0085b', ['a', 'b']],
    ['[\\s]', '\u0085', ['\u0085']]],
  'digits and words are Unicode\'s': [['\\d+', '5٣a', ['5٣']], ['[\\d]+', '٣', ['٣']], ['\\D', '٣a', ['a']],
    ['\\w+', 'é_가٣-', ['é_가٣']], ['[\\w-]+', 'a-é', ['a-é']], ['\\W', 'é-', ['-']], ['\\h+', 'aF9g', ['aF9']], ['\\w+', 'Ⓐ²½ⅷ①', ['Ⓐ²½ⅷ']],
    ['\\H', 'fg', ['g']]],
  'ends of the text': [['\\Aa', 'aa\na', ['a']], ['a\\z', 'aa\na', ['a']], ['a\\Z', 'aa\n', ['a']], ['a\\z', 'a\n', []]],
  'code points': [['\\x{1F600}', '😀', ['😀']], ['\\x{0041}', 'A', ['A']], ['(?i)\\x{1F600}', '😀', ['😀']], ['\\x41', 'A', ['A']], ['\\u0041', 'A', ['A']]],
  'marks stand for themselves': [['\\-', 'a-b', ['-']], ['[a\\-z]', 'b-', ['-']], ['\\!\\#', '!#', ['!#']],
    ['\\.', 'a.', ['.']], ['\\p{L}', '5é', ['é']], ['\\(a\\)', '(a)', ['(a)']]],
  'what gives nothing back': [['a++b', 'aab', ['aab']], ['a*+a', 'aab', []], ['a?+', 'a', ['a', '']], ['(?:a|ab)++c', 'abc', []],
    ['[ab]?+a', 'a', []], ['\\p{L}++o|o', 'foo', ['o', 'o']], ['\\++', 'a++', ['++']]],
  'a + behind braces is one more repetition': [['\\p{N}{1,3}+', '12345', ['12345']], ['a{2}+', 'aaaaa', ['aaaa']],
    ['a{,2}b', 'aaab', ['aab']], ['a{2}?b', 'aab b', ['aab', 'b']]]
}

for (const [name, cases] of Object.entries(CASES)) test(`patterns: ${name}`, () => {
  for (const [pattern, text, expected] of cases) assert.deepEqual([...found(pattern, text)], expected, `${pattern} in ${text}`)
})

test('a literal text matches itself', () => {
  const marks = '^$\\.*+?()[]{}|/'
  assert.deepEqual(marks.match(new RegExp(escapeRegExp(marks), 'u'))?.[0], marks)
  assert.deepEqual('a.b axb'.match(readPattern('x', { String: 'a.b' })), ['a.b'])
  assert.deepEqual('a.b axb'.match(readPattern('x', 'a.b')), ['a.b'])
  assert.deepEqual('a.b axb'.match(readPattern('x', { Regex: 'a.b' })), ['a.b', 'axb'])
})

test('rejects unsupported patterns', () => {
  assertRejects(() => translatePattern('here', 5), 'format', 'here: a pattern must be a string, got 5')
  for (const pattern of ['[\\W]', '[a[^b]]', '[a&&b]', '[[:alpha:]]', '(?>a)', '\\R', '(?i)[!-\u{10ffff}]', '[a', 'a)']) {
    assertRejects(() => translatePattern('here', pattern), 'format', 'has no counterpart in JavaScript')
  }
  assertRejects(() => translatePattern('here', '(a'), 'format', 'here: the pattern "(a" has no counterpart in JavaScript')
  assertRejects(() => readPattern('here', { Text: 'a' }), 'format', 'a pattern must be { String } or { Regex }')
  assertRejects(() => readPattern('here', null), 'format', 'got null')
})
