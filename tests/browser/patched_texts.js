// Two texts compared: a run and the same model's run on another text, in Node.

import { layerHeading } from '../../web/lib/ablation_parts.js'
import { modelOf, textField } from '../../web/models/index.js'
import { gf } from '../lib/engine.js'
import { runInNode } from './host.js'
import { isRoundedTo } from './writes_number.js'

/**
 * Both texts of a state, and the answer to the first with some cells of the other, as far as both answers go.
 * @returns {{ run, answers: string[][], from: number, to: number, patched: (name: string, index: any[]) => number,
 *   dispose: () => void }} from, to: the difference of the two tokens' logits; patched: 0 for from, 1 for to
 */
export function makeTexts(state) {
  const field = textField(modelOf(state.model))
  const runs = [state, { ...state, [field]: state.other }].map(runInNode)
  const [here, there] = runs.map(({ workerRun }) => workerRun)
  const all = [here, there].map(({ exportable }) => Object.values(exportable.inputs))
  const length = Math.min(...all.map(inputs => inputs.at(-1)[0].length))
  const inputs = all.map(list => list.with(-1, list.at(-1).map(row => row.slice(0, length))))
  const { model } = here.exportable, source = gf.trace(() => model.forward(...inputs[1])).trace
  const [steps, others] = runs.map(({ decoding }) => decoding.steps)
  const step = steps.findIndex(({ id }, i) => others[i] && id !== others[i].id)
  const { rows, first = 0 } = here.decoding, row = rows[step] + first
  const metric = output => output.at(0, row, others[step].id) - output.at(0, row, steps[step].id)
  /** @param {object[]} edits */
  function difference(edits) {
    const { output, trace } = gf.trace(() => gf.noGrad(() => model.forward(...inputs[0])), { edits })
    const value = metric(output)
    trace.dispose()
    return value
  }
  const from = difference([]), to = metric(gf.noGrad(() => model.forward(...inputs[1])))
  return {
    run: runs[0], answers: runs.map(run => run.decoding.steps.map(({ token }) => token)), from, to,
    patched: (name, index) => (difference([{ name, index, from: source }]) - from) / (to - from),
    dispose() {
      source.dispose()
      runs.forEach(run => run.dispose())
    }
  }
}

/** Where a cell of the map lies in its tensor: a position, or a head at all positions. */
export const patchedIndex = ({ shape }, at, heads) => {
  if (!heads) return [null, at, null]
  const width = shape[2] / heads
  return shape.length === 4 ? [null, at, null, null] : [null, null, [at * width, (at + 1) * width]]
}

const textsByRun = new WeakMap()

/** The two texts of the room of a view, with all shares of its map by tensor. */
function textsOf({ run, room: { parts }, state }) {
  if (!textsByRun.has(run)) textsByRun.set(run, { ...makeTexts(state), shares: new Map() })
  const texts = textsByRun.get(run), heads = state.patched === 'heads'
  const rows = heads ? parts.attentions.map(({ out, ...row }) => ({ ...row, name: out })) : parts.rows[state.patched]
  for (const { name, heads: count } of rows) {
    const { shape } = run.tensors.get(name)
    if (!texts.shares.has(name)) texts.shares.set(name, Array.from({ length: heads ? count : shape[1] }, (_, at) => (
      texts.patched(name, patchedIndex({ shape }, at, count))))
    )
  }
  return { ...texts, rows }
}

/** Whether a text is the share of the difference that one place of the other text restores. */
export const isPatchRight = (view, text, { key, col }) => isRoundedTo(text, textsOf(view).shares.get(key)[col])

/** Whether the answers to both texts are right. */
export const arePatchAnswersRight = (view, answers) => ['here', 'there'].every((which, i) => (
  answers[which].replaceAll(' ', '') === textsOf(view).answers[i].filter(token => !/^<.*>$/.test(token)).join('').replaceAll(' ', '')))

/** Whether a text names tokens at which the answers differ. */
export function isAnswerDifference(view, text) {
  const [answer, other] = textsOf(view).answers
  return answer.some((token, i) => token !== other[i] && text === `${token} → ${other[i]}`)
}

const rowName = ({ layer, block }, { t, state }) => {
  if (state.patched === 'residual' && layer === undefined) return t('stages.patching.end')
  const heading = layerHeading({ layer }, t)
  return state.patched === 'residual' ? t('stages.patching.before', { layer: heading }) : [heading, t(`map.blocks.${block}`)].join(' · ')
}

/** Whether a text names the row of a map. */
export const isPatchedRow = (view, text, { key }) => (
  textsOf(view).rows.some(row => row.name === key && rowName(row, view) === text))

/** Whether a text describes the place with the largest share, which the room chooses. */
export function isPatchDescribed(view, { place, share, value, here, there }) {
  const { rows, shares, from, to } = textsOf(view)
  const [row, at, max] = rows.flatMap(one => shares.get(one.name).map((found, i) => [one, i, found]))
    .reduce((best, next) => (next[2] > best[2] ? next : best))
  const column = view.state.patched === 'heads' ? view.t('stages.ablation.head', { head: at }) : ` ${at}`
  return place.startsWith(rowName(row, view)) && place.includes(column.trim()) && isRoundedTo(share, max) &&
    isRoundedTo(value, from + max * (to - from)) && isRoundedTo(here, from) && isRoundedTo(there, to)
}
