/** Activation patching: which place of a run carries what differs between two dates, and what that does not tell. */

import { DATE_PAIR } from '../../../src/training/models/dates/data.js'
import { writeEdits } from '../../lib/edit_links.js'
import { dateText } from '../month.js'
import { answerText } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const [, OTHER] = DATE_PAIR
const ROOM = 'room=patching'
/** The vector of the first token, the name of the month, as the encoder returns it. */
const EXIT = 'transformer.encoder.layers.1.output', MEMORY = 'transformer.encoder.output'
/** Where the decoder's last layer reads the encoder: four heads of eight channels. */
const CROSS = 'transformer.decoder.layers.1.multihead_attn.heads', HEADS = ['0', '1', '2', '3']
/** The head that carries the largest part of the month alone; tests/page/patching_lesson.test.js computes it. */
export const MONTH_HEAD = '3'
/** Answers with the parts of the two dates: day and month of this one, the other month, both. */
const ANSWERS = { same: [2026, 5, 6], month: [2026, 6, 6], both: [2026, 6, 5] }

/** @param {Run} run */
const answerKind = run => Object.entries(ANSWERS).find(([, date]) => dateText(run, date) === answerText(run))?.[0]
/** @param {Run} run */
const answerOptions = run => Object.entries(ANSWERS).map(([id, date]) => ({ id, text: dateText(run, date) }))
/** @param {Run} run @param {Now} now */
const values = (run, { before }) => (
  { answer: answerText(run), own: answerText(before ?? run), other: OTHER, there: dateText(run, ANSWERS.both) })

/** @param {import('../../lib/edits.js').Edit[]} edits */
const withEdits = edits => `room=decoding&edits=${encodeURIComponent(writeEdits(edits))}`
/** A head of the cross-attention, taken from the other date at every position of the answer. @param {Run} run */
function takeHead(run) {
  const { shape: [, , width] } = run.tensors.get(CROSS) ?? { shape: [] }, size = width / HEADS.length
  const from = Number(MONTH_HEAD) * size
  return withEdits((run.decoding?.rows ?? []).map(t => (
    { name: CROSS, index: [0, t, [from, from + size]], fromText: OTHER })))
}

const maps = () => ({ selector: '.stage .patch-maps' })

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: new URLSearchParams({ source: DATE_PAIR[0] }).toString(), userFields: [],
  steps: [
    {
      id: 'pair', state: 'room=decoder.1.multihead_attn.qkv&part=k', target: () => ({ tensor: MEMORY, index: [0, 0, null] }),
      question: { options: answerOptions, answer: answerKind },
      answerState: withEdits([{ name: EXIT, index: [0, 0, null], fromText: OTHER }]),
      answerTarget: () => ({ selector: '.stage .picks' }), values
    },
    {
      id: 'map', state: ROOM, target: maps, freeSettings: ['row', 'patched', 'edits'],
      question: { options: () => [{ id: 'month' }, { id: 'both' }, { id: 'spread' }], answer: () => 'month' }, values
    },
    {
      id: 'heads', state: `${ROOM}&patched=heads`, target: maps, freeSettings: ['row', 'patched', 'edits'],
      question: { options: () => HEADS.map(id => ({ id })), answer: () => MONTH_HEAD }, values
    },
    {
      id: 'take', state: `${ROOM}&patched=heads`, freeSettings: ['row', 'patched'],
      question: { options: run => answerOptions(run).filter(({ id }) => id !== 'both'), answer: answerKind },
      answerState: takeHead, answerHides: '.figure',
      answerTarget: () => ({ selector: '.stage .picks' }), values
    },
    { id: 'yours', asksForInput: true, state: ROOM, freeSettings: ['source', 'target', 'row', 'patched', 'edits'], values }
  ]
}
