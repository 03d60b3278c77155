// Relaxed SIMD, which Node 20 has behind a flag and later versions always.
import v8 from 'node:v8'
import { locateRelaxed } from '../../src/js/engine/relaxed.js'

if (!locateRelaxed()) v8.setFlagsFromString('--experimental-wasm-relaxed-simd')
