import { expect, runSync } from '../errors.js'
import { Tensor } from '../tensor/tensor.js'
import { Trace } from './trace.js'

/**
 * Runs `fn` and records every intermediate tensor.
 * @template T
 * @param {import('../engine/engine.js').Engine} engine
 * @param {() => T} fn
 * @param {import('./trace.js').TraceOptions} [options]
 *   modules: names of the modules that fn calls directly; edits: values that replace computed ones before anything is
 *   computed from them: { name, index, value }; { name, index, from } copies those of another tensor of the same shape,
 *   or of the tensor of the same name (or `fromName`) in another run or trace. An edited parameter stays changed after
 *   the trace, unless fn or an edit fails; allowMissing: false; with true, edits of missing tensors are the trace's
 *   `unusedEdits` and no error; keepAttention: paths of the modules whose attentions store all matrices; default: all.
 *   Other attentions do not store dots, scores, masked_scores and weights, which have a number for every query and key:
 *   these tensors have a name and a shape but no values (`isLeftOut`). All other numbers have the same bits;
 *   gradientsOf: names of tensors for which gf.grad can be asked although no parameter before them is trained
 * @param {string} [where] the function that the user has called, for messages
 * @returns {{ output: T, trace: Trace }}
 * @throws {import('../errors.js').GlassformerError} 'state' inside another trace, 'index' for edits of missing tensors
 *   and for a path in keepAttention where no attention was computed
 * @example
 * const layer = new gf.nn.Linear(2, 1)
 * const { trace } = gf.trace(() => layer.forward(gf.ones([1, 2])), { modules: { layer } })
 * trace.names                                     // ['layer.weight', 'layer.bias', 'layer.input', 'layer.output']
 * trace.explain('layer.output', [0, 0]).terms.length   // 3
 * trace.dispose()
 */
export function trace(engine, fn, options, where = 'trace') {
  expect(engine.trace === null, 'state', () => `${where}: a trace is already being recorded; they cannot be nested`)
  const recording = new Trace(engine, options, where)
  engine.trace = recording
  try {
    const output = runSync(where, fn)
    recording.finishEdits()
    for (const value of [output].flat()) if (value instanceof Tensor) recording.borrow(value)
    return { output, trace: recording }
  } catch (error) {
    recording.discard()
    throw error
  } finally {
    engine.trace = null
  }
}
