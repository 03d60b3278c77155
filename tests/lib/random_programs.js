// Random programs: operations, views and edits on small tensors, run by the library and in float64 by the references
// of src/reference. The error that float32 may have is measured: the float64 run is repeated with every computed value
// perturbed by one rounding.
import { createRandom } from '../../web/models/random.js'
import * as reference from '../../src/reference/index.js'
import { map, zeros } from '../../src/reference/tensor.js'

const U = 2 ** -24
const sizeOf = shape => shape.reduce((size, side) => size * side, 1)

/** The parameters of a view: its shape, and the index in the source of each of its elements. */
const view = (shape, sources) => ({ shape, sources })
const views = {
  forward: ({ x }, { shape, sources }) => ({ y: { shape, data: Float64Array.from(sources, at => x.data[at]) } }),
  backward({ x }, { sources }, { y: dy }) {
    const dx = zeros(x.shape)
    sources.forEach((at, i) => { dx.data[at] += dy.data[i] })
    return { x: dx }
  }
}
const indices = shape => Array.from({ length: sizeOf(shape) }, (_, i) => i)

function transposed([rows, columns]) {
  return view([columns, rows], indices([columns, rows]).map(i => (i % rows) * columns + Math.floor(i / rows)))
}

const UNARY = ['neg', 'abs', 'square', 'tanh', 'sigmoid', 'silu', 'sin', 'cos', 'relu', 'leakyRelu', 'softplus']
/**
 * The kinds of steps, as functions of a random source and of the shape [R, C] of the input. Null if the shape does not
 * fit; otherwise `of` is the reference, `params` its parameters, `leaves` the shapes of further inputs, and `run` calls
 * the library.
 */
