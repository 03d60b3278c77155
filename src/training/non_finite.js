/** Finds where values first became NaN or infinite. */

/** Whether a value is NaN or has overflowed; −∞ may come from a mask. @param {number} value */
const isNonFinite = value => Number.isNaN(value) || value === Infinity

/** @param {Float32Array} values */
const firstNonFinite = values => values.findIndex(isNonFinite)

/**
 * The first tensor of forward with a non-finite value, or else the first such gradient of backward, before clipping;
 * null where only the total gradient norm overflows.
 * @param {any} gf @param {[string, any][]} named the parameters @param {() => any} forward to the loss
 * @returns {{ name: string, at: number, value: number, isGradient: boolean } | null}
 */
export function findNonFinite(gf, named, forward) {
  const { trace, output } = gf.trace(forward)
  const found = findFirst(/** @type {{ outputs: object }[]} */ (trace.nodes)
    .flatMap(({ outputs }) => Object.values(outputs)), trace)
  if (!found) output.backward()
  trace.dispose()
  output.dispose()
  if (found) return found
  for (const [name, { grad }] of named.toReversed()) {
    const at = grad ? firstNonFinite(grad.values) : -1
    if (at >= 0) return { name, at, value: grad.values[at], isGradient: true }
  }
  return null
}

/** @param {any[]} tensors @param {any} trace */
function findFirst(tensors, trace) {
  for (const tensor of tensors) {
    const at = tensor?.dtype === 'float32' && !tensor.disposed ? firstNonFinite(tensor.values) : -1
    if (at < 0) continue
    const name = trace.names.find((/** @type {string} */ name) => trace.get(name) === tensor) ?? '?'
    return { name, at, value: tensor.values[at], isGradient: false }
  }
  return null
}
