// Before the clock starts: are the results right?

/** Of the largest expected value. Float32 sums of a few thousand terms in any order stay well below. */
const TOLERANCE = 2e-5

const largest = values => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)

/** @returns {string | undefined} what is wrong with the first values of `actual`, as many as are expected */
function difference(actual, expected, tolerance) {
  if (actual.length < expected.length) return `${actual.length} values instead of ${expected.length}`
  const allowed = tolerance * largest(expected)
  // Written so that a NaN on either side is a difference.
  const at = expected.findIndex((value, i) => !(Math.abs(actual[i] - value) <= allowed))
  return at < 0 ? undefined : `[${at}] is ${actual[at]} instead of ${expected[at]}, allowed is ${allowed}`
}

/**
 * Compares every side that has a result with the reference (which may cover only the first values, where all of it
 * would take minutes), and in full with ours.
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
