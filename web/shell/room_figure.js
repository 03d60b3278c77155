/** The figure of a room, with its pickers and controls. */

import { listAnswers } from '../lib/attribution.js'
import { h, setText } from '../lib/dom.js'
import { NotRetained, batchSize, getAxisLabels, getDescription } from '../lib/run.js'
import { stageOf } from '../lib/stage_registry.js'
import { createControl, hasControl, hasSettingEffect, createPicker } from './controls.js'
import { createNotRetainedNote } from './not_retained.js'

/** @import { Context, Marks, ProjectionName, Room, Run, State, Translate, View } from '../types.d.ts' */

/** @type {ProjectionName[]} */
const PARTS = ['q', 'k', 'v']

/**
 * The options of a picker, as far as this run has them.
 * @param {string} name @param {Run} run @param {View} view @param {Translate} t
 * @returns {{ value: unknown, text: string, title?: string }[]}
 */
function listOptions(name, run, { room }, t) {
  /** @param {number} count */
  const numberOptions = count => Array.from({ length: count }, (_, value) => ({ value, text: String(value) }))
  if (name === 'part') return (room.parts.choices ?? PARTS).map((/** @type {string} */ value) => ({ value, text: t(`frame.parts.${value}`) }))
  if (name === 'head') return numberOptions(countHeads(run, room))
  if (name === 'layer') return numberOptions(room.parts.layers.length)
  if (name === 'row' && !room.parts.output) return listAnswers(run, room.parts.logits).map(({ text }, value) => ({ value, text }))
  if (name === 'row') return (run.decoding?.rows ?? []).map((row, value) => ({ value, text: rowToken(run, room, row) }))
  const [stream] = Object.values(run.streams)
  return Array.from({ length: batchSize(run) }, (_, value) => (
    { value, text: String(value), title: stream?.texts[value] ?? '' }))
}

/** How many heads a room can choose from. @param {Run} run @param {Room} room */
function countHeads(run, { parts, tensors }) {
  if (parts.heads) return parts.heads
  const { axes, shape } = getDescription(run, tensors[0]) ?? { axes: [], shape: [] }
  const headAxis = axes.findIndex(({ name }) => name === 'head')
  return headAxis < 0 ? 1 : shape[headAxis]
}

/**
 * The token that precedes a row of an answer's probabilities.
 * @param {Run} run @param {Room} room @param {number} row
 */
function rowToken(run, { parts }, row) {
  const tensor = getDescription(run, parts.output)
  return getAxisLabels(run, tensor, tensor.shape.length - 2)?.[row] ?? String(row)
}

/**
 * Mounts the parts, for whoever puts them into a frame.
 * @param {Room} room
 * @param {Context} context
 */
export function mountRoomFigure(room, context) {
  const { t } = context
  const stage = stageOf(room.stage)
  const isBatch = () => batchSize(context.run() ?? { streams: {} }) > 1
  const controls = (room.controls ?? stage.controls).filter(name => hasControl(name, context.get().model))
    .map(name => ({ name, ...createControl(name, context) }))
  const pickers = stage.pickers.filter(name => name !== 'sentence' || isBatch())
    .map(name => ({ name, ...createPicker(name, context) }))
  const quote = h('p', { className: 'quote' })
  const tools = h('div', { className: 'tools' }, [...pickers, ...controls].map(({ element }) => element),
    stage.pickers.includes('sentence') && isBatch() ? quote : '')
  const figure = h('div', { className: 'stage-figure' })
  const notRetainedNote = createNotRetainedNote(room, context)
  const figureView = stage.mount(figure, context)
  /** The figure, or a note where its tensors were not retained. @param {Run} run @param {View} view */
  function draw(run, view) {
    try {
      figureView.update(context.onOneScale(stage.data(run, view), run, view))
      notRetainedNote.update(null)
    } catch (error) {
      if (!(error instanceof NotRetained)) throw error
      notRetainedNote.update(run)
    }
    figure.hidden = !notRetainedNote.element.hidden
  }
  return {
    tools, figure, note: notRetainedNote.element, controls: controls.map(({ name }) => name),
    /** @param {Run} run @param {View} view */
    update(run, view) {
      for (const picker of pickers) {
        const choices = listOptions(picker.name, run, view, t)
        picker.element.hidden = choices.length < 2
        picker.update(choices, view[picker.name])
      }
      setText(quote, Object.values(run.streams)[0]?.texts[view.sentence] ?? '')
      draw(run, view)
    },
    /** @param {State} state @param {Record<string, string>} problems texts by control */
    updateControls: (state, problems) => controls.forEach(control => {
      control.element.hidden = !hasSettingEffect(control.name, state)
      control.update(state, problems)
    }),
    mark: (/** @type {Marks} */ marks) => figureView.mark(marks),
    destroy: () => figureView.destroy()
  }
}
