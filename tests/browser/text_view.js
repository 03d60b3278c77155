/** What the texts of a room are compared with: its run, streams, labels and messages. */

import { fullRoomName } from '../../web/lib/room_name.js'
import { splitProse } from '../../web/lib/prose.js'
import { translator } from '../../web/lib/text.js'
import { readMatrix, findTensor } from './cells.js'
import { bpeStep } from '../../web/worker/bpe_training.js'
import { gf } from '../lib/engine.js'
import { withPositions } from '../lib/labels.js'
import { english, korean } from '../lib/texts.js'

const MESSAGES = { ko: korean, en: english }

/** The streams of a run in their order; the first is the input. */
export const streams = ({ run }) => Object.values(run.streams)
/** The stream of a room. */
export const roomStream = ({ run, room }) => run.streams[room.parts.stream]
/** The stream along the rows of the probabilities, and the vocabulary along their columns. */
export const decodedStream = view => {
  const { axes } = findTensor(view, view.rooms.find(({ stage }) => stage === 'sampling').parts.output)
  return { read: view.run.streams[axes[1].of], words: view.run.streams[axes[2].of].vocabulary }
}
/** The first merge of the room in which byte pair encoding is trained. */
export const firstMerge = ({ t }) => bpeStep(gf, { text: t('stages.bpe_training.sample'), step: 0 })
/** The selected sentence of a list with one item for each, or the only one. */
export const selectSentence = (list, { state }) => list[state.sentence] ?? list[0]
/** The last token that a step of an answer reads. */
export const tokenBefore = (view, step) => decodedStream(view).read.tokens[0][view.run.decoding.rows[step]]

export const matrixRow = (view, context) => readMatrix(view, { ...context, axes: [-1, context.axes[1]] })[0]

export const parseCell = text => {
  const [, name, index] = /^(.+)\[([\d, ]+)\]$/.exec(text)
  return [name, index.split(', ').map(Number)]
}

export const mean = list => list.reduce((sum, x) => sum + x, 0) / list.length
export const variance = list => mean(list.map(x => (x - mean(list)) ** 2))
export const maxMagnitude = list => list.reduce((max, x) => (Number.isFinite(x) ? Math.max(max, Math.abs(x)) : max), 0)

/** The values of a message's placeholders in a text, or null if the text does not match the message. */
export function matchMessage({ messages }, key, text) {
  const message = key.split('.').reduce((node, part) => node?.[part], messages)
  const names = new Set()
  const pattern = message?.split(/(\{[^}]+\}[’”]?)/).map(part => {
    const [, name, pair, quote] = /^\{(\w+)(?:\|(.+))?\}([’”]?)$/.exec(part) ?? []
    if (!name) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const value = names.has(name) ? `\\k<${name}>` : `(?<${name}>.+?)`
    names.add(name)
    const words = pair ? `(?:${pair.split('/').join('|')})` : ''
    return /^[a-z]/.test(pair ?? '') ? `${value} ${words}${quote}` : `${value}${quote}${words}`
  }).join('')
  return pattern ? new RegExp(`^${pattern}$`).exec(text)?.groups ?? null : null
}

export const isToken = (view, text) => streams(view).some(({ tokens, vocabulary }) => (
  vocabulary.includes(text) || tokens.some(list => [...list, ...withPositions(list)].includes(text))))
export const isBelow = (text, max) => /^\d+$/.test(text) && Number(text) < max

/** The length of the model's vectors. */
export const modelWidth = ({ run }) => [...run.tensors.values()].find(({ axes }) => axes.at(-1)?.name === 'channel').shape.at(-1)

/** Whether a text is a label of a row or a column of a matrix. */
export function isLabelRight(view, { tensor: name, first, axes, side, i }, text) {
  const { run } = view
  const tensor = findTensor(view, name)
  const axis = axes[side]
  const at = first[axis] + i
  const { name: kind, of } = tensor.axes[axis]
  const stream = run.streams[of]
  const isNamed = (label, number) => [label, `${label} ${number}`].includes(text)
  if (kind === 'position') {
    const names = selectSentence(roomStream(view)?.tokens ?? streams(view)[0].tokens, view)
    return at < names.length ? isNamed(names[at], `(${at})`) : text === String(at)
  }
  if (stream && kind === 'word') return isNamed(stream.vocabulary[at], `· ${at}`)
  if (stream && ['token', 'query', 'key'].includes(kind)) {
    const sentence = first[tensor.axes.findIndex(item => item.name === 'batch')]
    return withPositions(stream.tokens[sentence] ?? stream.tokens[0])[at] === text
  }
  return text === String(/in_proj/.test(name) && axis === 0 ? at % modelWidth(view) : at)
}

const peakByData = new WeakMap()

/** The largest finite magnitude in a tensor. */
function cachedPeak({ data }) {
  if (!peakByData.has(data)) peakByData.set(data, maxMagnitude(data))
  return peakByData.get(data)
}

/** The largest magnitudes that a legend of this room may have: those of its tensors and of related ones. */
export function legendPeaks(view) {
  const displayed = view.heats.map(({ tensor }) => tensor)
  const prefixOf = name => name.replace(/[^.]+$/, '')
  const prefixes = new Set(displayed.map(prefixOf))
  const names = [...view.run.tensors.keys()].filter(name => prefixes.has(prefixOf(name)))
  const inputs = names.flatMap(name => Object.values(findTensor(view, name).inputs))
  return [...names, ...inputs, ...view.room.tensors].map(name => findTensor(view, name)).filter(Boolean).map(cachedPeak)
}

export const shapeText = ({ shape }) => shape.join(' × ')

/** Whether a text is the name of a room. */
export const isRoomName = ({ rooms, t }, text) => rooms.some(room => fullRoomName(room, t) === text)

/** Whether a text is a message of the page without placeholders. */
export function isPageText({ pageTexts: texts }, text) {
  return texts.has(text.replaceAll('\u2060', ''))
}

const listTexts = node => (typeof node === 'string' ? [node] : Object.values(node).flatMap(listTexts))

/** The messages of the page, replaced by those of a model where it has its own. */
function mergeMessages(all, modelMessages) {
  const entries = Object.entries(modelMessages).map(
    ([key, message]) => [key, typeof message === 'string' ? message : mergeMessages(all[key] ?? {}, message)])
  return { ...all, ...Object.fromEntries(entries) }
}

/** The run, the state and the messages that texts are compared with. */
export function createTextView(run, state, rooms, code) {
  const messages = mergeMessages(MESSAGES[state.language].page, MESSAGES[state.language].models[state.model] ?? {})
  const pieces = listTexts(messages).flatMap(message => [message, ...splitProse(message).map(({ text }) => text)])
  const texts = new Set(pieces.map(text => text.replaceAll('\u2060', '').trim()))
  return { run, state, rooms, code, messages, pageTexts: texts, t: translator(messages) }
}
