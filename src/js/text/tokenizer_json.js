/** Parts of a tokenizer.json. */

/** A special token. @param {string} content @param {number} id */
export const specialToken = (content, id) =>
  ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true })

/** The model of byte-level byte-pair encoding. @param {Record<string, number>} vocab @param {string[][]} merges */
export const bpeModel = (vocab, merges) => ({
  type: 'BPE',
  dropout: null,
  unk_token: null,
  continuing_subword_prefix: null,
  end_of_word_suffix: null,
  fuse_unk: false,
  byte_fallback: false,
  ignore_merges: false,
  vocab,
  merges
})

/** The byte-level pre-tokenizer or decoder. @param {Record<string, any>} options */
export const byteLevelPart = options =>
  ({ type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true, ...options })

/** The ids of tokens in order. @param {readonly string[]} tokens @returns {Record<string, number>} */
export const toVocab = tokens => Object.fromEntries(tokens.map((token, id) => [token, id]))

export const BERT_PRE_TOKENIZER = { type: 'BertPreTokenizer' }

/** BERT's normalizer. @param {boolean} lowercase @param {Record<string, any>} [options] */
export const bertNormalizer = (lowercase, options) => (
  { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase, ...options })

/**
 * BERT's tokenizer, with [CLS] before a text and [SEP] after it if the vocabulary has both.
 * @param {readonly string[]} tokens @param {readonly string[]} specials
 * @param {ReturnType<typeof bertNormalizer>} normalizer
 */
export function bertJson(tokens, specials, normalizer) {
  const vocab = toVocab(tokens), [cls, sep] = ['[CLS]', '[SEP]'].map(token => [token, vocab[token]])
  return tokenizerJson({
    added_tokens: specials.map(token => specialToken(token, vocab[token])),
    normalizer,
    pre_tokenizer: BERT_PRE_TOKENIZER,
    post_processor: cls[1] === undefined || sep[1] === undefined ? null : { type: 'BertProcessing', cls, sep },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100, vocab
    }
  })
}

/** @param {readonly [token: string, id: number]} token */
const toTemplate = ([id]) => ({ SpecialToken: { id, type_id: 0 } })

/**
 * A post-processor that adds special tokens. @param {readonly [token: string, id: number][]} before
 * @param {readonly [token: string, id: number][]} after
 */
export const templateProcessor = (before, after) => ({
  type: 'TemplateProcessing',
  single: [...before.map(toTemplate), { Sequence: { id: 'A', type_id: 0 } }, ...after.map(toTemplate)],
  pair: [],
  special_tokens: Object.fromEntries([...before, ...after].map(([token, id]) =>
    [token, { id: token, ids: [id], tokens: [token] }]))
})

/** A tokenizer.json. @param {any} parts model, pre_tokenizer, decoder and whatever else is not null */
export const tokenizerJson = parts => ({
  version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null, post_processor: null, ...parts
})
