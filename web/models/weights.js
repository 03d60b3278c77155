/** Where the weights of a model come from: a seed they are drawn from, or a file of trained ones. */

/** @import { Settings } from '../types.d.ts' */

/**
 * A model with its weights as they are before any edit.
 * @param {any} gf the library
 * @param {{ weights: string, seed: number }} settings
 * @param {Uint8Array} file safetensors, read where the weights are trained, here or in the theatre
 * @param {() => any} create the model, with weights drawn from the seed
 * @param {(name: string) => boolean} [isComputed] of what is not taken from the file; none
 */
export function build(gf, { weights, seed }, file, create, isComputed = () => false) {
  gf.manualSeed(seed)
  const model = create()
  if (weights === 'untrained') return model
  const { tensors } = gf.loadSafetensors(file)
  const wanted = Object.entries(model.stateDict()).map(([name, own]) => [name, isComputed(name) ? own : tensors[name]])
  model.loadStateDict(Object.fromEntries(wanted))
  Object.values(tensors).forEach(tensor => tensor.dispose())
  return model
}

/** What a model of fixed size depends on, as a key to hold it by. @param {string} id @param {Settings} settings */
export const keyOf = (id, { weights, seed, dropout, lent }) => (
  JSON.stringify([id, weights, dropout, weights === 'untrained' ? seed : null, weights === 'theatre' ? lent : null]))

/**
 * The sizes and ways of a model whose weights come from the theatre, as the file says them; of others, nothing.
 * @param {any} gf @param {{ weights: string }} settings @param {Uint8Array} file
 * @returns {Record<string, any>}
 */
export function shapeIn(gf, { weights }, file) {
  if (weights !== 'theatre') return {}
  const { metadata } = gf.loadSafetensors(file, { names: [] })
  return JSON.parse(metadata.shape)
}
