/**
 * Generation step by step: greedy, sampled, or by beam search; all steps at once, or up to the selected one.
 */

import { probabilityDomain } from '../lib/color.js'
import { handleInternalClick, h, syncChildren, setText } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { formatFixed } from '../lib/number.js'
import { cellAt, setCellData } from '../lib/origin.js'
import { createSlicedWorker, nextTask, waitForPaint } from '../lib/scheduling.js'
import { rankIndices } from '../lib/ranking.js'
import { ROW_COUNT, isLargeCount, largestIndices } from '../lib/large_tables.js'
import { getAxisLabels, sliceMatrix, getTensor } from '../lib/run.js'
import { mountScrubber, scrubberLabels } from '../lib/scrubber.js'
import { sliceRows } from '../lib/slice.js'
import { mountTree } from '../lib/tree.js'

/** @import { Branch, BuiltElement, Decoding, Mount, Run, Settings, Stage, View } from '../types.d.ts' */
/** @import { BeamNode } from '../lib/tree.js' */

export const id = 'decoding'
export const controls = ['decoding', 'beams', 'maxNewTokens', 'temperature', 'seed']
/** @type {string[]} */ export const pickers = []

/**
 * The reason why the bars, which are computed in one pass over the whole answer, may differ from the probabilities from
 * which the tokens were chosen.
 * @param {Decoding} decoding @param {Settings} settings
 */
function differenceReason({ kind }, { training, dropout, tgtIsCausal }) {
  if (kind === 'given') return null
  return tgtIsCausal === false ? 'unmasked' : training && dropout > 0 ? 'reread' : null
}

/**
 * Keys of further notes on the numbers.
 * @param {Decoding} decoding @param {Settings} settings
 */
function noteKeys({ kind }, { temperature, topK, topP, tgtIsCausal }) {
  const isShaped = temperature !== 1 || topK > 0 || topP < 1
  return [
    kind === 'given' && tgtIsCausal === false && 'seen', isShaped && (kind === 'beam' ? 'plainTree' : 'plain')
  ].filter(item => typeof item === 'string')
}

/**
 * The ancestors of a branch, the first step first, and the branch itself.
 * @param {Pick<Branch, 'parent'>[]} nodes @param {number} at
 */
function lineage(nodes, at) {
  /** @type {number[]} */ const line = []
  for (let i = at; i >= 0; i = nodes[i].parent) line.unshift(i)
  return line
}

/**
 * The tree after a step, and its best branch at that time; after the last step this is the answer.
 * @param {BeamNode[]} nodes @param {number | null} best @param {number} step
 */
function treeAt(nodes, best, step) {
  const scores = nodes.map(node => (node.step === step ? node.score : -Infinity))
  const leading = scores.indexOf(Math.max(...scores))
  return { nodes: nodes.filter(node => node.step <= step), best: step === Infinity ? best : leading }
}

/**
 * The sequences that a step continues: the tokens so far, or those of every live beam.
 * @param {string[]} tokens @param {number[]} rows @param {BeamNode[] | null} nodes @param {number} step
 * @returns {{ tokens: string[], score?: number }[]}
 */
function prefixesAt(tokens, rows, nodes, step) {
  if (!nodes) return [{ tokens: tokens.slice(0, rows[step] + 1) }]
  const parents = [...new Set(nodes.filter(node => node.step === step).map(({ parent }) => parent))]
  const start = tokens.slice(0, rows[0] + 1)
  return parents.map(at => (
    { tokens: [...start, ...lineage(nodes, at).map(i => nodes[i].token)], score: nodes[at]?.score ?? 0 }))
}

/**
 * Every step with its probabilities, side by side in the order of sampling, and the tree of a beam
 * search, up to the selected step; −1 for all.
 * @param {Run} run @param {View<'decoding'>} view
 */
