/** Whether the glossary is open or one of its terms is lit up; it is fetched with the first of either. */

import { fetched } from '../lib/lazy_import.js'

/** @import { Context } from '../types.d.ts' */

/** @param {HTMLElement} stage @param {Context} context */
export function glossaries(stage, context) {
  /** @type {ReturnType<typeof import('../glossary/index.js').glossary> | undefined} */ let inside
  const load = fetched(async () => {
    inside = (await import('../glossary/index.js')).glossary(stage, context)
    inside.update()
  }, context.fails)
  return {
    update() {
      const { glossary, lit } = context.get()
      if (inside) inside.update()
      else if (glossary || lit) load()
    }
  }
}
