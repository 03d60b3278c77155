// TensorFlow.js with its wasm backend: XNNPACK, SIMD; in Node it has one thread.
import tf from '@tensorflow/tfjs'
import '@tensorflow/tfjs-backend-wasm'

export { tf }

await tf.setBackend('wasm')
await tf.ready()

export const toTf = ({ shape, data }) => tf.tensor(data, shape)

export const tfSide = forward => ({
  run: () => tf.tidy(() => void forward()),
  result: () => tf.tidy(() => forward().dataSync().slice())
})
