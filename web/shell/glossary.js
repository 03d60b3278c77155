/** Whether the glossary is open or one of its terms is lit up; it is fetched with the first of either. */

/** @import { Context } from '../types.d.ts' */

/** @param {HTMLElement} stage @param {Context} context */
export function glossaries(stage, context) {
  /** @type {ReturnType<typeof import('../glossary/index.js').glossary> | undefined} */ let inside
  /** @type {Promise<void> | undefined} */ let loading
  async function load() {
    inside = (await import('../glossary/index.js')).glossary(stage, context)
    inside.update()
  }
  return {
    update() {
      const { glossary, lit } = context.get()
      if (inside) inside.update()
      else if (glossary || lit) loading ??= load().catch(context.fails)
    }
  }
}
