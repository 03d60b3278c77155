import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike } from './describe.js'

/** EXAONE 3 and 3.5 (LG AI Research 2024): Llama with names of its own. */
export const exaone = decoderFamily({
  type: 'exaone',
  architecture: 'ExaoneForCausalLM',
  prefix: 'transformer.',
  keys: {
    'embed_tokens': 'wte', 'norm': 'ln_f', 'layers.{n}': 'h.{n}', 'input_layernorm': 'ln_1', 'post_attention_layernorm': 'ln_2',
    'self_attn.q_proj': 'attn.attention.q_proj', 'self_attn.k_proj': 'attn.attention.k_proj',
    'self_attn.v_proj': 'attn.attention.v_proj', 'self_attn.o_proj': 'attn.attention.out_proj', 'mlp.gate_proj': 'mlp.c_fc_0',
    'mlp.up_proj': 'mlp.c_fc_1', 'mlp.down_proj': 'mlp.c_proj'
  },
  isTied: true,
  describe: (config, shapeOf) => describeLlamaLike('Exaone', config, shapeOf, {
    names: { layers: 'num_layers', activation: 'activation_function' }, epsName: 'layer_norm_epsilon', eps: 1e-6,
    defaults: { channels: 2048, vocabSize: 102400 }
  })
})
