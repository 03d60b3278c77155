import test from 'node:test'
import assert from 'node:assert/strict'
import { whitespace as splitReference } from '../../src/reference/whitespace.js'
import { words as wordsReference } from '../../src/reference/words.js'
import { gf, stream } from './text.js'

const { whitespace, words } = gf.text
const decode = bytes => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/**
 * Compares words with the reference. Spans count UTF-16 units, so that one replacement character too many or too few
 * shifts every token after it.
 */
function check(bytes) {
  const text = decode(bytes)
  assert.deepEqual(whitespace(bytes), splitReference(text), [...bytes].join(' '))
  assert.deepEqual(words(bytes), wordsReference(text), [...bytes].join(' '))
}

const broken = {
  'stray continuation bytes': [0x80, 0xbf, 0x80],
  'overlong two bytes': [0xc0, 0x80, 0xc1, 0xbf],
  'overlong three bytes': [0xe0, 0x80, 0x80, 0xe0, 0x9f, 0xbf],
  'overlong four bytes': [0xf0, 0x80, 0x80, 0x80, 0xf0, 0x8f, 0xbf, 0xbf],
  'surrogates': [0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80],
  'above U+10FFFF': [0xf4, 0x90, 0x80, 0x80, 0xf5, 0x80, 0x80, 0x80, 0xff],
  'two of three bytes': [0xe2, 0x80],
  'three of four bytes': [0xf0, 0x9f, 0x98],
  'a lead byte before a lead byte': [0xe2, 0xe2, 0x80, 0xf0, 0x9f, 0xc3, 0xa9],
  'a byte order mark': [0xef, 0xbb, 0xbf],
  'half of a space': [0xe3, 0x80, 0x20, 0xe2, 0x80]
}

for (const [name, bytes] of Object.entries(broken)) {
  test(`decodes ${name} alone, before and after text`, () => {
    const [left, right] = [[0x61, 0x20, 0x22], [0x62, 0x2e, 0x20, 0x63, 0x2e]]
    for (const before of [[], left]) {
      for (const after of [[], right]) check(Uint8Array.of(...before, ...bytes, ...after))
    }
  })
}

test('decodes every sequence of two bytes and many of three as TextDecoder', () => {
  for (let a = 0x7f; a < 0x100; a++) {
    const pairs = Array.from({ length: 256 }, (_, b) => [0x20, 0x78, a, b, 0x2c]).flat()
    check(Uint8Array.from(pairs))
  }
  for (const a of [0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4]) {
    for (let b = 0x7f; b <= 0xc0; b++) {
      check(Uint8Array.from([0x7f, 0x80, 0x8b, 0xa8, 0xbf, 0xc0].flatMap(c => [0x20, a, b, c, 0x80, 0x2e])))
    }
  }
})

test('splits 3000 texts of random bytes and texts with changed bytes as the reference', () => {
  const next = stream(22)
  const likely = [0x20, 0x27, 0x22, 0x2e, 0x2c, 0x61, 0x6e, 0x74, 0xe2, 0x80, 0x9c, 0xc2, 0xa0, 0xbb, 0xe3, 0xea, 0xb0,
    0xf0, 0x9f]
  const real = new TextEncoder().encode('그는 “어텐션”이라고 말했다. It\'s 😀\u3000«so», isn\'t it?')
  for (let i = 0; i < 3000; i++) {
    check(Uint8Array.from({ length: 1 + next(24) }, () => next(4) ? likely[next(likely.length)] : next(256)))
    check(real.map(byte => next(12) ? byte : next(256)).subarray(0, next(real.length + 1)))
  }
})

test('handles invalid bytes across windows', () => {
  const next = stream(23)
  check(Uint8Array.from({ length: 100001 }, () => next(5) ? 0x80 + next(128) : 0x20 + next(96)))
})

test('reads lone surrogates of a string as U+FFFD', () => {
  assert.deepEqual(whitespace('a\ud800b \udc00'), ['a\ufffdb', '\ufffd'])
  assert.deepEqual(words("\udfff's \ud83d\ude00\ud83d."), ['\ufffd', "'s", '😀\ufffd', '.'])
})

test('reads a view of part of a buffer', () => {
  const bytes = new TextEncoder().encode('xx나는 최근xx')
  assert.deepEqual(whitespace(bytes.subarray(2, -2)), ['나는', '최근'])
})
