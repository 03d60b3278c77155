// The page's trained model, as tests run it.
import { readFile } from 'node:fs/promises'
import { runTranslation } from '../../web/model/run.js'
import { gf } from './engine.js'

export const weights = await readFile(new URL('../../web/model/date_translator.safetensors', import.meta.url))

/** A run whose memory is given back. The numbers it copied stay; it cannot explain them any more. */
export function translation(settings) {
  const made = runTranslation(gf, settings, [], weights)
  made.dispose()
  return made
}
