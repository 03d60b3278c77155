import { GlassformerError } from '../errors.js'
import { baseName, checkFormat, findFile } from '../files/shards.js'
import { openSource } from '../files/source.js'
import { findTiktoken, loadTokenizer } from '../text/files.js'
import { chatFilesOf, fromGguf } from '../text/gguf_tokenizer.js'
import { loadScripts } from '../text/pretokenizers.js'
import { Tokenizer } from '../text/tokenizer.js'
import { MarianTokenizer, hasTargetSide } from './marian_tokenizer.js'

/** Reads the tokenizer from a model's files. */

/** Files that a tokenizer may need. */
export const TOKENIZER_FILES = new RegExp('^(tokenizer(_config)?\\.json|config\\.json|special_tokens_map\\.json|added_tokens\\.json|' +
  'chat_template\\.(json|jinja)|vocab\\.(json|txt)|target_vocab\\.json|merges\\.txt|.*\\.(model|spm|tiktoken)|tok[^.]*\\.bin)$')

/**
 * @param {import('../engine/engine.js').Engine} engine @param {import('./index.js').Files} files
 * @param {(contents: Record<string, string | Uint8Array>) => boolean} [isTokenizer] whether the files make the
 *   model's tokenizer
 * @param {Record<string, any>} [metadata] of a GGUF file, whose tokenizer is used if there is no other
 * @returns {Generator<any, import('../text/tokenizer.js').Tokenizer | null, any>} null if there is none
 */
export function* readTokenizer(engine, files, isTokenizer = () => true, metadata = {}) {
  /** @type {Record<string, string | Uint8Array>} */ const contents = {}
  for (const [path, content] of Object.entries(files)) {
    const name = baseName(path)
    if (!TOKENIZER_FILES.test(name) || path !== findFile(files, name)) continue
    const source = yield* openSource('models.load', path, content), { size, read } = source
    if (size) yield* checkFormat('models.load', path, source)
    contents[name] = yield read(0, size)
  }
  try {
    const isGiven = Object.keys(contents).some(name => name !== 'config.json'), json = isGiven ? null : fromGguf(metadata)
    if (json) return new Tokenizer(engine, json, undefined, chatFilesOf(metadata))
    if (!Object.keys(contents).length || !isTokenizer(contents)) return null
    if (hasTargetSide(contents)) return new MarianTokenizer(engine, contents)
    if ('tokenizer.json' in contents || !findTiktoken(contents)) {
      try {
        return loadTokenizer(engine, contents)
      } catch (error) {
        if (!(error instanceof GlassformerError && error.code === 'state')) throw error
        yield loadScripts()
        return loadTokenizer(engine, contents)
      }
    }
    const { loadTiktoken } = yield import('../text/tiktoken.js')
    return loadTiktoken(engine, contents)
  } catch (error) {
    if (error instanceof GlassformerError && error.code === 'type') return null // an unknown format
    throw error
  }
}
