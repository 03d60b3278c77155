/**
 * Every kind of number on the page: its selector, and the check of its text with the run made in Node. The walk fails
 * on a number that is of none of these kinds.
 */

import { partName } from '../../web/lib/room_name.js'
import { modelOf } from '../../web/models/index.js'
import { changeCount } from '../../web/shell/changes.js'
import { positionOnTour } from '../../web/shell/frame.js'
import { countCells, cellIndex, readMatrix, findTensor, valueAt } from './cells.js'
import { lengthOf } from '../../web/lib/patching.js'
import { attributionLines, attributionOf, circuitsOf, countHeads, isComposedHead, isCompositionDescribed, isHeadCardRight, isPairRight, isPartValueRight, isSourceRight } from './model_tables.js'
import { isGridCellRight, isGridNameRight, isGridLegendRight, isRoomCostRight, selectedStep, areCacheCountsRight, areCacheSumsRight } from './model_tables.js'
import { isHangulPartRight, selectedSyllable } from './syllables.js'
import { arePatchAnswersRight, isAnswerDifference, isPatchDescribed } from './patched_texts.js'
import { isExactly, isRoundedTo } from './writes_number.js'
import { withPositions } from '../lib/labels.js'
import {
  streams, roomStream, decodedStream, firstMerge, selectSentence, tokenBefore, matrixRow, parseCell, mean, variance,
  maxMagnitude, matchMessage, isToken, isBelow, modelWidth, isLabelRight, legendPeaks, shapeText, isRoomName,
  isPageText
} from './text_view.js'

/** The label smoothing of the dates model's training. */
const SMOOTHING = 0.05

const isIndex = (view, text, i) => text === String(i)
const isCellRight = (view, text, key) => isRoundedTo(text, valueAt(view, ...parseCell(key)))
function isRuleNumber(view, text, name) {
  const { shape } = findTensor(view, name), { formula, op } = view.run.explain(name, shape.map(() => 0))
  const places = { positional_encoding: [1, 2, shape[1], Math.ceil(shape[1] / 2)], gelu: [3] }[op] ?? []
  return [...formula.split(/[^\d.]+/).map(Number), ...places].includes(Number(text)) || isPageText(view, text)
}

