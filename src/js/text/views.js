import { GlassformerError, describe, expect } from '../errors.js'

/**
 * Refuses a view whose memory was handed to another thread: it would be empty, or break.
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
 * Checks that ids are a list.
 * @param {string} where @param {unknown} ids @returns {asserts ids is ArrayLike<number>}
 */
export function expectIds(where, ids) {
  expect(Array.isArray(ids) || (ArrayBuffer.isView(ids) && !(ids instanceof DataView)), 'type',
    () => `${where}: ids must be an array of whole numbers, got ${describe(ids)}`)
  expectAttached(where, 'ids', ids)
}
