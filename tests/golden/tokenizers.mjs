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

const byteLevel = more => ({ type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true, ...more })
const sequence = (...pretokenizers) => ({ pre_tokenizer: { type: 'Sequence', pretokenizers } })
/** Bytes as characters, without the letter b and with a merge of its neighbors. */
const BYTES = {
  ...characters(), unk_token: null, merges: [['a', 'x'], ['Ġ', 'a'], ['ê', '°']],
  vocab: Object.fromEntries([...new Set([...'acdefghijklmnopqrstuvwxyz0123456789.,-+*()', ...LETTERS.flatMap(text => [...Buffer.from(text)]
    .map(byte => ((byte > 32 && byte < 127) || (byte > 160 && byte !== 173) ? String.fromCharCode(byte)
      : String.fromCharCode(256 + (byte < 33 ? byte : byte < 161 ? byte - 94 : 67))))), 'ax', 'Ġa', 'ê°'])].filter(token => token !== 'b')
    .map((token, id) => [token, id]))
}
/** Scores of which the last bit decides. */
const UNIGRAM = {
  type: 'Unigram', unk_id: 0, byte_fallback: false,
  vocab: [['<unk>', 0], ...[['a', 1.1234567890123], ['b', 2.3456789], ['x', 0.7654321]].flatMap(([token, score]) =>
    [1, 2, 3, 5].map(n => [token.repeat(n), -score * n])), ['ab', -1.1234567890123 - 2.3456789], ['bx', -0.7654321 - 2.3456789], ['▁', -3.3]]
}
const WORD_LEVEL = { type: 'WordLevel', unk_token: '?', vocab: { '?': 0, 'a': 1, 'x': 2, 'ab': 3, 'bx': 4, '1': 5 } }

/** Parts of a tokenizer.json. */
const PARTS = [
  { normalizer: { type: 'StripAccents' } },
  { normalizer: { type: 'Sequence', normalizers: [{ type: 'NFD' }, { type: 'StripAccents' }] } },
  { normalizer: { type: 'Strip', strip_left: true, strip_right: true } }, { normalizer: { type: 'NFKC' } },
  { added_tokens: added({ single_word: true }) }, { added_tokens: added({ lstrip: true }) },
  { added_tokens: added({ rstrip: true, lstrip: true }) },
  metaspace('.', 'always'), metaspace('(', 'never'), metaspace('|', 'first'), metaspace('😀', 'always'), metaspace('😀', 'never', false),
  { model: characters({ ignore_merges: true }) },
  ...['NFC', 'NFD', 'NFKD', 'Nmt', 'ByteLevel', 'Lowercase'].map(type => ({ normalizer: { type } })),
  { normalizer: { type: 'Replace', pattern: { Regex: ' +|(?=b)' }, content: 'ba' }, pre_tokenizer: null },
  { normalizer: { type: 'Prepend', prepend: '▁' }, pre_tokenizer: null },
  { normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true } },
  sequence({ type: 'WhitespaceSplit' }, { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true }),
  { ...sequence({ type: 'WhitespaceSplit' }, byteLevel({ add_prefix_space: true })), model: BYTES },
  { ...sequence(byteLevel({}), { type: 'Digits', individual_digits: false }, { type: 'Split', pattern: { Regex: '[0-9][0-9][0-9]' },
    behavior: 'Isolated', invert: false }), model: BYTES },
  { pre_tokenizer: byteLevel({}), model: BYTES },
  { model: UNIGRAM }, { model: WORD_LEVEL, pre_tokenizer: { type: 'Digits', individual_digits: true } }
]
const parts = PARTS.map(part => ({ pre_tokenizer: { type: 'WhitespaceSplit' }, model: characters(), ...part }))

const tokenizerJson = more => JSON.stringify({
  version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null,
  decoder: null, model: WORDS, ...more
})
const encode = (tokenizer, text) => tokenizer.encode(text, null, { addSpecialTokens: false })
/** Converts ends from code points to UTF-16 units. @param {string} text @param {[number, number][]} offsets */
function endsIn(text, offsets) {
  return unitsOf(text, offsets).map(([, end]) => end)
}
/** Converts offsets from code points to UTF-16 units. @param {string} text @param {[number, number][]} offsets */
function unitsOf(text, offsets) {
  const at = [0]
  for (const character of text) at.push(at.at(-1) + character.length)
  return offsets.map(([start, end]) => [at[start], at[end]])
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
  const tokenizer = Tokenizer.fromString(tokenizerJson(json)), ids = [], offsets = []
  for (const text of partTexts) {
    const encoding = await encode(tokenizer, text)
    ids.push(encoding.getIds())
    // After a byte that it drops, the library's offsets are too small.
    const isShifted = json.model === BYTES && text.includes('b')
    offsets.push(isShifted ? null : unitsOf(text, encoding.getOffsets()).map(range => range.join('-')).join(' '))
  }
  encodedParts.push({ json, ids, offsets })
}

