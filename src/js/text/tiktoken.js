import { expectOptions, expectType, isPlain } from '../errors.js'
import { BYTE_CHARACTERS } from './byte_level.js'
import { CONFIG, chatFilesOf, expectFiles, findTiktoken, parseOptional, readText } from './files.js'
import { expectFormat } from './json_fields.js'
import { GPT_PARTS, readAddedTokens, splitBytes, splitLikeQwen } from './merges_txt.js'
import { mergesFromScores } from './sentencepiece.js'
import { Tokenizer } from './tokenizer.js'
import { bpeModel, byteLevelPart, specialToken, templateProcessor, tokenizerJson } from './tokenizer_json.js'

/**
 * Reads tiktoken's files: a line for each token with its bytes in base64 and its rank, which is its id. They have
 * neither the pattern that splits a text nor the special tokens: known files are recognized by their number of tokens.
 */

/** @typedef {import('./merges_txt.js').Json} Json */
/**
 * @typedef {{ patStr?: string, specialTokens?: Record<string, number> }} TiktokenOptions tiktoken's `pat_str` and
 *   `special_tokens`; by default those of the encoding with as many tokens
 */

const WHERE = 'text.tiktoken'
const LINE = /^([\w+/]+={0,2}) (\d+)\s*$/

const [CONTRACTIONS, , SPACES] = GPT_PARTS, ANY_CASE = String.raw`\p{Lm}\p{Lo}\p{M}]`, NUMBERS = '\\p{N}{1,3}'
const UPPER = String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}${ANY_CASE}`, LOWER = `[\\p{Ll}${ANY_CASE}`
const O200K = `${UPPER}*${LOWER}+${CONTRACTIONS}?|${UPPER}+${LOWER}*${CONTRACTIONS}?|${NUMBERS}|${SPACES.replace(']*', '/]*')}`
const CL100K = splitLikeQwen(NUMBERS), END = 'endoftext'
const LLAMA3 = 128000, QWEN = 151643

/**
 * Known encodings by their number of tokens: how they split a text, the names of special tokens by id, and the name of
 * those that are numbered, up to an id.
 * @type {Record<number, [split: Json, names: Record<number, string>, numbered?: string, end?: number]>}
 */
const ENCODINGS = {
  50256: [byteLevelPart({}), { 50256: END }], // gpt2, r50k_base
  50280: [byteLevelPart({}), { 50256: END }], // p50k_base
  100256: [CL100K, { 100257: END, 100258: 'fim_prefix', 100259: 'fim_middle', 100260: 'fim_suffix', 100276: 'endofprompt' }],
  [LLAMA3]: [CL100K, { [LLAMA3]: 'begin_of_text', 128001: 'end_of_text', 128006: 'start_header_id', 128007: 'end_header_id',
    128009: 'eot_id' }, 'reserved_special_token', 128256],
  [QWEN]: [splitLikeQwen('\\p{N}'), { [QWEN]: END, 151644: 'im_start', 151645: 'im_end' }, 'extra', 151851],
  199998: [splitBytes(O200K), { 199999: END, 200018: 'endofprompt' }]
}

/**
 * The special tokens of a known encoding with their ids.
 * @param {number} count of tokens @returns {[string, number][]}
 */
function specialsOf(count) {
  const [, named, numbered, end = 0] = ENCODINGS[count], names = { ...named }
  for (let id = count, k = 0; id < end; id++) names[id] ??= `${numbered}_${k++}`
  return Object.entries(names).map(([id, name]) => [`<|${name}|>`, Number(id)])
}

/**
 * Loads the tokenizer of a tiktoken file, which may be Llama 3's `tokenizer.model`.
 * @param {import('../engine/kernels.js').Kernels} engine
 * @param {import('./files.js').Files} files name -> text or bytes: a file of lines with a token in base64 and its rank;
 *   `tokenizer_config.json` beside it may list the special tokens (`added_tokens_decoder`) and have a chat template
 * @param {TiktokenOptions} [options]
 * @returns {Tokenizer}
 * @throws {GlassformerError} 'format' if a line is malformed, or if the encoding is unknown and there is no `patStr`;
 *   'type'
 */
export function loadTiktoken(engine, files, options) {
  expectFiles(WHERE, files)
  const { patStr, specialTokens } = /** @type {TiktokenOptions} */ (
    expectOptions(WHERE, options, ['patStr', 'specialTokens']))
  expectType(patStr === undefined || typeof patStr === 'string', `${WHERE}: patStr must be a string`, patStr)
  expectType(isPlain(specialTokens ?? {}), `${WHERE}: specialTokens must be an object of ids by token`, specialTokens)
  const name = findTiktoken(files)
  expectType(name !== undefined, `${WHERE}: files must have one of lines with a token in base64 and its rank`, files)
  const json = toTokenizerJson(`${WHERE}: ${name}`, readText(files, name), parseOptional(files, CONFIG), { patStr, specialTokens })
  return new Tokenizer(engine, json, undefined, chatFilesOf(files))
}

/**
 * @param {string} where @param {string} text @param {Json} config tokenizer_config.json
 * @param {TiktokenOptions} options
 */
function toTokenizerJson(where, text, config, { patStr, specialTokens }) {
  const pieces = text.trimEnd().split('\n').map((line, i) => {
    const match = LINE.exec(line)
    expectFormat(match, () => `${where}: line ${i + 1} must be a token in base64 and its rank`, line)
    const piece = Array.from(atob(match[1]), byte => BYTE_CHARACTERS[byte.charCodeAt(0)]).join('')
    return { piece, score: -match[2], type: 1 }
  })
  const count = pieces.length, tokens = new Set(pieces.map(({ piece }) => piece))
  const ids = new Set(pieces.map(({ score }) => score))
  expectFormat(BYTE_CHARACTERS.every(byte => tokens.has(byte)) && tokens.size + ids.size === 2 * count,
    () => `${where} must have all 256 bytes, and no token or rank twice`)
  const known = patStr === undefined ? ENCODINGS[count] : null
  expectFormat(known !== undefined, () => `${where} has ${count} tokens, as no known encoding (${Object.keys(ENCODINGS)}); ` +
    'give the pattern that splits a text and the special tokens: gf.text.tiktoken(files, { patStr, specialTokens })')
  const listed = readAddedTokens(config, undefined, new Set()), { merges, ranks } = mergesFromScores(pieces)
  const specials = specialTokens ? Object.entries(specialTokens) : known ? specialsOf(count) : []
  const vocab = Object.fromEntries(pieces.map(({ piece, score }) => [piece, -score]))
  return tokenizerJson({
    added_tokens: !specialTokens && listed.size ? [...listed.values()]
      : specials.map(([name, id]) => specialToken(name, id)),
    normalizer: known && count === QWEN ? { type: 'NFC' } : null,
    // A + after braces is possessive for tiktoken, another quantifier for Oniguruma; the longest match is the same
    // without it.
    pre_tokenizer: known?.[0] ?? splitBytes(/** @type {string} */ (patStr).replace(/(\{[\d,]+\})\+/g, '$1')),
    post_processor: known && count === LLAMA3 ? templateProcessor([['<|begin_of_text|>', LLAMA3]], []) : null,
    decoder: byteLevelPart({}),
    model: { ...bpeModel(vocab, merges), ignore_merges: true, ranks }
  })
}
