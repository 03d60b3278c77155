// Random programs against the float64 references: values, gradients, explanations. A failure names its seed; a few
// hundred here, ten thousand in the long tests (LONG=1), and `SEED=123` runs one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from './lib/engine.js'
import { isLong } from './lib/long.js'
import { inDouble, inLibrary, programOf } from './lib/random_programs.js'

const U = 2 ** -24
const count = isLong ? 10000 : 300
const SEEDS = process.env.SEED ? [Number(process.env.SEED)] : Array.from({ length: count }, (_, i) => i + 1)
/** One that moved numbers show to be this sensitive, relative to its size, is no place to compare at. */
const TOO_FAR = 0.002

const finite = data => data.reduce((most, v) => (Number.isFinite(v) ? Math.max(most, Math.abs(v)) : most), 0)
const farthest = (a, b) => a.reduce((most, v, i) => Math.max(most, Object.is(v, b[i]) ? 0 : Math.abs(v - b[i])), 0)

/** How far each tensor of a program may be off, by moving numbers four times. */
function allowed(program, exact, which) {
  const moved = [1, 2, 3, 4].map(seed => inDouble(program, 1000 * program.seed + seed)[which])
  // Where large numbers cancel inside of an operation, what is left has their roundings.
  const largest = Math.max(...Array.from(exact[which].values(), ({ data }) => finite(data)))
  return name => {
    const { data } = exact[which].get(name), change = Math.max(...moved.map(one => farthest(one.get(name).data, data)))
    return (16 + 8 * program.steps.length) * change + 32 * U * finite(data) + 8 * U * largest
  }
}

let compared = 0, passed = 0, cells = 0

function check(program, which, name, theirs, exact, mayBe) {
  const { data } = exact[which].get(name), tol = mayBe(name)
  if (!(tol <= TOO_FAR * finite(data)) || !data.every(Number.isFinite)) {
    passed += 1
    return
  }
  compared += data.length
  const far = farthest(Array.from(theirs), data)
  assert.ok(far <= tol, `seed ${program.seed}: ${which} of ${name} are off by ${far}, may be ${tol}; ` +
  program.steps.map(({ kind, params: { op = '' }, out }) => `${out} ${kind} ${op}`).join(', '))
}

function checkExplanations(program, trace) {
  for (const name of trace.names.filter((_, n) => n % 3 === program.seed % 3)) {
    const { shape, values } = trace.get(name), index = shape.map(side => (program.seed * 7) % side)
    const { value, computed, rounding, edited } = trace.explain(name, index)
    const at = index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)
    // Masks are bytes in memory.
    assert.ok(Object.is(Number(value), values[at]), `seed ${program.seed}: ${name}[${index}] shows ${value}, ${values[at]} is there`)
    if (computed !== undefined && !edited && Number.isFinite(value)) {
      const size = finite(Array.from(values))
      assert.ok(Math.abs(rounding) <= 1e-5 * (1 + size), `seed ${program.seed}: ${name}[${index}] is explained as ${computed}, not ${value}`)
    }
    cells += 1
  }
}

/** Whether programs have the library's composed operations, subscripts and moves of cells, too. */
const SETS = { 'random programs': false, 'random programs over composed operations and subscripts': true }

for (const [title, hasMore] of Object.entries(SETS)) {
  test(`${title}: values, gradients and explanations are those of the references`, t => {
    compared = passed = cells = 0
    for (const seed of SEEDS) gf.tidy(() => {
      const program = programOf(seed, hasMore), exact = inDouble(program), { trace, tensors } = inLibrary(gf, program)
      const values = allowed(program, exact, 'values'), gradients = allowed(program, exact, 'gradients')
      for (const { out } of program.steps) {
        if (trace.names.includes(out)) check(program, 'values', out, trace.get(out).values, exact, values)
      }
      for (const [name, { grad }] of tensors) {
        if (exact.gradients.has(name)) check(program, 'gradients', name, grad.values, exact, gradients)
      }
      checkExplanations(program, trace)
      trace.dispose()
    })
    t.diagnostic(`${SEEDS.length} programs, ${compared} numbers compared, ${passed} tensors too sensitive, ` +
      `${cells} cells explained`)
    assert.ok(process.env.SEED || compared > 50 * SEEDS.length)
  })
}
