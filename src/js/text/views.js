import { expectType, GlassformerError } from '../errors.js'

/**
 * Throws if the buffer of a view was transferred to another thread.
 * @param {string} where @param {string} name @param {unknown} value
 */
export function expectAttached(where, name, value) {
  if (!ArrayBuffer.isView(value)) return
  try {
    new Uint8Array(value.buffer)
  } catch {
    throw new GlassformerError('type', `${where}: ${name} is a ${value.constructor.name} whose memory was transferred`)
  }
}

/**
 * Throws unless a text is a string, which the caller has checked, or bytes.
 * @param {string} where @param {unknown} text @returns {asserts text is Uint8Array}
 */
export function expectBytes(where, text) {
  expectType(text instanceof Uint8Array, `${where}: text must be a string or a Uint8Array`, text)
  expectAttached(where, 'text', text)
}

/**
 * Throws unless ids are an array or a typed array.
 * @param {string} where @param {unknown} ids @returns {asserts ids is ArrayLike<number>}
 */
export function expectIds(where, ids) {
  expectType(Array.isArray(ids) || (ArrayBuffer.isView(ids) && !(ids instanceof DataView)), `${where}: ids must be an array of integers`, ids)
  expectAttached(where, 'ids', ids)
}
