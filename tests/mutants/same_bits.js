// Ends with an error where a digest of native code and one of WebAssembly differ: node same_bits.js program module
import assert from 'node:assert/strict'
import { digestsOf } from '../native/digests.js'

const { native, wasm } = await digestsOf(process.argv[2], process.argv[3])
assert.deepEqual(wasm, native)
