import { GlassformerError, expect, isPlain } from '../errors.js'
import { ModuleDict } from '../nn/containers.js'
import { ModuleList, NumberedModules } from '../nn/containers.js'
import { Module, childrenOf } from '../nn/module.js'
import { Parameter } from '../nn/parameter.js'
import { Tensor } from '../tensor.js'
import {
  NO_CLASS, assignment, attribute, dtypeOf, identifier, indented, isTaken, literal, namesBeside, sides, tensorText,
  tuple
} from './python.js'
import { argumentsText } from './pytorch_calls.js'
import { HELPERS } from './pytorch_helpers.js'
import { isHolder, known, listText, nameOf } from './pytorch_modules.js'
import { EXPRESSIONS } from './pytorch_ops.js'
import { sourcesOf } from './record.js'

/**
 * Classes for modules whose forward is one's own: it is written as it ran.
 *
 * @typedef {import('../autograd.js').Node} Node
 * @typedef {import('./record.js').Called} Called
 * @typedef {import('./record.js').Recorded} Recorded
 */

/** @param {string} message */
const refused = message => new GlassformerError('type', `toPyTorch: ${message}`)

/**
 * What Python calls something inside of a module.
 * @param {string} base what the module is called @param {Module} module @param {string} path
 */
export function reached(base, module, path) {
  let text = base, /** @type {any} */ at = module
  for (const name of path ? path.split('.') : []) {
    text = at instanceof NumberedModules && /^\d+$/.test(name) ? `${text}[${name}]`
      : at instanceof ModuleDict ? `${text}[${literal(name)}]` : attribute(text, name)
    at = at?.[name]
  }
  return text
}

/**
 * The line that puts something there.
 * @param {string} base @param {Module} module @param {string} path @param {string} value
 */
export function placed(base, module, path, value) {
  const names = path.split('.'), name = /** @type {string} */ (names.pop()), holder = names.join('.')
  const at = names.reduce((/** @type {any} */ one, step) => one?.[step], module)
  return at instanceof NumberedModules || at instanceof ModuleDict ? `${reached(base, module, path)} = ${value}`
    : assignment(reached(base, module, holder), name, value)
}

/** Names of what a module holds, or an error for one that PyTorch has no place for. @param {Module} module */
function expectNames(module) {
  for (const [name] of [...module.ownTensors(), ...childrenOf(module)]) {
    expect(!isTaken(name, module instanceof ModuleDict), 'type', () => `toPyTorch: nothing inside ${nameOf(module)} can be ` +
      `called ${name === '' ? 'by an empty name' : JSON.stringify(name)}, as PyTorch's modules have that of their own; ` +
      'give it another name')
  }
}

/**
 * The tensors among the arguments of a call, with names: those of the parameters, or of the options.
 * @param {Called} called @returns {[string, Tensor][]}
 */
function tensorArguments({ module, inputs }) {
  const { inputNames } = /** @type {any} */ (module.constructor)
  const [, list = ''] = /^[^(]*\(([^)]*)\)/.exec(String(Object.getPrototypeOf(module).forward)) ?? []
  const parameters = list.split(',').map(name => name.trim().replace(/ *=.*/, ''))
  // What a class says of itself stays what it is where a bundler has shortened the names of parameters.
  const declared = inputNames === Module.inputNames ? [] : inputNames
  const nameAt = (/** @type {number} */ i) =>
    declared[i] ?? (/^\w+$/.test(parameters[i] ?? '') ? parameters[i] : inputNames[i] ?? `x${i}`)
  /** @param {string} name @param {any} value @returns {[string, Tensor][]} */
  const found = (name, value) => {
    if (value instanceof Tensor) return [[identifier(name), value]]
    if (Array.isArray(value)) return value.flatMap((one, i) => found(`${name}_${i}`, one))
    return isPlain(value) ? Object.entries(value).flatMap(([key, one]) => found(key, one)) : []
  }
  return inputs.flatMap((value, i) => found(nameAt(i), value))
}

/** All tensors of nested lists and objects. @param {unknown} value @returns {Tensor[]} */
function findTensors(value) {
  if (value instanceof Tensor) return [value]
  return Array.isArray(value) || isPlain(value) ? Object.values(value).flatMap(findTensors) : []
}

/** @param {any} output @param {(tensor: Tensor) => string} of @returns {string} */
function returned(output, of) {
  if (output instanceof Tensor) return of(output)
  if (Array.isArray(output)) return `[${output.map(one => returned(one, of)).join(', ')}]`
  if (isPlain(output)) return `{${Object.entries(output).map(([key, one]) => `${literal(key)}: ${returned(one, of)}`)
    .join(', ')}}`
  return literal(output)
}

/** Where the tensors of what a call gave are. @param {any} output @param {string} name @returns {[Tensor, string][]} */
function places(output, name) {
  if (output instanceof Tensor) return [[output, name]]
  if (Array.isArray(output)) return output.flatMap((one, i) => places(one, `${name}[${i}]`))
  return isPlain(output) ? Object.entries(output).flatMap(([key, one]) => places(one, `${name}[${literal(key)}]`)) : []
}

