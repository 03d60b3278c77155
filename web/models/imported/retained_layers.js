/**
 * Selects the layers of an imported model that retain their attention matrices: all if they fit into memory, else those
 * that the reader chooses, the first and the last.
 */

import { ADDRESS_SPACE, bytesOf } from './text_limits.js'

/** @import { RetainedLayers, Settings } from '../../types.d.ts' */

/** @typedef {Record<'text' | 'target', number>} Lengths of the text and of the answer, in tokens */
/** @typedef {{ layer: number, paths: string[], bytes: number }} Layer */

/** Cross-attentions by their paths. */
const CROSS = /(?:multihead_attn|EncDecAttention)$/
/** Matrices per head: products, scores, masked scores and weights, each with its gradient. */
const MATRICES = 4 * 2
const FLOAT_BYTES = 4
/** The maximum memory for all matrices: a tab on a phone gets far less than its address space. */
const MAX_BYTES = 2 ** 28

/**
 * The layers of a model, across its towers, with the paths of their attentions and the bytes of their matrices.
 * @param {any} model @param {Lengths} lengths @returns {Layer[]}
 */
export function layersOf(model, { text, target }) {
  /** @type {Map<number, Layer>} */ const layers = new Map()
  for (const [path, module] of model.namedModules()) {
    if (!('numHeads' in module)) continue
    const number = Number(/(\d+)\.\w+$/.exec(path)?.[1] ?? 0), own = path.startsWith('decoder.') ? target : text
    const layer = layers.get(number) ?? { layer: number, paths: [], bytes: 0 }
    layer.paths.push(path)
    layer.bytes += MATRICES * FLOAT_BYTES * module.numHeads * own * (CROSS.test(path) ? text : own)
    layers.set(number, layer)
  }
  return [...layers.values()].sort((a, b) => a.layer - b.layer)
}

/**
 * The memory for all matrices of a run: two runs exist at once while one replaces the other.
 * @param {any} model
 */
const availableBytes = model => Math.min(MAX_BYTES, (ADDRESS_SPACE - bytesOf(model)) / 2)

/** The layers that the reader has chosen, the newest first. @param {Settings} settings */
export const chosenLayers = ({ kept }) => (String(kept).match(/\d+/g) ?? []).map(Number)

/**
 * The layers that retain their matrices, as many as fit, but at least one; null if all of them fit.
 * @param {any} model @param {Lengths} lengths
 * @param {Settings} settings keptBytes: the memory for them, where a link specifies it
 * @returns {RetainedLayers & { paths: string[] } | null}
 */
export function retainedLayersOf(model, lengths, settings) {
  const layers = layersOf(model, lengths), room = Number(settings.keptBytes) || availableBytes(model)
  const total = layers.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total <= room) return null
  const wanted = [...chosenLayers(settings), 0, layers.length - 1, ...layers.keys()]
  /** @type {Set<Layer>} */ const own = new Set()
  let left = room
  for (const layer of new Set(wanted.map(number => layers[number]).filter(Boolean))) {
    if (own.size && layer.bytes > left) continue
    own.add(layer)
    left -= layer.bytes
  }
  const list = layers.filter(layer => own.has(layer))
  return { layers: list.map(({ layer }) => layer), of: layers.length, total, room,
    paths: list.flatMap(({ paths }) => paths) }
}
