import { formatError } from './json_fields.js'

/**
 * Reads the fields of a Protocol Buffers message: the values of each field number, in order. A varint becomes a number;
 * fixed-width and length-delimited values become bytes.
 * @param {string} where for error messages
 * @param {Uint8Array} bytes
 * @returns {Map<number, (number | Uint8Array)[]>}
 * @throws {GlassformerError} 'format' if the bytes are not a message
 */
export function readFields(where, bytes) {
  /** @type {Map<number, (number | Uint8Array)[]>} */ const fields = new Map()
  let at = 0
  const errorOf = (/** @type {string} */ what) => formatError(`${where}: ${what} at byte ${at}`)
  const varint = () => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      if (at >= bytes.length || scale > 2 ** 63) throw errorOf('a number does not end')
      const byte = bytes[at++]
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  const take = (/** @type {number} */ n) => {
    if (n > bytes.length - at) throw errorOf(`${n} bytes are announced, ${bytes.length - at} are left`)
    at += n
    return bytes.subarray(at - n, at)
  }
  while (at < bytes.length) {
    const key = varint(), number = Math.floor(key / 8), kind = key % 8
    if (number === 0 || ![0, 1, 2, 5].includes(kind)) throw errorOf('no field begins')
    const value = kind === 0 ? varint() : take(kind === 2 ? varint() : kind === 1 ? 8 : 4)
    const values = fields.get(number)
    if (values) values.push(value)
    else fields.set(number, [value])
  }
  return fields
}
