/**
 * Trainings that answer a question, each with a short guide: the question, the step at which the answer is determined,
 * the correct answer, and the part of the page that shows the reason. The texts are in `text/`.
 */

/** @import { Seen } from '../../src/training/training_record.js' */

/**
 * @typedef {object} Experiment
 * @property {string} link the training
 * @property {number} until the step at which the answer is determined
 * @property {string[]} options
 * @property {(one: Seen, other: Seen) => string} answer one of them, from the record up to that step; without a race
 *   both are the same
 * @property {(one: Seen, other: Seen) => Record<string, number>} say values for the placeholders of its texts
 * @property {string} look the part of the page that shows the reason
 * @property {string} next the next experiment
 */

const lastItem = /** @template T @param {T[]} list */ list => list[list.length - 1]

/** Losses that differ by less count as about the same. */
const TIE_TOLERANCE = 0.05
/** The label of each line, shared by all races. */
export const RACE = ['this', 'other', 'even']
/** Which of two trainings has the lower held-out loss. @type {Experiment['answer']} */
function compareLosses(a, b) {
  const [ownLoss, rivalLoss] = [a, b].map(({ evaluations }) => lastItem(evaluations).loss)
  if (Math.abs(ownLoss - rivalLoss) < TIE_TOLERANCE * Math.max(ownLoss, rivalLoss)) return 'even'
  return ownLoss < rivalLoss ? 'this' : 'other'
}
/** The final held-out accuracy. @param {Seen} seen */
const finalAccuracy = ({ evaluations }) => Math.round(100 * lastItem(evaluations).right)
/** The final held-out losses of both. @type {Experiment['say']} */
const finalValues = (a, b) => ({
  one: lastItem(a.evaluations).loss, other: lastItem(b.evaluations).loss, right: finalAccuracy(a),
  rival: finalAccuracy(b)
})

/** The evaluation with the lowest held-out loss. @param {Seen} seen */
const bestEvaluation = ({ evaluations }) => evaluations.reduce((best, item) => (item.loss < best.loss ? item : best))
/** The first step at which the held-out accuracy reaches a value, 0 for never. @param {Seen} seen */
const firstSolvedStep = ({ evaluations }) => evaluations.find(({ right }) => right >= 0.9)?.step ?? 0

/** @type {Record<string, Experiment>} */
export const EXPERIMENTS = {
  byHeart: {
    link: 'dates_warmUp-20_steps-200_smoothing-0_repeat-same', until: 200, options: ['falls', 'rises'],
    answer: item => (lastItem(item.evaluations).loss > (1 + TIE_TOLERANCE) * bestEvaluation(item).loss ? 'rises' : 'falls'),
    say: item => ({ train: lastItem(item.loss), held: lastItem(item.evaluations).loss, low: bestEvaluation(item).loss,
      at: bestEvaluation(item).step }),
    look: 'answers', next: 'dropout'
  },
  dropout: {
    link: 'dates_smoothing-0_vs-dropout-0.3', until: 400, options: RACE, answer: compareLosses,
    say: (a, b) => ({ ...finalValues(a, b), train: lastItem(b.loss) }), look: 'curves', next: 'floor'
  },
  floor: {
    link: 'dates_smoothing-0_vs-smoothing-0.2', until: 600, options: ['zero', 'floor'],
    answer: (a, b) => (lastItem(b.loss) < 2 * lastItem(a.loss) ? 'zero' : 'floor'),
    say: (a, b) => ({
      one: lastItem(a.loss), other: lastItem(b.loss), right: finalAccuracy(a), rival: finalAccuracy(b)
    }),
    look: 'curves', next: 'grokking'
  },
  grokking: {
    link: 'sums_vs-decay-0', until: 2000, options: RACE,
    answer(a, b) {
      const [ownStep, rivalStep] = [firstSolvedStep(a), firstSolvedStep(b)]
      if (ownStep === rivalStep) return 'even'
      return ownStep && (!rivalStep || ownStep < rivalStep) ? 'this' : 'other'
    },
    say: (a, b) => ({ one: firstSolvedStep(a), rival: finalAccuracy(b) }), look: 'embeddings', next: 'byHeart'
  },
  positions: {
    link: 'dates_vs-positions-none', until: 400, options: RACE, answer: compareLosses, say: finalValues, look: 'curves', next: 'scale'
  },
  scale: {
    link: 'dates_steps-300_heads-1_dModel-64_vs-scale-off', until: 300, options: RACE, answer: compareLosses, say: finalValues,
    look: 'attention', next: 'norm'
  },
  norm: {
    link: 'dates_rate-0.01_warmUp-0_layers-4_vs-normFirst-before', until: 300, options: RACE, answer: compareLosses, say: finalValues,
    look: 'closer', next: 'warmUp'
  },
  warmUp: {
    link: 'dates_rate-0.02_warmUp-400_layers-3_vs-warmUp-0', until: 200, options: RACE, answer: compareLosses, say: finalValues,
    look: 'curves', next: 'vanishing'
  },
  vanishing: {
    link: 'dates_rate-0.02_warmUp-0_steps-400_layers-3', until: 200, options: ['first', 'last', 'even'],
    answer(item) {
      const { first, output } = endNorms(item)
      if (Math.max(first, output) < 10 * Math.min(first, output)) return 'even'
      return first < output ? 'first' : 'last'
    },
    say: endNorms, look: 'closer', next: 'exploding'
  },
  exploding: {
    link: 'dates_rate-1000_schedule-constant_warmUp-0_clip-0_normFirst-before_positions-learned', until: 25,
    options: ['falls', 'same', 'grows'],
    answer({ loss }) {
      if (lastItem(loss) > 10 * loss[0]) return 'grows'
      return lastItem(loss) < (1 - TIE_TOLERANCE) * loss[0] ? 'falls' : 'same'
    },
    say: ({ loss }) => ({ first: loss[0], second: loss[1], last: lastItem(loss) }), look: 'pinned', next: 'plain'
  },
  plain: {
    link: 'dates_vs-optimizer-sgd', until: 300, options: RACE, answer: compareLosses, say: finalValues, look: 'apart', next: 'positions'
  }
}

/**
 * The gradient norms of the first and the last part at the last step.
 * @param {Seen} seen @returns {Record<string, number>}
 */
function endNorms({ norms }) {
  const now = lastItem(norms)
  return { first: now[0], output: lastItem(now) }
}

/** The experiment of a training, or undefined. @param {string} link */
export const findExperiment = link => Object.keys(EXPERIMENTS).find(name => EXPERIMENTS[name].link === link)

/** The record of a training up to a step. @param {Seen} seen @param {number} until @returns {Seen} */
export const recordUntil = (seen, until) => ({
  ...seen, loss: seen.loss.slice(0, until), rate: seen.rate.slice(0, until), norm: seen.norm.slice(0, until),
  norms: seen.norms.slice(0, until), evaluations: seen.evaluations.filter(({ step }) => step <= until)
})
