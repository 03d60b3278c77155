// tiktoken's files: merging by ranks is compared with a direct implementation, patterns with those of tiktoken.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf, nastyText, stream } from './text.js'

const next = stream(48)
const texts = [...Array.from({ length: 150 }, () => nastyText(next).toWellFormed()), '', ' ', "HelloWorld's HELLOWorld 나는 12345 ½", 'a/b\n/c  \n\n d', "it'S dž ⓐ"]
/** A file of tiktoken. @param {Iterable<number[]>} tokens bytes in order of ranks */
const fileOf = tokens => Array.from(tokens, (bytes, rank) => `${Buffer.from(bytes).toString('base64')} ${rank}`).join('\n')

/** A number of tokens: the bytes, all pairs of bytes, then triples. @param {number} count */
function* makeTokens(count) {
  for (let i = 0; i < count; i++) {
    const pair = i - 256, triple = i - 65792
    yield i < 256 ? [i] : triple < 0 ? [pair >> 8, i & 255] : [97 + (triple >> 16), (triple >> 8) & 255, i & 255]
  }
}

/** Random tokens of the texts, so that many are the result of several merges. */
function randomTokens() {
  const tokens = Array.from({ length: 256 }, (_, byte) => [byte]), known = new Set(tokens.map(String))
  const bytes = Buffer.from(texts.join(' '))
  for (let length = 2; length < 6; length++) for (let i = 0; i < 1200; i++) {
    const at = next(bytes.length - length), token = [...bytes.subarray(at, at + length)]
    if (!known.has(String(token))) tokens.push(token)
    known.add(String(token))
  }
  const [first, rest] = [tokens.slice(0, 256), tokens.slice(256)]
  const keyed = rest.map(token => ({ token, key: next(2 ** 30) })).sort((a, b) => a.key - b.key)
  return [...first, ...keyed.map(({ token }) => token)]
}

/** tiktoken's byte_pair_merge. @param {number[]} bytes @param {Map<string, number>} ranks */
function mergeByRanks(bytes, ranks) {
  const whole = ranks.get(String(bytes))
  if (whole !== undefined) return [whole]
  const parts = bytes.map(byte => [byte])
  for (;;) {
    let best = Infinity, at = -1
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = ranks.get(String([...parts[i], ...parts[i + 1]])) ?? Infinity
      if (rank < best) [best, at] = [rank, i]
    }
    if (at < 0) return parts.map(part => ranks.get(String(part)))
    parts.splice(at, 2, [...parts[at], ...parts[at + 1]])
  }
}

test('words are merged by the ranks of tokens, in whichever way a token is joined', async () => {
  const tokens = randomTokens(), ranks = new Map(tokens.map((token, rank) => [String(token), rank]))
  const tokenizer = await gf.text.tiktoken({ 'any.tiktoken': fileOf(tokens) }, { patStr: '[^ ]+| +', specialTokens: { '<end>': tokens.length } })
  assert.equal(tokenizer.size, tokens.length + 1)
  for (const text of texts) {
    const words = text.match(/[^ ]+| +/g) ?? []
    const { ids } = tokenizer.encode(text)
    assert.deepEqual(ids, words.flatMap(word => mergeByRanks([...Buffer.from(word)], ranks)), JSON.stringify(text))
    assert.equal(tokenizer.decode(ids), text)
  }
  assert.deepEqual(tokenizer.encode('<end>').ids, [tokens.length])
  const saved = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(tokenizer) })
  for (const text of texts) assert.deepEqual(saved.encode(text), tokenizer.encode(text))
})

