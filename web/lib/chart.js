/** Curves and bars by Chart.js, in given colors, without animation or tooltips: the inspector explains the values. */

import { h, exists } from './dom.js'
import { debounce, nextTask } from './scheduling.js'
import { fontFamily } from './font.js'
import { formatExact, formatFixed } from './number.js'
import { setSliceData } from './origin.js'
import { countDecimals } from './ticks.js'

/** @import { Chart, ChartConfiguration, ChartData, ChartOptions, Plugin } from 'chart.js' */
/** @import { Palette, Slice } from '../types.d.ts' */

const FONT_SIZE = 12
/**
 * The factor by which a slide, or an element in a page with another font size, enlarges a chart: Chart.js lays out in
 * device pixels, so its font does not grow by itself.
 * @param {Element} canvas
 */
const readEnlargement = canvas => Number(getComputedStyle(canvas).getPropertyValue('--enlarged')) || 1
/** @param {{ chart: { canvas: Element } }} context */
const createFont = ({ chart: { canvas } }) => ({ family: fontFamily(), size: FONT_SIZE * readEnlargement(canvas) })

/**
 * The part of a chart, or of its configuration, that a view fills.
 * @typedef {{ data: ChartData, options: ChartOptions }} FillableChart
 *
 * @typedef {object} CurvesView
 * @property {number[][]} series one curve per dimension
 * @property {number} chosen the highlighted curve
 * @property {number | null} at the selected position
 * @property {number} until the length of the sentence; positions before it are shaded
 * @property {string} label for screen readers
 * @property {string} title of the axis of positions
 * @property {Palette} palette
 *
 * @typedef {object} LinesView
 * @property {{ points: { x: number, y: number }[], color: keyof Palette, width?: number, dash?: number[],
 *   dots?: boolean }[]} lines dots: each point is marked
 * @property {number} maxStep the last step
 * @property {number} [low]
 * @property {number} [high]
 * @property {string} title
 * @property {number} [digits]
 * @property {string} label
 * @property {Palette} palette
 * @property {number | null} [at] the selected step
 * @property {number | null} [mark] a step at which something happened
 *
 * A row of probabilities, and the width for it.
 * @typedef {{ part: Slice, row: number, chosen: number, width: number, label: string, palette: Palette }} BarsView
 */

/** The minimum device pixel ratio, since a chart may be exported as a picture. */
const MIN_PIXEL_RATIO = 2

/** More bars than this leave no room for every label. */
const MANY_BARS = 12
/** The width of the number below a bar, in pixels. */
const MIN_BAR_WIDTH = 30

/** Ticks without a callback are formatted by Intl, which takes 20 ms to load. */
const formatTick = (/** @type {number} */ value) => String(value)

/**
 * Shades the positions of the sentence.
 * @type {Plugin<'line', { until: number, color: string }>}
 */
const sentenceShading = {
  id: 'shading',
  beforeDatasetsDraw({ ctx, chartArea, scales }, _, { until, color }) {
    if (!until) return
    ctx.fillStyle = color
    const end = scales.x.getPixelForValue(until - 0.5)
    ctx.fillRect(chartArea.left, chartArea.top, Math.min(end, chartArea.right) - chartArea.left, chartArea.height)
  }
}

/** @param {Palette} palette @param {string} title @param {object} extra @param {object} [ticks] */
const createAxis = (palette, title, extra, ticks) => ({
  border: { color: palette.line }, grid: { display: false, color: palette.line },
  ticks: { color: palette.muted, font: createFont, maxRotation: 0, autoSkipPadding: 16, ...ticks },
  title: { display: Boolean(title), text: title, color: palette.muted, font: createFont }, ...extra
})

/**
 * Mounts a chart that loads while the rest of the figure is displayed already.
 * @template {{ label: string }} View
 * @param {Element} container
 * @param {'line' | 'bar'} type
 * @param {Plugin[]} plugins
 * @param {(chart: FillableChart, view: View) => void} fill fills a chart or its configuration from a view
 */
