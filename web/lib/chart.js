/** Curves and bars by Chart.js, in given colours, without animation or tooltips: the inspector tells the values. */

import { h } from './dom.js'
import { later, nextTask } from './later.js'
import { fixed } from './number.js'
import { ofSlice } from './origin.js'

const FONT = { family: 'system-ui, "Apple SD Gothic Neo", "Noto Sans KR", "Noto Sans CJK KR", sans-serif', size: 12 }

/** Pixels for one of the page, at least: a chart may be saved as a picture. */
const SHARPNESS = 2

/** More bars than this leave no room for every name. */
const MANY_BARS = 12
/** What the share below a bar takes, in pixels. */
const SHARE = 30

/** Without a callback of their own, ticks are written by Intl, which takes 20 ms to get ready. */
const whole = value => String(value)

/** Shades the stretch of positions that the sentence takes. */
const stretch = {
  id: 'stretch',
  beforeDatasetsDraw({ ctx, chartArea, scales }, _, { until, colour }) {
    if (!until) return
    ctx.fillStyle = colour
    const end = scales.x.getPixelForValue(until - 0.5)
    ctx.fillRect(chartArea.left, chartArea.top, Math.min(end, chartArea.right) - chartArea.left, chartArea.height)
  }
}

const axis = (palette, title, extra, ticks = {}) => ({
  border: { color: palette.line }, grid: { display: false, color: palette.line },
  ticks: { color: palette.muted, font: FONT, maxRotation: 0, autoSkipPadding: 16, ...ticks },
  title: { display: Boolean(title), text: title, color: palette.muted, font: FONT }, ...extra
})

/**
 * Mounts a chart that sets itself up step by step while the rest of the figure is there already.
 * @param {Element} container
 * @param {'line' | 'bar'} type
 * @param {object[]} plugins
 * @param {(chart: object, view: object) => void} fill puts a view into a chart or what one is made from
 */
function mount(container, type, plugins, fill) {
  const canvas = h('canvas', { role: 'img' })
  container.append(h('div', { className: 'chart' }, canvas))
  let [Chart, chart, view, isGone] = [null, null, null, false]
  const create = () => {
    const config = {
      type, plugins, data: { labels: [], datasets: [] },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, events: [], plugins: { stretch: {}, place: {} },
        devicePixelRatio: Math.max(SHARPNESS, globalThis.devicePixelRatio || 1)
      }
    }
    fill(config, view)
    return new Chart(canvas, config)
  }
  const draw = later(() => {
    if (isGone || !Chart || !view) return
    if (chart) {
      fill(chart, view)
      chart.update('none')
    } else chart = create()
    canvas.setAttribute('aria-busy', 'false')
  })
  async function setUp() {
    await nextTask()
    Chart = (await import('./chartjs.js')).Chart
    draw()
  }
  setUp()
  return {
    canvas,
    /** The chart, once it is set up. */
    get: () => chart,
    update(next) {
      view = next
      canvas.setAttribute('aria-label', next.label)
      canvas.setAttribute('aria-busy', 'true')
      draw()
    },
    destroy() {
      isGone = true
      chart?.destroy()
    }
  }
}

const rowOf = ({ values, cols }, row) => Array.from(values.slice(row * cols, (row + 1) * cols))

function fillCurves(chart, { series, chosen, at, until, title, palette }) {
  const radius = i => ({ dataIndex }) => {
    if (i !== chosen || (dataIndex >= until && dataIndex !== at)) return 0
    return dataIndex === at ? 6 : 3.5
  }
  const order = series.map((_, i) => i).sort((a, b) => (a === chosen) - (b === chosen) || a - b)
  chart.data.labels = series[0].map((_, i) => i)
  chart.data.datasets = order.map(i => ({
    data: series[i], order: i === chosen ? 0 : 1, borderWidth: i === chosen ? 2 : 1,
    borderColor: i === chosen ? palette.accent : palette.faint, pointBackgroundColor: palette.accent,
    pointBorderWidth: 0, pointRadius: radius(i)
  }))
  chart.options.scales = {
    x: axis(palette, title, { type: 'linear', min: 0, max: series[0].length - 1 },
      { includeBounds: false, callback: whole }),
    y: axis(palette, '', {}, { maxTicksLimit: 5, callback: value => fixed(value, 1) })
  }
  chart.options.plugins.stretch = { until, colour: palette.wash }
}

