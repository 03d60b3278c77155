/**
 * Which layers of an imported model retain their attention matrices: all where they fit, else those that the reader
 * chooses, the first and the last.
 */

import { ADDRESSED, bytesOf } from './text_limits.js'

/** @import { RetainedLayers, Settings } from '../../types.d.ts' */

/** @typedef {Record<'text' | 'target', number>} Lengths of what is read and of what is written, in tokens */
/** @typedef {{ layer: number, paths: string[], bytes: number }} Layer */

const ATTENTION = /(?:^|\.)(?:self_attn|SelfAttention|multihead_attn|EncDecAttention)$/
const CROSS = /(?:multihead_attn|EncDecAttention)$/
/** Products, scores, masked scores and weights, each with a gradient once it is requested. */
const MATRICES = 4 * 2
const NUMBER = 4
/** The maximum memory for them: a phone gives a tab far less than can be addressed. */
const MAX_BYTES = 2 ** 28

/** @param {any} attention a module of one of the library's models */
const headsOf = attention => ('numHeads' in attention ? attention.numHeads
  : 'heads' in attention ? attention.heads : attention.options.heads)

/**
 * The layers of a model, across its towers, with the paths of their attentions and the bytes of their matrices.
 * @param {any} model @param {Lengths} lengths @returns {Layer[]}
 */
export function layersOf(model, { text, target }) {
  /** @type {Map<number, Layer>} */ const layers = new Map()
  for (const [path, module] of model.namedModules()) {
    if (!ATTENTION.test(path)) continue
    const number = Number(/(\d+)\.\w+$/.exec(path)?.[1] ?? 0), own = path.startsWith('decoder.') ? target : text
    const layer = layers.get(number) ?? { layer: number, paths: [], bytes: 0 }
    layer.paths.push(path)
    layer.bytes += MATRICES * NUMBER * headsOf(module) * own * (CROSS.test(path) ? text : own)
    layers.set(number, layer)
  }
  return [...layers.values()].sort((a, b) => a.layer - b.layer)
}

/**
 * The memory for them: two runs exist at once while one replaces the other.
 * @param {any} model
 */
const roomBeside = model => Math.min(MAX_BYTES, (ADDRESSED - bytesOf(model)) / 2)

/** The layers that a reader has chosen, the newest first. @param {Settings} settings */
export const chosenLayers = ({ kept }) => (String(kept).match(/\d+/g) ?? []).map(Number)

/**
 * Null where the matrices of all layers fit; else the layers that retain theirs, as many as fit, but at least one.
 * @param {any} model @param {Lengths} lengths
 * @param {Settings} settings keptBytes: the memory for them, where a link specifies it
 * @returns {RetainedLayers & { paths: string[] } | null}
 */
export function retainedLayersOf(model, lengths, settings) {
  const layers = layersOf(model, lengths), room = Number(settings.keptBytes) || roomBeside(model)
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
