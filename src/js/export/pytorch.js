import { describe, expect } from '../errors.js'
import { listModules } from '../nn/module.js'
import { Parameter } from '../nn/parameter.js'
import { tensor } from '../tensor/from_values.js'
import { prepareInputs } from './inputs.js'
import { createExample } from './pytorch_example.js'
import { argumentsText } from './pytorch_calls.js'
import { Classes, assignmentTo, accessExpression } from './pytorch_classes.js'
import { HELPERS, helpersFor } from './pytorch_helpers.js'
import { findBuiltin } from './pytorch_modules.js'
import { scriptText } from './pytorch_script.js'
import { dtypeOf, toIdentifier, literal, createNamer, tensorText, tuple } from './python.js'
import { liveNodes, recordRun, dependenciesOf } from './record.js'

/**
 * Exports a model as a Python script with the same module in PyTorch.
 *
 * Modules of gf.nn become PyTorch's, so that the script reads like handwritten code; the forward of a custom class is
 * written as it ran.
 *
 * @typedef {import('../nn/module.js').Module} Module
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./record.js').Recorded} Recorded
 */

/**
 * The script compares at most so many values of an output; tensors larger than MAX_INLINE_VALUES are written as base64.
 */
const MAX_EXPECTED_VALUES = 4096, MAX_INLINE_VALUES = 32

/** Lines that tie modules and tensors which are used in two places. @param {Module} model @returns {string[]} */
function tieLines(model) {
  const lines = /** @type {string[]} */ ([]), tied = /** @type {string[]} */ ([]), seen = new Map()
  const isInTied = (/** @type {string} */ path) => tied.some(other => path === other || path.startsWith(`${other}.`))
  const add = (/** @type {string} */ path, /** @type {object} */ item) => {
    if (isInTied(path)) return
    const first = seen.get(item)
    if (first === undefined) return seen.set(item, path)
    tied.push(path)
    lines.push(assignmentTo('model', model, path, accessExpression('model', model, first)))
  }
  for (const [path, module] of listModules(model)) add(path, module)
  for (const [key, tensor] of Object.entries(model.stateDict())) add(key, tensor)
  return lines
}

/** The lines that define INPUTS and EXPECTED. @param {Recorded} recorded @returns {string} */
function exampleText({ inputs, outputs }) {
  const expected = outputs.map(({ name, tensor: { values, engine, dtype } }) => {
    const step = Math.max(1, Math.ceil(values.length / MAX_EXPECTED_VALUES))
    const picked = values.filter((_, i) => i % step === 0)
    const sampled = tensor(engine, /** @type {any} */ (picked), { dtype, shape: [picked.length] })
    return `    ${literal(name)}: (${step}, ${tensorText(sampled, MAX_INLINE_VALUES)})`
  })
  return `INPUTS = [\n${inputs.map(({ tensor }) => `    ${tensorText(tensor, MAX_INLINE_VALUES)}`).join(',\n')}\n]\n` +
    `EXPECTED = {  # step and values: every step-th value of an output\n${expected.join(',\n')}\n}`
}

/**
 * The number of rows of the embedding that ids index; 0 if they index none.
 * @param {Recorded} recorded @param {Tensor} ids
 */
function tableRows({ nodes }, ids) {
  /** @type {Set<unknown>} */ const views = new Set([ids])
  for (const { op, inputs, outputs } of nodes) if (op.isView && views.has(inputs.x)) views.add(outputs.out)
  const tables = nodes.filter(({ op, saved }) => op.name === 'embedding' && views.has(saved.origin.ids))
  return tables.length ? Math.min(...tables.map(({ inputs }) => inputs.weight.shape[0])) : 0
}

/**
 * The number of classes if a tensor is the target of a loss; 0 if it is none.
 * @param {Recorded} recorded @param {Tensor} target
 */
function classCount({ nodes }, target) {
  /** @type {Set<unknown>} */ const views = new Set([target])
  for (const { op, inputs, outputs } of nodes) if (op.isView && views.has(inputs.x)) views.add(outputs.out)
  const loss = nodes.find(({ saved }) => views.has(saved.origin?.target))
  return loss ? Object.values(loss.inputs)[0].shape[1] : 0
}

