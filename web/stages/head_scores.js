/** Previous-token and induction heads, measured on a repeated sequence, and a picture of every head. */

import { probabilityDomain, createScale } from '../lib/color.js'
import { handleInternalClick, h, setText, syncChildren } from '../lib/dom.js'
import { mountGrid } from '../lib/grid.js'
import { mountLegend } from '../lib/legend.js'
import { formatFixed } from '../lib/number.js'
import { fullName, partLabel, layerHeading } from '../lib/ablation_parts.js'
import { createPicture } from '../lib/picture.js'
import { nullIfNotRetained } from '../lib/run.js'
import { createSlicedWorker } from '../lib/scheduling.js'
import { createSegments } from '../lib/segments.js'
import { thumbnail } from '../lib/thumbnail.js'

/** @import { BuiltElement, HeadScores, Mount, Picture, Room, Run, Stage, View } from '../types.d.ts' */
/** @import { Heads } from '../rooms/stream.js' */

export const id = 'head_scores'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** Attention patterns, in the order of the worker. */
const PATTERNS = ['previous', 'same', 'after', 'first']

/** Rooms that show attention weights. */
const ATTENTIONS = ['weights', 'cross']

/**
 * A head with its picture, null if its weights were not retained; layer: of its scores, −1 if it has none.
 * @typedef {{ room: Room, head: number, layer: number, picture: Picture | null }} Card
 */

/** @typedef {ReturnType<typeof data>} Data */

/** The smallest score by which a head is said to do something. */
export const MIN_SCORE = 0.4

/** The reader's order of the heads, and which ones are shown, apply to all models. @type {string} */
let order = 'layers', kind = 'all'

/** What a head does: the pattern of its largest score; none if all are small. @param {number[]} [scores] */
export function kindOf(scores = []) {
  const max = Math.max(...scores)
  return max >= MIN_SCORE ? PATTERNS[scores.indexOf(max)] : 'none'
}

/**
 * Heads in the order of the model or the largest score first; those without scores last.
 * @template {Pick<Card, 'layer' | 'head'>} C
 * @param {C[]} cards @param {HeadScores | null} scores @param {string} by 'layers' or a pattern
 */
export function sortCards(cards, scores, by) {
  const pattern = PATTERNS.indexOf(by)
  const scoreOf = (/** @type {C} */ { layer, head }) => scores?.layers[layer]?.[head][pattern] ?? -1
  return pattern < 0 ? cards : [...cards].sort((a, b) => scoreOf(b) - scoreOf(a))
}

/**
 * The causal attentions, each with the room of its weights, and all heads of the model.
 * @param {Run} run @param {View<'head_scores'>} view
 */
export function data(run, { room: { parts }, rooms, picture: pictureOf }) {
  const layers = /** @type {Heads[]} */ (parts.layers).map(layer => (
    { ...layer, room: rooms.find(room => room.stage === 'weights' && room.parts.out === layer.out)?.id }))
  const cards = rooms.filter(({ stage }) => ATTENTIONS.includes(stage)).flatMap(room => (
    Array.from({ length: room.parts.heads }, (_, head) => (
      {
        room, head, layer: layers.findIndex(({ out }) => out === room.parts.out),
        picture: nullIfNotRetained(() => pictureOf(room, { head }))
      }))))
  return { run, rooms, layers, cards }
}

/** @type {Stage<'head_scores'>['picture']} */
export const picture = (run, { room: { parts: { out } } }) => createPicture(run, out)

