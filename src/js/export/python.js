import { DTYPES } from '../dtype.js'
import { nest } from '../shape.js'

/**
 * Values as Python writes them.
 * @typedef {import('../tensor.js').Tensor} Tensor
 */

/** More numbers than that are written as base64. */
const MOST_NUMBERS = 64

/** @param {number} value */
export function number(value) {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0.0' : String(value).replace('e+', 'e')
  return value !== value ? "float('nan')" : value > 0 ? "float('inf')" : "-float('inf')"
}

/** A value of nested arrays, a number, a boolean, a string or nothing. @param {any} value @returns {string} */
export function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return typeof value === 'number' ? number(value) : 'None'
}

/** @param {readonly number[]} sides @returns {string} a tuple */
export const tuple = sides => `(${sides.join(', ')}${sides.length === 1 ? ',' : ''})`

/** What stands after a function that takes a shape. @param {readonly number[]} sides */
export const sides = sides => (sides.length ? `(${sides.join(', ')})` : '(())')

/** What torch calls a type. Ids are int64 there. @param {import('../dtype.js').DType} dtype */
export const dtypeOf = dtype => `torch.${dtype === 'int32' ? 'int64' : dtype}`

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** @param {Tensor} tensor */
function bytesOf({ dtype, values, bytes }) {
  return dtype === 'int32' ? new Uint8Array(BigInt64Array.from(Array.from(values), BigInt).buffer) : bytes
}

/**
 * A tensor with its values.
 * @param {Tensor} tensor @param {number} [most] numbers that are written as such @returns {string}
 */
export function tensorText(tensor, most = MOST_NUMBERS) {
  const { shape, dtype, values } = tensor, { read } = DTYPES[dtype]
  if (tensor.size > most) return `decoded('${base64(bytesOf(tensor))}', ${dtypeOf(dtype)}, ${tuple(shape)})`
  const nested = tensor.size ? literal(nest(shape, read ? Array.from(values, read) : values)) : '[]'
  return `torch.tensor(${nested}, dtype=${dtypeOf(dtype)})${tensor.size ? '' : `.reshape${sides(shape)}`}`
}

const RESERVED = ('False None True and as assert async await break class continue def del elif else except finally for ' +
  'from global if import in is lambda nonlocal not or pass raise return try while with yield self torch nn math F')
  .split(' ')

/** A name that Python takes, in its way of writing. @param {string} name */
export function identifier(name) {
  const plain = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().replace(/[^a-z0-9_]+/g, '_')
  const whole = /^[a-z_]/.test(plain) ? plain : `x${plain}`
  return RESERVED.includes(whole) ? `${whole}_` : whole
}

/** Names given once each: a second one of a kind is numbered. @param {Iterable<string>} others that are taken */
export function namesBeside(others) {
  const taken = new Set(others)
  return (/** @type {string} */ wanted) => {
    let name = wanted
    for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`
    taken.add(name)
    return name
  }
}

/** Lines moved to the right. @param {string} text @param {number} [by] */
export const indented = (text, by = 4) => text.replace(/^(?=.)/gm, ' '.repeat(by))
