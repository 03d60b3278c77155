import { describe, expect, isPlain } from '../errors.js'
import { indicesOf, range, sizeOf } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'
import { TYPES, int64Bytes } from './onnx_file.js'
import { unsupported } from './onnx_graph.js'

/**
 * Gives axes of an exported graph any length. The model runs with other lengths, too; what differs between the graphs,
 * such as shapes, positions and causal masks, is computed from the length in the graph.
 *
 * @typedef {import('./onnx_file.js').OnnxNode} OnnxNode
 * @typedef {import('./onnx_file.js').Initializer & { isState?: boolean }} Initializer
 * @typedef {import('./onnx_file.js').Value} Value
 * @typedef {{ nodes: OnnxNode[], initializers: Initializer[], inputs: Value[], outputs: Value[] }} Graph
 *
 * @typedef {Record<string, Record<number, string> | readonly number[]>} DynamicAxes as in torch.onnx.export
 * @typedef {{ name: string, places: { input: string, axis: number }[] }} FreeLength a name and the axes that have it
 *
 * A number that depends on lengths: constant + Σ factor × length, by the names of the lengths.
 * @typedef {{ constant: number, factors: Map<string, number> }} Affine
 * @typedef {{ lengths: Map<string, number>, graph: Graph }} Variant a graph and the lengths it was made with
 */

/** How many further lengths the graph is compared at, and how far they are from the example's. */
const COMPARISONS = 2, DISTANCES = [1, 2, 3, -1, -2, -3]

/**
 * The lengths by name, and the axes of each.
 * @param {unknown} axes @param {readonly Value[]} inputs of the graph
 * @returns {FreeLength[]}
 */
export function readDynamicAxes(axes, inputs) {
  expect(isPlain(axes), 'type', () => 'toOnnx: dynamicAxes must be an object of axes by the names of inputs, such as ' +
    `{ ids: { 1: 'sequence' } }, got ${describe(axes)}`)
  /** @type {Map<string, FreeLength['places']>} */ const all = new Map()
  for (const [input, own] of Object.entries(/** @type {DynamicAxes} */ (axes))) {
    const value = inputs.find(one => one.name === input)
    expect(value !== undefined, 'range', () => `toOnnx: dynamicAxes names ${describe(input)}, but the inputs of the graph are ` +
      inputs.map(one => one.name).join(', '))
    const named = Array.isArray(own) ? own.map(axis => [axis, `${input}_dynamic_axes_${axis}`])
      : Object.entries(own ?? {})
    for (const [key, name] of named) {
      const axis = Number(key), rank = value.shape.length
      expect(Number.isInteger(axis) && axis >= 0 && axis < rank, 'range',
        () => `toOnnx: dynamicAxes.${input} must name axes from 0 to ${rank - 1}, got ${describe(key)}`)
      expect(typeof name === 'string' && name !== '', 'type',
        () => `toOnnx: dynamicAxes.${input}[${axis}] must be the name of a length, got ${describe(name)}`)
      all.set(name, [...all.get(name) ?? [], { input, axis }])
    }
  }
  return [...all].map(([name, places]) => ({ name, places }))
}

/**
 * Every index along an axis, repeated up to another length.
 * @param {any} value @param {number} axis @param {number} length
 */
function resize(value, axis, length) {
  if (value instanceof Tensor) return value.indexSelect(axis, range(length).map(i => i % value.shape[axis]))
  /** @type {(list: any, depth: number) => any} */
  const of = (list, depth) => (depth === 0 ? range(length).map(i => list[i % list.length])
    : list.map((/** @type {any} */ inner) => of(inner, depth - 1)))
  return of(value, axis)
}

/**
 * The inputs with another length on some axes.
 * @param {any} inputs as toOnnx takes them @param {FreeLength['places']} places @param {number} length
 */
