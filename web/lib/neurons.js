/** The neurons of a feed-forward network: those that made a score, what one of them writes, and what fires it. */

import { formatPart, nameOfToken } from './attribution.js'
import { h, handleInternalClick, setText, syncChildren } from './dom.js'
import { formatFixed, formatInteger } from './number.js'
import { getDescription } from './run.js'
import { scrollIntoView } from './viewport.js'

/** @import { Attribution, BuiltElement, Context, FiringText, NeuronWrites } from '../types.d.ts' */
/** @import { Room, Run, StrongNeurons } from '../types.d.ts' */

/**
 * The answer's token that is explained, and the part whose neurons are shown, with its name.
 * @typedef {{ run: Run, rooms: Room[], logits: string, position: number, part: string, title: string }
 *   & Pick<Attribution, 'token' | 'against'>} Target
 */

/** Where in the window the neurons begin, and how many tokens around the strongest one are shown. */
const [SCROLL_POSITION, TOKENS_AROUND] = [0.2, 4]

/** The tokens around a position, the one at it apart. @param {string[]} tokens @param {number} position */
export const tokensAround = (tokens, position) => ({
  before: tokens.slice(Math.max(0, position - TOKENS_AROUND), position), at: tokens[position] ?? String(position),
  after: tokens.slice(position + 1, position + 1 + TOKENS_AROUND)
})

/** @param {HTMLElement} container @param {Context} context */
export function mountNeurons(container, { t, runQuery, reportError, get, set, link, otherText }) {
  /** @param {string} name @param {Record<string, any>} [values] */
  const text = (name, values) => t(`stages.attribution.neurons.${name}`, values)
  const heading = h('h2'), what = h('p', { className: 'note' }), list = h('ol', { className: 'pairs neurons' })
  const details = h('div', { hidden: true }), title = h('h3'), about = h('p', { className: 'note' })
  const room = h('a', { className: 'deed' })
  const lists = ['promoted', 'suppressed', 'fires'].map(name => {
    const note = h('p', { className: 'note' }), own = h('ol', { className: 'pairs' })
    return { name, note, list: own, element: h('section', {}, h('h4', {}, text(name)), note, own) }
  })
  details.append(title, about, h('p', {}, room), h('div', { className: 'circuits' }, lists.map(({ element }) => element)))
  container.append(heading, what, list, details)
  /** @type {Target | null} */ let target = null
  /** @type {StrongNeurons | null} */ let found = null
  let chosen = -1, job = {}

  const createLine = () => h('li', {}, h('span'), h('b'))
  /** @param {typeof lists[0]} own @param {{ name: string, value: string }[]} lines */
  const fillLines = (own, lines) => syncChildren(own.list, lines, createLine, (element, { name, value }) => {
    setText(element.children[0], name)
    setText(element.children[1], value)
  })
  /** @param {NeuronWrites | null} writes */
  function drawWrites(writes) {
    const { run, logits } = /** @type {Target} */ (target)
    setText(about, writes ? text('activation', { value: formatFixed(writes.activation, 3) }) : text('cannotWrite'))
    for (const own of lists.slice(0, 2)) {
      const tokens = writes?.[/** @type {'promoted'} */ (own.name)] ?? []
      own.element.hidden = !writes
      const nameOf = (/** @type {number} */ token) => nameOfToken(run, logits, token)
      fillLines(own, tokens.map(({ token, value }) => ({ name: nameOf(token), value: formatPart(value) })))
    }
  }
  /** @param {FiringText[]} texts */
  function drawTexts(texts) {
    const { run } = /** @type {Target} */ (target), { name } = /** @type {StrongNeurons} */ (found)
    const { axes } = getDescription(run, name)
    const stream = axes[axes.length - 2]?.of ?? '', [, , fires] = lists
    setText(fires.note, text('firesWhat', { count: otherText().texts.length }))
    syncChildren(fires.list, texts, createLine, (element, { position, value, tokens }) => {
      const { before, at, after } = tokensAround(tokens[stream] ?? [], position)
      element.children[0].replaceChildren(`${before.join(' ')} `, h('mark', {}, at), ` ${after.join(' ')}`)
      setText(element.children[1], formatFixed(value, 3))
    })
  }
  /** @param {number} neuron */
  async function choose(neuron) {
    const ownJob = job = {}, { run, rooms, logits, position } = /** @type {Target} */ (target)
    const { name } = /** @type {StrongNeurons} */ (found)
    chosen = neuron
    draw()
    details.hidden = false
    setText(title, text('neuron', { neuron }))
    const own = rooms.find(({ tensors }) => tensors.includes(name))
    room.hidden = !own
    const patch = own && { room: own.id, cell: { name, index: [0, position + (run.decoding?.first ?? 0), neuron] } }
    if (patch) {
      setText(room, text('room'))
      room.setAttribute('href', link(patch))
      room.onclick = handleInternalClick(() => set(patch, 'push'))
    }
    details.setAttribute('aria-busy', 'true')
    const writes = await runQuery('neuronWrites', { name, neuron, logits, position })
    if (job !== ownJob) return
    drawWrites(writes)
    const texts = await runQuery('neuronTexts', { state: get(), texts: otherText().texts, name, neuron })
    if (job !== ownJob) return
    drawTexts(texts)
    details.setAttribute('aria-busy', 'false')
  }
  function draw() {
    if (!target) return
    setText(heading, text('title', { part: target.title }))
    const { count = 0, top = [], rest = 0, bias = 0 } = found ?? {}
    setText(what, found ? text('what', { shown: top.length, count: formatInteger(count), rest: formatPart(rest), bias: formatPart(bias) })
      : text('cannot'))
    const createButton = () => h('li', {}, h('button', { type: 'button', className: 'quiet' }), h('b'))
    syncChildren(list, top, createButton, (/** @type {BuiltElement<HTMLElement>} */ element, { neuron, value }) => {
      const [button, number] = element.children
      setText(button, text('neuron', { neuron }))
      button.setAttribute('aria-pressed', String(neuron === chosen))
      button.onclick = () => choose(neuron).catch(reportError)
      setText(number, formatPart(value))
    })
  }
  return {
    /** Shows the neurons of a part. @param {Target} next */
    async open(next) {
      const ownJob = job = {}
      container.hidden = false
      container.setAttribute('aria-busy', 'true')
      const { run, rooms, title: _, ...query } = next
      const neurons = await runQuery('strongNeurons', query)
      if (job !== ownJob) return
      target = next
      found = neurons
      chosen = -1
      details.hidden = true
      draw()
      container.setAttribute('aria-busy', 'false')
      scrollIntoView(container, SCROLL_POSITION)
    },
    /** Hides them, since they belong to another answer. */
    close() {
      job = {}
      container.hidden = true
    }
  }
}
