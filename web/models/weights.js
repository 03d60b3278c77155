/** Initializes the weights of a model: from a seed, or from a file of trained ones. */

/** @import { Settings } from '../types.d.ts' */

/**
 * A model with its weights before any edit.
 * @param {any} gf the library
 * @param {{ weights: string, seed: number }} settings
 * @param {Uint8Array} file safetensors, where the weights are trained, by `npm run train` or on the training page
 * @param {() => any} create the model, with weights initialized from the seed
 * @param {(name: string) => boolean} [isComputed] whether a tensor is not in the file; none by default
 */
export function build(gf, { weights, seed }, file, create, isComputed = () => false) {
  gf.manualSeed(seed)
  const model = create()
  if (weights === 'untrained') return model
  const { tensors } = gf.loadSafetensors(file)
  const state = Object.entries(model.stateDict()).map(([name, own]) => [name, isComputed(name) ? own : tensors[name]])
  model.loadStateDict(Object.fromEntries(state))
  Object.values(tensors).forEach(tensor => tensor.dispose())
  return model
}

/** A cache key for a model of fixed size. @param {string} id @param {Settings} settings */
export const keyOf = (id, { weights, seed, dropout, trainedFileId }) => (
  JSON.stringify([id, weights, dropout, weights === 'untrained' ? seed : null, weights === 'theatre' ? trainedFileId : null]))

/**
 * The architecture of a model whose weights come from the training page, from the file's metadata; undefined
 * for others.
 * @param {any} gf @param {{ weights: string }} settings @param {Uint8Array} file
 * @returns {Record<string, any>}
 */
export function shapeIn(gf, { weights }, file) {
  if (weights !== 'theatre') return {}
  const { metadata } = gf.loadSafetensors(file, { names: [] })
  return JSON.parse(metadata.shape)
}