const NOTES = {
  'stages.head_scores.shownWhat': (_, { min }) => Number(min) === 0.4,
  'stages.head_scores.circuits.ovWhat': (view, { score, count }) => {
    const { copyingScore, diagonal } = circuitsOf(view).ov
    return isRoundedTo(score, copyingScore) && Number(count.replace(',', '')) === diagonal.length
  },
  'stages.head_scores.compositions.description': isCompositionDescribed,
  'stages.attribution.sum': (view, { count, sum, logit, rounding }) => {
    const { parts, total, rounding: difference } = attributionOf(view)
    return Number(count) === parts.length && isRoundedTo(sum, parts.reduce((all, { value }) => all + value, 0), 4) &&
      isRoundedTo(logit, total, 4) && isRoundedTo(rounding, Math.abs(difference), 1)
  },
  'stages.attribution.source': isSourceRight,
  'stages.attribution.sourcesWhat': (view, { sum, rest }) => {
    const { rows, total } = attributionOf(view), all = rows.flatMap(({ values }) => values).reduce((a, b) => a + b, 0)
    return isPartValueRight(sum, all) && isPartValueRight(rest, total - all)
  },
  'stages.patching.answers': arePatchAnswersRight,
  'stages.patching.value': isPatchDescribed,
  'stages.dropout.kept': (view, { scale, dropped, total }, context) => {
    const mask = readMatrix(view, context).flat()
    return isRoundedTo(scale, 1 / (1 - view.state.dropout)) && Number(total) === mask.length &&
      Number(dropped) === mask.filter(x => x === 0).length
  },
  'stages.activation.silent': (view, { count, total }, context) => {
    const row = matrixRow(view, context)
    return Number(count) === row.filter(x => x === 0).length && Number(total) === row.length
  },
  'stages.sampling.smoothing': (view, { smoothing, right, other: differing }) => {
    const uniform = SMOOTHING / decodedStream(view).words.length
    return isRoundedTo(smoothing, SMOOTHING) && isRoundedTo(right, 1 - SMOOTHING + uniform) &&
      isRoundedTo(differing, uniform)
  },
  'stages.sampling.rest': (view, { count, share }) => {
    const { words } = decodedStream(view), name = view.room.parts.probabilities,
      row = view.run.decoding.rows[view.state.row]
    const shares = words.map((_, word) => valueAt(view, name, [0, row, word])).sort((a, b) => b - a)
    const rest = shares.slice(shares.length - Number(count)).reduce((sum, x) => sum + x, 0)
    return Number(count) < words.length && isRoundedTo(share, rest)
  },
  ...Object.fromEntries(['greedy', 'sample', 'beam', 'given'].map(kind => [
    `stages.decoding.${kind}`, ({ run }, { loss }) => kind === run.decoding.kind && isRoundedTo(loss, run.loss)])),
  'stages.syllables.shared': (view, { count }) => Number(count) === selectedSyllable(view).pieces.length,
  'stages.syllables.apart': (view, { count }) => Number(count) === selectedSyllable(view).pieces.length,
  'stages.cache.same': (view, { count }) => areCacheCountsRight(view, count, '0'),
  'stages.cache.differs': (view, { count, other: differing }) => areCacheCountsRight(view, count, differing),
  'stages.cache.saved': areCacheSumsRight,
  'stages.decoding.reread': ({ run }, { loss }) => run.settings.training && isRoundedTo(loss, run.loss),
  'stages.decoding.unmasked': ({ run }, { loss }) => !run.settings.tgtIsCausal && isRoundedTo(loss, run.loss)
}

/** The tokens that the decoder reads, with their positions where one occurs twice. */
const readTokens = view => withPositions(decodedStream(view).read.tokens[0])

const HEADINGS = {
  'stages.attribution.of': (view, { token }) => token === attributionOf(view).names[0],
  'stages.cache.newest': (view, { token, count }) => (
    token === tokenBefore(view, selectedStep(view)) && Number(count) === view.run.decoding.rows[selectedStep(view)]),
  'stages.cache.first': ({ run }, { count }) => Number(count) === run.decoding.rows[0] + 1,
  'stages.positions.curves': (view, { dim }) => isBelow(dim, modelWidth(view)),
  'stages.positions.chart': (view, { dim }) => isBelow(dim, modelWidth(view)),
  'stages.weights.bars': (view, { token }) => isToken(view, token),
  'stages.activation.curve': (view, { token }) => isToken(view, token),
  'stages.bpe_merges.of': (view, { token, count }) => {
    const { tokens: [tokens], ids: [ids], merges } = roomStream(view)
    return tokens.some((label, i) => label === token && (merges[ids[i]]?.length ?? 0) === Number(count))
  },
  'stages.cross.reads': (view, { token, next }) => (
    view.run.decoding.steps.some((step, i) => (
      token === readTokens(view)[view.run.decoding.rows[i]] && next === step.token))),
  'stages.sampling.next': (view, { step, token }) => (
    Number(step) === view.state.row &&
    token === readTokens(view)[view.run.decoding.rows[view.state.row]])
}

/** A check whether a text matches one of some messages and its values are right. */
const matchAny = list => (view, text, context) => Object.entries(list).some(([key, isRight]) => {
  const values = matchMessage(view, key, text)
  return values && isRight(view, values, context)
})

const STRIPS = ['line', 'lineAfter', 'lineSum', 'lineRms', 'lineAfterRms', 'lineSumRms']
const isStripRight = (view, text, context) => STRIPS.some(key => {
  const values = matchMessage(view, `stages.norm.${key}`, text)
  const row = matrixRow(view, context), size = Math.sqrt(mean(row) ** 2 + variance(row))
  const isSpreadRight = () => !('variance' in values) || isRoundedTo(values.variance, variance(row))
  return values && isRoundedTo(values.mean, mean(row)) && isRoundedTo(values.rms, size) && isSpreadRight() &&
    isLabelRight(view, { ...context, axes: [1], side: 0, i: 0 }, values.token)
})

