/** The embedding tables of the model that adds on a clock, at some steps of its training (web/lessons/grokking). */

import { locate } from '../lib/resources.js'

/** The file that the training writes. */
const FILE = 'clock_sums.safetensors', TABLE = 'embedding.weight'
/** The tokens of the numbers; the last row of the tables is the equals sign. */
const HOURS = 31

/**
 * A stage of the training.
 * @typedef {object} Stage
 * @property {number} step
 * @property {number} seen the fraction solved of the sums it was shown @property {number} unseen of the others
 * @property {number[][]} table the vectors of the numbers, [31, 48]
 */

/** @param {ArrayBuffer} file in the safetensors format, with tables in float32 @returns {Stage[]} */
export function readStages(file) {
  const length = Number(new DataView(file).getBigUint64(0, true))
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, length)))
  /** @param {string} name */
  function readTable(name) {
    const { shape: [, width], data_offsets: [start, end] } = header[name]
    const values = [...new Float32Array(file.slice(8 + length + start, 8 + length + end))]
    return Array.from({ length: HOURS }, (_, n) => values.slice(n * width, (n + 1) * width))
  }
  const { stages, steps } = header.__metadata__
  return JSON.parse(stages).map((/** @type {Omit<Stage, 'table'>} */ stage) => (
    { ...stage, table: readTable(stage.step === Number(steps) ? TABLE : `step${stage.step}.${TABLE}`) }))
}

/** @returns {Promise<Stage[]>} */
export async function fetchStages() {
  const address = locate(FILE)
  if (typeof address !== 'string') return readStages(address)
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${FILE}: ${response.status}`)
  return readStages(await response.arrayBuffer())
}
