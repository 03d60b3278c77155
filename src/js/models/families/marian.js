import { bartFamily, describeBartLike } from './bart_family.js'

/**
 * Whether the files make a tokenizer: tokenizer.json, or vocab.json with source.spm. The ids are those of vocab.json,
 * not of the .spm.
 * @param {Record<string, string | Uint8Array>} files
 */
function isTokenizer(files) {
  if ('tokenizer.json' in files) return true
  if (!('vocab.json' in files && 'source.spm' in files)) return false
  const content = files['vocab.json'], text = typeof content === 'string' ? content : new TextDecoder().decode(content)
  return ['"<unk>"', '"</s>"'].every(name => text.includes(name))
}

/** Marian (Junczys-Dowmunt et al. 2018), as in the opus-mt translators: a post-norm transformer without final norms. */
const family = bartFamily({
  type: 'marian',
  architecture: 'MarianMTModel',
  isTokenizer,
  describe: (config, shapeOf) => describeBartLike('Marian', config, shapeOf, {
    vocabSize: 58101, decoderStart: 58100, positions: { kind: 'sinusoidal' }, isPreNorm: false, hasEmbeddingNorm: false,
    hasLogitBias: true, allowed: { static_position_embeddings: [true] }
  })
})

export const marian = {
  ...family,
  /** @param {import('../bart.js').BartDescription} description */
  toHuggingFace(description) {
    const form = family.toHuggingFace(description), { tie_word_embeddings: isTied, ...config } = form.config
    return { ...form, config: { ...config, ...(!isTied && { tie_word_embeddings: isTied }) } }
  }
}
