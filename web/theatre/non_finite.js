/** Where numbers first stopped being any. */

/** NaN and what overflowed; −∞ stands where a mask hides something. @param {number} value */
const isBroken = value => Number.isNaN(value) || value === Infinity

/** @param {Float32Array} values */
const firstOf = values => values.findIndex(isBroken)

/**
 * The first tensor of forward that holds no number, or else the first gradient on the way back, unclipped; null where
 * only their length together is too large for a number.
 * @param {any} gf @param {[string, any][]} named the parameters @param {() => any} forward to the loss
 * @returns {{ name: string, at: number, value: number, isGradient: boolean } | null}
 */
export function findBroken(gf, named, forward) {
  const { trace, output } = gf.trace(forward)
  const found = firstIn(/** @type {{ outputs: object }[]} */ (trace.nodes)
    .flatMap(({ outputs }) => Object.values(outputs)), trace)
  if (!found) output.backward()
  trace.dispose()
  output.dispose()
  if (found) return found
  for (const [name, { grad }] of named.toReversed()) {
    const at = grad ? firstOf(grad.values) : -1
    if (at >= 0) return { name, at, value: grad.values[at], isGradient: true }
  }
  return null
}

/** @param {any[]} tensors @param {any} trace */
function firstIn(tensors, trace) {
  for (const tensor of tensors) {
    const at = tensor?.dtype === 'float32' && !tensor.disposed ? firstOf(tensor.values) : -1
    if (at < 0) continue
    const name = trace.names.find((/** @type {string} */ one) => trace.get(one) === tensor) ?? '?'
    return { name, at, value: tensor.values[at], isGradient: false }
  }
  return null
}
