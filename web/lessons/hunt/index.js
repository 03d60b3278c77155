/** Bug hunt: each step's run has one fault, built into the model, and its numbers reveal it. */

import { formatFixed } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { formatLoss, valueOfCell, lossKind, answerText } from '../run_values.js'
import { FINDERS, findFault } from './find.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Step } from '../index.js' */

const ENCODER = 'transformer.encoder.layers.0', DECODER = 'transformer.decoder.layers.0'
const options = () => Object.keys(FINDERS).map(id => ({ id }))

/** All cells of a tensor. @param {string} tensor @returns {NonNullable<Step['target']>} */
const allCells = tensor => run => ({ tensor, index: getTensor(run, tensor).shape.map(() => null) })

/**
 * A run with a fault; the evidence is in the room's figure.
 * @param {string} id @param {string} state @param {string} tensor @param {Step['paperCells']} [paper] @returns {Step}
 */
const createFaultStep = (id, state, tensor, paper) => ({
  id, state, target: allCells(tensor), question: { options, answer: findFault }, freeSettings: ['room', 'head', 'part', 'row', 'step'],
  values: (run, { state: { head } }) => ({ answer: answerText(run), ...FINDERS[findFault(run) ?? '']?.(run, head) }),
  ...(paper && { paperCells: paper })
})

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: '',
  userFields: ['source'],
  steps: [
    {
      id: 'sound', state: 'room=encoder.0.self_attn.weights', target: allCells(`${ENCODER}.self_attn.weights`),
      paperCells: () => [{ tensor: `${ENCODER}.self_attn.weights`, index: [0, 0, null, null] }],
      values: (/** @type {Run} */ run) => ({
        answer: answerText(run), first: formatFixed(valueOfCell(run, `${ENCODER}.self_attn.weights`, [0, 0, 0, 0]))
      })
    },
    createFaultStep('first', 'room=decoder.0.self_attn.weights&tgtIsCausal=0', `${DECODER}.self_attn.weights`),
    createFaultStep('second', 'room=encoder.0.self_attn.weights&scale=0', `${ENCODER}.self_attn.masked_scores`,
      () => ['dots', 'scores'].map(name => ({ tensor: `${ENCODER}.self_attn.${name}`, index: [0, 0, 0, null] }))),
    createFaultStep('third', 'room=target.sum&fault=batchPositions', 'positions.added:2'),
    createFaultStep('fourth', 'room=encoder.0.self_attn.heads&training=1&dropout=0.3', `${ENCODER}.self_attn.dropout.output`),
    createFaultStep('fifth', 'room=encoder.0.self_attn.qkv&part=k&fault=swapped', `${ENCODER}.self_attn.k`),
    createFaultStep('sixth', 'room=encoder.0.linear1&fault=tokenNorm', `${ENCODER}.norm1.output`),
    {
      id: 'yours', state: 'room=decoding', hides: '.figure', freeSettings: ['fault', 'scale', 'tgtIsCausal', 'training', 'dropout'],
      target: () => ({ selector: '.stage .picks' }),
      values: (/** @type {Run} */ run) => ({
        text: run.streams.source.texts[0], answer: answerText(run), loss: formatLoss(run),
        whose: lossKind(run)
      })
    }
  ]
}