/** The bodies of the functions `batches` and `loss_of`. @param {Recorded} recorded */
function trainingText(recorded) {
  const { inputs, outputs } = recorded
  const main = outputs.find(({ name }) => name === 'logits') ?? outputs[0]
  const inputLines = inputs.map(({ tensor }, i) => {
    const rows = tensor.dtype === 'int32' ? tableRows(recorded, tensor) || classCount(recorded, tensor) : 0
    if (rows) return `torch.randint(0, ${rows}, ${tuple(tensor.shape)}, device=device)`
    // A random mask might hide everything.
    return tensor.dtype === 'bool' || tensor.dtype === 'int32' ? `INPUTS[${i}].to(device)`
      : `torch.randn(${tuple(tensor.shape)}, device=device).to(${dtypeOf(tensor.dtype)})`
  })
  const at = inputs.findLastIndex(({ tensor }) => tensor.dtype === 'int32' && tableRows(recorded, tensor))
  const ids = inputs[at]?.tensor, { shape } = main.tensor
  const isText = ids && shape.length === 3 && ids.shape.length === 2 && shape[1] === ids.shape[1] && shape[1] > 1 &&
    shape[2] >= tableRows(recorded, ids)
  const inputsLine = `inputs = [${inputLines.join(', ')}]`
  const target = isText ? `inputs[${at - inputs.length}]` : `torch.randn(${tuple(main.tensor.shape)}, device=device)`
  const loss = outputs.find(({ tensor }) => recorded.nodes.some(({ op, outputs: { out } }) =>
    op.roles?.out === 'loss' && out === tensor && tensor.numel() === 1))
  if (loss) {
    return { batches: `while True:\n    ${inputsLine}\n    yield inputs, None`, loss: `return named(output)[${literal(loss.name)}]` }
  }
  const outputLine = `output = named(output)[${literal(main.name)}]`
  return {
    batches: `while True:\n    ${inputsLine}\n    yield inputs, ${target}`,
    loss: isText ? `${outputLine}  # the next token\nreturn F.cross_entropy(output[:, :-1].flatten(0, 1), target[:, 1:].flatten())`
      : `${outputLine}\nreturn F.mse_loss(output, target)`
  }
}

/** @param {Recorded} recorded @param {Module} model */
function writeScript(recorded, model) {
  const { inputs, call: rootCall, state } = recorded, live = liveNodes(recorded), classes = new Classes(recorded, live)
  const expression = classes.text(model), builtin = findBuiltin(model), createName = createNamer(['model', ...Object.keys(HELPERS)])
  const names = inputs.map(({ name }) => createName(toIdentifier(name)))
  const nameTensor = (/** @type {Tensor} */ tensor) => {
    const at = inputs.findIndex(input => input.tensor === tensor)
    return at < 0 ? tensorText(tensor) : names[at]
  }
  const call = `model(${builtin ? argumentsText(rootCall, nameTensor) : classes.arguments(rootCall).map(nameTensor).join(', ')})`
  const used = new Set([...live].flatMap(dependenciesOf))
  const parts = {
    name: (model.constructor.name || 'model').replace(/\W/g, '_'), classes: classes.list, inputs: names, call,
    build: [`model = ${expression}`, ...tieLines(model), 'return model'].join('\n'), example: exampleText(recorded),
    hasUnused: [...state.keys()].some(tensor => tensor instanceof Parameter && !used.has(tensor)),
    ...trainingText(recorded)
  }
  const text = [parts.build, parts.example, call, ...classes.list.map(({ text }) => text)].join('\n')
  return scriptText({ ...parts, helpers: helpersFor(text) })
}

/**
 * Exports a model as a Python script: the same module in PyTorch with the same state-dict keys. The script loads the
 * weights from a safetensors file, compares its output with this run (`--check`) and continues training, with
 * `torchrun` on many machines.
 *
 * Modules of gf.nn become PyTorch's; the forward of any other class is written as it ran on the inputs in eval mode.
 * The batch may have any size if every operation keeps it in front; other sizes are those of the example, except in a
 * module that is called with several lengths, and decisions that JavaScript takes by values are fixed. If the result
 * has a loss of one number, training minimizes it. Arguments that no output depends on are left out. Dropout that is
 * not a module is not exported.
 * @param {import('../nn/module.js').Module} model
 * @param {import('./inputs.js').Inputs} [inputs] as for toOnnx; optional for modules of gf.nn
 * @returns {string} the text of the script
 * @throws {import('../errors.js').GlassformerError} 'type' for an operation or a call that cannot be exported
 * @example
 * gf.toPyTorch(new gf.nn.Linear(2, 3)).includes('nn.Linear(2, 3')   // true
 */
export const toPyTorch = (model, inputs) => recordRun('toPyTorch', model, (engine, module) => {
  const example = inputs ?? createExample(module)
  expect(example !== null, 'type', () => `toPyTorch: inputs are required for ${describe(module)}, which has a custom forward`)
  return prepareInputs('toPyTorch', engine, module, example)
}, recorded => writeScript(recorded, model))
