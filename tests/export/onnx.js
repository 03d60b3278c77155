// onnxruntime-web runs what toOnnx writes, and must give what the library gives.
import assert from 'node:assert/strict'
import * as ort from 'onnxruntime-web'
import { gf } from '../lib/engine.js'

ort.env.wasm.numThreads = 1

const toOrt = tensor => (tensor.dtype === 'int32'
  ? new ort.Tensor('int64', BigInt64Array.from(tensor.data, BigInt), tensor.shape)
  : tensor.dtype === 'bool' ? new ort.Tensor('bool', tensor.data.slice(), tensor.shape)
    : new ort.Tensor('float32', Float32Array.from(tensor.data), tensor.shape))

/** A session of onnxruntime's on the exported bytes, called with the library's tensors by name. */
export async function sessionOf(bytes) {
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ['wasm'], logSeverityLevel: 3 })
  return {
    inputs: session.inputNames,
    outputs: session.outputNames,
    run: feeds => session.run(Object.fromEntries(Object.entries(feeds).map(([name, t]) => [name, toOrt(t)])))
  }
}

/** What forward makes, by the names the graph has for it. */
export const namedOutputs = made => Object.fromEntries(
  (made.shape ? [['output', made]] : Array.isArray(made) ? made.map((t, i) => [`output_${i}`, t]) : Object.entries(made))
    .filter(([, t]) => t))

/** Every value within 1e-5 of its size; 1 at least. */
export function assertNear(actual, expected, name) {
  assert.deepEqual([...actual.dims], [...expected.shape], `${name}: shape`)
  const values = Array.from(expected.values, Number)
  values.forEach((value, i) => {
    const got = Number(actual.data[i])
    const isNear = Object.is(got, value) || Math.abs(got - value) <= 1e-5 * Math.max(1, Math.abs(value))
    assert.ok(isNear, `${name}[${i}]: onnxruntime has ${got}, the library ${value}`)
  })
}

/**
 * Exports a model, runs it in onnxruntime on `feeds` and compares every output with what `call` gives; with other feeds
 * than the inputs it shows that nothing of those was written down.
 */
export async function assertRuns(model, inputs, feeds, call, name = model.constructor.name) {
  const session = await sessionOf(gf.toOnnx(model, inputs)), modes = model.training
  model.eval()
  const expected = namedOutputs(gf.noGrad(call))
  model.train(modes)
  const made = await session.run(feeds)
  assert.deepEqual(session.inputs, Object.keys(feeds), `${name}: inputs`)
  assert.deepEqual(session.outputs, Object.keys(expected), `${name}: outputs`)
  for (const [key, tensor] of Object.entries(expected)) assertNear(made[key], tensor, `${name}: ${key}`)
}
