/** Temperature, top-k, top-p, beams: from probabilities to a character. */

import { likely } from '../../lib/number.js'
import { at, chosen, ranked, rowAt, written } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Cells, Now } from '../index.js' */

const [SHAPED, KEPT] = ['sampling.probabilities', 'sampling.output']
/** Rows of probabilities on paper, including the line that names the columns. */
const LINES = { selector: '.stage .words + .words' }
const FIRST = { selector: `${LINES.selector} > li:first-child` }
/** The step that generates the month of 5/6/2026, as long as the year has four digits. */
const STEP = 5
const ROOM = `room=sampling&row=${STEP}`
const ON_PAPER = 10

/** @param {Run} run */
const stepsOf = run => run.decoding?.steps ?? []
/** @param {Run} run */
const month = run => Math.min(STEP, stepsOf(run).length - 1)
/** @param {Run} run */
const monthRow = run => run.decoding?.rows[month(run)] ?? 0
/** @param {Run} run */
const most = run => Math.max(...rowAt(run, SHAPED, [0, monthRow(run)]))
/** @param {Run} run */
const left = run => rowAt(run, KEPT, [0, monthRow(run)]).filter(share => share > 0).length
/** @param {Run} run @param {Now} now */
const shares = (run, { before }) => ({ before: likely(most(before ?? run)), after: likely(most(run)) })
/** @param {Run} run @param {Now} now */
const way = (run, { before }) => {
  const [one, other] = [most(run), most(before ?? run)]
  return one > other ? 'up' : one < other ? 'down' : 'same'
}
const ways = () => [{ id: 'up' }, { id: 'same' }, { id: 'down' }]

/**
 * The most probable characters, as many as a worksheet displays.
 * @param {Run} run @param {string} name @returns {Cells[]}
 */
function likeliest(run, name) {
  const row = monthRow(run), columns = ranked(rowAt(run, SHAPED, [0, row])).slice(0, ON_PAPER)
  return [{ tensor: name, index: [0, row, null], columns }]
}
/** @param {Run} run */
const shaped = run => likeliest(run, SHAPED)
/** @param {Run} run */
const kept = run => likeliest(run, KEPT)

/** The two most probable months. @param {Run} run */
function months(run) {
  const { vocabulary } = run.streams.target
  const row = rowAt(run, SHAPED, [0, monthRow(run)])
  return ranked(row).slice(0, 2).sort((one, other) => one - other)
    .map(word => ({ id: vocabulary[word], text: vocabulary[word] }))
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: { ko: 'source=5/6/2026', en: 'source=5/6/2026' },
  keeps: ['source'],
  next: 'hunt',
  steps: [
    {
      id: 'greedy', state: 'room=source.tokens', point: () => ({ selector: '.stage .chips' }),
      ask: { options: months, answer: run => chosen(run)[month(run)], isOfAnswer: true }, then: ROOM,
      pointThen: () => FIRST, paper: shaped,
      say: run => ({ text: run.streams.source.texts[0], answer: chosen(run)[month(run)],
        share: likely(at(run, KEPT, [0, monthRow(run), stepsOf(run)[month(run)].id])) })
    },
    {
      id: 'hot', state: ROOM, point: () => ({ selector: '.stage [data-control="temperature"]' }),
      ask: { options: ways, answer: way }, then: `${ROOM}&temperature=3`, pointThen: () => FIRST, say: shares,
      paper: shaped, paperThen: shaped
    },
    {
      id: 'cold', state: ROOM, point: () => ({ selector: '.stage [data-control="temperature"]' }),
      ask: { options: ways, answer: way }, then: `${ROOM}&temperature=0.3`, pointThen: () => FIRST, say: shares,
      paper: shaped, paperThen: shaped
    },
    {
      id: 'topk', state: `${ROOM}&temperature=3`, point: () => ({ selector: '.stage [data-control="topK"]' }),
      ask: { answer: left, tolerance: 0.4 }, then: `${ROOM}&temperature=3&topK=3`, pointThen: () => LINES,
      say: run => ({ count: String(left(run)) }), paper: shaped, paperThen: kept
    },
    {
      id: 'topp', state: `${ROOM}&temperature=3`, point: () => LINES,
      ask: { answer: left, tolerance: 0.4 }, then: `${ROOM}&temperature=3&topP=0.5`, pointThen: () => LINES,
      say: run => ({ count: String(left(run)) }), paper: shaped, paperThen: kept
    },
    {
      id: 'beam', state: 'room=decoding', point: () => ({ selector: '.stage .picks' }),
      ask: {
        options: () => [{ id: 'same' }, { id: 'other' }],
        answer: (run, { before }) => (written(run) === written(before ?? run) ? 'same' : 'other')
      },
      then: 'room=decoding&decoding=beam&beams=3', pointThen: () => ({ selector: '.stage .tree-slot' }),
      say: (run, { before }) => ({ answer: written(run), before: written(before ?? run) })
    },
    {
      id: 'yours', state: 'room=decoding&decoding=sample&temperature=2', free: ['seed', 'temperature', 'decoding', 'beams'],
      point: () => ({ selector: '.stage [data-control="seed"]' }),
      say: run => ({ text: run.streams.source.texts[0], answer: written(run) })
    }
  ]
}
