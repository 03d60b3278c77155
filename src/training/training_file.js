/** A training as a file: weights and moments as safetensors, settings and step in its metadata. */

import { PREFIX } from './initial_weights.js'
import { write } from './settings.js'
import { shapeOf } from './tasks/model_options.js'

const LENGTH = 8
const MAX_HEADER = 2 ** 24

/**
 * The training of a file, from its header alone; null where there is none.
 * @param {Uint8Array} bytes
 * @returns {{ training: string, step: number } | null}
 */
export function parseTraining(bytes) {
  try {
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true))
    if (length > MAX_HEADER) return null
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(LENGTH, LENGTH + length)))
    const { training, step } = header.__metadata__
    return typeof training === 'string' && /^\d+$/.test(step) ? { training, step: Number(step) } : null
  } catch {
    return null
  }
}

/**
 * The same for a blob of which only the header is read.
 * @param {Blob} blob
 */
export const trainingOf = async blob => (
  parseTraining(new Uint8Array(await blob.slice(0, LENGTH + MAX_HEADER).arrayBuffer())))

/**
 * The state in a file, in the order of a session's snapshots.
 * @param {any} gf @param {Pick<import('./session.js').Session, 'named' | 'letters'>} session @param {Uint8Array} bytes
 * @returns {{ step: number, values: Float32Array }}
 */
export function readState(gf, { named, letters }, bytes) {
  const { tensors, metadata } = gf.loadSafetensors(bytes)
  try {
    const kinds = ['', ...letters.map(letter => `${letter}.`)]
    const parts = named.flatMap(([name, parameter]) => kinds.map(kind => {
      const tensor = tensors[kind + name]
      if (tensor?.numel() !== parameter.numel()) throw Object.assign(new Error(`${kind}${name}`), { code: 'file' })
      return tensor.values.slice()
    }))
    const values = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      values.set(part, at)
      at += part.length
    }
    return { step: Number(metadata.step), values }
  } finally {
    Object.values(tensors).forEach(tensor => tensor.dispose())
  }
}

/**
 * The weights of a training as a file, with moments also everything needed to resume.
 * @param {{ gf: any, settings: import('./settings.js').TrainingState, step: number, data: any, model: any,
 *   task: import('./tasks/index.js').Task, named: import('./session.js').Named[], initialWeights: any[],
 *   stateSymbols: [string, string][], optimizerStates: Record<string, any>[] }} training
 * @param {boolean} [withMoments]
 */
export function writeTraining(training, withMoments) {
  const { gf, settings, step, data, model, task, named, initialWeights, stateSymbols, optimizerStates } = training
  const moments = withMoments ? named.flatMap(([name], i) => [
    ...stateSymbols.map(([letter, own]) => [`${letter}.${name}`, optimizerStates[i][own]]),
    ...(initialWeights[i] ? [[PREFIX + name, initialWeights[i]]] : [])]) : []
  const { shape, ...more } = task.inFile?.(data) ?? {}
  return gf.saveSafetensors({ ...model.stateDict(), ...Object.fromEntries(moments) }, {
    training: write(settings), step: String(step), ...more,
    shape: JSON.stringify({ ...shapeOf(settings), ...shape })
  })
}
