import { optionsOf } from '../errors.js'
import { generate, readOptions, readPrompts } from '../decoding/generate.js'
import { LanguageModel, times } from './model.js'

/** @typedef {import('../ops/attention_cache.js').Cache} Cache */
/** @typedef {import('../tensor.js').Tensor} Tensor */

/** What models have in common that read a text and answer it. */
export class Seq2Seq extends LanguageModel {
  /** The token that every answer starts with. */ start = 0
  /** The token that every answer holds first, where one is forced. @type {number | null} */ first = null
  /** How many places there are for a text, and as many for its answer. */ positions = Infinity

  /**
   * @param {Tensor} _ids [B, S] @param {import('./model.js').Kept | null} _kept
   * @returns {Tensor} [B, S, C], what is remembered of them
   */
  read(_ids, _kept) {
    throw new TypeError('read is not defined')
  }

  /**
   * @param {Tensor} _ids [B, T], what is answered so far, or since what the cache holds @param {Tensor} _memory
   * @param {{ keyPaddingMask?: boolean[][] | Tensor, cache?: Cache | null }} _options
   * @returns {{ logits: Tensor, hidden: Tensor }}
   */
  answer(_ids, _memory, _options) {
    throw new TypeError('answer is not defined')
  }

  /**
   * @param {Tensor | number[] | number[][]} ids [B, S], or [S] for one sentence
   * @param {{ attentionMask?: any, decoderIds?: any }} [options] attentionMask: [B, S], 0 or false for padding, which
   *   nothing attends to; Marian's positions count it nevertheless, as Hugging Face's do, so it should stand on the
   *   right; decoderIds: [B, T], what is answered so far; the token that every answer starts with
   * @returns {{ logits: Tensor, hidden: Tensor }} [B, T, V], and what the decoder gives before the head [B, T, C]
   */
  forward(ids, options) {
    const { attentionMask, decoderIds } = optionsOf(this.constructor.name, options, ['attentionMask', 'decoderIds'])
    const tokens = this.sentences('ids', ids), kept = this.kept(attentionMask, tokens.shape)
    const answer = this.sentences('decoderIds', decoderIds ?? times(tokens.shape[0], () => [this.start]))
    this.expectSentences('decoderIds', answer, tokens)
    return this.answer(answer, this.read(tokens, kept), { keyPaddingMask: this.hiddenKeys(kept) })
  }

  /**
   * The answer to a text: greedy, drawn or by beams; at most to the last place the model knows.
   * @param {Tensor | number[] | number[][]} ids one sentence, or several, which are answered one after the other
   * @param {import('../decoding/generate.js').GenerateOptions} [options] end: by default the model's own; seed:
   *   sentence i is drawn with seed + i
   * @returns {any} number[], for several sentences number[][]; with a signal a promise of it
   */
  generate(ids, options) {
    const { prompts, isSingle } = readPrompts(ids), { seed, signal } = readOptions(options)
    const hasSeed = seed !== undefined && seed !== null
    const one = (/** @type {number[]} */ row, /** @type {number} */ i) => answerOne(this, row,
      hasSeed ? { ...options, seed: BigInt.asUintN(64, BigInt(seed) + BigInt(i)) } : options)
    if (signal) return inTurn(prompts, one).then(answers => (isSingle ? answers[0] : answers))
    const answers = prompts.map(one)
    return isSingle ? answers[0] : answers
  }
}

/**
 * Answers that are promised, each begun when the one before is there.
 * @template T, A @param {readonly T[]} list @param {(one: T, i: number) => Promise<A>} answer
 */
async function inTurn(list, answer) {
  const answers = []
  for (const [i, one] of list.entries()) answers.push(await answer(one, i))
  return answers
}

/** The same for every row of a batch. @param {Tensor} memory [1, S, C] @param {number} rows */
function repeated(memory, rows) {
  const [, S, C] = memory.shape, out = memory.engine.empty([rows, S, C])
  for (let b = 0; b < rows; b++) out.values.set(memory.values, b * memory.size)
  return out
}

/** @param {Seq2Seq} model @param {readonly number[]} row @param {any} options */
function answerOne(model, row, options) {
  const { engine } = model
  const memory = engine.keep(engine.tidy(() => engine.noGrad(() => model.read(model.sentences('ids', row), null))))
  const next = (/** @type {number[][]} */ rows, /** @type {Cache | null} */ cache) => {
    const isFirst = (cache?.length ?? 0) + rows[0].length === 1
    const { logits } = model.answer(model.sentences('ids', rows), repeated(memory, rows.length), { cache })
    if (isFirst && model.first !== null) return model.withOnly(logits, model.first)
    return model.without(logits, model.never)
  }
  const done = () => memory.dispose()
  try {
    const answer = generate(engine, next, [model.start], options, { ends: model.ends, maxPositions: model.positions })
    if (answer instanceof Promise) return answer.finally(done)
    done()
    return answer
  } catch (error) {
    done()
    throw error
  }
}
