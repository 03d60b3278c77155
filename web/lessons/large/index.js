/** From here to the large models: sizes to scale, how they are trained, and what they cannot. */

import { beginnings } from '../beginnings.js'
import { formatFixed, formatInteger } from '../../lib/number.js'
import { countParameters } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */

/** Parameters as published: Radford et al. 2019, the model card of Llama 3.2, Brown et al. 2020. */
const MODELS = [{ id: 'dates', parameters: 45e3 }, { id: 'gpt2', parameters: 124e6 }, { id: 'llama', parameters: 1.24e9 }, { id: 'gpt3', parameters: 175e9 }]
const GPT2 = 124439808
const FACTORS = [30, 300, 3000, 30000]

/** How many times GPT-2 small is as large, as the nearest of the factors. @param {Run} run */
const factor = run => {
  const ratio = Math.log(GPT2 / countParameters(run)), distances = FACTORS.map(of => Math.abs(Math.log(of) - ratio))
  return String(FACTORS[distances.indexOf(Math.min(...distances))])
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'], theatre: 'stories',
  steps: [
    {
      id: 'guess', state: 'room=house',
      question: {
        options: () => FACTORS.map(of => ({ id: String(of) })), answer: factor,
        given: (run, _, times) => ({ product: formatInteger(countParameters(run) * Number(times)) })
      },
      values: run => (
        { count: formatInteger(countParameters(run)), times: formatInteger(Math.round(GPT2 / countParameters(run))) })
    },
    {
      id: 'scale', state: 'room=house', figure: { id: 'sizes', options: { models: MODELS } },
      task: { isDone: ({ visible }) => visible.includes('gpt3'), solution: { zoom: 9 },
        feedback: ({ zoom }) => ({ id: 'near', zoom: formatFixed(zoom, 1) }) }
    },
    {
      id: 'training', model: 'stories', state: beginnings('room=text.tokens'), target: () => ({ selector: '.stage .chips' }),
      hides: 'section:nth-of-type(n + 2)',
      answerState: beginnings('room=decoding'), answerTarget: () => ({ selector: '.stage .picks' }),
      question: { options: () => [{ id: 'rules' }, { id: 'next' }, { id: 'answers' }], answer: () => 'next' }
    },
    { id: 'limits', state: 'room=residual_stream', hides: 'section:nth-of-type(n + 2)' }
  ]
}