const withoutSpaces = text => text?.replaceAll(' ', '')

/** The answer of a run without special tokens. */
const answerText = ({ decoding }) => (
  decoding.steps.map(({ token }) => token).filter(token => !/^<.*>$/.test(token)).join(''))

/** Whether a text names a tower and a layer. */
const isStorey = ({ t, rooms }, text) => rooms.some(({ tower, layer }) => (
  layer !== undefined && text === `${t(`map.${tower}`)} ${t('map.layer', { number: layer })}`))

/** Whether the description of the run above the house is right. */
function isHouseTextRight(view, text) {
  const { run, state } = view
  const [{ texts, tokens }] = streams(view)
  const prefillRows = view.run.passes.find(({ kind }) => kind === 'prefill')?.rows
  const read = selectSentence(tokens, view).slice(0, prefillRows).filter(token => !/^<.*>$/.test(token)).length
  return ['reads', 'writes', 'given'].some(key => {
    const values = matchMessage(view, `stages.house.${key}`, text)
    if (values?.input !== selectSentence(texts, view) || Number(values.read) !== read) return false
    const answers = key === 'given' ? [state.target] : key === 'writes' ? [answerText(run)] : [undefined]
    return answers.map(withoutSpaces).includes(withoutSpaces(values.answer)) &&
      (values.steps === undefined || Number(values.steps) === run.decoding.steps.length)
  })
}

/** A shape as it is displayed, without a batch axis of 1. */
const shapeWithoutBatch = ({ shape }) => (shape[0] === 1 ? shape.slice(1) : shape)

/** Whether a text is the shape of a tensor of a room. */
function isFloorShape({ run, rooms }, text, id) {
  const tensors = rooms.find(room => room.id === id).tensors.map(name => findTensor({ run }, name))
  return tensors.some(tensor => [shapeWithoutBatch(tensor).join(' × '), String(shapeWithoutBatch(tensor).at(-1))].includes(text.replace(/^\w+ · /, '')))
}

/** Whether the token or the id on a chip is right. */
function isChipRight(view, text, [row, i, part]) {
  const { stage } = view.room
  if (stage === 'ids' && part === 'button') return text === String(row)
  if (stage === 'attribution') {
    const { tokens, values } = attributionOf(view).rows[row]
    return part === 'span' ? text === tokens[i] : isPartValueRight(text, values[i])
  }
  const stream = roomStream(view)
  if (stage === 'syllables') return text === String(stream.hangul.syllables[i].pieces.length)
  const [tokens, ids] = [stream.tokens, stream.ids].map(all => (
    ['pieces', 'bpe_merges'].includes(stage) ? selectSentence(all, view) : all[row]))
  const first = stage === 'ids' ? String(ids[i]) : tokens[i]
  const merged = String(stream.merges?.[ids[i]]?.length ?? 0)
  const second = { pieces: String(ids[i]), ids: tokens[i], tokens: String(i), bpe_merges: merged }[stage]
  return text === (part === 'span' ? first : second)
}

/** All merges of a room's stream. */
const listMerges = view => Object.values(roomStream(view).merges).flat()

/** Whether a text states the rank of a merge, counted from 1, and how often its pair occurred. */
function isMergeNoteRight(view, text) {
  const { rank, count } = matchMessage(view, 'stages.bpe_merges.counted', text) ?? {}
  const number = number => Number(number.replaceAll(',', ''))
  return rank !== undefined &&
    listMerges(view).some(step => step.rank + 1 === number(rank) && step.count === number(count))
}

const isOptionRight = (view, text, i) => (
  [String(i), view.run.decoding && tokenBefore(view, i), view.run.decoding?.steps[i]?.token].includes(text) ||
  isPageText(view, text))

