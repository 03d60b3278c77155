/** Exports the model of a run as a file. */

import { createZip } from '../lib/zip.js'

/** @import { Folder, Library, ModelRun, QueryTypes } from '../types.d.ts' */

/** The metadata that Hugging Face's loaders expect in a file of PyTorch weights. */
const METADATA = { format: 'pt' }

/** @param {Folder} folder */
const zipFolder = ({ name, content }) => createZip(content, name)

/**
 * Exports the weights, edits included, under the keys of the script; the model as ONNX with the inputs of this run; a
 * PyTorch script that builds the model, reads the weights and compares its outputs with this run; or the folder that
 * Hugging Face's classes read, as chunks of a ZIP archive.
 * @param {Library} gf @param {ModelRun} modelRun @param {QueryTypes['exportModel'][0]} request
 * @returns {QueryTypes['exportModel'][1] | Promise<QueryTypes['exportModel'][1]>}
 */
export function exportModel(gf, { exportable }, { format }) {
  if (!exportable) throw new Error('not exportable')
  const { model, inputs, files } = exportable
  if (format === 'zip') {
    if (!files) throw new Error('no Hugging Face class')
    const folder = files()
    return 'then' in folder ? folder.then(zipFolder) : zipFolder(folder)
  }
  if (format === 'safetensors') return gf.saveSafetensors(model.stateDict(), METADATA)
  return format === 'onnx' ? gf.toOnnx(model, inputs) : gf.toPyTorch(model, inputs)
}
