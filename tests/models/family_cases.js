// The decoders of golden/families.json: their weights are made from keys and indices, as families.py makes them.
import { loadGolden } from '../golden/index.js'
import { gf } from '../lib/engine.js'

/** FNV-1a of a key's bytes. @param {string} key */
const hashOf = key => [...Buffer.from(key)].reduce((h, byte) => Math.imul(h ^ byte, 0x01000193) >>> 0, 0x811C9DC5)

/** The weights of a key, see sample in golden/families.py. */
export function sample(key, shape, shift) {
  const start = hashOf(key)
  return Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => {
    let x = (start + Math.imul(i, 0x9E3779B9)) >>> 0
    x = Math.imul(x ^ x >>> 16, 0x85EBCA6B)
    x = Math.imul(x ^ x >>> 13, 0xC2B2AE35)
    const value = ((x ^ x >>> 16) >>> 16) / 65536 - 0.5
    return shift === undefined ? value : value / 2 + shift
  })
}

export const bytesOf = values => new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
export const CASES = loadGolden('families').cases

/** The files of a case. */
export const filesOf = ({ tensors, config }, changes = {}) => gf.tidy(() => ({
  'config.json': JSON.stringify({ ...config, ...changes }),
  'model.safetensors': gf.saveSafetensors(Object.fromEntries(tensors.map(([key, shape, shift]) =>
    [key, gf.tensor(sample(key, shape, shift)).reshape(...shape)])))
}))