/** The index of the best node of a beam search after a step, or at its end. */
function bestNode({ tree, best }, last) {
  if (last < 0) return best
  const nodes = tree.filter(({ step }) => step === last)
  return tree.indexOf(nodes.reduce((best, node) => (node.score > best.score ? node : best)))
}

/** Whether the text for screen readers lists the tokens and scores on the path to the best node. */
function isBestPathRight(view, text) {
  const { run: { decoding }, state } = view
  const path = []
  for (let i = bestNode(decoding, state.step); i >= 0; i = path[0].parent) path.unshift(decoding.tree[i])
  const parts = text.split(', ').map(part => part.split(' '))
  return parts.length === path.length && parts.every(([token, score], i) => (
    token === decodedStream(view).words[path[i].id] && isRoundedTo(score, path[i].score)))
}

/** The head whose weights are displayed: the one of a pinned cell of values or results, else the selected one. */
function displayedHead({ run, room, state, cell }) {
  if (!cell) return state.head
  const { shape } = findTensor({ run }, cell.name)
  return shape.length > 3 ? cell.index[1] : Math.floor(cell.index.at(-1) * room.parts.heads / shape.at(-1))
}

/** Whether a text states how many tokens of a long input were read. */
const isTruncationRight = ({ run: { truncated = {} } }, text) => {
  const numbers = Object.values(truncated).flatMap(({ read, of }) => [read, of])
  return (text.match(/[\d,]+/g) ?? []).every(number => numbers.includes(Number(number.replaceAll(',', ''))))
}

/** Whether the note of a written answer ends with the loss against the right answer, and all before it is right. */
function areLossesRight(view, text) {
  const [note, truth] = text.split(' · '), { loss } = matchMessage(view, 'stages.decoding.truth', truth ?? '') ?? {}
  return loss !== undefined && isRoundedTo(loss, view.run.trueLoss) && matchAny(NOTES)(view, note)
}

