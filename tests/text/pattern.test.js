// Translation of regular expressions of a tokenizer.json to JavaScript.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alternatives, escapeRegExp, readPattern, translatePattern } from '../../src/js/text/pattern.js'
import { assertRejects } from '../lib/engine.js'
import { integers } from '../lib/numbers.js'

const findAll = (pattern, text) => text.match(translatePattern('x', pattern)) ?? []

/** Lists of [pattern, text, all matches]. */
const CASES = {
  'are case-sensitive': [['aB', 'aB ab AB Ab', ['aB']], ['k', 'kK\u212a', ['k']]],
  'ignore case after (?i)': [['(?i)ab', 'aB ab AB', ['aB', 'ab', 'AB']], ['a(?i)b', 'ab aB AB', ['ab', 'aB']],
    ['(?i)k', 'kK\u212a', ['k', 'K', '\u212a']], ['(?i)s5', 'S5 ſ5', ['S5', 'ſ5']],
    ['(?i)\\x41|\\u00c9', 'aé', ['a', 'é']]],
  'ignore case in a group (?i:...)': [['(?i:ab)c', 'ABc abC aBc', ['ABc', 'aBc']],
    ['(?i:a(b)c)d', 'ABCd ABCD', ['ABCd']], ['(?:a(?i)b)c', 'aBc aBC ABc', ['aBc']], ['(?i:a(?i)b)c', 'ABc ABC', ['ABc']],
    ['(?i:a)|b', 'A B b', ['A', 'b']], ['(?i:a[)]b)c', 'A)Bc A)BC', ['A)Bc']], ['x(?i:a[(]b)c', 'xA(Bc xA(BC', ['xA(Bc']],
    ['(?i:σ)', 'ςσΣ', ['ς', 'σ', 'Σ']]],
  'ignore case in character classes': [['(?i)[a]b', 'aB AB', ['aB', 'AB']], ["'(?i:[sdmt]|ll)", "I'S 'LL 'x", ["'S", "'LL"]],
    ['(?i)[a-f]+', 'xABx', ['AB']], ['(?i)[^a]', 'aAb', ['b']], ['[a](?i)b', 'aB AB', ['aB']], ['(?i)[α-ω]', 'Σϑ', ['Σ', 'ϑ']],
    ['(?i)[[:lower:]]|[\\p{Lu}1]', 'aA1б', ['a', 'A', '1', 'б']], ['(?i)[[a-c]&&[^b]]', 'ABC', ['A', 'C']],
    ['(?i)[!-\u{10ffff}]+', ' aA ', ['aA']]],
  'fold each character as Unicode does': [['(?i)ß', 'ẞ', ['ẞ']], ['(?i)ı', 'iIı', ['ı']], ['(?i)ǆ', 'ǅǄ', ['ǅ', 'Ǆ']],
    ['(?i)[а-я]', '\u1c80', ['\u1c80']]],
  'read POSIX classes': [['[[:alpha:]]+', 'aé1', ['aé']], ['[^[:alpha:][:space:]]', 'a 1', ['1']], ['[[:^digit:]a]', '1a', ['a']],
    ['[[:punct:]]', '+.a', ['+', '.']], ['[[:graph:]]', ' a\0', ['a']], ['[[:^print:]]', ' a\0', ['\0']], ['[[:word:]]', '²a', ['a']],
    ['[[:xdigit:]]+', 'xFf0', ['Ff0']], ['[:alpha:]', 'b:', [':']]],
  'read them as properties, where punct has no symbols, and word those of \\w': [['\\p{Alpha}', '1a', ['a']], ['\\p{Punct}', '+.', ['.']],
    ['\\p{Word}+', '²a', ['²a']], ['[\\p{Word}]', '²a', ['a']], ['\\P{Graph}', ' a', [' ']], ['[\\p{^print}]', 'a\0', ['\0']]],
  'read scripts and other properties, in any case': [['\\p{Han}+', '漢字かな', ['漢字']], ['\\P{Hangul}', '가a', ['a']], ['\\p{^Latin}', 'aж', ['ж']],
    ['\\p{old_italic}', '\u{10300}', ['\u{10300}']], ['\\p{LU}', 'aA', ['A']], ['\\pL', '1a', ['a']]],
  'intersect and negate nested classes': [['[a-z&&[^aeiou]]+', 'abce', ['bc']], ['[a[^b]]', 'bca', ['c', 'a']], ['[^[^a]]', 'ba', ['a']],
    ['[^a-c&&b-d]', 'abd', ['a', 'd']], ['[\\w&&[^\\d]]', '1a', ['a']], ['[\\W]', 'a-', ['-']], ['[\\Ha]', 'ab-', ['a', '-']], ['[a&&]', 'a', []]],
  'read ranges and hyphens': [['[a-]', 'a-', ['a', '-']], ['[-a]', 'a-', ['a', '-']], ['[a-b-d]', 'c-', ['-']], ['[]-a]+', '^]b', ['^]']],
    ['[\\x41-\\x43]+', 'ABCD', ['ABC']]],
  'read control characters': [['[\\n-\\r\\a\\e]', '\x07\x1b\v', ['\x07', '\x1b', '\v']], ['\\e\\t', '\x1b\t', ['\x1b\t']],
    ['\\011[\\011\\0]', '\t\t1\t\0', ['\t\t', '\t\0']]],
  'join nested character classes': [['[^(\\s|[.,!])]+', 'a b.c(d|e', ['a', 'b', 'c', 'd', 'e']], ['[a[bc]d]+', 'abcde', ['abcd']],
    ['[[a]b]', 'abc]', ['a', 'b']], ['[^[a]b]', 'abc]', ['c', ']']], ['[[]a]b]', 'a]b[', ['a', ']', 'b']], ['[\\[a]', 'a[', ['a', '[']]],
  'read unbalanced braces and brackets literally': [['a{', 'a{', ['a{']], ['[]a]+', 'a]b', ['a]']], ['a}]', 'a}]', ['a}]']]],
  'read metacharacters in a character class literally': [['[*+]', 'a+b*c', ['+', '*']], ['[?+]x', '+x', ['+x']], ['[{1}+]', '+', ['+']],
    ['[$^.]', 'a^.$', ['^', '.', '$']], ['[(?:)]', '(?', ['(', '?']]],
  'end lines only at a line feed': [['^a', 'b\na', ['a']], ['b$', 'ab\nc b', ['b', 'b']], ['^', 'a\rb\n', ['', '']],
    ['.+', 'a\rb\u2028\nc', ['a\rb\u2028', 'c']]],
  'do not match inside a surrogate pair': [['$', '😀a😀', ['']], ['^', '😀a😀', ['']]],
  'find word boundaries by Unicode letters': [['한\\b', '한 한가', ['한']], ['\\bé', 'éé é', ['é', 'é']], ['\\B가', '한가 가', ['가']]],
  'match Unicode white space': [['\\s', ' \u0085\ufeff\u3000', [' ', '\u0085', '\u3000']], ['\\S+', 'a\u0085b', ['a', 'b']],
    ['[\\s]', '\u0085', ['\u0085']]],
  'match Unicode digits and word characters': [['\\d+', '5٣a', ['5٣']], ['[\\d]+', '٣', ['٣']], ['\\D', '٣a', ['a']],
    ['\\w+', 'é_가٣-', ['é_가٣']], ['[\\w-]+', 'a-é', ['a-é']], ['\\W', 'é-', ['-']], ['\\h+', 'aF9g', ['aF9']], ['\\w+', 'Ⓐ²½ⅷ①', ['Ⓐ²½ⅷ']],
    ['\\H', 'fg', ['g']]],
  'match the start and end of the text': [['\\Aa', 'aa\na', ['a']], ['a\\z', 'aa\na', ['a']], ['a\\Z', 'aa\n', ['a']], ['a\\z', 'a\n', []]],
  'match code points by number': [['\\x{1F600}', '😀', ['😀']], ['\\x{0041}', 'A', ['A']], ['(?i)\\x{1F600}', '😀', ['😀']], ['\\x41', 'A', ['A']], ['\\u0041', 'A', ['A']]],
  'read escaped punctuation literally': [['\\-', 'a-b', ['-']], ['[a\\-z]', 'b-', ['-']], ['\\!\\#', '!#', ['!#']],
    ['\\.', 'a.', ['.']], ['\\p{L}', '5é', ['é']], ['\\(a\\)', '(a)', ['(a)']]],
  'do not backtrack into possessive quantifiers': [['a++b', 'aab', ['aab']], ['a*+a', 'aab', []], ['a?+', 'a', ['a', '']], ['(?:a|ab)++c', 'abc', []],
    ['[ab]?+a', 'a', []], ['\\p{L}++o|o', 'foo', ['o', 'o']], ['\\++', 'a++', ['++']]],
  'read + or ? after braces as a second quantifier, not as possessive or lazy, and {,n} as {0,n}': [
    ['\\p{N}{1,3}+', '12345', ['12345']], ['a{2}+', 'aaaaa', ['aaaa']], ['a{,2}b', 'aaab', ['aab']], ['a{2}?b', 'aab b', ['aab', 'b']]]
}

