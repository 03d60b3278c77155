// Random programs: operations, views and edits on small tensors, run by the library and in float64 by the references
// of src/reference. The error that float32 may have is measured: the float64 run is repeated with every computed value
// perturbed by one rounding.
import { UNARY } from '../../src/js/ops/unary.js'
import { createRandom } from '../../src/training/models/random.js'
import * as reference from '../../src/reference/index.js'
import { map, zeros } from '../../src/reference/tensor.js'

const U = 2 ** -24
const sizeOf = shape => shape.reduce((size, side) => size * side, 1)

/** The parameters of a view: its shape, and the index in the source of each of its elements; −1 for a 0. */
const view = (shape, sources) => ({ shape, sources })
const views = {
  forward: ({ x }, { shape, sources }) => (
    { y: { shape, data: Float64Array.from(sources, at => (at < 0 ? 0 : x.data[at])) } }),
  backward({ x }, { sources }, { y: dy }) {
    const dx = zeros(x.shape)
    sources.forEach((at, i) => { if (at >= 0) dx.data[at] += dy.data[i] })
    return { x: dx }
  }
}
const indices = shape => Array.from({ length: sizeOf(shape) }, (_, i) => i)

function transposed([rows, columns]) {
  return view([columns, rows], indices([columns, rows]).map(i => (i % rows) * columns + Math.floor(i / rows)))
}

const ACTIVATIONS = Object.keys(UNARY).filter(name => UNARY[name].kind === 'activation')
const UNARY_NAMES = ['neg', 'abs', 'square', 'sin', 'cos', ...ACTIVATIONS]
/** An elementwise function and its derivative. */
const elementwise = (f, derivative) => ({
  forward: ({ x }) => ({ y: map(x, v => f(v)) }),
  backward: ({ x }, _, { y: dy }) => ({ x: map(x, (v, i) => dy.data[i] * derivative(v)) })
})

const logistic = v => 1 / (1 + Math.exp(-v))

/** erf by its Taylor series, or its continued fraction. @param {number} x */
function erf(x) {
  const size = Math.abs(x)
  if (size < 3) {
    let term = x, sum = x
    for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
      term *= -x * x / n
      sum += term / (2 * n + 1)
      if (n > 200) break
    }
    return 2 / Math.sqrt(Math.PI) * sum
  }
  let fraction = 0
  for (let n = 60; n > 0; n--) fraction = n / 2 / (size + fraction)
  return Math.sign(x) * (1 - Math.exp(-x * x) / Math.sqrt(Math.PI) / (size + fraction))
}

/** Functions that are composed of others, with their derivatives. */
const CURVES = [
  ['erf', erf, v => 2 / Math.sqrt(Math.PI) * Math.exp(-v * v)], ['expm1', Math.expm1, Math.exp],
  ['elu', v => (v > 0 ? v : Math.expm1(v)), v => (v > 0 ? 1 : Math.exp(v))]
]

/** A function of pairs of cells of x. */
const pairwise = (f, derivatives, arrange) => ({
  forward({ x }) {
    const { shape, pairs, data } = arrange(x.data)
    return { y: { shape, data: Float64Array.from(pairs, ([a, b]) => f(data[a], data[b])) } }
  },
  backward({ x }, _, { y: dy }) {
    const dx = zeros(x.shape), { pairs, data } = arrange(x.data)
    pairs.forEach(([a, b], i) => {
      const [da, db] = derivatives(data[a], data[b])
      dx.data[a] += dy.data[i] * da
      dx.data[b] += dy.data[i] * db
    })
    return { x: dx }
  }
})

/** A function of two tensors of one shape, x and end. */
const sideBySide = (f, derivatives) => ({
  forward: ({ x, end }) => ({ y: map(x, (v, i) => f(v, end.data[i])) }),
  backward: ({ x, end }, _, { y: dy }) => Object.fromEntries(['x', 'end'].map((name, n) =>
    [name, map(x, (v, i) => dy.data[i] * derivatives(v, end.data[i])[n])]))
})

