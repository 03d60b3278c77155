/** Direct logit attribution: what each token and each part of the model added to the score of an answer's token. */

import { attributedName, formatPart, listAnswers, nameOfToken, placeParts, sourceRows, waterfall } from '../lib/attribution.js'
import { mountChips } from '../lib/chips.js'
import { createScale, signedDomain } from '../lib/color.js'
import { handleInternalClick, h, setText, syncChildren } from '../lib/dom.js'
import { formatBrief, formatFixed } from '../lib/number.js'
import { createPicture } from '../lib/picture.js'
import { createSegments } from '../lib/segments.js'
import { MAX_TOKENS, mountTokenWindow } from '../lib/token_window.js'

/** @import { Attribution, BuiltElement, Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { Bar, PlacedPart, SourceRow } from '../lib/attribution.js' */

export const id = 'attribution'
/** @type {string[]} */ export const controls = []
export const pickers = ['row']

/** The tokens of the answer, and the one that is explained. @param {Run} run @param {View<'attribution'>} view */
export function data(run, { room: { parts: { logits } }, rooms, row }) {
  const answers = listAnswers(run, logits)
  return { run, rooms, logits, answer: answers[Math.min(row, answers.length - 1)] }
}

/** @type {Stage<'attribution'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.logits, view)

/** Rooms that ask the same question in another way. */
const OTHER_ROOMS = ['patching', 'ablation', 'residual_stream', 'head_scores']

/** The reader's choices apply to all answers. @type {{ against: 'alone' | 'runnerUp', order: 'computed' | 'size' }} */
const choices = { against: 'alone', order: 'computed' }
let isFolded = true

/**
 * The result of a query, and of what it was.
 * @typedef {{ of: ReturnType<typeof data>, attribution: Attribution, parts: PlacedPart[], rows: SourceRow[] }} Found
 */

