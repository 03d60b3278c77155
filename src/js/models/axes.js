/**
 * The axes of the tables of a model, in which a run looks up rows by something else than a channel.
 * @typedef {import('../trace/axes.js').Axis} Axis
 */

/** Vectors of a text. @param {string} of the stream @returns {Axis[]} */
export const tokenAxes = of => [{ name: 'batch' }, { name: 'token', of }, { name: 'channel' }]

/** A table with a row for each token of a vocabulary. @param {string} of the stream @returns {Axis[]} */
export const vocabularyAxes = of => [{ name: 'word', of }, { name: 'channel' }]

/** A table with rows by position, by token type, … @param {string} by @returns {Axis[]} */
export const tableAxes = by => [{ name: by }, { name: 'channel' }]

/** Scores of queries and keys. @param {string} of the stream @returns {Axis[]} */
export const scoreAxes = of => [{ name: 'batch' }, { name: 'head' }, { name: 'query', of }, { name: 'key', of }]

/** One vector for each sequence. @type {Axis[]} */
export const pooledAxes = [{ name: 'batch' }, { name: 'channel' }]

/**
 * A convolution over the tokens of a text.
 * @param {string} path @param {string} of the stream @returns {Record<string, Axis[]>}
 */
export const convolutionAxes = (path, of) => ({
  [`${path}.weight`]: [{ name: 'channel' }, { name: 'channel' }, { name: 'row' }],
  [`${path}.output`]: [{ name: 'batch' }, { name: 'channel' }, { name: 'token', of }]
})

/** A language modeling head. @param {string} of the stream @returns {Record<string, Axis[]>} */
export const lmHeadAxes = of => ({
  'lm_head.weight': vocabularyAxes(of), 'lm_head.output': [{ name: 'batch' }, { name: 'token', of }, { name: 'word', of }]
})

/**
 * T5's relative position bias, one number per distance and head.
 * @param {string} path of the embedding @param {string} of the stream @returns {Record<string, Axis[]>}
 */
export const relativeAxes = (path, of) => ({
  [`${path}.weight`]: [{ name: 'bucket' }, { name: 'head' }],
  [`${path}.output`]: [{ name: 'query', of }, { name: 'key', of }, { name: 'head' }]
})

/**
 * A classification head.
 * @param {import('./heads.js').Head | null} head @param {string} of the stream that is classified
 * @returns {Record<string, Axis[]>}
 */
export function headAxes(head, of) {
  if (!head) return {}
  const isPooled = head.description.kind === 'sequence', label = { name: 'label', of }
  /** @type {(last: Axis) => Axis[]} */
  const rows = last => (isPooled ? [{ name: 'batch' }, last] : [{ name: 'batch' }, { name: 'token', of }, last])
  const inner = ['dense.output', 'activation', 'norm.output'].map(name => [`head.${name}`, rows({ name: 'channel' })])
  return {
    ...Object.fromEntries(inner), 'head.out_proj.weight': [label, { name: 'channel' }],
    'head.out_proj.bias': [label], 'head.output': rows(label)
  }
}

/**
 * The router of a mixture of experts.
 * @param {string} path of the mixture @param {string} of the stream @returns {[string, Axis[]][]}
 */
export function routerAxes(path, of) {
  const expert = { name: 'expert' }, rows = [{ name: 'token', of }, expert]
  return [[`${path}.gate.weight`, [expert, { name: 'channel' }]], [`${path}.gate.output`, rows], [`${path}.router`, rows]]
}
