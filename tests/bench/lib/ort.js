// onnxruntime-web with its fastest settings and as many threads as ours. Models are written by onnx.js.
import * as ort from 'onnxruntime-web'
import { THREADS } from './threads.js'

ort.env.wasm.numThreads = THREADS

/**
 * A model as one side of a work. The result of a run is a typed array, as users of onnxruntime-web get it.
 * @param {import('./onnx.js').Graph} graph
 * @param {Record<string, { shape: number[], data: Float32Array }>} inputs
 */
export async function ortSide(graph, inputs) {
  const session = await ort.InferenceSession.create(graph.toBytes(), {
    executionProviders: ['wasm'],
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3
  })
  const toOrt = ([name, { shape, data }]) => [name, new ort.Tensor('float32', data, shape)]
  const feeds = Object.fromEntries(Object.entries(inputs).map(toOrt))
  const [output] = session.outputNames
  return {
    run: () => session.run(feeds),
    result: async () => (await session.run(feeds))[output].data
  }
}
