/** What the decoder says: the reader's words, or the model's own, one token after another. */

import { LONGEST, TARGET_TOKENS, encode, idsOf, splitTarget } from './dates.js'
import { END_ID, beam, cutMask, decode, draws, drawn, greedy, pathTo } from './decode.js'
import { isInChoice, isInModel, looksAhead } from './edited.js'

const TARGET_IDS = idsOf(TARGET_TOKENS)

/** Divides logits by the temperature and turns them into shares, then does so again with what is cut out. */
function samplingModules(gf, { temperature, topK, topP }) {
  const F = gf.functional
  class Softmax extends gf.nn.Module {
    constructor() {
      super()
      this.registerBuffer('inverse_temperature', gf.tensor([1 / temperature]))
    }

    forward(logits) {
      return F.softmax(this.tag('tempered', F.mul(logits, this.inverse_temperature)))
    }
  }
  class Choice extends gf.nn.Module {
    constructor(tempered) {
      super()
      const { values, shape } = tempered
      this.registerBuffer('mask', gf.tensor(cutMask(values, shape.at(-1), { topK, topP }), { shape: [...shape] }))
    }

    forward(tempered) {
      return F.softmax(this.tag('cut', F.add(tempered, this.mask)))
    }
  }
  return { softmax: new Softmax(), choice: (tempered) => new Choice(tempered) }
}

/**
 * From logits to what is chosen from, inside a trace of its own.
 * @param {any} gf @param {object} settings
 * @returns {{ modules: object, forward(logits: any): any }} the modules to trace with, and what to do in the trace
 */
export function sampling(gf, settings) {
  const { softmax, choice } = samplingModules(gf, settings)
  const modules = { softmax }
  return {
    modules,
    forward(logits) {
      softmax.forward(logits)
      const tempered = gf.engine.trace.get('softmax.tempered')
      modules.choice = choice(tempered)
      return modules.choice.forward(tempered)
    }
  }
}

const dispose = (modules) => Object.values(modules).forEach((module) => module.dispose())

/** Something computed without keeping anything; with edits it has to be traced, as they are made there. */
function compute(gf, edits, fn) {
  if (edits.length === 0) return gf.tidy(() => gf.noGrad(() => fn().values.slice()))
  const { output, trace } = gf.trace(() => gf.noGrad(fn), { edits })
  const values = output.values.slice()
  trace.dispose()
  output.dispose()
  return values
}

/** The shares that are chosen from, as edits leave them. */
function editedShares(gf, settings, logits, edits) {
  const { modules, forward } = sampling(gf, settings)
  const V = TARGET_TOKENS.length
  const { output, trace } = gf.trace(() => gf.noGrad(() => (
    forward(gf.tensor(logits, { shape: [1, logits.length / V, V] })))), { modules, edits })
  const values = output.values.slice()
  trace.dispose()
  dispose(modules)
  return values
}

const shared = (row, { temperature, topK, topP }) => {
  const tempered = row.map((logit) => logit * Math.fround(1 / temperature))
  const mask = cutMask(tempered, tempered.length, { topK, topP })
  return tempered.map((value, i) => value + mask[i])
}

/** Which token the settings pick from a row: of shares where an edit made them, else of logits. */
function chooser(gf, settings, isOfShares) {
  if (settings.decoding !== 'sample') return { choose: greedy, random: null }
  const random = draws(gf, settings.seed)
  const softmax = (row) => gf.tidy(() => gf.functional.softmax(gf.tensor(shared(row, settings))).values.slice())
  return { choose: (row, step) => drawn(isOfShares ? row : softmax(row), random[step]), random }
}

const guesses = new WeakMap()

/** The best of several beginnings; edited beginnings one at a time, since an edit is about the first of a batch. */
function searched(gf, settings, forward, isEdited) {
  const V = TARGET_TOKENS.length
  const lastRow = (logits) => gf.tidy(() => gf.functional.logSoftmax(gf.tensor(logits.slice(-V))).values.slice())
  const { tree, best } = beam((rows) => {
    if (isEdited) return rows.map((row) => lastRow(forward([row])))
    const logits = forward(rows)
    const size = logits.length / rows.length
    return rows.map((_, n) => lastRow(logits.subarray(n * size, (n + 1) * size)))
  }, settings.beams)
  return { ids: pathTo(tree, best), tree, best, random: null }
}

/** The model's own answer. */
function answer(gf, model, settings, source, { at }) {
  const edits = at(LONGEST.target)
  const forward = (rows) => compute(gf, at(rows[0].length).filter(isInModel), () => (
    model.forward(rows.map(() => source), rows)))
  if (settings.decoding === 'beam') return searched(gf, settings, forward, edits.length > 0)
  const isOfShares = edits.some(isInChoice)
  const rowsOf = (input) => {
    const logits = forward([input])
    return isOfShares ? editedShares(gf, settings, logits, at(input.length).filter(isInChoice)) : logits
  }
  const { choose, random } = chooser(gf, settings, isOfShares)
  const guess = !settings.tgtIsCausal || edits.some(looksAhead) ? [] : guesses.get(gf) ?? []
  const ids = decode(rowsOf, choose, guess)
  guesses.set(gf, ids)
  return { ids, random, tree: null, best: null }
}

/**
 * What the decoder is to say: the reader's words, ids that another run has chosen, or its own.
 * @param {any} gf @param {any} model @param {object} settings @param {number[]} source
 * @param {{ at(length: number): object[] }} edits
 */
export function targetOf(gf, model, settings, source, edits) {
  if (settings.target === null) return { ...answer(gf, model, settings, source, edits), isGiven: false }
  const ids = Array.isArray(settings.target) ? settings.target
    : [...encode(splitTarget(settings.target), TARGET_IDS, 0), END_ID].slice(0, LONGEST.target)
  return { ids, isGiven: true, random: null, tree: null, best: null }
}
