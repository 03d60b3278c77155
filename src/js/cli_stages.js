import { nest, range } from './shape.js'

/** The stages of a pipeline run as tables for a terminal. */

/**
 * @typedef {object} Stage
 * @property {string} name as --stage has it
 * @property {number[]} shape
 * @property {any} values nested arrays
 */

/** The stage's name on the command line, and its tensor. */
const TENSOR_STAGES = [
  ['embedding', 'embedding'], ['positions', 'positional_encoding'], ['sum', 'sum'], ['dropout', 'dropout'],
  ['q', 'self_attn.q'], ['k', 'self_attn.k'], ['v', 'self_attn.v'], ['scores', 'self_attn.scores'],
  ['mask', 'self_attn.masked_scores'], ['weights', 'self_attn.weights'], ['heads', 'self_attn.heads'],
  ['output', 'self_attn.output']
]

/** @param {any} run @returns {Stage[]} */
export function stagesOf(run) {
  const text = [
    { name: 'tokens', shape: [run.tokens.length], values: run.tokens },
    { name: 'vocabulary', shape: [run.vocab.length], values: run.vocab },
    { name: 'ids', shape: [run.ids.length, run.ids[0].length], values: run.ids }
  ]
  const tensors = TENSOR_STAGES.map(([name, tensor]) => {
    const { shape, data } = run.tensors.get(tensor), rows = name === 'positions' ? run.ids[0].length : shape[0]
    const shown = [rows, ...shape.slice(1)]
    return { name, shape: shown, values: nest(shown, data) }
  })
  return [...text, ...tensors]
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

/** @param {any} run @param {number} b tokens of a sentence, padding included */
const tokensOf = (run, b) => run.ids[b].map((/** @type {number} */ id) => run.vocab[id])

/** @param {number} n */
const numbered = n => range(n).map(String)

/**
 * One stage: a title with the shape, then a table for each sentence (and head).
 * @param {any} run @param {Stage} stage
 */
export function stageText(run, { name, shape, values }) {
  const title = `${name} [${shape.join(', ')}]`
  return `${[title, ...bodies(run, name, values)].join('\n')}\n`
}

/** @param {any} run @param {string} name @param {any} values @returns {string[]} */
function bodies(run, name, values) {
  if (name === 'tokens') {
    return values.map((/** @type {string[]} */ list, /** @type {number} */ b) => `  ${b}  ${list.join(' | ')}`)
  }
  if (name === 'vocabulary') return [table(['id'], values, [numbered(values.length)])]
  const rows = (/** @type {number[][]} */ matrix, written = number) => matrix.map(row => row.map(written))
  if (name === 'ids') return [table(numbered(values.length), numbered(values[0].length), rows(values, String))]
  if (name === 'positions') return [table(numbered(values.length), numbered(values[0].length), rows(values))]
  const isSquare = ['scores', 'mask', 'weights'].includes(name)
  return values.flatMap((/** @type {any} */ sentence, /** @type {number} */ b) => {
    const tokens = tokensOf(run, b)
    if (!isSquare) return [`  sentence ${b}`, table(tokens, numbered(sentence[0].length), rows(sentence))]
    return sentence.flatMap((/** @type {number[][]} */ head, /** @type {number} */ h) =>
      [`  sentence ${b}, head ${h}`, table(tokens, tokens, rows(head))])
  })
}
