import { TEXT_END } from '../engine/constants.js'
import { classTable } from './character_classes.js'
import { memoryError } from './kernel_memory.js'

/** Length of the text passed to a kernel at once, in UTF-16 units, so that memory does not grow with the text. */
const WINDOW = 32768
/** Number of int32 values for each byte of text: id, end and span. */
const INTS = 4

/**
 * Receives pieces: ids [n], and their spans [n,2] in UTF-16 units of the source, relative to `base`.
 * @typedef {(ids: Int32Array, spans: Int32Array, base: number) => void} Emit
 *
 * A kernel that writes ids and ends of the pieces of n words, which end at `words` [n] in the bytes at `text`.
 * @typedef {(ids: number, ends: number, text: number, words: number, n: number) => number} Kernel
 */

/** Runs the kernel of a model over a text, in batches of words. */
export class BatchEncoder {
  #engine
  #kernel

  /** @param {import('../engine/kernels.js').Kernels} engine @param {Kernel} kernel */
  constructor(engine, kernel) {
    this.#engine = engine
    this.#kernel = kernel
  }

  /**
   * Encodes a text split by GPT-2's pre-tokenizer.
   * @param {import('./text_source.js').Source} source @param {Emit} emit
   */
  encodeText(source, emit) {
    const { c, memory } = this.#engine
    const classes = classTable(this.#engine)
    const size = source.string.length
    let window = Math.min(size, WINDOW), from = 0
    /**
     * Encodes until a word does not fit the window.
     * @param {number} text @param {number} words @param {number} workspace
     */
    const run = (text, words, workspace) => {
      while (from < size) {
        const to = Math.min(size, from + window)
        const bytes = source.copy(memory.bytes(text, 3 * window), from, to)
        const n = c.gf_cut(words, classes, text, bytes, bytes, to === size ? TEXT_END : 0)
        if (n === 0) return
        from = this.#runKernel(text, words, n, workspace, from, emit)
      }
    }
    for (; from < size; window *= 2) this.#withWorkspace(window, 3 * window, run)
  }

  /**
   * Encodes words.
   * @param {import('./text_source.js').Source} source @param {Int32Array} ends of words, in UTF-16 units
   * @param {Emit} emit
   */
  encodeWords(source, ends, emit) {
    const { c, memory } = this.#engine
    for (let first = 0, last = 0, from = 0; first < ends.length; first = last, from = ends[last - 1]) {
      for (last = first + 1; ends[last] - from <= WINDOW; last++);
      const units = ends[last - 1] - from, n = last - first
      this.#withWorkspace(units, n, (text, words, workspace) => {
        const bytes = source.copy(memory.bytes(text, 3 * units), from, from + units)
        memory.ints(words, n).set(ends.subarray(first, last).map(end => end - from))
        c.gf_byte_ends(words, n, text, bytes)
        this.#runKernel(text, words, n, workspace, from, emit)
      })
    }
  }

  /**
   * Borrows memory for a text of `units` UTF-16 units, the ends of its words, and the results.
   * @param {number} units @param {number} words @param {(text: number, words: number, work: number) => void} use
   */
  #withWorkspace(units, words, use) {
    const workspace = 4 * INTS * 3 * units
    this.#engine.memory.borrow(workspace + 4 * words + 3 * units, address =>
      use(address + workspace + 4 * words, address + workspace, address))
  }

  /**
   * @param {number} text @param {number} words address of the ends of n words, in bytes @param {number} n
   * @param {number} workspace @param {number} offset the start of the text in the source @param {Emit} emit
   * @returns {number} the end of the last word in the source
   */
  #runKernel(text, words, n, workspace, offset, emit) {
    const { c, memory } = this.#engine
    const bytes = memory.ints(words, n)[n - 1]
    const ends = workspace + 4 * bytes, spans = workspace + 8 * bytes
    const count = this.#kernel(workspace, ends, text, words, n)
    if (count < 0) throw memoryError('tokenizer.encode')
    const end = c.gf_unit_spans(spans, ends, count, text, bytes)
    const ids = memory.ints(workspace, count).slice()
    emit(ids, memory.ints(spans, 2 * count).slice(), offset)
    return offset + end
  }
}
