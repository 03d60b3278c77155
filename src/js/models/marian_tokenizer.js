import { GlassformerError, expect } from '../errors.js'
import { CONFIG, loadTokenizer, parseOptional, toBytes, toTokenizerJson } from '../text/files.js'
import { Tokenizer } from '../text/tokenizer.js'

/** @typedef {import('../text/files.js').Files} Files */

/** The files of both sides, by what a side is called where there is one vocabulary. */
const SIDES = [
  { 'vocab.json': 'vocab.json', 'source.spm': 'source.spm' }, { 'vocab.json': 'target_vocab.json', 'source.spm': 'target.spm' }
]
const NAMES = SIDES.flatMap(side => Object.values(side))

/**
 * Whether the files are those of a Marian tokenizer that has a vocabulary of its own for targets.
 * @param {Files} files
 */
export const hasTargetVocabulary = files => !('tokenizer.json' in files) &&
  (parseOptional(files, CONFIG).separate_vocabs ?? 'target_vocab.json' in files) === true

/**
 * The tokenizer of a translator with two vocabularies: it encodes sources and decodes targets, as Hugging Face's
 * MarianTokenizer does.
 */
export class MarianTokenizer extends Tokenizer {
  /** The tokenizer of targets, with the ids that the model generates. @type {Tokenizer} */ target
  /** @type {Files} */ #files

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {Files} files vocab.json and source.spm, target_vocab.json and target.spm
   * @throws {GlassformerError} 'format' if one is missing or malformed
   */
  constructor(engine, files) {
    for (const name of NAMES) expect(name in files, 'format', () =>
      `tokenizer: ${name} is missing; a Marian with two vocabularies needs ${NAMES.join(', ')}`)
    const [source, target] = SIDES.map(side => (
      Object.fromEntries(Object.entries(side).map(([key, name]) => [key, files[name]]))))
    super(engine, toTokenizerJson(source))
    try {
      this.target = loadTokenizer(engine, target)
    } catch (error) {
      if (!(error instanceof GlassformerError)) throw error
      const message = error.message.replace('source.spm', 'target.spm').replace('vocab.json', 'target_vocab.json')
      throw new GlassformerError(error.code, message)
    }
    this.#files = files
  }

  /**
   * Decodes ids of the target to text.
   * @param {ArrayLike<number>} ids @param {{ special?: boolean }} [options] as for Tokenizer
   * @returns {string}
   */
  decode(ids, options) {
    return this.target.decode(ids, options)
  }

  /** The files that it was made of, as `save` writes them. @returns {Record<string, string | Uint8Array>} @internal */
  get files() {
    const config = { tokenizer_class: 'MarianTokenizer', ...parseOptional(this.#files, CONFIG), separate_vocabs: true }
    const contents = NAMES.map(name => [name, toBytes(this.#files[name])])
    return { ...Object.fromEntries(contents), [CONFIG]: `${JSON.stringify(config, null, 2)}\n` }
  }

  /** @returns {never} */
  toJSON() {
    throw new GlassformerError('state', 'tokenizer: a tokenizer.json has one vocabulary, and this tokenizer has two; ' +
      `gf.models.save(model, { tokenizer }) writes ${NAMES.join(', ')}`)
  }
}
