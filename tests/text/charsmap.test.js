// SentencePiece's charsmap, compared with a search for every key at every position.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Charsmap } from '../../src/js/text/charsmap.js'
import { gf, stream } from './text.js'

const bytesOf = text => new TextEncoder().encode(text)

/**
 * The table of some entries, as a double-array trie whose nodes have 256 units each for their children.
 * @param {[string, string][]} entries @param {boolean} [far] whether offsets have the form for more than 21 bits
 * @param {boolean} [isUnterminated] whether the last text lacks its terminating 0
 */
function tableOf(entries, far = false, isUnterminated = false) {
  const root = { children: new Map() }, texts = []
  for (const [key, content] of entries) {
    let node = root
    for (const byte of bytesOf(key)) {
      if (!node.children.has(byte)) node.children.set(byte, { children: new Map() })
      node = node.children.get(byte)
    }
    node.value = texts.length
    texts.push(...bytesOf(content), 0)
  }
  const units = []
  let next = 256
  /** Writes a node to the unit `at`, and its children to `base` XOR their labels. */
  const write = (at, node, label) => {
    const base = at ^ next
    next += 256
    const offset = far ? (base >>> 8) << 10 | 0x200 : base << 10
    units[at] = (offset | label | (node.value === undefined ? 0 : 0x100)) >>> 0
    const start = at ^ (far ? (base >>> 8) << 8 : base)
    if (node.value !== undefined) units[start] = (0x80000000 | node.value) >>> 0
    for (const [byte, child] of node.children) write(start ^ byte, child, byte)
  }
  write(0, root, 0)
  const list = Uint32Array.from({ length: units.length }, (_, i) => units[i] ?? 0)
  return Uint8Array.from([...new Uint8Array(Uint32Array.of(4 * list.length).buffer), ...new Uint8Array(list.buffer),
    ...isUnterminated ? texts.slice(0, -1) : texts])
}

/** Finds the longest key at a position. */
function findLongest(entries, text, start) {
  const rest = Buffer.from(text.subarray(start))
  const match = entries.filter(([key]) => rest.subarray(0, bytesOf(key).length).equals(Buffer.from(key)))
    .sort((a, b) => bytesOf(b[0]).length - bytesOf(a[0]).length)[0]
  return match && { length: bytesOf(match[0]).length, content: match[1] }
}

const ENTRIES = [['ab', ''], ['a', 'x'], ['abcd', 'long'], ['bc', '한'], ['é', 'e'], ['e\u0323\u0302', 'ệ'], ['e\u0323', 'ẹ'],
  ['ｱ', '😀'], ['😀', ':)'], ['c', 'last']]
const next = stream(92)

for (const far of [false, true]) for (const isUnterminated of [false, true]) {
  test(`finds the longest key at every byte of 400 texts${far ? ', with large offsets' : ''}${isUnterminated ? ', with an unterminated last text' : ''}`, () => {
    const table = new Charsmap(tableOf(ENTRIES, far, isUnterminated)), letters = [...'abcdeé\u0323\u0302ｱ😀한 ', 'ab', 'abc']
    for (let i = 0; i < 400; i++) {
      const text = bytesOf(Array.from({ length: next(8) }, () => letters[next(letters.length)]).join(''))
      for (let at = 0; at <= text.length; at++) {
        assert.deepEqual(table.find(text, at), findLongest(ENTRIES, text, at), `${text} at ${at}`)
      }
    }
  })
}

/** Characters at the limits of UTF-8 lengths. */
const EDGES = ['\x7f', '\x80', '\u07ff', '\u0800', 'ก', '\uffff', '\u{10000}', '\u{10ffff}']

test('normalizes 500 texts with characters at the limits of UTF-8, with their offsets', () => {
  const precompiled_charsmap = Buffer.from(tableOf(ENTRIES)).toString('base64')
  const letters = [...'abcdeé\u0323\u0302ｱ😀한 ', 'ab', ...EDGES]
  const vocab = Object.fromEntries([...new Set([...letters.join(''), ...ENTRIES.map(([, content]) => content).join('')])]
    .map((letter, id) => [letter, id]))
  const open = json => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({
    normalizer: json, model: { type: 'BPE', vocab, merges: [] } }) })
  const rewriting = open({ type: 'Precompiled', precompiled_charsmap }), plain = open({ type: 'Precompiled' })
  for (let i = 0; i < 500; i++) {
    const text = Array.from({ length: next(12) }, () => letters[next(letters.length)]).join('')
    const tokens = [], offsets = [], all = bytesOf(text)
    for (let at = 0; at < text.length;) {
      const rest = all.subarray(bytesOf(text.slice(0, at)).length), match = findLongest(ENTRIES, rest, 0)
      const character = String.fromCodePoint(text.codePointAt(at))
      const source = match ? new TextDecoder().decode(rest.subarray(0, match.length)) : character
      for (const letter of match?.content ?? character) {
        tokens.push(letter)
        offsets.push([at, at + source.length])
      }
      at += source.length
    }
    const encoded = rewriting.encode(text)
    assert.deepEqual([encoded.tokens, encoded.offsets], [tokens, offsets], JSON.stringify(text))
    assert.deepEqual(plain.encode(text).tokens, [...text])
  }
})
