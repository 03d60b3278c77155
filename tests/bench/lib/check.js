// Checks the results of all sides before they are timed.

/**
 * Maximum error, relative to the largest expected value. Float32 sums of a few thousand terms are far more accurate.
 */
const TOLERANCE = 2e-5

const maxAbsolute = values => values.reduce((max, value) => Math.max(max, Math.abs(value)), 0)

/** @returns {string | undefined} the first difference; `expected` may be shorter than `actual` */
function difference(actual, expected, tolerance) {
  if (actual.length < expected.length) return `${actual.length} values instead of ${expected.length}`
  const allowed = tolerance * maxAbsolute(expected)
  // The negated comparison counts NaN as a difference.
  const at = expected.findIndex((value, i) => !(Math.abs(actual[i] - value) <= allowed))
  return at < 0 ? undefined : `[${at}] is ${actual[at]} instead of ${expected[at]}, allowed is ${allowed}`
}

/**
 * Compares every side that has a result with the reference and with ours. The reference may have only the first values
 * if all would take minutes; ours is compared in full.
 * @throws {Error} that names the side
 */
export async function checkResults({ sides, expected, tolerance = TOLERANCE }) {
  const ours = await sides.ours?.result?.()
  for (const [name, side] of Object.entries(sides)) {
    if (!side.result) continue
    const actual = name === 'ours' ? ours : await side.result()
    const wrong = (expected && difference(actual, expected, tolerance)) ?? (ours && difference(ours, actual, tolerance))
    if (wrong) throw new Error(`${name} is wrong: ${wrong}`)
  }
}
