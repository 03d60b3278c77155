/** The vocabulary of a model with ids; of a large one only the tokens of the text and those that are searched for. */

import { grouped } from './costs.js'
import { h, keep, setText } from './dom.js'
import { tokenSearch } from './token_search.js'
import { find, isMany } from './large_tables.js'

/** @typedef {{ token: string, number: number, isUsed: boolean }} Entry */

const MAX_FOUND = 200

const createEntry = () => h('li', {}, h('span', { className: 'vocab-id' }), h('span', { className: 'vocab-token' }))

/** @param {Element} container @param {import('../types.d.ts').Translate} t */
export function vocabulary(container, t) {
  /** @type {Entry[]} */ let all = []
  /** @type {string[]} */ let words = []
  /** @type {number | null | undefined} */ let lit
  const search = tokenSearch(container, t, () => draw())
  const list = h('ol', { className: 'vocabulary' })
  container.append(list)

  /** The displayed entries. */
  function visible() {
    if (!isMany(all.length)) return all
    const results = find(words, search.text, MAX_FOUND)
    return results.length || search.text.trim() ? results.map(id => all[id]) : all.filter(({ isUsed }) => isUsed)
  }
  function draw() {
    const entries = visible()
    search.update(entries === all ? '' : t('frame.find.drawn', { count: entries.length, total: grouped(all.length) }))
    keep(list, entries, createEntry, (entry, { token, number, isUsed }) => {
      entry.dataset.id = String(number)
      setText(entry.children[0], String(number))
      setText(entry.children[1], token)
      entry.classList.toggle('is-lit', number === lit)
      entry.classList.toggle('is-faint', !isUsed)
    })
  }
  return {
    list,
    /** @param {Entry[]} entries in the order of their ids @param {number | null} [id] that is lit */
    update(entries, id) {
      if (entries !== all) words = isMany(entries.length) ? entries.map(({ token }) => token) : []
      all = entries
      lit = id
      draw()
    },
    destroy: search.destroy
  }
}
