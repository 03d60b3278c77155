import { GlassformerError, expect, isPlain } from '../errors.js'
import { ModuleDict } from '../nn/containers.js'
import { ModuleList, NumberedModules } from '../nn/containers.js'
import { Module, childrenOf } from '../nn/module.js'
import { Parameter } from '../nn/parameter.js'
import { Tensor } from '../tensor/tensor.js'
import {
  RESERVED_CLASS_NAMES, assignment, attribute, createNamer, dtypeOf, indent, isReservedAttribute, literal,
  sizeArguments, tensorText, toIdentifier, tuple
} from './python.js'
import { argumentsText } from './pytorch_calls.js'
import { HELPERS } from './pytorch_helpers.js'
import { isContainer, findBuiltin, listText, nameOf } from './pytorch_modules.js'
import { EXPRESSIONS } from './pytorch_ops.js'
import { dependenciesOf } from './record.js'

/**
 * Writes classes for modules with a custom forward, as it ran.
 *
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('./record.js').ModuleCall} ModuleCall
 * @typedef {import('./record.js').Recorded} Recorded
 * @typedef {{ name: string, tensor: Tensor }} NamedArgument
 */

/** @param {string} message */
const unsupported = message => new GlassformerError('type', `toPyTorch: ${message}`)

/**
 * The Python expression for a submodule or tensor of a module.
 * @param {string} base expression of the module @param {Module} module @param {string} path
 */
export function accessExpression(base, module, path) {
  let text = base, /** @type {any} */ at = module
  for (const name of path ? path.split('.') : []) {
    text = at instanceof NumberedModules && /^\d+$/.test(name) ? `${text}[${name}]`
      : at instanceof ModuleDict ? `${text}[${literal(name)}]` : attribute(text, name)
    at = at && name in at ? at[name] : undefined
  }
  return text
}

/**
 * The Python line that sets a submodule or tensor of a module.
 * @param {string} base @param {Module} module @param {string} path @param {string} value
 */
export function assignmentTo(base, module, path, value) {
  const names = path.split('.'), name = /** @type {string} */ (names.pop()), holder = names.join('.')
  const at = names.reduce((/** @type {any} */ item, step) => item?.[step], module)
  return at instanceof NumberedModules || at instanceof ModuleDict ? `${accessExpression(base, module, path)} = ${value}`
    : assignment(accessExpression(base, module, holder), name, value)
}

/** Refuses names of submodules and tensors that PyTorch does not allow. @param {Module} module */
function checkNames(module) {
  for (const [name] of [...module.ownTensors(), ...childrenOf(module)]) {
    expect(!isReservedAttribute(name, module instanceof ModuleDict), 'type', () => `toPyTorch: ${nameOf(module)} has a submodule or ` +
      `tensor with ${name === '' ? 'an empty name' : `the name ${JSON.stringify(name)}`}, which PyTorch's modules do not ` +
      'allow; rename it')
  }
}

/**
 * The tensors among the arguments of a call, with the names of parameters or options.
 * @param {ModuleCall} call @returns {[string, Tensor][]}
 */
function tensorArguments({ module, inputs }) {
  const { inputNames } = /** @type {any} */ (module.constructor)
  const [, list = ''] = /^[^(]*\(([^)]*)\)/.exec(String(Object.getPrototypeOf(module).forward)) ?? []
  const parameters = list.split(',').map(name => name.trim().replace(/ *=.*/, ''))
  // Declared names survive a bundler that shortens the names of parameters.
  const declared = inputNames === Module.inputNames ? [] : inputNames
  const nameAt = (/** @type {number} */ i) =>
    declared[i] ?? (/^\w+$/.test(parameters[i] ?? '') ? parameters[i] : inputNames[i] ?? `x${i}`)
  /** @param {string} name @param {any} value @returns {[string, Tensor][]} */
  const found = (name, value) => {
    if (value instanceof Tensor) return [[toIdentifier(name), value]]
    if (Array.isArray(value)) return value.flatMap((item, i) => found(`${name}_${i}`, item))
    return isPlain(value) ? Object.entries(value).flatMap(([key, item]) => found(key, item)) : []
  }
  return inputs.flatMap((value, i) => found(nameAt(i), value))
}

/** All tensors of nested lists and objects. @param {unknown} value @returns {Tensor[]} */
function findTensors(value) {
  if (value instanceof Tensor) return [value]
  return Array.isArray(value) || isPlain(value) ? Object.values(value).flatMap(findTensors) : []
}

/**
 * The Python expression of a result.
 * @param {any} output @param {(tensor: Tensor) => string} nameTensor @returns {string}
 */
