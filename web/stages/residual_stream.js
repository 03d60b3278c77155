/** The residual stream after every sub-layer: logit lens, and the norms of the stream and of each change. */

import { probabilityDomain, createScale, signedDomain } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { mountGrid } from '../lib/grid.js'
import { debounce, nextTask, waitForPaint } from '../lib/scheduling.js'
import { mountLegend } from '../lib/legend.js'
import { formatFixed } from '../lib/number.js'
import { createPicture } from '../lib/picture.js'
import { mountProgress } from '../lib/progress.js'
import { batchSize, getDescription, getAxisLabels } from '../lib/run.js'
import { createSegments } from '../lib/segments.js'
import { peak } from '../lib/slice.js'

/** @import { FittedLens, LensPrediction, Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { LastStep, Stream } from '../rooms/stream.js' */

export const id = 'residual_stream'
/** @type {string[]} */ export const controls = []
export const pickers = ['sentence']

/** @typedef {'logit' | 'tuned' | 'jacobian'} Lens */
/** @type {Lens[]} */ const LENSES = ['logit', 'tuned', 'jacobian']

/** The points of every stream and their labels. @param {Run} run @param {View<'residual_stream'>} view */
export function data(run, { room: { parts }, rooms, sentence }) {
  const { last, spoken: outputName } = /** @type {{ last: LastStep[] | null, spoken: string | null }} */ (parts)
  const { decoding } = run
  const streams = /** @type {Stream[]} */ (parts.streams).map(({ tower, subs }) => {
    const start = getDescription(run, subs[0].input)
    const of = start.axes.findIndex(({ name }) => name === 'token')
    const tokens = getAxisLabels(run, start, of < 0 ? 1 : of, sentence)
    return {
      tower, subs, tokens: tokens ?? Array.from({ length: start.shape[1] }, (_, i) => String(i)),
      points: [{ name: subs[0].input }, ...subs].map(pointOf)
    }
  })
  const outputStream = streams.find(({ tower }) => tower === outputName)
  const early = last && outputStream && decoding ? {
    points: outputStream.points.map(({ name }) => ({ name, last })),
    rows: decoding.rows.map(row => row + (decoding.first ?? 0)),
    ids: decoding.steps.map(step => step.id), labels: outputStream.points, vocabulary: vocabularyOf(run),
    tokens: decoding.steps.map(({ token }) => token)
  } : null
  const logits = rooms?.find(({ stage }) => stage === 'attribution')?.parts.logits
  return { run, streams, early, logits, sentence: Math.min(sentence, batchSize(run) - 1) }
}

/**
 * A point of a stream, and the part of the model before it.
 * @param {{ name?: string, point?: string, layer?: number, block?: string }} sub
 */
const pointOf = ({ name = '', point = name, layer, block }) => ({ name: point, layer, block })

/** The vocabulary of the answer. @param {Run} run */
const vocabularyOf = run => (Object.values(run.streams).findLast(({ isAnswer }) => isAnswer) ??
  run.streams.answer ?? Object.values(run.streams)[0]).vocabulary

/** @type {Stage<'residual_stream'>['picture']} */
export const picture = (run, view) => {
  const { streams } = view.room.parts, { subs } = streams[streams.length - 1]
  return createPicture(run, subs[subs.length - 1].point, view)
}

/**
 * The vectors of a stream whose lengths are listed, in order: what each sub-layer adds, the sum, and where a norm
 * follows it, what that makes of the sum.
 * @param {Stream['subs']} subs @returns {{ key: string, name: string, sub?: Stream['subs'][number] }[]}
 */
const measuredVectors = subs => [{ key: 'start', name: subs[0].input }, ...subs.flatMap((sub, i) => [
  { key: `+${i}`, name: sub.change, sub }, { key: `=${i}`, name: sub.sum },
  ...(sub.point === sub.sum ? [] : [{ key: `norm${i}`, name: sub.point }])])]