/** Rows of x that rows of src are added to or replace: keeps says which part of the old value remains. */
const rowwise = (rows, combine, keeps, alpha, [R, C]) => ({
  forward({ x, src }) {
    const y = map(x, v => v)
    rows.forEach((row, n) => {
      for (let c = 0; c < C; c++) y.data[row * C + c] = combine(y.data[row * C + c], src.data[n * C + c])
    })
    return { y }
  },
  backward({ src }, _, { y: dy }) {
    const kept = Array.from({ length: R }, (__, row) => (rows.includes(row) ? keeps() : 1))
    const dsrc = zeros(src.shape)
    rows.forEach((row, n) => {
      for (let c = 0; c < C; c++) dsrc.data[n * C + c] = alpha * dy.data[row * C + c]
    })
    return { x: map(dy, (v, i) => v * kept[Math.floor(i / C)]), src: dsrc }
  }
})

/** Convolution of x [R, C] as R channels. */
function convolution({ O, K, stride, padding }, [R, C]) {
  const length = Math.floor((C + 2 * padding - K) / stride) + 1
  /** Calls `use` with the indices of x, weight and y of every product. */
  const walk = use => {
    for (const i of indices([O, R, K, length])) {
      const t = i % length, w = Math.floor(i / length), at = t * stride + w % K - padding, row = Math.floor(w / K)
      if (at >= 0 && at < C) use(row % R * C + at, w, Math.floor(row / R) * length + t)
    }
  }
  return {
    forward({ x, weight, bias }) {
      const y = zeros([O, length])
      y.data.forEach((_, i) => { y.data[i] = bias.data[Math.floor(i / length)] })
      walk((i, w, j) => { y.data[j] += x.data[i] * weight.data[w] })
      return { y }
    },
    backward({ x, weight, bias }, _, { y: dy }) {
      const dx = zeros(x.shape), dweight = zeros(weight.shape), dbias = zeros(bias.shape)
      walk((i, w, j) => {
        dx.data[i] += dy.data[j] * weight.data[w]
        dweight.data[w] += dy.data[j] * x.data[i]
      })
      dy.data.forEach((v, i) => { dbias.data[Math.floor(i / length)] += v })
      return { x: dx, weight: dweight, bias: dbias }
    }
  }
}

/**
 * The kinds of steps, as functions of a random source and of the shape [R, C] of the input. Null if the shape does not
 * fit; otherwise `of` is the reference, `params` its parameters, `leaves` the shapes of further inputs, and `run` calls
 * the library.
 */
