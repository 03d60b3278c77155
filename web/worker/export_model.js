/** Exports the model of a run as a file. */

import { zip } from '../lib/zip.js'

/** @import { Folder, Library, ModelRun, Questions } from '../types.d.ts' */

/** The metadata that Hugging Face's loaders expect in a file of PyTorch weights. */
const METADATA = { format: 'pt' }

/** @param {Folder} folder */
const zipFolder = ({ name, content }) => zip(content, name)

/**
 * The weights, edits included, under the keys of the script; the model as ONNX with the inputs of this run; a PyTorch
 * script that builds the model, reads the weights and compares its outputs with this run; or the folder that Hugging
 * Face's classes read, as chunks of a ZIP archive.
 * @param {Library} gf @param {ModelRun} made @param {Questions['exportModel'][0]} asked
 * @returns {Questions['exportModel'][1] | Promise<Questions['exportModel'][1]>}
 */
export function exportModel(gf, { exportable }, { format }) {
  if (!exportable) throw new Error('not exportable')
  const { model, inputs, files } = exportable
  if (format === 'zip') {
    if (!files) throw new Error('this model has no keys at Hugging Face')
    const folder = files()
    return 'then' in folder ? folder.then(zipFolder) : zipFolder(folder)
  }
  if (format === 'safetensors') return gf.saveSafetensors(model.stateDict(), METADATA)
  return format === 'onnx' ? gf.toOnnx(model, inputs) : gf.toPyTorch(model, inputs)
}
