import { Causal } from '../js/models/causal.js'
import { UsageError } from './options.js'
import { table, width } from './table.js'

/**
 * The command explain: the next token of a text, which parts of the model made its logit, and what each token of the
 * text did to it.
 *
 * @typedef {import('../js/interpret/logit_attribution.js').AttributionPart} AttributionPart
 * @typedef {{ id: number, token: string, probability: number, logit: number }} Next
 * @typedef {{ text: string, ids: number[], tokens: string[], next: Next, total: number, rounding: number,
 *   parts: Pick<AttributionPart, 'name' | 'layer' | 'head' | 'role' | 'value'>[],
 *   attribution: { method: string, values: number[], baseline: number, gap: number } }} Answer
 */

/**
 * Explains the token after some others.
 * @param {any} gf @param {any} model @param {{ text: string, ids: number[], tokens: string[] }} input
 * @param {(id: number) => string} spell a token of the vocabulary
 * @param {{ method?: string, against?: number }} options @returns {Answer}
 */
export function explainNext(gf, model, { text, ids, tokens }, spell, { method = 'integratedGradients', against }) {
  if (!(model instanceof Causal)) {
    throw new UsageError(`explain: the model must be a decoder that continues texts, got ${model.constructor.name}`)
  }
  if (!ids.length) throw new UsageError('explain: the text must have at least one token')
  return gf.tidy(() => gf.noGrad(() => {
    const fn = () => /** @type {any} */ (model.forward([ids], { logitsToKeep: 1 })).logits
    const run = gf.observe(fn, { modules: { model }, keepAttention: [] })
    try {
      const target = { position: -1, ...(against !== undefined && { against }) }
      const { total, rounding, parts, token, logits } = gf.interpret.logitAttribution(run, target)
      const row = run.tensor(logits), probability = row.softmax(-1).at(0, -1, token)
      const { values, baseline, gap } = gf.interpret.inputAttribution(run, { method, target, baseline: 'mean' })
      return {
        text, ids: [...ids], tokens, next: { id: token, token: spell(token), probability, logit: row.at(0, -1, token) },
        total, rounding, parts: parts.map((/** @type {AttributionPart} */ part) => pick(part)),
        attribution: { method, values: [...values], baseline, gap }
      }
    } finally {
      run.dispose()
    }
  }))
}

/** @param {AttributionPart} part */
const pick = ({ name, layer, head, role, value }) => ({ name, layer, head, role, value })

/** @param {number} value */
const signed = value => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`

/** A part in words. @param {Pick<AttributionPart, 'layer' | 'head' | 'role'>} part */
const describePart = ({ layer, head, role }) => [
  ...(layer === null ? [] : [`layer ${layer}`]), head === null ? role.replaceAll('_', ' ') : `head ${head}`
].join(', ')

/**
 * Lines of names and values, in the order of the values.
 * @param {{ label: string, value: number, more?: string }[]} rows @param {number} columns @returns {string[]}
 */
const formatRows = (rows, columns) => [...table({
  rowNames: rows.map(({ label }) => label), columnNames: ['value', ''],
  cell: (i, j) => (j ? rows[i].more ?? '' : signed(rows[i].value)),
  cellWidth: j => Math.max(...rows.map(({ value, more = '' }) => width(j ? more : signed(value))))
}, columns)].slice(1)

/**
 * An answer for the terminal.
 * @param {Answer} answer @param {{ top?: number, against?: string }} options @param {number} columns @returns {string}
 */
export function formatExplanation({ tokens, next, total, parts, attribution: { method, values, baseline, gap } },
  { top = 10, against }, columns) {
  const sorted = [...parts].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)), rest = sorted.slice(top)
  const rows = sorted.slice(0, top).map(part => ({ label: describePart(part), value: part.value, more: part.name }))
  if (rest.length) rows.push({ label: `${rest.length} others`, value: rest.reduce((sum, { value }) => sum + value, 0), more: '' })
  const byToken = tokens.map((label, i) => ({ label: `${i} ${label}`, value: values[i] })).sort(
    (a, b) => Math.abs(b.value) - Math.abs(a.value))
  const what = against === undefined ? `logit ${total.toFixed(3)}` : `logit − that of ${against}: ${total.toFixed(3)}`
  return [
    tokens.join(' | '), `next: ${next.token}  ${(100 * next.probability).toFixed(1)} %, ${what}`, '',
    'parts of the model, which sum to it', ...formatRows(rows, columns), '',
    `tokens, by ${method}: ${total.toFixed(3)} against ${baseline.toFixed(3)} with the mean embedding, gap ${signed(gap)}`,
    ...formatRows(byToken.slice(0, top), columns), ''
  ].join('\n')
}