const KINDS = {
  unary: ({ pick }) => {
    const op = pick(UNARY)
    return { of: reference.unary, params: { op }, run: (gf, { x }) => gf.functional[op](x) }
  },
  gelu: ({ pick }) => {
    const approximate = pick(['none', 'tanh'])
    return { of: reference.gelu, params: { approximate }, run: (gf, { x }) => gf.functional.gelu(x, { approximate }) }
  },
  softmax: () => ({ of: reference.softmax, run: (gf, { x }) => gf.functional.softmax(x) }),
  logSoftmax: () => ({ of: reference.log_softmax, run: (gf, { x }) => gf.functional.logSoftmax(x) }),
  layerNorm: (_, [, C]) => (C < 2 ? null : {
    of: reference.layer_norm, params: { eps: 1e-3 }, leaves: { weight: [C], bias: [C] },
    run: (gf, { x, weight, bias }) => gf.functional.layerNorm(x, weight, bias, { eps: 1e-3 })
  }),
  linear: ({ below, chance }, [, C]) => {
    const O = 1 + below(9), hasBias = chance(0.5)
    return { of: reference.linear, leaves: { weight: [O, C], ...(hasBias && { bias: [O] }) },
      run: (gf, { x, weight, bias = null }) => gf.functional.linear(x, weight, bias) }
  },
  matmul: ({ below }, [, C]) => ({
    of: { forward: ({ x, b }) => reference.matmul.forward({ a: x, b }),
      backward: ({ x, b }, _, cot) => {
        const { a, b: db } = reference.matmul.backward({ a: x, b }, {}, cot)
        return { x: a, b: db }
      } },
    leaves: { b: [C, 1 + below(8)] }, run: (gf, { x, b }) => x.matmul(b)
  }),
  binary: ({ pick, chance }, [R, C]) => {
    const op = pick(['add', 'sub', 'mul']), other = pick([[R, C], [C], [1, C], [R, 1], []]), swaps = chance(0.3)
    const names = swaps ? ['z', 'x'] : ['x', 'z']
    return {
      of: { forward: read => reference.binary.forward({ a: read[names[0]], b: read[names[1]] }, { op }),
        backward: (read, _, cot) => {
          const { a, b } = reference.binary.backward({ a: read[names[0]], b: read[names[1]] }, { op }, cot)
          return { [names[0]]: a, [names[1]]: b }
        } },
      leaves: { z: other }, run: (gf, read) => gf.functional[op](read[names[0]], read[names[1]])
    }
  },
  /** A value that is used twice by one operation. */
  twice: () => ({
    of: { forward: ({ x }) => reference.mul.forward({ a: x, b: x }),
      backward: ({ x }, _, cot) => {
        const { a, b } = reference.mul.backward({ a: x, b: x }, {}, cot)
        return { x: map(a, (v, i) => v + b.data[i]) }
      } },
    run: (gf, { x }) => x.mul(x)
  }),
  reduce: ({ pick }) => {
    const op = pick(['sum', 'mean', 'var']), dim = pick([0, 1])
    return { of: reference.reduce, params: { op, dim, keepdim: true, correction: 0 },
      run: (gf, { x }) => x[op]({ dim, keepdim: true, ...(op === 'var' && { correction: 0 }) }) }
  },
  transpose: ({ pick }, shape) => {
    const [a, b] = pick([[0, 1], [-1, -2], [-2, 1]])
    return { of: views, params: transposed(shape), run: (gf, { x }) => x.transpose(a, b) }
  },
  narrow: ({ below }, [R, C]) => {
    const start = below(C), length = 1 + below(C - start), shape = [R, length]
    return { of: views, params: view(shape, indices(shape).map(i => Math.floor(i / length) * C + start + i % length)),
      run: (gf, { x }) => x.narrow(1, start, length) }
  },
  reshape: ({ pick }, [R, C]) => {
    const sides = Array.from({ length: R * C }, (_, i) => i + 1).filter(side => R * C % side === 0), rows = pick(sides)
    const shape = [rows, R * C / rows]
    return { of: views, params: view(shape, indices(shape)), run: (gf, { x }) => x.reshape(shape) }
  },
  cat: (_, [R, C]) => {
    const shape = [2 * R, C]
    return { of: views, params: view(shape, indices(shape).map(i => i % (R * C))), run: (gf, { x }) => gf.cat([x, x]) }
  },
  embedding: ({ below }, [R]) => {
    const ids = Array.from({ length: 1 + below(6) }, () => below(R)), idx = { shape: [ids.length], data: ids }
    return { of: { forward: ({ x }) => reference.embedding.forward({ idx, weight: x }),
      backward: ({ x }, _, cot) => ({ x: reference.embedding.backward({ idx, weight: x }, {}, cot).weight }) },
    run: (gf, { x }) => gf.functional.embedding(ids, x) }
  },
  attention: ({ chance, below }, [R, C]) => {
    const causal = chance(0.5), keys = causal ? R : 1 + below(6)
    const four = ({ shape, data }) => ({ shape: [1, 1, ...shape], data })
    const two = ({ shape, data }) => ({ shape: shape.slice(2), data })
    return {
      of: { forward: ({ x, k, v }) => (
        { y: two(reference.attention.forward({ q: four(x), k: four(k), v: four(v) }, { causal }).y) }),
      backward: ({ x, k, v }, _, { y }) => {
        const d = reference.attention.backward({ q: four(x), k: four(k), v: four(v) }, { causal }, { y: four(y) })
        return { x: two(d.q), k: two(d.k), v: two(d.v) }
      } },
      leaves: { k: [keys, C], v: [keys, C] },
      run: (gf, { x, k, v }) => gf.functional.scaledDotProductAttention(
        ...[x, k, v].map(t => t.reshape([1, 1, ...t.shape])), { isCausal: causal }).reshape(x.shape)
    }
  }
}

/**
 * Kinds whose results are not edited: views, which share memory with their source, and operations whose backward reads
 * their result, which the references compute again.
 */
const UNEDITED = ['reshape', 'narrow', 'transpose', 'attention', 'softmax', 'logSoftmax', 'unary']

/** A tensor of which only the shape matters. @param {number[]} shape */
const placeholder = shape => ({ shape, data: new Float64Array(sizeOf(shape)).fill(0.5) })

