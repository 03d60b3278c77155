/** Every control of the model: what it is called, what it can be, and how it shows that something is wrong. */

import { h, setText, uniqueId } from './lib/dom.js'

const DIVISORS = ({ dModel }) => (
  Array.from({ length: Math.min(64, dModel) }, (_, i) => i + 1).filter((n) => dModel % n === 0))

const SPECS = {
  tokenizer: { kind: 'choice', options: { words: 'words', whitespace: 'whitespace' } },
  dModel: { kind: 'number', ladder: () => [4, 8, 12, 16, 24, 32, 48, 64, 96, 128] },
  heads: { kind: 'number', ladder: DIVISORS },
  base: { kind: 'number', ladder: () => [10, 100, 1000, 10000, 100000] },
  maxLength: { kind: 'number', ladder: () => [8, 12, 16, 24, 32, 48, 64, 96, 128, 256] },
  seed: { kind: 'number', ladder: ({ seed }) => [Math.max(0, seed - 1), seed + 1] },
  positions: {
    kind: 'choice', options: { interleaved: 'interleaved', concatenated: 'concatenated', learned: 'learned' }
  },
  causal: { kind: 'choice', options: { none: false, causal: true } },
  training: { kind: 'choice', options: { train: true, eval: false } },
  dropout: { kind: 'slider', low: 0, high: 0.9, step: 0.05, ladder: () => [0, 0.1, 0.2, 0.3, 0.5] },
  layers: { kind: 'number', ladder: () => [1, 2, 3, 4] },
  dimFeedforward: { kind: 'number', ladder: () => [8, 16, 32, 48, 64, 96, 128] },
  normFirst: { kind: 'choice', options: { after: false, before: true } },
  activation: { kind: 'choice', options: { relu: 'relu', gelu: 'gelu' } },
  positional: { kind: 'choice', options: { on: true, off: false } },
  scale: { kind: 'choice', options: { on: true, off: false } },
  padding: { kind: 'choice', options: { none: false, full: true } },
  tgtIsCausal: { kind: 'choice', options: { causal: true, none: false } },
  temperature: { kind: 'slider', low: 0.1, high: 4, step: 0.1, ladder: () => [0.5, 1, 1.5, 2, 4] },
  topK: { kind: 'number', ladder: () => [0, 1, 2, 3, 4, 6, 8, 12, 16] },
  topP: { kind: 'slider', low: 0.05, high: 1, step: 0.05, ladder: () => [0.5, 0.8, 0.9, 1] },
  decoding: { kind: 'choice', options: { greedy: 'greedy', sample: 'sample', beam: 'beam' } },
  beams: { kind: 'number', ladder: () => [1, 2, 3, 4, 5] }
}

const SIZES = ['dModel', 'heads']
const BLOCK_ONLY = ['tokenizer', 'maxLength', 'causal']
const COMMON = ['base', 'positions', 'seed', 'training', 'dropout']
const UNTRAINED_ONLY = ['layers', 'dimFeedforward']
/** The controls of each model: the sizes of trained weights cannot be changed. */
const CONTROLS_OF = {
  sentences: [...BLOCK_ONLY, ...SIZES, ...COMMON],
  trained: Object.keys(SPECS).filter((name) => ![...BLOCK_ONLY, ...SIZES, ...UNTRAINED_ONLY].includes(name)),
  untrained: Object.keys(SPECS).filter((name) => !BLOCK_ONLY.includes(name))
}

/** Whether a control means something for a model. @param {string} name @param {string} model */
export const isFor = (name, model) => CONTROLS_OF[model].includes(name)

/** Whether the target is the reader's own, so that nothing is left to choose. */
const isGiven = ({ model, target }) => model !== 'sentences' && target.trim() !== ''

/** Controls that stay where they are while they cannot change anything, with a word on why. */
const IDLE = { decoding: isGiven }

/** Whether a positional encoding is added: the sentences always have one. */
const isPlaced = ({ model, positional }) => model === 'sentences' || positional
/** Whether the table of positions is one that training would have to fill. @param {object} state */
export const isLearned = (state) => isPlaced(state) && state.positions === 'learned'

/** Whether scores are left as large as they come. @param {object} state */
export const isUndivided = (state) => state.model !== 'sentences' && !state.scale

const USES = {
  positions: isPlaced,
  base: (state) => isPlaced(state) && !isLearned(state),
  beams: (state) => state.decoding === 'beam' && !isGiven(state),
  seed: (state) => (
    state.model !== 'trained' || isLearned(state) || state.training || (state.decoding === 'sample' && !isGiven(state))),
  dropout: ({ model, training }) => model === 'sentences' || training
}

/** Whether it would change anything as things stand. @param {string} name @param {object} state */
export const isUseful = (name, state) => isFor(name, state.model) && (USES[name]?.(state) ?? true)

/** The controls that mean something for a model. @param {string} model */
export const controlsOf = (model) => CONTROLS_OF[model]

/**
 * The other values a control can take, with the key of their word where they have one.
 * @param {string} name
 * @param {object} state
 * @returns {{ value: any, word?: string }[]}
 */
export function alternatives(name, state) {
  const { kind, options, ladder } = SPECS[name]
  const all = kind === 'choice' ? Object.entries(options).map(([word, value]) => ({ word, value }))
    : (ladder?.(state) ?? []).map((value) => ({ value }))
  return all.filter(({ value }) => value !== state[name])
}