function mountChart(container, type, plugins, fill) {
  const canvas = h('canvas')
  container.append(h('div', { className: 'chart' }, canvas))
  /** @type {typeof import('chart.js').Chart | undefined} */ let Chart
  /** @type {Chart | undefined} */ let chart
  /** @type {View | undefined} */ let view
  let isDestroyed = false
  /** @param {typeof import('chart.js').Chart} Chart @param {View} view */
  const create = (Chart, view) => {
    /** @type {ChartConfiguration & FillableChart} */
    const config = {
      type, plugins, data: { labels: [], datasets: [] },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, events: [],
        plugins: { shading: {}, stepMarks: {} },
        devicePixelRatio: Math.max(MIN_PIXEL_RATIO, globalThis.devicePixelRatio || 1)
      }
    }
    fill(config, view)
    return new Chart(canvas, config)
  }
  const draw = debounce(() => {
    if (isDestroyed || !Chart || !view) return
    if (chart) {
      fill(chart, view)
      chart.update('none')
    } else chart = create(Chart, view)
    canvas.setAttribute('aria-busy', 'false')
  })
  async function loadChart() {
    await nextTask()
    Chart = (await import('./chartjs.js')).Chart
    draw()
  }
  loadChart()
  return {
    canvas,
    /** The chart, once it is loaded. */
    get: () => chart,
    /** @param {View} next */
    update(next) {
      view = next
      canvas.setAttribute('role', 'img')
      canvas.setAttribute('aria-label', next.label)
      canvas.setAttribute('aria-busy', 'true')
      draw()
    },
    destroy() {
      isDestroyed = true
      chart?.destroy()
    }
  }
}

/** @param {Slice} part @param {number} row */
const rowOf = ({ values, cols }, row) => Array.from(values.slice(row * cols, (row + 1) * cols))

/** @param {FillableChart} chart @param {CurvesView} view */
function fillCurves(chart, { series, chosen, at, until, title, palette }) {
  /** @param {number} i @returns {(point: { dataIndex: number }) => number} */
  const pointRadius = i => ({ dataIndex }) => {
    if (i !== chosen || (dataIndex >= until && dataIndex !== at)) return 0
    return dataIndex === at ? 6 : 3.5
  }
  const drawOrder = series.map((_, i) => i).sort((a, b) => Number(a === chosen) - Number(b === chosen) || a - b)
  chart.data.labels = series[0].map((_, i) => i)
  chart.data.datasets = drawOrder.map(i => ({
    data: series[i], order: i === chosen ? 0 : 1, borderWidth: i === chosen ? 2 : 1,
    borderColor: i === chosen ? palette.accent : palette.faint, pointBackgroundColor: palette.accent,
    pointBorderWidth: 0, pointRadius: pointRadius(i)
  }))
  chart.options.scales = {
    x: createAxis(palette, title, { type: 'linear', min: 0, max: series[0].length - 1 },
      { includeBounds: false, callback: formatTick }),
    y: createAxis(palette, '', {}, { maxTicksLimit: 5, callback: (/** @type {number} */ value) => formatFixed(value, 1) })
  }
  chart.options.plugins = { shading: { until, color: palette.wash } }
}

/** @param {FillableChart} chart @param {BarsView} view */
function fillBars(chart, { part, row, chosen, width, palette }) {
  const values = rowOf(part, row)
  // An exact 0, as of a masked cell, is written so.
  chart.data.labels = part.colLabels.map((text, i) => [text, (values[i] ? formatFixed : formatExact)(values[i])])
  chart.data.datasets = [{
    data: values, backgroundColor: values.map((_, i) => (i === chosen ? palette.accent : palette.soft)),
    barPercentage: 0.9, categoryPercentage: 0.9, maxBarThickness: 48
  }]
  chart.options.scales = {
    x: createAxis(palette, '', {}, { autoSkip: part.cols > MANY_BARS || part.cols * MIN_BAR_WIDTH > width }),
    y: createAxis(palette, '', { min: 0, max: 1 }, { stepSize: 0.5 })
  }
}

