import { GlassformerError } from '../errors.js'
import { baseName, expectOwn } from '../files/shards.js'
import { sourceOf } from '../files/source.js'
import { tokenizer } from '../text/files.js'

/** The tokenizer among a model's files. */

/** Files that a tokenizer may be made of, or that say something of it. */
export const OF_TOKENIZERS = new RegExp('^(tokenizer(_config)?\\.json|config\\.json|special_tokens_map\\.json|added_tokens\\.json|' +
  'chat_template\\.(json|jinja)|vocab\\.(json|txt)|target_vocab\\.json|merges\\.txt|.*\\.(model|spm)|tok[^.]*\\.bin)$')

/**
 * @param {import('../engine.js').Engine} engine @param {import('./index.js').Files} files
 * @param {(own: Record<string, string | Uint8Array>) => boolean} [isTokenizer] whether those of them make one for the
 *   model
 * @returns {Generator<any, import('../text/tokenizer.js').Tokenizer | null, any>} null where none is known
 */
export function* readTokenizer(engine, files, isTokenizer = () => true) {
  /** @type {Record<string, string | Uint8Array>} */ const own = {}
  for (const [path, content] of Object.entries(files)) {
    const name = baseName(path)
    if (!OF_TOKENIZERS.test(name)) continue
    const source = yield* sourceOf('models.load', path, content), { size, read } = source
    if (size) yield* expectOwn('models.load', path, source)
    own[name] = yield read(0, size)
  }
  try {
    return Object.keys(own).length && isTokenizer(own) ? tokenizer(engine, own) : null
  } catch (error) {
    if (error instanceof GlassformerError && error.code === 'type') return null // files of a kind that is not known
    throw error
  }
}
