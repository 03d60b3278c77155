/** Opens the glossary and highlights its terms; loaded on first use. */

import { lazyImport } from '../lib/lazy_import.js'

/** @import { Context } from '../types.d.ts' */

/** @param {HTMLElement} stage @param {Context} context */
export function glossaries(stage, context) {
  /** @type {ReturnType<typeof import('../glossary/index.js').glossary> | undefined} */ let inside
  const load = lazyImport(async () => {
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
