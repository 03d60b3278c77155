/** Values as PyTorch prints them. */

/**
 * A tensor, nested arrays or any other value as `print` writes it in PyTorch: the same precision, scientific notation
 * and ellipsis. It has no imports, since an exported notebook contains it.
 * @param {any} value
 * @param {{ precision?: number, sciMode?: boolean | null }} [options] as of torch.set_printoptions
 * @returns {{ text: string, numbers: number[] }} numbers: the printed ones, none for what is no tensor
 */
export function formatPrinted(value, { precision = 4, sciMode = null } = {}) {
  const [edge, threshold, lineWidth] = [3, 1000, 80]
  /** @param {any} item */
  const isTensor = item => (
    Boolean(item) && typeof item === 'object' && Array.isArray(item.shape) && typeof item.toArray === 'function')
  /** @param {any} item @returns {string} */
  const python = item => {
    if (typeof item === 'string') return `'${item}'`
    if (Array.isArray(item)) return `[${item.map(python).join(', ')}]`
    if (isTensor(item)) return formatPrinted(item, { precision, sciMode }).text
    if (item !== null && typeof item === 'object') {
      return `{${Object.entries(item).map(([key, other]) => `${/^\d+$/.test(key) ? key : python(key)}: ${python(other)}`)
        .join(', ')}}`
    }
    return typeof item === 'boolean' ? (item ? 'True' : 'False') : String(item ?? 'None')
  }
  if (!isTensor(value)) {
    return { text: typeof value === 'string' ? value : python(value), numbers: [] }
  }
  const { shape, dtype } = value
  const isShort = value.numel() > threshold
  /** @template T @param {T[]} list */
  const ends = list => (isShort && list.length > 2 * edge ? [...list.slice(0, edge), ...list.slice(-edge)] : list)
  /** @param {any} list @returns {number[]} */
  const shown = list => (Array.isArray(list) ? ends(list).flatMap(shown) : [list])
  const nested = value.toArray()
  const numbers = shown(nested)
  const isWhole = dtype === 'int32' || dtype === 'bool'
  // At least two digits of exponent, as in C.
  /** @param {number} x */
  const scientific = x => x.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2')
  /** @param {number} x @param {string} text */
  const sign = (x, text) => (Object.is(x, -0) && !text.startsWith('-') ? `-${text}` : text)
  const sizes = numbers.filter(x => Number.isFinite(x) && x !== 0).map(Math.abs)
  const [min, max] = [sizes.reduce((a, b) => Math.min(a, b), Infinity), sizes.reduce((a, b) => Math.max(a, b), 0)]
  const isInteger = sizes.every(Number.isInteger)
  const isWide = sizes.length > 0 && (max / min > 1000 || max > 1e8 || (!isInteger && min < 1e-4))
  const finite = numbers.filter(x => Number.isFinite(x) && x !== 0)
  /** @param {(x: number) => string} write */
  const widest = write => finite.reduce((width, x) => Math.max(width, write(x).length), 1)
  /** @param {number} x */
  const fixed = x => sign(x, x.toFixed(precision))
  const width = isWhole ? numbers.reduce((all, x) => Math.max(all, String(x).length), 1)
    : isWide ? widest(scientific) : isInteger ? widest(x => `${x.toFixed(0)}.`) : widest(fixed)
  const isScientific = sciMode ?? isWide
  /** @param {number} x */
  const write = x => {
    if (isWhole) return String(x)
    if (!Number.isFinite(x)) return Number.isNaN(x) ? 'nan' : x > 0 ? 'inf' : '-inf'
    return isScientific ? scientific(x) : isInteger ? `${sign(x, x.toFixed(0))}.` : fixed(x)
  }
  /** @param {number} x */
  const padded = x => write(x).padStart(width)
  /** @param {number[]} list @param {number} indent */
  const line = (list, indent) => {
    const perLine = Math.max(1, Math.floor((lineWidth - indent) / (width + 2)))
    const isCut = isShort && list.length > 2 * edge
    const cells = ends(list).map(padded)
    if (isCut) cells.splice(edge, 0, ' ...')
    const lines = Array.from({ length: Math.ceil(cells.length / perLine) }, (_, i) => (
      cells.slice(i * perLine, (i + 1) * perLine).join(', ')))
    return `[${lines.join(`,\n${' '.repeat(indent + 1)}`)}]`
  }
  /** @param {any} list @param {number} indent @param {number} depth @returns {string} */
  const block = (list, indent, depth) => {
    if (depth === 0) return write(list)
    if (depth === 1) return line(list, indent)
    const slices = ends(list).map(item => block(item, indent + 1, depth - 1))
    if (isShort && list.length > 2 * edge) slices.splice(edge, 0, '...')
    return `[${slices.join(`,${'\n'.repeat(depth - 1)}${' '.repeat(indent + 1)}`)}]`
  }
  const suffix = dtype === 'float64' ? ', dtype=torch.float64' : ''
  return { text: `tensor(${value.numel() ? block(nested, 7, shape.length) : '[]'}${suffix})`, numbers }
}

/**
 * What `print` writes: its values with a space between them, as in Python. A last object that holds nothing but
 * `precision` or `sciMode` is the options. It has no imports, either.
 * @param {any[]} values
 * @returns {{ text: string, numbers: number[], printed: any[] }} printed: the values without options
 */
export function formatAll(values) {
  const last = Object(values.at(-1)), keys = Object.keys(last), names = ['precision', 'sciMode']
  const hasOptions = values.length > 1 && keys.length > 0 && keys.every(key => names.includes(key))
  const printed = hasOptions ? values.slice(0, -1) : values
  const written = printed.map(value => formatPrinted(value, hasOptions ? last : {}))
  return { text: written.map(({ text }) => text).join(' '), numbers: written.flatMap(({ numbers }) => numbers), printed }
}
