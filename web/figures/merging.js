/** Byte-pair encoding by hand: the most frequent pair of neighboring tokens becomes one token, again and again. */

import { h, setText, syncChildren } from '../lib/dom.js'
import { countPairs, mergePair } from './math.js'
import { createButton } from './parts.js'

const MAX_PAIRS = 4

/**
 * @param {import('./index.js').FigureContext} context
 * @param {{ merges?: number }} options merges: how many are made at the start
 * @returns {import('./index.js').Figure}
 */
export function createMerging({ t, onchange }, { merges: first = 0 }) {
  const initial = t('merging.text').split(' ').map(word => [...word])
  const size = new Set(initial.flat()).size
  /** @type {string[][]} */ let words = initial
  /** @type {string[]} */ let merged = []
  const list = h('ol', { 'className': 'merging-words', 'aria-label': t('merging.tokens') })
  const pairs = h('ol', { 'className': 'merging-pairs', 'aria-label': t('merging.pairs') })
  const count = h('p', { className: 'figure-sum' }), rules = h('p', { className: 'figure-note' })
  const mergeButton = createButton(t('merging.merge'), () => set({ merges: merged.length + 1 }))
  const restart = createButton(t('merging.restart'), () => set({ merges: 0 }))
  const currentPairs = () => countPairs(words).filter(({ count: times }) => times > 1)
  function draw() {
    const [best] = currentPairs()
    syncChildren(list, words, () => h('li'), (item, tokens) => {
      syncChildren(item, tokens, () => h('span'), (span, token) => {
        setText(span, token)
        span.classList.toggle('is-merged', merged.at(-1) === token)
      })
    })
    syncChildren(pairs, currentPairs().slice(0, MAX_PAIRS), () => h('li', {}, h('b'), h('span')), (item, { pair, count: times }) => {
      setText(item.children[0], pair.join(' + '))
      setText(item.children[1], t('merging.times', { count: times }))
    })
    setText(count, t('merging.count', { tokens: words.flat().length, vocabulary: size + merged.length }))
    setText(rules, merged.length ? t('merging.made', { list: merged.join(', ') }) : '')
    mergeButton.disabled = !best
    restart.disabled = merged.length === 0
  }
  /** @param {Record<string, any>} next merges: how many are made */
  function set({ merges }) {
    words = initial
    merged = []
    for (let i = 0; i < merges && currentPairs().length; i++) {
      const [{ pair }] = currentPairs()
      words = words.map(tokens => mergePair(tokens, pair))
      merged = [...merged, pair.join('')]
    }
    draw()
    onchange()
  }
  set({ merges: first })
  return {
    element: h('div', { className: 'figure-stack' }, h('p', { className: 'figure-buttons' }, mergeButton, restart), list, count,
      h('section', {}, h('h2', {}, t('merging.pairs')), pairs), rules),
    values: () => ({ merges: merged.length, tokens: words.flat().length, vocabulary: size + merged.length }),
    set
  }
}