const createCard = () => {
  const slot = h('span', { className: 'head-picture' }), picture = thumbnail(slot)
  return Object.assign(h('li', { className: 'head-card' }, h('button', { type: 'button', className: 'head-pick' }, slot, h('span')),
    h('small'), h('a', { className: 'deed' })), { picture })
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, runQuery, set, theme, reportError } = context
  const none = h('p', { className: 'note', hidden: true }, t('stages.head_scores.none'))
  const unchanged = h('p', { className: 'note', hidden: true }, t('stages.head_scores.unchanged'))
  container.append(none, unchanged)
  const table = mountGrid(container, t('stages.head_scores.name'), t)
  table.element.classList.add('has-names')
  const legends = h('div', { className: 'figure-legends' })
  container.append(legends)
  const key = mountLegend(legends)
  const gallery = h('ol', { className: 'head-gallery' })
  const segments = createSegments(t('stages.head_scores.order'), (/** @type {string} */ value) => {
    order = value
    draw()
  })
  const kinds = createSegments(t('stages.head_scores.shown'), (/** @type {string} */ value) => {
    kind = value
    draw()
  })
  const kindNote = h('p', { className: 'note' }, t('stages.head_scores.shownWhat', { min: MIN_SCORE }))
  const noCards = h('p', { className: 'note source-details', role: 'status' })
  container.append(h('section', { className: 'all-heads' }, h('h2', {}, t('stages.head_scores.all')),
    h('p', { className: 'note' }, t('stages.head_scores.allWhat')), kindNote,
    h('div', { className: 'tools' }, segments.element, kinds.element), noCards, gallery))
  const circuits = h('section', { className: 'all-heads' }), compositions = h('section', { className: 'all-heads' })
  container.append(circuits, compositions)
  /** @type {Data | null} */ let latest = null
  /** @type {HeadScores | null} */ let scores = null
  /** @type {ReturnType<typeof import('../lib/head_circuits.js').mountHeadCircuits> | null} */ let mounted = null
  /** @type {ReturnType<typeof import('../lib/head_compositions.js').mountHeadCompositions> | null} */
  let composed = null

  /** @param {Data} of */
  async function drawCircuits(of) {
    const [{ mountHeadCircuits }, { mountHeadCompositions }] = await Promise.all([
      import('../lib/head_circuits.js'), import('../lib/head_compositions.js')])
    if (latest?.run !== of.run) return
    mounted ??= mountHeadCircuits(circuits, context)
    composed ??= mountHeadCompositions(compositions, context)
    const headCount = of.layers.reduce((sum, { heads }) => sum + heads, 0)
    await Promise.all([mounted.update(of, scores), composed.update(headCount)])
  }
  /**
   * A head links to its attention weights in this text.
   * @param {ReturnType<typeof data>['layers'][0]} own @param {number} head
   */
  function headOf({ room, tower, layer, block }, head) {
    const part = { kind: /** @type {const} */ ('head'), tower, layer, block, head, edits: [] }
    return h('button', { 'type': 'button', 'className': 'quiet', 'aria-label': fullName(part, t), 'onclick': () => (
      set({ room, head }, 'push')) }, partLabel(part, t))
  }
  /** @param {{ card: Card, element: ReturnType<typeof createCard> }} drawing */
  const paint = ({ card: { picture: own }, element }) => (
    own && element.picture.update(own.part, createScale(own.domain, theme().mode)))
  const paintCards = createSlicedWorker(paint)
  /** @param {ReturnType<typeof createCard>} element @param {Card} card */
  function fillCard(element, { room, head, layer, picture: view }) {
    const [pick, small, link] = /** @type {BuiltElement<HTMLElement>} */ (element).children
    const [slot, name] = pick.children
    element.dataset.part = `${layer}.${head}`
    pick.toggleAttribute('disabled', layer < 0)
    pick.onclick = () => mounted?.choose(`${layer}.${head}`)
    link.setAttribute('href', context.link({ room: room.id, head }))
    link.onclick = handleInternalClick(() => set({ room: room.id, head }, 'push'))
    setText(link, t('stages.head_scores.open'))
    slot.style.setProperty('--shape', String(view ? view.part.cols / view.part.rows : 1))
    slot.classList.toggle('is-off', !view)
    const { tower = 'model', layer: number, block } = room
    setText(name, fullName({ kind: 'head', tower, layer: number, block, head, edits: [] }, t))
    const own = scores?.layers[layer]?.[head]
    setText(small, own ? own.map((score, pattern) => `${t(`stages.head_scores.looks.${PATTERNS[pattern]}`)} ${formatFixed(score)}`).join(' · ')
      : scores ? t('stages.head_scores.unscored') : '')
  }
  /** Draws the choice of what heads do. @returns {Card[]} those that do it */
  function chooseCards() {
    const { cards } = /** @type {Data} */ (latest)
    const ofKind = (/** @type {string} */ value) => (
      value === 'all' ? cards : cards.filter(({ layer, head }) => kindOf(scores?.layers[layer]?.[head]) === value))
    kinds.update(['all', ...PATTERNS].map(value => ({
      value, text: `${value === 'all' ? t('stages.head_scores.every') : t(`stages.head_scores.looks.${value}`)} · ${ofKind(value).length}`
    })), kind)
    kinds.element.hidden = kindNote.hidden = !scores
    const found = ofKind(scores ? kind : 'all')
    setText(noCards, found.length ? '' : t('stages.head_scores.noHead'))
    return found
  }
  function drawCards() {
    const cards = chooseCards()
    const patterns = (scores ? PATTERNS : []).map(value => ({ value, text: t(`stages.head_scores.looks.${value}`) }))
    segments.update([{ value: 'layers', text: t('stages.head_scores.layers') }, ...patterns], scores ? order : 'layers')
    /** @type {{ card: Card, element: ReturnType<typeof createCard> }[]} */ const drawings = []
    syncChildren(gallery, sortCards(cards, scores, order), createCard, (element, card) => {
      fillCard(element, card)
      drawings.push({ card, element })
    })
    paintCards(drawings)
  }
  function draw() {
    if (!latest) return
    drawCards()
    const { layers } = latest, measured = scores?.layers ?? []
    const max = PATTERNS.map((_, pattern) => Math.max(...measured.flat().map(scoresOfHead => scoresOfHead[pattern])))
    const colors = createScale(probabilityDomain(), theme().mode)
    key.update(probabilityDomain(), theme().mode, t('frame.share'))
    const lines = layers.flatMap((layer, i) => [
      { key: `layer ${i}`, head: layerHeading(layer, t), isTitle: true, cells: [] },
      ...Array.from({ length: layer.heads }, (_, head) => ({
        key: `${i}.${head}`, head: headOf(layer, head), level: 2, cells: PATTERNS.map((_, pattern) => {
          const score = measured[i]?.[head]?.[pattern]
          if (score === undefined) return { text: '' }
          return { text: formatFixed(score), color: colors.at(score), isMarked: score === max[pattern] }
        })
      }))
    ])
    table.update(t('stages.head_scores.corner'), PATTERNS.map(look => t(`stages.head_scores.looks.${look}`)), lines)
  }
  /** @param {Data} next */
  async function compute(next) {
    const answer = await runQuery('headScores', {})
    if (latest?.run !== next.run) return
    scores = answer
    none.hidden = Boolean(answer)
    table.element.hidden = !answer
    draw()
    table.element.setAttribute('aria-busy', 'false')
    await drawCircuits(next)
    circuits.setAttribute('aria-busy', 'false')
  }
  return {
    update(next) {
      const isNew = next.run !== latest?.run
      latest = next
      unchanged.hidden = next.run.settings.edits.length === 0
      if (isNew) {
        scores = null
        for (const element of [table.element, circuits]) element.setAttribute('aria-busy', 'true')
      }
      draw()
      composed?.draw()
      if (isNew) compute(next).catch(reportError)
    },
    mark() {},
    destroy() {
      latest = null
      mounted?.destroy()
      composed?.destroy()
    }
  }
}