export function data(run, view) {
  const { step: now = -1, room } = view
  const chosen = /** @type {Decoding} */ (run.decoding)
  const { rows, kind, tree: branches, best } = chosen
  const output = getTensor(run, room.parts.output), { of } = output.axes[1], V = output.shape[2]
  const words = getAxisLabels(run, output, 2) ?? [], order = wordsOf(run, view)
  const distribution = sliceRows(sliceMatrix(run, room.parts.output, view, order ? { order } : {}), rows[0],
    rows.length)
  const last = now < 0 ? distribution.rows - 1 : now
  const steps = chosen.steps.map(({ id: tokenId, token, sample }, step) => {
    const row = output.data.subarray((rows[0] + step) * V, (rows[0] + step + 1) * V)
    let start = 0
    // Narrow bars come last in the order of sampling and would be invisible, so they are not drawn.
    const pieces = (order ? largestIndices(row, 0, V, MAX_SEGMENTS) : rankIndices(row)).map(i => {
      const piece = { token: words[i], start, share: row[i], isChosen: i === tokenId }
      start += row[i]
      return piece
    }).filter(({ share: probability, isChosen }) => probability > MIN_PROBABILITY || (isChosen && probability > 0))
    return { step, token, tokenId, sample, pieces, share: row[tokenId] }
  })
  const nodes = branches && branches.map(branch => ({ ...branch, token: words[branch.id] }))
  return {
    kind, steps, now, last, isLarge: order !== null, reread: differenceReason(chosen, run.settings),
    remarks: noteKeys(chosen, run.settings), why: view.rooms.find(({ stage }) => stage === 'attribution')?.id ?? '',
    shares: sliceRows(distribution, 0, last + 1), first: rows[0], loss: run.loss,
    trueLoss: run.trueLoss ?? null,
    ...(nodes ? treeAt(nodes, best, now < 0 ? Infinity : now) : { nodes: null, best: null }),
    prefixes: now < 0 ? [] : prefixesAt(run.streams[of ?? ''].tokens[0].slice(chosen.first), rows, nodes, now),
    unread: now < 0 ? 0 : chosen.first ?? 0
  }
}

/**
 * The columns of a large vocabulary: the chosen and the most probable tokens of each step. Null for a small one, which
 * has all.
 * @param {Run} run @param {View<'decoding'>} view
 */
function wordsOf(run, { room }) {
  const { data: values, shape: [, , V] } = getTensor(run, room.parts.output)
  if (!isLargeCount(V)) return null
  const { rows, steps } = /** @type {Decoding} */ (run.decoding), each = Math.ceil(ROW_COUNT / rows.length)
  const likely = rows.flatMap(row => largestIndices(values, row * V, V, each))
  return [...new Set([...steps.map(step => step.id), ...likely])].sort((a, b) => a - b)
}

/** @type {Stage<'decoding'>['picture']} */
export const picture = (run, view) => {
  const { rows, steps } = /** @type {Decoding} */ (run.decoding), order = wordsOf(run, view)
  const part = sliceRows(sliceMatrix(run, view.room.parts.output, view, order ? { order } : {}), rows[0], rows.length)
  /** @param {number} i */
  const isChosen = i => (order?.[i % part.cols] ?? i % part.cols) === steps[Math.floor(i / part.cols)].id
  const values = part.values.map((probability, i) => (isChosen(i) ? probability : 0))
  return { part: { ...part, values }, domain: probabilityDomain() }
}

/** The maximum number of segments of a bar, and a probability whose segment is less than a pixel wide. */
const MAX_SEGMENTS = 64
const MIN_PROBABILITY = 1e-3

/** With a large vocabulary this many steps are drawn at once, the others frame by frame, about a millisecond each. */
const [FIRST_STEPS, SLICE] = [1, 1]

const createStep = () => h('li', { className: 'pick' }, h('span', { className: 'pick-step' }),
  h('div', { className: 'pick-line' }), h('b', { className: 'pick-token' }),
  h('button', { type: 'button', className: 'cell-link pick-share' }))

const createPiece = () => h('span', { className: 'piece' }, h('span'))

const createRemark = () => h('p', { className: 'note' })

const createPrefix = () => (
  h('li', {}, h('span', { className: 'read-tokens' }), h('span', { className: 'read-score' })))

