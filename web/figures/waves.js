/** What a model that adds on a clock has learned: its number vectors as waves around the clock, step by step. */

import { h, setAttributes, setText, svg } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { createSegments } from '../lib/segments.js'
import { fetchStages } from './clock_sums.js'
import { placeOnWave, similarityByDistance, waveShares } from '../../src/training/clock_waves.js'
import { createBars, createSlider } from './parts.js'

/** @import { Translate } from '../types.d.ts' */
/** @import { Stage } from './clock_sums.js' */

const SIZE = 360, MARGIN = 26
const WIDTH = 360, HEIGHT = 130, BASE = 18

/**
 * Columns above and below a line, numbered from 1, with a dashed line at one value.
 * @param {number} count @param {string} label @param {{ low?: number, high: number, line?: number }} scale
 */
function createColumns(count, label, { low = 0, high, line }) {
  /** @param {number} value */
  const toY = value => (high - value) / (high - low) * (HEIGHT - BASE)
  const step = WIDTH / count, columns = Array.from({ length: count }, () => svg('rect', { class: 'wave-column', width: step - 4 }))
  const numbers = columns.map((_, i) => (
    svg('text', { class: 'wave-number', x: (i + 0.5) * step, y: HEIGHT - 4 }, String(i + 1))))
  const at = (/** @type {number} */ value, /** @type {string} */ className) => (
    svg('line', { class: className, x1: 0, x2: WIDTH, y1: toY(value), y2: toY(value) }))
  const viewBox = `0 0 ${WIDTH} ${HEIGHT}`
  const element = svg('svg', { 'class': 'wave-columns', viewBox, 'role': 'img', 'aria-label': label },
    columns, at(0, 'wave-base'), line === undefined ? '' : at(line, 'wave-line'), numbers)
  return {
    element,
    /** @param {number[]} values @param {number} [marked] */
    show(values, marked) {
      values.forEach((value, i) => {
        const [top, bottom] = [toY(Math.max(0, value)), toY(Math.min(0, value))]
        setAttributes(columns[i], { x: i * step + 2, y: top, height: bottom - top })
        columns[i].classList.toggle('is-marked', i + 1 === marked)
      })
    }
  }
}

/** @param {number} fraction */
const percent = fraction => formatFixed(100 * fraction, 1)

/** The numbers in a plane, joined in their order. @param {number} count @param {string} label */
function createCircle(count, label) {
  const path = svg('path', { class: 'wave-path' })
  const names = Array.from({ length: count }, (_, n) => svg('text', { class: 'wave-name' }, String(n)))
  const element = svg('svg', { 'class': 'plane', 'viewBox': `0 0 ${SIZE} ${SIZE}`, 'role': 'img', 'aria-label': label }, path, names)
  return {
    element: h('div', { className: 'plane-box' }, element),
    /** @param {number[][]} points */
    show(points) {
      const radius = Math.max(...points.map(([x, y]) => Math.hypot(x, y))), unit = (SIZE / 2 - MARGIN) / radius
      const pixels = points.map(([x, y]) => [SIZE / 2 + x * unit, SIZE / 2 - y * unit])
      path.setAttribute('d', `M${pixels.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}Z`)
      pixels.forEach(([x, y], n) => setAttributes(names[n], { x, y: y + 5 }))
    }
  }
}

/**
 * What is displayed: how many sums are solved, how alike numbers are, the waves, or the waves with a circle.
 * @typedef {'accuracy' | 'similarity' | 'shares' | 'circle'} Shows
 * @typedef {{ main: Element[], side: Element[], show: (stage: Stage, frequency: number) => void }} Parts
 */

/** @param {Translate} t @returns {Parts} */
function createAccuracy(t) {
  const bars = createBars({ names: [t('waves.seen'), t('waves.unseen')], label: t('waves.accuracy') })
  return { main: [bars.element], side: [], show: ({ seen, unseen }) => bars.show([seen, unseen]) }
}

/** @param {Translate} t @param {number} count @returns {Parts} */
function createSimilarity(t, count) {
  const columns = createColumns(count, t('waves.similarity'), { low: -0.4, high: 0.4 })
  const note = h('p', { className: 'figure-note', role: 'status' })
  return {
    main: [h('p', { className: 'figure-note' }, t('waves.similarity')), columns.element, note], side: [],
    show({ table }) {
      const values = similarityByDistance(table)
      columns.show(values, 1)
      setText(note, t('waves.neighbors', { value: formatFixed(values[0]) }))
    }
  }
}

/**
 * @param {Translate} t @param {number} count @param {ReturnType<typeof createCircle> | null} circle
 * @param {(frequency: number) => void} oninput @returns {Parts}
 */
function createShares(t, count, circle, oninput) {
  const slider = createSlider({ name: t('waves.frequency'), min: 1, max: count, step: 1, decimals: 0, oninput })
  const columns = createColumns(count, t('waves.shares'), { high: 0.16, line: 1 / count })
  const note = h('p', { className: 'figure-note', role: 'status' })
  const list = [h('p', { className: 'figure-note' }, t('waves.shares')), columns.element, slider.element, note]
  return {
    main: circle ? [circle.element] : list, side: circle ? list : [],
    show({ table }, frequency) {
      const shares = waveShares(table), share = percent(shares[frequency - 1])
      columns.show(shares, frequency)
      slider.show(frequency)
      circle?.show(placeOnWave(table, frequency))
      setText(note, t('waves.share', { frequency, share, even: percent(1 / count) }))
    }
  }
}

/** @param {Shows} shows @param {Stage} stage @param {Translate} t @param {(frequency: number) => void} oninput */
function createParts(shows, { table }, t, oninput) {
  const count = (table.length - 1) / 2
  if (shows === 'accuracy') return createAccuracy(t)
  if (shows === 'similarity') return createSimilarity(t, count)
  return createShares(t, count, shows === 'circle' ? createCircle(table.length, t('waves.circle')) : null, oninput)
}

/**
 * @param {import('./index.js').FigureContext} context
 * @param {{ shows: Shows, stage?: number, stageCount?: number, frequency?: number }} options stage: the one that is
 *   displayed first; stageCount: how many the reader can choose from
 * @returns {Promise<import('./index.js').Figure>}
 */
export async function createWaves({ t, onchange }, options) {
  const { shows, stage: firstStage = 2, frequency: first = 1 } = options
  const stages = await fetchStages()
  let stage = firstStage, frequency = first, { stageCount = 3 } = options
  const chooser = createSegments(t('waves.stage'), (/** @type {number} */ value) => change({ stage: value }))
  const parts = createParts(shows, stages[0], t, value => change({ frequency: value }))
  function draw() {
    const options = stages.slice(0, stageCount).map(({ step }, value) => ({ value, text: t('waves.step', { step }) }))
    chooser.update(options, stage)
    parts.show(stages[stage], frequency)
  }
  /** @param {{ stage?: number, frequency?: number }} next */
  function change(next) {
    stage = next.stage ?? stage
    // An answer may show what could not be chosen before.
    stageCount = Math.max(stageCount, stage + 1)
    frequency = next.frequency ?? frequency
    draw()
    onchange()
  }
  draw()
  return {
    element: parts.side.length
      ? h('div', { className: 'figure-pair' }, parts.main, h('div', { className: 'figure-side' }, chooser.element, parts.side))
      : h('div', { className: 'figure-stack' }, chooser.element, parts.main),
    values: () => ({ stage, frequency }),
    set: change
  }
}
