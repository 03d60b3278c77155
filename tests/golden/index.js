// Reads golden files: resolves references and decodes tensors; everything else is unchanged.
import { readFileSync } from 'node:fs'

const dtypes = { f32: 'float32', f64: 'float64', i64: 'int64', bool: 'bool' }
const isObject = value => value !== null && typeof value === 'object'
const isTensor = value => Array.isArray(value.shape) && Array.isArray(value.data)

/**
 * Decodes a tensor. The files have the strings "NaN", "Infinity" and "-Infinity", which JSON lacks as numbers. Float32
 * values have the shortest decimals that identify them, and must be rounded to float32.
 */
function decodeTensor({ shape, data, dtype = 'f32' }) {
  const numbers = data.map(Number)
  return { shape, data: dtype === 'f32' ? numbers.map(Math.fround) : numbers, dtype: dtypes[dtype] }
}

function decode(value, shared) {
  if (Array.isArray(value)) return value.map(item => decode(item, shared))
  if (!isObject(value)) return value
  if (typeof value.ref === 'string') return lookUp(value.ref, shared)
  if (isTensor(value)) return decodeTensor(value)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decode(item, shared)]))
}

function lookUp(name, shared) {
  if (!(name in shared)) throw new Error(`golden reference to "${name}", which is not in "shared"`)
  return shared[name]
}

/** One file by its stem, e.g. loadGolden('ops'). */
export function loadGolden(stem) {
  const file = JSON.parse(readFileSync(new URL(`${stem}.json`, import.meta.url), 'utf8'))
  const shared = decode(file.shared ?? {}, {})
  return { ...decode(file, shared), shared }
}

/** The cases of one operation in a file; throws if there are none. */
export function goldenCases(stem, op) {
  const { rtol, cases } = loadGolden(stem)
  const items = cases.filter(item => item.op === op)
  if (!items.length) throw new Error(`golden ${stem}.json has no case of op "${op}"`)
  return items.map(item => ({ params: {}, rtol, ...item }))
}
