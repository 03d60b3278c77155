import { TEXT_END } from '../constants.js'
import { classTable } from './classes.js'
import { noMemory } from './handles.js'

/** Text given at once to the kernels, in UTF-16 units: memory does not grow with the length of a text. */
const WINDOW = 32768
/** int32 for each byte of text: ids, ends and spans. */
const INTS = 4

/**
 * What a model does with the pieces it finds: ids, and their spans [n,2] in UTF-16 units of the source from `base` on.
 * @typedef {(ids: Int32Array, spans: Int32Array, base: number) => void} Emit
 *
 * A kernel that finds the pieces of n words, which end at `words` [n] in the bytes at `text`, and writes ids and ends.
 * @typedef {(ids: number, ends: number, text: number, words: number, n: number) => number} Kernel
 */

/** Runs a kernel over a text, so many words at a time. */
export class ByWords {
  #engine
  #kernel
  #check

  /**
   * @param {import('../kernels.js').Kernels} engine @param {Kernel} kernel
   * @param {(ids: Int32Array, byteBefore: (i: number) => number) => void} [check] of what was found; byteBefore: the
   *   last byte of piece i
   */
  constructor(engine, kernel, check) {
    this.#engine = engine
    this.#kernel = kernel
    this.#check = check
  }

  /** Cuts by GPT-2's rule, window by window. @param {import('./source.js').Source} source @param {Emit} emit */
  encodeText(source, emit) {
    const { c, memory } = this.#engine
    const classes = classTable(this.#engine)
    const size = source.string.length
    let window = Math.min(size, WINDOW), from = 0
    /** Goes on until a word does not fit the window. @param {number} text @param {number} words @param {number} work */
    const run = (text, words, work) => {
      while (from < size) {
        const to = Math.min(size, from + window)
        const bytes = source.copy(memory.bytes(text, 3 * window), from, to)
        const n = c.gf_cut(words, classes, text, bytes, bytes, to === size ? TEXT_END : 0)
        if (n === 0) return
        from = this.#run(text, words, n, work, from, emit)
      }
    }
    for (; from < size; window *= 2) this.#lend(window, 3 * window, run)
  }

  /**
   * @param {import('./source.js').Source} source @param {Int32Array} ends of words, in UTF-16 units
   * @param {Emit} emit
   */
  encodeWords(source, ends, emit) {
    const { c, memory } = this.#engine
    for (let first = 0, last = 0, from = 0; first < ends.length; first = last, from = ends[last - 1]) {
      for (last = first + 1; ends[last] - from <= WINDOW; last++);
      const units = ends[last - 1] - from, n = last - first
      this.#lend(units, n, (text, words, work) => {
        const bytes = source.copy(memory.bytes(text, 3 * units), from, from + units)
        memory.ints(words, n).set(ends.subarray(first, last).map(end => end - from))
        c.gf_byte_ends(words, n, text, bytes)
        this.#run(text, words, n, work, from, emit)
      })
    }
  }

  /**
   * Room for the text of so many units, the ends of so many words, and the work of joining.
   * @param {number} units @param {number} words @param {(text: number, words: number, work: number) => void} use
   */
  #lend(units, words, use) {
    const work = 4 * INTS * 3 * units
    this.#engine.memory.borrow(work + 4 * words + 3 * units, address =>
      use(address + work + 4 * words, address + work, address))
  }

  /**
   * @param {number} text @param {number} words where n words end, in bytes @param {number} n @param {number} work
   * @param {number} base the unit that text begins at @param {Emit} emit
   * @returns {number} the unit after the last word
   */
  #run(text, words, n, work, base, emit) {
    const { c, memory } = this.#engine
    const bytes = memory.ints(words, n)[n - 1]
    const ends = work + 4 * bytes, spans = work + 8 * bytes
    const count = this.#kernel(work, ends, text, words, n)
    if (count < 0) throw noMemory('tokenizer.encode')
    const end = c.gf_unit_spans(spans, ends, count, text, bytes)
    const ids = memory.ints(work, count).slice()
    this.#check?.(ids, i => memory.bytes(text, bytes)[memory.ints(ends, count)[i] - 1])
    emit(ids, memory.ints(spans, 2 * count).slice(), base)
    return base + end
  }
}
