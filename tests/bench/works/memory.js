// What does little with each value: over 64 MB it should take no longer than the memory, or than its own arithmetic,
// which is the same operation over as many values that stay in the cache.
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
/** At most 1.3 times as long. */
const SHARE = 77

const HEADS = [1, 256, 1024, 64]
/** Roots and logarithms are to be numbers. */
const positive = (shape, seed) => ({ shape, data: Float32Array.from(numbers(shape, seed, { shift: 4 }).data) })
const weight = positive([C], 3)

/**
 * name; what memory has to do; ours; the reference; the shape of x where it is not [ROWS, C]
 * @typedef {[string, string, (x: any, y: any) => any, (x: any, y: any) => any, number[]?]} Work
 */

/** @returns {Work} */
const one = (op, name = op) => [name, 'copy', x => F[op](x), x => unary.forward({ x }, { op })]
const two = op => [op, 'add', (a, b) => F[op](a, b), (a, b) => binary.forward({ a, b }, { op })]
const along = (op, dim) => [`${op} along dim ${dim}`, 'read', x => F[op](x, { dim }), x => reduce.forward({ x }, { op, dim })]

/** @type {Work[]} */
const works = [
  two('add'), two('mul'), one('neg'), one('relu'), one('square'),
  one('sqrt'), one('exp'), one('log'), one('tanh'), one('sigmoid'), one('silu'),
  along('sum', 1), along('mean', 0), along('var', 1), along('var', 0), along('amax', 1), along('amax', 0), along('logsumexp', 1),
  ['rmsNorm', 'copy', x => F.rmsNorm(x, toTensor(weight)), x => norm.forward({ x, weight }, { op: 'rmsNorm' })],
  ['rotary', 'copy', x => F.rotary(x), x => rotary.forward({ x }, {}), HEADS]
]

/** The first of `count` parts of x, along its longest of the first axes. */
function firstPart({ shape, data }, count) {
  const axis = shape.length === 2 ? 0 : 1, sides = shape.map((side, i) => (i === axis ? side / count : side))
  return { shape: sides, data: data.subarray(0, data.length / count) }
}

/** @param {Work} work */
async function prepare([name, kind, run, reference, shape = [ROWS, C]]) {
  const operands = [1, 2].map(seed => positive(shape, seed)), parts = operands.map(one => firstPart(one, PARTS))
  const [whole, small] = [operands, parts].map(all => all.map(toTensor))
  const again = () => {
    for (let i = 0; i < PARTS; i++) gf.tidy(() => void run(...small))
  }
  return {
    sides: {
      ours: ourSide(() => run(...whole)),
      [CACHE]: { run: () => gf.noGrad(again) },
      ...await move(ROWS * C, kind)
    },
    expected: reference(...(name.endsWith('dim 0') ? operands : parts)).y.data
  }
}

export default works.map(work => ({
  name: `${work[0]}, 64 MB`, claims: [ofSlower(CACHE, MEMORY, SHARE)], prepare: () => prepare(work)
}))
