// The bytes of parts of a text, and the offsets of invalid bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TEXT_END } from '../../src/js/engine/constants.js'
import { createSource } from '../../src/js/text/text_source.js'
import { cut } from '../../src/reference/bpe.js'
import { gf } from './text.js'

/** A text from strings and invalid bytes. */
const bytesOf = (...parts) => Uint8Array.from(parts.flatMap(part => (
  typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)))

const TEXTS = {
  'whole characters': 'a가é😀b',
  'bytes that are whole characters': bytesOf('a가é😀b'),
  'bytes that are not the start of a character': bytesOf('a', [0xff], '가', [0x80], 'b'),
  'truncated characters': bytesOf([0xc3], 'a', [0xea, 0xb0], '😀', [0xf0, 0x9f])
}

for (const [name, text] of Object.entries(TEXTS)) test(`${name}: copies the bytes of each part`, () => {
  const source = createSource(gf.engine, 'x', text), { string } = source, n = string.length
  const copied = (from, to) => {
    const target = new Uint8Array(40).fill(0xaa), count = source.copy(target, from, to)
    assert.ok(target.slice(count).every(byte => byte === 0xaa), 'bytes after the copy must not change')
    return [...target.slice(0, count)]
  }
  const whole = typeof text === 'string' ? bytesOf(text) : text
  assert.deepEqual(copied(0, n), [...whole])
  const isBoundary = at => at === n || !/^[\udc00-\udfff]/.test(string.slice(at))
  const boundaries = Array.from({ length: n + 1 }, (_, i) => i).filter(isBoundary)
  for (const from of boundaries) for (const to of boundaries.filter(at => at >= from)) {
    const part = copied(from, to)
    assert.equal(new TextDecoder().decode(Uint8Array.from(part)), string.slice(from, to), `${from} to ${to}`)
    assert.deepEqual([...copied(0, from), ...part, ...copied(to, n)], [...whole])
    if (!source.raw) continue
    const { bytes, units } = source.raw(from, to)
    assert.deepEqual([...bytes], part)
    assert.equal(units.length, part.length + 1)
    assert.equal(units.at(-1), to - from)
    part.forEach((_, i) => {
      const unit = units[i], firstByte = units.indexOf(unit)
      assert.ok(unit >= 0 && unit < to - from && units[i + 1] >= unit, `byte ${i} of ${from} to ${to}: ${units}`)
      assert.ok(copied(from, from + unit).length <= firstByte, `byte ${i} must not begin before its unit`)
    })
  }
})

/** The spans of tokens that end at these bytes, and the length in units, by the kernel. */
function spansOf(text, ends) {
  const { c, memory } = gf.engine, bytes = bytesOf(text, 'Z'), n = ends.length
  return memory.borrow(12 * n + bytes.length, at => {
    memory.ints(at + 8 * n, n).set(ends)
    memory.bytes(at + 12 * n, bytes.length).set(bytes)
    const units = c.gf_unit_spans(at, at + 8 * n, n, at + 12 * n, bytes.length - 1)
    return [units, ...memory.ints(at, 2 * n)]
  })
}

test('spans of tokens inside a character cover the character; empty tokens have empty spans, also at the end', () => {
  assert.deepEqual(spansOf('ab', [1, 1, 2, 2]), [2, 0, 1, 1, 1, 1, 2, 2, 2])
  assert.deepEqual(spansOf('a😀b', [1, 3, 5, 6, 6]), [4, 0, 1, 1, 3, 1, 3, 3, 4, 4, 4])
  assert.deepEqual(spansOf('가a', [1, 3, 3, 4, 4]), [2, 0, 1, 0, 1, 1, 1, 1, 2, 2, 2])
  assert.deepEqual(spansOf('', [0, 0]), [0, 0, 0, 0, 0])
})

/** The ends of units in bytes, by the kernel, with a letter in memory after the text. */
function byteEndsOf(text, units) {
  const { c, memory } = gf.engine, bytes = bytesOf(text, 'Z'), n = units.length
  return memory.borrow(4 * n + bytes.length, at => {
    memory.ints(at, n).set(units)
    memory.bytes(at + 4 * n, bytes.length).set(bytes)
    c.gf_byte_ends(at, n, at + 4 * n, bytes.length - 1)
    return [...memory.ints(at, n)]
  })
}

test('converts units to bytes: up to the end of the character, at most the end of the text', () => {
  assert.deepEqual(byteEndsOf('a가😀b', [0, 1, 1, 2, 3, 4, 5]), [0, 1, 1, 4, 8, 8, 9])
  assert.deepEqual(byteEndsOf('ab', [1, 2, 3, 9]), [1, 2, 2, 2])
  assert.deepEqual(byteEndsOf('', [0, 1]), [0, 0])
  assert.deepEqual(spansOf('ab', [1, 5]), [2, 0, 1, 1, 2])
})

/** The class of a character for the kernel: 1 letter, 2 number, 3 white space. */
const classes = Uint8Array.from({ length: 262144 }, (_, code) => {
  const character = String.fromCodePoint(code), patterns = [/\p{L}/u, /\p{N}/u, /\p{White_Space}/u]
  return patterns.findIndex(pattern => pattern.test(character)) + 1
})

/** The ends of GPT-2's words in bytes, by the kernel, with other bytes in memory after the text. */
function splitBefore(text, following) {
  const { c, memory } = gf.engine, bytes = bytesOf(text), n = bytes.length, room = n + 1
  return memory.borrow(4 * room + classes.length + n + following.length, at => {
    const table = at + 4 * room, start = table + classes.length
    memory.bytes(table, classes.length).set(classes)
    memory.bytes(start, n + following.length).set([...bytes, ...following])
    return [...memory.ints(at, c.gf_cut(at, table, start, n, room, TEXT_END))]
  })
}

test("splits GPT-2's words independently of the memory after the text", () => {
  const following = bytesOf('slle', [0x80, 0xbf], '  ')
  const texts = ["it'", "it'l", "it'v", "it's", "it'll", "it're", "it'lx", "it'm'd't'ret", 'a', 'a ', 'a  ', '\n ', ' ', '', "'",
    '가', 'a1 b22  c!?', '\u{40000}', 'a\u{3ffff}\u{40000}']
  for (const text of texts) for (let from = 0; from < following.length; from++) {
    let end = 0
    const ends = cut(text).map(word => end += bytesOf(word).length)
    assert.deepEqual(splitBefore(text, following.subarray(from)), ends, text)
  }
  for (const bytes of [[0xea], [0xea, 0xb0], [0xf0, 0x9f, 0x98], [0x61, 0xe1]]) {
    for (const last of [[0x80, 0x80], [0xb0, 0x80]]) {
      assert.equal(splitBefore(bytes, last).at(-1), bytes.length)
    }
  }
})