/** @param {BuiltElement<HTMLElement>} item @param {{ tokens: string[], score?: number }} beginning */
function fillPrefix(item, { tokens: list, score }) {
  syncChildren(item.firstChild, list, () => h('span'), setText)
  setText(item.lastChild, score === undefined ? '' : formatFixed(score))
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const heading = h('h2')
  const list = h('ol', { className: 'picks' })
  const slot = h('div', {
    'className': 'tree-slot', 'tabindex': '0', 'role': 'group', 'aria-label': t('stages.decoding.tree')
  })
  const note = h('p', { className: 'note' })
  const more = h('div')
  const readTitle = h('span', { className: 'read-title' }, t('stages.decoding.read'))
  const readList = h('ol')
  const read = h('div', { className: 'read' }, readTitle, readList)
  const walk = h('div')
  const why = h('a', { onclick: handleInternalClick(() => context.enterRoom(latest.why)) }, t('stages.attribution.title'))
  container.append(h('section', {}, walk, read, heading, slot, list, h('p', { className: 'house-why' }, why), note, more))
  const steps = mountScrubber(walk, scrubberLabels(t), step => context.set(step < 0 ? { step } : { step, row: step }))
  const branches = mountTree(slot)
  const fig = mountFigure(container, context)
  const distribution = fig.matrix()

  /** @type {ReturnType<typeof data>} */ let latest

  /**
   * Draws a step, or an empty line for one that is not reached yet.
   * @param {BuiltElement<HTMLElement>} item @param {ReturnType<typeof data>['steps'][number]} step
   */
  function fillStep(item, { step, token, tokenId, sample, pieces, share: probability }) {
    const isAhead = step > latest.last
    item.classList.toggle('is-ahead', isAhead)
    item.classList.toggle('is-now', step === latest.now)
    const [number, line, chosen, link] = item.children
    setText(number, String(step))
    setText(chosen, isAhead ? '' : token)
    setText(link, isAhead ? '' : formatFixed(probability, 3))
    link.hidden = isAhead
    setCellData(link, latest.shares.name, [0, latest.first + step, tokenId])
    link.onclick = () => context.pinCell(cellAt(link))
    /** @type {{ piece?: typeof pieces[number], draw: number }[]} */
    const marks = [...pieces.map(piece => ({ piece, draw: 0 })), ...(sample === null ? [] : [{ draw: sample }])]
    syncChildren(line, isAhead ? [] : marks, createPiece, (element, mark) => {
      const { piece } = mark
      element.className = piece ? 'piece' : 'piece is-draw'
      element.classList.toggle('is-chosen', Boolean(piece?.isChosen))
      element.classList.toggle('is-long', Boolean(piece && piece.token.length > 1))
      element.style.setProperty('left', `${(piece ? piece.start : mark.draw) * 100}%`)
      element.style.setProperty('width', piece ? `${piece.share * 100}%` : '0')
      setText(element.firstChild, piece ? piece.token : formatFixed(mark.draw, 3))
    })
  }
  /** @param {ReturnType<typeof data>['steps'][number]} step */
  const fillPiece = step => fillStep(/** @type {BuiltElement<HTMLElement>} */ (list.children[step.step]), step)
  const fillRest = createSlicedWorker(fillPiece, SLICE)
  function drawShares() {
    const title = t('stages.decoding.shares')
    distribution.update(latest.shares, { title, domain: probabilityDomain() })
    fig.legend([{ domain: probabilityDomain(), text: t('frame.probability') }])
    fig.numbers(t('frame.numbers'), [{ title, part: latest.shares }])
  }
  return {
    update(next) {
      latest = next
      why.hidden = !next.why
      why.setAttribute('href', context.href(next.why))
      steps.update(next.now, next.steps.length)
      walk.hidden = next.steps.length < 2
      read.hidden = next.prefixes.length === 0
      syncChildren(readList, next.prefixes, createPrefix, fillPrefix)
      const own = next.kind === 'given' ? 'stages.decoding.ownLine' : 'stages.decoding.line'
      setText(heading, t(next.nodes ? 'stages.decoding.tree' : own))
      setText(note, [t(`stages.decoding.${next.reread ?? next.kind}`, { loss: formatFixed(next.loss, 3) }),
        next.trueLoss !== null && t('stages.decoding.truth', { loss: formatFixed(next.trueLoss, 3) })].filter(Boolean).join(' · '))
      syncChildren(more, next.remarks, createRemark, (element, key) => setText(element, t(`stages.decoding.${key}`)))
      slot.hidden = !next.nodes
      if (next.nodes) branches.update(next.nodes, next.best ?? -1)
      if (next.nodes) slot.scrollLeft = next.now < 0 ? 0 : slot.scrollWidth
      const first = next.isLarge ? FIRST_STEPS : next.steps.length
      syncChildren(list, next.steps, createStep, (_, step, at) => at < first && fillPiece(step))
      fillRest(next.steps.slice(first))
      list.classList.toggle('has-draws', next.kind === 'sample')
      if (!next.isLarge) drawShares()
      else waitForPaint().then(nextTask).then(() => latest === next && drawShares())
    },
    mark: fig.mark,
    destroy: steps.destroy
  }
}