function resizeInputs(inputs, places, length) {
  const resizeOne = (/** @type {string} */ name, /** @type {any} */ value) =>
    places.filter(place => place.input === name).reduce((one, { axis }) => resize(one, axis, length), value)
  if (isPlain(inputs)) {
    return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, resizeOne(name, value)]))
  }
  return places.some(({ input }) => input === 'input') ? resizeOne('input', inputs)
    : inputs.map((/** @type {any} */ value, /** @type {number} */ i) => resizeOne(`input_${i}`, value))
}

/** Where each value of a graph comes from: equal in graphs of the same structure. @param {Graph} graph */
function originsOf({ nodes, inputs, initializers }) {
  /** @type {Map<string, string>} */ const origins = new Map(inputs.map(({ name }) => [name, `input ${name}`]))
  for (const { name, isState } of initializers) origins.set(name, isState ? `weight ${name}` : 'constant')
  nodes.forEach(({ outputs }, n) => outputs.forEach((name, i) => origins.set(name, `node ${n} ${i}`)))
  return origins
}

/**
 * The first node in which the structure of two graphs differs.
 * @param {Graph} a @param {Graph} b @returns {string | null}
 */
function findDifference(a, b) {
  const [from, to] = [a, b].map(originsOf)
  const same = (/** @type {OnnxNode} */ p, /** @type {OnnxNode | undefined} */ q) => q && p.type === q.type &&
    p.inputs.map(name => from.get(name)).join() === q.inputs.map(name => to.get(name)).join() &&
    JSON.stringify(p.attributes) === JSON.stringify(q.attributes)
  const n = a.nodes.findIndex((node, i) => !same(node, b.nodes[i]))
  if (n >= 0) return a.nodes[n].name
  return a.nodes.length === b.nodes.length ? null : b.nodes[a.nodes.length].name
}

/** The numbers of a constant. @param {Initializer} constant @returns {number[]} */
function numbersOf({ dtype, bytes }) {
  const { buffer } = bytes.slice()
  return dtype === 'int32' ? Array.from(new BigInt64Array(buffer), Number)
    : dtype === 'float32' ? Array.from(new Float32Array(buffer)) : Array.from(new Uint8Array(buffer))
}

/** The operators that compute lengths and what depends on them. */
class LengthComputations {
  /** @type {OnnxNode[]} */ nodes = []
  /** @type {Map<string, Initializer>} */ constants = new Map()
  /** @type {Map<string, string>} */ #computed = new Map()

  /** @param {readonly FreeLength[]} lengths @param {Set<string>} usedNames */
  constructor(lengths, usedNames) {
    this.lengths = new Map(lengths.map(length => [length.name, length]))
    this.usedNames = usedNames
  }

  /** @param {string} preferred */
  #uniqueName(preferred) {
    let name = preferred
    for (let n = 2; this.usedNames.has(name); n++) name = `${preferred}_${n}`
    this.usedNames.add(name)
    return name
  }

  /**
   * A value that is computed once.
   * @param {string} type @param {string[]} inputs @param {Record<string, any>} [attributes]
   */
  add(type, inputs, attributes = {}) {
    const key = JSON.stringify([type, inputs, attributes]), known = this.#computed.get(key)
    if (known !== undefined) return known
    const name = this.#uniqueName(`lengths/${type}`)
    this.nodes.push({ type, name, inputs, outputs: [name], attributes })
    this.#computed.set(key, name)
    return name
  }

  /** @param {readonly number[]} shape @param {'int32' | 'float32'} dtype @param {readonly number[]} values */
  constant(shape, dtype, values) {
    const key = `${dtype} ${shape} ${values}`, known = this.constants.get(key)
    if (known) return known.name
    const name = this.#uniqueName('lengths/constant')
    const bytes = dtype === 'int32' ? int64Bytes(values) : new Uint8Array(Float32Array.from(values).buffer)
    this.constants.set(key, { name, shape, dtype, bytes })
    return name
  }

  /** @param {readonly number[]} list */
  ints(list) {
    return this.constant([list.length], 'int32', list)
  }

  /** A number as a list of one. @param {Affine} number @returns {string} */
  number({ constant, factors }) {
    const parts = [...factors].map(([name, factor]) => {
      const [{ input, axis }] = /** @type {FreeLength} */ (this.lengths.get(name)).places
      const length = this.add('Shape', [input], { start: axis, end: axis + 1 })
      return factor === 1 ? length : this.add('Mul', [length, this.ints([factor])])
    })
    if (constant || !parts.length) parts.push(this.ints([constant]))
    return parts.reduce((sum, part) => this.add('Add', [sum, part]))
  }

  /** A list of numbers. @param {Affine[]} list */
  list(list) {
    return list.length === 1 ? this.number(list[0]) : this.add('Concat', list.map(one => this.number(one)), { axis: 0 })
  }

  /** @param {string} list of one number */
  scalar(list) {
    return this.add('Squeeze', [list, this.ints([0])])
  }

  /** The integers from a first to before first + count, as a list. @param {number} first @param {Affine} count */
  range(first, count) {
    const end = this.number({ ...count, constant: count.constant + first })
    return this.add('Range', [this.constant([], 'int32', [first]), this.scalar(end), this.constant([], 'int32', [1])])
  }
}

