/** Initial weights other than random ones: the page's trained ones, or those of a step. */

/** The prefix of initial weights in a training's file. */
export const PREFIX = 'start.'

/**
 * Replaces the random weights by those of a file; of a training's own file by its initial ones.
 * @param {any} gf the library @param {[string, any][]} named @param {Uint8Array | undefined} file
 */
export function loadInitialWeights(gf, named, file) {
  const { tensors } = file ? gf.loadSafetensors(file) : { tensors: {} }
  try {
    for (const [name, parameter] of named) {
      const tensor = tensors[PREFIX + name] ?? tensors[name]
      if (String(tensor?.shape) !== String(parameter.shape)) throw Object.assign(new Error(name), { code: 'start' })
      parameter.data.set(tensor.values)
    }
  } finally {
    for (const tensor of Object.values(tensors)) tensor.dispose()
  }
}
