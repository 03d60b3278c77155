/** The examples of the reference: code with lines that end in `// result`. A test runs them as they are. */

const DIGITS = 4

/** @param {any} value @returns {string} */
function spelt(value) {
  const isList = Array.isArray(value) || ArrayBuffer.isView(value)
  if (isList) return `[${Array.from(/** @type {any[]} */ (value), spelt).join(', ')}]`
  if (typeof value === 'number') return String(Number(value.toFixed(DIGITS)) + 0)
  return typeof value === 'string' ? `'${value}'` : String(value)
}

/** A value in the format of examples. @param {any} value */
export function shown(value) {
  if (typeof value?.toArray !== 'function') return spelt(value)
  return (value.dtype === 'float32' || value.dtype === 'float64' ? '' : `${value.dtype} `) + spelt(value.toArray())
}

/** A line: the code, and its result, if there is one. @param {string} line */
export function split(line) {
  const [, code, expected] = /^(.*?)\s*(?:\/\/ (.*))?$/.exec(line) ?? []
  return { code, expected: code ? expected : undefined }
}

/** Whether the comment of a line is a value, not a remark. @param {string} expected */
const isValue = expected => /^(\[|'|-?\d|true$|false$|null$|undefined$|(?:int32|bool) \[)/.test(expected)

/**
 * Runs an example.
 * @param {any} gf @param {string} example
 * @returns {Promise<{ line: string, expected: string, got: string }[]>} for every line with a result
 */
export async function run(gf, example) {
  /** @type {{ line: string, expected: string, got: string }[]} */ const seen = []
  const lines = example.split('\n').map(line => {
    const { code, expected } = split(line)
    if (!expected || !isValue(expected)) return line
    return `__say(${JSON.stringify(line)}, ${JSON.stringify(expected)}, (${code}))`
  })

  const AsyncFunction = /** @type {any} */ ((async () => {}).constructor)
  gf.manualSeed(0)
  await new AsyncFunction('gf', 'F', '__say', lines.join('\n'))(gf, gf.functional,
    (/** @type {string} */ line, /** @type {string} */ expected, /** @type {any} */ value) =>
      seen.push({ line, expected, got: shown(value) }))
  return seen
}