for (const [name, cases] of Object.entries(CASES)) test(`patterns: ${name}`, () => {
  for (const [pattern, text, expected] of cases) assert.deepEqual([...findAll(pattern, text)], expected, `${pattern} in ${text}`)
})

test('a literal text matches itself', () => {
  const metacharacters = '^$\\.*+?()[]{}|/'
  assert.deepEqual(metacharacters.match(new RegExp(escapeRegExp(metacharacters), 'u'))?.[0], metacharacters)
  assert.deepEqual('a.b axb'.match(readPattern('x', { String: 'a.b' })), ['a.b'])
  assert.deepEqual('a.b axb'.match(readPattern('x', 'a.b')), ['a.b'])
  assert.deepEqual('a.b axb'.match(readPattern('x', { Regex: 'a.b' })), ['a.b', 'axb'])
})

test('rejects unsupported patterns', () => {
  assertRejects(() => translatePattern('here', 5), 'format', 'here: a pattern must be a string, got 5')
  for (const pattern of ['[[:unknown:]]', '\\p{nothing}', '[[[[[a]]]]]', '(?>a)', '\\R', '[\\R]', '[a', 'a)']) {
    assertRejects(() => translatePattern('here', pattern), 'format', 'has no counterpart in JavaScript')
  }
  assertRejects(() => translatePattern('here', '(a'), 'format', 'here: the pattern "(a" has no counterpart in JavaScript')
  assertRejects(() => readPattern('here', { Text: 'a' }), 'format', 'a pattern must be { String } or { Regex }')
  assertRejects(() => readPattern('here', null), 'format', 'got null')
})

test('a pattern of many texts finds the longest at every position, as trying one after another does', () => {
  const letters = ['a', 'b', '<', '|', '가', '😀', '\n']
  for (let seed = 1; seed <= 200; seed++) {
    const drawn = Array.from(integers([80], letters.length, seed).data, i => letters[i])
    const draw = (from, count) => drawn.slice(from, from + count).join('')
    const shared = seed % 4 ? '' : 'b'.repeat(70)
    const texts = Array.from({ length: 2 + seed % 9 }, (_, i) => shared + draw(i * 3, 1 + i % 4))
    const sorted = [...texts].sort((a, b) => b.length - a.length), text = draw(30, 50) + texts.join('a')
    const expected = []
    for (let at = 0; at < text.length;) {
      const found = sorted.find(one => text.startsWith(one, at))
      if (found) expected.push([at, found])
      at += found?.length ?? String.fromCodePoint(text.codePointAt(at)).length
    }
    const matches = [...text.matchAll(new RegExp(alternatives(texts), 'gu'))].map(({ index, 0: match }) => [index, match])
    assert.deepEqual(matches, expected, JSON.stringify(texts))
  }
})
