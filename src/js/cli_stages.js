import { nest, range } from './shape.js'

/** The stages of a pipeline run as tables for a terminal. */

/**
 * @typedef {object} Stage
 * @property {string} name as --stage has it
 * @property {number[]} shape
 * @property {any} values nested arrays
 */

/** The stage's name on the command line, and what its tensor is called: of several names the first that is there. */
const TENSOR_STAGES = Object.entries({
  embedding: ['embedding.output'], positions: ['positions.pe', 'positions.weight'],
  sum: ['positions.sum', 'positions.output'], dropout: ['dropout.output', 'positions.sum', 'positions.output'],
  q: ['self_attn.q'], k: ['self_attn.k'], v: ['self_attn.v'], scores: ['self_attn.scores'],
  mask: ['self_attn.masked_scores'], weights: ['self_attn.weights'], heads: ['self_attn.heads'],
  output: ['self_attn.output']
})

/** @param {ReturnType<typeof import('./pipeline.js').runPipeline>} made @returns {Stage[]} */
export function stagesOf({ run, text }) {
  const texts = [
    { name: 'tokens', shape: [text.tokens.length],
      values: text.tokens.map((list, b) => list.slice(0, text.lengths[b])) },
    { name: 'vocabulary', shape: [text.vocabulary.length], values: text.vocabulary },
    { name: 'ids', shape: [text.ids.length, text.ids[0].length], values: text.ids }
  ]
  const known = new Set([...run.names, ...run.aliases.keys()])
  const tensors = TENSOR_STAGES.map(([name, names]) => {
    const { shape, values } = run.tensor(/** @type {string} */ (names.find(one => known.has(one))))
    const shown = [name === 'positions' ? text.ids[0].length : shape[0], ...shape.slice(1)]
    return { name, shape: shown, values: nest(shown, values) }
  })
  return [...texts, ...tensors]
}

/** Combining marks and the joiner of emoji: they take no column of a terminal. */
const NARROW = /\p{M}|\u200d/u
/** Korean, Chinese and Japanese letters and emoji: they take two. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u

/** Columns a terminal needs. @param {string} text */
const width = text => [...text].reduce((n, ch) => n + (NARROW.test(ch) ? 0 : WIDE.test(ch) ? 2 : 1), 0)

/** @param {string} text @param {number} columns */
const left = (text, columns) => text + ' '.repeat(Math.max(0, columns - width(text)))
/** @param {string} text @param {number} columns */
const right = (text, columns) => ' '.repeat(Math.max(0, columns - width(text))) + text

/** Four decimals. @param {number} value */
const number = value => (Number.isFinite(value) ? value.toFixed(4) : String(value).replace('Infinity', 'inf'))

/** @param {string[]} rowNames @param {string[]} columnNames @param {string[][]} cells */
function table(rowNames, columnNames, cells) {
  const first = Math.max(0, ...rowNames.map(width))
  const columns = columnNames.map((name, j) => Math.max(width(name), ...cells.map(row => width(row[j]))))
  const line = (/** @type {string} */ name, /** @type {string[]} */ row) =>
    `  ${left(name, first)}  ${row.map((cell, j) => right(cell, columns[j])).join('  ')}`.trimEnd()
  return [line('', columnNames), ...rowNames.map((name, i) => line(name, cells[i]))].join('\n')
}

/** @param {number} n */
const numbered = n => range(n).map(String)

/**
 * One stage: a title with the shape, then a table for each sentence (and head).
 * @param {import('./pipeline.js').Stream} text @param {Stage} stage
 */
export function stageText(text, { name, shape, values }) {
  const title = `${name} [${shape.join(', ')}]`
  return `${[title, ...bodies(text, name, values)].join('\n')}\n`
}

/** @param {import('./pipeline.js').Stream} text @param {string} name @param {any} values @returns {string[]} */
function bodies(text, name, values) {
  if (name === 'tokens') {
    return values.map((/** @type {string[]} */ list, /** @type {number} */ b) => `  ${b}  ${list.join(' | ')}`)
  }
  if (name === 'vocabulary') return [table(['id'], values, [numbered(values.length)])]
  const rows = (/** @type {number[][]} */ matrix, written = number) => matrix.map(row => row.map(written))
  if (name === 'ids') return [table(numbered(values.length), numbered(values[0].length), rows(values, String))]
  if (name === 'positions') return [table(numbered(values.length), numbered(values[0].length), rows(values))]
  const isSquare = ['scores', 'mask', 'weights'].includes(name)
  return values.flatMap((/** @type {any} */ sentence, /** @type {number} */ b) => {
    const tokens = text.tokens[b]
    if (!isSquare) return [`  sentence ${b}`, table(tokens, numbered(sentence[0].length), rows(sentence))]
    return sentence.flatMap((/** @type {number[][]} */ head, /** @type {number} */ h) =>
      [`  sentence ${b}, head ${h}`, table(tokens, tokens, rows(head))])
  })
}
