/** Bug hunt: each step's run has one fault, built into the model, and its numbers reveal it. */

import { formatFixed } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { at, lossOf, whose, written } from '../run_values.js'
import { FINDS, findFault } from './find.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Step } from '../index.js' */

const ENCODER = 'transformer.encoder.layers.0', DECODER = 'transformer.decoder.layers.0'
const options = () => Object.keys(FINDS).map(id => ({ id }))

/** All cells of a tensor. @param {string} tensor @returns {NonNullable<Step['point']>} */
const whole = tensor => run => ({ tensor, index: getTensor(run, tensor).shape.map(() => null) })

/**
 * A run with a fault; the evidence is in the room's figure.
 * @param {string} id @param {string} state @param {string} tensor @param {Step['paper']} [paper] @returns {Step}
 */
const fault = (id, state, tensor, paper) => ({
  id, state, point: whole(tensor), ask: { options, answer: findFault }, free: ['room', 'head', 'part', 'row', 'step'],
  say: (run, { state: { head } }) => ({ answer: written(run), ...FINDS[findFault(run) ?? '']?.(run, head) }),
  ...(paper && { paper })
})

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: { ko: '', en: '' },
  keeps: ['source'],
  next: 'order',
  steps: [
    {
      id: 'sound', state: 'room=encoder.0.self_attn.weights', point: whole(`${ENCODER}.self_attn.weights`),
      paper: () => [{ tensor: `${ENCODER}.self_attn.weights`, index: [0, 0, null, null] }],
      say: (/** @type {Run} */ run) => ({
        answer: written(run), first: formatFixed(at(run, `${ENCODER}.self_attn.weights`, [0, 0, 0, 0]))
      })
    },
    fault('first', 'room=decoder.0.self_attn.weights&tgtIsCausal=0', `${DECODER}.self_attn.weights`),
    fault('second', 'room=encoder.0.self_attn.weights&scale=0', `${ENCODER}.self_attn.masked_scores`,
      () => ['dots', 'scores'].map(name => ({ tensor: `${ENCODER}.self_attn.${name}`, index: [0, 0, 0, null] }))),
    fault('third', 'room=target.sum&fault=batchPositions', 'positions.added:2'),
    fault('fourth', 'room=encoder.0.self_attn.heads&training=1&dropout=0.3', `${ENCODER}.self_attn.dropout.output`),
    fault('fifth', 'room=encoder.0.self_attn.qkv&part=k&fault=swapped', `${ENCODER}.self_attn.k`),
    fault('sixth', 'room=encoder.0.linear1&fault=tokenNorm', `${ENCODER}.norm1.output`),
    {
      id: 'yours', state: 'room=decoding', free: ['fault', 'scale', 'tgtIsCausal', 'training', 'dropout'],
      point: () => ({ selector: '.stage .picks' }),
      say: (/** @type {Run} */ run) => ({
        text: run.streams.source.texts[0], answer: written(run), loss: formatFixed(lossOf(run)), whose: whose(run)
      })
    }
  ]
}