/**
 * Mounts curves over positions.
 * @param {Element} container
 * @param {{ onHover(position: number): void, onPress(position: number): void }} handlers
 */
export function mountCurves(container, { onHover, onPress }) {
  const { canvas, get, update, destroy } = mountChart(container, 'line', [sentenceShading], fillCurves)
  /** @param {MouseEvent} event @param {(position: number) => void} handler */
  const callWithPosition = (event, handler) => {
    const chart = get()
    const x = chart?.scales.x?.getValueForPixel(event.offsetX)
    if (chart && x !== undefined) handler(Math.max(0, Math.min((chart.data.labels?.length ?? 1) - 1, Math.round(x))))
  }
  canvas.addEventListener('pointermove', event => event.pointerType !== 'touch' && callWithPosition(event, onHover))
  canvas.addEventListener('click', event => callWithPosition(event, onPress))

  return {
    update, destroy
  }
}

/**
 * Writes a tick with at least so many decimals.
 * @param {number} digits @returns {(value: number, index: number, ticks: { value: number }[]) => string}
 */
const formatTicks = digits => (value, _, ticks) => (
  formatFixed(value, countDecimals(ticks.map(tick => tick.value), digits)))

/** @param {FillableChart} chart @param {LinesView} view */
function fillLines(chart, { lines: allLines, maxStep: max, low, high, title, digits = 2, palette, at, mark }) {
  chart.data.datasets = allLines.map(({ points, color, width = 2, dash = [], dots }) => ({
    data: points, borderColor: palette[color], borderWidth: width, borderDash: dash, pointRadius: dots ? 2.5 : 0,
    pointBackgroundColor: palette[color], pointBorderWidth: 0
  }))
  chart.options.scales = {
    x: createAxis(palette, title, { type: 'linear', min: 0, max }, { includeBounds: true, callback: formatTick }),
    y: createAxis(palette, '', { min: low, suggestedMax: high },
      { maxTicksLimit: 5, callback: formatTicks(digits) })
  }
  chart.options.plugins = { stepMarks: { at, mark, color: palette.ink, markColor: palette.accent } }
}

/**
 * Draws a dotted line at the selected step, and a line with a wedge above it at the marked one.
 * @type {Plugin<'line', { at?: number | null, mark?: number | null, color: string, markColor: string }>}
 */
const stepMarks = {
  id: 'stepMarks',
  afterDatasetsDraw({ ctx, chartArea: { top, bottom }, scales }, _, { at, mark, color, markColor }) {
    ctx.save()
    if (exists(at)) {
      const x = Math.round(scales.x.getPixelForValue(at)) + 0.5
      ctx.strokeStyle = color
      ctx.setLineDash([2, 3])
      ctx.stroke(new Path2D(`M${x} ${top}V${bottom}`))
    }
    if (exists(mark)) {
      const x = scales.x.getPixelForValue(mark)
      ctx.fillStyle = markColor
      ctx.fill(new Path2D(`M${x - 5} ${top - 8}h10l-5 8z`))
      ctx.strokeStyle = markColor
      ctx.setLineDash([])
      ctx.stroke(new Path2D(`M${x} ${top}V${bottom}`))
    }
    ctx.restore()
  }
}

/**
 * Mounts lines over steps.
 * @param {Element} container
 * @param {(step: number) => void} [onPress]
 */
export function mountLines(container, onPress) {
  const { canvas, get, update, destroy } = mountChart(container, 'line', [stepMarks], fillLines)
  canvas.addEventListener('click', event => {
    const step = get()?.scales.x?.getValueForPixel(event.offsetX)
    if (step !== undefined) onPress?.(Math.round(step))
  })
  return {
    update, destroy
  }
}

/**
 * Mounts bars between 0 and 1, one per label.
 * @param {Element} container
 */
export function mountBars(container) {
  const { canvas, update, destroy } = mountChart(container, 'bar', [], fillBars)
  return {
    /** @param {BarsView} view */
    update(view) {
      setSliceData(canvas, view.part, view.row)
      update(view)
    },
    destroy
  }
}
