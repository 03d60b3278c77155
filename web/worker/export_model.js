/** The model of a run as a file for elsewhere. */

import { zip } from '../lib/zip.js'

/** @import { Folder, Library, Made, Questions } from '../types.d.ts' */

/** What Hugging Face's loaders look for in a file of PyTorch's weights. */
const METADATA = { format: 'pt' }

/** @param {Folder} folder */
const packed = ({ name, content }) => zip(content, name)

/**
 * The weights, edits of them included, under the keys that the script has; the model in ONNX as it was called in this
 * run; a script in PyTorch that builds it, reads the weights and compares itself with this run; or the folder that
 * Hugging Face's classes read, in pieces of an archive.
 * @param {Library} gf @param {Made} made @param {Questions['take'][0]} asked
 * @returns {Questions['take'][1] | Promise<Questions['take'][1]>}
 */
export function take(gf, { taken }, { format }) {
  if (!taken) throw new Error('this model cannot be taken out')
  const { model, inputs, files } = taken
  if (format === 'zip') {
    if (!files) throw new Error('this model has no keys at Hugging Face')
    const folder = files()
    return 'then' in folder ? folder.then(packed) : packed(folder)
  }
  if (format === 'safetensors') return gf.saveSafetensors(model.stateDict(), METADATA)
  return format === 'onnx' ? gf.toOnnx(model, inputs) : gf.toPyTorch(model, inputs)
}
