// Writes tokenizers.json: the results of Hugging Face's tokenizers library (Rust, Oniguruma) for random texts.
//   npm install --prefix build/rust --ignore-scripts tokenizers@0.23.2; node tests/golden/tokenizers.mjs build/rust
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const { Tokenizer } = createRequire(`${resolve(process.argv[2])}/`)('tokenizers')

/** mulberry32 */
let seed = 11
function next(n) {
  seed = (seed + 0x6D2B79F5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) % n
}

const LETTERS = [...'aabbxxABXckKsS012٣ \n\r\t.,-+*[]()\'"_é한가나Σσς²½①ⅷⒶ\u2028\u0301\u0327\u093e\u00a0/{}^$|?', '😀', 'll', '\'s', '\'LL', '  ', '<m>']
const texts = (count, maxLength) => Array.from({ length: count }, () => (
  Array.from({ length: next(maxLength) }, () => LETTERS[next(LETTERS.length)]).join('')))

const PATTERNS = [
  String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  String.raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`,
  String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  String.raw` ?[^(\s|[.,!?…。，、।۔،])]+`,
  '^a', 'a$', '.+', '^', '$', String.raw`\b`, String.raw`\B`, '(?=b)', 'x*', 'a*+a', 'x{1,2}+', 'x{2}?', '[*+]',
  '(?i)[a-f]+', String.raw`\w+`, String.raw`\W+`, String.raw`[^\w]+`, String.raw`\d+|\D`, String.raw`\h+`, String.raw`\s+`,
  String.raw`\Aa`, String.raw`a\z`, String.raw`a\Z`, 'a{,2}', '(?:ab|a)++b', 'a|(?i:B)|c', String.raw`(?i)\x41`,
  '(?<!a)b', String.raw`\p{L}++o|o`, '(?i)k|s', String.raw`[\s\d]+`, '(?i:σ)', 'a||b', '[]a]', 'x{1,', 'a}', '(?i)[^a]'
]
const WORDS = {
  type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100,
  vocab: { '[UNK]': 0 }
}
const characters = more => ({
  type: 'BPE', dropout: null, unk_token: 'u', continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: false,
  byte_fallback: false, ignore_merges: false, merges: [],
  vocab: Object.fromEntries(['u', ...new Set(LETTERS.join('')), '▁', 'क', 'Ġ', 'Ċ', '한가', 'é'].map((token, id) => [token, id])), ...more
})
const MARK = { content: '<m>', single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
const added = more => [{ id: Object.keys(characters().vocab).length, ...MARK, ...more }]
const metaspace = (replacement, prepend_scheme, split = true) => ({ pre_tokenizer: { type: 'Metaspace', replacement, prepend_scheme, split } })

/** Parts of a tokenizer.json. */
const PARTS = [
  { normalizer: { type: 'StripAccents' } },
  { normalizer: { type: 'Sequence', normalizers: [{ type: 'NFD' }, { type: 'StripAccents' }] } },
  { normalizer: { type: 'Strip', strip_left: true, strip_right: true } }, { normalizer: { type: 'NFKC' } },
  { added_tokens: added({ single_word: true }) }, { added_tokens: added({ lstrip: true }) },
  { added_tokens: added({ rstrip: true, lstrip: true }) },
  metaspace('.', 'always'), metaspace('(', 'never'), metaspace('|', 'first'), metaspace('😀', 'always'), metaspace('😀', 'never', false),
  { model: characters({ ignore_merges: true }) }
]
const parts = PARTS.map(part => ({ pre_tokenizer: { type: 'WhitespaceSplit' }, model: characters(), ...part }))

const tokenizerJson = more => JSON.stringify({
  version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null,
  decoder: null, model: WORDS, ...more
})
const encode = (tokenizer, text) => tokenizer.encode(text, null, { addSpecialTokens: false })
/** Converts ends from code points to UTF-16 units. @param {string} text @param {[number, number][]} offsets */
function endsIn(text, offsets) {
  const at = [0]
  for (const character of text) at.push(at.at(-1) + character.length)
  return offsets.map(([, end]) => at[end])
}

const patternTexts = texts(48, 14), partTexts = texts(60, 14)
const patterns = []
for (const pattern of PATTERNS) {
  const tokenizer = Tokenizer.fromString(tokenizerJson({ pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false } }))
  const ends = []
  for (const text of patternTexts) ends.push(endsIn(text, (await encode(tokenizer, text)).getOffsets()))
  patterns.push({ pattern, ends })
}
const encodedParts = []
for (const json of parts) {
  const tokenizer = Tokenizer.fromString(tokenizerJson(json)), ids = []
  for (const text of partTexts) ids.push((await encode(tokenizer, text)).getIds())
  encodedParts.push({ json, ids })
}
writeFileSync(new URL('tokenizers.json', import.meta.url), `${JSON.stringify({ patternTexts, patterns, partTexts, parts: encodedParts })}\n`)