/** For each kind its selector, the name of its context in `rendered_numbers.js`, and the check of its text. */
export const KINDS = {
  cell: ['[data-cell]', 'cell', isCellRight],
  active: ['.heat [role=gridcell]', 'active', (view, text, { at, ...context }) => {
    const [labels, number] = [text.slice(0, text.lastIndexOf(': ')), text.slice(text.lastIndexOf(': ') + 2)]
    const names = labels.split(/, (?=(?:⟨[^⟩]*⟩|[^ ]*)(?: · \d+| \(\d+\))?$)/)
    return isExactly(number, valueAt(view, context.tensor, cellIndex(context, ...at))) &&
      names.every((name, side) => context.axes[side] < 0 || isLabelRight(view, { ...context, side, i: at[side] }, name))
  }],
  label: ['.labels span', 'label', (view, text, context) => isLabelRight(view, context, text)],
  grid: ['.grid td', 'grid', isGridCellRight],
  gridHead: ['.grid thead th', 'grid', (view, text, { col }) => (
    isToken(view, text) || (view.room.stage === 'head_scores' && isComposedHead(view, text)) ||
    (view.state.patched === 'heads' && text === view.t('stages.ablation.head', { head: col })))],
  gridName: ['.grid th, .grid th button', 'grid', isGridNameRight],
  caption: ['.caption .shape', 'caption', (_, text, { size }) => text === size.join(' × ')],
  legend: ['.legend-ends', 'legend', (view, text, ends) => {
    if (ends.join() === '0,0.5,1') return true
    if (view.room.stage === 'patching') return ends.join() === '−1.00,0,1.00'
    if (['ablation', 'residual_stream', 'head_scores'].includes(view.room.stage)) return isGridLegendRight(view, ends)
    return ends[1] === '0' && ends[0] === `−${ends[2]}` && legendPeaks(view).some(peak => isRoundedTo(ends[2], peak))
  }],
  strip: ['.strip-name', 'about', isStripRight],
  ends: ['.strip-ends', 'row', (view, text, rows) => {
    const max = Math.max(1, ...rows.filter(Boolean).map(row => maxMagnitude(matrixRow(view, row))))
    return text === '0.0' || isRoundedTo(text.replace('−', ''), max, 1)
  }],
  note: ['.stage-figure .note', 'about', (view, text, context) => (
    isPageText(view, text) || matchAny(NOTES)(view, text, context) || areLossesRight(view, text))],
  problem: ['.stage-figure > .problem', null, (view, text) => (
    Number(matchMessage(view, 'stages.patching.write', text)?.count) === lengthOf(view.run))],
  now: ['.house-now', null, isHouseTextRight],
  title: ['.caption b, .legend-note', null, (view, text) => (
    isPageText(view, text) || view.t('stages.patching.scale').split(', ').includes(text) ||
    (view.room.stage === 'operation' && (Boolean(findTensor(view, text)) || /^\d$/.test(text))) ||
    (view.room.stage === 'heads' && text.replace('\u00a0', ' ') === `${view.t('stages.heads.weights')} · ${view.t('frame.head')} ${displayedHead(view)}`) ||
    Number(matchMessage(view, 'stages.relative.bias', text)?.head) === view.state.head)],
  reading: ['.reading', null, isTruncationRight],
  pane: ['.pane-floor .shape', 'door', isFloorShape],
  paneToken: ['.pane-pictures', null, isToken],
  hangul: ['.hangul', 'part', isHangulPartRight],
  sentence: ['.sentence-cost', 'order', (view, text, i) => {
    const { tokens, bytes } = matchMessage(view, 'stages.pieces.cost', text) ?? {}, sentence = roomStream(view).languages[i]
    return Number(tokens) === sentence.tokens.length && Number(bytes) === new TextEncoder().encode(sentence.text).length
  }],
  learningStep: ['.learning .scrubber output', null, (view, text) => text === `1 / ${firstMerge(view).count}`],
  learningCount: ['.learning-pairs small', 'order', (view, text, i) => text === String(firstMerge(view).pairs[i].count)],
  learningPiece: ['.learning .merge-piece', null, (view, text) => firstMerge(view).words.flat().includes(text)],
  learningNext: ['.learning h2', null, (view, text) => (
    Number(matchMessage(view, 'stages.bpe_training.next', text)?.count) === firstMerge(view).merge.count)],
  heading: ['.stage-figure h2', null, matchAny(HEADINGS)],
  source: ['.arcs-from', 'order', (view, text, i) => text === readTokens(view)[i]],
  target: ['.arcs-to', 'order', (view, text, i) => text === withPositions(streams(view)[0].tokens[0])[i]],
  chip: ['.chips', 'chip', isChipRight],
  mergePiece: ['.merge-piece', null, (view, text) => roomStream(view).vocabulary.includes(text)],
  mergeNote: ['.merge-steps small', null, isMergeNoteRight],
  vocabularyId: ['.vocab-id', 'order', isIndex],
  vocabularyToken: ['.vocab-token', 'order', (view, text, i) => text === roomStream(view).vocabulary[i]],
  pickStep: ['.pick-step', 'order', isIndex],
  pickToken: ['.pick-token', 'order', ({ run }, text, i) => text === run.decoding.steps[i].token],
  draw: ['.piece.is-draw', 'pick', ({ run }, text, i) => isRoundedTo(text, run.decoding.steps[i].sample)],
  piece: ['.piece', null, isToken],
  wordToken: ['.word-token', null, isToken],
  scrub: ['.scrubber output', null, ({ run: { decoding: { steps } }, state: { step } }, text) => (
    text === (step < 0 ? String(steps.length) : `${step + 1} / ${steps.length}`))],
  readToken: ['.read-tokens', null, (view, text) => view.run.decoding.tree ? isToken(view, text)
    : decodedStream(view).read.tokens[0].slice(0, view.run.decoding.rows[view.state.step] + 1).includes(text)],
  readScore: ['.read-score', null, ({ run, state }, text) => (
    run.decoding.tree.some(({ step, score }) => step === state.step - 1 && isRoundedTo(text, score)))],
  score: ['.tree-score', 'branch', ({ run }, text, i) => isRoundedTo(text, run.decoding.tree[i].score)],
  branch: ['.tree', 'branch', (view, text, i) => text === decodedStream(view).words[view.run.decoding.tree[i].id]],
  path: ['.tree-slot p', null, isBestPathRight],
  wordHead: ['.word-head', null, isPageText],
  cost: ['.room-cost', null, (view, text) => isRoomCostRight(view, matchMessage(view, 'stages.costs.line', text) ?? {})],
  bar: ['.fall-number', 'order', (view, text, i) => {
    const lines = attributionLines(view), [, value] = lines[i]
    return i === lines.length - 1 ? isRoundedTo(text, value, 3) : isPartValueRight(text, value)
  }],
  barName: ['.fall-name', 'order', (view, text, i) => text === attributionLines(view)[i][0]],
  headKind: ['.all-heads .segments label', 'order', (view, text, i) => (
    isPageText(view, text) || text.split(' · ')[1] === String(countHeads(view, i - 1)))],
  headChoice: ['.all-heads option', null, isGridNameRight],
  pair: ['.pairs span, .pairs b', 'part', isPairRight],
  headName: ['.head-card span', null, isGridNameRight],
  headScores: ['.head-card small', 'part', isHeadCardRight],
  room: ['.eyebrow .visually-hidden', null, (view, text) => {
    const { number, total } = matchMessage(view, 'frame.room', text) ?? {}
    const place = positionOnTour(view.rooms, view.room)
    return Number(number) === place.number && Number(total) === place.total
  }],
  changed: ['.changed', null, (view, text) =>
    Number(matchMessage(view, 'app.changed', text)?.count) === changeCount(view.state)],
  number: ['.eyebrow b', null, ({ rooms, room }, text) => text === String(positionOnTour(rooms, room).number)],
  flow: ['.ways .shape', null, (view, text) => {
    const [name, ...sides] = text.split(/\s/)
    return sides.join(' ') === shapeText(findTensor(view, name))
  }],
  place: ['.eyebrow, .map-here', null, isRoomName],
  part: ['.way-part', null, ({ rooms, t }, text) => rooms.some(room => partName(room, t) === text)],
  storey: ['.storey, .pane-storey > small', null, (view, text) => Boolean(matchMessage(view, 'map.layer', text))],
  floor: ['.map .shape', 'floor', (view, text, ids) => {
    const names = view.rooms.filter(({ id }) => ids.includes(id)).flatMap(({ tensors }) => tensors)
    return names.some(name => text.split(/ ?× ?/).join() === shapeWithoutBatch(findTensor(view, name)).join())
  }],
  layer: ['[data-picker="layer"] .segments label', 'order', (_, text, i) => text === String(i)],
  picker: ['[data-picker] .segments label', 'order', isOptionRight],
  control: ['[data-control] output', 'control', ({ state }, text, name) => text === String(state[name])],
  example: ['.examples', null, ({ state }, text) => modelOf(state.model).examples.some(example => example.text === text)],
  symbolName: ['.symbols code', null, (view, text) => Boolean(findTensor(view, text))],
  symbolShape: ['.symbols .shape', 'named', (view, text, name) => text === shapeText(findTensor(view, name))],
  recipeName: ['.recipe h2 code', null, (view, text) => Boolean(findTensor(view, text)) || /^\w+$/.test(text)],
  // An operation may have the name of a tensor that it made.
  recipeShape: ['.recipe h2 .shape', 'named', (view, text, name) => (
    (findTensor(view, name) && text === shapeText(findTensor(view, name))) ||
    text.split(', ').every(name => findTensor(view, name)))],
  recipeRule: ['.recipe mn', 'recipe', isRuleNumber],
  recipeNote: ['.recipe .note', 'recipe', (view, text) => (
    isPageText(view, text) || Number(matchMessage(view, 'inspector.notes.drawn', text)?.p) === view.state.dropout)],
  listing: ['.listing figcaption', null, ({ code }, text) => code.places.has(text)],
  divisor: ['.product-corner mn, .equation mn', null, ({ run, room: { parts } }, text) => {
    const size = run.tensors.get(parts.q).shape.at(-1) / parts.heads, more = 1 / (parts.scale * Math.sqrt(size))
    return parts.scale !== 1 && (Number(text) === size || Math.abs(Number(text) - more) < 1e-6)
  }],
  nonzero: ['.nonzero summary', 'caption', (view, text, context) => {
    const { count, total } = matchMessage(view, 'frame.nonzero.show', text) ?? {}
    return Number(count) === countCells(view, context, value => Math.abs(value) >= 0.005) &&
      Number(total) === context.size[0] * context.size[1]
  }],
  sorting: ['.stage-figure .control label', null, (view, text) => (
    isPageText(view, text) || isToken(view, matchMessage(view, 'stages.activation.by.row', text)?.token) ||
    (view.room.stage === 'patching' && isAnswerDifference(view, text)))],
  compareRoom: ['.patch-actions a', null, (view, text) => (
    isRoomName(view, matchMessage(view, 'stages.patching.compare', text)?.room))],
  // A room that repeats another names it.
  sameRoom: ['.lead .term', null, (view, text) => isRoomName(view, text) || isPageText(view, text)],
  modelKind: ['.stage > .untrained', null, (view, text) => isPageText(view, text) || [...view.pageTexts].some(start => (
    text.startsWith(`${start} `) &&
    matchMessage(view, 'frame.weights', text.slice(start.length + 1))?.dtype === view.run.imported?.dtype))],
  prose: ['body', null, isPageText]
}