/** Everything that a script has of classes. */
export class Classes {
  /** @type {{ name: string, text: string }[]} */ list = []
  /** @type {Map<Module, Called[]>} */ #calls = new Map()
  /** @type {Map<Module, string>} */ #named = new Map()
  #recorded
  #needed

  /** @param {Recorded} recorded @param {Set<Node>} needed nodes that are to be written */
  constructor(recorded, needed) {
    this.#recorded = recorded
    this.#needed = needed
    const walk = (/** @type {Called} */ called) => {
      this.#calls.set(called.module, [...this.#calls.get(called.module) ?? [], called])
      for (const event of called.events) if ('events' in event) walk(event)
    }
    walk(recorded.called)
  }

  /** The tensors that a class of one's own is called with. @param {Called} called @returns {Tensor[]} */
  arguments(called) {
    return this.#given(called).map(([, tensor]) => tensor)
  }

  /** Those that its forward uses, with names; one that is given twice, once. @param {Called} called */
  #given(called) {
    return tensorArguments(called).filter(([, tensor], i, all) =>
      all.findIndex(([, other]) => other === tensor) === i && this.#uses(called, tensor))
  }

  /**
   * Whether what a call computes or gives depends on a tensor directly.
   * @param {Called} called @param {Tensor} tensor @returns {boolean}
   */
  #uses({ events, output }, tensor) {
    const isWithin = (/** @type {unknown[]} */ values) => values.some(value => findTensors(value).includes(tensor))
    return isWithin([output]) || events.some(event => ('events' in event
      ? known(event.module) ? isWithin([...event.inputs]) : this.#uses(event, tensor)
      : this.#needed.has(event) && sourcesOf(event).includes(tensor) &&
        (event.saved.origin?.positions !== tensor || this.#isComputed(tensor))))
  }

  /** Whether a tensor is an input of the model, or is computed of one or of weights. @param {Tensor} tensor */
  #isComputed(tensor) {
    const { inputs, nodes } = this.#recorded
    return inputs.some(input => input.tensor === tensor) ||
      nodes.some(node => this.#needed.has(node) && Object.values(node.outputs).includes(tensor))
  }

  /** How a module is made. @param {Module} module @returns {string} */
  text(module) {
    const builtin = known(module)
    if (builtin) return builtin.text(module, inner => this.text(inner))
    if (module instanceof ModuleList) return listText('nn.ModuleList', [...module].map(one => this.text(one)))
    if (isHolder(module)) {
      expectNames(module)
      const inside = childrenOf(module).map(([name, one]) => `\n${indented(`${literal(name)}: ${this.text(one)}`)}`)
      return inside.length ? `nn.ModuleDict({${inside.join(',')}\n})` : 'nn.ModuleDict()'
    }
    return `${this.#classOf(module)}()`
  }

  /** @param {Module} module */
  #classOf(module) {
    const ready = this.#named.get(module)
    if (ready) return ready
    const stem = nameOf(module).replace(/\W|^(?=\d)/g, '_') || 'Model', calls = this.#calls.get(module) ?? []
    expectNames(module)
    const { text, constants } = this.#forward(module, calls)
    const body = `${this.#init(module, constants)}\n\n${text}`
    const same = this.list.find(one => one.text === body && one.name.replace(/_\d+$/, '') === stem)
    const name = same?.name ?? this.#unused(stem)
    if (!same) this.list.push({ name, text: body })
    this.#named.set(module, name)
    return name
  }

  /** @param {string} stem */
  #unused(stem) {
    return namesBeside([...NO_CLASS, ...Object.keys(HELPERS), ...this.list.map(({ name }) => name)])(stem)
  }

