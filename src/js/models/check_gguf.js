import { describe, expect } from '../errors.js'

/**
 * Checks of a GGUF file's settings against each other, as llama.cpp has them: a setting that is missing there has no
 * default, and an id must be in the vocabulary.
 *
 * @typedef {Record<string, any>} Metadata
 */

/** Architectures whose norms subtract the mean. */
const LAYER_NORM = ['phi2', 'gptneox', 'gpt2', 'starcoder', 'bloom', 'falcon', 'starcoder2', 'command-r']
/** The ids that are read; llama.cpp spells it so. */
const TOKEN_ID = /^tokenizer\.ggml\.(bos|eos|unknown|padding|seperator)_token_id$/
/** Settings that llama.cpp needs. */
const REQUIRED = ['embedding_length', 'block_count', 'context_length', 'attention.head_count']

/** @param {string} file @param {Metadata} metadata @param {string} architecture */
export function checkRequired(file, metadata, architecture) {
  const eps = `attention.layer_norm_${LAYER_NORM.includes(architecture) ? '' : 'rms_'}epsilon`
  const hasExperts = metadata[`${architecture}.expert_count`]
  for (const name of [...REQUIRED, eps, ...hasExperts ? ['expert_used_count'] : []]) {
    const key = `${architecture}.${name}`
    expect(metadata[key] !== undefined, 'format', () => `${file}: ${key} is missing`)
  }
  const of = (/** @type {string} */ name) => metadata[`${architecture}.${name}`]
  expect(of('attention.causal') !== false, 'format',
    () => `${file}: ${architecture}.attention.causal = false is not supported; expected true or none`)
  const size = of('attention.key_length') ?? of('embedding_length') / of('attention.head_count')
  const dims = of('rope.dimension_count') ?? size
  expect(!(dims > size), 'format', () => `${file}: ${architecture}.rope.dimension_count must be at most ${size}, the channels ` +
    `of a head, got ${describe(dims)}`)
}

/**
 * The ids of tokens with a role must be in the vocabulary. llama.cpp ignores an id of padding that is not, such as
 * 4294967295 for none, and so does `readTokenIds`.
 * @param {string} file @param {Metadata} metadata @param {number} vocabSize
 * @returns {import('./config.js').Config} the settings of config.json
 */
export function readTokenIds(file, metadata, vocabSize) {
  for (const [key, id] of Object.entries(metadata)) if (TOKEN_ID.test(key)) {
    const isInteger = typeof id === 'number' && Number.isInteger(id) && id >= 0
    expect(isInteger && (id < vocabSize || key.endsWith('.padding_token_id')), 'format',
      () => `${file}: ${key} must be an id below ${vocabSize}, got ${describe(id)}`)
  }
  const { 'tokenizer.ggml.padding_token_id': padding } = metadata
  return {
    eos_token_id: metadata['tokenizer.ggml.eos_token_id'], bos_token_id: metadata['tokenizer.ggml.bos_token_id'],
    pad_token_id: padding < vocabSize ? padding : undefined
  }
}

/**
 * The channels of a head that the model rotates must be those of the file.
 * @param {string} file @param {Metadata} metadata @param {string} architecture
 * @param {import('./decoder.js').DecoderDescription} description that of GPT-2 has a number of layers only
 */
export function checkRotaryDims(file, metadata, architecture, { layers }) {
  if (!Array.isArray(layers)) return
  const key = `${architecture}.rope.dimension_count`, { [key]: count } = metadata
  for (const { rotary } of layers) expect(!rotary || count === undefined || count === rotary.dims && count > 0, 'format',
    () => `${file}: ${key} must be ${rotary?.dims}, the channels of a head that are rotated, got ${describe(count)}`)
}

/**
 * No tensor may belong to a layer after the last one.
 * @param {string} file @param {Metadata} metadata @param {string} architecture
 * @param {Iterable<string>} names of tensors
 */
export function checkLayers(file, metadata, architecture, names) {
  const key = `${architecture}.block_count`, { [key]: count } = metadata
  const name = [...names].find(name => Number(/^blk\.(\d+)\./.exec(name)?.[1] ?? -1) >= count)
  expect(name === undefined, 'format', () => `${file}: ${key} is ${count}, and ${name} is of a layer after the last one`)
}