/** Pairs with each post-processor: ids and types, with and without special tokens, and truncated. */
const special = (id, typeId) => ({ SpecialToken: { id, type_id: typeId } })
const of = (id, typeId) => ({ Sequence: { id, type_id: typeId } })
const PROCESSORS = [
  null, { type: 'BertProcessing', cls: ['a', 1], sep: ['b', 2] },
  { type: 'RobertaProcessing', cls: ['a', 1], sep: ['b', 2], trim_offsets: false, add_prefix_space: false },
  { type: 'TemplateProcessing', single: [special('a', 0), of('A', 0)], pair: [special('a', 0), of('A', 0), special('b', 1), of('B', 1), special('b', 1)],
    special_tokens: { a: { id: 'a', ids: [1], tokens: ['a'] }, b: { id: 'b', ids: [2, 3], tokens: ['b', 'x'] } } }
]
const pairs = []
const cases = PROCESSORS.flatMap(post_processor => [null, 5, 9].flatMap(maxLength =>
  [false, true].map(addSpecialTokens => ({ post_processor, maxLength, addSpecialTokens }))))
for (const { post_processor, maxLength, addSpecialTokens } of cases) {
  const json = { pre_tokenizer: { type: 'WhitespaceSplit' }, model: characters(), post_processor }
  const truncation = maxLength && { max_length: maxLength, stride: 0, strategy: 'LongestFirst', direction: 'Right' }
  const tokenizer = Tokenizer.fromString(tokenizerJson({ ...json, truncation })), results = []
  for (let i = 0; i < 12; i++) {
    const encoding = await tokenizer.encode(partTexts[i], partTexts[i + 20], { addSpecialTokens })
    results.push({ ids: encoding.getIds(), typeIds: encoding.getTypeIds() })
  }
  pairs.push({ json, maxLength, special: addSpecialTokens, results })
}

/** Decoders: texts of tokens. */
const DECODED = ['▁', '▁▁a', 'b|', 'b|', '<pad>', ' .', 'x', '##a', '▁x']
const decoders = []
for (const decoder of [{ type: 'CTC', pad_token: '<pad>', word_delimiter_token: '|', cleanup: true },
  { type: 'CTC', pad_token: '<pad>', word_delimiter_token: '|', cleanup: false },
  { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  { type: 'Metaspace', replacement: '▁', prepend_scheme: 'never', split: true }]) {
  const json = { model: { ...WORD_LEVEL, vocab: Object.fromEntries(['?', ...new Set(DECODED)].map((token, id) => [token, id])) }, decoder }
  const tokenizer = Tokenizer.fromString(tokenizerJson(json)), texts = []
  const idLists = Array.from({ length: 30 }, () =>
    Array.from({ length: 1 + next(5) }, () => 1 + next(DECODED.length - 1)))
  for (const list of idLists) texts.push(await tokenizer.decode(list, false))
  decoders.push({ json, idLists, texts })
}

/** Scripts: letters, marks, digits and symbols of many, some newer than the library's table, which is of Unicode 9. */
const SCRIPT_LETTERS = ['abc', 'é', 'e\u0301', 'ж', 'λ', 'Ա', 'א', 'שָ', 'عربي', 'ـ', 'हिन्दी', '।', 'বাংলা', 'தமிழ்', 'ไทย', 'ລາວ', 'ქართ', 'አማ', 'ខ្មែរ', '한글', 'ㅋ',
  '漢字', 'ひら', 'カタ', 'ー', '・', '々', '〆', 'ᚠ', 'Ꭰ', 'ꭰ', '𐐀', '𝔸', '𠀀', '١', '7', '，', '.', '-', '_', '$', '₿', '🙂', '🥰', '👍🏽', '\u200d', '\ufe0f', '\u00a0',
  '\u3000', ' ', ' ', '  ', '\n', '\t', '\u0378', '\u{1e900}', '\u{10d00}', '\u1c90', '\u0589', '\u061c', '\u0953', '\u0954', '\ue000']
const scriptTexts = Array.from({ length: 120 }, () =>
  Array.from({ length: next(9) }, () => SCRIPT_LETTERS[next(SCRIPT_LETTERS.length)]).join(''))
const scripts = []
for (const part of [{ pre_tokenizer: { type: 'UnicodeScripts' } }, sequence({ type: 'UnicodeScripts' }, { type: 'WhitespaceSplit' }),
  sequence({ type: 'WhitespaceSplit' }, { type: 'UnicodeScripts' }),
  sequence({ type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true }, { type: 'UnicodeScripts' })]) {
  const tokenizer = Tokenizer.fromString(tokenizerJson(part)), offsets = []
  for (const text of scriptTexts) offsets.push(unitsOf(text, (await encode(tokenizer, text)).getOffsets()).map(range => range.join('-')).join(' '))
  scripts.push({ json: { model: WORDS, ...part }, offsets })
}
writeFileSync(new URL('tokenizers.json', import.meta.url), `${JSON.stringify({ patternTexts, patterns, partTexts, parts: encodedParts, pairs, decoders, scriptTexts, scripts })}\n`)
