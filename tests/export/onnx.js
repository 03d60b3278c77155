// Runs exported models in onnxruntime-web and compares them with the library.
import assert from 'node:assert/strict'
import * as ort from 'onnxruntime-web'
import { gf } from '../lib/engine.js'

ort.env.wasm.numThreads = 1

const toOrt = tensor => (tensor.dtype === 'int32'
  ? new ort.Tensor('int64', BigInt64Array.from(tensor.data, BigInt), tensor.shape)
  : tensor.dtype === 'bool' ? new ort.Tensor('bool', tensor.data.slice(), tensor.shape)
    : new ort.Tensor('float32', Float32Array.from(tensor.data), tensor.shape))

/** An onnxruntime session of exported bytes. Its `run` takes the library's tensors by name. */
export async function sessionOf(bytes) {
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ['wasm'], logSeverityLevel: 3 })
  return {
    inputs: session.inputNames,
    outputs: session.outputNames,
    run: feeds => session.run(Object.fromEntries(Object.entries(feeds).map(([name, t]) => [name, toOrt(t)])))
  }
}

/** The result of forward by the names that the graph has for it. */
export const namedOutputs = result => Object.fromEntries(
  (result.shape ? [['output', result]]
    : Array.isArray(result) ? result.map((t, i) => [`output_${i}`, t]) : Object.entries(result))
    .filter(([, t]) => t))

/** Asserts that every value is within 1e-5 × max(1, |value|). */
export function assertNear(actual, expected, name) {
  assert.deepEqual([...actual.dims], [...expected.shape], `${name}: shape`)
  const values = Array.from(expected.values, Number)
  values.forEach((value, i) => {
    const exported = Number(actual.data[i])
    const isNear = Object.is(exported, value) || Math.abs(exported - value) <= 1e-5 * Math.max(1, Math.abs(value))
    assert.ok(isNear, `${name}[${i}]: onnxruntime has ${exported}, the library ${value}`)
  })
}

/**
 * Exports a model, runs it in onnxruntime on `feeds` and compares every output with the result of `call`. Feeds that
 * differ from the inputs show that no value of the inputs became a constant.
 */
export async function assertRuns(model, inputs, feeds, call, name = model.constructor.name) {
  const session = await sessionOf(gf.toOnnx(model, inputs)), modes = model.training
  model.eval()
  const expected = namedOutputs(gf.noGrad(call))
  model.train(modes)
  const outputs = await session.run(feeds)
  assert.deepEqual(session.inputs, Object.keys(feeds), `${name}: inputs`)
  assert.deepEqual(session.outputs, Object.keys(expected), `${name}: outputs`)
  for (const [key, tensor] of Object.entries(expected)) assertNear(outputs[key], tensor, `${name}: ${key}`)
}