/** The same for attributes that only screen readers and pointers show. */
export const ATTRIBUTES = {
  listing: ['.listing .code', null, ({ code }, text) => code.places.has(text.split(', ')[1])],
  heat: ['.heat', 'caption', (_, text, { size }) => text.endsWith(` ${size.join(' × ')}`)],
  number: ['.word-number', 'cell', (view, text, key) => isCellRight(view, text.split(' ').at(-1), key)],
  strip: ['.strip svg', 'about', isStripRight],
  heading: ['.chart canvas, .curve, .arcs', null, matchAny(HEADINGS)],
  door: ['.map a', null, (view, text) => isRoomName(view, text)],
  pane: ['.pane-floor', 'door', (view, text, id) => {
    const parts = text.split(' · ')
    const isShaped = !/^[\d ×]+$/.test(parts.at(-1)) || isFloorShape(view, parts.pop(), id)
    return isShaped && isPageText(view, parts.slice(isStorey(view, parts[0]) ? 1 : 0).join(' · '))
  }],
  sentence: ['[data-picker] label', null, (view, text) => streams(view)[0].texts.includes(text)],
  step: ['.stepper button', null, (view, text) => ['less', 'greater'].some(key => (
    isPageText(view, matchMessage(view, `controls.${key}`, text)?.name ?? '')))],
  switch: ['.switch, .grid th button', null, isGridNameRight],
  compare: ['.compare', null, (view, text) => isPageText(view, matchMessage(view, 'twin.with', text)?.name ?? '')],
  field: ['[data-field]', null, ({ run }, text) => withoutSpaces(text) === withoutSpaces(answerText(run))]
}

/** Describes the texts that are wrong. */
export function findWrongTexts(view, entries, kindsByName) {
  return entries.flatMap(({ kind, text, path, about: context }) => {
    const isRight = kindsByName[kind]?.[2]
    const trimmed = text.trim()
    if (!trimmed || isRight?.(view, trimmed, context)) return []
    return [`${kind}: “${trimmed}” at ${path}${context === undefined ? '' : ` ${JSON.stringify(context)}`}`]
  })
}
