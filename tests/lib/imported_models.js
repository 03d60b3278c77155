// Small models with tokenizers, such as a user of the page might import.
import { gguf } from '../bench/lib/gguf.js'
import { loadGolden } from '../golden/index.js'
import { cases, filesOf } from '../models/golden_models.js'
import { stories } from '../../src/training/models/stories/data.js'
import { gf } from './engine.js'

const MAX_POSITIONS = 64

/** A golden model with the vocabulary size of a tokenizer and a longer maximum length. */
function resizeModel([item], size) {
  const { vocab_size: originalSize } = item.config
  const shapeOf = (key, shape) => (
    shape.map((n, i) => (/position_embeddings/.test(key) && i === 0 ? MAX_POSITIONS : n === originalSize ? size : n)))
  const tensors = item.tensors.map(([key, shape, ...rest]) => [key, shapeOf(key, shape), ...rest])
  const hasPositions = Boolean(item.config.max_position_embeddings)
  const config = { vocab_size: size, ...(hasPositions && { max_position_embeddings: MAX_POSITIONS }) }
  return filesOf({ ...item, tensors }, { config })
}

/** A BERT with a WordPiece tokenizer that is trained on stories. */
export function bertFiles() {
  const texts = stories(3, 300, { names: 'plain', languages: ['en'] })
  const tokenizer = gf.text.trainWordPiece(texts, { vocabSize: 400, specials: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'],
    lowercase: true })
  return { ...resizeModel(cases('bert'), tokenizer.size), 'tokenizer.json': JSON.stringify(tokenizer) }
}

/** A SentencePiece model; the text tests compare our encoding with it to that of SentencePiece. */
export const unigramFile = () => new Uint8Array(Buffer.from(loadGolden('spm_models').models.unigram.model, 'base64'))

/** A T5 with the unigram model of SentencePiece. */
export function t5Files() {
  const file = unigramFile(), config = JSON.stringify({ model_type: 't5' })
  const tokenizer = gf.text.tokenizer({ 'spiece.model': file, 'config.json': config })
  return { ...resizeModel(cases('t5'), tokenizer.size), 'spiece.model': file }
}

/** A Marian like opus-mt's: source.spm splits texts, vocab.json has the ids. */
export function marianFiles() {
  const file = unigramFile(), unigram = gf.text.tokenizer({ 'source.spm': file })
  const pieces = Array.from({ length: unigram.size }, (_, id) => unigram.tokenOf(id)).filter(piece => !piece.startsWith('<'))
  const vocab = Object.fromEntries(['</s>', '<unk>', ...pieces, '<pad>'].map((piece, id) => [piece, id]))
  return {
    ...resizeModel(cases('marian'), Object.keys(vocab).length), 'source.spm': file, 'target.spm': file,
    'vocab.json': JSON.stringify(vocab)
  }
}

/**
 * A Marian with a vocabulary for each side: that of the target has the same pieces with other ids, and one more.
 */
export function translatorFiles() {
  const [, apart] = cases('marian'), { 'vocab.json': vocab, ...files } = marianFiles()
  const names = Object.keys(JSON.parse(vocab)), order = ['<unk>', ...names.filter(name => name !== '<unk>').reverse(), '<extra>']
  const sizes = { vocab_size: names.length, decoder_vocab_size: order.length, decoder_start_token_id: order.indexOf('<pad>') }
  const sizeOf = (key, n) => (n === apart.config.vocab_size ? sizes.vocab_size
    : n === apart.config.decoder_vocab_size ? sizes.decoder_vocab_size : n)
  const tensors = apart.tensors.map(([key, shape, ...rest]) => [key, shape.map(n => sizeOf(key, n)), ...rest])
  return {
    ...files, ...filesOf({ ...apart, tensors }, { config: { ...sizes, max_position_embeddings: MAX_POSITIONS } }),
    'vocab.json': vocab, 'target_vocab.json': JSON.stringify(Object.fromEntries(order.map((name, id) => [name, id])))
  }
}

let serial = 1000

/** A model loaded from files as the page loads it. */
export async function openModel(files) {
  const { type } = await gf.models.inspect(files)
  return { ...await gf.models.load(files), type, serial: serial++, dtype: 'float32' }
}

/** The chunks of a GGUF file with a small Llama, as llama.cpp stores it. */
export function llamaGguf(metadata = {}) {
  const C = 8, F = 12, V = 13, tensor = (...shape) => ({ shape, isFloat32: true,
    data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * 1.7) / 3) })
  const layer = {
    attn_norm: [C], attn_q: [C, C], attn_k: [C, C], attn_v: [C, C], attn_output: [C, C], ffn_norm: [C],
    ffn_gate: [F, C], ffn_up: [F, C], ffn_down: [C, F]
  }
  const tensors = {
    'token_embd.weight': tensor(V, C), 'output_norm.weight': tensor(C), 'output.weight': tensor(V, C),
    ...Object.fromEntries(Object.entries(layer).map(([name, shape]) => [`blk.0.${name}.weight`, tensor(...shape)]))
  }
  return gguf({
    'general.architecture': ['string', 'llama'], 'llama.block_count': ['u32', 1], 'llama.context_length': ['u32', 16],
    'llama.embedding_length': ['u32', C], 'llama.feed_forward_length': ['u32', F], 'llama.attention.head_count': ['u32', 2],
    'llama.attention.layer_norm_rms_epsilon': ['f32', 1e-5], 'llama.vocab_size': ['u32', V], ...metadata
  }, tensors)
}
