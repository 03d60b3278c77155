// Multiplies two 2 x 2 matrices in a new process and prints the milliseconds from before the import to the result.
const A = Float32Array.of(1, 2, 3, 4)
const EXPECTED = [7, 10, 15, 22]

/** Imports a library and returns the product, by the library's name. */
const RUNS = {
  async ours() {
    // The bundle that npm installs.
    const { load } = await import('../../../dist/js/glassformer.js')
    const gf = await load()
    const a = gf.tensor(A, { shape: [2, 2] })
    return gf.functional.matmul(a, a).data
  },
  async ort() {
    const ort = await import('onnxruntime-web')
    ort.env.wasm.numThreads = 1
    const session = await ort.InferenceSession.create(model)
    const a = new ort.Tensor('float32', A, [2, 2])
    const { [session.outputNames[0]]: product } = await session.run({ a })
    return product.data
  },
  async tfjs() {
    const { default: tf } = await import('@tensorflow/tfjs-core')
    await import('@tensorflow/tfjs-backend-wasm')
    await tf.setBackend('wasm')
    const a = tf.tensor(A, [2, 2])
    return tf.matMul(a, a).dataSync()
  }
}

/** The model that onnxruntime-web needs; writing it is not timed. */
async function smallModel() {
  const { Graph } = await import('./onnx.js')
  const graph = new Graph()
  graph.input('a', [2, 2])
  graph.output(graph.op('MatMul', ['a', 'a']), [2, 2])
  return graph.toBytes()
}

const library = process.argv[2]
const model = library === 'ort' ? await smallModel() : undefined
const start = performance.now()
const result = await RUNS[library]()
const ms = performance.now() - start
if (EXPECTED.some((value, i) => value !== result[i])) throw new Error(`${library}: ${result} instead of ${EXPECTED}`)
process.stdout.write(`${ms}\n`, () => process.exit())