/**
 * The number that has these values at the lengths of the variants; null if it is no sum of multiples of lengths.
 * @param {readonly number[]} values @param {readonly Variant[]} variants the example first @returns {Affine | null}
 */
function affineOf(values, variants) {
  const [base] = variants, /** @type {Map<string, number>} */ factors = new Map()
  const changed = (/** @type {Variant} */ variant) =>
    [...variant.lengths].find(([name, length]) => base.lengths.get(name) !== length)
  for (const [name, length] of base.lengths) {
    const n = variants.findIndex(variant => changed(variant)?.[0] === name)
    const factor = (values[n] - values[0]) / (/** @type {number} */ (variants[n].lengths.get(name)) - length)
    if (!Number.isInteger(factor)) return null
    if (factor) factors.set(name, factor)
  }
  const sumAt = (/** @type {Variant} */ { lengths }) =>
    [...factors].reduce((sum, [name, factor]) => sum + factor * /** @type {number} */ (lengths.get(name)), 0)
  const constant = values[0] - sumAt(base)
  return variants.every((variant, n) => sumAt(variant) + constant === values[n]) ? { constant, factors } : null
}

/** @param {readonly (readonly number[])[]} lists one of each variant @param {readonly Variant[]} variants */
function affineList(lists, variants) {
  const list = lists[0].map((_, i) => affineOf(lists.map(one => one[i]), variants))
  return list.every(one => one !== null) ? /** @type {Affine[]} */ (list) : null
}

/**
 * The operators for a constant that differs between the variants.
 * @param {LengthComputations} c @param {Initializer[]} constants one of each variant
 * @param {readonly Variant[]} variants @returns {string | null} null for values that follow no rule known here
 */
