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

/** The model of WordPiece. @param {Record<string, number>} vocab @param {string} unknown the unknown token */
export const wordPieceModel = (vocab, unknown) => ({
  type: 'WordPiece', unk_token: unknown, continuing_subword_prefix: '##', max_input_chars_per_word: 100, vocab
})

/** The byte-level pre-tokenizer or decoder. @param {Record<string, any>} options */
export const byteLevelPart = options =>
  ({ type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true, ...options })

/**
 * BERT's post-processor: [CLS] before and [SEP] after, if the vocabulary has both.
 * @param {Record<string, number>} vocab
 */
export function bertProcessor(vocab) {
  const [cls, sep] = ['[CLS]', '[SEP]'].map(token => [token, vocab[token]])
  return cls[1] === undefined || sep[1] === undefined ? null : { type: 'BertProcessing', cls, sep }
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