function fillBars(chart, { part, row, chosen, width, palette }) {
  const values = rowOf(part, row)
  chart.data.labels = part.colLabels.map((text, i) => [text, fixed(values[i])])
  chart.data.datasets = [{
    data: values, backgroundColor: values.map((_, i) => (i === chosen ? palette.accent : palette.soft)),
    barPercentage: 0.9, categoryPercentage: 0.9, maxBarThickness: 48
  }]
  chart.options.scales = {
    x: axis(palette, '', {}, { autoSkip: part.cols > MANY_BARS || part.cols * SHARE > width }),
    y: axis(palette, '', { min: 0, max: 1 }, { stepSize: 0.5 })
  }
}

/**
 * Mounts curves over positions.
 * @param {Element} container
 * @param {{ onLook(position: number): void, onPress(position: number): void }} handlers
 */
export function curves(container, { onLook, onPress }) {
  const { canvas, get, update, destroy } = mount(container, 'line', [stretch], fillCurves)
  const at = (event, act) => {
    const chart = get()
    const x = chart?.scales.x?.getValueForPixel(event.offsetX)
    if (x !== undefined) act(Math.max(0, Math.min(chart.data.labels.length - 1, Math.round(x))))
  }
  canvas.addEventListener('pointermove', event => event.pointerType !== 'touch' && at(event, onLook))
  canvas.addEventListener('click', event => at(event, onPress))

  return {
    /**
     * @param {object} view
     * @param {number[][]} view.series one curve per dimension
     * @param {number} view.chosen the curve brought forward
     * @param {number | null} view.at the position looked at
     * @param {number} view.until positions before this belong to the sentence
     * @param {string} view.label for screen readers
     * @param {string} view.title of the axis of positions
     * @param {object} view.palette
     */
    update, destroy
  }
}

function fillLines(chart, { lines: all, most, low, high, title, digits = 2, palette, at }) {
  chart.data.datasets = all.map(({ points, colour, width = 2, dash = [] }) => ({
    data: points, borderColor: palette[colour], borderWidth: width, borderDash: dash, pointRadius: 0
  }))
  chart.options.scales = {
    x: axis(palette, title, { type: 'linear', min: 0, max: most }, { includeBounds: true, callback: whole }),
    y: axis(palette, '', { min: low, suggestedMax: high },
      { maxTicksLimit: 5, callback: value => fixed(value, digits) })
  }
  chart.options.plugins.place = { at, colour: palette.ink }
}

/** A line at one place of the axis below. */
const place = {
  id: 'place',
  afterDatasetsDraw({ ctx, chartArea: { top, bottom }, scales }, _, { at, colour }) {
    if (at === undefined || at === null) return
    const x = Math.round(scales.x.getPixelForValue(at)) + 0.5
    ctx.save()
    ctx.strokeStyle = colour
    ctx.setLineDash([2, 3])
    ctx.beginPath()
    ctx.moveTo(x, top)
    ctx.lineTo(x, bottom)
    ctx.stroke()
    ctx.restore()
  }
}

/**
 * Mounts lines over steps.
 * @param {Element} container
 * @param {(step: number) => void} [onPress]
 */
export function lines(container, onPress) {
  const { canvas, get, update, destroy } = mount(container, 'line', [place], fillLines)
  canvas.addEventListener('click', event => {
    const step = get()?.scales.x?.getValueForPixel(event.offsetX)
    if (step !== undefined) onPress?.(Math.round(step))
  })
  return {
    /**
     * @param {{ lines: { points: { x: number, y: number }[], colour: string, width?: number, dash?: number[] }[],
     *   most: number, low?: number, high?: number, title: string, digits?: number, label: string, palette: object,
     *   at?: number | null }} view most: the last step; at: the step that is looked at
     */
    update, destroy
  }
}

/**
 * Mounts bars between 0 and 1, one per label.
 * @param {Element} container
 */
export function bars(container) {
  const { canvas, update, destroy } = mount(container, 'bar', [], fillBars)
  return {
    /**
     * @param {{ part: import('./slice.js').Slice, row: number, chosen: number, width: number, label: string,
     *   palette: object }} view a row of shares, and the room for it
     */
    update(view) {
      ofSlice(canvas, view.part, view.row)
      update(view)
    },
    destroy
  }
}