const KINDS = {
  unary: ({ pick }) => {
    const op = pick(UNARY_NAMES)
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
 * Operations that the library composes of others, and those that arrange cells.
 * @type {typeof KINDS}
 */
const MORE_KINDS = {
  curve: ({ pick }) => {
    const [op, f, derivative] = pick(CURVES)
    return { of: elementwise(f, derivative), params: { op }, run: (gf, { x }) => gf.functional[op](x) }
  },
  glu: (draw, [R, C]) => (C % 2 ? null : {
    of: pairwise((a, b) => a * logistic(b), (a, b) => [logistic(b), a * logistic(b) * (1 - logistic(b))], data => {
      const half = C / 2, at = Array.from({ length: R * half }, (_, i) => Math.floor(i / half) * C + i % half)
      return { shape: [R, half], pairs: at.map(i => [i, i + half]), data }
    }), run: (gf, { x }) => gf.functional.glu(x)
  }),
  lerp: ({ pick }, [R, C]) => {
    const weight = pick([0.25, 0.5, 0.75])
    return { of: sideBySide((a, b) => a + weight * (b - a), () => [1 - weight, weight]), leaves: { end: [R, C] },
      run: (gf, { x, end }) => gf.functional.lerp(x, end, weight) }
  },
  between: ({ uniform }, [R, C]) => {
    const low = Math.fround(uniform() - 1), high = Math.fround(low + uniform())
    const isInside = v => v > low && v <= high
    return { of: elementwise(v => (isInside(v) ? 0.5 : v), v => (isInside(v) ? 0 : 1)), params: { op: `${R} ${C}` },
      run: (gf, { x }) => x.maskedFill(x.gt(low).bitwiseAnd(x.gt(high).bitwiseNot()), 0.5) }
  },
  index: ({ below, pick }, [R, C]) => {
    const rows = Array.from({ length: 1 + below(4) }, () => below(R)), step = 1 + below(3), start = below(C)
    const columns = Array.from({ length: Math.ceil((C - start) / step) }, (_, i) => start + i * step)
    const mask = Array.from({ length: R }, () => below(2)), seen = mask.flatMap((flag, row) => (flag ? [row] : []))
    const isMask = seen.length > 0 && pick([true, false]), chosen = isMask ? seen : rows
    const places = gf => (isMask ? gf.tensor(mask.map(Boolean)) : rows)
    const sources = chosen.flatMap(row => columns.map(column => row * C + column))
    return { of: views, params: view([chosen.length, columns.length], sources),
      run: (gf, { x }) => x.index(places(gf), ':').index(':', `${start}::${step}`) }
  },
  diagonal: ({ below }, [R, C]) => {
    const offset = below(R + C - 1) - R + 1, length = Math.min(R + Math.min(offset, 0), C - Math.max(offset, 0))
    const sources = Array.from({ length }, (_, i) => (i - Math.min(offset, 0)) * C + i + Math.max(offset, 0))
    return { of: views, params: view([1, length], sources), run: (gf, { x }) => x.diagonal(offset).unsqueeze(0) }
  },
  tile: ({ below }, [R, C]) => {
    const [a, b] = [1 + below(2), 1 + below(3)], shape = [a * R, b * C]
    const sources = indices(shape).map(i => Math.floor(i / shape[1]) % R * C + i % shape[1] % C)
    return { of: views, params: view(shape, sources), run: (gf, { x }) => x.tile([a, b]) }
  },
  swapaxes: ({ pick }, shape) => ({ of: views, params: transposed(shape), run: pick([
    (gf, { x }) => x.swapaxes(0, 1), (gf, { x }) => x.movedim(0, 1), (gf, { x }) => x.movedim([0, 1], [1, 0])]) }),
  unbind: ({ below }, [R, C]) => {
    const row = below(R)
    return { of: views, params: view([1, C], indices([C]).map(i => row * C + i)),
      run: (gf, { x }) => x.unbind()[row].unsqueeze(0) }
  },
  pad: ({ below }, [R, C]) => {
    const [left, right, top, bottom] = [0, 0, 0, 0].map(() => below(3)), shape = [R + top + bottom, C + left + right]
    const sources = indices(shape).map(i => {
      const row = Math.floor(i / shape[1]) - top, column = i % shape[1] - left
      return row >= 0 && row < R && column >= 0 && column < C ? row * C + column : -1
    })
    return { of: views, params: view(shape, sources),
      run: (gf, { x }) => gf.functional.pad(x, [left, right, top, bottom]) }
  },
  windows: ({ below }, [R, C]) => {
    const size = 1 + below(C), step = 1 + below(3), count = Math.floor((C - size) / step) + 1
    const sources = indices([R, count, size]).map(i =>
      Math.floor(i / (count * size)) * C + Math.floor(i / size) % count * step + i % size)
    return { of: views, params: view([R, count * size], sources),
      run: (gf, { x }) => x.unfold(1, size, step).reshape(R, count * size) }
  },
  indexAdd: ({ below, pick }, [R, C]) => {
    const n = 1 + below(4), rows = Array.from({ length: n }, () => below(R)), alpha = pick([1, -0.5])
    return { of: rowwise(rows, (y, src) => y + alpha * src, () => 1, alpha, [R, C]), leaves: { src: [n, C] },
      run: (gf, { x, src }) => x.indexAdd(0, rows, src, { alpha }) }
  },
  indexCopy: ({ below }, [R, C]) => {
    const rows = indices([R]).filter(() => below(2)), n = rows.length
    return n ? { of: rowwise(rows, (_, src) => src, () => 0, 1, [R, C]), leaves: { src: [n, C] },
      run: (gf, { x, src }) => x.indexCopy(0, rows, src) } : null
  },
  indexFill: ({ below }, [, C]) => {
    const columns = indices([C]).filter(() => below(2))
    const isFilled = i => columns.includes(i % C)
    return columns.length ? {
      of: { forward: ({ x }) => ({ y: map(x, (v, i) => (isFilled(i) ? 0.25 : v)) }),
        backward: (read, _, { y: dy }) => ({ x: map(dy, (v, i) => (isFilled(i) ? 0 : v)) }) },
      run: (gf, { x }) => x.indexFill(1, columns, 0.25)
    } : null
  },
  cumprod: (draw, [R, C]) => ({
    of: {
      forward({ x }) {
        const y = zeros(x.shape)
        x.data.forEach((v, i) => { y.data[i] = i % C ? y.data[i - 1] * v : v })
        return { y }
      },
      backward({ x }, __, { y: dy }) {
        const dx = zeros(x.shape)
        for (let r = 0; r < R; r++) for (let i = 0; i < C; i++) for (let j = i; j < C; j++) {
          let others = 1
          for (let k = 0; k <= j; k++) if (k !== i) others *= x.data[r * C + k]
          dx.data[r * C + i] += dy.data[r * C + j] * others
        }
        return { x: dx }
      }
    },
    run: (gf, { x }) => x.cumprod(1)
  }),
  conv1d: ({ below, pick }, [R, C]) => {
    const O = 1 + below(3), K = 1 + below(Math.min(3, C)), stride = pick([1, 2]), padding = below(2)
    return { of: convolution({ O, K, stride, padding }, [R, C]), leaves: { weight: [O, R, K], bias: [O] },
      run: (gf, { x, weight, bias }) => gf.functional.conv1d(x, weight, bias, { stride, padding }) }
  }
}
/**
 * Kinds whose results are not edited: views, which share memory with their source, and operations whose backward reads
 * their result, which the references compute again.
 */
const UNEDITED = ['reshape', 'narrow', 'transpose', 'attention', 'softmax', 'logSoftmax', 'unary', ...Object.keys(MORE_KINDS)]

/** A tensor of which only the shape matters. @param {number[]} shape */
const placeholder = shape => ({ shape, data: new Float64Array(sizeOf(shape)).fill(0.5) })

const ALL_KINDS = { ...KINDS, ...MORE_KINDS }

/**
 * A random program: its leaves with their values, its steps and its edits.
 * @param {number} seed @param {boolean} [hasMore] whether it may have all kinds of steps, at least one of MORE_KINDS
 */
export function programOf(seed, hasMore = false) {
  const kinds = hasMore ? ALL_KINDS : KINDS
  const draw = createRandom(seed), { below, pick, uniform, chance } = draw
  /** @type {Map<string, { shape: number[], data: Float32Array }>} */ const leaves = new Map()
  const leaf = (name, shape) => {
    leaves.set(name, { shape, data: Float32Array.from({ length: sizeOf(shape) }, () => (uniform() * 2 - 1) * 1.5) })
    return name
  }
  const values = [[leaf('x', [1 + below(6), 1 + below(9)]), leaves.get('x').shape]], steps = [], edits = []
  for (let n = 0; n < 3 + below(8); n++) {
    const [input, shape] = chance(0.75) ? values.at(-1) : pick(values)
    const isFirst = hasMore && !steps.length, kind = pick(Object.keys(isFirst ? MORE_KINDS : kinds))
    const step = sizeOf(shape) > 400 ? null : kinds[kind](draw, shape)
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