/** Resolves after a paint, since two tables that grow in the same frame would be laid out in one task. */
const afterPaint = () => waitForPaint().then(nextTask)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, runQuery, theme, reportError, get, otherText } = context
  const first = h('section', {}, h('h2', {}, t('stages.residual_stream.early')))
  const status = h('p', { className: 'note grid-note', role: 'status' })
  const second = h('section', {}, h('h2', {}, t('stages.residual_stream.lengths')), h('p', { className: 'note' }, t('stages.residual_stream.lengthsWhat')))
  container.append(first, second)
  const lenses = createSegments(t('stages.residual_stream.lens'), (/** @type {Lens} */ value) => chooseLens(value))
  const lensNote = h('p', { className: 'note' })
  const stop = h('button', { type: 'button', className: 'quiet', hidden: true, onclick: () => chooseLens('logit') }, t('stages.residual_stream.stop'))
  first.append(h('div', { className: 'tools' }, lenses.element), lensNote)
  const progress = mountProgress(first, t)
  first.append(stop)
  const table = mountGrid(first, t('stages.residual_stream.early'), t, (key, col) => describe(Number(key), col))
  const legends = h('div', { className: 'figure-legends' })
  first.append(status, legends)
  const key = mountLegend(legends)
  /** @type {ReturnType<typeof mountGrid>[]} */ const lengths = []
  /** @type {ReturnType<typeof data> | null} */ let latest = null
  /** @type {LensPrediction[][] | null} */ let early = null
  /** @type {Float32Array[][]} */ let sizes = []
  /** A fitted lens belongs to one run. @type {Lens} */ let lens = 'logit'
  /** @type {FittedLens | null} */ let fitted = null
  let job = {}

  /** @param {{ layer?: number, block?: string }} point */
  const nameOf = ({ layer, block }) => (block === undefined ? t('stages.residual_stream.start')
    : [layer === undefined ? '' : t('map.layer', { number: layer }), t(`map.blocks.${block}`)].filter(Boolean).join(' · '))
  /** The most probable tokens at a position, in one line. @param {number} row @param {number} col */
  function describe(row, col) {
    const one = early?.[row]?.[col]
    if (!one || !latest?.early) return
    const { vocabulary, labels, tokens } = latest.early
    setText(status, t('stages.residual_stream.description', { place: nameOf(labels[row]), token: tokens[col],
      list: one.tokens.map((word, i) => `${vocabulary[word]} ${formatFixed(one.probabilities[i], 3)}`).join(' · ') }))
  }
  function drawLens() {
    lenses.update(LENSES.map(value => ({ value, text: t(`stages.residual_stream.lenses.${value}`) })), lens)
    lenses.element.hidden = !latest?.logits
    const { losses, count = 0, divergence = 0 } = fitted ?? {}
    const mean = (/** @type {'before' | 'after'} */ when) => (
      formatFixed((losses ?? []).reduce((sum, loss) => sum + loss[when] / (losses?.length ?? 1), 0), 3))
    setText(lensNote, [t(`stages.residual_stream.details.${lens}`), fitted && t(`stages.residual_stream.${count ? 'fitted' : 'fittedToItself'}`, { count }),
      losses && t('stages.residual_stream.losses', { before: mean('before'), after: mean('after') }),
      fitted && t('stages.residual_stream.divergence', { value: formatFixed(divergence, 3) })].filter(Boolean).join(' '))
  }
  /** Begins with a lens; one that is being fitted stops. @param {Lens} value */
  function chooseLens(value) {
    lens = value
    job = {}
    fitted = early = null
    drawLens()
    if (latest) readLens(latest).catch(reportError)
  }
  /** Reads the stream with the chosen lens, which may have to be fitted. @param {ReturnType<typeof data>} next */
  async function readLens({ early: question, logits = '' }) {
    const ownJob = job = {}
    if (!question) return
    const { points, rows, ids } = question
    progress.update(0, 0)
    stop.hidden = lens === 'logit'
    runQuery('stopWork', {}).catch(reportError)
    if (lens === 'logit') {
      const found = await runQuery('logitLens', { points, rows, ids })
      if (job === ownJob) early = found
    } else {
      await drawEarly()
      const { own, texts } = otherText(), others = texts.filter(one => one !== own)
      const query = { kind: lens, logits, rows, ids, state: get(), texts: others }
      const report = (/** @type {{ done: number }} */ { done }) => job === ownJob && progress.update(100 * done, 100)
      // A fit that was stopped ends with an error, which nobody needs to read.
      const found = await runQuery('fitLens', query, report).catch(error => {
        if (job === ownJob) throw error
        return null
      })
      if (job !== ownJob) return
      stop.hidden = true
      fitted = found
      // No sub-layer comes before the entry.
      early = found && [[], ...found.predictions]
      drawLens()
      if (!found) setText(lensNote, t('stages.residual_stream.cannot'))
    }
    if (job === ownJob) await drawEarly()
  }
  function drawEarly() {
    first.hidden = !latest?.early
    if (!latest?.early) return Promise.resolve()
    const { labels, vocabulary, tokens } = latest.early
    key.update(probabilityDomain(), theme().mode, t('stages.residual_stream.share'))
    const colors = createScale(probabilityDomain(), theme().mode)
    const marked = early
    return table.update(t('stages.residual_stream.corner'), tokens, labels.map((point, row) => ({
      key: String(row), head: nameOf(point), cells: tokens.map((token, col) => {
        const one = marked?.[row]?.[col]
        if (!one) return { text: '' }
        const [word] = one.tokens
        const isSame = vocabulary[word] === token
        const [probability] = one.probabilities
        const color = colors.at(probability)
        return { text: vocabulary[word], note: `${formatFixed(probability * 100, 0)}%`, color, isMarked: isSame }
      })
    })))
  }
  function drawLengths() {
    if (!latest) return
    const { streams, sentence } = latest
    while (lengths.length < streams.length) {
      const heading = h('h3')
      second.append(heading)
      const { tower } = streams[lengths.length]
      const label = [t('stages.residual_stream.lengths'), tower === 'model' ? '' : t(`map.${tower}`)].filter(Boolean).join(' · ')
      lengths.push(Object.assign(mountGrid(second, label, t), { heading }))
    }
    const max = Math.max(1e-6, ...sizes.flat().map(data => peak({ data })))
    const colors = createScale(signedDomain(max), theme().mode)
    streams.forEach(({ tower, subs, tokens, points }, n) => {
      const all = sizes[n] ?? []
      /** @param {Float32Array | undefined} list */
      const cells = list => (/** @type {number} */ i) => {
        const value = list?.[sentence * tokens.length + i]
        return value === undefined ? { text: '' } : { text: formatFixed(value), color: colors.at(value) }
      }
      const { heading } = /** @type {any} */ (lengths[n])
      heading.hidden = tower === 'model'
      setText(heading, tower === 'model' ? '' : t(`map.${tower}`))
      /** @type {Record<string, string>} */
      const heads = { 'start': nameOf(points[0]), '=': t('stages.residual_stream.then'), 'norm': t('stages.residual_stream.norm') }
      lengths[n].update(t('stages.residual_stream.corner'), tokens, measuredVectors(subs).map(({ key: name, sub }, i) => ({
        key: name, ...(sub ? { head: `+ ${nameOf(sub)}`, level: 1 } : { head: heads[name.replace(/\d/g, '')], isTitle: true }),
        cells: cells(all[i])
      })))
    })
  }
  /** @param {ReturnType<typeof data>} next */
  async function compute(next) {
    const { run, streams } = next
    const names = streams.map(({ subs }) => measuredVectors(subs).map(({ name }) => name))
    const [all] = await Promise.all([Promise.all(names.map(list => runQuery('norms', { names: list }))), readLens(next)])
    if (latest?.run !== run) return
    sizes = all
    await afterPaint()
    if (latest?.run !== run) return
    drawLengths()
    container.setAttribute('aria-busy', 'false')
  }
  const drawLengthsLater = debounce(() => afterPaint().then(drawLengths))
  return {
    update(next) {
      const isNew = next.run !== latest?.run
      latest = next
      if (isNew) {
        lens = 'logit'
        fitted = early = null
        setText(status, '')
        container.setAttribute('aria-busy', 'true')
      }
      drawLens()
      drawEarly()
      drawLengthsLater()
      if (isNew) compute(next).catch(reportError)
    },
    mark() {},
    destroy() {
      latest = null
      job = {}
      runQuery('stopWork', {}).catch(reportError)
    }
  }
}
