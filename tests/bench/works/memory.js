// Operations with little arithmetic per value. On 64 MB they should take no longer than the slower of two: the memory
// traffic alone, and the arithmetic alone, which is measured on as many values that stay in the cache.
import { binary, unary } from '../../../src/reference/elementwise.js'
import { norm } from '../../../src/reference/norms.js'
import * as reduce from '../../../src/reference/reduce.js'
import * as rotary from '../../../src/reference/rotary.js'
import { ofSlower } from '../lib/claims.js'
import { MEMORY, move } from '../lib/limit.js'
import { numbers } from '../../lib/numbers.js'
import { F, gf, ourSide, toTensor } from '../lib/ours.js'

const ROWS = 16384, C = 1024, PARTS = 64
const CACHE = 'in the cache'
/** In percent of the speed of the slower one: at most 1.3 times as long. */
const TARGET = 77

/** The shape of queries of several heads. */
const HEADS = [1, 256, 1024, 64]
/** Positive numbers, of which roots and logarithms are defined. */
const positive = (shape, seed) => ({ shape, data: Float32Array.from(numbers(shape, seed, { shift: 4 }).data) })
const weight = positive([C], 3)

/**
 * [name, memory traffic (see lib/limit.js), ours, the reference, the shape of x if it is not [ROWS, C]]
 * @typedef {[string, string, (x: any, y: any) => any, (x: any, y: any) => any, number[]?]} Work
 */

/** @returns {Work} */
const unaryWork = (op, name = op) => [name, 'copy', x => F[op](x), x => unary.forward({ x }, { op })]
const binaryWork = op => [op, 'add', (a, b) => F[op](a, b), (a, b) => binary.forward({ a, b }, { op })]
const reduction = (op, dim) => [`${op} along dim ${dim}`, 'read', x => F[op](x, { dim }), x => reduce.forward({ x }, { op, dim })]

/** @type {Work[]} */
const works = [
  binaryWork('add'), binaryWork('mul'), unaryWork('neg'), unaryWork('relu'), unaryWork('square'), unaryWork('sqrt'),
  unaryWork('exp'), unaryWork('log'), unaryWork('tanh'), unaryWork('sigmoid'), unaryWork('silu'),
  reduction('sum', 1), reduction('mean', 0), reduction('var', 1), reduction('var', 0), reduction('amax', 1),
  reduction('amax', 0), reduction('logsumexp', 1),
  ['rmsNorm', 'copy', x => F.rmsNorm(x, toTensor(weight)), x => norm.forward({ x, weight }, { op: 'rmsNorm' })],
  ['rotary', 'copy', x => F.rotary(x), x => rotary.forward({ x }, {}), HEADS]
]

/** The first of `count` parts of x, along the longer of its first two axes. */
function firstPart({ shape, data }, count) {
  const axis = shape.length === 2 ? 0 : 1, sides = shape.map((side, i) => (i === axis ? side / count : side))
  return { shape: sides, data: data.subarray(0, data.length / count) }
}

/** @param {Work} work */
async function prepare([name, kind, run, reference, shape = [ROWS, C]]) {
  const operands = [1, 2].map(seed => positive(shape, seed)), parts = operands.map(operand => firstPart(operand, PARTS))
  const [large, small] = [operands, parts].map(list => list.map(toTensor))
  const runInCache = () => {
    for (let i = 0; i < PARTS; i++) gf.tidy(() => void run(...small))
  }
  return {
    sides: {
      ours: ourSide(() => run(...large)),
      [CACHE]: { run: () => gf.noGrad(runInCache) },
      ...await move(ROWS * C, kind)
    },
    expected: reference(...(name.endsWith('dim 0') ? operands : parts)).y.data
  }
}

export default works.map(work => ({
  name: `${work[0]}, 64 MB`, claims: [ofSlower(CACHE, MEMORY, TARGET)], prepare: () => prepare(work)
}))