function computeConstant(c, constants, variants) {
  const [{ dtype, shape }] = constants, rank = shape.length, values = constants.map(numbersOf)
  if (constants.some(one => one.shape.length !== rank || one.dtype !== dtype)) return null
  const sides = affineList(constants.map(one => one.shape), variants)
  if (!sides || !['int32', 'float32', 'bool'].includes(dtype)) return null
  const toType = (/** @type {string} */ value) =>
    (dtype === 'int32' ? value : c.add('Cast', [value], { to: TYPES[dtype] }))
  if (sides.every(({ factors }) => factors.size === 0)) {
    const list = rank < 2 ? affineList(values, variants) : null
    return list && list.length ? toType(rank ? c.list(list) : c.scalar(c.number(list[0]))) : null
  }
  const expand = (/** @type {string} */ value) => c.add('Expand', [value, c.list(sides)])
  const first = values[0][0]
  if (values.every(list => list.every(value => Object.is(value, first)))) {
    const scalar = dtype === 'float32' ? c.constant([], 'float32', [first]) : c.constant([], 'int32', [first])
    return dtype === 'bool' ? toType(expand(scalar)) : expand(scalar)
  }
  const free = range(rank).filter(axis => sides[axis].factors.size > 0)
  const followsRule = (/** @type {(index: number[]) => number} */ rule) =>
    constants.every((one, n) => indicesOf([...one.shape]).every((index, i) => Object.is(values[n][i], rule(index))))
  for (const axis of free) if (followsRule(index => first + index[axis]) && dtype !== 'bool') {
    const shapeOfColumn = range(rank).map(i => (i === axis ? -1 : 1))
    return expand(toType(c.add('Reshape', [c.range(first, sides[axis]), c.ints(shapeOfColumn)])))
  }
  return rank < 2 ? null : computeTriangle(c, constants, values, sides, expand, followsRule)
}

/**
 * A constant whose cells depend on whether they are below, on or above the diagonal of the last two axes, such as a
 * causal mask.
 * @param {LengthComputations} c @param {Initializer[]} constants @param {number[][]} values @param {Affine[]} sides
 * @param {(value: string) => string} expand @param {(rule: (index: number[]) => number) => boolean} followsRule
 */
function computeTriangle(c, constants, values, sides, expand, followsRule) {
  const sizes = constants.map(({ shape }) => sizeOf(shape)), largest = sizes.indexOf(Math.max(...sizes))
  const [{ dtype, shape: { length: rank } }] = constants
  const columns = /** @type {number} */ (constants[largest].shape.at(-1))
  const [on, above, below] = [0, 1, columns].map(at => values[largest][at])
  const rule = (/** @type {number[]} */ index) => {
    const ahead = index[rank - 1] - index[rank - 2]
    return ahead > 0 ? above : ahead < 0 ? below : on
  }
  if (columns < 2 || !followsRule(rule)) return null
  const [rows, cells] = sides.slice(-2).map((side, i) => c.add('Unsqueeze', [c.range(0, side), c.ints([1 - i])]))
  const type = dtype === 'float32' ? 'float32' : 'int32'
  const [onValue, aboveValue, belowValue] = [on, above, below].map(value => c.constant([], type, [value]))
  const lower = c.add('Where', [c.add('Less', [cells, rows]), belowValue, onValue])
  const matrix = c.add('Where', [c.add('Greater', [cells, rows]), aboveValue, lower])
  const result = rank > 2 ? expand(matrix) : matrix
  return dtype === 'bool' ? c.add('Cast', [result], { to: TYPES.bool }) : result
}

/** @param {readonly number[]} shape @param {Initializer} constant */
const describeConstant = (shape, { dtype }) => `a ${dtype} constant of shape [${shape.join(', ')}]`

/**
 * Rewrites a graph so that some of its axes have any length.
 * @param {Graph} graph of the example
 * @param {FreeLength[]} lengths
 * @param {any} inputs as toOnnx takes them
 * @param {(inputs: any) => Graph} build the graph of other inputs, without the values of weights
 * @returns {Graph}
 */
