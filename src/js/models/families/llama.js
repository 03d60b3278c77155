import { readBoolean } from '../config.js'
import { LLAMA_QUESTION_HEAD, decoderFamily } from './decoder_family.js'
import { describeLlamaLike } from './describe.js'

/** Llama (Touvron et al. 2023) and relatives such as SmolLM and the TinyStories models of llama2.c. */
export const llama = decoderFamily({
  type: 'llama',
  architecture: 'LlamaForCausalLM',
  heads: LLAMA_QUESTION_HEAD,
  describe: (config, shapeOf) => ({
    ...describeLlamaLike('Llama', config, shapeOf, {
      defaults: { feedForwardSize: 11008 },
      allowed: { partial_rotary_factor: [1], sliding_window: [], rope_interleaved: [false] }
    }),
    hasQkvBias: readBoolean(config, 'attention_bias', false), hasOutBias: readBoolean(config, 'attention_bias', false),
    hasMlpBias: readBoolean(config, 'mlp_bias', false)
  })
})