const createBar = () => h('li', {}, h('span', { className: 'fall-name' }, h('a'), h('span'), h('button', { type: 'button', className: 'quiet' })),
  h('span', { 'className': 'fall-track', 'aria-hidden': 'true' }, h('span', { className: 'fall-bar' })), h('b', { className: 'fall-number' }))

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, theme, runQuery, set, reportError } = context
  const source = h('section', {}, h('h2', {}, t('stages.attribution.sources')))
  const sourceNote = h('p', { className: 'note' }), status = h('p', { className: 'note source-details', role: 'status' })
  source.append(sourceNote)
  const span = mountTokenWindow(source, t, () => draw())
  const chips = mountChips(source, { onHover: describe, onPress: describe, onLeave() {} })
  source.append(status)
  const heading = h('h2'), list = h('ol', { className: 'waterfall' }), sum = h('p', { className: 'note attribution-sum' })
  const inputs = h('section'), neurons = h('section', { hidden: true })
  const fold = h('button', { type: 'button', className: 'quiet', onclick: () => {
    isFolded = !isFolded
    draw()
  } })
  const segments = {
    against: createSegments(t('stages.attribution.against'), (/** @type {typeof choices.against} */ value) => {
      choices.against = value
      if (latest) compute(latest).catch(reportError)
    }),
    order: createSegments(t('stages.attribution.order'), (/** @type {typeof choices.order} */ value) => {
      choices.order = value
      draw()
    })
  }
  const tools = h('div', { className: 'tools' }, segments.against.element, segments.order.element), others = h('p', { className: 'note attribution-others' })
  container.append(others, tools, source, h('section', {}, heading, list, fold, sum), neurons, inputs)
  /** The other rooms that look inside. @param {ReturnType<typeof data>} of */
  function drawOthers({ rooms }) {
    const links = rooms.filter(({ stage }) => OTHER_ROOMS.includes(stage)).map(({ id: room, words }) => h('a', {
      className: 'deed', href: context.link({ room }), onclick: handleInternalClick(() => set({ room }, 'push')) }, t(`stages.${words}.name`)))
    others.replaceChildren(t('stages.attribution.others'), ' ', ...links.flatMap((link, i) => (i ? [' · ', link] : [link])))
    others.hidden = links.length === 0
  }
  /** @type {ReturnType<typeof data> | null} */ let latest = null
  /** @type {Found | null} */ let found = null
  /** @type {ReturnType<typeof import('../lib/input_attribution.js').mountInputAttribution> | null} */
  let mounted = null
  /** @type {ReturnType<typeof import('../lib/neurons.js').mountNeurons> | null} */
  let splitParts = null
  let job = {}

  /** @param {BuiltElement<HTMLElement>} element @param {PlacedPart | null} part @param {string} text */
  function fillName(element, part, text) {
    const [link, plain, split] = /** @type {HTMLElement[]} */ ([...element.children])
    const room = part?.room
    split.hidden = part?.role !== 'feed_forward'
    setText(split, t('stages.attribution.neurons.open'))
    split.onclick = part && (() => openNeurons(part, text).catch(reportError))
    link.hidden = !room
    plain.hidden = Boolean(room)
    setText(link, room ? text : '')
    setText(plain, room ? '' : text)
    if (!part || !room) return
    const patch = { room: room.id, ...(part.head !== null && { head: part.head }),
      cell: part.cell && { name: part.tensor, index: part.cell } }
    link.setAttribute('href', context.link(patch))
    link.onclick = handleInternalClick(() => set(patch, 'push'))
  }
  /** @param {PlacedPart} part @param {string} title its name */
  async function openNeurons({ name: part }, title) {
    const { mountNeurons } = await import('../lib/neurons.js')
    if (!found) return
    const { of: { run, rooms, logits, answer: { position } }, attribution: { token, against } } = found
    splitParts ??= mountNeurons(neurons, context)
    await splitParts.open({ run, rooms, logits, position, token, against, part, title })
  }
  /** The head that a token gave most through. @param {number} row @param {number} col */
  function describe(row, col) {
    const own = found?.rows[row], at = col + first
    if (!own) return
    const sizeOf = (/** @type {PlacedPart} */ { sources }) => Math.abs(sources?.[at] ?? 0)
    const largest = own.heads.reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a))
    setText(status, t('stages.attribution.source', { token: own.tokens[at], value: formatPart(own.values[at]),
      part: attributedName(largest, t), largest: formatPart(largest.sources?.[at] ?? 0) }))
  }
  let first = 0
  function drawSources() {
    const { of: { run }, attribution: { total }, rows, parts } = /** @type {Found} */ (found)
    source.hidden = rows.length === 0
    if (source.hidden) return
    const heads = parts.filter(({ sources }) => sources).reduce((sum, { value }) => sum + value, 0)
    setText(sourceNote, t('stages.attribution.sourcesWhat', { sum: formatPart(heads), rest: formatPart(total - heads) }))
    const range = span.rangeOf(Math.max(...rows.map(({ tokens }) => tokens.length)), MAX_TOKENS)
    first = range[0]
    const max = Math.max(1e-6, ...rows.flatMap(({ values }) => values.map(Math.abs)))
    const colors = createScale(signedDomain(max), theme().mode)
    chips.update(rows.map(({ stream, tokens, values }) => ({
      name: rows.length === 1 ? '' : t(`stages.attribution.${run.streams[stream]?.isAnswer ? 'written' : 'text'}`),
      chips: tokens.slice(...range).map((text, i) => (
        { text, note: formatPart(values[first + i]), color: colors.at(values[first + i]) }))
    })))
  }
  function drawBars() {
    const { of: { run, logits }, attribution, parts } = /** @type {Found} */ (found)
    const { total, rounding, token, against } = attribution
    const bars = waterfall(parts, { isBySize: choices.order === 'size', isFolded })
    const names = { token: nameOfToken(run, logits, token), other: against === null ? '' : nameOfToken(run, logits, against) }
    setText(heading, t(`stages.attribution.${against === null ? 'of' : 'ofDifference'}`, names))
    const ends = [0, total, ...bars.map(({ to }) => to)], low = Math.min(...ends), width = Math.max(...ends) - low || 1
    const percent = (/** @type {number} */ x) => `${(x - low) / width * 100}%`
    /** @type {(Bar | null)[]} */ const lines = [...bars, null]
    syncChildren(list, lines, createBar, (element, bar) => {
      const [name, track, number] = element.children, { from, to, value } = bar ?? { from: 0, to: total, value: total }
      element.classList.toggle('is-total', !bar)
      element.classList.toggle('is-negative', value < 0)
      fillName(/** @type {any} */ (name), bar && bar.part, !bar ? t(`stages.attribution.${against === null ? 'total' : 'difference'}`, names)
        : bar.part ? attributedName(bar.part, t) : t('stages.attribution.rest', { count: bar.count }))
      track.style.setProperty('--zero', percent(0))
      track.style.setProperty('--from', percent(Math.min(from, to)))
      track.style.setProperty('--width', `${Math.abs(to - from) / width * 100}%`)
      setText(number, bar ? formatPart(value) : formatFixed(value, 3))
    })
    fold.hidden = parts.length <= bars.length && isFolded
    setText(fold, t(`stages.attribution.${isFolded ? 'all' : 'fewer'}`))
    setText(sum, t('stages.attribution.sum', { count: parts.length, sum: formatFixed(total - rounding, 4), logit: formatFixed(total, 4),
      rounding: formatBrief(Math.abs(rounding)) }))
  }
  function draw() {
    /** @template {string} Value @param {Value[]} values */
    const options = values => values.map(value => ({ value, text: t(`stages.attribution.${value}`) }))
    segments.against.update(options(['alone', 'runnerUp']), choices.against)
    segments.order.update(options(['computed', 'size']), choices.order)
    if (!found) return
    drawSources()
    drawBars()
  }
  /** @param {Found} of */
  async function drawInputs(of) {
    const { mountInputAttribution } = await import('../lib/input_attribution.js')
    if (found !== of) return
    const { of: { run, rooms, logits, answer: { position } }, attribution: { token, against } } = of
    mounted ??= mountInputAttribution(inputs, context)
    await mounted.update({ run, rooms, logits, position, token, against })
  }
  /** @param {ReturnType<typeof data>} next */
  async function compute(next) {
    const ownJob = job = {}, { run, rooms, logits, answer: { position, token } } = next
    container.setAttribute('aria-busy', 'true')
    const attribution = await runQuery('attribution', { logits, position, token, isDifference: choices.against === 'runnerUp' })
    if (job !== ownJob) return
    const parts = placeParts(run, rooms, attribution)
    found = { of: next, attribution, parts, rows: sourceRows(run, rooms, parts) }
    splitParts?.close()
    setText(status, '')
    draw()
    container.setAttribute('aria-busy', 'false')
    await drawInputs(found)
  }
  return {
    update(next) {
      const isNew = next.run !== latest?.run || next.answer.position !== latest.answer.position
      latest = next
      drawOthers(next)
      draw()
      mounted?.draw()
      if (isNew) compute(next).catch(reportError)
    },
    mark() {},
    destroy() {
      mounted?.destroy()
      job = {}
    }
  }
}
