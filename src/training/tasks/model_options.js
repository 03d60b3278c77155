/** The model's options from the settings of a training. @param {import('../settings.js').TrainingState} settings */
export const shapeOf = ({ heads, positions, kvHeads, dModel, layers, dimFeedforward, dropout, normFirst, activation,
  norm }) => ({
  dModel, nhead: heads, layers, dimFeedforward, dropout, normFirst, activation, norm, kvHeads: kvHeads || heads,
  positions: positions === 'none' ? null : positions
})

/** The index of the largest value. @param {ArrayLike<number>} values */
export function largest(values) {
  let best = 0
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i
  return best
}

/**
 * The fraction of positions at which the most probable token is the target.
 * @param {any} gf @param {any} model @param {import('./index.js').Batch} batch
 */
export const accuracyOf = (gf, model, { inputs, target, ignoreIndex }) => gf.tidy(() => gf.noGrad(() => {
  const { values, shape } = model.forward(...inputs)
  const V = shape.at(-1)
  const asked = [...target.keys()].filter(n => target[n] !== ignoreIndex)
  return asked.filter(n => largest(values.subarray(n * V, (n + 1) * V)) === target[n]).length / asked.length
}))
