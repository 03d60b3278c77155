// Compares long tensors with golden summaries: the first values, sometimes the last, and the sum.
import { assertClose, assertSame, plain } from './compare.js'

/**
 * Asserts that the listed values are equal, and that the sum in float64 is close, which a wrong middle or end changes.
 */
export function assertSummary(actual, golden, name) {
  const { data } = plain(actual)
  if (golden.data) return assertSame(data, golden.data, name)
  const { first8, last8, last, sum64 } = golden
  assertSame(data.slice(0, first8.data.length), first8, `${name}, first values`)
  if (last8) assertSame(data.slice(-last8.data.length), last8, `${name}, last values`)
  if (last !== undefined) assertSame(data.at(-1), Math.fround(last), `${name}, last value`)
  assertClose(
    data.reduce((a, b) => a + b, 0),
    sum64,
    { tol: 1e-9, rtol: 1e-9, name: `${name}, sum` }
  )
}