/** The key of the word for a control's value, where it has one. @param {string} name @param {object} state */
export const wordOf = (name, state) => (
  alternatives(name, { ...state, [name]: undefined }).find(({ value }) => value === state[name])?.word)

/** The controls in the order of the settings dialog. */
export const CONTROLS = Object.keys(SPECS)

function choice(name, { options }, { t, set }) {
  const group = uniqueId(name)
  const inputs = Object.entries(options).map(([word, value]) => ({ word, value, input: h('input', {
    type: 'radio', name: group, value: word, onchange: () => set({ [name]: value })
  }) }))
  const element = h('fieldset', { className: 'control' }, h('legend', {}, t(`controls.${name}.label`)),
    h('div', { className: 'segments' }, inputs.map(({ word, input }) => (
      h('label', {}, input, h('span', {}, t(`controls.${name}.${word}`)))))))
  return { element, show: (state) => inputs.forEach(({ value, input }) => { input.checked = state[name] === value }) }
}

function stepper(name, { ladder }, { t, set, get }) {
  const id = uniqueId(name)
  const label = t(`controls.${name}.label`)
  const input = h('input', { id, type: 'text', inputmode: 'decimal', autocomplete: 'off', size: '7', oninput: () => {
    set({ [name]: input.value.trim() === '' ? Number.NaN : Number(input.value) })
  } })
  const step = (direction) => {
    const rungs = ladder(get())
    const now = get()[name]
    const next = direction > 0 ? rungs.find((n) => n > now) : rungs.findLast((n) => n < now)
    if (next !== undefined) set({ [name]: next })
  }
  input.addEventListener('keydown', (event) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (!direction) return
    event.preventDefault()
    step(direction)
  })
  const button = (sign, key, direction) => h('button', {
    type: 'button', 'aria-label': t(`controls.${key}`, { name: label }), onclick: () => step(direction)
  }, sign)
  const element = h('div', { className: 'control' },
    h('label', { for: id }, label, ' ', h('code', {}, t(`controls.${name}.hint`))),
    h('div', { className: 'stepper' }, button('−', 'less', -1), input, button('+', 'greater', 1)))
  return { element, input, show: (state) => {
    if (document.activeElement !== input || Number(input.value) !== state[name]) {
      if (!Number.isNaN(state[name])) input.value = String(state[name])
    }
  } }
}

function slider(name, { low, high, step }, { t, set }) {
  const id = uniqueId(name)
  const input = h('input', {
    id, type: 'range', min: low, max: high, step, oninput: () => set({ [name]: Number(input.value) })
  })
  const output = h('output', { for: id })
  const element = h('div', { className: 'control' },
    h('label', { for: id }, t(`controls.${name}.label`), ' ', h('code', {}, t(`controls.${name}.hint`))),
    h('div', { className: 'slider' }, input, output))
  return { element, input, show: (state) => {
    input.value = String(state[name])
    setText(output, String(state[name]))
  } }
}

const KINDS = { choice, number: stepper, slider }

/**
 * One control with a place for its complaint, and for why it stands still.
 * @param {string} name
 * @param {{ t: Function, set(patch: object): void, get(): object }} context
 */
export function control(name, context) {
  const { element, input, show } = KINDS[SPECS[name].kind](name, SPECS[name], context)
  const problem = h('p', { className: 'problem', role: 'alert', id: uniqueId('problem') })
  element.setAttribute('data-control', name)
  const why = IDLE[name] ? context.t(`controls.${name}.idle`) : ''
  const idle = h('p', { className: 'control-idle', hidden: true }, why)
  element.append(problem, idle)
  input?.setAttribute('aria-describedby', problem.id)
  return {
    element,
    /** @param {object} state @param {Record<string, string>} problems texts by control */
    update(state, problems) {
      show(state)
      const isIdle = Boolean(IDLE[name]?.(state))
      element.toggleAttribute('disabled', isIdle)
      idle.hidden = !isIdle
      setText(problem, problems[name] ?? '')
      element.classList.toggle('is-wrong', Boolean(problems[name]))
      input?.setAttribute('aria-invalid', problems[name] ? 'true' : 'false')
    }
  }
}

/**
 * A row of alternatives that only changes what is looked at: a sentence, a head, a vector.
 * @param {string} name
 * @param {{ t: Function, set(patch: object): void }} context
 */
export function picker(name, { t, set }) {
  const group = uniqueId(name)
  const list = h('div', { className: 'segments' })
  const legend = h('legend', {}, t(`frame.${name}`))
  const element = h('fieldset', { className: 'control', 'data-picker': name }, legend, list)
  let shown = []
  return {
    element,
    /** @param {{ value: any, text: string, title?: string }[]} options @param {any} chosen */
    update(options, chosen) {
      const words = options.map(({ text }) => text)
      if (words.join('\n') !== shown.join('\n')) {
        list.replaceChildren(...options.map(({ value, text }) => h('label', {},
          h('input', { type: 'radio', name: group, value: String(value), onchange: () => set({ [name]: value }) }),
          h('span', {}, text))))
        shown = words
      }
      options.forEach(({ value, title }, i) => {
        list.children[i].firstChild.checked = value === chosen
        list.children[i].title = title ?? ''
      })
    }
  }
}
