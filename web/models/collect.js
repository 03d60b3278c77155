/** Collects the metadata of the trained weight files while the page is built. */

import { readFile } from 'node:fs/promises'
import { MODELS } from './index.js'

/** The header of a safetensors file. @param {Uint8Array} bytes */
function headerOf(bytes) {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true))
  return JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)))
}

const ACCURACY_PREFIX = 'right.'

/**
 * @typedef {object} TrainedVariant the settings of a training and its results
 * @property {Record<string, any>} settings
 * @property {number} steps
 * @property {Record<string, number>} right held-out accuracy, by what it was measured on
 */

/**
 * @param {string} id @param {{ file: string, settings: Record<string, any> }} variant
 * @returns {Promise<TrainedVariant>}
 */
async function learnedOf(id, { file, settings }) {
  const { __metadata__: metadata } = headerOf(await readFile(new URL(`${id}/${file}`, import.meta.url)))
  const right = Object.entries(metadata).filter(([key]) => key.startsWith(ACCURACY_PREFIX))
    .map(([key, fraction]) => [key.slice(ACCURACY_PREFIX.length), Number(fraction)])
  return { settings, steps: Number(metadata.steps), right: Object.fromEntries(right) }
}

/** The metadata of every model with variants, in order. @returns {Promise<Record<string, TrainedVariant[]>>} */
export async function collectLearned() {
  const models = MODELS.filter(({ variants }) => variants)
  return Object.fromEntries(await Promise.all(models.map(async ({ id, variants }) => (
    [id, await Promise.all((variants ?? []).map(item => learnedOf(id, item)))]))))
}
