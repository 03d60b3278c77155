/**
 * The small figures of the lessons: two to eight numbers that the reader moves. A figure is loaded with the first step
 * that has it; its texts are in `web/words/<language>/lessons/figures.json`, and a step may replace them.
 */

/** @import { Translate } from '../types.d.ts' */

/**
 * @typedef {object} Figure
 * @property {HTMLElement} element
 * @property {() => Record<string, any>} values what the figure shows now, which a step's task and texts may read
 * @property {(values: Record<string, any>) => void} set changes what the reader can change
 *
 * @typedef {{ t: Translate, onchange: () => void }} FigureContext onchange: is called when the reader changes a number
 */

/** @type {Record<string, () => Promise<(context: FigureContext, options: any) => Figure | Promise<Figure>>>} */
export const FIGURES = {
  activation: async () => (await import('./activation.js')).createActivation,
  chain: async () => (await import('./chain.js')).createChain,
  clock: async () => (await import('./clock.js')).createClock,
  line: async () => (await import('./line.js')).createLine,
  matrix: async () => (await import('./matrix.js')).createMatrix,
  merging: async () => (await import('./merging.js')).createMerging,
  mixing: async () => (await import('./mixing.js')).createMixing,
  sizes: async () => (await import('./sizes.js')).createSizes,
  softmax: async () => (await import('./softmax.js')).createSoftmax,
  surprise: async () => (await import('./surprise.js')).createSurprise,
  waves: async () => (await import('./waves.js')).createWaves,
  vectors: async () => (await import('./vectors.js')).createVectors
}
