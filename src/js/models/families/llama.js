import { Decoder } from '../decoder.js'
import { readBoolean, readChoice } from '../config.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike } from './describe.js'

/** Llama (Touvron et al. 2023) and relatives such as SmolLM and the TinyStories models of llama2.c. */
export class Llama extends Decoder {
  static hasSubmodules = true
}

/** In Hugging Face's files the channels of a pair are half a head apart, in llama2.c's adjacent. @type {Record<string, 'half' | 'interleaved'>} */
const LAYOUTS = { half: 'half', interleaved: 'interleaved' }

const family = decoderFamily({
  type: 'llama',
  architecture: 'LlamaForCausalLM',
  Model: Llama,
  // save reorders the rows of llama2.c's query and key projections.
  adjust: (row, { layers: [layer], headDim }) => (
    layer?.rotary?.layout === 'interleaved' && /\.[qk]_proj\./.test(row.key) ? { ...row, interleavedHeadDim: headDim } : row),
  describe(config, shapeOf) {
    const layout = readChoice(config, 'rotary_layout', LAYOUTS, 'half')
    return {
      ...describeLlamaLike('Llama', config, shapeOf, {
        defaults: { feedForwardSize: 11008 }, rotary: { layout },
        allowed: { partial_rotary_factor: [1], sliding_window: [], rope_interleaved: [false] }
      }),
      hasQkvBias: readBoolean(config, 'attention_bias', false), hasOutBias: readBoolean(config, 'attention_bias', false),
      hasMlpBias: readBoolean(config, 'mlp_bias', false)
    }
  }
})

export const llama = {
  ...family,
  /** @param {import('../decoder.js').DecoderDescription} description */
  toHuggingFace(description) {
    const form = family.toHuggingFace(description)
    return { ...form, config: { ...form.config, rotary_layout: undefined } }
  }
}
