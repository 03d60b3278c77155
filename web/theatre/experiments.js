/**
 * Trainings that answer a question, as they stand in a link. What they show is told in the words under their names.
 * @type {Record<string, string>}
 */
export const EXPERIMENTS = {
  byHeart: 'dates_warmUp-20_steps-200_smoothing-0_repeat-same',
  positions: 'dates_vs-positions-none',
  warmUp: 'dates_rate-0.02_warmUp-400_layers-3_vs-warmUp-0',
  norm: 'dates_rate-0.01_warmUp-0_layers-4_vs-normFirst-before',
  scale: 'dates_steps-300_heads-1_dModel-64_vs-scale-off',
  grokking: 'sums_vs-decay-0',
  plain: 'dates_vs-optimizer-sgd',
  floor: 'dates_smoothing-0_vs-smoothing-0.2',
  dropout: 'dates_vs-dropout-0.3',
  exploding: 'dates_rate-1000_schedule-constant_warmUp-0_clip-0_normFirst-before_positions-learned'
}

/** The experiment that a training is, or undefined. @param {string} link */
export const experimentOf = link => Object.keys(EXPERIMENTS).find(name => EXPERIMENTS[name] === link)