const GPT2 = String.raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`
const CL100K = String.raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`
const O200K = [
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
  String.raw`\p{N}{1,3}`, String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`, String.raw`\s*[\r\n]+`, String.raw`\s+(?!\S)`, String.raw`\s+`
].join('|')
const QWEN = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
const END = '<|endoftext|>'

for (const [name, count, pattern, specials] of [
  ['r50k_base', 50256, GPT2, { [END]: 50256 }],
  ['p50k_base', 50280, GPT2, { [END]: 50256 }],
  ['cl100k_base', 100256, CL100K, { [END]: 100257, '<|fim_prefix|>': 100258, '<|fim_middle|>': 100259, '<|fim_suffix|>': 100260, '<|endofprompt|>': 100276 }],
  ['o200k_base', 199998, O200K, { [END]: 199999, '<|endofprompt|>': 200018 }],
  ['qwen', 151643, QWEN, { [END]: 151643, '<|im_start|>': 151644, '<|im_end|>': 151645, '<|extra_0|>': 151646, '<|extra_204|>': 151850 }],
  ['tokenizer.model', 128000, CL100K, { '<|begin_of_text|>': 128000, '<|end_of_text|>': 128001, '<|reserved_special_token_3|>': 128005,
    '<|start_header_id|>': 128006, '<|end_header_id|>': 128007, '<|reserved_special_token_4|>': 128008, '<|eot_id|>': 128009,
    '<|reserved_special_token_250|>': 128255 }]
]) test(`${name}: the encoding is recognized by the number of tokens`, async () => {
  // p50k_base leaves the id of its special token out.
  const lines = fileOf(makeTokens(count)).split('\n')
  if (count === 50280) lines.forEach((line, i) => { if (i >= 50256) lines[i] = line.replace(/ \d+$/, ` ${i + 1}`) })
  const content = new TextEncoder().encode(`${lines.join('\n')}\n`)
  const tokenizer = await gf.text.tiktoken({ [name.includes('.') ? name : `${name}.tiktoken`]: content })
  for (const [token, id] of Object.entries(specials)) assert.deepEqual(tokenizer.encode(token).ids, [id], token)
  const json = tokenizer.toJSON(), own = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ ...json, pre_tokenizer: { type: 'Sequence', pretokenizers: [
    { type: 'Split', pattern: { Regex: pattern.replace('{1,3}+', '{1,3}') }, behavior: 'Isolated', invert: false }, { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }] } }) })
  for (const text of texts) assert.deepEqual(tokenizer.encode(text).ids, own.encode(text).ids, JSON.stringify(text))
  assert.equal(json.normalizer?.type, name === 'qwen' ? 'NFC' : undefined)
  const added = tokenizer.encode('a', { special: true }).ids
  assert.deepEqual(added, count === 128000 ? [128000, 97] : [97])
})

test('braces with a plus are possessive, as for tiktoken', async () => {
  const open = patStr => gf.text.tiktoken({ 'my.tiktoken': fileOf(makeTokens(65792)) }, { patStr })
  assert.deepEqual((await open('[0-9]{1,3}+|[^0-9]')).encode('1234 12').ids, (await open('[0-9]{1,3}|[^0-9]')).encode('1234 12').ids)
})

test('special tokens come from tokenizer_config.json where it lists them', async () => {
  const config = { added_tokens_decoder: { 128000: { content: '<|begin_of_text|>', special: true }, 128010: { content: '<|python_tag|>', special: true } } }
  const tokenizer = await gf.text.tiktoken({ 'tokenizer.model': fileOf(makeTokens(128000)), 'tokenizer_config.json': JSON.stringify(config) })
  assert.deepEqual(tokenizer.encode('<|python_tag|>').ids, [128010])
  assert.equal(tokenizer.idOf('<|eot_id|>'), undefined)
})

test('errors say what is missing', async () => {
  const open = (content, options) => gf.text.tiktoken({ 'my.tiktoken': content }, options), file = fileOf(makeTokens(256))
  await assert.rejects(open(file), { code: 'format',
    message: /my.tiktoken has 256 tokens, as no known encoding \(50256,50280,.*gf.text.tiktoken\(files, \{ patStr, specialTokens \}\)/ })
  await assert.rejects(open(`${file}\nnot base64`), { code: 'format',
    message: /my.tiktoken: line 257 must be a token in base64 and its rank, got "not base64"/ })
  await assert.rejects(open(file, { patStr: 3 }), { code: 'type', message: /patStr must be a string, got 3/ })
  await assert.rejects(open(file, { patStr: '.', specialTokens: [] }), { code: 'type', message: /specialTokens must be an object .*got an array/ })
  await assert.rejects(open(file, { pattern: '.' }), { code: 'type' })
  await assert.rejects(open(file, { patStr: '(' }), { code: 'format' })
  await assert.rejects(open('no ranks'), { code: 'type', message: /files must have one of lines with a token in base64 .*got an object with my.tiktoken/ })
  await assert.rejects(open('YQ== 0\nYg== 1', { patStr: '.+' }), { code: 'format', message: /my.tiktoken must have all 256 bytes/ })
  for (const line of ['YWI= 3', 'YQ== 256']) {
    await assert.rejects(open(`${file}\n${line}`, { patStr: '.+' }), { code: 'format', message: /no token or rank twice/ })
  }
  await assert.rejects(open(5), { code: 'type', message: /files\["my.tiktoken"\] must be text or bytes/ })
  assert.throws(() => gf.text.tokenizer({ 'tokenizer.model': new TextEncoder().encode(file) }), { code: 'type',
    message: 'tokenizer: tokenizer.model is a file of tiktoken; write await gf.text.tiktoken(files)' })
  assert.throws(() => open(file, { patStr: '.' }).encode, /write await gf.text.tiktoken\(files\)/)
})
