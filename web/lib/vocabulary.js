/** The vocabulary of a model with ids. Of a large one, only the tokens of the text or of a search are listed. */

import { formatInteger } from './number.js'
import { h, syncChildren, setText } from './dom.js'
import { mountTokenSearch } from './token_search.js'
import { findTokens, isLargeCount } from './large_tables.js'

/** @typedef {{ token: string, id: number, isUsed: boolean }} Entry */

const MAX_FOUND = 200

const createEntry = () => h('li', {}, h('span', { className: 'vocab-id' }), h('span', { className: 'vocab-token' }))

/** @param {Element} container @param {import('../types.d.ts').Translate} t */
export function mountVocabulary(container, t) {
  /** @type {Entry[]} */ let allEntries = []
  /** @type {string[]} */ let words = []
  /** @type {number | null | undefined} */ let highlighted
  const search = mountTokenSearch(container, t, () => draw())
  const list = h('ol', { className: 'vocabulary' })
  container.append(list)

  /** The displayed entries. */
  function listVisible() {
    if (!isLargeCount(allEntries.length)) return allEntries
    const results = findTokens(words, search.text, MAX_FOUND)
    return results.length ||
      search.text.trim() ? results.map(id => allEntries[id]) : allEntries.filter(({ isUsed }) => isUsed)
  }
  function draw() {
    const entries = listVisible()
    search.update(entries === allEntries ? '' : t('frame.find.drawn', { count: entries.length, total: formatInteger(allEntries.length) }))
    syncChildren(list, entries, createEntry, (entry, { token, id, isUsed }) => {
      entry.dataset.id = String(id)
      setText(entry.children[0], String(id))
      setText(entry.children[1], token)
      entry.classList.toggle('is-lit', id === highlighted)
      entry.classList.toggle('is-faint', !isUsed)
    })
  }
  return {
    list,
    /** @param {Entry[]} entries in the order of their ids @param {number | null} [id] of the highlighted token */
    update(entries, id) {
      if (entries !== allEntries) words = isLargeCount(entries.length) ? entries.map(({ token }) => token) : []
      allEntries = entries
      highlighted = id
      draw()
    },
    destroy: search.destroy
  }
}
