import { describe, expect } from '../errors.js'
import { placesIn } from '../nn/module.js'
import { Parameter } from '../nn/parameter.js'
import { tensor } from '../from_values.js'
import { inputsOf } from './inputs.js'
import { exampleFor } from './pytorch_example.js'
import { argumentsText } from './pytorch_calls.js'
import { Classes, placed, reached } from './pytorch_classes.js'
import { HELPERS, helpersFor } from './pytorch_helpers.js'
import { known } from './pytorch_modules.js'
import { scriptText } from './pytorch_script.js'
import { dtypeOf, identifier, literal, namesBeside, tensorText, tuple } from './python.js'
import { liveNodes, recording, sourcesOf } from './record.js'

/**
 * A model as a Python script with the same module in PyTorch.
 *
 * Its classes are those of PyTorch wherever it has them, so that it reads as one would write it; only the forward of
 * one's own classes, which nothing can read off, is written as it ran.
 *
 * @typedef {import('../nn/module.js').Module} Module
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {import('./record.js').Recorded} Recorded
 */

/** Numbers of an output that are written into the script, at most. */
const MOST_EXPECTED = 4096, MOST_INLINE = 32

/** Modules and tensors that stand in two places. @param {Module} model @returns {string[]} */
function ties(model) {
  const lines = /** @type {string[]} */ ([]), tied = /** @type {string[]} */ ([]), seen = new Map()
  const isInside = (/** @type {string} */ path) => tied.some(one => path === one || path.startsWith(`${one}.`))
  const add = (/** @type {string} */ path, /** @type {object} */ one) => {
    if (isInside(path)) return
    const first = seen.get(one)
    if (first === undefined) return seen.set(one, path)
    tied.push(path)
    lines.push(placed('model', model, path, reached('model', model, first)))
  }
  for (const [path, module] of placesIn(model)) add(path, module)
  for (const [key, own] of Object.entries(model.stateDict())) add(key, own)
  return lines
}

/** @param {Recorded} recorded @returns {string} */
function exampleText({ inputs, outputs }) {
  const expected = outputs.map(({ name, tensor: { size, values, engine, dtype } }) => {
    const step = Math.max(1, Math.ceil(size / MOST_EXPECTED)), picked = values.filter((_, i) => i % step === 0)
    const some = tensor(engine, /** @type {any} */ (picked), { dtype, shape: [picked.length] })
    return `    ${literal(name)}: (${step}, ${tensorText(some, MOST_INLINE)})`
  })
  return `INPUTS = [\n${inputs.map(one => `    ${tensorText(one.tensor, MOST_INLINE)}`).join(',\n')}\n]\n` +
    `EXPECTED = {  # of how many numbers one is here, and those\n${expected.join(',\n')}\n}`
}

/**
 * How many rows the table has that ids look up; 0 for what looks up nothing.
 * @param {Recorded} recorded @param {Tensor} ids
 */
function rowsFor({ nodes }, ids) {
  /** @type {Set<unknown>} */ const same = new Set([ids])
  for (const { op, inputs, outputs } of nodes) if (op.isView && same.has(inputs.x)) same.add(outputs.out)
  const tables = nodes.filter(({ op, saved }) => op.name === 'embedding' && same.has(saved.origin.ids))
  return tables.length ? Math.min(...tables.map(({ inputs }) => inputs.weight.shape[0])) : 0
}

/** @param {Recorded} recorded */
function trainingText(recorded) {
  const { inputs, outputs } = recorded
  const main = outputs.find(({ name }) => name === 'logits') ?? outputs[0]
  const draws = inputs.map(({ tensor: one }, i) => {
    const rows = one.dtype === 'int32' ? rowsFor(recorded, one) : 0
    if (rows) return `torch.randint(0, ${rows}, ${tuple(one.shape)}, device=device)`
    // Drawn, a mask might hide everything.
    return one.dtype === 'bool' || one.dtype === 'int32' ? `INPUTS[${i}].to(device)`
      : `torch.randn(${tuple(one.shape)}, device=device).to(${dtypeOf(one.dtype)})`
  })
  const at = inputs.findLastIndex(({ tensor: one }) => one.dtype === 'int32' && rowsFor(recorded, one))
  const ids = inputs[at]?.tensor, { shape } = main.tensor
  const isText = ids && shape.length === 3 && ids.shape.length === 2 && shape[1] === ids.shape[1] && shape[1] > 1 &&
    shape[2] >= rowsFor(recorded, ids)
  const given = `inputs = [${draws.join(', ')}]`
  const target = isText ? `inputs[${at - inputs.length}]` : `torch.randn(${tuple(main.tensor.shape)}, device=device)`
  const made = `made = named(made)[${literal(main.name)}]`
  return {
    batches: `while True:\n    ${given}\n    yield inputs, ${target}`,
    loss: isText ? `${made}  # the next token\nreturn F.cross_entropy(made[:, :-1].flatten(0, 1), target[:, 1:].flatten())`
      : `${made}\nreturn F.mse_loss(made, target)`
  }
}

/** @param {Recorded} recorded @param {Module} model */
function scriptOf(recorded, model) {
  const { inputs, called, state } = recorded, live = liveNodes(recorded), classes = new Classes(recorded, live)
  const made = classes.text(model), builtin = known(model), fresh = namesBeside(['model', ...Object.keys(HELPERS)])
  const names = inputs.map(({ name }) => fresh(identifier(name)))
  const of = (/** @type {Tensor} */ one) => {
    const at = inputs.findIndex(({ tensor: own }) => own === one)
    return at < 0 ? tensorText(one) : names[at]
  }
  const call = `model(${builtin ? argumentsText(called, of) : classes.arguments(called).map(of).join(', ')})`
  const used = new Set([...live].flatMap(sourcesOf))
  const parts = {
    name: (model.constructor.name || 'model').replace(/\W/g, '_'), classes: classes.list, inputs: names, call,
    build: [`model = ${made}`, ...ties(model), 'return model'].join('\n'), example: exampleText(recorded),
    hasUnused: [...state.keys()].some(one => one instanceof Parameter && !used.has(one)), ...trainingText(recorded)
  }
  const text = [parts.build, parts.example, call, ...classes.list.map(one => one.text)].join('\n')
  return scriptText({ ...parts, helpers: helpersFor(text) })
}

/**
 * A model as the text of a Python script: the same module in PyTorch with the same state-dict keys, which loads the
 * weights from a safetensors file, compares itself with the numbers of this run (`--check`) and goes on training, by
 * `torchrun` on many machines.
 *
 * Modules of gf.nn are PyTorch's own; the forward of any other class is written as it ran on the inputs, in eval mode:
 * batches may be of any size where all that is computed keeps the batch in front, other sizes are those of the example,
 * and what JavaScript decides by values stays decided. Arguments that no output depends on are left out. Dropout that
 * is not a module is not seen.
 * @param {import('../nn/module.js').Module} model
 * @param {import('./inputs.js').Inputs} [inputs] as for toOnnx; for modules of gf.nn they may be left out
 * @returns {string}
 * @throws {import('../errors.js').GlassformerError} 'type' for an operation or a call that cannot be written, by name
 * @example
 * gf.toPyTorch(new gf.nn.Linear(2, 3)).includes('nn.Linear(2, 3')   // true
 */
export const toPyTorch = (model, inputs) => recording('toPyTorch', model, (engine, module) => {
  const given = inputs ?? exampleFor(module)
  expect(given !== null, 'type', () => `toPyTorch: inputs are needed for ${describe(module)}, whose forward is its own`)
  return inputsOf('toPyTorch', engine, module, given)
}, recorded => scriptOf(recorded, model))
