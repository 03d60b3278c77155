/** A training as a file: weights and moments as safetensors, settings and step in its metadata. */

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