  /** @param {Module} module @param {Map<Tensor, string>} constants */
  #init(module, constants) {
    const own = module.ownTensors().map(([name, tensor]) => (tensor instanceof Parameter
      ? assignment('self', name, `nn.Parameter(torch.zeros${sides(tensor.shape)})`)
      : module.unsavedNames.has(name) ? `self.register_buffer(${literal(name)}, ${tensorText(tensor)}, persistent=False)`
        : `self.register_buffer(${literal(name)}, torch.zeros(${tuple(tensor.shape)}, dtype=${dtypeOf(tensor.dtype)}))`))
    const inner = childrenOf(module).map(([name, child]) => assignment('self', name, this.text(child)))
    const fixed = [...constants].map(([tensor, name]) =>
      `self.register_buffer(${literal(name.slice('self.'.length))}, ${this.#constant(tensor)}, persistent=False)`)
    return `def __init__(self):\n${indented(['super().__init__()', ...own, ...inner, ...fixed].join('\n'))}`
  }

  /** Ids that are the same for every sentence are written for one. @param {Tensor} tensor */
  #constant(tensor) {
    const [B] = tensor.shape, { size, values } = tensor, row = size / B
    const isRepeated = tensor.dtype === 'int32' && tensor.shape.length > 1 && B > 1 && this.#spreads(tensor) &&
      values.every((/** @type {number} */ value, /** @type {number} */ i) => value === values[i % row])
    const { engine } = tensor
    return tensorText(isRepeated ? engine.view(tensor, [1, ...tensor.shape.slice(1)]) : tensor)
  }

  /** Whether all that comes of it is rows that are added to others. @param {Tensor} tensor */
  #spreads(tensor) {
    const { nodes } = this.#recorded, usersOf = (/** @type {Tensor} */ one) => nodes.filter(({ inputs, saved }) =>
      Object.values(inputs).includes(one) || Object.values(saved.origin ?? {}).includes(one))
    return usersOf(tensor).every(node => node.op.name === 'embedding' &&
      usersOf(node.outputs.out).every(({ op }) => op.name === 'add'))
  }

  /**
   * @param {Module} module @param {Called[]} calls
   * @returns {{ text: string, constants: Map<Tensor, string> }}
   */
  #forward(module, calls) {
    const constants = new Map()
    const texts = calls.map(called => this.#forwardOf(module, called, constants))
    if (!texts.length) return { text: 'def forward(self, *_):\n    raise NotImplementedError(\'was not called\')', constants }
    expect(texts.every(text => text === texts[0]), 'type',
      () => `toPyTorch: ${nameOf(module)} is called in different ways in one run; its forward cannot be written once`)
    return { text: texts[0], constants }
  }

  /** @param {Module} module @param {Called} called @param {Map<Tensor, string>} constants */
  #forwardOf(module, called, constants) {
    /** @type {Map<Tensor, string>} */ const scope = new Map()
    const fresh = namesBeside(Object.keys(HELPERS)), lines = /** @type {string[]} */ ([])
    const given = this.#given(called).map(([name, tensor]) => {
      const own = fresh(name)
      scope.set(tensor, own)
      return own
    })
    /** @type {Map<Tensor, string>} */ const keys = new Map()
    for (const [key, tensor] of Object.entries(module.stateDict())) if (!keys.has(tensor)) keys.set(tensor, key)
    const of = (/** @type {Tensor} */ tensor) => {
      const known = scope.get(tensor) ?? constants.get(tensor), key = keys.get(tensor)
      if (known) return known
      if (key !== undefined) return reached('self', module, key)
      const maker = this.#recorded.nodes.find(node => Object.values(node.outputs).includes(tensor))
      if (maker && this.#needed.has(maker)) throw refused(`${nameOf(module)} uses what was computed outside of its forward`)
      const name = `self.${namesBeside([...Object.keys(module), ...[...constants.values()].map(one => one.slice(5))])('constant')}`
      constants.set(tensor, name)
      return name
    }
    for (const event of called.events) {
      if ('events' in event) this.#writeCall(module, event, of, fresh, scope, lines)
      else if (this.#needed.has(event)) this.#writeNode(event, of, fresh, scope, lines)
    }
    lines.push(`return ${returned(called.output, of)}`)
    return `def forward(${['self', ...given].join(', ')}):\n${indented(lines.join('\n'))}`
  }

  /**
   * @param {Module} module @param {Called} called @param {(tensor: Tensor) => string} of
   * @param {(wanted: string) => string} fresh @param {Map<Tensor, string>} scope @param {string[]} lines
   */
  #writeCall(module, called, of, fresh, scope, lines) {
    const { path } = called
    if (!path.length) throw refused(`${nameOf(module)} calls ${nameOf(called.module)}, which is not inside it`)
    const way = reached('self', module, path.map(({ name }) => name).join('.'))
    const given = known(called.module) ? argumentsText(called, of)
      : this.arguments(called).map(of).join(', ')
    const stem = path.map(({ name }) => name).slice(-2).filter((name, i, all) => i === all.length - 1 || /^\d+$/.test(all[i + 1]))
    const name = fresh(identifier(stem.join('_')))
    lines.push(`${name} = ${way}(${given})`)
    for (const [tensor, place] of places(called.output, name)) scope.set(tensor, place)
  }

  /**
   * @param {Node} node @param {(tensor: Tensor) => string} of @param {(wanted: string) => string} fresh
   * @param {Map<Tensor, string>} scope @param {string[]} lines
   */
  #writeNode(node, of, fresh, scope, lines) {
    const { op, outputs } = node, rule = Object.hasOwn(EXPRESSIONS, op.name) ? EXPRESSIONS[op.name] : null
    if (!rule) throw refused(`the operation ${op.name} has no counterpart in PyTorch here`)
    const text = rule(node, of, tensor => this.#isComputed(tensor)), named = (/** @type {Tensor} */ tensor) => {
      const last = (this.#recorded.nameOf(tensor) ?? op.name).replace(/:\d+$/, '').split('.').at(-1)
      const own = fresh(identifier(last ?? op.name))
      scope.set(tensor, own)
      return own
    }
    lines.push(op.name === 'attention' ? `${named(outputs.out)}, ${named(outputs.weights)} = ${text}`
      : `${named(outputs.out)} = ${text}`)
  }
}