function returnExpression(output, nameTensor) {
  if (output instanceof Tensor) return nameTensor(output)
  if (Array.isArray(output)) return `[${output.map(item => returnExpression(item, nameTensor)).join(', ')}]`
  if (isPlain(output)) return `{${Object.entries(output).map(([key, item]) => `${literal(key)}: ${returnExpression(item, nameTensor)}`)
    .join(', ')}}`
  return literal(output)
}

/**
 * The expressions of the tensors in the result of a call.
 * @param {any} output @param {string} name @returns {[Tensor, string][]}
 */
function resultExpressions(output, name) {
  if (output instanceof Tensor) return [[output, name]]
  if (Array.isArray(output)) return output.flatMap((item, i) => resultExpressions(item, `${name}[${i}]`))
  return isPlain(output) ? Object.entries(output).flatMap(([key, item]) => resultExpressions(item, `${name}[${literal(key)}]`)) : []
}

/** Integers that are not part of a name or of another number. */
const INTEGER = /(?<![\w.])\d+(?![\w.])/g

/**
 * The Python expression of a number that differs between the calls of a forward: a size of one of its arguments in all
 * calls, or undefined.
 * @param {readonly string[]} numbers one for each call
 * @param {readonly (readonly NamedArgument[])[]} parameters of each call
 */
function sizeExpression(numbers, parameters) {
  for (const [i, { name, tensor }] of parameters[0].entries()) for (const axis of tensor.shape.keys()) {
    const isSize = numbers.every((number, call) => parameters[call][i]?.tensor.shape[axis] === Number(number))
    if (isSize) return `${name}.shape[${axis}]`
  }
  return undefined
}

/**
 * The forward that all calls of a module have in common: where they differ in numbers only, and those are sizes of the
 * arguments, such as the length of a sequence, it reads the sizes. null if they differ in other ways.
 * @param {readonly { text: string, parameters: readonly NamedArgument[] }[]} calls @returns {string | null}
 */
function unifySizes(calls) {
  const [{ text: first }] = calls, texts = calls.map(({ text }) => text)
  if (texts.every(text => text === first)) return first
  if (texts.some(text => text.replace(INTEGER, '#') !== first.replace(INTEGER, '#'))) return null
  const numbers = texts.map(text => text.match(INTEGER) ?? [])
  let at = 0, isComplete = true
  const unified = first.replace(INTEGER, number => {
    const own = numbers.map(list => list[at])
    at++
    if (own.every(other => other === number)) return number
    const size = sizeExpression(own, calls.map(({ parameters }) => parameters))
    isComplete &&= size !== undefined
    return size ?? number
  })
  return isComplete ? unified : null
}

/** Collects the classes of a script. */
export class Classes {
  /** @type {{ name: string, text: string }[]} */ list = []
  /** @type {Map<Module, ModuleCall[]>} */ #calls = new Map()
  /** @type {Map<Module, string>} */ #classNames = new Map()
  #recorded
  #needed

  /** @param {Recorded} recorded @param {Set<Node>} needed nodes to be exported */
  constructor(recorded, needed) {
    this.#recorded = recorded
    this.#needed = needed
    const walk = (/** @type {ModuleCall} */ call) => {
      this.#calls.set(call.module, [...this.#calls.get(call.module) ?? [], call])
      for (const event of call.events) if ('events' in event) walk(event)
    }
    walk(recorded.call)
  }

  /** The tensors that a custom class is called with. @param {ModuleCall} call @returns {Tensor[]} */
  arguments(call) {
    return this.#usedArguments(call).map(([, tensor]) => tensor)
  }

  /** The arguments that forward uses, with names and without duplicates. @param {ModuleCall} call */
  #usedArguments(call) {
    return tensorArguments(call).filter(([, tensor], i, all) =>
      all.findIndex(([, other]) => other === tensor) === i && this.#dependsOn(call, tensor))
  }

