/**
 * Parts of the models since 2020: RMSNorm, rotary positions, SwiGLU, and fewer key-value heads; then the key-value
 * cache: what need not be computed again for the next token, and what that costs.
 */

import { getTensor } from '../../lib/run.js'
import { sentences } from '../beginnings.js'

/** @import { Run } from '../../types.d.ts' */

const ATTENTION = 'decoder.layers.0.self_attn', WEIGHTS_ROOM = 'room=decoder.0.self_attn.weights'
/** How many query heads share a head of keys and values. @param {Run} run */
const sharing = run => getTensor(run, `${ATTENTION}.q`).shape[2] / getTensor(run, `${ATTENTION}.k`).shape[2]

/** The row of the newest token that the model has read: what it looks at. @param {Run} run */
const newest = run => ({ tensor: `${ATTENTION}.weights`, index: [0, 0, getTensor(run, `${ATTENTION}.weights`).shape[2] - 1, null] })

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'stories', base: sentences('norm=rms&positions=rotary&activation=swiglu&kvHeads=2'),
  userFields: ['beginning'],
  steps: [
    {
      id: 'rms', state: 'room=decoder.0.norm1', hides: '.control-why, [data-part="change"], [data-part="sum"]',
      question: { options: () => [{ id: 'mean' }, { id: 'scale' }, { id: 'weight' }], answer: () => 'mean' }
    },
    // The first position is not rotated at all.
    { id: 'rotary', state: 'room=decoder.0.self_attn.rotary', hides: '.figure-body > :not(:nth-child(2))', cell: () => ({ tensor: `${ATTENTION}.q`, index: [0, 3, 0] }) },
    { id: 'gate', state: 'room=decoder.0.mul' },
    {
      id: 'groups', state: 'room=decoder.0.self_attn.qkv&part=k',
      question: {
        options: () => [{ id: '1' }, { id: '2' }, { id: '4' }], answer: run => String(sharing(run))
      },
      values: run => Object.fromEntries(['q', 'k'].map(name => (
        [name, String(getTensor(run, `${ATTENTION}.${name}`).shape[2])])))
    },
    {
      id: 'again', state: WEIGHTS_ROOM, target: newest,
      question: { options: () => [{ id: 'change' }, { id: 'stay' }], answer: () => 'stay' }
    },
    {
      id: 'kept', state: WEIGHTS_ROOM, target: newest,
      question: { options: () => [{ id: 'queries' }, { id: 'keysValues' }, { id: 'weights' }], answer: () => 'keysValues' }
    },
    { id: 'columns', state: 'room=cache' }
  ]
}
