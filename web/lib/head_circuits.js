/** The circuits of a head over tokens: what it looks for, and what it writes about what it reads. */

import { fullName } from './ablation_parts.js'
import { nameOfToken } from './attribution.js'
import { h, setText, syncChildren, uniqueId } from './dom.js'
import { isLargeCount } from './large_tables.js'
import { formatFixed, formatInteger } from './number.js'
import { getAxisLabels, getDescription } from './run.js'
import { scrollIntoView } from './viewport.js'

/** @import { Circuits, Context, HeadScores, Room, Run } from '../types.d.ts' */
/** @import { Heads } from '../rooms/stream.js' */

/** @typedef {{ run: Run, rooms: Room[], layers: Heads[] }} Model */

/** The score by which the first head is chosen: attention to what came after the same token. */
const AFTER = 2

/** Where in the window the circuits of a chosen head begin. */
const SCROLL_POSITION = 0.2

/** The head with the largest score, as `layer.head`. @param {HeadScores | null} scores */
function largestHead(scores) {
  const all = (scores?.layers ?? []).flatMap((heads, layer) => heads.map((own, head) => ({ key: `${layer}.${head}`, score: own[AFTER] })))
  return all.sort((a, b) => b.score - a.score)[0]?.key
}

/**
 * The tokens that the heads read and write. Of a large vocabulary only those of the text are used.
 * @param {Model} model
 */
export function tokensOf({ run, rooms }) {
  const logits = rooms.find(({ stage }) => stage === 'attribution')?.parts.logits
  const entry = rooms.findLast(({ stage, parts }) => stage === 'embedding' && !parts.by)?.parts
  const words = entry && getDescription(run, entry.weight)
  const labels = words && getAxisLabels(run, words, 0), isPart = words && isLargeCount(words.shape[0])
  const tokens = isPart ? [...new Set(run.streams[entry.stream ?? '']?.ids?.[0])] : undefined
  return {
    logits, tokens, nameOf: (/** @type {number} */ id) => labels?.[id] ?? String(id),
    nameOfTarget: (/** @type {number} */ id) => (logits ? nameOfToken(run, logits, id) : String(id))
  }
}

/** @param {Element} container @param {Pick<Context, 't' | 'runQuery' | 'reportError'>} context */
export function mountHeadCircuits(container, { t, runQuery, reportError }) {
  const key = (/** @type {string} */ name) => `stages.head_scores.circuits.${name}`, id = uniqueId('head')
  const select = /** @type {HTMLSelectElement} */ (h('select', { id, onchange: () => compute() }))
  const some = h('p', { className: 'note', hidden: true })
  const sections = ['qk', 'ov'].map(name => {
    const note = h('p', { className: 'note' }), list = h('ol', { className: 'pairs' })
    return { name, note, list, element: h('section', {}, h('h3', {}, t(key(name))), note, list) }
  })
  const pairs = h('div', { className: 'circuits' }, ...sections.map(({ element }) => element))
  container.append(h('h2', {}, t(key('title'))), h('p', { className: 'note' }, t(key('what'))),
    h('p', { className: 'other-line' }, h('label', { for: id }, t(key('head'))), select), some, pairs)
  /** @type {Model | null} */ let model = null
  let job = {}

  /** @param {Circuits} circuits @param {ReturnType<typeof tokensOf>} tokens */
  function draw({ qk, ov }, { nameOf, nameOfTarget, tokens }) {
    some.hidden = !tokens
    setText(some, tokens ? t(key('some'), { count: tokens.length }) : '')
    const texts = {
      qk: qk && [t(key('qkWhat')), qk.distance === null ? '' : t(key('distance'))].filter(Boolean).join(' '),
      ov: ov && t(key('ovWhat'), { score: formatFixed(ov.copyingScore), count: formatInteger(ov.count) })
    }
    const lines = {
      qk: (qk?.top ?? []).map(({ query, key: to, value }) => [nameOf(query), nameOf(to), value]),
      ov: (ov?.top ?? []).map(({ source, target, value }) => [nameOf(source), nameOfTarget(target), value])
    }
    for (const { name, note, list } of sections) {
      setText(note, texts[/** @type {'qk'} */ (name)] ?? t(key('cannot')))
      syncChildren(list, lines[/** @type {'qk'} */ (name)], () => h('li', {}, h('span'), h('b')), (element, [from, to, value], i) => {
        element.dataset.part = `${name}.${i}`
        setText(element.children[0], t(key('pair'), { from, to }))
        setText(element.children[1], formatFixed(Number(value)))
      })
    }
  }
  async function computeNow() {
    const ownJob = job = {}, { layers } = /** @type {Model} */ (model)
    const [i, head] = select.value.split('.').map(Number), tokens = tokensOf(/** @type {Model} */ (model))
    pairs.setAttribute('aria-busy', 'true')
    const circuits = await runQuery('circuits', { layer: layers[i].layer ?? i, head, logits: tokens.logits, tokens: tokens.tokens })
    if (job !== ownJob) return
    draw(circuits, tokens)
    pairs.setAttribute('aria-busy', 'false')
  }
  const compute = () => computeNow().catch(reportError)
  return {
    /** @param {Model} next @param {HeadScores | null} scores of its heads */
    update(next, scores) {
      model = next
      const chosen = select.value || largestHead(scores)
      select.replaceChildren(...next.layers.flatMap(({ tower, layer, block, heads }, i) => (
        Array.from({ length: heads }, (_, head) => h('option', { value: `${i}.${head}` },
          fullName({ kind: 'head', tower, layer, block, head, edits: [] }, t))))))
      select.value = chosen ?? ''
      if (select.selectedIndex < 0) select.selectedIndex = 0
      return compute()
    },
    /** Chooses a head and leads the reader to its circuits. @param {string} head as `layer.head` */
    choose(head) {
      select.value = head
      select.focus({ preventScroll: true })
      scrollIntoView(container, SCROLL_POSITION)
      compute()
    },
    destroy() {
      job = {}
    }
  }
}