export function freeLengths(graph, lengths, inputs, build) {
  const sizeAt = (/** @type {FreeLength['places'][0]} */ { input, axis }) =>
    Number(graph.inputs.find(({ name }) => name === input)?.shape[axis])
  const isBatch = (/** @type {FreeLength} */ { places }) => places.every(place => place.axis === 0 && sizeAt(place) < 0)
  const free = lengths.filter(length => !isBatch(length)), batches = lengths.filter(isBatch)
  const sizes = new Map(free.map(({ name, places }) => {
    const [first, ...rest] = places.map(sizeAt)
    expect(first > 0, 'range', () => `toOnnx: dynamicAxes names a batch and another axis ${name}; give them two names`)
    expect(rest.every(size => size === first), 'shape', () => `toOnnx: all axes called ${name} in dynamicAxes must ` +
      `have the same length, got ${[first, ...rest].join(', ')}`)
    return [name, first]
  }))
  /** @type {Variant[]} */ const variants = [{ lengths: sizes, graph }]
  for (const { name, places } of free) variants.push(...findVariants(name, places))

  /** @param {string} name @param {FreeLength['places']} places @returns {Variant[]} */
  function findVariants(name, places) {
    const found = [], size = /** @type {number} */ (sizes.get(name))
    let reason = ''
    for (const distance of DISTANCES) {
      if (size + distance < 1 || found.length === COMPARISONS) continue
      const other = buildOrExplain(resizeInputs(inputs, places, size + distance))
      if (typeof other === 'string') {
        reason ||= `with a length of ${size + distance}: ${other}`
        continue
      }
      const difference = findDifference(graph, other)
      if (difference !== null) {
        throw unsupported(`${name} cannot have any length: ${difference} is another operator with a length of ` +
          `${size + distance}`)
      }
      found.push({ lengths: new Map([...sizes, [name, size + distance]]), graph: other })
    }
    if (found.length < COMPARISONS) throw unsupported(`${name} cannot have any length: ${reason}`)
    return found
  }

  /** The graph, or why there is none: the model may be unable to run with this length. @param {any} given */
  function buildOrExplain(given) {
    try {
      return build(given)
    } catch (error) {
      return /** @type {Error} */ (error).message
    }
  }

  const usedNames = new Set([...originsOf(graph).keys(), ...graph.outputs.map(({ name }) => name)])
  const computations = new LengthComputations(free, usedNames)
  const constants = variants.map(variant => new Map(variant.graph.initializers.map(one => [one.name, one])))
  const nodes = graph.nodes.map((node, n) => ({
    ...node,
    inputs: node.inputs.map((input, i) => {
      const own = variants.map((variant, v) => constants[v].get(variant.graph.nodes[n].inputs[i]))
      const [first] = own
      if (!first || first.isState) return input
      const all = /** @type {Initializer[]} */ (own), { shape, bytes } = first
      const isSame = all.every(one =>
        one.shape.join() === shape.join() && one.bytes.every((byte, at) => byte === bytes[at]))
      if (isSame) return input
      const value = computeConstant(computations, all, variants)
      if (value !== null) return value
      const differing = variants.find((_, v) => v && all[v].shape.join() !== shape.join()) ?? variants[1]
      const name = [...differing.lengths].find(([key, length]) => sizes.get(key) !== length)?.[0]
      throw unsupported(`${name} cannot have any length: ${node.name} reads ${describeConstant(shape, first)}, whose ` +
        'values depend on it; compute them by operations, or from a buffer that is cut to the length')
    })
  }))
  const used = new Set(nodes.flatMap(node => node.inputs))
  const initializers = graph.initializers.filter(one => used.has(one.name))
  return {
    nodes: [...computations.nodes, ...nodes],
    initializers: [...initializers, ...computations.constants.values()],
    inputs: graph.inputs.map((value, i) => nameSides(value, variants.map(one => one.graph.inputs[i]))),
    outputs: graph.outputs.map((value, i) => nameSides(value, variants.map(one => one.graph.outputs[i])))
  }

  /** @param {Value} value @param {Value[]} all of each variant @returns {Value} with names for its free sides */
  function nameSides(value, all) {
    const shape = value.shape.map((side, axis) => {
      const batch = batches.find(({ places }) => axis === 0 && side === -1 && places.length)
      if (batch) return batch.name
      const number = affineOf(all.map(one => Number(one.shape[axis])), variants)
      if (number?.factors.size === 0) return side
      const [[name, factor] = ['', 0], ...more] = number?.factors ?? []
      return factor === 1 && !more.length && number?.constant === 0 ? name : `${value.name}_${axis}`
    })
    return { ...value, shape }
  }
}
