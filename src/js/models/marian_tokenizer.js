import { GlassformerError, expect } from '../errors.js'
import { CONFIG, loadTokenizer, parseOptional, toBytes, toTokenizerJson } from '../text/files.js'
import { Tokenizer } from '../text/tokenizer.js'

/** @typedef {import('../text/files.js').Files} Files */

/** The files of the target side, by what those of the source are called: the vocabulary may be shared. */
const SHARED = { 'vocab.json': 'vocab.json', 'source.spm': 'target.spm' }
const SEPARATE = { ...SHARED, 'vocab.json': 'target_vocab.json' }

/** @param {Files} files */
const isSeparate = files => (parseOptional(files, CONFIG).separate_vocabs ?? 'target_vocab.json' in files) === true

/**
 * Whether the files are those of a Marian tokenizer that splits targets in a way of its own.
 * @param {Files} files
 */
export const hasTargetSide = files => !('tokenizer.json' in files) && !('merges.txt' in files) &&
  (isSeparate(files) || [...Object.keys(SHARED), 'target.spm'].every(name => name in files))

/**
 * The tokenizer of a translator whose targets are split by target.spm, with a vocabulary of their own or that of the
 * sources: it encodes sources and decodes targets, as Hugging Face's MarianTokenizer does.
 */
export class MarianTokenizer extends Tokenizer {
  /** The tokenizer of targets, with the ids that the model generates. @type {Tokenizer} */ target
  /** @type {Files} */ #files

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {Files} files vocab.json and source.spm, target.spm, and target_vocab.json if it has one
   * @throws {GlassformerError} 'format' if one is missing or malformed
   */
  constructor(engine, files) {
    const side = isSeparate(files) ? SEPARATE : SHARED, names = [...new Set(Object.entries(side).flat())]
    for (const name of names) expect(name in files, 'format', () =>
      `tokenizer: ${name} is missing; a Marian with two vocabularies needs ${names.join(', ')}`)
    const [source, target] = [Object.keys(side), Object.values(side)].map(list => (
      Object.fromEntries(Object.keys(side).map((key, i) => [key, files[list[i]]]))))
    super(engine, toTokenizerJson(source))
    try {
      this.target = loadTokenizer(engine, target)
    } catch (error) {
      if (!(error instanceof GlassformerError)) throw error
      const message = error.message.replace('source.spm', 'target.spm').replace('vocab.json', side['vocab.json'])
      throw new GlassformerError(error.code, message)
    }
    this.#files = Object.fromEntries([...names, CONFIG].filter(name => name in files).map(name => [name, files[name]]))
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
    const { [CONFIG]: _, ...others } = this.#files
    const config = { tokenizer_class: 'MarianTokenizer', ...parseOptional(this.#files, CONFIG), separate_vocabs: isSeparate(this.#files) }
    const contents = Object.entries(others).map(([name, content]) => [name, toBytes(content)])
    return { ...Object.fromEntries(contents), [CONFIG]: `${JSON.stringify(config, null, 2)}\n` }
  }

  /** The content of a tokenizer.json of the sources, if targets have no vocabulary of their own. @returns {any} */
  toJSON() {
    expect(!isSeparate(this.#files), 'state', () => 'tokenizer: a tokenizer.json has one vocabulary, and this tokenizer has two; ' +
      `gf.models.save(model, { tokenizer }) writes ${Object.keys(this.#files).filter(name => name !== CONFIG).join(', ')}`)
    return super.toJSON()
  }
}
