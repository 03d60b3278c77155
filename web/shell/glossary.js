/** Opens the glossary and highlights its terms; loaded on first use. */

import { lazyImport } from '../lib/lazy_import.js'

/** @import { Context } from '../types.d.ts' */

/** @param {HTMLElement} stage @param {Context} context */
export function mountGlossary(stage, context) {
  /** @type {ReturnType<typeof import('../glossary/index.js').mountGlossary> | undefined} */ let mounted
  const load = lazyImport(async () => {
    mounted = (await import('../glossary/index.js')).mountGlossary(stage, context)
    mounted.update()
  }, context.reportError)
  return {
    update() {
      const { glossary, lit } = context.get()
      if (mounted) mounted.update()
      else if (glossary || lit) load()
    }
  }
}
