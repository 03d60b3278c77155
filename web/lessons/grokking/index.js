/** Grokking: what a model that adds on a clock has learned, read from its embeddings as waves around the clock. */

/** The wave with the largest share of the variance; tests/page/grokking.test.js holds what is stated to the model. */
export const LARGEST = 14
/** How many waves have a larger share than if all were equal. */
export const LARGE_COUNT = 8

const STATE = 'room=house'
/** @param {string} shows @param {Record<string, any>} [more] */
const figure = (shows, more) => ({ id: /** @type {const} */ ('waves'), options: { shows, ...more } })

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: [], theatre: 'sums',
  steps: [
    {
      id: 'memory', state: STATE, figure: figure('accuracy', { stage: 1, stageCount: 2 }), answerFigure: { stage: 2 },
      question: { options: () => [{ id: 'same' }, { id: 'fewer' }, { id: 'all' }], answer: () => 'all' }
    },
    {
      id: 'neighbors', state: STATE, figure: figure('similarity'),
      question: { options: () => [{ id: 'alike' }, { id: 'same' }, { id: 'unlike' }], answer: () => 'unlike' }
    },
    { id: 'waves', state: STATE, figure: figure('shares'), question: { answer: () => LARGE_COUNT, tolerance: 0.5 } },
    {
      id: 'circle', state: STATE, figure: figure('circle'),
      task: { isDone: ({ frequency }) => frequency === LARGEST, solution: { frequency: LARGEST },
        feedback: ({ frequency }) => ({ id: frequency < LARGEST ? 'up' : 'down', frequency: String(frequency) }) }
    },
    {
      id: 'add', state: STATE, figure: figure('circle', { frequency: LARGEST }),
      question: { options: () => [{ id: 'product' }, { id: 'sum' }, { id: 'mean' }], answer: () => 'sum' }
    },
    {
      id: 'cause', state: STATE, figure: figure('shares', { frequency: LARGEST }),
      question: { options: () => [{ id: 'none' }, { id: 'half' }, { id: 'all' }], answer: () => 'all' }
    },
    { id: 'yours', state: STATE, figure: figure('circle', { frequency: LARGEST }) }
  ]
}
