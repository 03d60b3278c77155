// The download size of the kernels, gzipped as by a web server.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const require = createRequire(import.meta.url)
const ours = fileURLToPath(new URL('../../../dist/glassformer.wasm', import.meta.url))
const peers = {
  'onnxruntime-web (size)': 'onnxruntime-web/ort-wasm-simd-threaded.wasm',
  'TensorFlow.js (size)': '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm'
}

const gzippedKilobytes = async file => gzipSync(await readFile(file), { level: 9 }).length / 1024

async function prepare() {
  const sizes = { ours: await gzippedKilobytes(ours) }
  for (const [name, file] of Object.entries(peers)) sizes[name] = await gzippedKilobytes(require.resolve(file))
  return { sizes }
}

const size = (name, against, target) => ({ sizes }) =>
  ({ against, value: sizes[name], unit: 'KB', target, atMost: true })

export default [{
  name: 'wasm, gzipped',
  claims: [size('ours', 'the limit set for it', 60), ...Object.keys(peers).map(name => size(name, name))],
  prepare
}]
