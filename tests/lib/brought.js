// Small models with tokenizers that search for pieces, as a reader might bring them.
import { loadGolden } from '../golden/index.js'
import { cases, filesOf } from '../models/drawn.js'
import { stories } from '../../web/models/stories/data.js'
import { gf } from './engine.js'

const PLACES = 64

/** A drawn model with as many words as a tokenizer has, and room for a text. */
function resized([item], size) {
  const { vocab_size: few } = item.config
  const shapeOf = (key, shape) => (
    shape.map((n, i) => (/position_embeddings/.test(key) && i === 0 ? PLACES : n === few ? size : n)))
  const tensors = item.tensors.map(([key, shape, ...rest]) => [key, shapeOf(key, shape), ...rest])
  const config = { vocab_size: size, ...(item.config.max_position_embeddings && { max_position_embeddings: PLACES }) }
  return filesOf({ ...item, tensors }, { config })
}

/** A BERT whose WordPiece was learned from stories. */
export function bertFiles() {
  const texts = stories(3, 300, { names: 'plain', languages: ['en'] })
  const tokenizer = gf.text.trainWordPiece(texts, { vocabSize: 400, specials: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'],
    lowercase: true })
  return { ...resized(cases('bert'), tokenizer.size), 'tokenizer.json': JSON.stringify(tokenizer) }
}

/** The file of SentencePiece's that the text tests hold to SentencePiece itself. */
export const unigramFile = () => new Uint8Array(Buffer.from(loadGolden('spm_models').models.unigram.model, 'base64'))

/** A T5 with the unigram model of SentencePiece. */
export function t5Files() {
  const file = unigramFile(), tokenizer = gf.text.tokenizer({ 'spiece.model': file })
  return { ...resized(cases('t5'), tokenizer.size), 'spiece.model': file }
}

/** A Marian as opus-mt's folders have it: source.spm cuts texts, vocab.json says the ids. */
export function marianFiles() {
  const file = unigramFile(), unigram = gf.text.tokenizer({ 'source.spm': file })
  const pieces = Array.from({ length: unigram.size }, (_, id) => unigram.tokenOf(id)).filter(piece => !piece.startsWith('<'))
  const vocab = Object.fromEntries(['</s>', '<unk>', ...pieces, '<pad>'].map((piece, id) => [piece, id]))
  return {
    ...resized(cases('marian'), Object.keys(vocab).length), 'source.spm': file, 'target.spm': file,
    'vocab.json': JSON.stringify(vocab)
  }
}

let serial = 1000

/** A model in files, opened as the page opens it. */
export async function opened(files) {
  const { type } = await gf.models.inspect(files)
  return { ...await gf.models.load(files), type, serial: serial++ }
}