/** A random program: its leaves with their values, its steps and its edits. @param {number} seed */
export function programOf(seed) {
  const draw = createRandom(seed), { below, pick, uniform, chance } = draw
  /** @type {Map<string, { shape: number[], data: Float32Array }>} */ const leaves = new Map()
  const leaf = (name, shape) => {
    leaves.set(name, { shape, data: Float32Array.from({ length: sizeOf(shape) }, () => (uniform() * 2 - 1) * 1.5) })
    return name
  }
  const values = [[leaf('x', [1 + below(6), 1 + below(9)]), leaves.get('x').shape]], steps = [], edits = []
  for (let n = 0; n < 3 + below(8); n++) {
    const [input, shape] = chance(0.75) ? values.at(-1) : pick(values), kind = pick(Object.keys(KINDS))
    const step = sizeOf(shape) > 400 ? null : KINDS[kind](draw, shape)
    if (!step) continue
    const reads = { x: input, ...Object.fromEntries(Object.entries(step.leaves ?? {})
      .map(([key, sides]) => [key, leaf(`${key}${n}`, sides)])) }
    const inputs = Object.fromEntries(Object.entries(reads).map(([key, name]) => [key, placeholder(shapeOf(name))]))
    const out = `s${n}`, { y } = step.of.forward(inputs, step.params ?? {})
    steps.push({ ...step, kind, params: step.params ?? {}, reads, out })
    values.push([out, y.shape])
    if (!chance(0.15) || UNEDITED.includes(kind)) continue
    edits.push({ name: out, index: y.shape.map(side => below(side)), value: Math.fround(uniform() * 2 - 1) })
  }
  /** @param {string} name */
  function shapeOf(name) {
    return leaves.get(name)?.shape ?? values.find(([other]) => other === name)[1]
  }
  const last = values.at(-1)
  const weights = Float32Array.from({ length: sizeOf(last[1]) }, () => uniform() - 0.5)
  return { seed, leaves, steps, edits, out: last[0], weights }
}

/** @param {{ shape: number[] }} tensor @param {number[]} index */
const flatIndex = ({ shape }, index) => index.reduce((at, i, axis) => at * shape[axis] + i, 0)

/**
 * Runs a program in float64: all its values and the gradients of its leaves. With a seed every value is perturbed by
 * one rounding, up or down, when it is computed and when it is read. This models kernels of small backward error, which
 * are exact for slightly different inputs.
 * @param {ReturnType<typeof programOf>} program @param {number} [seed]
 */
export function inDouble({ leaves, steps, edits, out, weights }, seed = 0) {
  const draw = createRandom(seed), perturb = t => (seed ? map(t, v => v * (1 + (draw.below(3) - 1) * U)) : t)
  /** @type {Map<string, any>} */ const values = new Map()
  for (const [name, { shape, data }] of leaves) values.set(name, { shape, data: Float64Array.from(data) })
  const readInputs = ({ reads }) => Object.fromEntries(Object.entries(reads).map(([key, name]) => (
    [key, perturb(values.get(name))])))
  for (const step of steps) {
    const y = perturb(step.of.forward(readInputs(step), step.params).y)
    for (const { name, index, value } of edits) if (name === step.out) y.data[flatIndex(y, index)] = value
    values.set(step.out, y)
  }
  /** @type {Map<string, any>} */ const gradients = new Map()
  gradients.set(out, { shape: values.get(out).shape, data: Float64Array.from(weights) })
  for (const step of [...steps].reverse()) {
    const dy = gradients.get(step.out)
    if (!dy) continue
    const inputGradients = step.of.backward(readInputs(step), step.params, { y: perturb(dy) })
    for (const [key, name] of Object.entries(step.reads)) {
      const gradient = perturb(inputGradients[key]), sum = gradients.get(name)
      gradients.set(name, sum ? perturb(map(sum, (v, i) => v + gradient.data[i])) : gradient)
    }
  }
  return { values, gradients }
}

/**
 * Runs a program by the library, in a trace with its edits.
 * @param {any} gf @param {ReturnType<typeof programOf>} program
 */
export function inLibrary(gf, { leaves, steps, edits, out, weights }) {
  const tensors = new Map(Array.from(leaves, ([name, { shape, data }]) => (
    [name, gf.tensor(data, { shape, requiresGrad: true })])))
  const { trace } = gf.trace(() => {
    const values = new Map(tensors)
    for (const { run, reads, out: result } of steps) {
      const y = run(gf, Object.fromEntries(Object.entries(reads).map(([key, name]) => [key, values.get(name)])))
      gf.engine.trace.tag(result, y)
      values.set(result, y)
    }
    const last = values.get(out)
    last.mul(gf.tensor(weights, { shape: last.shape })).sum().backward()
  }, { edits, allowMissing: true })
  return { trace, tensors }
}
