/** Cross-attention: a date is translated, and for every character the weights show which source tokens were read. */

import { MONTH } from '../../../src/training/models/dates/data.js'
import { formatFixed, formatProbability } from '../../lib/number.js'
import { getDescription } from '../../lib/run.js'
import { valueOfCell, answerIds, answerTokens, largest, rankIndices, rowValues, streamTokens, answerText } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const ATTENTION = 'transformer.decoder.layers.1.multihead_attn'
const ROOM = 'decoder.1.multihead_attn'
const WEIGHTS = `${ATTENTION}.weights`
const PROBABILITIES = 'sampling.output'
const AMBIGUOUS_SOURCE = 'source=5/6/2026'

/** The step that generated the last digit of the month. @param {Run} run */
const monthStep = run => Math.max(0, answerIds(run).indexOf(MONTH) - 1)
/** @param {Run} run @param {number} step */
const rowOfStep = (run, step) => run.decoding?.rows[step] ?? 0
/** @param {Run} run @param {Now} now */
const attentionWeights = (run, { state }) => rowValues(run, WEIGHTS, [0, state.head, rowOfStep(run, monthStep(run))])
/** @param {Run} run @param {Now} now */
const mostAttended = (run, now) => largest(attentionWeights(run, now))
/** @param {Run} run @param {Now} now */
const attentionTarget = (run, now) => ({
  tensor: WEIGHTS, index: [0, now.state.head, rowOfStep(run, monthStep(run)), mostAttended(run, now)]
})
/** @param {number} step */
const stepTarget = step => ({ selector: `.stage .pick:nth-child(${step + 1})` })
/** The probability of the token that a step chose. @param {Run} run @param {number} step */
const probabilityCell = (run,
  step) => ({ tensor: PROBABILITIES, index: [0, rowOfStep(run, step), run.decoding?.steps[step].id ?? 0] })
/** @param {Run} run @param {number} step */
const formatStepProbability = (run, step) =>
  formatProbability(valueOfCell(run, PROBABILITIES, probabilityCell(run, step).index))

/**
 * The most probable tokens of a step, in the order of the vocabulary.
 * @param {Run} run @param {number} step @param {number} count
 */
function candidates(run, step, count) {
  const { vocabulary } = run.streams.target
  const best = rankIndices(rowValues(run, PROBABILITIES, [0, rowOfStep(run, step)])).slice(0,
    count).sort((a, b) => a - b)
  return best.map(word => ({ id: vocabulary[word], text: vocabulary[word] }))
}

/** How many attentions a layer of the decoder has. @param {Run} run */
const countAttentions = run => [...run.tensors.keys()].filter(name => /^transformer\.decoder\.layers\.0\.\w+\.weights$/.test(name)).length

/** The probability of a token in a step. @param {Run} run @param {number} step @param {string} token */
const givenShare = (run, step, token) => ({ share: formatProbability(
  valueOfCell(run, PROBABILITIES, [0, rowOfStep(run, step), run.streams.target.vocabulary.indexOf(token)])) })

/** @param {Run} run @param {string} name */
const countRows = (run, name) => getDescription(run, `${ATTENTION}.${name}`).shape[1]
/** @param {Run} run @returns {Record<string, string>} */
const countValues = run => ({ read: String(countRows(run, 'k')), written: String(countRows(run, 'q')) })
/** @param {Run} run @param {Now} now */
const attentionValues = (run, now) => ({
  month: answerTokens(run)[monthStep(run)], token: streamTokens(run, 'source')[mostAttended(run, now)], place: String(mostAttended(run, now)),
  weight: formatFixed(attentionWeights(run, now)[mostAttended(run, now)]), head: String(now.state.head)
})
/** @param {Run} run */
const monthValues = run => {
  const answer = answerTokens(run)[monthStep(run)], options = candidates(run, monthStep(run), 2)
  return { answer, share: formatStepProbability(run, monthStep(run)), other: options.find(({ id }) => id !== answer)?.text ?? '' }
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: 'head=0',
  userFields: ['source'],
  steps: [
    {
      id: 'memory', state: `room=${ROOM}.qkv&part=k`,
      target: () => ({ tensor: 'transformer.encoder.output', index: [0, 0, null] }),
      values: run => ({ token: streamTokens(run, 'source')[0], count: String(streamTokens(run, 'source').length) })
    },
    {
      id: 'first', state: 'room=source.tokens', target: () => ({ selector: '.stage .chips' }),
      question: {
        options: run => candidates(run, 0, 4), answer: run => answerTokens(run)[0],
        given: (run, _, token) => givenShare(run, 0, token), isOfAnswer: true
      },
      answerState: 'room=decoding&step=0', answerTarget: () => stepTarget(0), answerCell: run => probabilityCell(run, 0),
      values: run => ({ answer: answerTokens(run)[0], share: formatStepProbability(run, 0) })
    },
    {
      id: 'keys', state: `room=${ROOM}.qkv&part=q`, target: () => ({ tensor: `${ATTENTION}.q`, index: [0, 0, null] }),
      question: {
        options: run => ['read', 'written'].map(id => ({ id, text: countValues(run)[id] })),
        answer: run => (countRows(run, 'k') === streamTokens(run, 'source').length ? 'read' : 'written')
      },
      answerState: `room=${ROOM}.qkv&part=k`, answerTarget: () => ({ tensor: `${ATTENTION}.k`, index: [0, 0, null] }), values: countValues
    },
    {
      id: 'three', state: 'room=house',
      question: { options: () => [{ id: 'one' }, { id: 'two' }, { id: 'three' }], answer: run => ['one', 'two', 'three'][countAttentions(run) - 1] }
    },
    {
      id: 'twofold', state: `room=source.tokens&${AMBIGUOUS_SOURCE}`, target: () => ({ selector: '.stage .chips' }),
      question: {
        options: run => candidates(run, monthStep(run), 2), answer: run => answerTokens(run)[monthStep(run)],
        given: (run, _, token) => givenShare(run, monthStep(run), token),
        isOfAnswer: true
      },
      answerState: `room=decoding&${AMBIGUOUS_SOURCE}`, answerTarget: run => stepTarget(monthStep(run)),
      answerCell: run => probabilityCell(run, monthStep(run)), values: monthValues
    },
    {
      id: 'yours', asksForInput: true, state: `room=${ROOM}.weights`, target: attentionTarget,
      values: (run, now) => ({ ...attentionValues(run, now), text: run.streams.source.texts[0],
        answer: answerText(run) })
    }
  ]
}