  /** The parameters of a class's forward in Python. @param {ModuleCall} call @returns {NamedArgument[]} */
  #namedArguments(call) {
    const createName = createNamer(Object.keys(HELPERS))
    return this.#usedArguments(call).map(([preferred, tensor]) => ({ name: createName(preferred), tensor }))
  }

  /**
   * Whether the operations or the result of a call use a tensor directly.
   * @param {ModuleCall} call @param {Tensor} tensor @returns {boolean}
   */
  #dependsOn({ events, output }, tensor) {
    const isWithin = (/** @type {unknown[]} */ values) => values.some(value => findTensors(value).includes(tensor))
    return isWithin([output]) || events.some(event => ('events' in event
      ? findBuiltin(event.module) ? isWithin([...event.inputs]) : this.#dependsOn(event, tensor)
      : this.#needed.has(event) && dependenciesOf(event).includes(tensor) &&
        (event.saved.origin?.positions !== tensor || this.#isComputed(tensor))))
  }

  /** Whether a tensor is an input of the model, or computed from inputs or weights. @param {Tensor} tensor */
  #isComputed(tensor) {
    const { inputs, nodes } = this.#recorded
    return inputs.some(input => input.tensor === tensor) ||
      nodes.some(node => this.#needed.has(node) && Object.values(node.outputs).includes(tensor))
  }

  /** The expression that creates a module. @param {Module} module @returns {string} */
  text(module) {
    const builtin = findBuiltin(module)
    if (builtin) return builtin.text(module, inner => this.text(inner))
    if (module instanceof ModuleList) return listText('nn.ModuleList', [...module].map(item => this.text(item)))
    if (isContainer(module)) {
      checkNames(module)
      const inside = childrenOf(module).map(([name, item]) => `\n${indent(`${literal(name)}: ${this.text(item)}`)}`)
      return inside.length ? `nn.ModuleDict({${inside.join(',')}\n})` : 'nn.ModuleDict()'
    }
    return `${this.#writeClass(module)}()`
  }

  /** Adds the class of a module and returns its name; equal classes are written once. @param {Module} module */
  #writeClass(module) {
    const existing = this.#classNames.get(module)
    if (existing) return existing
    const stem = nameOf(module).replace(/\W|^(?=\d)/g, '_') || 'Model', calls = this.#calls.get(module) ?? []
    checkNames(module)
    const { text, constants } = this.#forwardText(module, calls)
    const body = `${this.#initText(module, constants)}\n\n${text}`
    const same = this.list.find(item => item.text === body && item.name.replace(/_\d+$/, '') === stem)
    const name = same?.name ?? this.#uniqueName(stem)
    if (!same) this.list.push({ name, text: body })
    this.#classNames.set(module, name)
    return name
  }

  /** @param {string} stem */
  #uniqueName(stem) {
    return createNamer([...RESERVED_CLASS_NAMES, ...Object.keys(HELPERS), ...this.list.map(({ name }) => name)])(stem)
  }

  /** @param {Module} module @param {Map<Tensor, string>} constants */
  #initText(module, constants) {
    const own = module.ownTensors().map(([name, tensor]) => (tensor instanceof Parameter
      ? assignment('self', name, `nn.Parameter(torch.zeros${sizeArguments(tensor.shape)})`)
      : module.unsavedNames.has(name) ? `self.register_buffer(${literal(name)}, ${tensorText(tensor)}, persistent=False)`
        : `self.register_buffer(${literal(name)}, torch.zeros(${tuple(tensor.shape)}, dtype=${dtypeOf(tensor.dtype)}))`))
    const inner = childrenOf(module).map(([name, child]) => assignment('self', name, this.text(child)))
    const fixed = [...constants].map(([tensor, name]) =>
      `self.register_buffer(${literal(name.slice('self.'.length))}, ${this.#constantText(tensor)}, persistent=False)`)
    return `def __init__(self):\n${indent(['super().__init__()', ...own, ...inner, ...fixed].join('\n'))}`
  }

  /** Ids that are equal in every row of the batch are written once. @param {Tensor} tensor */
  #constantText(tensor) {
    const [B] = tensor.shape, { values } = tensor, row = values.length / B
    const isRepeated = tensor.dtype === 'int32' && tensor.shape.length > 1 && B > 1 && this.#isOnlyAdded(tensor) &&
      values.every((/** @type {number} */ value, /** @type {number} */ i) => value === values[i % row])
    const { engine } = tensor
    return tensorText(isRepeated ? engine.view(tensor, [1, ...tensor.shape.slice(1)]) : tensor)
  }

  /** Whether the tensor only selects embeddings that are added to others. @param {Tensor} tensor */
  #isOnlyAdded(tensor) {
    const { nodes } = this.#recorded, usersOf = (/** @type {Tensor} */ item) => nodes.filter(({ inputs, saved }) =>
      Object.values(inputs).includes(item) || Object.values(saved.origin ?? {}).includes(item))
    return usersOf(tensor).every(node => node.op.name === 'embedding' &&
      usersOf(node.outputs.out).every(({ op }) => op.name === 'add'))
  }

  /**
   * The forward of a class, which must be the same for all its calls.
   * @param {Module} module @param {ModuleCall[]} calls
   * @returns {{ text: string, constants: Map<Tensor, string> }}
   */
  #forwardText(module, calls) {
    const constants = new Map()
    const texts = calls.map(call => this.#forwardTextOf(module, call, constants))
    if (!texts.length) return { text: 'def forward(self, *_):\n    raise NotImplementedError(\'was not called\')', constants }
    const text = unifySizes(texts.map((text, i) => ({ text, parameters: this.#namedArguments(calls[i]) })))
    if (text === null) {
      throw unsupported(`${nameOf(module)} is called in different ways in one run, so its forward cannot be exported`)
    }
    return { text, constants }
  }

  /** @param {Module} module @param {ModuleCall} call @param {Map<Tensor, string>} constants */
  #forwardTextOf(module, call, constants) {
    /** @type {Map<Tensor, string>} */ const scope = new Map()
    const lines = /** @type {string[]} */ ([]), parameters = this.#namedArguments(call)
    const createName = createNamer([...Object.keys(HELPERS), ...parameters.map(({ name }) => name)])
    for (const { name, tensor } of parameters) scope.set(tensor, name)
    /** @type {Map<Tensor, string>} */ const keys = new Map()
    for (const [key, tensor] of Object.entries(module.stateDict())) if (!keys.has(tensor)) keys.set(tensor, key)
    const nameTensor = (/** @type {Tensor} */ tensor) => {
      const existing = scope.get(tensor) ?? constants.get(tensor), key = keys.get(tensor)
      if (existing) return existing
      if (key !== undefined) return accessExpression('self', module, key)
      const source = this.#recorded.nodes.find(node => Object.values(node.outputs).includes(tensor))
      if (source && this.#needed.has(source)) throw unsupported(`${nameOf(module)} uses a tensor that was computed outside of its forward`)
      const name = `self.${createNamer([...Object.keys(module), ...[...constants.values()].map(item => item.slice(5))])('constant')}`
      constants.set(tensor, name)
      return name
    }
    for (const event of call.events) {
      if ('events' in event) this.#writeCall(module, event, nameTensor, createName, scope, lines)
      else if (this.#needed.has(event)) this.#writeNode(event, nameTensor, createName, scope, lines)
    }
    lines.push(`return ${returnExpression(call.output, nameTensor)}`)
    return `def forward(${['self', ...parameters.map(({ name }) => name)].join(', ')}):\n${indent(lines.join('\n'))}`
  }

  /**
   * Writes the line that calls a submodule.
   * @param {Module} module @param {ModuleCall} call @param {(tensor: Tensor) => string} nameTensor
   * @param {(preferred: string) => string} createName @param {Map<Tensor, string>} scope @param {string[]} lines
   */
  #writeCall(module, call, nameTensor, createName, scope, lines) {
    const { path } = call
    if (!path.length) throw unsupported(`${nameOf(module)} calls ${nameOf(call.module)}, which is not one of its submodules`)
    const callee = accessExpression('self', module, path.map(({ name }) => name).join('.'))
    const args = findBuiltin(call.module) ? argumentsText(call, nameTensor)
      : this.arguments(call).map(nameTensor).join(', ')
    const stem = path.map(({ name }) => name).slice(-2).filter((name, i, all) => i === all.length - 1 || /^\d+$/.test(all[i + 1]))
    const name = createName(toIdentifier(stem.join('_')))
    lines.push(`${name} = ${callee}(${args})`)
    for (const [tensor, expression] of resultExpressions(call.output, name)) scope.set(tensor, expression)
  }

  /**
   * Writes the line of an operation.
   * @param {Node} node @param {(tensor: Tensor) => string} nameTensor @param {(preferred: string) => string} createName
   * @param {Map<Tensor, string>} scope @param {string[]} lines
   */
  #writeNode(node, nameTensor, createName, scope, lines) {
    const { op, outputs } = node, createExpression = Object.hasOwn(EXPRESSIONS, op.name) ? EXPRESSIONS[op.name] : null
    if (!createExpression) throw unsupported(`the operation ${op.name} cannot be exported to PyTorch`)
    const text = createExpression(node, nameTensor, tensor => this.#isComputed(tensor))
    const nameOutput = (/** @type {Tensor} */ tensor) => {
      const last = (this.#recorded.nameOf(tensor) ?? op.name).replace(/:\d+$/, '').split('.').at(-1)
      const name = createName(toIdentifier(last ?? op.name))
      scope.set(tensor, name)
      return name
    }
    lines.push(op.name === 'attention' ? `${nameOutput(outputs.out)}, ${nameOutput(outputs.weights)} = ${text}`
      : `${nameOutput(outputs.out)} = ${text}`)
  }
}
